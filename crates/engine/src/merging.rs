//! The engines of the MergeTree family: what their names and arguments say about rows of equal
//! sorting keys.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::Facts;
use entasis_function::registry::bind_aggregate;
use entasis_mergetree::{Folded, Merging, Pick, TableConfig};
use entasis_sql::ast;
use entasis_table::Schema;
use entasis_types::{AggregateType, DataType};

use crate::settings::merge_tree::OfTable;

/// Aggregates that may answer another value for one value.
const RESHAPING: [&str; 4] = ["groupUniqArrayArray", "sumMap", "minMap", "maxMap"];

/// The family; its first member keeps all rows.
pub const ENGINES: [&str; 4] =
    ["MergeTree", "ReplacingMergeTree", "SummingMergeTree", "AggregatingMergeTree"];

/// Whether an engine's tables are sorted parts.
pub fn is_merge_tree(engine: &str) -> bool {
    ENGINES.contains(&engine)
}

/// The keys of a table.
pub struct Keys<'a> {
    pub sorting: &'a [Expr],
    pub partition: Option<&'a Expr>,
}

impl Keys<'_> {
    /// Positions of the columns that the sorting key reads.
    fn sorted(&self) -> Vec<usize> {
        let mut ids: Vec<ColumnId> = Vec::new();
        self.sorting.iter().for_each(|e| e.columns(&mut ids));
        ids.into_iter().map(|id| id.0 as usize).collect()
    }

    /// As [`Self::sorted`], and those of the partition key.
    fn all(&self) -> Vec<usize> {
        let mut ids: Vec<ColumnId> = Vec::new();
        self.partition.iter().for_each(|e| e.columns(&mut ids));
        let mut all = self.sorted();
        all.extend(ids.into_iter().map(|id| id.0 as usize));
        all
    }
}

/// How an engine merges rows of equal keys; `None` for a plain MergeTree.
pub fn of_engine(
    engine: &ast::Engine,
    schema: &Schema,
    keys: &Keys,
    facts: &dyn Facts,
) -> Result<Option<Arc<Merging>>> {
    let merging = ENGINES[1..].iter().find(|name| **name == engine.name);
    let Some(&name) = merging else { return Ok(None) };
    let result = match name {
        "ReplacingMergeTree" => replacing(engine, schema),
        "SummingMergeTree" => summing(engine, schema, keys, facts),
        _ => aggregating(engine, schema, keys, facts),
    };
    let (pick, aggregates) = result.map_err(|e| e.at(engine.position))?;
    Ok(Some(Arc::new(Merging { engine: name, pick, aggregates })))
}

type Rules = (Pick, Vec<Option<Folded>>);

