//! Functions that need only a subcolumn of a table's column read the subcolumn: `length(arr)` reads
//! `arr.size0`, `length(s)` and `s = ''` read `s.size`, `isNull(n)` reads `n.null`, `t.a` reads the
//! element, and `count(n)` counts the rows in which `n.null` is 0.
//!
//! A column is replaced if every use of it between its scan and the next projection is such a
//! function; otherwise the whole column is read anyway. The pass stops at joins, because a
//! subcolumn of a missing row would get the default of its own type.

use crate::physical::{Aggregate, Filter, Project, Scan};
use std::collections::HashSet;
use std::sync::Arc;

use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry;
use entasis_table_api::ScanColumn;
use entasis_types::subcolumn::subcolumn;
use entasis_types::{DataType, Step, SubcolumnPath, Value};

use super::map_inputs;
use crate::{AggregateCall, Plan, Planner};

/// Rewrites all scans of a plan.
pub(crate) fn attach(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    match plan {
        Plan::Project(Project { input, mut exprs }) if scan_of(&input).is_some() => {
            let input = Box::new(read_parts(planner, *input, Some(&mut exprs)));
            Plan::Project(Project { input, exprs })
        }
        Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm }) => {
            let (input, calls) = count_rows(planner, *input, &keys, calls);
            let input = Box::new(attach(planner, input));
            Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm })
        }
        plan if scan_of(&plan).is_some() => read_parts(planner, plan, None),
        plan => map_inputs(plan, &mut |input| attach(planner, input)),
    }
}

/// The scan below a chain of filters; `None` if there is another node.
fn scan_of(plan: &Plan) -> Option<&Scan> {
    match plan {
        Plan::Scan(scan) => Some(scan),
        Plan::Filter(Filter { input, .. }) => scan_of(input),
        _ => None,
    }
}

/// A subcolumn that is all that an expression needs.
struct Part {
    column: ColumnId,
    path: SubcolumnPath,
    ty: DataType,
    /// If set, the expression compares the subcolumn with 0: `Some(true)` for equal, `Some(false)`
    /// for not equal.
    is_zero: Option<bool>,
}

/// The subcolumn that an expression needs; `None` if it needs anything else.
fn part_of(expr: &Expr) -> Option<Part> {
    let Expr::Call { function, args, lambda: None } = expr else { return None };
    let value = args.first()?;
    let is_list = value.ty().as_array().is_some() || value.ty().as_map().is_some();
    let is_null = matches!(value.ty(), DataType::Nullable(_));
    if let Some((value, is_zero)) = string_size(function.name, args) {
        let (column, path) = path_of(value)?;
        let path = path.then(&SubcolumnPath::new(&[Step::StringSize]));
        return Some(Part { column, path, ty: DataType::UInt64, is_zero });
    }
    let (step, is_zero) = match (function.name, args.len()) {
        ("length", 1) if is_list => (Step::Size(0), None),
        ("empty", 1) if is_list => (Step::Size(0), Some(true)),
        ("notEmpty", 1) if is_list => (Step::Size(0), Some(false)),
        ("isNull", 1) if is_null => (Step::Null, None),
        ("isNotNull", 1) if is_null => (Step::Null, Some(true)),
        _ => {
            let (column, path) = path_of(expr)?;
            return (!path.is_whole()).then(|| Part {
                column,
                path,
                ty: expr.ty().clone(),
                is_zero: None,
            });
        }
    };
    let (column, path) = path_of(value)?;
    let ty = if step == Step::Null { DataType::UInt8 } else { DataType::UInt64 };
    Some(Part { column, path: path.then(&SubcolumnPath::new(&[step])), ty, is_zero })
}

/// The string of whose values a call needs only the length, and how the length is compared with 0.
fn string_size<'a>(name: &str, args: &'a [Expr]) -> Option<(&'a Expr, Option<bool>)> {
    let is_empty =
        |e: &Expr| matches!(e, Expr::Literal { value: Value::String(text), .. } if text.is_empty());
    let (value, is_zero) = match (name, args) {
        ("length", [value]) => (value, None),
        ("empty", [value]) => (value, Some(true)),
        ("notEmpty", [value]) => (value, Some(false)),
        ("equals", [value, empty] | [empty, value]) if is_empty(empty) => (value, Some(true)),
        ("notEquals", [value, empty] | [empty, value]) if is_empty(empty) => (value, Some(false)),
        _ => return None,
    };
    (*value.ty() == DataType::String).then_some((value, is_zero))
}

