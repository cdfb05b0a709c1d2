//! Conditions in the form that is evaluated and pruned best: negations moved into comparisons,
//! what all branches of an OR have in common taken out of it, chains of equalities with constants
//! as one set.

use crate::physical::Filter;
use std::sync::Arc;

use entasis_analyze::{bind, in_set, tree};
use entasis_expr::Expr;
use entasis_function::{FunctionContext, Operation};
use entasis_types::{DataType, Value};

use super::map_inputs;
use crate::Plan;

/// Simplifies the conditions of all filters.
pub(crate) fn simplify(plan: Plan, context: &dyn FunctionContext) -> Plan {
    let plan = map_inputs(plan, &mut |input| simplify(input, context));
    let Plan::Filter(Filter { input, predicates }) = plan else { return plan };
    let mut simple = Vec::with_capacity(predicates.len());
    for predicate in predicates {
        tree::conjuncts(condition(tree::factored(predicate), context), &mut simple);
    }
    if simple.is_empty() {
        return *input;
    }
    Plan::Filter(Filter { input, predicates: simple })
}

/// An equivalent condition; its result is NULL for the same rows.
pub(crate) fn condition(expr: Expr, context: &dyn FunctionContext) -> Expr {
    match expr {
        Expr::And(args, ty) => Expr::And(conditions(&args, context).into(), ty),
        Expr::Or(args, ty) => any_of(conditions(&args, context), ty),
        Expr::Call { function, args, lambda: None } if function.operation() == Operation::Not => {
            let inner = condition(args[0].clone(), context);
            negated(&inner, context).unwrap_or_else(|| Expr::Call { function, args, lambda: None })
        }
        other => other,
    }
}

fn conditions(args: &[Expr], context: &dyn FunctionContext) -> Vec<Expr> {
    args.iter().map(|arg| condition(arg.clone(), context)).collect()
}

/// The negation without `not`, if there is one. NULL stays NULL; floats are excluded because of
/// NaN.
fn negated(expr: &Expr, context: &dyn FunctionContext) -> Option<Expr> {
    match expr {
        Expr::InSet { args, set, negated, ty } => Some(Expr::InSet {
            args: Arc::clone(args),
            set: Arc::clone(set),
            negated: !negated,
            ty: ty.clone(),
        }),
        Expr::Or(args, ty) => {
            let all = args.iter().map(|arg| {
                negated(arg, context).or_else(|| bind::call("not", vec![arg.clone()], context).ok())
            });
            Some(Expr::And(all.collect::<Option<_>>()?, ty.clone()))
        }
        Expr::Call { function, args, lambda: None } => {
            let opposite = function.operation().negation(ordered(args))?;
            bind::call(opposite, args.to_vec(), context).ok()
        }
        _ => None,
    }
}

/// Whether `not (a < b)` is `a >= b` for these arguments, which NaN would break.
fn ordered(args: &[Expr]) -> bool {
    args.iter().all(|a| {
        let plain = a.ty().without_nullable();
        plain.fixed_width().is_some() && !plain.is_float() || plain.is_string()
    })
}

/// A disjunction in which the equalities of the same expression are combined.
fn any_of(args: Vec<Expr>, ty: DataType) -> Expr {
    type Members = Vec<(Value, DataType)>;
    let mut chains: Vec<(Expr, Members, Vec<usize>)> = Vec::new();
    for (i, arg) in args.iter().enumerate() {
        let Some((left, value)) = equality(arg) else { continue };
        match chains.iter_mut().find(|(known, _, _)| tree::same(known, left)) {
            Some((_, members, places)) => {
                members.push(value);
                places.push(i);
            }
            None => chains.push((left.clone(), vec![value], vec![i])),
        }
    }
    let mut slots: Vec<Option<Expr>> = args.into_iter().map(Some).collect();
    for (left, members, places) in chains {
        if places.len() < 2 {
            continue;
        }
        if let Some(set) = in_set::one_of(left, members) {
            for place in &places {
                slots[*place] = None;
            }
            slots[places[0]] = Some(set);
        }
    }
    let mut left: Vec<Expr> = slots.into_iter().flatten().collect();
    if left.len() == 1
        && let Some(one) = left.pop()
    {
        return one;
    }
    Expr::Or(left.into(), ty)
}

/// The expression and the constant of `expression = constant`, for types that compare by value.
fn equality(expr: &Expr) -> Option<(&Expr, (Value, DataType))> {
    let Expr::Call { function, args, lambda: None } = expr else { return None };
    if !function.is_equals() {
        return None;
    }
    let ([left, Expr::Literal { value, ty }] | [Expr::Literal { value, ty }, left]) = &args[..]
    else {
        return None;
    };
    let number = |t: &DataType| t.is_native_integer();
    let same_kind = (number(left.ty()) && number(ty))
        || (*left.ty() == DataType::String && *ty == DataType::String);
    let plain = !matches!(left, Expr::Literal { .. }) && tree::is_deterministic(left);
    (same_kind && plain && !value.is_null()).then(|| (left, (value.clone(), ty.clone())))
}
