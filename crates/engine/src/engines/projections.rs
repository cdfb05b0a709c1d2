//! Binds the projections of a definition: their queries as typed expressions over the stored
//! columns, and the tables that their rows form.

use std::sync::Arc;

use entasis_analyze::query::{AggregateCall, Body, From, Select};
use entasis_analyze::{AnalyzeSettings, QueryCatalog, analyze, tree};
use entasis_base::{Error, Result, codes, message};
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry::bind_aggregate;
use entasis_function::{Aggregate, FunctionContext};
use entasis_mergetree::{
    AggregatedColumn, KeptRow, MergeAlgorithm, ProjectionConfig, TableConfig, TableSettings,
};
use entasis_pipeline::{QueryContext, Source};
use entasis_sql::{ast, names_in_projection};
use entasis_table_api::{
    Catalog, ColumnDef, Projected, ProjectedState, ProjectionQuery, ScanSpec, Schema, Snapshot,
    Table,
};
use entasis_types::text::write_value;
use entasis_types::{DataType, TimeZone, Value};

use crate::definition::TableDefinition;
use crate::settings::merge_tree::OfTable;

/// Refuses projections that the settings of a new table do not allow.
pub(crate) fn check(definition: &TableDefinition, settings: &OfTable) -> Result<()> {
    let count = definition.elements.projections.len() as u64;
    let most = settings.u64("max_projections");
    if count > most {
        let message = format!(
            "Maximum limit of {most} projection(s) exceeded: leave some out, or raise the table's \
             setting max_projections"
        );
        return Err(Error::new(codes::LIMIT_EXCEEDED, message));
    }
    if settings.u64("allow_part_offset_column_in_projections") == 0 {
        definition.elements.projections.iter().try_for_each(refuse_positions)?;
    }
    if count == 0 || !definition.keys_are_folded() || !refuses(settings) {
        return Ok(());
    }
    let message = format!(
        "Projections are not supported for {} with deduplicate_merge_projection_mode = throw. \
         Please set setting 'deduplicate_merge_projection_mode' to 'drop' or 'rebuild'",
        definition.engine.name
    );
    Err(Error::new(codes::SUPPORT_IS_DISABLED, message))
}

