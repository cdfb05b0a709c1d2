//! Bimodal queries: if the processes of a query fall into two groups, no single time describes it,
//! and no number of runs within one process shows this.

use entasis_base::Result;

use crate::sample::{check, mean, sorted, squares};

/// The best division of values into two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clusters {
    /// How many values are in the lower group.
    pub low_count: usize,
    /// How many are in the upper group.
    pub high_count: usize,
    /// Mean of the lower group.
    pub low: f64,
    /// Mean of the upper group.
    pub high: f64,
    /// The empty stretch between the groups.
    pub gap: f64,
    /// Standard deviation within the groups, pooled.
    pub within_sd: f64,
}

/// What counts as two modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// How many times the deviation within the groups the gap must exceed.
    pub ratio: f64,
    /// How large the gap must be itself (a log ratio): modes closer than an effect of interest
    /// do not matter, and values of coarse resolution have gaps and no deviation.
    pub least_gap: f64,
}

impl Rule {
    /// Five deviations, and the given gap.
    pub fn new(least_gap: f64) -> Self {
        Self { ratio: 5.0, least_gap }
    }

    /// Whether the groups are two modes.
    ///
    /// One normal mode passes for two by chance: 8 % of 4 values, 4 % of 6, 0.8 % of 8, 0.1 % of
    /// 12 (simulated, five deviations, no least gap). With few processes pool those of several A/A
    /// runs before a query is quarantined.
    pub fn bimodal(&self, clusters: &Clusters) -> bool {
        clusters.gap > self.ratio * clusters.within_sd && clusters.gap >= self.least_gap
    }
}

/// Divides values, one per process (such as the median log time), into a lower and an upper group
/// of two or more each, so that squares within are least: the exact 2-means of a line.
///
/// `None` of fewer than four values: a lone one is an outlier, not a mode. O(n log n).
pub fn two_clusters(values: &[f64]) -> Result<Option<Clusters>> {
    check("bimodality", values, 0)?;
    let values = sorted(values);
    let centre = mean(&values);
    let (n, mut sum) = (values.len(), 0.0);
    // Squares between the groups are largest where those within are least. About the common mean
    // they follow from the sum of the lower group alone.
    let mut best: Option<(f64, usize)> = None;
    for (at, value) in values.iter().enumerate().take(n.saturating_sub(2)) {
        sum += value - centre;
        let cut = at + 1;
        let between = sum * sum / (cut * (n - cut)) as f64;
        if cut >= 2 && best.is_none_or(|(largest, _)| between > largest) {
            best = Some((between, cut));
        }
    }
    let Some((_, cut)) = best else { return Ok(None) };
    let (low, high) = values.split_at(cut);
    let within = squares(low) + squares(high);
    Ok(Some(Clusters {
        low_count: low.len(),
        high_count: high.len(),
        low: mean(low),
        high: mean(high),
        gap: high[0] - low[low.len() - 1],
        within_sd: (within / (n - 2) as f64).sqrt(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{normal, stream};

    #[test]
    fn two_modes_are_found() {
        // Seconds of a query with two memory layouts, drawn when the process starts.
        let values = [0.197, 0.235, 0.1975, 0.236, 0.1965, 0.198].map(f64::ln);
        let found = two_clusters(&values).unwrap().unwrap();
        assert_eq!((found.low_count, found.high_count), (4, 2));
        assert!(Rule::new(0.01).bimodal(&found), "{found:?}");
        assert!(!Rule::new(0.5).bimodal(&found));
    }

    #[test]
    fn one_mode_is_seldom_called_two() {
        let mut rng = stream(9, &[]);
        for (n, at_most) in [(4, 0.1), (6, 0.055), (8, 0.015), (12, 0.004), (16, 0.001)] {
            let rounds = 4000;
            let flagged = (0..rounds).filter(|_| {
                let values: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
                Rule::new(0.0).bimodal(&two_clusters(&values).unwrap().unwrap())
            });
            let rate = flagged.count() as f64 / f64::from(rounds);
            assert!(rate <= at_most, "{n}: {rate}");
        }
    }

    #[test]
    fn the_cut_is_the_best_of_all() {
        let mut rng = stream(4, &[]);
        for n in 4..40 {
            let values: Vec<f64> = (0..n).map(|_| 100.0 + normal(&mut rng).powi(3)).collect();
            let found = two_clusters(&values).unwrap().unwrap();
            let values = sorted(&values);
            let within = |cut: usize| squares(&values[..cut]) + squares(&values[cut..]);
            let least = (2..=n - 2).map(within).fold(f64::INFINITY, f64::min);
            assert!(within(found.low_count) <= least * (1.0 + 1e-9), "{n}: {found:?}");
        }
    }

    #[test]
    fn degenerate_values() {
        assert_eq!(two_clusters(&[1.0, 2.0, 3.0]).unwrap(), None);
        assert_eq!(two_clusters(&[]).unwrap(), None);
        let equal = two_clusters(&[2.0; 6]).unwrap().unwrap();
        assert!(!Rule::new(0.0).bimodal(&equal));
        let coarse = two_clusters(&[1.0, 1.0, 2.0, 2.0]).unwrap().unwrap();
        assert!(Rule::new(0.5).bimodal(&coarse) && !Rule::new(1.5).bimodal(&coarse));
        // One outlier is no mode.
        let outlier = two_clusters(&[1.0, 1.01, 1.02, 1.03, 9.0]).unwrap().unwrap();
        assert!(!Rule::new(0.01).bimodal(&outlier), "{outlier:?}");
        assert!(two_clusters(&[1.0, f64::INFINITY]).is_err());
    }
}
