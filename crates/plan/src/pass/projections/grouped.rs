//! Aggregating projections: groups whose states are merged into the groups of a query.

use crate::physical::{Aggregate, AggregateAlgorithm, Project, Scan, Union};
use std::sync::Arc;

use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry;
use entasis_table_api::{Projected, ProjectedState, ProjectionSnapshot, ScanColumn, ScanSpec};
use entasis_types::DataType;

use super::{TableRead, cost, is_better, means_the_same};
use crate::{AggregateCall, Plan, Planner};

/// An aggregation over a scan.
struct Grouping<'a> {
    read: TableRead,
    /// What the aggregation reads, as expressions over the scan.
    exprs: Vec<(ColumnId, Expr)>,
    keys: &'a [ColumnId],
    calls: &'a [AggregateCall],
}

/// How a projection answers an aggregation.
pub(super) struct Answer {
    projection: ProjectionSnapshot,
    /// The scan of the projection, and the types of its columns.
    spec: ScanSpec,
    types: Vec<(ColumnId, DataType)>,
    /// The keys over the scan.
    keys: Vec<(ColumnId, Expr)>,
    /// The columns of states that are needed, as columns of the scan.
    states: Vec<(ColumnId, DataType)>,
    /// The aggregation over the states.
    calls: Vec<AggregateCall>,
    /// The aggregation that makes the same states of the table's rows.
    of_rest: Vec<AggregateCall>,
}

/// The answer that a projection gives to an aggregation; `None` if none can be used.
pub(super) fn find(planner: &mut Planner<'_>, plan: &Plan) -> Option<Answer> {
    let Plan::Aggregate(Aggregate { input, keys, calls, algorithm, .. }) = plan else {
        return None;
    };
    if !algorithm.sorted().is_empty() {
        return None;
    }
    let grouping = grouping(input, keys, calls)?;
    best(planner, &grouping)
}

/// The aggregation over the states of the projection.
pub(super) fn replaced(planner: &mut Planner<'_>, plan: Plan, answer: Answer) -> Plan {
    let Plan::Aggregate(Aggregate { input, keys, limit, algorithm, .. }) = plan else {
        return plan;
    };
    planner.found.used.push(Arc::clone(&answer.projection.query.name));
    let calls = answer.calls.clone();
    let input = Box::new(states(*input, &keys, answer));
    Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm })
}

fn grouping<'a>(
    input: &Plan,
    keys: &'a [ColumnId],
    calls: &'a [AggregateCall],
) -> Option<Grouping<'a>> {
    let (scan, exprs) = match input {
        Plan::Project(Project { input, exprs }) => (&**input, exprs.clone()),
        Plan::Scan(Scan { types, .. }) => {
            let column = |(id, ty): &(ColumnId, DataType)| (*id, Expr::column(*id, ty.clone()));
            (input, types.iter().map(column).collect())
        }
        _ => return None,
    };
    Some(Grouping { read: TableRead::of(scan)?, exprs, keys, calls })
}

fn best(planner: &mut Planner<'_>, grouping: &Grouping<'_>) -> Option<Answer> {
    let read = &grouping.read;
    let projections = read.table.projections();
    if !projections.iter().any(|projection| projection.query.groups) {
        return None;
    }
    let base = read.table.estimate(&read.spec)?;
    let mut least = (Arc::<str>::from(""), base);
    let mut best = None;
    for projection in projections.into_iter().filter(|projection| projection.query.groups) {
        let Some(answer) = answer(planner, grouping, projection) else { continue };
        let Some(own) = cost(&answer.projection, &answer.spec, &read.spec) else { continue };
        let name = Arc::clone(&answer.projection.query.name);
        // Among equals, groups are read: there is less left to be done.
        let is_first = best.is_none() && (own.granules, own.rows) <= (base.granules, base.rows);
        if is_first || is_better(planner, (&name, own), (&least.0, least.1)) {
            least = (name, own);
            best = Some(answer);
        }
    }
    best
}

