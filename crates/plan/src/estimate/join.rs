//! Estimates joins. Keys are assumed to be contained in each other: every value of the side with
//! fewer distinct values has a match on the other side.

use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};

use super::{Estimator, Numbers, Relation, band};
use crate::{Band, Join, JoinAlgorithm, JoinKind, Plan, Strictness};

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

/// The share of left rows with equal keys that have a match if each pair passes further conditions
/// with the share `rest`: one of its pairs is enough.
pub(crate) fn with_any(rest: f64, pairs_each: f64) -> f64 {
    1.0 - (1.0 - rest.clamp(0.0, 1.0)).powf(pairs_each.max(1.0))
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

    /// The same join with its sides swapped.
    fn mirrored(&self, keys: &[(ColumnId, ColumnId)]) -> Self {
        let keys: Vec<_> = keys.iter().map(|(l, r)| (*r, *l)).collect();
        Self::new(self.right, self.left, &keys)
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

    /// The number of left rows that have a match if a pair passes further conditions with the share
    /// `rest`.
    fn matched_by(&self, rest: f64) -> f64 {
        let matched = self.matched();
        matched * with_any(rest, self.pairs() / matched.max(1e-9))
    }
}

/// The share of pairs with equal keys that the join returns: what its algorithm compares, and its
/// further condition.
fn rest_of(join: &Join, left: &Relation, right: &Relation) -> f64 {
    let both = Relation::beside([left, right].into_iter());
    let mut conditions: Vec<Expr> = Vec::new();
    join.residual.iter().for_each(|residual| tree::conjuncts(residual.clone(), &mut conditions));
    if let JoinAlgorithm::Band(Band { reach: Some((reach, end)), .. }) = &join.algorithm {
        // It is tested again, but counts once.
        conditions.retain(|condition| band::less(condition) != Some((end.column, *reach)));
    }
    let shares = band::shares(&both, &conditions.iter().collect::<Vec<_>>());
    let by_algorithm = match &join.algorithm {
        JoinAlgorithm::Hash
        | JoinAlgorithm::Direct
        | JoinAlgorithm::Lookup
        | JoinAlgorithm::Merge(_) => 1.0,
        JoinAlgorithm::Alternatives(lists) => {
            let none = |keys: &Vec<_>| {
                let sides = Sides::new(left, right, keys);
                1.0 - all_equal(sides.shares.iter().map(|(share, _)| *share).collect())
            };
            1.0 - lists.iter().map(none).product::<f64>()
        }
        JoinAlgorithm::Band(band) => share_of_band(&both, band),
    };
    by_algorithm * shares.into_iter().product::<f64>()
}

/// The share of pairs within a band. Without numbers, each end keeps as much as an inequality.
fn share_of_band(both: &Relation, band: &Band) -> f64 {
    const USUAL: f64 = 0.4;
    let less = |low: ColumnId, high: ColumnId| {
        let numbers = both.numbers(low).zip(both.numbers(high));
        numbers.and_then(|(low, high)| low.share_less(high, true)).unwrap_or(USUAL)
    };
    let below = band.below.as_ref().map(|end| (band.by, end.column));
    let above = band.above.as_ref().map(|end| (end.column, band.by));
    let reach = band.reach.as_ref().map(|(reach, end)| (end.column, *reach));
    let (lower, upper) = match (above, below, reach) {
        (Some(above), Some(below), _) => (above, below),
        (None, Some(below), Some(reach)) => (below, reach),
        _ => return below.or(above).map_or(1.0, |(low, high)| less(low, high)),
    };
    let together = band::between(both, lower.0, lower.1, upper.1);
    together.unwrap_or_else(|| less(lower.0, lower.1) * less(upper.0, upper.1))
}

impl Estimator {
    /// A join's rows, and the numbers of its `wanted` columns.
    pub(crate) fn join(&self, join: &Join, wanted: &[ColumnId]) -> Relation {
        let mut asked = wanted.to_vec();
        asked.extend(join.compared().into_iter().flat_map(|(l, r)| [l, r]));
        join.residual.iter().for_each(|residual| residual.columns(&mut asked));
        let side = |side: &Plan| {
            let outputs = side.outputs();
            let of_side: Vec<ColumnId> =
                asked.iter().copied().filter(|id| outputs.contains(id)).collect();
            self.relation(side, &of_side)
        };
        let (left, right) = (side(&join.left), side(&join.right));
        let sides = Sides::new(&left, &right, &join.keys);
        let rest = rest_of(join, &left, &right);
        let rows = joined_rows(join, &sides, rest);
        let (before_left, before_right) = (left.rows, right.rows);
        let outer = |relation: &Relation, sides: &Sides<'_>| {
            let matched = sides.matched_by(rest) / sides.left.rows.max(1e-9);
            relation.clone().outer(matched, join.use_nulls)
        };
        let (left, right) = match join.kind {
            JoinKind::Left => (left.clone(), outer(&right, &sides)),
            JoinKind::Right => (outer(&left, &sides.mirrored(&join.keys)), right.clone()),
            JoinKind::Full => (outer(&left, &sides.mirrored(&join.keys)), outer(&right, &sides)),
            _ => (left, right),
        };
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
        true => sides.mirrored(&join.keys).matched_by(rest),
        false => sides.matched_by(rest),
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
