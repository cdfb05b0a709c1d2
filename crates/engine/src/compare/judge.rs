//! What the runs of COMPARE show: the verdict, what else differs, and when `auto` has seen enough.
//!
//! An effect is called slower or faster if it is significant and at least as large as the smallest
//! effect of interest. An effect of exactly that size is therefore called only half of the time,
//! whatever the number of runs. The smallest effect that is called nine times of ten is larger
//! (`detectable`); `auto` stops when it is at most a quarter above the smallest effect of interest.
//!
//! Whether `auto` stops depends on the spread and not on the sign, so stopping makes false alarms
//! no more likely. It does favour small spreads: in simulations, intervals of 95 % hold the true
//! effect in 92 to 95 of 100 comparisons, fewest where about twenty pairs are needed. `auto` looks
//! only now and then, as every look is another chance to stop at a spread that is small by chance.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::EVENTS;
use entasis_column::{Bitmap, Chunk, Column, Field, Header};
use entasis_stats::distribution::t_quantile;
use entasis_stats::location::{hodges_lehmann, median};
use entasis_stats::mde::factor_of_threshold;
use entasis_stats::paired::pair_variance;
use entasis_stats::permutation::sign_flip;
use entasis_stats::rng::Resampling;
use entasis_stats::sample::{Interval, logs};
use entasis_stats::variance::{HODGES_LEHMANN_FACTOR, Moderated};
use entasis_stats::verdict::{Evidence, Rules, decide};
use entasis_types::{DataType, TupleType};

use super::{Options, Runs};
use crate::QueryResult;

/// Largest p-value of the sign-flip test at which a difference is called one.
const LEVEL: f64 = 0.01;
/// Fewest pairs of runs that can show a difference, and at which `auto` may stop. The sign-flip
/// test of n pairs answers at least 2 / 2^n, so seven pairs never pass [`LEVEL`], however far apart
/// the sides are.
const FEWEST: usize = 8;
/// Most pairs of runs that `auto` makes.
pub(super) const MOST: usize = 200;
/// Probability with which an effect of the size of `detectable` is found.
const POWER: f64 = 0.9;
/// `auto` stops when `detectable` is at most this many times the smallest effect of interest.
const PRECISE: f64 = 1.25;
/// A counter differs if all runs of one side exceed all runs of the other by this share.
const DIFFERS: f64 = 0.01;