/// Matches an aggregation with a projection.
fn answer(
    planner: &mut Planner<'_>,
    grouping: &Grouping<'_>,
    projection: ProjectionSnapshot,
) -> Option<Answer> {
    let (read, query) = (&grouping.read, Arc::clone(&projection.query));
    if !query.filter.iter().all(|c| means_the_same(planner, &query, c)) {
        return None;
    }
    let mut known: Vec<Held> = Vec::new();
    for (place, column) in query.columns.iter().enumerate() {
        let Some(value) = column.value().filter(|v| means_the_same(planner, &query, v)) else {
            continue;
        };
        let Some(expr) = read.over_scan(value) else { continue };
        let id = match &expr {
            Expr::Column { id, .. } => *id,
            _ => planner.fresh(),
        };
        known.push(Held { place, id, expr });
    }
    let mut filter = Vec::new();
    for condition in read.rest_of_filter(&query)? {
        filter.push(over_projection(&condition, &known)?);
    }
    let of = |id: &ColumnId| grouping.exprs.iter().find(|(of, _)| of == id).map(|(_, e)| e);
    let mut keys = Vec::with_capacity(grouping.keys.len());
    for id in grouping.keys {
        keys.push((*id, over_projection(of(id)?, &known)?));
    }
    let mut kept: Vec<(usize, ColumnId, DataType)> = Vec::new();
    let (mut calls, mut of_rest) = (Vec::new(), Vec::new());
    for call in grouping.calls {
        let args: Vec<&Expr> = call.args.iter().map(of).collect::<Option<_>>()?;
        let (place, state) = state_of(planner, read, &query, call, &args)?;
        let id = match kept.iter().find(|(of, ..)| *of == place) {
            Some((_, id, _)) => *id,
            None => {
                let id = planner.fresh();
                kept.push((place, id, state.ty.clone()));
                of_rest.push(of_table(planner, state, id, &call.args, &args)?);
                id
            }
        };
        calls.push(over_states(planner, call, state, id)?);
    }
    let mut used = Vec::new();
    keys.iter().for_each(|(_, key)| key.columns(&mut used));
    filter.iter().for_each(|condition| condition.columns(&mut used));
    let (mut columns, mut types) = (Vec::new(), Vec::new());
    for held in known.iter().filter(|held| used.contains(&held.id)) {
        columns.push(ScanColumn::whole(held.id, held.place));
        types.push((held.id, held.expr.ty().clone()));
    }
    for (place, id, ty) in &kept {
        columns.push(ScanColumn::whole(*id, *place));
        types.push((*id, ty.clone()));
    }
    let outputs = types.iter().map(|(id, _)| *id).collect();
    let spec = ScanSpec { columns, outputs, filter, ..ScanSpec::default() };
    let states = kept.into_iter().map(|(_, id, ty)| (id, ty)).collect();
    Some(Answer { projection, spec, types, keys, states, calls, of_rest })
}

/// A value that a projection holds.
struct Held {
    /// Position in the projection.
    place: usize,
    /// The column of the scan of the projection.
    id: ColumnId,
    /// What it is, over the scan of the table.
    expr: Expr,
}

/// An expression rewritten to the values that a projection holds; `None` if it needs others.
fn over_projection(expr: &Expr, known: &[Held]) -> Option<Expr> {
    let rewritten = tree::rewrite(expr, &mut |e| {
        if let Some(held) = known.iter().find(|held| tree::same(&held.expr, e)) {
            return Ok(Some(Expr::column(held.id, held.expr.ty().clone())));
        }
        match e {
            Expr::Call { lambda: Some(_), .. } | Expr::Column { .. } => Err(()),
            _ => Ok(None),
        }
    });
    Some(rewritten.ok()?.unwrap_or_else(|| expr.clone()))
}

