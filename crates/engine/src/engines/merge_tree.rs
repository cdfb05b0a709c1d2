//! `ENGINE = MergeTree`, and what its family shares: rows in sorted parts. The other members only
//! add what merges do with rows of equal sorting keys.

use std::sync::Arc;

use entasis_analyze::tree;
use entasis_base::{Error, Result, codes};
use entasis_function::FunctionContext;
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{
    AggregatedColumn, DefinitionText, MergeAlgorithm, TableConfig, TableSettings,
};
use entasis_sql::ast;
use entasis_table_api::{ColumnDef, Schema, Table};
use entasis_types::{AggregateType, DataType};

use super::defaults::TableDefaults;
use super::{Attach, EngineArgs, EngineDef, TableLocation};
use crate::definition::TableDefinition;
use crate::definition::features::{Features, Support};
use crate::settings::merge_tree::{OfEngine, OfTable};

pub(super) static ENGINE: EngineDef = EngineDef {
    name: "MergeTree",
    description: "Stores rows in parts on disk that are sorted by a key, and merges them in the background.",
    syntax: "ENGINE = MergeTree ORDER BY expr [PARTITION BY expr] [PRIMARY KEY expr] [SETTINGS ...]",
    related: &["AggregatingMergeTree", "ReplacingMergeTree", "SummingMergeTree"],
    features: FEATURES,
    own_files: None,
    create: |args| create(args, None),
};

/// The features of all engines of the family.
pub(super) const FEATURES: Features = Features {
    settings: OfEngine::MergeTree,
    sort_order: Support::Yes,
    sampling: Support::Planned,
    ttl: Support::Planned,
    skipping_indices: Support::Yes,
    projections: Support::Planned,
    parallel_insert: true,
    alter: true,
    alter_columns: true,
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
    }
    let keys = &definition.keys;
    let config = TableConfig {
        merging: merging.map(Arc::new),
        schema: Arc::clone(&definition.schema),
        order_by: keys.sorting.clone(),
        primary_key_len: keys.primary,
        partition_by: keys.partition.clone(),
        sorting_key: definition.sorting_key(),
        partition_key: definition.partition_key(),
        settings: table_settings(&settings),
        defaults: Some(TableDefaults::of(&definition.schema, args.function_context)),
    };
    Ok(Box::new(move |place| match &place.altered {
        None => Ok(place.store.attach(place.id, config)?),
        Some(altered) => alter(place, altered.definition, config),
    }))
}

/// Alters the table to the columns of `config`: columns whose names it does not know are new.
fn alter(
    place: &TableLocation<'_>,
    definition: &DefinitionText,
    config: TableConfig,
) -> Result<Arc<dyn Table>> {
    let table = place.store.table(place.id)?;
    let mut ids = table.column_ids().next_version();
    for column in config.schema.stored() {
        if ids.id(&column.name).is_none() {
            ids.add(&column.name)?;
        }
    }
    Ok(table.alter(definition.clone(), config, ids)?)
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
        max_bytes_to_merge: settings.u64("max_bytes_to_merge_at_max_space_in_pool"),
        deduplication_window: settings
            .is_changed("non_replicated_deduplication_window")
            .then(|| settings.u64("non_replicated_deduplication_window")),
        ..TableSettings::default()
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
        && matches!(key.ty(), DataType::Float32 | DataType::Float64)
    {
        let message = format!(
            "Floating point partition key is not supported: {}. Round it to a whole number",
            definition.partition_key()
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
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
            Ok(Some(AggregatedColumn { function, reshapes: false }))
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
    Ok(AggregatedColumn { function, reshapes: RESHAPING.contains(&&*of.name) })
}

/// The arguments of the engine.
pub(super) fn arguments<'a>(args: &EngineArgs<'a>) -> &'a [ast::Expr] {
    args.definition.engine.args.as_deref().unwrap_or_default()
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

#[cold]
pub(super) fn too_many(engine: &str, most: &str) -> Error {
    let message = format!("{engine} takes fewer parameters: at most {most}");
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}
