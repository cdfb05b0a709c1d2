//! What is known about the noise of a query before it is measured.

use entasis_base::Result;
use entasis_stats::paired;
use entasis_stats::variance::{Prior, fit_prior};

use crate::measure::Sides;

/// What history knows of a query on this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// Variance of the difference of one pair of processes in comparisons of equal sides, and the
    /// degrees of freedom that it rests on.
    pub pair: Option<(f64, f64)>,
    /// Seconds of a run.
    pub seconds: Option<f64>,
    /// Why its verdicts are not trusted: it failed comparisons of equal sides.
    pub quarantine: Option<&'static str>,
}

/// More than so many degrees of freedom no history is worth: machines change.
const MOST: f64 = 12.0;
/// Fewer are not a history.
const LEAST: f64 = 4.0;

/// The prior without any history: medians of earlier measurements (0.3 % between processes, 0.8 %
/// within them, three runs), with little weight.
const UNKNOWN: Prior =
    Prior { df: 2.0, variance: 2.0 * (0.003 * 0.003 + 1.57 * 0.008 * 0.008 / 3.0) };
/// Pairs of processes that tell enough of their own noise.
pub(crate) const LONE_PAIRS: usize = 4;
/// So many queries tell of the others.
const ENOUGH: usize = 8;

/// The prior of all queries of a run from the variances that its own pairs of processes showed,
/// with their degrees of freedom; none if too few vary. How much it is worth depends on how alike
/// the queries are.
fn fit(variances: &[(f64, f64)]) -> Result<Option<Prior>> {
    let varying = variances.iter().filter(|(variance, _)| *variance > 0.0).count();
    if varying < ENOUGH {
        return Ok(None);
    }
    // Sums of floats depend on their order, verdicts must not.
    let mut variances = variances.to_vec();
    variances.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let prior = fit_prior(&variances)?;
    Ok(Some(Prior { df: prior.df.min(MOST), ..prior }))
}

/// [`fit`], or what is assumed of any query.
pub(super) fn fit_or_assumed(variances: &[(f64, f64)]) -> Result<Prior> {
    Ok(fit(variances)?.unwrap_or(UNKNOWN))
}

/// [`fit`] from samples: of those pairs of processes that are two or more.
pub fn common<'a>(all: impl IntoIterator<Item = &'a Sides>) -> Result<Option<Prior>> {
    let mut variances = Vec::new();
    for (old, new) in all {
        variances.extend(pair_variance(old, new)?);
    }
    fit(&variances)
}

/// Variance of one pair's difference and its degrees of freedom; none of fewer than two pairs.
pub fn pair_variance(old: &[Vec<f64>], new: &[Vec<f64>]) -> Result<Option<(f64, f64)>> {
    Ok(paired::pair_variance(&paired::differences(old, new)?))
}

impl Known {
    /// The fewest pairs of processes that a verdict rests on: two or three noisy ones agree by
    /// chance too often where nothing but themselves tells of their noise.
    pub fn least_pairs(&self, others: Option<Prior>) -> usize {
        if self.history().is_some() || others.is_some() { 1 } else { LONE_PAIRS }
    }

    /// The query's own history where it is long enough, else what the other queries say. Without
    /// either a guess stands in, which counts for nothing once the query's own pairs, `(variance,
    /// degrees of freedom)`, prove noisier: it would pass a tenth of a millisecond of luck for
    /// an effect.
    pub fn prior(&self, others: Option<Prior>, own: Option<(f64, f64)>) -> Prior {
        let noisier = own.is_some_and(|(variance, df)| df > 0.0 && variance > UNKNOWN.variance);
        let guess = Prior { df: if noisier { 0.0 } else { UNKNOWN.df }, ..UNKNOWN };
        self.history().or(others).unwrap_or(guess)
    }

    /// The query's own history where it is long enough.
    pub(super) fn history(&self) -> Option<Prior> {
        let (variance, df) = self.pair.filter(|(_, df)| *df >= LEAST)?;
        Some(Prior { df: df.min(MOST), variance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_history_goes_first() {
        let others = Prior { df: 3.0, variance: 2.0 };
        let own = |pair| Known { pair, ..Known::default() }.prior(Some(others), None);
        assert_eq!(own(None), others);
        assert_eq!(own(Some((1.0, 3.0))), others);
        assert_eq!(own(Some((1.0, 7.0))), Prior { df: 7.0, variance: 1.0 });
        assert_eq!(own(Some((1.0, 70.0))), Prior { df: 12.0, variance: 1.0 });
    }

    #[test]
    fn a_guess_gives_way_to_noisier_pairs() {
        let prior = |own| Known::default().prior(None, own);
        assert_eq!(prior(None), UNKNOWN);
        assert_eq!(prior(Some((0.0, 7.0))), UNKNOWN);
        assert_eq!(prior(Some((0.01, 7.0))).df, 0.0);
        let least = |others| Known::default().least_pairs(others);
        assert!(least(None) == LONE_PAIRS && least(Some(UNKNOWN)) == 1);
    }

    #[test]
    fn few_queries_say_nothing_of_others() {
        assert_eq!(fit(&[(1.0, 7.0); 7]).unwrap(), None);
        assert_eq!(fit_or_assumed(&[(1.0, 7.0); 7]).unwrap(), UNKNOWN);
        let fitted = fit(&[(1.0, 7.0), (1.2, 7.0), (0.9, 7.0), (1.1, 7.0), (1.0, 7.0)].repeat(2));
        let fitted = fitted.unwrap().unwrap();
        assert!(fitted.df == MOST && (fitted.variance - 1.0).abs() < 0.3, "{fitted:?}");
    }
}
