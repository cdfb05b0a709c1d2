//! `ENGINE = SummingMergeTree`: merges add the numbers of rows with equal keys.

use entasis_base::{Error, Result, codes};
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{AggregatedColumn, KeptRow, MergeAlgorithm};

use super::merge_tree::{self, FEATURES, arguments, measures, names_of, stored_column, too_many};
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;

const NAME: &str = "SummingMergeTree";

pub(super) static ENGINE: EngineDef = EngineDef {
    name: NAME,
    description: "A MergeTree whose merges add up the numbers of rows with equal sorting keys.",
    syntax: "ENGINE = SummingMergeTree([columns]) ORDER BY expr",
    related: &["MergeTree", "AggregatingMergeTree"],
    features: Features { arguments: true, ..FEATURES },
    create: |args| {
        let merging = merging(args).map_err(|e| e.at(args.definition.engine.position))?;
        merge_tree::create(args, Some(merging))
    },
};

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let schema = &args.definition.schema;
    let mut aggregates = measures(args)?;
    let has_measures = aggregates.iter().any(Option::is_some);
    let mut sums = Vec::new();
    for position in chosen(args)? {
        let ty = &schema.columns[position].ty;
        let plain = ty.without_nullable();
        if aggregates[position].is_some() || !(plain.is_any_number() || plain.is_decimal()) {
            continue;
        }
        let types = [ty.without_low_cardinality()];
        let function = bind_aggregate("sumWithOverflow", &[], &types, args.function_context)?;
        aggregates[position] = Some(AggregatedColumn { function, reshapes: false });
        sums.push(position);
    }
    // A row whose sums are all zero is dropped only if the table has no aggregate columns.
    let drops = !sums.is_empty() && !has_measures;
    let pick = if drops { KeptRow::NonZero(sums) } else { KeptRow::First };
    Ok(MergeAlgorithm { engine: NAME, pick, aggregates })
}

/// Positions of the columns to add: those that the argument names, or all that are in no key.
fn chosen(args: &EngineArgs<'_>) -> Result<Vec<usize>> {
    let (schema, keys) = (&args.definition.schema, &args.definition.keys);
    let [list] = arguments(args) else {
        if !arguments(args).is_empty() {
            return Err(too_many(NAME, "one: the columns to sum"));
        }
        let all = keys.all_columns();
        return Ok((0..schema.stored().len()).filter(|position| !all.contains(position)).collect());
    };
    let sorted = keys.sorting_columns();
    let find = |name: &&str| {
        let position = stored_column(schema, name, "listed in columns to sum")?;
        if sorted.contains(&position) {
            let message = format!(
                "Columns: {name} listed both in columns to sum and in sorting key. That is not \
                 allowed."
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Ok(position)
    };
    names_of(list)?.iter().map(find).collect()
}
