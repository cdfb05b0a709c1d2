//! When did a series change? E-divisive with confirmation (Matteson and James 2014; made fit for
//! performance histories by Fleming and Kolaczkowski, "Hunter", 2023).
//!
//! 1. Candidates: the whole series is split where the energy statistic Q is largest, and each half
//!    again, as long as a lenient test agrees; the same inside overlapping windows of several
//!    sizes, since a change that was soon undone hardly shows in a long series.
//! 2. Weak points are merged away: each candidate is tested between its neighbours, the weakest
//!    goes, until all that are left pass. Places are then refined between neighbours.
//!
//! Deviation: Q's place is chosen among many, so a plain t test would call every tenth window of
//! noise a change. The t here is corrected for the choice (Vostrikova 1981); the permutation test
//! needs no correction, as it chooses a place in each permuted series, too.
//! Absent: state between calls. A series that grows is looked at again as a whole.

use std::collections::BTreeSet;
use std::ops::Range;

use entasis_base::Result;

use crate::distribution::{normal_above, normal_density, t_two_sided};
use crate::energy::Segment;
use crate::rng::{Resampling, shuffle, stream};
use crate::sample::{bad, check, check_fraction, mean, squares};

/// Halvings of halves; bounds the time where splits are lopsided.
const DEPTH: u32 = 32;
/// Means that differ by less than this share of their size differ by rounding.
const ROUNDING: f64 = 1e-12;

/// How a change is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// Student's t of the means, corrected for the choice of the place. Cheap; asks for noise that
    /// is roughly normal. Outliers mislead it (`docs/laboratory.md` has figures).
    Student,
    /// Permutations of the segment. Any kind of change, and hardly misled by outliers; costs a scan
    /// per draw.
    Permutation(Resampling),
}

/// What counts as a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Level of the confirmation.
    pub p: f64,
    /// Fewest points between changes, and before the first and after the last; 2 or more.
    pub least_segment: usize,
    /// Smallest difference of means on both sides.
    pub least_step: f64,
    /// Length of the windows, which are halved down to four segments; `None` looks at the whole
    /// series only.
    pub window: Option<usize>,
    /// The test.
    pub confirm: Confirm,
}

impl Default for Rules {
    /// p < 0.001, segments of 3, any step, windows of 50, Student's t.
    fn default() -> Self {
        Self {
            p: 0.001,
            least_segment: 3,
            least_step: 0.0,
            window: Some(50),
            confirm: Confirm::Student,
        }
    }
}

/// A change between two neighbouring changes (or ends of the series).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first point after it.
    pub at: usize,
    /// Mean of the segment before.
    pub before: f64,
    /// Mean of the segment after.
    pub after: f64,
    /// Q of the two segments.
    pub q: f64,
    /// p of the confirmation.
    pub p: f64,
}

/// The changes of a series in ascending order; give it logarithms, or log ratios to a reference.
///
/// With Student's t about O(n log^2 n) time, at worst O(n^2), and O(n) memory. With permutations as
/// many times more as there are draws, for segments that have a change (others stop early): seconds
/// instead of milliseconds for 10,000 points. At the level 0.001 white noise shows about one change
/// in 25,000 points (16 in 200 series of 2,000). No p is below what permutations of so few points
/// could show: with segments of three the rest must have 21 points for p below 0.001.
///
/// A series shorter than two segments has none. An error for points that are not finite, rules out
/// of range, or fewer draws than the level needs.
pub fn changes(series: &[f64], rules: &Rules) -> Result<Vec<Change>> {
    check("change points", series, 0)?;
    check_fraction("level of change points", rules.p)?;
    let window = rules.window.unwrap_or(usize::MAX);
    let two = rules.least_segment.saturating_mul(2);
    if rules.least_segment < 2 || window < two || rules.least_step.is_nan() {
        return Err(bad(format!(
            "change points with segments of {} and windows of {:?}: expected segments of 2 or more, \
             windows of two segments or more",
            rules.least_segment, rules.window
        )));
    }
    if let Confirm::Permutation(Resampling { draws, .. }) = rules.confirm
        && (f64::from(draws) + 1.0) * rules.p < 1.0
    {
        return Err(bad(format!(
            "{draws} permutations never show p < {}: ask for {:.0} or more",
            rules.p,
            1.0 / rules.p
        )));
    }
    let mut search = Search { series, rules, cuts: candidates(series, rules) };
    search.separate();
    search.fill();
    search.merge();
    search.refine();
    search.merge();
    Ok(search.report())
}

