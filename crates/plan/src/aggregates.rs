//! Simplifies a grouping before it is lowered: keys that can be computed from other keys are
//! computed after the grouping, `sum(x + c)` becomes `sum(x) + c * count()`, so that many sums
//! share one, and `sumOrNull(x)` becomes `sum(x)` where no group is empty.

use std::sync::Arc;

use entasis_analyze::query::{AggregateCall, Group};
use entasis_analyze::{bind, tree};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Operation, registry};
use entasis_types::DataType;

use crate::Planner;

/// A grouping, and the expressions that restore the original columns, if it was rewritten.
pub(crate) struct Regrouped {
    pub group: Group,
    pub after: Option<Vec<(ColumnId, Expr)>>,
}

/// Applies all rewrites.
pub(crate) fn simplify(planner: &mut Planner<'_>, group: &Group) -> Result<Regrouped> {
    let (mut keys, mut computed) = independent_keys(&group.keys);
    for (id, key) in &mut keys {
        // Grouping by `f(x)` is grouping by `x` if f is injective.
        while let Some(inner) = injective_argument(key) {
            let new = match &inner {
                Expr::Column { id, .. } => *id,
                _ => planner.fresh(),
            };
            let outer = tree::rewrite(key, &mut |e| -> Result<Option<Expr>> {
                Ok(tree::same(e, &inner).then(|| Expr::column(new, inner.ty().clone())))
            })?;
            let outer = outer.unwrap_or_else(|| key.clone());
            for (_, later) in &mut computed {
                *later = tree::substitute(later, &|c| (c == *id).then(|| outer.clone()));
            }
            computed.push((*id, outer));
            (*id, *key) = (new, inner);
        }
    }
    let aggregates = Vec::with_capacity(group.aggregates.len());
    let mut new = Group { keys, aggregates, totals: group.totals, empty_sets: None };
    let (mut sums, mut nullable) = (Vec::new(), Vec::new());
    for call in &group.aggregates {
        let plain = never_null(planner, group, call)?;
        nullable.extend(plain.as_ref().map(|plain| (plain.id, call)));
        let call = plain.unwrap_or_else(|| call.clone());
        match shifted_sum(&call) {
            Some(sum) => sums.push((call, sum)),
            None => new.aggregates.push(call),
        }
    }
    if computed.is_empty() && sums.is_empty() && nullable.is_empty() {
        return Ok(Regrouped { group: new, after: None });
    }
    let mut after: Vec<(ColumnId, Expr)> = Vec::new();
    for (id, key) in &group.keys {
        match computed.iter().find(|(c, _)| c == id) {
            Some(computed) => after.push(computed.clone()),
            None => after.push((*id, Expr::column(*id, key.ty().clone()))),
        }
    }
    for call in &new.aggregates {
        after.push((call.id, Expr::column(call.id, call.function.return_type())));
    }
    for (call, sum) in sums {
        let expr = sum.expr(planner, &mut new, &call.function.return_type())?;
        after.push((call.id, expr));
    }
    for (id, expr) in &mut after {
        if let Some((_, call)) = nullable.iter().find(|(plain, _)| plain == id) {
            *expr = bind::cast(expr.clone(), &call.function.return_type(), planner.context)?;
            *id = call.id;
        }
    }
    Ok(Regrouped { group: new, after: Some(after) })
}

/// `sum(x)` instead of `sumOrNull(x)`, in a column of its own, where every group has a row whose
/// `x` is not NULL.
fn never_null(
    planner: &mut Planner<'_>,
    group: &Group,
    call: &AggregateCall,
) -> Result<Option<AggregateCall>> {
    let empty = group.keys.is_empty() || group.totals.is_some() || group.empty_sets.is_some();
    let Some(name) = call.name.strip_suffix("OrNull").filter(|_| !empty) else { return Ok(None) };
    let types: Vec<DataType> = call.args.iter().map(|arg| arg.ty().clone()).collect();
    if registry::find_aggregate(name).is_none() || types.iter().any(DataType::is_nullable) {
        return Ok(None);
    }
    let function = registry::bind_aggregate(name, &call.params, &types, planner.context)?;
    if call.function.return_type() != DataType::nullable(function.return_type()) {
        return Ok(None);
    }
    let id = planner.fresh();
    Ok(Some(AggregateCall { id, name: Arc::from(name), function, ..call.clone() }))
}

