//! What samples mean: pure functions of samples, of what history knew, and of a seed.
//!
//! Stage 1 is one pair of processes with a few pairs of runs of every query; [`screen`] picks the
//! candidates. Stage 2 is fresh pairs of processes for candidates only; [`interim`] ends it early
//! or goes on beyond the planned pairs, [`judge`] decides. Stage 1's runs are not used again for
//! candidates: an estimate from the runs that selected it is too large. Nothing here looks at a
//! clock or a file, so `lab recompute` gets the same verdicts from the stored samples.

mod judge;
mod modes;
mod noise;
mod outlook;
mod prior;
mod screen;

use entasis_stats::sample::log_ratio;
use entasis_stats::sequential::{Bounds, Looks, Screen};
use entasis_stats::variance::HODGES_LEHMANN_FACTOR;
use entasis_stats::verdict as words;

use self::outlook::Outlook;
use crate::measure::Amount;
pub use judge::{Judged, Subject, Trial, interim, judge};
pub use noise::noise;
pub(crate) use prior::LONE_PAIRS;
pub use prior::{Known, common};
pub use screen::{Screened, common_noise, screen};

/// What is decided by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Runs of stage 1.
    pub first: Amount,
    /// Pairs of processes of stage 2, as planned: `looks` may end it at half of them, or go on.
    pub pairs: usize,
    /// Runs within each of them, for a query that is quiet enough for `wanted`.
    pub each: Amount,
    /// The effect that stage 2 is to find nine times of ten, a log ratio: noisy queries get more
    /// runs than `each` for it. 0: all get as many.
    pub wanted: f64,
    /// Deviations that stage 1 must show.
    pub screen: f64,
    /// Bounds of stage 2.
    pub looks: Looks,
    /// False discovery rate.
    pub q: f64,
    /// Smallest effect of interest, a log ratio; queries may have their own.
    pub least_effect: f64,
    /// Confidence of intervals.
    pub confidence: f64,
    /// Whether all queries go through all of stage 2, whatever stage 1 or half of it says.
    pub confirm: bool,
    /// Whether stage 1 is all, for a look at how sides compare that need no verdict.
    pub first_only: bool,
}

impl Default for Rules {
    /// Five pairs of runs or more, then eight pairs of processes with three or more; 5 %, 1 %,
    /// 95 %. The screening bound of 1.0, the interim looks, the seconds and the wanted effect were
    /// chosen by measurement: on a machine whose runs vary by 12 %, a second of interleaved runs
    /// leaves 1 to 6 % (`docs/laboratory.md`).
    fn default() -> Self {
        Self {
            first: Amount { pairs: 5, seconds: 2.5 },
            pairs: 8,
            each: Amount { pairs: 3, seconds: 1.5 },
            wanted: log_ratio(5.0),
            screen: 1.0,
            looks: Looks::default(),
            q: 0.05,
            least_effect: log_ratio(1.0),
            confidence: 0.95,
            confirm: false,
            first_only: false,
        }
    }
}

/// No query gets more than so many times [`Rules::each`], however noisy it is.
const MOST_STRETCH: f64 = 4.0;

impl Rules {
    /// How many times [`Self::each`] a query gets in a process of stage 2, whose pairs of processes
    /// would disagree with this variance otherwise: noise within a process falls as its runs grow.
    fn stretch(&self, variance: f64) -> f64 {
        let error = self.wanted / self.looks.factor();
        let enough = error * error * self.pairs as f64 / HODGES_LEHMANN_FACTOR;
        let stretch = if enough > 0.0 { variance / enough } else { 1.0 };
        stretch.clamp(1.0, MOST_STRETCH)
    }

    /// The looks' bounds for a query: patient ones if its planned pairs would not show twice the
    /// effect that is wanted.
    fn bounds(&self, outlook: &Outlook) -> Bounds {
        let bounds = self.looks.bounds();
        let shown = outlook.detectable(&self.looks, self.pairs, 0.0);
        let noisy = self.wanted > 0.0 && shown > 2.0 * self.wanted;
        if noisy { bounds.patient() } else { bounds }
    }

    /// Pairs of runs to be expected in a process of stage 2 where stage 1 had `first`.
    fn runs_within(&self, first: usize) -> f64 {
        let shorter = self.each.seconds / self.first.seconds.max(1e-6);
        (first as f64 * shorter.min(1.0)).max(self.each.pairs as f64)
    }

    fn screening(&self, least_effect: f64) -> Screen {
        Screen { least_z: self.screen, least_effect: least_effect / 2.0 }
    }

    fn words(&self, least_effect: f64) -> words::Rules {
        words::Rules { q: self.q, least_effect, ..words::Rules::default() }
    }
}
