//! `ENGINE = AggregatingMergeTree`: merges combine the aggregate columns of rows with equal keys.

use entasis_base::{Error, Result, codes};
use entasis_mergetree::{KeptRow, MergeAlgorithm};

use super::merge_tree::{self, FEATURES, arguments, measures, too_many};
use super::{EngineArgs, EngineDef};
use crate::settings::merge_tree::OfTable;

const NAME: &str = "AggregatingMergeTree";

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: NAME,
    description: "A MergeTree whose merges combine the aggregate states of rows with equal sorting keys.",
    syntax: "ENGINE = AggregatingMergeTree ORDER BY expr",
    related: &["MergeTree", "SummingMergeTree"],
    features: FEATURES,
    own_files: None,
    create: |args| {
        if !arguments(args).is_empty() {
            return Err(too_many(NAME, "none"));
        }
        let aggregates = measures(args).map_err(|e| e.at(args.definition.engine.position))?;
        let merging = MergeAlgorithm { pick: KeptRow::First, aggregates };
        if args.is_new {
            check_dimensions(args, &merging)?;
        }
        merge_tree::create(args, Some(merging))
    },
};

/// Setting of a table that allows the columns that [`check_dimensions`] otherwise refuses.
const ALLOW_DIMENSIONS: &str = "allow_dimensions_outside_sorting_key";

/// Refuses columns that are neither in a key nor aggregates, as merges would keep an arbitrary one
/// of their values.
fn check_dimensions(args: &EngineArgs<'_>, merging: &MergeAlgorithm) -> Result<()> {
    let definition = args.definition;
    let keys = definition.keys.all_columns();
    let columns = definition.schema.stored().iter().enumerate();
    let outside: Vec<&str> = columns
        .filter(|(i, _)| merging.aggregates[*i].is_none() && !keys.contains(i))
        .map(|(_, column)| &*column.name)
        .collect();
    let allowed = OfTable::new(&definition.settings)?.flag(ALLOW_DIMENSIONS);
    if outside.is_empty() || allowed || merging.aggregates.iter().all(Option::is_none) {
        return Ok(());
    }
    let message = format!(
        "Column(s) {} of the AggregatingMergeTree table are neither part of the sorting key nor \
         aggregate measures: merges would keep any of their values. Add them to ORDER BY, or set \
         '{ALLOW_DIMENSIONS} = 1' if this is intentional",
        outside.join(", ")
    );
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}
