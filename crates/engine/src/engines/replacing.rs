//! `ENGINE = ReplacingMergeTree`: merges keep the latest row of each key.

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{KeptRow, MergeAlgorithm};
use entasis_sql::ast;
use entasis_table_api::Schema;
use entasis_types::DataType;

use super::merge_tree::{self, FEATURES, arguments, names_of, stored_column, too_many};
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;

const NAME: &str = "ReplacingMergeTree";

pub(super) static ENGINE: EngineDef = EngineDef {
    name: NAME,
    description: "A MergeTree whose merges keep only the latest of the rows with equal sorting keys.",
    syntax: "ENGINE = ReplacingMergeTree([version [, is_deleted]]) ORDER BY expr",
    related: &["MergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| {
        let merging = merging(args).map_err(|e| e.at(args.definition.engine.position))?;
        merge_tree::create(args, Some(merging))
    },
};

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let (schema, given) = (&args.definition.schema, arguments(args));
    if given.len() > 2 {
        return Err(too_many(NAME, "two: version and is_deleted"));
    }
    let mut pick = (None, None);
    if let Some(arg) = given.first() {
        let (position, name, ty) = column(schema, arg, "Version column")?;
        if !(ty.is_any_integer() || ty.is_float() || ty.is_date_or_time()) {
            let message = format!(
                "The column {name} cannot be used as a version column for storage \
                 ReplacingMergeTree because it is of type {ty} (must be of an integer type or of \
                 type Date/DateTime/DateTime64)"
            );
            return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
        }
        pick.0 = Some(position);
    }
    if let Some(arg) = given.get(1) {
        let (position, name, ty) = column(schema, arg, "is_deleted column")?;
        if *ty != DataType::UInt8 {
            let message = format!(
                "is_deleted column ({name}) for storage ReplacingMergeTree must have type UInt8. \
                 Provided column of type {ty}."
            );
            return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
        }
        pick.1 = Some(position);
    }
    let aggregates = vec![None; schema.stored().len()];
    Ok(MergeAlgorithm {
        engine: NAME,
        pick: KeptRow::Latest { version: pick.0, deleted: pick.1 },
        aggregates,
    })
}

/// The column that an argument names: position, name and type.
fn column<'a>(
    schema: &'a Schema,
    arg: &'a ast::Expr,
    what: &str,
) -> Result<(usize, &'a str, &'a DataType)> {
    let [name] = names_of(arg)?[..] else {
        let message = format!("{what} of ReplacingMergeTree is the name of a column");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let position = stored_column(schema, name, what)?;
    Ok((position, name, &schema.columns[position].ty))
}
