//! `ENGINE = SummingMergeTree`: merges add the numbers of rows with equal keys.

use entasis_base::{Error, Result, codes};
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{AggregatedColumn, KeptRow, MergeAlgorithm};
use entasis_types::nested::group_of;

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
    own_files: None,
    create: |args| {
        let merging = merging(args).map_err(|e| e.at(args.definition.engine.position))?;
        merge_tree::create(args, Some(merging))
    },
};

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let schema = &args.definition.schema;
    if args.is_new {
        check_maps(args)?;
    }
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

/// Fails for a group of arrays that the reference adds key by key: one whose name ends with `Map`,
/// and that has arrays of numbers behind its first one. To keep the first row's arrays instead
/// would answer wrong sums.
fn check_maps(args: &EngineArgs<'_>) -> Result<()> {
    let stored = args.definition.schema.stored();
    let group = |at: usize| {
        group_of(&stored[at].name, &stored[at].ty).filter(|group| group.ends_with("Map"))
    };
    let is_key = |name: &str| ["ID", "Key", "Type"].iter().any(|end| name.ends_with(end));
    let keys = args.definition.keys.all_columns();
    for position in (0..stored.len()).filter(|position| !keys.contains(position)) {
        let (Some(of), Some(element)) = (group(position), stored[position].ty.as_array()) else {
            continue;
        };
        let is_first = (0..position).all(|at| group(at) != Some(of));
        let element = element.without_nullable();
        let is_added = element.is_any_number() || element.is_decimal();
        if !is_first && is_added && !is_key(&stored[position].name) {
            let what = format!("Adding the nested map `{of}` of a {NAME} key by key");
            let remedy = ". Use a Map of type SimpleAggregateFunction(sumMap, Map(...)) in an \
                          AggregatingMergeTree, or a name that does not end with Map";
            return Err(Error::not_implemented(what).append(remedy));
        }
    }
    Ok(())
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