fn candidates(series: &[f64], rules: &Rules) -> Vec<usize> {
    // Lenient, as changes mask each other; the merge removes what is noise.
    let level = (20.0 * rules.p).clamp(rules.p, 0.05_f64.max(rules.p));
    let mut found = BTreeSet::new();
    divide(series, rules, 0..series.len(), level, &mut found);
    // Spells shorter than half a window mask each other in it: smaller windows look between them.
    let smallest = rules.least_segment.saturating_mul(4);
    let halved = |w: &usize| (w / 2 >= smallest).then_some(w / 2);
    for window in std::iter::successors(rules.window, halved).filter(|w| *w < series.len()) {
        let last = series.len() - window;
        for start in (0..last).step_by(window / 4).chain([last]) {
            divide(series, rules, start..start + window, level, &mut found);
        }
    }
    found.into_iter().collect()
}

/// Splits a stretch of the series again and again while the test at this level agrees.
fn divide(
    series: &[f64],
    rules: &Rules,
    whole: Range<usize>,
    level: f64,
    found: &mut BTreeSet<usize>,
) {
    let mut open = vec![(whole, 0)];
    while let Some((range, depth)) = open.pop() {
        let segment = Segment::new(&series[range.clone()]);
        let Some(best) = segment.best(&segment.ranks, rules.least_segment) else { continue };
        if depth < DEPTH && significance(series, rules, range.clone(), best.at, level) <= level {
            let at = range.start + best.at;
            found.insert(at);
            open.push((range.start..at, depth + 1));
            open.push((at..range.end, depth + 1));
        }
    }
}

/// p of a change `at` points into the range, given that the place was chosen. A test by draws may
/// stop as soon as p exceeds `level` (Besag and Clifford 1991).
fn significance(series: &[f64], rules: &Rules, range: Range<usize>, at: usize, level: f64) -> f64 {
    let samples = &series[range.clone()];
    match rules.confirm {
        Confirm::Student => {
            let point = student(&samples[..at], &samples[at..]);
            let chosen = for_chosen_place(point, samples.len(), rules.least_segment);
            chosen.max(least_p(samples.len(), at))
        }
        Confirm::Permutation(resampling) => {
            let segment = Segment::new(samples);
            let observed = segment.q(at) * (1.0 - ROUNDING);
            if !observed.is_finite() {
                return 1.0; // sums overflowed
            }
            let mut rng = stream(resampling.seed, &[range.start as u64, range.end as u64]);
            let mut ranks = segment.ranks.clone();
            let (mut reached, mut drawn) = (1.0, 1.0);
            for _ in 0..resampling.draws {
                shuffle(&mut rng, &mut ranks);
                let best = segment.best(&ranks, rules.least_segment);
                drawn += 1.0;
                reached += f64::from(u8::from(best.is_none_or(|b| b.q >= observed)));
                if reached > level * (f64::from(resampling.draws) + 1.0) {
                    break;
                }
            }
            reached / drawn
        }
    }
}

/// p of equal means, two-sided, by the pooled t test; 0 for any step without variance.
fn student(left: &[f64], right: &[f64]) -> f64 {
    let (before, after) = (mean(left), mean(right));
    let step = (after - before).abs();
    if step <= ROUNDING * before.abs().max(after.abs()) {
        return 1.0;
    }
    let (a, b) = (left.len() as f64, right.len() as f64);
    let variance = (squares(left) + squares(right)) / (a + b - 2.0);
    let t = step / (variance * (1.0 / a + 1.0 / b)).sqrt();
    if t.is_nan() { 1.0 } else { t_two_sided(t, a + b - 2.0) }
}