/// The column of a projection with the states of a call.
fn state_of<'q>(
    planner: &Planner<'_>,
    read: &TableRead,
    query: &'q entasis_table_api::ProjectionQuery,
    call: &AggregateCall,
    args: &[&Expr],
) -> Option<(usize, &'q ProjectedState)> {
    let name = call.name.strip_suffix("State").unwrap_or(&call.name);
    let is_it = |state: &ProjectedState| {
        state.name.eq_ignore_ascii_case(name)
            && state.params == call.params
            && state.args.len() == args.len()
            && state.args.iter().zip(args).all(|(held, arg)| {
                means_the_same(planner, query, held)
                    && read.over_scan(held).is_some_and(|held| tree::same(&held, arg))
            })
    };
    query.columns.iter().enumerate().find_map(|(place, column)| match column {
        Projected::State(state) if is_it(state) => Some((place, state)),
        _ => None,
    })
}

/// The call that makes the states of a projection from the table's rows.
fn of_table(
    planner: &Planner<'_>,
    state: &ProjectedState,
    id: ColumnId,
    ids: &[ColumnId],
    args: &[&Expr],
) -> Option<AggregateCall> {
    let types: Vec<DataType> = args.iter().map(|arg| arg.ty().clone()).collect();
    let name = format!("{}State", state.name);
    let function = registry::bind_aggregate(&name, &state.params, &types, planner.context).ok()?;
    let params = state.params.clone();
    let is_same = function.return_type() == state.ty;
    is_same.then(|| AggregateCall { id, name: name.into(), params, function, args: ids.to_vec() })
}

/// The call over states that gives the result of a call over rows.
fn over_states(
    planner: &Planner<'_>,
    call: &AggregateCall,
    state: &ProjectedState,
    id: ColumnId,
) -> Option<AggregateCall> {
    let suffix = if call.name.ends_with("State") { "MergeState" } else { "Merge" };
    let name = format!("{}{suffix}", state.name);
    let types = [state.ty.clone()];
    let function = registry::bind_aggregate(&name, &state.params, &types, planner.context).ok()?;
    let is_same = function.return_type() == call.function.return_type();
    let params = state.params.clone();
    let name = Arc::clone(&call.name);
    is_same.then(|| AggregateCall { id: call.id, name, params, function, args: vec![id] })
}

/// The rows of the projection, and the same states of the table's other rows.
fn states(input: Plan, keys: &[ColumnId], answer: Answer) -> Plan {
    let Answer { projection, spec, types, keys: exprs, states, of_rest, .. } = answer;
    let name = match scan_in(&input) {
        Some(name) => name,
        None => Arc::clone(&projection.query.name),
    };
    let table = Arc::clone(&projection.rows);
    let scan = Plan::Scan(Scan { table, name, types, spec });
    let key_types = exprs.iter().map(|(id, key)| (*id, key.ty().clone()));
    let columns: Vec<(ColumnId, DataType)> = key_types.chain(states.iter().cloned()).collect();
    let mut outputs = exprs;
    outputs.extend(states.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))));
    let own = Plan::Project(Project { input: Box::new(scan), exprs: outputs });
    let Some(rest) = &projection.rest else { return own };
    let input = Box::new(over(input, rest));
    let (limit, algorithm) = (None, AggregateAlgorithm::default());
    let rest =
        Plan::Aggregate(Aggregate { input, keys: keys.to_vec(), calls: of_rest, limit, algorithm });
    Plan::Union(Union { inputs: vec![own, rest], columns })
}

fn scan_in(plan: &Plan) -> Option<Arc<str>> {
    match plan {
        Plan::Scan(Scan { name, .. }) => Some(Arc::clone(name)),
        Plan::Project(Project { input, .. }) => scan_in(input),
        _ => None,
    }
}

/// The plan over other rows of the same table.
fn over(plan: Plan, rows: &Arc<dyn entasis_table_api::Snapshot>) -> Plan {
    match plan {
        Plan::Scan(Scan { name, types, spec, .. }) => {
            Plan::Scan(Scan { table: Arc::clone(rows), name, types, spec })
        }
        Plan::Project(Project { input, exprs }) => {
            Plan::Project(Project { input: Box::new(over(*input, rows)), exprs })
        }
        other => other,
    }
}
