//! `INSERT INTO t SELECT * FROM file(...)`: a file whose structure is not given has the columns
//! that the INSERT fills (`use_structure_from_insertion_table_in_table_functions`). Text is then
//! read as the table's types, and columns that have names are found by name.

use entasis_base::{Error, Result, codes};
use entasis_column::Field;
use entasis_sql::ast::{self, ExprKind, InsertTarget, Literal, TableExprKind};
use entasis_table_api::ColumnDef;
use entasis_tables::values::format_structure;
use entasis_types::DataType;

use crate::statement::insert::target_columns;
use crate::{Session, Settings, settings};

impl Session {
    /// The query of an INSERT with the structure of the table written into `file(...)`; `None` if
    /// the query stays as it is.
    pub(crate) fn with_structure(
        &self,
        insert: &ast::Insert,
        query: &ast::Query,
        settings: &Settings,
    ) -> Result<Option<ast::Query>> {
        let mode = settings.u64(settings::STRUCTURE_OF_TARGET);
        let (InsertTarget::Table(name), ast::Query::Select(select)) = (&insert.target, query)
        else {
            return Ok(None);
        };
        if mode == 0 || !has_unknown_structure(select) || (mode > 1 && !takes_all(select)) {
            return Ok(None);
        }
        let database = name.database.as_ref().map(|d| d.as_str());
        let schema = self.catalog_view().entry(database, name.table.as_str())?.table.schema();
        let (of, table) = self.full_name(name);
        let materialized = settings.flag(settings::INSERT_MATERIALIZED);
        let written = self.written_columns(insert)?;
        let full_name = format!("{of}.{table}");
        let positions = target_columns(&schema, &full_name, &written, materialized)?;
        let has_default = settings.flag(settings::INSERT_NULL_AS_DEFAULT);
        let fields = positions.iter().map(|at| field(&schema.columns[*at], has_default));
        let structure = format_structure(&fields.collect::<Vec<_>>());
        let mut select = select.clone();
        if let Some(from) = &mut select.from
            && let TableExprKind::Function(file) = &mut from.table.kind
        {
            let position = from.table.position;
            let text = |text: &str| {
                let literal = Literal::String(text.as_bytes().to_vec());
                ast::Expr::new(ExprKind::Literal(literal), position)
            };
            while file.args.len() < 3 {
                file.args.push(text("auto"));
            }
            file.args[2] = text(&structure);
        }
        let query = ast::Query::Select(select);
        // A query that calls the columns c1, c2 and so on means those of the file.
        let is_unknown = |e: Error| e.code() == codes::UNKNOWN_IDENTIFIER;
        let context = self.function_context(settings);
        let means_others =
            mode == 1 && self.analyze(&query, settings, &context).is_err_and(is_unknown);
        Ok((!means_others).then_some(query))
    }
}

/// A column of the file. One that may be missing and has a DEFAULT is Nullable, because the INSERT
/// replaces NULL by the DEFAULT.
fn field(column: &ColumnDef, null_is_default: bool) -> Field {
    let ty = match &column.default {
        Some(_) if null_is_default && column.ty.can_be_nullable() => {
            DataType::nullable(column.ty.clone())
        }
        _ => column.ty.clone(),
    };
    Field::new(column.name.clone(), ty)
}

/// Whether a SELECT reads one file alone, without saying which columns it has.
fn has_unknown_structure(select: &ast::Select) -> bool {
    let Some(from) = select.from.as_ref().filter(|from| from.steps.is_empty()) else {
        return false;
    };
    let TableExprKind::Function(function) = &from.table.kind else { return false };
    let is_auto = |arg: &ast::Expr| match arg.as_literal() {
        Some(Literal::String(text)) => text == b"auto",
        _ => false,
    };
    function.name == "file" && !function.args.is_empty() && function.args.get(2).is_none_or(is_auto)
}

/// Whether a SELECT answers all columns of what it reads, and maybe others.
fn takes_all(select: &ast::Select) -> bool {
    select.projection.iter().any(|item| match &item.kind {
        ExprKind::Asterisk(transformers) => transformers.is_empty(),
        ExprKind::QualifiedAsterisk(asterisk) => asterisk.transformers.is_empty(),
        _ => false,
    })
}