/// The p of the best of all places, given that of one: the asymptotic tail of a Brownian bridge
/// over its deviation, `least / n` from the ends (Vostrikova 1981; Csorgo and Horvath 1997, 1.3),
/// or the p of one place times their number, if that is less.
fn for_chosen_place(p: f64, n: usize, least: usize) -> f64 {
    let z = normal_above(p / 2.0);
    let places = (n + 1).saturating_sub(2 * least) as f64;
    let all = (p * places).min(1.0);
    if z < 1.5 || z == f64::INFINITY {
        return all;
    }
    let edge = least as f64 / n as f64;
    let stretch = 2.0 * ((1.0 - edge) / edge).ln();
    let square = z * z;
    let tail = z * normal_density(z) * (stretch - stretch / square + 4.0 / square);
    tail.min(all).max(p)
}

/// The smallest p that permutations could show of a change `at` points into `n`: both parts are
/// separate in one order of `n` choose `at`, or the other way round. Three points against three
/// that do not vary are a change to Student's t whatever their values are, and 1 / 10 by chance.
fn least_p(n: usize, at: usize) -> f64 {
    let (mut ways, mut left) = (1.0, n as f64);
    for chosen in 1..=at.min(n - at) {
        // Whole numbers, so that none is rounded.
        ways = ways * left / chosen as f64;
        left -= 1.0;
        if ways > 1e18 {
            break;
        }
    }
    2.0 / ways
}

struct Search<'a> {
    series: &'a [f64],
    rules: &'a Rules,
    /// Ascending.
    cuts: Vec<usize>,
}

