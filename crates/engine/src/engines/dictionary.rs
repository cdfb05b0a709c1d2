//! `ENGINE = Dictionary(name)`: a dictionary under another name, or some of its columns.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{Engine, ExprKind, Literal};
use entasis_table_api::Table;

use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;
use crate::dictionary::table::DictionaryReader;

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "Dictionary",
    description: "Shows the rows of a dictionary as a table.",
    syntax: "ENGINE = Dictionary(name)",
    related: &[],
    features: Features { arguments: true, ..Features::NONE },
    own_files: None,
    create: |args| {
        let name = dictionary_name(args)?;
        let (links, database) = (
            args.function_context.server.dictionaries.clone(),
            args.function_context.database.clone(),
        );
        if args.is_new {
            // A dictionary that is not there is an error of the statement.
            let dictionary = links.find(&name, &database)?;
            let structure = dictionary.structure();
            for column in args.definition.schema.stored() {
                let is_key = structure.keys.iter().any(|key| key.name == column.name);
                if !is_key && structure.attribute(&column.name).is_err() {
                    let message = format!(
                        "Not found column {} {} in dictionary `{name}`",
                        column.name, column.ty
                    );
                    return Err(Error::new(codes::THERE_IS_NO_COLUMN, message));
                }
            }
        }
        let schema = Arc::clone(&args.definition.schema);
        let find = Box::new(move || links.find(&name, &database));
        Ok(Box::new(|_| Ok(Arc::new(DictionaryReader { schema, find }) as Arc<dyn Table>)))
    },
};

/// The name in the arguments of the engine.
pub(crate) fn name_in(engine: &Engine) -> Option<String> {
    let [one] = engine.args.as_deref()? else { return None };
    match &one.kind {
        ExprKind::Literal(Literal::String(text)) => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
        ExprKind::Identifier(parts) => {
            Some(parts.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("."))
        }
        _ => None,
    }
}

fn dictionary_name(args: &EngineArgs<'_>) -> Result<String> {
    name_in(&args.definition.engine).ok_or_else(|| {
        let message = "Storage Dictionary requires single parameter: name of dictionary";
        Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
    })
}
