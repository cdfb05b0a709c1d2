//! `ENGINE = CoalescingMergeTree`: merges keep the last value of each column that is not NULL, so
//! that a row can be inserted column by column.

use entasis_base::Result;
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{AggregatedColumn, KeptRow, MergeAlgorithm};

use super::merge_tree::{self, FEATURES, measures, taken};
use super::summing::chosen;
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;

const NAME: &str = "CoalescingMergeTree";

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: NAME,
    description: "A MergeTree whose merges keep the last value that is not NULL of each column.",
    syntax: "ENGINE = CoalescingMergeTree([columns]) ORDER BY expr",
    related: &["MergeTree", "SummingMergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| merge_tree::create_merging(args, merging),
};

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let schema = &args.definition.schema;
    let mut aggregates = measures(args)?;
    for position in chosen(args, NAME)? {
        if aggregates[position].is_some() {
            continue;
        }
        let types = [schema.columns[position].ty.without_low_cardinality()];
        let function = bind_aggregate("anyLast", &[], &types, args.function_context)?;
        let takes = taken("anyLast", &types[0]);
        aggregates[position] = Some(AggregatedColumn { takes, ..AggregatedColumn::new(function) });
    }
    Ok(MergeAlgorithm { pick: KeptRow::First, aggregates })
}
