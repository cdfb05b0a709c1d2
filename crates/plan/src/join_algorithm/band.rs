//! Joins on inequalities: `a.x >= b.from AND a.x < b.to`. The rows of the right side are sorted by
//! one column, and each left row has a range of them.
//!
//! If one column of the right side has both a lower and an upper end (`b.x BETWEEN a.from AND
//! a.to`), the range is exact. If two columns have one end each, as above, the rows are sorted by
//! the column that must be less, and the other one cuts off the rows before the first one that
//! reaches far enough. A single inequality yields a range as well. All other conditions are tested
//! for the rows of the range.

use entasis_analyze::join::common_key;
use entasis_analyze::tree;
use entasis_expr::Expr;
use entasis_expr::program::can_fail;
use entasis_function::{Comparison, Operation};
use entasis_types::DataType;

use super::Sides;
use crate::{Band, BandEnd, Planner};

/// An inequality, as a statement about the right side.
struct Comparing {
    /// The number of the condition.
    at: usize,
    left: Expr,
    right: Expr,
    /// Whether the right side is the lesser one.
    is_below: bool,
    inclusive: bool,
}

/// The range that conditions define, if there is one. Conditions that it implies are taken out.
pub(super) fn find(
    planner: &mut Planner<'_>,
    sides: &mut Sides,
    conditions: &mut Vec<Expr>,
) -> Option<Band> {
    let parts: Vec<Comparing> = conditions
        .iter()
        .enumerate()
        .filter_map(|(at, condition)| comparing(planner, sides, at, condition))
        .collect();
    let first_below = parts.iter().find(|part| part.is_below);
    let opposite = |a: &&Comparing| {
        parts.iter().find(|b| b.is_below != a.is_below && tree::same(&a.right, &b.right))
    };
    let (own, reach): (Vec<&Comparing>, Option<&Comparing>) =
        match parts.iter().find(|part| opposite(part).is_some()) {
            Some(part) => (std::iter::once(part).chain(opposite(&part)).collect(), None),
            None => match first_below {
                Some(below) => (vec![below], parts.iter().find(|part| !part.is_below)),
                None => (vec![parts.first()?], None),
            },
        };
    let by = sides.right_column(planner, &own.first()?.right);
    let mut end = |sides: &mut Sides, part: &Comparing| BandEnd {
        column: sides.left_column(planner, &part.left),
        inclusive: part.inclusive,
    };
    let mut band = Band { by, below: None, above: None, reach: None };
    for part in &own {
        let end = Some(end(sides, part));
        if part.is_below { band.below = end } else { band.above = end }
    }
    let reach_end = reach.map(|part| end(sides, part));
    band.reach =
        reach.zip(reach_end).map(|(part, end)| (sides.right_column(planner, &part.right), end));
    let implied: Vec<usize> = own.iter().filter(|part| is_exact(part)).map(|p| p.at).collect();
    let mut at = 0;
    conditions.retain(|_| {
        at += 1;
        !implied.contains(&(at - 1))
    });
    Some(band)
}

/// NaN has a place in the order of rows, but no inequality holds for it.
fn is_exact(part: &Comparing) -> bool {
    !matches!(part.right.ty().without_nullable(), DataType::Float32 | DataType::Float64)
}

fn comparing(
    planner: &Planner<'_>,
    sides: &Sides,
    at: usize,
    condition: &Expr,
) -> Option<Comparing> {
    let Expr::Call { function, args, .. } = condition else { return None };
    let [a, b] = &args[..] else { return None };
    let Operation::Compare(comparison) = function.operation() else { return None };
    let (first_is_less, inclusive) = match comparison {
        Comparison::Less => (true, false),
        Comparison::LessOrEquals => (true, true),
        Comparison::Greater => (false, false),
        Comparison::GreaterOrEquals => (false, true),
        Comparison::Equals | Comparison::NotEquals => return None,
    };
    let (left, right, is_below) = if sides.is_left(a) && sides.is_right(b) {
        (a, b, !first_is_less)
    } else if sides.is_right(a) && sides.is_left(b) {
        (b, a, first_is_less)
    } else {
        return None;
    };
    // Both are computed for all rows.
    if !is_ordered_alike(left.ty(), right.ty()) || can_fail(left) || can_fail(right) {
        return None;
    }
    let (left, right) = common_key(left.clone(), right.clone(), planner.context).ok()?;
    Some(Comparing { at, left, right, is_below, inclusive })
}

/// Whether values of both types compare as their common type's values are sorted.
fn is_ordered_alike(a: &DataType, b: &DataType) -> bool {
    let (a, b) = (a.without_nullable(), b.without_nullable());
    let is_plain = |ty: &DataType| {
        matches!(
            ty,
            DataType::Float32
                | DataType::Float64
                | DataType::Decimal(..)
                | DataType::String
                | DataType::Date
                | DataType::Date32
                | DataType::DateTime(_)
                | DataType::DateTime64(..)
        )
    };
    // No type holds all integers of both types.
    let is_wide = |ty: &DataType| *ty == DataType::UInt256;
    let integers = a.is_any_integer() && b.is_any_integer() && is_wide(a) == is_wide(b);
    integers || a == b && is_plain(a)
}