impl Search<'_> {
    /// From the change before number `i`, or the start, to the one after, or the end.
    fn around(&self, i: usize) -> Range<usize> {
        let start = if i == 0 { 0 } else { self.cuts[i - 1] };
        start..self.cuts.get(i + 1).copied().unwrap_or(self.series.len())
    }

    /// Of candidates closer than a segment, keeps those that explain more of the variance.
    fn separate(&mut self) {
        let mut i = 0;
        while i + 1 < self.cuts.len() {
            if self.cuts[i + 1] - self.cuts[i] >= self.rules.least_segment {
                i += 1;
                continue;
            }
            let range = self.around(i).start..self.around(i + 1).end;
            let explained = |cut: usize| {
                let (left, right) = (&self.series[range.start..cut], &self.series[cut..range.end]);
                let (a, b) = (left.len() as f64, right.len() as f64);
                (mean(left) - mean(right)).powi(2) * a * b / (a + b)
            };
            let loser =
                if explained(self.cuts[i]) < explained(self.cuts[i + 1]) { i } else { i + 1 };
            self.cuts.remove(loser);
            i = i.saturating_sub(1);
        }
    }

    /// Looks once more between the candidates: a stretch that hides a change makes its neighbours
    /// look weak, and the merge would remove one after the other.
    fn fill(&mut self) {
        for _ in 0..DEPTH {
            let mut all: BTreeSet<usize> = self.cuts.iter().copied().collect();
            let ends = self.cuts.iter().copied().chain([self.series.len()]);
            let mut start = 0;
            for end in ends {
                divide(self.series, self.rules, start..end, self.rules.p, &mut all);
                start = end;
            }
            if all.len() == self.cuts.len() {
                return;
            }
            self.cuts = all.into_iter().collect();
        }
    }

    /// p of change number `i` between its neighbours.
    fn p(&self, i: usize) -> f64 {
        let range = self.around(i);
        let at = self.cuts[i] - range.start;
        significance(self.series, self.rules, range, at, self.rules.p)
    }

    fn step(&self, i: usize) -> f64 {
        let Range { start, end } = self.around(i);
        mean(&self.series[self.cuts[i]..end]) - mean(&self.series[start..self.cuts[i]])
    }

    /// Removes the weakest change until all are significant and large enough.
    fn merge(&mut self) {
        let mut p: Vec<f64> = (0..self.cuts.len()).map(|i| self.p(i)).collect();
        let mut steps: Vec<f64> = (0..self.cuts.len()).map(|i| self.step(i).abs()).collect();
        loop {
            let weak = |i: &usize| p[*i] > self.rules.p || steps[*i] < self.rules.least_step;
            let order =
                |&a: &usize, &b: &usize| p[a].total_cmp(&p[b]).then(steps[b].total_cmp(&steps[a]));
            let Some(weakest) = (0..self.cuts.len()).filter(weak).max_by(order) else { return };
            self.cuts.remove(weakest);
            p.remove(weakest);
            steps.remove(weakest);
            for i in [weakest.wrapping_sub(1), weakest] {
                if i < self.cuts.len() {
                    p[i] = self.p(i);
                    steps[i] = self.step(i).abs();
                }
            }
        }
    }

    /// Puts every change at the best place between its neighbours.
    fn refine(&mut self) {
        for i in 0..self.cuts.len() {
            let range = self.around(i);
            let segment = Segment::new(&self.series[range.clone()]);
            if let Some(best) = segment.best(&segment.ranks, self.rules.least_segment) {
                self.cuts[i] = range.start + best.at;
            }
        }
    }

    fn report(&self) -> Vec<Change> {
        let change = |i: usize| {
            let (range, at) = (self.around(i), self.cuts[i]);
            Change {
                at,
                before: mean(&self.series[range.start..at]),
                after: mean(&self.series[at..range.end]),
                q: Segment::new(&self.series[range.clone()]).q(at - range.start),
                p: self.p(i),
            }
        };
        (0..self.cuts.len()).map(change).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::normal;

    fn noise(seed: u64, n: usize) -> Vec<f64> {
        let mut rng = stream(seed, &[]);
        (0..n).map(|_| normal(&mut rng)).collect()
    }

    fn places(series: &[f64], rules: &Rules) -> Vec<usize> {
        changes(series, rules).unwrap().iter().map(|c| c.at).collect()
    }

    #[test]
    fn planted_steps_are_found() {
        let mut series = noise(1, 600);
        // A step that stays, and a spell of twenty points that was undone.
        series[200..].iter_mut().for_each(|x| *x += 4.0);
        series[400..420].iter_mut().for_each(|x| *x += 5.0);
        let permutation = Confirm::Permutation(Resampling { seed: 1, draws: 999 });
        for confirm in [Confirm::Student, permutation] {
            let found = changes(&series, &Rules { confirm, ..Rules::default() }).unwrap();
            let at: Vec<usize> = found.iter().map(|c| c.at).collect();
            let close = at.iter().zip([200, 400, 420]).all(|(a, e)| a.abs_diff(e) <= 1);
            assert!(at.len() == 3 && close, "{confirm:?}: {at:?}");
            assert!((found[0].after - found[0].before - 4.0).abs() < 0.5 && found[0].p <= 0.001);
            assert!(found[0].q > 100.0);
        }
    }

    #[test]
    fn a_small_step_needs_the_whole_series() {
        let (mut error, mut alone) = (0, 0);
        for seed in 0..20 {
            let mut series = noise(seed, 2000);
            series[1000..].iter_mut().for_each(|x| *x += 0.4);
            let found = places(&series, &Rules::default());
            alone += usize::from(found.len() == 1);
            error += found.iter().map(|at| at.abs_diff(1000)).min().unwrap();
        }
        assert!(alone >= 18, "{alone}");
        // A place is known to some multiple of (noise / step)^2, six points here.
        assert!(error < 20 * 40, "{error}");
    }

    #[test]
    fn a_short_spell_is_found() {
        let mut found = 0;
        for seed in 0..100u64 {
            let (start, length) = (100 + (seed as usize * 7) % 50, 3 + seed as usize % 6);
            let mut series = noise(seed, 300);
            series[start..start + length].iter_mut().for_each(|x| *x += 8.0);
            found += usize::from(places(&series, &Rules::default()) == [start, start + length]);
        }
        assert!(found >= 95, "{found}");
    }

    #[test]
    fn short_spells_do_not_mask_each_other() {
        let mut series = noise(5, 600);
        series
            .iter_mut()
            .enumerate()
            .for_each(|(i, x)| *x += if i / 8 % 2 == 0 { 0.0 } else { 15.0 });
        let expected: Vec<usize> = (8..600).step_by(8).collect();
        let found = places(&series, &Rules::default());
        let hits = expected.iter().filter(|e| found.contains(e)).count();
        assert!(hits * 10 >= expected.len() * 9 && found.len() <= expected.len(), "{found:?}");
    }

    #[test]
    fn noise_is_left_alone() {
        let count = |rules: &Rules, n: usize, rounds: u64| -> usize {
            (0..rounds).map(|seed| places(&noise(100 + seed, n), rules).len()).sum()
        };
        // 100,000 points.
        let found = count(&Rules::default(), 2000, 50);
        assert!(found <= 12, "{found}");
        let alone = Rules { p: 0.05, window: None, ..Rules::default() };
        let found = count(&alone, 60, 1000);
        assert!((10..=50).contains(&found), "{found}");
    }

    #[test]
    fn an_outlier_is_no_change() {
        let mut series = noise(3, 300);
        series[150] += 40.0;
        assert_eq!(places(&series, &Rules::default()), [0usize; 0]);
    }

    #[test]
    fn series_without_noise() {
        let mut series = vec![0.1; 50];
        assert_eq!(places(&series, &Rules::default()), [0usize; 0]);
        series.extend([0.2; 3]);
        series.extend([0.3; 40]);
        let found = changes(&series, &Rules::default()).unwrap();
        assert_eq!(found.iter().map(|c| c.at).collect::<Vec<_>>(), [50, 53]);
        let rules = Rules { least_step: 0.15, ..Rules::default() };
        assert!(places(&series, &rules).len() <= 1);
    }

    #[test]
    fn few_points_show_no_more_than_their_orders() {
        assert_eq!(least_p(6, 3), 0.1);
        assert_eq!((least_p(16, 8), least_p(16, 3)), (2.0 / 12870.0, 2.0 / 560.0));
        assert!(least_p(10_000, 5000) < 1e-17);
        let step = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        let found = |p: f64, confirm| changes(&step, &Rules { p, confirm, ..Rules::default() });
        let permutation = Confirm::Permutation(Resampling { seed: 1, draws: 9999 });
        for confirm in [Confirm::Student, permutation] {
            assert_eq!(found(0.05, confirm).unwrap(), []);
            let change = found(0.2, confirm).unwrap()[0];
            assert!(change.at == 3 && (change.p - 0.1).abs() < 0.02, "{change:?}");
        }
        assert_eq!(found(0.2, Confirm::Student).unwrap()[0].p, 0.1);
    }

    #[test]
    fn outliers_mislead_permutations_less() {
        // Noise of 1 % in which one point of twenty is 50 % larger.
        let series = |seed: u64| -> Vec<f64> {
            let mut rng = stream(seed, &[]);
            let point = |_| 0.01 * normal(&mut rng) + if rng.unit() < 0.05 { 0.4 } else { 0.0 };
            (0..1000).map(point).collect()
        };
        let count = |confirm| -> usize {
            let rules = Rules { confirm, ..Rules::default() };
            (0..6).map(|seed| places(&series(50 + seed), &rules).len()).sum()
        };
        let permutation = Confirm::Permutation(Resampling { seed: 1, draws: 1999 });
        let (student, drawn) = (count(Confirm::Student), count(permutation));
        assert!(3 * drawn < student, "{student} {drawn}");
    }

    #[test]
    fn short_series_and_bad_rules() {
        for n in 0..6 {
            assert_eq!(places(&noise(4, n), &Rules::default()), [0usize; 0]);
        }
        let error = |rules: Rules| changes(&[1.0; 20], &rules).unwrap_err().to_string();
        assert!(error(Rules { p: 0.0, ..Rules::default() }).contains("level"));
        assert!(error(Rules { least_segment: 1, ..Rules::default() }).contains("segments of 1"));
        assert!(error(Rules { window: Some(5), ..Rules::default() }).contains("windows of"));
        let few = Confirm::Permutation(Resampling { seed: 1, draws: 100 });
        assert!(error(Rules { confirm: few, ..Rules::default() }).contains("ask for 1000"));
        assert!(changes(&[1.0, f64::NAN], &Rules::default()).is_err());
        let wild = [f64::MAX, f64::MIN].repeat(20);
        assert!(changes(&wild, &Rules::default()).is_ok());
        let confirm = Confirm::Permutation(Resampling { seed: 1, draws: 999 });
        assert_eq!(places(&wild, &Rules { confirm, ..Rules::default() }), [0usize; 0]);
        let long = Rules { least_segment: usize::MAX, window: None, ..Rules::default() };
        assert_eq!(places(&[1.0; 20], &long), [0usize; 0]);
    }
}
