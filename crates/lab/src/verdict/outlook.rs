//! What stage 2 finds of a query: the effect that its pairs would show, and how many pairs a
//! smaller effect takes.

use entasis_stats::distribution::{normal_tail, t_quantile};
use entasis_stats::paired::pair_variance;
use entasis_stats::sequential::Looks;

/// A query's noise, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outlook {
    /// Standard error of an estimate from one pair of processes; that of more falls with the root
    /// of their number.
    pub error: f64,
    /// Degrees of freedom that are known beside those of the query's own pairs.
    pub df: f64,
    /// The fewest pairs that a verdict rests on.
    pub least_pairs: usize,
}

/// Two pairs without a history show no effect: a millionfold stands for that.
const NOTHING: f64 = 13.8;
/// More pairs are not planned for.
const MOST_PAIRS: u64 = 1 << 40;

impl Outlook {
    /// The effect that so many planned pairs show nine times of ten, a log ratio: what
    /// [`Looks::factor`] says of errors that are known, and what Student's t asks for beyond that
    /// at the looks' bound.
    pub fn detectable(&self, looks: &Looks, pairs: usize) -> f64 {
        let pairs = pairs.max(self.least_pairs).max(1);
        let bound = looks.bounds().z;
        let df = self.df + freedom(pairs);
        let beyond = t_quantile(1.0 - normal_tail(bound), df) - bound;
        ((looks.factor() + beyond) * self.error / (pairs as f64).sqrt()).min(NOTHING)
    }

    /// Planned pairs that show an effect; none if that is beyond all reason. One fewer does not,
    /// but seven may where eight do not, whose extremes count for little. Costs some tens of
    /// [`Self::detectable`].
    pub fn needed(&self, looks: &Looks, effect: f64) -> Option<u64> {
        let shows = |pairs: u64| self.detectable(looks, pairs as usize) <= effect;
        let mut high = 1;
        while !shows(high) {
            high *= 2;
            if high > MOST_PAIRS {
                return None;
            }
        }
        let mut low = high / 2;
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            if shows(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}

/// Degrees of freedom of so many pairs' own variance, one at least.
fn freedom(pairs: usize) -> f64 {
    // Beyond this many it hardly matters.
    let even = vec![0.0; pairs.min(64)];
    pair_variance(&even).map_or(1.0, |(_, df)| df)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pairs_show_less() {
        let looks = Looks::default();
        let known = Outlook { error: 0.01, df: 1e9, least_pairs: 1 };
        assert!((known.detectable(&looks, 4) - looks.factor() * 0.005).abs() < 1e-4);
        let lone = Outlook { df: 0.0, least_pairs: 4, ..known };
        let all: Vec<f64> = (1..60).map(|pairs| lone.detectable(&looks, pairs)).collect();
        assert_eq!(all[0], all[3], "fewer than four are not planned");
        assert!(all[3] > 0.1 && all[7] < 0.05 && all[58] < 0.006, "{all:?}");
        for effect in [0.2, 0.05, 0.01, 0.001] {
            let needed = lone.needed(&looks, effect).unwrap();
            assert!(lone.detectable(&looks, needed as usize) <= effect);
            assert!(needed == 1 || lone.detectable(&looks, needed as usize - 1) > effect);
        }
        assert_eq!(lone.needed(&looks, 0.0), None);
        assert_eq!(Outlook { error: 0.0, ..lone }.needed(&looks, 0.01), Some(1));
    }
}