/// Log ratios of pairs of runs, new over old.
pub(super) fn differences(sides: &[Runs<'_>; 2]) -> Result<Vec<f64>> {
    let (old, new) = (logs("old side", &sides[0].seconds)?, logs("new side", &sides[1].seconds)?);
    Ok(new.iter().zip(&old).map(|(new, old)| new - old).collect())
}

/// Standard error of the estimate, and its degrees of freedom.
fn standard_error(differences: &[f64]) -> (f64, f64) {
    let (variance, df) = pair_variance(differences).unwrap_or_default();
    ((variance * HODGES_LEHMANN_FACTOR / differences.len() as f64).sqrt(), df)
}

/// The smallest effect, as a log ratio, that would be called slower or faster nine times of ten. It
/// is far enough beyond the bound of [`LEVEL`] and beyond the smallest effect of interest, both by
/// Student's t, as few pairs do not know their own spread well. NaN if there are fewer pairs than
/// can show a difference.
fn detectable(differences: &[f64], least: f64) -> Result<f64> {
    if differences.len() < FEWEST {
        return Ok(f64::NAN);
    }
    let (error, df) = standard_error(differences);
    let significant = factor_of_threshold(t_quantile(1.0 - LEVEL / 2.0, df), POWER)? * error;
    Ok(significant.max(least + t_quantile(POWER, df) * error))
}

/// Whether `auto` can stop: effects beyond `least` would be found as promised. It is called after
/// each pair, but looks only after 8, 12, 18, 27 pairs and so on.
pub(super) fn seen_enough(differences: &[f64], least: f64) -> Result<bool> {
    let mut looks = std::iter::successors(Some(FEWEST), |pairs| Some(pairs + pairs / 2));
    let look = looks.find(|pairs| *pairs >= differences.len()) == Some(differences.len());
    Ok(look && detectable(differences, least)? <= PRECISE * least)
}

/// Counters of which the runs of both sides do not overlap, the largest difference first: name, old
/// median, new median. Empty if there are fewer pairs than can show a difference: with n pairs, all
/// runs of one side lie beyond all of the other's by chance with a probability of 2 / (2n choose
/// n), for each of many counters. That is 1 / 6435 for eight pairs, and 1 / 10 for three.
fn differing(sides: &[Runs<'_>; 2]) -> Result<Vec<(&'static str, f64, f64)>> {
    let mut apart = Vec::new();
    if sides[0].counts.len() < FEWEST {
        return Ok(apart);
    }
    for (at, event) in EVENTS.iter().enumerate() {
        let of = |side: &Runs<'_>| -> Vec<f64> {
            side.counts.iter().map(|counts| counts.all()[at] as f64).collect()
        };
        let (old, new) = (of(&sides[0]), of(&sides[1]));
        let ends = |v: &[f64]| {
            let low = v.iter().copied().fold(f64::INFINITY, f64::min);
            (low, v.iter().copied().fold(0.0, f64::max))
        };
        let ((old_low, old_high), (new_low, new_high)) = (ends(&old), ends(&new));
        let beyond = |high: f64, low: f64| low > high * (1.0 + DIFFERS);
        if beyond(old_high, new_low) || beyond(new_high, old_low) {
            apart.push((event.name, median(&old)?, median(&new)?));
        }
    }
    let far = |(_, old, new): &(&str, f64, f64)| ((new + 1.0) / (old + 1.0)).ln().abs();
    apart.sort_by(|a, b| far(b).total_cmp(&far(a)));
    Ok(apart)
}

/// What the pairs show, as `decide` takes it, and the interval of their effect.
fn evidence(d: &[f64], seed: u64) -> Result<(Evidence, Interval)> {
    let (theta, (se, df)) = (hodges_lehmann(d)?, standard_error(d));
    let known = Moderated { variance: se * se * d.len() as f64, df };
    let interval = known.interval(theta, d.len(), 0.95)?;
    let p = sign_flip(d, Resampling::new(seed))?.p;
    let (adjusted_p, bimodal, one_way) = (Some(p), false, false);
    let evidence = Evidence { theta, standard_error: se, df, adjusted_p, bimodal, one_way };
    Ok((evidence, interval))
}

/// The row that COMPARE answers.
pub(super) fn report(
    sides: &[Runs<'_>; 2],
    equal: Option<bool>,
    how: &Options,
) -> Result<QueryResult> {
    let d = differences(sides)?;
    let (evidence, interval) = evidence(&d, how.seed)?;
    let rules = Rules { q: LEVEL, least_effect: how.least_effect, ..Rules::default() };
    let verdict = decide(&evidence, &rules)?.name();
    let (old, new) = (median(&sides[0].seconds)?, median(&sides[1].seconds)?);
    let numbers = [
        ("old_seconds", old),
        ("new_seconds", new),
        ("ratio", evidence.theta.exp()),
        ("low", interval.low.exp()),
        ("high", interval.high.exp()),
        ("p_value", evidence.adjusted_p.unwrap_or(f64::NAN)),
        ("detectable", detectable(&d, how.least_effect)?.exp_m1()),
    ];
    let mut fields = vec![Field::new("verdict", DataType::String)];
    let mut columns = vec![texts([verdict])];
    for (name, value) in numbers {
        fields.push(Field::new(name, DataType::Float64));
        columns.push(vec![value].into());
    }
    fields.push(Field::new("runs", DataType::UInt64));
    columns.push(vec![d.len() as u64].into());
    fields.push(Field::new("equal_answers", DataType::nullable(DataType::UInt8)));
    let said = Bitmap::constant(equal.is_some(), 1);
    columns.push(Column::nullable(vec![u8::from(equal == Some(true))].into(), said));
    fields.push(Field::new("differing", DataType::array(counter_type())));
    columns.push(counters(&differing(sides)?));
    Ok(QueryResult::ready(Header::new(fields), vec![Chunk::new(columns, 1)]))
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Column {
    Column::String(texts.into_iter().map(str::as_bytes).collect())
}

/// `Tuple(counter String, old Float64, new Float64)`.
fn counter_type() -> DataType {
    let types = vec![DataType::String, DataType::Float64, DataType::Float64];
    let names = Some(["counter", "old", "new"].map(Into::into).to_vec());
    DataType::Tuple(Arc::new(TupleType { types, names }))
}

fn counters(all: &[(&str, f64, f64)]) -> Column {
    let names = texts(all.iter().map(|(name, _, _)| *name));
    let old: Vec<f64> = all.iter().map(|(_, old, _)| *old).collect();
    let new: Vec<f64> = all.iter().map(|(_, _, new)| *new).collect();
    let tuples = Column::tuple(vec![names, old.into(), new.into()], all.len());
    Column::array(vec![0, all.len() as u32].into(), tuples)
}

#[cfg(test)]
mod tests {
    use entasis_stats::rng::{normal, stream};
    use entasis_stats::verdict::Verdict;

    use super::*;

    #[test]
    fn the_fewest_pairs_can_show_a_difference() {
        let least = |pairs: usize| sign_flip(&vec![1.0; pairs], Resampling::new(0)).unwrap().p;
        assert!(least(FEWEST) <= LEVEL, "{}", least(FEWEST));
        assert!(least(FEWEST - 1) > LEVEL, "{}", least(FEWEST - 1));
    }

    #[test]
    fn few_pairs_must_be_further_apart() {
        let pairs = |n: usize| -> Vec<f64> { (0..n).map(|i| [-0.01, 0.01][i % 2]).collect() };
        assert!(detectable(&pairs(FEWEST - 1), 0.0).unwrap().is_nan());
        // In units of the standard error: the quantile of t, and 1.2816 for nine times of ten.
        let factor = |n: usize| detectable(&pairs(n), 0.0).unwrap() / standard_error(&pairs(n)).0;
        assert_eq!(standard_error(&pairs(8)).1, 5.0);
        assert!((factor(8) - (4.0321 + 1.2816)).abs() < 1e-3, "{}", factor(8));
        assert!((factor(1000) - (2.5824 + 1.2816)).abs() < 1e-3, "{}", factor(1000));
        // The effect must exceed the smallest effect of interest as well: 1.4759 is the quantile
        // 0.9 of t.
        let error = standard_error(&pairs(8)).0;
        let beyond = (detectable(&pairs(8), 1.0).unwrap() - 1.0) / error;
        assert!((beyond - 1.4759).abs() < 1e-3, "{beyond}");
    }

    #[test]
    fn auto_looks_now_and_then() {
        let looks: Vec<usize> = (1..=MOST)
            .filter(|&pairs| {
                let quiet: Vec<f64> = (0..pairs).map(|at| 1e-6 * (at % 2) as f64).collect();
                seen_enough(&quiet, 0.02).unwrap()
            })
            .collect();
        assert_eq!(looks, [8, 12, 18, 27, 40, 60, 90, 135]);
    }

    /// Simulates `count` comparisons by `auto` of sides that differ by `effect`: the share that is
    /// called slower or faster, the share whose interval holds the effect, and the mean number of
    /// pairs. The deviation of a pair is half of the smallest effect of interest.
    fn comparisons(count: u32, effect: f64, seed: u64) -> (f64, f64, f64) {
        let least = 0.02;
        let rules = Rules { q: LEVEL, least_effect: least, ..Rules::default() };
        let mut rng = stream(seed, &[]);
        let (mut called, mut held, mut pairs) = (0u32, 0u32, 0);
        for _ in 0..count {
            let mut d: Vec<f64> = Vec::new();
            while d.len() < MOST && !seen_enough(&d, least).unwrap() {
                d.push(effect * least + least / 2.0 * normal(&mut rng));
            }
            let (evidence, interval) = evidence(&d, 1).unwrap();
            let verdict = decide(&evidence, &rules).unwrap();
            called += u32::from(matches!(verdict, Verdict::Slower | Verdict::Faster));
            held += u32::from(interval.contains(effect * least));
            pairs += d.len();
        }
        let share = |of: u32| f64::from(of) / f64::from(count);
        (share(called), share(held), pairs as f64 / f64::from(count))
    }

    #[test]
    fn auto_finds_what_it_promises() {
        let (called, held, pairs) = comparisons(400, PRECISE, 1);
        // 2,500 such comparisons gave 0.916, 0.927 and 10.6.
        assert!((0.86..=0.97).contains(&called), "{called}");
        assert!((0.87..=0.98).contains(&held), "{held}");
        assert!((9.5..12.0).contains(&pairs), "{pairs}");
        // An effect of exactly the smallest size of interest is called half of the time, no effect
        // hardly ever.
        let (called, ..) = comparisons(400, 1.0, 2);
        assert!((0.35..=0.65).contains(&called), "{called}");
        let (called, held, _) = comparisons(400, 0.0, 3);
        assert!(called <= 0.02 && held >= 0.87, "{called} {held}");
    }
}
