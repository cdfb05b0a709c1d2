//! `ENGINE = SummingMergeTree`: merges add the numbers of rows with equal keys.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{AggregatedColumn, ColumnGroup, KeptRow, MergeAlgorithm};
use entasis_types::DataType;
use entasis_types::nested::group_of;

use super::merge_tree::{self, FEATURES, arguments, measures, names_of, stored_column, too_many};
use super::{EngineArgs, EngineDef};
use crate::definition::features::Features;

const NAME: &str = "SummingMergeTree";

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: NAME,
    description: "A MergeTree whose merges add up the numbers of rows with equal sorting keys.",
    syntax: "ENGINE = SummingMergeTree([columns]) ORDER BY expr",
    related: &["MergeTree", "AggregatingMergeTree"],
    features: Features { arguments: true, ..FEATURES },
    own_files: None,
    create: |args| merge_tree::create_merging(args, merging),
};

fn merging(args: &EngineArgs<'_>) -> Result<MergeAlgorithm> {
    let schema = &args.definition.schema;
    let mut aggregates = measures(args)?;
    let has_measures = aggregates.iter().any(Option::is_some);
    let mut sums = Vec::new();
    for position in chosen(args, NAME)? {
        let ty = &schema.columns[position].ty;
        let plain = ty.without_nullable();
        if aggregates[position].is_some() || !(plain.is_any_number() || plain.is_decimal()) {
            continue;
        }
        let types = [ty.without_low_cardinality()];
        let function = bind_aggregate("sumWithOverflow", &[], &types, args.function_context)?;
        aggregates[position] = Some(AggregatedColumn::new(function));
        sums.push(position);
    }
    let has_maps = add_maps(args, &mut aggregates)?;
    // A row whose sums are all zero is dropped only if the table has no aggregate columns and maps.
    let drops = !sums.is_empty() && !has_measures && !has_maps;
    let pick = if drops { KeptRow::NonZero(sums) } else { KeptRow::First };
    Ok(MergeAlgorithm { pick, aggregates })
}

/// Adds the groups of arrays that are summed key by key: those whose names end with `Map`. The
/// first array of a group, and every one whose name ends with ID, Key or Type, are the key.
/// Whether there is any.
fn add_maps(args: &EngineArgs<'_>, aggregates: &mut [Option<AggregatedColumn>]) -> Result<bool> {
    let stored = args.definition.schema.stored();
    let keys = args.definition.keys.all_columns();
    let group = |at: usize| {
        group_of(&stored[at].name, &stored[at].ty).filter(|group| group.ends_with("Map"))
    };
    let mut found = false;
    for first in 0..stored.len() {
        let Some(name) = group(first).filter(|name| (0..first).all(|at| group(at) != Some(*name)))
        else {
            continue;
        };
        let members: Vec<usize> =
            (first..stored.len()).filter(|at| group(*at) == Some(name)).collect();
        if members.len() < 2 || members.iter().any(|at| keys.contains(at)) {
            continue;
        }
        let Some(map) = summed_map(args, &members)? else { continue };
        found = true;
        for (at, column) in map {
            aggregates[at] = Some(column);
        }
    }
    Ok(found)
}

/// How the arrays of a group are summed; `None` if they are not: their types are no keys and
/// numbers.
fn summed_map(
    args: &EngineArgs<'_>,
    members: &[usize],
) -> Result<Option<Vec<(usize, AggregatedColumn)>>> {
    let stored = args.definition.schema.stored();
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for (i, &at) in members.iter().enumerate() {
        let Some(element) = stored[at].ty.as_array() else { return Ok(None) };
        let is_key = ["ID", "Key", "Type"].iter().any(|end| stored[at].name.ends_with(end));
        if i == 0 || is_key {
            if !can_be_key(element) {
                return Ok(None);
            }
            keys.push(at);
        } else {
            let plain = element.without_nullable();
            if !(plain.is_any_number() || plain.is_decimal()) {
                return Ok(None);
            }
            values.push(at);
        }
    }
    if values.is_empty() {
        return Ok(None);
    }
    let element = |at: &usize| stored[*at].ty.as_array().cloned().unwrap_or(DataType::UInt8);
    let key = match &keys[..] {
        [one] => stored[*one].ty.clone(),
        several => {
            let elements = several.iter().map(element).collect();
            DataType::array(DataType::tuple(elements))
        }
    };
    let mut types = vec![key];
    types.extend(values.iter().map(|at| stored[*at].ty.clone()));
    let function = bind_aggregate("sumMapWithOverflow", &[], &types, args.function_context)?;
    let arguments: Arc<[usize]> = keys.iter().chain(&values).copied().collect();
    let column = |place: usize| AggregatedColumn {
        function: Arc::clone(&function),
        // As in the reference, only a map with one key loses zeros in a row that stands alone.
        reshapes: keys.len() == 1,
        takes: None,
        group: Some(ColumnGroup { arguments: Arc::clone(&arguments), keys: keys.len(), place }),
    };
    Ok(Some((0..arguments.len()).map(|place| (arguments[place], column(place))).collect()))
}

/// Whether values of a type can be the keys of a map that is summed.
fn can_be_key(ty: &DataType) -> bool {
    let is_text = matches!(ty, DataType::String | DataType::FixedString(_));
    let is_other =
        matches!(ty, DataType::Enum(_) | DataType::Uuid | DataType::Ipv4 | DataType::Ipv6);
    ty.is_any_integer() || ty.is_date_or_time() || is_text || is_other
}

/// Positions of the columns to add: those that the argument names, or all that are in no key.
pub(super) fn chosen(args: &EngineArgs<'_>, engine: &str) -> Result<Vec<usize>> {
    let (schema, keys) = (&args.definition.schema, &args.definition.keys);
    let [list] = arguments(args) else {
        if !arguments(args).is_empty() {
            return Err(too_many(engine, "one: the list of columns"));
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
