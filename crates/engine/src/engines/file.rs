//! `ENGINE = File(format)`: rows in files of a format, in the table's own directory.

use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_column::Field;
use entasis_sql::ast::{self, ExprKind, Literal};
use entasis_table_api::Schema;
use entasis_tables::own_file::OwnFile;
use entasis_tables::values::format_structure;

use super::called::CalledTable;
use super::{Attach, EngineArgs, EngineDef};
use crate::definition::features::Features;
use crate::settings::formats;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "File",
    description: "Keeps rows in files of a format such as CSV or Parquet, one file per INSERT; with a \
                  path, it is that file.",
    syntax: "ENGINE = File(format[, path[, compression]])",
    related: &["Log", "StripeLog"],
    features: Features { arguments: true, own_data: true, ..Features::NONE },
    own_files: None,
    create,
};

fn create(args: &EngineArgs<'_>) -> Result<Attach> {
    let definition = args.definition;
    let given = definition.engine.args.as_deref().unwrap_or_default();
    let (format, at_path) = match given {
        [format] => (text_of(format)?, &[][..]),
        [format, path @ ..] if given.len() <= 3 => (text_of(format)?, path),
        _ => {
            let message = "Storage File requires from 1 to 3 arguments: name of used format, \
                           source and compression_method";
            let error = Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message);
            return Err(error.at(definition.engine.position));
        }
    };
    let format = entasis_format::find(&format)?.name;
    if definition.schema.declared().any(|column| {
        column.default_kind().is_some_and(|kind| kind != entasis_table_api::DefaultKind::Default)
    }) {
        let message = "Table engine File doesn't support special columns like MATERIALIZED, ALIAS \
                       or EPHEMERAL: use another engine, such as Log";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if !at_path.is_empty() {
        let call = call_of(format, at_path, &definition.schema)?;
        return Ok(CalledTable::attach("File".to_string(), call, &definition.schema, false));
    }
    let options = formats::options(&args.function_context.settings, definition.time_zone);
    let schema = Arc::clone(&definition.schema);
    Ok(Box::new(move |place| Ok(OwnFile::open(schema, format, options, place.directory()?)?)))
}

/// The call of the table function `file` for which a table with a path stands.
fn call_of(format: &str, at_path: &[ast::Expr], schema: &Schema) -> Result<ast::Function> {
    let fields: Vec<Field> =
        schema.stored().iter().map(|c| Field::new(c.name.clone(), c.ty.clone())).collect();
    let mut texts = vec![text_of(&at_path[0])?, format.to_string(), format_structure(&fields)];
    if let Some(compression) = at_path.get(1) {
        texts.push(text_of(compression)?);
    }
    let literal = |text: String| {
        ast::Expr::new(ExprKind::Literal(Literal::String(text.into_bytes())), Position::default())
    };
    Ok(ast::Function::new("file", texts.into_iter().map(literal).collect()))
}

/// Writes a bare word as a string, as the reference shows it.
pub(crate) fn quote(arg: &mut ast::Expr) {
    if let Some(parts) = arg.as_identifier() {
        let name = parts.iter().map(ast::Ident::as_str).collect::<Vec<_>>().join(".");
        arg.kind = ExprKind::Literal(Literal::String(name.into_bytes()));
    }
}

/// An argument as text: a string, or a bare word.
fn text_of(arg: &ast::Expr) -> Result<String> {
    if let Some([name]) = arg.as_identifier() {
        return Ok(name.as_str().to_string());
    }
    match &arg.kind {
        ExprKind::Literal(Literal::String(text)) => Ok(String::from_utf8_lossy(text).into_owned()),
        _ => {
            let message = "The arguments of engine File are names: File(CSV)";
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(arg.position))
        }
    }
}
