//! What a CREATE TABLE leaves to its engine: constants in the engine's arguments, and columns that
//! are those of other tables.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ExprKind, Literal};
use entasis_sql::{format_expr, format_ident, parse_query};
use entasis_table_api::{Names, Over};

use crate::engines::over;
use crate::settings::function_context::StatementContext;

/// Writes the names of databases and tables among the engine's arguments as texts, as the reference
/// keeps them. `currentDatabase()` becomes the name: later sessions may be in another database.
pub(super) fn fix_arguments(
    create: &mut ast::CreateTable,
    context: &StatementContext,
) -> Result<()> {
    let Some(engine) = &mut create.storage.engine else { return Ok(()) };
    if engine.name == "Alias" && !create.elements.columns.is_empty() {
        let message = "Storage Alias does not support explicit column definitions: it has the \
                       columns of its table";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let names = match engine.name.as_str() {
        "Merge" | "Buffer" => 0..2,
        "Distributed" | "Remote" | "RemoteSecure" => 0..3,
        "Alias" => 0..2,
        _ => return Ok(()),
    };
    let args = engine.args.iter_mut().flatten().enumerate();
    for (_, arg) in args.filter(|(place, _)| names.contains(place)) {
        let is_database = arg.as_function().is_some_and(|call| {
            let name = call.name.to_ascii_lowercase();
            call.args.is_empty() && ["currentdatabase", "database"].contains(&name.as_str())
        });
        let text = match arg.as_identifier() {
            _ if is_database => context.database.clone(),
            Some([name]) => name.as_str().to_owned(),
            _ => continue,
        };
        arg.kind = ExprKind::Literal(Literal::String(text.into_bytes()));
    }
    Ok(())
}

/// A query with the columns of a table that are not written down, if its engine can infer them.
pub(super) fn columns_of_engine(
    create: &ast::CreateTable,
    context: &StatementContext,
) -> Result<Option<ast::Query>> {
    let Some(engine) = &create.storage.engine else { return Ok(None) };
    let args = engine.args.as_deref().unwrap_or_default();
    let of_table = |over: Over| {
        let (Names::Exactly(database), Names::Exactly(table)) = (over.databases, over.tables)
        else {
            return String::new();
        };
        format!("SELECT * FROM {}.{}", format_ident(&database), format_ident(&table))
    };
    let text = match engine.name.as_str() {
        "Merge" => {
            over::merge_of(args, context)?;
            let list: Vec<String> = args.iter().map(format_expr).collect();
            format!("SELECT * FROM merge({})", list.join(", "))
        }
        "File" if (2..=3).contains(&args.len()) => {
            let mut list = vec![format_expr(&args[1]), format_expr(&args[0])];
            if let Some(compression) = args.get(2) {
                list.extend(["'auto'".to_string(), format_expr(compression)]);
            }
            format!("SELECT * FROM file({})", list.join(", "))
        }
        "Buffer" if args.len() >= 2 => {
            let text = |arg: &ast::Expr| match &arg.kind {
                ExprKind::Literal(Literal::String(text)) => {
                    String::from_utf8_lossy(text).into_owned()
                }
                _ => format_expr(arg),
            };
            let (database, table) = (text(&args[0]), text(&args[1]));
            let database = if database.is_empty() { context.database.clone() } else { database };
            format!("SELECT * FROM {}.{}", format_ident(&database), format_ident(&table))
        }
        "Alias" => of_table(over::alias_of(args, context)?),
        "Distributed" => of_table(over::distributed_of(args, context)?),
        "Remote" | "RemoteSecure" => of_table(over::remote_of(args, context)?),
        _ => return Ok(None),
    };
    parse_query(&text).map(Some)
}