/// The column that an expression is, or is a subcolumn of.
fn path_of(expr: &Expr) -> Option<(ColumnId, SubcolumnPath)> {
    let (function, args) = match expr {
        Expr::Column { id, .. } => return Some((*id, SubcolumnPath::default())),
        Expr::Call { function, args, lambda: None } => (function, args),
        _ => return None,
    };
    let of = args.first()?.ty();
    let path = match (function.name, &args[1..]) {
        ("mapKeys", []) if matches!(of, DataType::Map(_)) => {
            SubcolumnPath::new(&[Step::Element(0)])
        }
        ("mapValues", []) if matches!(of, DataType::Map(_)) => {
            SubcolumnPath::new(&[Step::Element(1)])
        }
        ("getSubcolumn" | "tupleElement", [Expr::Literal { value: Value::String(name), .. }]) => {
            subcolumn(of, std::str::from_utf8(name).ok()?)?.path
        }
        ("tupleElement", [Expr::Literal { value, .. }]) => {
            let number = usize::try_from(value.as_i64()?).ok()?.checked_sub(1)?;
            SubcolumnPath::new(&[Step::Element(number)])
        }
        _ => return None,
    };
    let (column, outer) = path_of(&args[0])?;
    Some((column, outer.then(&path)))
}

/// How the columns of a scan are used.
#[derive(Default)]
struct Uses {
    /// Columns of which a subcolumn is used.
    parts: HashSet<ColumnId>,
    /// Columns that are used as a whole.
    whole: HashSet<ColumnId>,
}

impl Uses {
    fn add(&mut self, expr: &Expr, types: &[(ColumnId, DataType)]) {
        match (part_of(expr), expr) {
            (Some(part), _) if is_there(&part, types) => {
                self.parts.insert(part.column);
            }
            (_, Expr::Column { id, .. }) => {
                self.whole.insert(*id);
            }
            _ => expr.children().into_iter().for_each(|child| self.add(child, types)),
        }
    }

    fn add_filters(&mut self, plan: &Plan, types: &[(ColumnId, DataType)]) {
        match plan {
            Plan::Filter(Filter { input, predicates }) => {
                predicates.iter().for_each(|p| self.add(p, types));
                self.add_filters(input, types);
            }
            Plan::Scan(Scan { spec, .. }) => spec.filter.iter().for_each(|p| self.add(p, types)),
            _ => {}
        }
    }

    fn only_parts(&self, id: ColumnId) -> bool {
        self.parts.contains(&id) && !self.whole.contains(&id)
    }
}

/// Whether a column of the scan has the subcolumn, with the type that the expression has.
fn is_there(part: &Part, types: &[(ColumnId, DataType)]) -> bool {
    let of = types.iter().find(|(id, _)| *id == part.column);
    of.and_then(|(_, ty)| part.path.find_in(ty)).is_some_and(|(_, ty)| ty == part.ty)
}

/// A chain of filters over a scan, and the projection `exprs` above it, with columns replaced by
/// subcolumns. Without a projection, all output columns are needed as a whole.
fn read_parts(
    planner: &mut Planner<'_>,
    plan: Plan,
    mut exprs: Option<&mut Vec<(ColumnId, Expr)>>,
) -> Plan {
    let mut uses = Uses::default();
    let mut parts = Parts { ids: HashSet::new(), types: Vec::new(), new: Vec::new() };
    if let Some(Scan { table, types, spec, .. }) = scan_of(&plan) {
        let tested = table.tested_by_indices();
        let is_tested = |column: &&ScanColumn| {
            tested.contains(&column.position)
                && types.iter().any(|(id, ty)| *id == column.id && *ty == DataType::String)
        };
        uses.whole.extend(spec.columns.iter().filter(is_tested).map(|column| column.id));
        match &exprs {
            Some(exprs) => exprs.iter().for_each(|(_, e)| uses.add(e, types)),
            None => uses.whole.extend(&spec.outputs),
        }
        uses.add_filters(&plan, types);
        let ids = spec.columns.iter().map(|column| column.id);
        parts.ids = ids.filter(|id| uses.only_parts(*id)).collect();
        parts.types.clone_from(types);
    }
    if parts.ids.is_empty() {
        return plan;
    }
    for (_, expr) in exprs.iter_mut().flat_map(|exprs| exprs.iter_mut()) {
        parts.put_into(planner, expr);
    }
    parts.put_into_chain(planner, plan)
}

/// The subcolumns that are read instead of columns.
struct Parts {
    /// The columns that are no longer read.
    ids: HashSet<ColumnId>,
    /// The types of the scan's columns.
    types: Vec<(ColumnId, DataType)>,
    /// The subcolumns, each with the id of its new column.
    new: Vec<(ColumnId, Part)>,
}

impl Parts {
    fn put_into_chain(&mut self, planner: &mut Planner<'_>, plan: Plan) -> Plan {
        match plan {
            Plan::Filter(Filter { input, mut predicates }) => {
                predicates.iter_mut().for_each(|p| self.put_into(planner, p));
                let input = Box::new(self.put_into_chain(planner, *input));
                Plan::Filter(Filter { input, predicates })
            }
            Plan::Scan(Scan { table, name, mut types, mut spec }) => {
                let above = self.new.len();
                spec.filter.iter_mut().for_each(|p| self.put_into(planner, p));
                for (i, (id, part)) in self.new.iter().enumerate() {
                    let Some(of) = spec.column(part.column) else { continue };
                    let (position, path) = (of.position, of.path.then(&part.path));
                    spec.columns.push(ScanColumn { id: *id, position, path });
                    types.push((*id, part.ty.clone()));
                    if i < above {
                        spec.outputs.push(*id);
                    }
                }
                spec.outputs.retain(|id| !self.ids.contains(id));
                spec.columns.retain(|column| !self.ids.contains(&column.id));
                Plan::Scan(Scan { table, name, types, spec })
            }
            other => other,
        }
    }

