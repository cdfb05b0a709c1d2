//! `ENGINE = MergeTree`, and what its family shares: rows in sorted parts. The other members only
//! add what merges do with rows of equal sorting keys.

use std::sync::Arc;
use std::time::Duration;

use entasis_analyze::tree;
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{
    AfterChange, AggregatedColumn, Expiry, MergeAlgorithm, TableConfig, TableSettings, TakenRow,
};
use entasis_sql::ast;
use entasis_table_api::{ColumnDef, Schema, Table};
use entasis_types::{AggregateType, DataType};

use super::defaults::TableDefaults;
use super::{Altered, Attach, EngineArgs, EngineDef, TableLocation, projections};
use crate::definition::TableDefinition;
use crate::definition::family;
use crate::definition::features::{Features, Support};
use crate::definition::indices;
use crate::settings::merge_tree::{OfEngine, OfTable};

pub(super) static ENGINE: EngineDef = DEF;

pub(super) const DEF: EngineDef = EngineDef {
    name: "MergeTree",
    description: "Stores rows in parts on disk that are sorted by a key, and merges them in the background.",
    syntax: "ENGINE = MergeTree ORDER BY expr [PARTITION BY expr] [PRIMARY KEY expr] [SETTINGS ...]",
    related: &[
        "AggregatingMergeTree",
        "CoalescingMergeTree",
        "CollapsingMergeTree",
        "ReplacingMergeTree",
        "SummingMergeTree",
        "VersionedCollapsingMergeTree",
    ],
    features: FEATURES,
    own_files: None,
    create: |args| match arguments(args) {
        [] => create(args, None),
        _ => Err(too_many("MergeTree", "none")),
    },
};

/// The features of all engines of the family.
pub(super) const FEATURES: Features = Features {
    settings: OfEngine::MergeTree,
    sort_order: Support::Yes,
    sampling: Support::Yes,
    ttl: Support::Yes,
    skipping_indices: Support::Yes,
    projections: Support::Yes,
    parallel_insert: true,
    alter: true,
    alter_columns: true,
    renames_columns: true,
    own_data: true,
    parts: true,
    ..Features::NONE
};

/// Makes a table. `merging` says how rows with equal keys are merged; `None` keeps them all.
pub(super) fn create(args: &EngineArgs<'_>, merging: Option<MergeAlgorithm>) -> Result<Attach> {
    let definition = args.definition;
    let settings = OfTable::new(&definition.settings)?;
    if args.is_new {
        check_keys(definition, &settings, args.function_context)?;
        projections::check(definition, &settings)?;
    }
    let storage = table_settings(&settings);
    let projections = projections::bind(definition, &storage, args.function_context, args.is_new)?;
    let keys = &definition.keys;
    let config = TableConfig {
        engine: super::find(&definition.engine.name).map_or("MergeTree", |engine| engine.name),
        merging: merging.map(Arc::new),
        schema: Arc::clone(&definition.schema),
        order_by: keys.sorting.clone(),
        descending: Arc::clone(&keys.descending),
        primary_key_len: keys.primary,
        partition_by: keys.partition.clone(),
        zone: definition.time_zone,
        partition_value: keys.partition_value(args.function_context)?,
        sample_by: keys.sampling.clone(),
        expiry: definition.expiry.clone(),
        sorting_key: definition.sorting_key(),
        partition_key: definition.partition_key(),
        indices: indices::bind(definition, args.function_context),
        settings: storage,
        defaults: Some(TableDefaults::of(&definition.schema, args.function_context)),
        projections,
    };
    Ok(Box::new(move |place| match &place.altered {
        None => Ok(place.store.attach(place.id, config)?),
        Some(altered) => alter(place, altered, config),
    }))
}

