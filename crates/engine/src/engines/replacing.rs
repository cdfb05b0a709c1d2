//! `ENGINE = ReplacingMergeTree`: merges keep the latest row of each key.

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{KeptRow, MergeAlgorithm};
use entasis_types::DataType;

use super::merge_tree::{self, FEATURES, arguments, named_column, too_many, version_column};
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;

const NAME: &str = "ReplacingMergeTree";

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: NAME,
    description: "A MergeTree whose merges keep only the latest of the rows with equal sorting keys.",
    syntax: "ENGINE = ReplacingMergeTree([version [, is_deleted]]) ORDER BY expr",
    related: &["MergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| merge_tree::create_merging(args, merging),
};

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let (schema, given) = (&args.definition.schema, arguments(args));
    if given.len() > 2 {
        return Err(too_many(NAME, "two: version and is_deleted"));
    }
    let version = given.first().map(|arg| version_column(args, arg)).transpose()?;
    let mut deleted = None;
    if let Some(arg) = given.get(1) {
        let (position, name, ty) = named_column(schema, arg, "is_deleted column")?;
        if *ty != DataType::UInt8 {
            let message = format!(
                "is_deleted column ({name}) for storage ReplacingMergeTree must have type UInt8. \
                 Provided column of type {ty}."
            );
            return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
        }
        deleted = Some(position);
    }
    let aggregates = vec![None; schema.stored().len()];
    Ok(MergeAlgorithm { pick: KeptRow::Latest { version, deleted }, aggregates })
}