    fn put_into(&mut self, planner: &mut Planner<'_>, expr: &mut Expr) {
        let rewritten = tree::rewrite::<std::convert::Infallible>(expr, &mut |e| {
            let part = part_of(e).filter(|p| self.ids.contains(&p.column));
            Ok(part.filter(|p| is_there(p, &self.types)).and_then(|p| self.column(planner, p)))
        });
        match rewritten {
            Ok(Some(new)) => *expr = new,
            Ok(None) => {}
        }
    }

    /// The expression that a subcolumn replaces, over the new column that reads the subcolumn.
    fn column(&mut self, planner: &mut Planner<'_>, part: Part) -> Option<Expr> {
        let (ty, is_zero) = (part.ty.clone(), part.is_zero);
        let same = |p: &Part| p.column == part.column && p.path == part.path;
        let id = match self.new.iter().find(|(_, p)| same(p)) {
            Some((id, _)) => *id,
            None => {
                let id = planner.fresh();
                self.new.push((id, part));
                id
            }
        };
        let column = Expr::column(id, ty.clone());
        let name = match is_zero {
            None => return Some(column),
            Some(true) => "equals",
            Some(false) => "notEquals",
        };
        let zero = Expr::literal(Value::UInt(0), DataType::UInt8);
        planner.call(name, vec![column, zero]).ok()
    }
}

/// Replaces `count(n)` of a Nullable column that is not needed otherwise by the sum of
/// `isNotNull(n)`.
fn count_rows(
    planner: &mut Planner<'_>,
    input: Plan,
    keys: &[ColumnId],
    mut calls: Vec<AggregateCall>,
) -> (Plan, Vec<AggregateCall>) {
    let (scan, mut exprs) = match input {
        Plan::Project(Project { input, exprs }) if scan_of(&input).is_some() => (*input, exprs),
        scan if scan_of(&scan).is_some() => {
            let Ok(header) = scan.header() else { return (scan, calls) };
            let exprs = header.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))).collect();
            (scan, exprs)
        }
        other => return (other, calls),
    };
    let project = |scan, exprs| Plan::Project(Project { input: Box::new(scan), exprs });
    let as_it_was = |scan: Plan, exprs: Vec<(ColumnId, Expr)>| {
        let ids: Vec<ColumnId> = exprs.iter().map(|(id, _)| *id).collect();
        let is_identity =
            exprs.iter().all(|(id, e)| matches!(e, Expr::Column { id: from, .. } if from == id));
        if is_identity && ids == scan.outputs() { scan } else { project(scan, exprs) }
    };
    let sum = registry::bind_aggregate("sum", &[], &[DataType::UInt8], planner.context);
    let Ok(sum) = sum else { return (as_it_was(scan, exprs), calls) };
    let mut changed = false;
    for at in 0..calls.len() {
        let Some((id, flag)) = counted(planner, &scan, &exprs, &calls, at, keys) else { continue };
        exprs.retain(|(known, _)| *known != id);
        let new = planner.fresh();
        exprs.push((new, flag));
        let call = &mut calls[at];
        (call.name, call.function, call.args) = ("sum".into(), Arc::clone(&sum), vec![new]);
        changed = true;
    }
    let plan = if changed { project(scan, exprs) } else { as_it_was(scan, exprs) };
    (plan, calls)
}

/// The column that a `count` counts, if it is read only for that, and the flag to sum instead.
fn counted(
    planner: &Planner<'_>,
    scan: &Plan,
    exprs: &[(ColumnId, Expr)],
    calls: &[AggregateCall],
    at: usize,
    keys: &[ColumnId],
) -> Option<(ColumnId, Expr)> {
    let call = &calls[at];
    let &[id] = &call.args[..] else { return None };
    let (_, value) = exprs.iter().find(|(known, _)| *known == id)?;
    let shared = calls.iter().enumerate().any(|(i, c)| i != at && c.args.contains(&id));
    if !call.name.eq_ignore_ascii_case("count")
        || shared
        || keys.contains(&id)
        || !matches!((value, value.ty()), (Expr::Column { .. }, DataType::Nullable(_)))
    {
        return None;
    }
    let flag = planner.call("isNotNull", vec![value.clone()]).ok()?;
    let types = &scan_of(scan)?.types;
    let mut uses = Uses::default();
    uses.add(&flag, types);
    let others = exprs.iter().filter(|(known, _)| *known != id);
    others.for_each(|(_, e)| uses.add(e, types));
    uses.add_filters(scan, types);
    let (column, _) = path_of(value)?;
    uses.only_parts(column).then_some((id, flag))
}
