//! What stage 2 finds of a query: the effect that its pairs would show, and how many pairs a
//! smaller effect takes.

use entasis_stats::distribution::{normal_quantile, normal_tail, t_quantile};
use entasis_stats::paired::pair_variance;
use entasis_stats::sequential::{Looks, POWERS, Screen};

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
        self.each(looks, pairs)[0]
    }

    /// The effect that stage 1 lets through and so many planned pairs show, both together nine
    /// times of ten: the least of some ways to divide one miss of ten between them, which is at
    /// most a few percent more than the best. `sd` is the deviation of stage 1's estimate, which
    /// must be beyond `screen`; what is screened again is let through more often.
    pub fn found(&self, looks: &Looks, pairs: usize, screen: &Screen, sd: f64) -> f64 {
        let shown = self.each(looks, pairs).into_iter().zip(POWERS).skip(1);
        let least = screen.least_effect.max(screen.least_z * sd);
        let both = shown.map(|(shown, power)| shown.max(least + normal_quantile(0.9 / power) * sd));
        both.fold(NOTHING, f64::min)
    }

    /// The effects that so many pairs show as often as [`POWERS`] says.
    fn each(&self, looks: &Looks, pairs: usize) -> [f64; POWERS.len()] {
        let pairs = pairs.max(self.least_pairs).max(1);
        let bound = looks.bounds().z;
        let df = self.df + freedom(pairs);
        let beyond = t_quantile(1.0 - normal_tail(bound), df) - bound;
        let error = self.error / (pairs as f64).sqrt();
        looks.factors().map(|factor| ((factor + beyond) * error).min(NOTHING))
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
    use entasis_stats::distribution::normal_cdf;

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
        // What stage 1 lets through less often must be larger: one miss of ten is all there is.
        let screen =
            |sd: f64| known.found(&looks, 8, &Screen { least_z: 1.0, least_effect: 0.005 }, sd);
        for sd in [1e-9, 0.002, 0.01, 0.02, 0.05] {
            let effect = screen(sd);
            let passes = normal_cdf((effect - sd.max(0.005)) / sd);
            let shown = looks.bounds().power(effect / (known.error / 8f64.sqrt()));
            let both = passes * shown;
            assert!((0.899..0.95).contains(&both), "{sd}: {effect}, {passes} and {shown}");
        }
        assert_eq!(lone.needed(&looks, 0.0), None);
        assert_eq!(Outlook { error: 0.0, ..lone }.needed(&looks, 0.01), Some(1));
    }
}