/// Fails if a projection reads positions in parts.
fn refuse_positions(projection: &ast::ProjectionDef) -> Result<()> {
    let mut reads = false;
    names_in_projection(&projection.query, &mut |name| reads |= name == "_part_offset");
    if !reads {
        return Ok(());
    }
    let message = format!(
        "Projection {} uses `_part_offset` column, but MergeTree setting \
         `allow_part_offset_column_in_projections` is disabled",
        projection.name.as_str()
    );
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

/// Whether a table whose merges fold rows can have no projections.
pub(crate) fn refuses(settings: &OfTable) -> bool {
    settings.text("deduplicate_merge_projection_mode") == "throw"
}

/// Fails if an altered definition has a projection that cannot be bound, but is new or was bound
/// before.
pub(crate) fn check_altered(
    definition: &TableDefinition,
    old: &TableDefinition,
    context: &dyn FunctionContext,
) -> Result<()> {
    let settings = TableSettings::default();
    for projection in &definition.elements.projections {
        let Err(error) = bind_one(projection, &definition.schema, &settings, context) else {
            continue;
        };
        let known = old.elements.projections.iter().any(|known| known.name == projection.name);
        if error.code() == codes::NOT_IMPLEMENTED {
            continue;
        }
        if !known {
            return Err(error);
        }
        if bind_one(projection, &old.schema, &settings, context).is_ok() {
            let name = projection.name.as_str();
            let what = format!("Cannot apply ALTER because it breaks projection {name}");
            return Err(error.context(what));
        }
    }
    Ok(())
}

/// The projections of a definition. A projection of a stored definition that cannot be bound is
/// left out, because no answer depends on it.
pub(super) fn bind(
    definition: &TableDefinition,
    settings: &TableSettings,
    context: &dyn FunctionContext,
    is_new: bool,
) -> Result<Arc<[ProjectionConfig]>> {
    let mut bound = Vec::with_capacity(definition.elements.projections.len());
    for projection in &definition.elements.projections {
        match bind_one(projection, &definition.schema, settings, context) {
            Ok(one) => bound.push(one),
            // A query that this engine cannot keep is still a query of the reference.
            Err(error) if is_new && error.code() != codes::NOT_IMPLEMENTED => return Err(error),
            Err(error) => {
                let name = projection.name.as_str();
                message!(Warning, "Projections", "Projection {} is not used: {}", name, error);
            }
        }
    }
    Ok(bound.into())
}

fn bind_one(
    projection: &ast::ProjectionDef,
    schema: &Arc<Schema>,
    settings: &TableSettings,
    context: &dyn FunctionContext,
) -> Result<ProjectionConfig> {
    let select = analyzed(&projection.query, schema, context)?;
    let From::Table(scan) = &select.from else { return Err(unsupported("a subquery")) };
    let over_table = |expr: &Expr| over_stored(expr, scan, schema);
    let mut filter = Vec::with_capacity(select.filter.len());
    for conjunct in &select.filter {
        filter.push(over_table(conjunct)?);
    }
    let bound = match &select.group {
        Some(group) => {
            let mut keys = Vec::with_capacity(group.keys.len());
            for (_, key) in &group.keys {
                keys.push(over_table(key)?);
            }
            grouped(&keys, &group.aggregates, &over_table, schema, context)?
        }
        None => sorted(&select, &over_table, schema)?,
    };
    let Columns { columns, functions, defs, order_by, descending } = bound;
    let groups = select.group.is_some();
    let merging = groups.then(|| merging(&columns, context)).transpose()?;
    let own = Schema::new(defs);
    let mut table = TableConfig::sorted_by(own, &[]);
    let keys: Vec<String> = order_by.iter().map(|key| describe(key, &table.schema)).collect();
    table.sorting_key = keys.join(", ");
    table.primary_key_len = order_by.len();
    (table.order_by, table.descending) = (order_by, descending.into());
    table.settings = settings.clone();
    let own = OfTable::new(&projection.settings)?;
    let own = |name: &str| own.is_changed(name).then(|| own.limit(name));
    let TableSettings { index_granularity, index_granularity_bytes, .. } = &mut table.settings;
    *index_granularity = own("index_granularity").unwrap_or(*index_granularity);
    *index_granularity_bytes = own("index_granularity_bytes").unwrap_or(*index_granularity_bytes);
    table.merging = merging.map(Arc::new);
    let name = Arc::from(projection.name.as_str());
    let time_zone = context.time_zone();
    let query = Arc::new(ProjectionQuery { name, columns, groups, filter, time_zone });
    let text = entasis_sql::format_projection(&projection.query);
    Ok(ProjectionConfig { query, functions, table, text, keys })
}

/// The columns of a projection, by position, and the order of its rows.
struct Columns {
    columns: Vec<Projected>,
    functions: Vec<Option<Arc<dyn Aggregate>>>,
    defs: Vec<ColumnDef>,
    order_by: Vec<Expr>,
    descending: Vec<bool>,
}

/// The columns that the query of a normal projection reads, in the order in which it names them.
fn sorted(
    select: &Select,
    over_table: &dyn Fn(&Expr) -> Result<Expr>,
    schema: &Schema,
) -> Result<Columns> {
    let mut ids: Vec<ColumnId> = Vec::new();
    let mut order_by = Vec::new();
    let mut descending = Vec::new();
    // What is wrong with a key comes before what this engine cannot keep.
    for key in &select.order_by {
        check_key(&over_table(&key.expr)?)?;
    }
    for (_, expr) in &select.projection {
        over_table(expr)?.columns(&mut ids);
    }
    for key in &select.order_by {
        let expr = over_table(&key.expr)?;
        expr.columns(&mut ids);
        descending.push(key.order.descending);
        order_by.push(expr);
    }
    let mut positions: Vec<usize> = Vec::new();
    for id in ids {
        if !positions.contains(&(id.0 as usize)) {
            positions.push(id.0 as usize);
        }
    }
    let place = |id: ColumnId| positions.iter().position(|at| *at == id.0 as usize);
    let own = |expr: &Expr| {
        tree::substitute(expr, &|id| {
            let ty = schema.columns[id.0 as usize].ty.clone();
            place(id).map(|place| Expr::column(ColumnId(place as u32), ty))
        })
    };
    let column = |at: &usize| schema.columns[*at].clone();
    let value = |column: &ColumnDef, at: &usize| {
        Projected::Value(Expr::column(ColumnId(*at as u32), column.ty.clone()))
    };
    let of_table: Vec<ColumnDef> = positions.iter().map(column).collect();
    let columns = of_table.iter().zip(&positions).map(|(c, at)| value(c, at)).collect();
    let plain = |c: ColumnDef| ColumnDef { codec: c.codec, ..ColumnDef::new(c.name, c.ty) };
    let defs: Vec<ColumnDef> = of_table.into_iter().map(plain).collect();
    let order_by = order_by.iter().map(own).collect();
    let functions = vec![None; defs.len()];
    Ok(Columns { columns, functions, defs, order_by, descending })
}

/// The keys of a projection that groups, followed by its states.
fn grouped(
    keys: &[Expr],
    calls: &[AggregateCall],
    over_table: &dyn Fn(&Expr) -> Result<Expr>,
    schema: &Schema,
    context: &dyn FunctionContext,
) -> Result<Columns> {
    let mut out = Columns {
        columns: Vec::new(),
        functions: Vec::new(),
        defs: Vec::new(),
        order_by: Vec::new(),
        descending: Vec::new(),
    };
    for (at, key) in keys.iter().enumerate() {
        check_key(key)?;
        // Sorting makes one group of 0 and -0, and GROUP BY makes two.
        if key.ty().to_string().contains("Float") {
            return Err(unsupported("a floating-point key of groups"));
        }
        out.order_by.push(Expr::column(ColumnId(at as u32), key.ty().clone()));
        out.defs.push(ColumnDef::new(describe(key, schema), key.ty().clone()));
        out.columns.push(Projected::Value(key.clone()));
        out.functions.push(None);
    }
    for call in calls {
        let args: Vec<Expr> = call.args.iter().map(over_table).collect::<Result<_>>()?;
        // The states are the same whether the query wants them or their results.
        let name = call.name.strip_suffix("State").unwrap_or(&call.name);
        let types: Vec<DataType> = args.iter().map(|arg| arg.ty().clone()).collect();
        let function = bind_aggregate(&format!("{name}State"), &call.params, &types, context)?;
        let ty = function.return_type();
        let shown = described_call(&call.name, &call.params, &args, schema);
        out.defs.push(ColumnDef::new(shown, ty.clone()));
        out.functions.push(Some(function));
        let (name, params) = (Arc::from(name), call.params.clone());
        out.columns.push(Projected::State(ProjectedState { name, params, args, ty }));
    }
    for at in 0..out.defs.len() {
        // Two expressions that look alike, such as literals of different types.
        if out.defs[..at].iter().any(|other| other.name == out.defs[at].name) {
            out.defs[at].name = format!("{} ({})", out.defs[at].name, at + 1).into();
        }
    }
    Ok(out)
}

/// How merges fold the groups of a projection.
fn merging(columns: &[Projected], context: &dyn FunctionContext) -> Result<MergeAlgorithm> {
    let of = |column: &Projected| {
        let Projected::State(state) = column else { return Ok(None) };
        let (name, types) = (format!("{}MergeState", state.name), [state.ty.clone()]);
        let function = bind_aggregate(&name, &state.params, &types, context)?;
        Ok(Some(AggregatedColumn::new(function)))
    };
    let aggregates = columns.iter().map(of).collect::<Result<_>>()?;
    Ok(MergeAlgorithm { pick: KeptRow::First, aggregates })
}

fn check_key(key: &Expr) -> Result<()> {
    if !tree::is_deterministic(key) {
        let message = "The key of a projection must be deterministic, but it calls a function \
                       that is not: use a column with a DEFAULT";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if key.ty().has_variant() {
        let message = "Column with type Variant/Dynamic/JSON is not allowed in key expression";
        return Err(Error::new(codes::DATA_TYPE_CANNOT_BE_USED_IN_KEY, message));
    }
    Ok(())
}

/// Rewrites an expression of the query to the stored columns, whose ids are their positions.
fn over_stored(
    expr: &Expr,
    scan: &entasis_analyze::query::TableScan,
    schema: &Schema,
) -> Result<Expr> {
    let computed = |id: ColumnId| scan.computed.iter().find(|(of, _)| *of == id);
    let whole = tree::substitute(expr, &|id| computed(id).map(|(_, expr)| expr.clone()));
    let mut ids: Vec<ColumnId> = Vec::new();
    whole.columns(&mut ids);
    let mut positions = Vec::with_capacity(ids.len());
    for id in ids {
        let Some((column, _)) = scan.columns.iter().find(|(column, _)| column.id == id) else {
            return Err(unsupported("a lambda around a column of another query"));
        };
        let Some(position) = column.whole_position() else {
            return Err(unsupported("a part of a column: name the whole column"));
        };
        if position >= schema.stored().len() {
            let name = &schema.columns[position].name;
            return Err(unsupported(&format!("column {name}, which is not stored")));
        }
        positions.push((id, position));
    }
    Ok(tree::substitute(&whole, &|id| {
        let (_, position) = positions.iter().find(|(of, _)| *of == id)?;
        let ty = schema.columns[*position].ty.clone();
        Some(Expr::column(ColumnId(*position as u32), ty))
    }))
}

#[cold]
fn unsupported(what: &str) -> Error {
    Error::not_implemented(format!("A projection with {what}"))
}

/// Resolves the query of a projection as if it read the table.
fn analyzed(
    query: &ast::Query,
    schema: &Arc<Schema>,
    context: &dyn FunctionContext,
) -> Result<Select> {
    let mut query = query.clone();
    let ast::Query::Select(select) = &mut query else { return Err(unsupported("UNION")) };
    let name = ast::TableName { database: None, table: ast::Ident::new("projection") };
    let table = ast::TableExpr {
        kind: ast::TableExprKind::Table(name),
        alias: None,
        column_aliases: Vec::new(),
        is_final: false,
        sample: None,
        position: select.position,
    };
    select.from = Some(ast::FromClause { table, steps: Vec::new() });
    let settings =
        AnalyzeSettings { enable_positional_arguments: false, ..AnalyzeSettings::default() };
    let catalog = OneTable(Arc::clone(schema));
    let analyzed = analyze(&query, &catalog, context, &settings)?;
    if !analyzed.subqueries.is_empty() {
        return Err(unsupported("a subquery"));
    }
    let Body::Select(select) = analyzed.body else { return Err(unsupported("UNION")) };
    let arrays = [&select.filter_arrays, &select.group_arrays, &select.result_arrays];
    let clauses = [
        (arrays.iter().any(|steps| !steps.is_empty()), "arrayJoin"),
        (!select.windows.is_empty() || !select.qualify.is_empty(), "window functions"),
        (select.distinct, "DISTINCT"),
        (select.group.as_ref().is_some_and(|g| g.totals.is_some()), "WITH TOTALS"),
        (select.group.as_ref().is_some_and(|g| g.empty_sets.is_some()), "GROUPING SETS"),
    ];
    match clauses.iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => Err(unsupported(what)),
        None => Ok(*select),
    }
}

/// A catalog in which every name is a table of these columns.
struct OneTable(Arc<Schema>);

impl Catalog for OneTable {
    fn table(&self, _: Option<&str>, _: &str) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(Self(Arc::clone(&self.0))))
    }

    fn table_function(&self, _: &str, _: &[Value]) -> Result<Arc<dyn Table>> {
        Err(unsupported("a table function"))
    }
}