/// Splits keys into those that are needed, and those that are functions of them (rewritten to read
/// the needed ones). A constant is a function of any keys, but at least one key must stay.
fn independent_keys(keys: &[(ColumnId, Expr)]) -> (Vec<(ColumnId, Expr)>, Vec<(ColumnId, Expr)>) {
    let mut kept: Vec<(ColumnId, Expr)> = Vec::new();
    let mut computed = Vec::new();
    // Keys that others may be functions of come first: smaller expressions, and constants last.
    let mut by_size: Vec<&(ColumnId, Expr)> = keys.iter().collect();
    by_size.sort_by_key(|(_, e)| match e {
        Expr::Literal { .. } => usize::MAX,
        other => size(other),
    });
    for (id, key) in by_size {
        match function_of(key, &kept) {
            Some(expr) if !kept.is_empty() => computed.push((*id, expr)),
            _ => kept.push((*id, key.clone())),
        }
    }
    // The remaining keys keep the order of the query.
    kept.sort_by_key(|(id, _)| keys.iter().position(|(k, _)| k == id));
    (kept, computed)
}

/// The argument of an injective function; `None` if the key is no such call.
fn injective_argument(key: &Expr) -> Option<Expr> {
    let Expr::Call { function, args, lambda: None } = key else { return None };
    let [arg] = &args[..] else { return None };
    let exact = arg.ty().is_native_integer() || *arg.ty() == DataType::Date;
    let injective = function.properties.injective && exact;
    (injective && tree::is_deterministic(arg)).then(|| arg.clone())
}

fn size(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(size).sum::<usize>()
}

/// The expression rewritten to read the columns of `keys`; `None` if it needs other columns.
fn function_of(expr: &Expr, keys: &[(ColumnId, Expr)]) -> Option<Expr> {
    if matches!(expr, Expr::Column { .. }) || !tree::is_deterministic(expr) {
        return None;
    }
    let rewritten = tree::rewrite(expr, &mut |e| -> Result<Option<Expr>, ()> {
        if let Some((id, key)) = keys.iter().find(|(_, k)| tree::same(k, e)) {
            return Ok(Some(Expr::column(*id, key.ty().clone())));
        }
        match e {
            Expr::Call { lambda: Some(_), .. } => Err(()),
            Expr::Column { .. } => Err(()),
            _ => Ok(None),
        }
    });
    match rewritten {
        Ok(new) => Some(new.unwrap_or_else(|| expr.clone())),
        Err(()) => None,
    }
}

/// The parts of `sum(value + constant)`.
struct ShiftedSum {
    value: Expr,
    shift: Expr,
    negative: bool,
}

fn shifted_sum(call: &AggregateCall) -> Option<ShiftedSum> {
    let [Expr::Call { function, args, lambda: None }] = &call.args[..] else { return None };
    if !call.name.eq_ignore_ascii_case("sum") || !call.function.return_type().is_native_integer() {
        return None;
    }
    let negative = match function.operation() {
        Operation::Plus => false,
        Operation::Minus => true,
        _ => return None,
    };
    let (value, shift) = match &args[..] {
        [value, shift @ Expr::Literal { .. }] => (value, shift),
        [shift @ Expr::Literal { .. }, value] if !negative => (value, shift),
        _ => return None,
    };
    let exact = value.ty().is_native_integer() && shift.ty().is_native_integer();
    (exact && matches!(value, Expr::Column { .. })).then(|| ShiftedSum {
        value: value.clone(),
        shift: shift.clone(),
        negative,
    })
}

impl ShiftedSum {
    /// The expression `sum(value) ± shift * count()`. All sums are modulo 2^64, so it gives the
    /// same result.
    fn expr(self, planner: &mut Planner<'_>, group: &mut Group, ty: &DataType) -> Result<Expr> {
        let sum = aggregate(planner, group, "sum", vec![self.value])?;
        let count = aggregate(planner, group, "count", Vec::new())?;
        let scaled = planner.call("multiply", vec![self.shift, count])?;
        let name = if self.negative { "minus" } else { "plus" };
        let shifted = planner.call(name, vec![sum, scaled])?;
        bind::cast(shifted, ty, planner.context)
    }
}

/// The column of an aggregate, which is added if it is missing.
fn aggregate(
    planner: &mut Planner<'_>,
    group: &mut Group,
    name: &str,
    args: Vec<Expr>,
) -> Result<Expr> {
    let known = group.aggregates.iter().find(|c| {
        c.name.eq_ignore_ascii_case(name)
            && c.params.is_empty()
            && c.args.len() == args.len()
            && c.args.iter().zip(&args).all(|(a, b)| tree::same(a, b))
    });
    if let Some(call) = known {
        return Ok(Expr::column(call.id, call.function.return_type()));
    }
    let types: Vec<DataType> = args.iter().map(|a| a.ty().clone()).collect();
    let function = registry::bind_aggregate(name, &[], &types, planner.context)?;
    let ty = function.return_type();
    let id = planner.fresh();
    let call = AggregateCall { id, name: Arc::from(name), params: Vec::new(), function, args };
    group.aggregates.push(call);
    Ok(Expr::column(id, ty))
}
