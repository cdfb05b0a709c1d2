//! Conditions between columns of two tables that belong together: `x BETWEEN lo AND hi` keeps far
//! fewer pairs of rows than its two inequalities would if they were independent.

use entasis_expr::{ColumnId, Expr};
use entasis_function::{Comparison, Operation};

use super::{Numbers, Relation, share};

/// The share that is assumed for a band of which only the shares of its inequalities are known.
const LEAST_BAND: f64 = 0.01;

/// The shares of rows that pass these conditions, one after the other: their product counts. Of two
/// inequalities that form a band, the second one counts as passed by all.
pub(crate) fn shares(relation: &Relation, conditions: &[&Expr]) -> Vec<f64> {
    let mut out: Vec<f64> = conditions.iter().map(|c| share::of(relation, c)).collect();
    let parts: Vec<(usize, (ColumnId, ColumnId))> =
        conditions.iter().enumerate().filter_map(|(at, c)| Some((at, less(c)?))).collect();
    let mut done = vec![false; out.len()];
    for (at, (low, value)) in &parts {
        for (other, (below, high)) in parts.iter().filter(|(_, (below, _))| below == value) {
            if done[*at] || done[*other] {
                continue;
            }
            if let Some(share) = between(relation, *low, *below, *high) {
                (out[*at], out[*other]) = (share, 1.0);
                (done[*at], done[*other]) = (true, true);
            }
        }
    }
    out
}

/// The lesser column of an inequality of two columns, and the greater one.
pub(super) fn less(condition: &Expr) -> Option<(ColumnId, ColumnId)> {
    let Expr::Call { function, args, lambda: None } = condition else { return None };
    let Operation::Compare(comparison) = function.operation() else { return None };
    let [Expr::Column { id: a, .. }, Expr::Column { id: b, .. }] = &args[..] else { return None };
    match comparison {
        Comparison::Less | Comparison::LessOrEquals => Some((*a, *b)),
        Comparison::Greater | Comparison::GreaterOrEquals => Some((*b, *a)),
        Comparison::Equals | Comparison::NotEquals => None,
    }
}

/// The share of rows for which a column lies between two columns of one other table.
pub(super) fn between(
    relation: &Relation,
    low: ColumnId,
    value: ColumnId,
    high: ColumnId,
) -> Option<f64> {
    let (low, high) = (relation.numbers(low)?, relation.numbers(high)?);
    let value = relation.numbers(value)?;
    let same_rows = low.scan.is_some() && low.scan == high.scan && value.scan != low.scan;
    if !same_rows {
        return None;
    }
    if let Some(share) = by_width(low, value, high) {
        return Some(share);
    }
    // Every value is above the lower end or below the upper one.
    let (above, below) = (low.share_less(value, true)?, value.share_less(high, true)?);
    Some((above + below - 1.0).max(LEAST_BAND))
}

/// The share by the average width of the band, which follows from where the least and the greatest
/// ends are.
fn by_width(low: &Numbers, value: &Numbers, high: &Numbers) -> Option<f64> {
    let ((low_from, low_to), (high_from, high_to)) = (low.range?, high.range?);
    let (from, to) = value.range.filter(|(from, to)| from < to)?;
    let width = f64::midpoint(high_from - low_from, high_to - low_to);
    if width < 0.0 {
        return None;
    }
    let one = value.distinct.map_or(0.0, |distinct| 1.0 / distinct.max(1.0));
    let there = (1.0 - low.nulls) * (1.0 - high.nulls) * (1.0 - value.nulls);
    Some((width / (to - from)).clamp(one, 1.0) * there)
}