impl QueryCatalog for OneTable {}

impl Table for OneTable {
    fn engine(&self) -> &'static str {
        "MergeTree"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.0)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Self(Arc::clone(&self.0))))
    }
}

impl Snapshot for OneTable {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, _: &ScanSpec, _: &QueryContext) -> Result<Arc<dyn Source>> {
        Err(Error::logical("the query of a projection is read as if it were a table's"))
    }
}

fn list(exprs: &[Expr], schema: &Schema) -> String {
    exprs.iter().map(|expr| describe(expr, schema)).collect::<Vec<_>>().join(", ")
}

/// An expression under the name that a column of results would have.
fn describe(expr: &Expr, schema: &Schema) -> String {
    match expr {
        Expr::Column { id, .. } => {
            schema.columns.get(id.0 as usize).map(|c| c.name.to_string()).unwrap_or_default()
        }
        Expr::Literal { value, ty } => literal(value, ty),
        Expr::Call { function, args, .. } => format!("{}({})", function.name, list(args, schema)),
        Expr::And(args, _) => format!("and({})", list(args, schema)),
        Expr::Or(args, _) => format!("or({})", list(args, schema)),
        Expr::InSet { args, negated, .. } => {
            format!("{}({})", if *negated { "notIn" } else { "in" }, list(args, schema))
        }
        Expr::Scalar(_) | Expr::Correlated { .. } => "scalar".to_owned(),
    }
}

fn literal(value: &Value, ty: &DataType) -> String {
    let mut out = Vec::new();
    write_value(&mut out, ty, value, TimeZone::utc());
    let text = String::from_utf8_lossy(&out);
    if ty.is_string() { format!("'{text}'") } else { text.into_owned() }
}

fn described_call(name: &str, params: &[Value], args: &[Expr], schema: &Schema) -> String {
    let args = list(args, schema);
    if params.is_empty() {
        return format!("{name}({args})");
    }
    let params: Vec<String> = params.iter().map(param).collect();
    format!("{name}({})({args})", params.join(", "))
}

fn param(value: &Value) -> String {
    match value {
        Value::UInt(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Float(v) => v.to_string(),
        other => format!("{other:?}"),
    }
}