/// Makes a table of an engine that merges rows with equal keys as `merging` says.
pub(super) fn create_merging(
    args: &EngineArgs<'_>,
    merging: fn(&EngineArgs<'_>) -> Result<MergeAlgorithm>,
) -> Result<Attach> {
    let merging = merging(args).map_err(|e| e.at(args.definition.engine.position))?;
    create(args, Some(merging))
}

/// Alters the table to the columns of `config`.
fn alter(
    place: &TableLocation<'_>,
    altered: &Altered<'_>,
    config: TableConfig,
) -> Result<Arc<dyn Table>> {
    let table = place.store.table(place.id)?;
    let origin = |name: &str| altered.lineage.get(name).and_then(Option::as_deref);
    let names = config.schema.stored().iter().map(|column| &*column.name);
    let ids = table.column_ids().altered(names.map(|name| (name, origin(name))))?;
    if altered.rehearses {
        table.rehearse_alter(config, ids)?;
        return Ok(Arc::new(table));
    }
    Ok(table.alter(altered.definition.clone(), config, ids)?)
}

/// The table's settings as the storage layer takes them.
fn table_settings(settings: &OfTable) -> TableSettings {
    TableSettings {
        index_granularity: settings.u64("index_granularity") as usize,
        index_granularity_bytes: match settings.u64("index_granularity_bytes") {
            0 => usize::MAX,
            bytes => bytes as usize,
        },
        parts_to_throw_insert: settings.u64("parts_to_throw_insert") as usize,
        max_parts_in_total: settings.u64("max_parts_in_total") as usize,
        max_partitions_to_read: settings.limit("max_partitions_to_read"),
        merge_with_ttl_timeout: settings.limit("merge_with_ttl_timeout") as u64,
        ttl_only_drop_parts: settings.flag("ttl_only_drop_parts"),
        max_bytes_to_merge: settings.u64("max_bytes_to_merge_at_max_space_in_pool"),
        folded_projections: after_change(&settings.text("deduplicate_merge_projection_mode")),
        changed_projections: after_change(&settings.text("lightweight_mutation_projection_mode")),
        projections_on_insert: settings.flag("materialize_projections_on_insert"),
        projections_on_merge: settings.flag("materialize_projections_on_merge"),
        deduplication_window: settings
            .is_changed("non_replicated_deduplication_window")
            .then(|| settings.u64("non_replicated_deduplication_window")),
        max_bytes_for_memory_part: max_bytes_for_memory_part(settings),
        parts_to_delay_insert: settings.u64("parts_to_delay_insert") as usize,
        max_delay_to_insert: Duration::from_secs(settings.u64("max_delay_to_insert")),
        min_delay_to_insert: Duration::from_millis(settings.u64("min_delay_to_insert_ms")),
        index_on_merge: settings.flag("materialize_skip_indexes_on_merge"),
        ..TableSettings::default()
    }
}

/// The rows of an INSERT with at most this many bytes become a part in memory.
fn max_bytes_for_memory_part(settings: &OfTable) -> u64 {
    const DEFAULT: u64 = 64 << 10;
    if !settings.flag("in_memory_parts_enable_wal") {
        return 0;
    }
    match settings.u64("min_bytes_for_compact_part") {
        0 => DEFAULT,
        bytes => bytes,
    }
}

/// What a setting says about projections of changed rows. `ignore` would make answers wrong.
fn after_change(mode: &str) -> AfterChange {
    match mode {
        "drop" => AfterChange::Drop,
        "rebuild" | "ignore" => AfterChange::Rebuild,
        _ => AfterChange::Refuse,
    }
}

/// Refuses keys that would work, but are probably mistakes. This is checked only when a table is
/// created.
fn check_keys(
    definition: &TableDefinition,
    settings: &OfTable,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    if let Some(key) = &definition.keys.partition
        && !settings.flag("allow_floating_point_partition_key")
        && has_float(key.ty())
    {
        let message = format!(
            "Floating point partition key is not supported: {}. Round it to a whole number",
            definition.partition_key()
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    check_deterministic(definition)?;
    check_distinct(&definition.keys.sorting, function_context)?;
    check_sampling(definition, settings)?;
    check_expiry(definition)?;
    let keys = definition.keys.sorting.iter().chain(&definition.keys.partition);
    if keys.into_iter().any(|key| key.ty().has_variant()) {
        let message = "Column with type Variant/Dynamic/JSON is not allowed in key expression. \
                       Consider using a subcolumn with a specific data type instead (for example \
                       'column.Int64') or casting this column to a specific data type";
        return Err(Error::new(codes::DATA_TYPE_CANNOT_BE_USED_IN_KEY, message));
    }
    let allowed = function_context.setting("allow_suspicious_primary_key");
    let allowed = allowed.is_some_and(|v| v.as_u64() == Some(1));
    for key in &definition.keys.sorting {
        let (ty, refused) = match key.ty() {
            ty @ DataType::SimpleAggregateFunction(_) => (ty, !allowed),
            ty => (ty, matches!(ty, DataType::AggregateFunction(_))),
        };
        if refused {
            let message = format!(
                "Column with type {ty} is not allowed in key expression: set \
                 allow_suspicious_primary_key = 1 if it is a SimpleAggregateFunction on purpose"
            );
            return Err(Error::new(codes::DATA_TYPE_CANNOT_BE_USED_IN_KEY, message));
        }
    }
    Ok(())
}

/// Refuses keys whose values differ from one computation to the next.
fn check_deterministic(definition: &TableDefinition) -> Result<()> {
    let keys = &definition.keys;
    for (what, exprs) in [
        ("Sorting", &keys.sorting[..]),
        ("Partition", keys.partition.as_slice()),
        ("Sampling", keys.sampling.as_slice()),
    ] {
        if !exprs.iter().all(tree::is_deterministic) {
            let message = format!(
                "{what} key must be deterministic, but it calls a function that is not: use a \
                 column with a DEFAULT"
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    }
    Ok(())
}

/// Refuses a sorting key in which a constant, or an expression twice, orders nothing.
fn check_distinct(sorting: &[Expr], function_context: &dyn FunctionContext) -> Result<()> {
    let reads_nothing = |key: &Expr| {
        let mut read: Vec<ColumnId> = Vec::new();
        key.columns(&mut read);
        read.is_empty()
    };
    if sorting.iter().any(reads_nothing) {
        let message = "Sorting key cannot contain constants: leave them out";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    }
    let allowed = function_context.setting("allow_suspicious_indices");
    let allowed = allowed.is_some_and(|v| v.as_u64() == Some(1));
    let is_repeated =
        |(at, key): (usize, &Expr)| sorting[..at].iter().any(|other| tree::same(other, key));
    if !allowed && sorting.iter().enumerate().any(is_repeated) {
        let message = "Primary key or secondary index contains a duplicate expression. To suppress \
                       this exception, rerun the command with setting 'allow_suspicious_indices = 1'";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(())
}

/// Whether a key is a floating-point number, or a tuple with one.
fn has_float(ty: &DataType) -> bool {
    match ty {
        DataType::Float32 | DataType::Float64 => true,
        DataType::Tuple(tuple) => tuple.types.iter().any(has_float),
        _ => false,
    }
}

/// Refuses a sampling key that is no number, or by which the rows are not sorted.
pub(crate) fn check_sampling(definition: &TableDefinition, settings: &OfTable) -> Result<()> {
    let Some(key) = &definition.keys.sampling else { return Ok(()) };
    let primary = &definition.keys.sorting[..definition.keys.primary];
    let unsorted = "compatibility_allow_sampling_expression_not_in_primary_key";
    let is_number = |ty: &DataType| {
        matches!(ty, DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64)
    };
    if !is_number(key.ty()) {
        let message = format!(
            "Invalid sampling column type in storage parameters: {}. Must be one unsigned integer \
             type",
            key.ty()
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER, message));
    }
    let is_sorted = primary.iter().any(|sorted| tree::same(sorted, key));
    if !is_sorted && !settings.flag(unsorted) {
        let message = "Sampling expression must be present in the primary key";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(())
}

/// Refuses the TTL of a column of the key, whose values must stay.
fn check_expiry(definition: &TableDefinition) -> Result<()> {
    let Some(expiry) = &definition.expiry else { return Ok(()) };
    refuse_set_keys(definition, expiry)?;
    for position in definition.keys.all_columns() {
        if expiry.columns[position].is_some() {
            let name = &definition.schema.columns[position].name;
            let message = format!("Trying to set TTL for key column {name}");
            return Err(Error::new(codes::ILLEGAL_COLUMN, message));
        }
    }
    Ok(())
}

/// Fails if a TTL sets a column of the sorting key of an engine that folds rows with equal keys:
/// a merge would have to fold the new rows once more.
fn refuse_set_keys(definition: &TableDefinition, expiry: &Expiry) -> Result<()> {
    if !definition.keys_are_folded() {
        return Ok(());
    }
    for position in definition.keys.sorting_columns() {
        if expiry.groups.iter().any(|rule| rule.set[position].is_some()) {
            let message = format!(
                "TTL ... GROUP BY cannot SET column {}, which is in the sorting key of a {}: SET \
                 another column",
                definition.schema.columns[position].name, definition.engine.name
            );
            return Err(Error::new(codes::BAD_TTL_EXPRESSION, message));
        }
    }
    Ok(())
}

/// Aggregates of which the result for a single value may differ from that value.
const RESHAPING: [&str; 4] = ["groupUniqArrayArray", "sumMap", "minMap", "maxMap"];

/// By position, the aggregate function of each aggregate column outside the sorting key.
pub(super) fn measures(args: &EngineArgs<'_>) -> Result<Vec<Option<AggregatedColumn>>> {
    let (definition, function_context) = (args.definition, args.function_context);
    let sorted = definition.keys.sorting_columns();
    let of = |(position, column): (usize, &ColumnDef)| match &column.ty {
        _ if sorted.contains(&position) => Ok(None),
        DataType::SimpleAggregateFunction(of) => simple(of, function_context).map(Some),
        ty @ DataType::AggregateFunction(of) => {
            let name = format!("{}MergeState", of.name);
            let function =
                bind_aggregate(&name, &of.params, std::slice::from_ref(ty), function_context)?;
            Ok(Some(AggregatedColumn::new(function)))
        }
        _ => Ok(None),
    };
    definition.schema.stored().iter().enumerate().map(of).collect()
}

fn simple(of: &AggregateType, function_context: &dyn FunctionContext) -> Result<AggregatedColumn> {
    let function = bind_aggregate(&of.name, &of.params, &of.args, function_context)?;
    let (returned, kept) = (function.return_type(), &of.args[0]);
    if returned.without_low_cardinality() != kept.without_low_cardinality() {
        let message = format!(
            "Incompatible data types between aggregate function '{}' which returns {returned} and \
             column storage type {kept}",
            of.name
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let reshapes = RESHAPING.contains(&&*of.name);
    Ok(AggregatedColumn {
        reshapes,
        takes: taken(&of.name, kept),
        ..AggregatedColumn::new(function)
    })
}

/// The row whose value the aggregate function of this name answers; `None` if that depends on the
/// values, as where NULLs are left out.
pub(super) fn taken(name: &str, of: &DataType) -> Option<TakenRow> {
    let of = of.without_low_cardinality();
    let has_null = of.is_nullable() || matches!(of, DataType::Variant(_));
    match name {
        "any_respect_nulls" => Some(TakenRow::First),
        "anyLast_respect_nulls" => Some(TakenRow::Last),
        "any" if !has_null => Some(TakenRow::First),
        "anyLast" if !has_null => Some(TakenRow::Last),
        _ => None,
    }
}

/// The arguments of the engine, without those that say where its replicas are.
pub(super) fn arguments<'a>(args: &EngineArgs<'a>) -> &'a [ast::Expr] {
    family::parameters(&args.definition.engine)
}

/// The column names in an argument: `a`, `(a, b)`.
pub(super) fn names_of(expr: &ast::Expr) -> Result<Vec<&str>> {
    if let Some([name]) = expr.as_identifier() {
        return Ok(vec![name.as_str()]);
    }
    if let Some(elements) = tree::written_tuple(expr) {
        let lists: Vec<Vec<&str>> = elements.iter().map(names_of).collect::<Result<_>>()?;
        return Ok(lists.concat());
    }
    let message = "A table engine takes names of columns here";
    Err(Error::new(codes::BAD_ARGUMENTS, message).at(expr.position))
}

/// Position of the stored column that an argument names; `what` says in messages what it is for.
pub(super) fn stored_column(schema: &Schema, name: &str, what: &str) -> Result<usize> {
    let position = schema.position(name).filter(|p| *p < schema.stored().len());
    position.ok_or_else(|| {
        let message = format!("Column {name} ({what}) does not exist in table declaration");
        Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message)
    })
}

/// The stored column that an argument names: its position, name and type. Messages call it `what`.
pub(super) fn named_column<'a>(
    schema: &'a Schema,
    arg: &'a ast::Expr,
    what: &str,
) -> Result<(usize, &'a str, &'a DataType)> {
    let Some([name]) = arg.as_identifier() else {
        let message = format!("{what} name must be an unquoted string");
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(arg.position));
    };
    let name = name.as_str();
    let position = schema.position(name).filter(|p| *p < schema.stored().len());
    let position = position.ok_or_else(|| {
        let message = format!("{what} {name} does not exist in table declaration");
        Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message)
    })?;
    Ok((position, name, &schema.columns[position].ty))
}

/// A column of versions, by which rows of equal keys are ordered.
pub(super) fn version_column(args: &EngineArgs<'_>, arg: &ast::Expr) -> Result<usize> {
    let (position, name, ty) = named_column(&args.definition.schema, arg, "Version column")?;
    if !(ty.is_any_integer() || ty.is_float() || ty.is_date_or_time()) {
        let message = format!(
            "The column {name} cannot be used as a version column for storage {} because it is of \
             type {ty} (must be of an integer type or of type Date/DateTime/DateTime64)",
            args.definition.engine.name
        );
        return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
    }
    Ok(position)
}

#[cold]
pub(super) fn too_few(engine: &str, wanted: &str) -> Error {
    let message = format!("{engine} requires {wanted}");
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}

#[cold]
pub(super) fn too_many(engine: &str, most: &str) -> Error {
    let message = format!("{engine} takes fewer parameters: at most {most}");
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}