fn aggregating(
    engine: &ast::Engine,
    schema: &Schema,
    keys: &Keys,
    facts: &dyn Facts,
) -> Result<Rules> {
    if engine.args.is_some() {
        let message = "AggregatingMergeTree requires no parameters";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    Ok((Pick::First, measures(schema, &keys.sorted(), facts)?))
}

/// The aggregate columns outside the sorting key, by position.
fn measures(schema: &Schema, sorted: &[usize], facts: &dyn Facts) -> Result<Vec<Option<Folded>>> {
    let of = |(position, column): (usize, &entasis_table::ColumnDef)| match &column.ty {
        _ if sorted.contains(&position) => Ok(None),
        DataType::Simple(of) => simple(of, facts).map(Some),
        ty @ DataType::AggregateFunction(of) => {
            let name = format!("{}MergeState", of.name);
            let function = bind_aggregate(&name, &of.params, std::slice::from_ref(ty), facts)?;
            Ok(Some(Folded { function, reshapes: false }))
        }
        _ => Ok(None),
    };
    schema.stored().iter().enumerate().map(of).collect()
}

fn simple(of: &AggregateType, facts: &dyn Facts) -> Result<Folded> {
    let function = bind_aggregate(&of.name, &of.params, &of.args, facts)?;
    let (returned, kept) = (function.return_type(), &of.args[0]);
    if returned.without_low_cardinality() != kept.without_low_cardinality() {
        let message = format!(
            "Incompatible data types between aggregate function '{}' which returns {returned} and \
             column storage type {kept}",
            of.name
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(Folded { function, reshapes: RESHAPING.contains(&&*of.name) })
}

fn summing(engine: &ast::Engine, schema: &Schema, keys: &Keys, facts: &dyn Facts) -> Result<Rules> {
    let sorted = keys.sorted();
    let mut aggregates = measures(schema, &sorted, facts)?;
    let has_measures = aggregates.iter().any(Option::is_some);
    let chosen: Vec<usize> = match engine.args.as_deref() {
        None => {
            let all = keys.all();
            (0..aggregates.len()).filter(|position| !all.contains(position)).collect()
        }
        Some([list]) => {
            let names = names_of(list)?;
            let find = |name: &&str| {
                let found = schema.position(name).filter(|p| *p < aggregates.len());
                let position = found.ok_or_else(|| missing("listed in columns to sum", name))?;
                if sorted.contains(&position) {
                    let message = format!(
                        "Columns: {name} listed both in columns to sum and in sorting key. That \
                         is not allowed."
                    );
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                Ok(position)
            };
            names.iter().map(find).collect::<Result<_>>()?
        }
        Some(_) => return Err(too_many("SummingMergeTree", "one: the columns to sum")),
    };
    let mut sums = Vec::new();
    for position in chosen {
        let ty = &schema.columns[position].ty;
        let plain = ty.without_nullable();
        if aggregates[position].is_some() || !(plain.is_number() || plain.is_decimal()) {
            continue;
        }
        let types = [ty.without_low_cardinality()];
        let function = bind_aggregate("sumWithOverflow", &[], &types, facts)?;
        aggregates[position] = Some(Folded { function, reshapes: false });
        sums.push(position);
    }
    // A row with aggregate columns is never empty.
    let drops = !sums.is_empty() && !has_measures;
    Ok((if drops { Pick::NonZero(sums) } else { Pick::First }, aggregates))
}

fn replacing(engine: &ast::Engine, schema: &Schema) -> Result<Rules> {
    let args = engine.args.as_deref().unwrap_or_default();
    if args.len() > 2 {
        return Err(too_many("ReplacingMergeTree", "two: version and is_deleted"));
    }
    let mut pick = (None, None);
    if let Some(arg) = args.first() {
        let (position, name, ty) = column(schema, arg, "Version column")?;
        if !(ty.is_integer() || ty.is_float() || ty.is_date_or_time()) {
            let message = format!(
                "The column {name} cannot be used as a version column for storage \
                 ReplacingMergeTree because it is of type {ty} (must be of an integer type or of \
                 type Date/DateTime/DateTime64)"
            );
            return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
        }
        pick.0 = Some(position);
    }
    if let Some(arg) = args.get(1) {
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
    Ok((Pick::Latest { version: pick.0, deleted: pick.1 }, aggregates))
}

/// The column that an argument names: position, name, type.
fn column<'a>(
    schema: &'a Schema,
    arg: &'a ast::Expr,
    what: &str,
) -> Result<(usize, &'a str, &'a DataType)> {
    let [name] = names_of(arg)?[..] else {
        let message = format!("{what} of ReplacingMergeTree is the name of a column");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let position = schema.position(name).filter(|p| *p < schema.stored().len());
    let position = position.ok_or_else(|| missing(what, name))?;
    Ok((position, name, &schema.columns[position].ty))
}

/// `a`, `(a, b)`.
fn names_of(expr: &ast::Expr) -> Result<Vec<&str>> {
    if let Some([name]) = expr.as_identifier() {
        return Ok(vec![name.as_str()]);
    }
    if let Some(function) = expr.as_function()
        && function.name == "tuple"
    {
        let lists: Vec<Vec<&str>> = function.args.iter().map(names_of).collect::<Result<_>>()?;
        return Ok(lists.concat());
    }
    let message = "A table engine takes names of columns here";
    Err(Error::new(codes::BAD_ARGUMENTS, message).at(expr.position))
}

#[cold]
fn missing(what: &str, name: &str) -> Error {
    let message = format!("Column {name} ({what}) does not exist in table declaration");
    Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message)
}

#[cold]
fn too_many(engine: &str, most: &str) -> Error {
    let message = format!("{engine} takes fewer parameters: at most {most}");
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}

/// The setting of a table that allows what [`check_dimensions`] refuses.
pub const ALLOW_DIMENSIONS: &str = "allow_dimensions_outside_sorting_key";

/// Refuses an AggregatingMergeTree with columns of which merges would keep any value.
pub fn check_dimensions(config: &TableConfig, settings: &OfTable) -> Result<()> {
    let of_engine = |m: &&Arc<Merging>| m.engine == "AggregatingMergeTree";
    let Some(merging) = config.merging.as_ref().filter(of_engine) else { return Ok(()) };
    let keys = Keys { sorting: &config.order_by, partition: config.partition_by.as_ref() };
    let keys = keys.all();
    let columns = config.schema.stored().iter().enumerate();
    let outside: Vec<&str> = columns
        .filter(|(i, _)| merging.aggregates[*i].is_none() && !keys.contains(i))
        .map(|(_, column)| &*column.name)
        .collect();
    let allowed = settings.flag(ALLOW_DIMENSIONS);
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

/// What is refused when a table is made, though it would work.
pub fn check_keys(config: &TableConfig, settings: &OfTable, facts: &dyn Facts) -> Result<()> {
    if let Some(key) = &config.partition_by
        && !settings.flag("allow_floating_point_partition_key")
        && matches!(key.ty(), DataType::Float32 | DataType::Float64)
    {
        let message = format!(
            "Floating point partition key is not supported: {}. Round it to a whole number",
            config.partition_key
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let allowed = facts.setting("allow_suspicious_primary_key");
    let allowed = allowed.is_some_and(|v| v.as_u64() == Some(1));
    let keys = config.order_by.iter().chain(&config.partition_by);
    if keys.into_iter().any(|key| key.ty().has_variant()) {
        let message = "Column with type Variant/Dynamic/JSON is not allowed in key expression. \
                       Consider using a subcolumn with a specific data type instead (for example \
                       'column.Int64') or casting this column to a specific data type";
        return Err(Error::new(codes::DATA_TYPE_CANNOT_BE_USED_IN_KEY, message));
    }
    for key in &config.order_by {
        let (ty, refused) = match key.ty() {
            ty @ DataType::Simple(_) => (ty, !allowed),
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
