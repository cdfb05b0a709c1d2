//! `ENGINE = CollapsingMergeTree` and `VersionedCollapsingMergeTree`: rows of sign -1 cancel rows
//! of sign 1 that have equal sorting keys. In the versioned engine the column of versions belongs
//! to the sorting key, so that states of an object cancel in whatever order they arrive.

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{KeptRow, MergeAlgorithm};
use entasis_sql::ast;
use entasis_types::DataType;

use super::merge_tree::{self, FEATURES, arguments, named_column, too_few, version_column};
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: "CollapsingMergeTree",
    description: "A MergeTree whose merges remove pairs of rows with equal sorting keys and opposite signs.",
    syntax: "ENGINE = CollapsingMergeTree(sign) ORDER BY expr",
    related: &["MergeTree", "VersionedCollapsingMergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| {
        let [sign] = arguments(args) else {
            let error = too_few("CollapsingMergeTree", "1 parameters: sign column");
            return Err(error.at(args.definition.engine.position));
        };
        let pick = KeptRow::Collapsing { sign: sign_column(args, sign)? };
        merge_tree::create(args, Some(algorithm(args, pick)))
    },
};

pub(super) static VERSIONED: EngineDef = VERSIONED_DEF;

pub(super) const VERSIONED_DEF: EngineDef = EngineDef {
    name: "VersionedCollapsingMergeTree",
    description: "A MergeTree whose merges remove pairs of rows with equal sorting keys and versions, and opposite signs.",
    syntax: "ENGINE = VersionedCollapsingMergeTree(sign, version) ORDER BY expr",
    related: &["CollapsingMergeTree", "MergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| {
        let [sign, version] = arguments(args) else {
            let wanted = "2 parameters: sign column, version";
            let error = too_few("VersionedCollapsingMergeTree", wanted);
            return Err(error.at(args.definition.engine.position));
        };
        let pick = KeptRow::Pairs { sign: sign_column(args, sign)? };
        version_column(args, version)?;
        merge_tree::create(args, Some(algorithm(args, pick)))
    },
};

fn algorithm(args: &EngineArgs<'_>, pick: KeptRow) -> MergeAlgorithm {
    MergeAlgorithm { pick, aggregates: vec![None; args.definition.schema.stored().len()] }
}

fn sign_column(args: &EngineArgs<'_>, arg: &ast::Expr) -> Result<usize> {
    let (position, name, ty) = named_column(&args.definition.schema, arg, "Sign column")?;
    if *ty != DataType::Int8 {
        let message = format!(
            "Sign column ({name}) for storage {} must have type Int8. Provided column of type {ty}.",
            args.definition.engine.name
        );
        return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
    }
    Ok(position)
}
