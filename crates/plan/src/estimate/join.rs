//! Estimates joins. Keys are assumed to be contained in each other: every value of the side with
//! fewer distinct values has a match on the other side.

use entasis_expr::ColumnId;

use super::{Estimator, Numbers, Relation};
use crate::{Join, JoinKind, Strictness};

/// Of several keys, each further one (the least selective last) counts with a smaller power, since
/// keys mostly depend on each other.
const POWERS: [f64; 3] = [1.0, 0.5, 0.25];

/// The share of all pairs of rows that have equal keys, for one key.
pub(crate) fn equal_share(left: (f64, &Numbers), right: (f64, &Numbers)) -> f64 {
    let there = (1.0 - left.1.nulls) * (1.0 - right.1.nulls);
    there / distinct_in_both(left, right)
}

/// The number of distinct values of the side that has more of them.
fn distinct_in_both((l, left): (f64, &Numbers), (r, right): (f64, &Numbers)) -> f64 {
    match (left.distinct, right.distinct) {
        (Some(a), Some(b)) => a.min(l).max(b.min(r)),
        (Some(known), None) | (None, Some(known)) => known,
        // A key mostly refers to a table's rows, of which the smaller table has one for each value.
        (None, None) => left.domain.min(right.domain),
    }
    .max(1.0)
}

/// The share of all pairs of rows for which all keys are equal, from the shares of each.
pub(crate) fn all_equal(mut shares: Vec<f64>) -> f64 {
    shares.sort_by(f64::total_cmp);
    let power = |at: usize| POWERS.get(at).copied().unwrap_or(0.125);
    shares.iter().enumerate().map(|(at, share)| share.powf(power(at))).product()
}

/// The share of the left rows that have a match.
pub(crate) fn matched_share(left: (f64, &Numbers), right: (f64, &Numbers)) -> f64 {
    let there = 1.0 - left.1.nulls;
    let known = left.1.distinct.is_some() || right.1.distinct.is_some();
    if !known && right.0 >= right.1.domain {
        return there;
    }
    let of_left = left.1.distinct.unwrap_or(left.1.domain.min(right.1.domain)).max(1.0);
    let of_right = right.1.distinct.unwrap_or(right.0).min(right.0);
    there * (of_right / of_left).min(1.0)
}

/// Both sides of a join.
pub(crate) struct Sides<'r> {
    /// The left side.
    pub left: &'r Relation,
    /// The right side.
    pub right: &'r Relation,
    /// The shares of pairs and of matched left rows, for each key.
    shares: Vec<(f64, f64)>,
}

impl<'r> Sides<'r> {
    /// Two relations that are joined by these keys.
    pub fn new(left: &'r Relation, right: &'r Relation, keys: &[(ColumnId, ColumnId)]) -> Self {
        let share = |(l, r): &(ColumnId, ColumnId)| {
            let l = (left.rows, left.numbers(*l)?);
            let r = (right.rows, right.numbers(*r)?);
            Some((equal_share(l, r), matched_share(l, r)))
        };
        Self { left, right, shares: keys.iter().filter_map(share).collect() }
    }

    /// The number of pairs of rows with equal keys.
    pub fn pairs(&self) -> f64 {
        let shares = self.shares.iter().map(|(share, _)| *share).collect();
        self.left.rows * self.right.rows * all_equal(shares)
    }

    /// The number of left rows that have a match.
    pub fn matched(&self) -> f64 {
        let share = all_equal(self.shares.iter().map(|(_, share)| *share).collect());
        (self.left.rows * share).min(self.pairs().max(self.left.rows * 0.01))
    }
}

impl Estimator {
    pub(super) fn join(&self, join: &Join, wanted: &[ColumnId]) -> Relation {
        let with_keys = |keys: &mut dyn Iterator<Item = ColumnId>| {
            let mut out = wanted.to_vec();
            out.extend(keys);
            out
        };
        let left = self.relation(&join.left, &with_keys(&mut join.keys.iter().map(|(l, _)| *l)));
        let right = self.relation(&join.right, &with_keys(&mut join.keys.iter().map(|(_, r)| *r)));
        let sides = Sides::new(&left, &right, &join.keys);
        let rest = join.residual.as_ref().map_or(1.0, crate::cost::passing);
        let rows = joined_rows(join, &sides, rest);
        let (before_left, before_right) = (left.rows, right.rows);
        let mut columns = Vec::with_capacity(wanted.len());
        for (relation, before) in [(left, before_left), (right, before_right)] {
            for (id, numbers) in relation.columns {
                if wanted.contains(&id) && !columns.iter().any(|(known, _)| *known == id) {
                    columns.push((id, numbers.thinned(before, rows)));
                }
            }
        }
        Relation { rows, columns }
    }
}

fn joined_rows(join: &Join, sides: &Sides<'_>, rest: f64) -> f64 {
    let (left, right) = (sides.left.rows, sides.right.rows);
    let mirrored = join.kind == JoinKind::Right;
    let matched = || match mirrored {
        true => {
            let keys: Vec<_> = join.keys.iter().map(|(l, r)| (*r, *l)).collect();
            Sides::new(sides.right, sides.left, &keys).matched() * rest
        }
        false => sides.matched() * rest,
    };
    let kept = if mirrored { right } else { left };
    match (join.strictness, join.kind) {
        (_, JoinKind::Paste) => left.min(right),
        (Strictness::Semi, _) => matched(),
        (Strictness::Anti, _) => (kept - matched()).max(kept * 0.05),
        (Strictness::Any, JoinKind::Inner) => matched(),
        (Strictness::Asof, JoinKind::Inner) => left,
        (Strictness::Any | Strictness::Asof, JoinKind::Full) => left + right,
        (Strictness::Any | Strictness::Asof, _) => kept,
        (Strictness::All, JoinKind::Inner | JoinKind::Cross) => sides.pairs() * rest,
        (Strictness::All, JoinKind::Left | JoinKind::Right) => (sides.pairs() * rest).max(kept),
        (Strictness::All, JoinKind::Full) => (sides.pairs() * rest).max(left).max(right),
    }
}
