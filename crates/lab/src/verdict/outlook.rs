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
/// Pairs are planned for so many times the smallest effect of interest: that effect itself is
/// estimated below itself half of the time, however many pairs there are.
const AIM: f64 = 2.0;

impl Outlook {
    /// The effect that so many planned pairs show nine times of ten, a log ratio: what
    /// [`Looks::factor`] says of errors that are known, and what Student's t asks for beyond that
    /// at the looks' bound; or what is estimated at `least_effect` or more as often, if that is
    /// larger, since less is no verdict. Without one it is what the noise alone lets be seen.
    pub fn detectable(&self, looks: &Looks, pairs: usize, least_effect: f64) -> f64 {
        self.each(looks, pairs, least_effect)[0]
    }

    /// The effect that stage 1 lets through and so many planned pairs show, both together nine
    /// times of ten: the least of some ways to divide one miss of ten between them, which is at
    /// most a few percent more than the best. `sd` is the deviation of stage 1's estimate, which
    /// must be beyond `screen`; what is screened again is let through more often.
    pub fn found(
        &self,
        looks: &Looks,
        pairs: usize,
        least_effect: f64,
        screen: &Screen,
        sd: f64,
    ) -> f64 {
        let shown = self.each(looks, pairs, least_effect).into_iter().zip(POWERS).skip(1);
        let least = screen.least_effect.max(screen.least_z * sd);
        let both = shown.map(|(shown, power)| shown.max(least + normal_quantile(0.9 / power) * sd));
        both.fold(NOTHING, f64::min)
    }

    /// The effects that so many pairs show as often as [`POWERS`] says.
    fn each(&self, looks: &Looks, pairs: usize, least_effect: f64) -> [f64; POWERS.len()] {
        let pairs = pairs.max(self.least_pairs).max(1);
        let bound = looks.bounds().z;
        let df = self.df + freedom(pairs);
        let beyond = t_quantile(1.0 - normal_tail(bound), df) - bound;
        let error = self.error / (pairs as f64).sqrt();
        let (factors, beyond_margin) = (looks.factors(), POWERS.map(normal_quantile));
        std::array::from_fn(|at| {
            let significant = (factors[at] + beyond) * error;
            significant.max(least_effect + beyond_margin[at] * error).min(NOTHING)
        })
    }

    /// Planned pairs that show twice the smallest effect of interest; none if that is beyond all
    /// reason. One fewer does not, but seven may where eight do not, whose extremes count for
    /// little. Costs some tens of [`Self::detectable`].
    pub fn needed(&self, looks: &Looks, least_effect: f64) -> Option<u64> {
        let shown = |pairs: u64| self.detectable(looks, pairs as usize, least_effect);
        let shows = |pairs: u64| shown(pairs) <= AIM * least_effect;
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
        assert!((known.detectable(&looks, 4, 0.0) - looks.factor() * 0.005).abs() < 1e-4);
        let lone = Outlook { df: 0.0, least_pairs: 4, ..known };
        let all: Vec<f64> = (1..60).map(|pairs| lone.detectable(&looks, pairs, 0.0)).collect();
        assert_eq!(all[0], all[3], "fewer than four are not planned");
        assert!(all[3] > 0.1 && all[7] < 0.05 && all[58] < 0.006, "{all:?}");
        for least in [0.1, 0.025, 0.005, 0.0005] {
            let needed = lone.needed(&looks, least).unwrap();
            let shown = |pairs: u64| lone.detectable(&looks, pairs as usize, least);
            assert!(shown(needed) <= 2.0 * least);
            assert!(needed == 1 || shown(needed - 1) > 2.0 * least);
        }
        // What stage 1 lets through less often must be larger: one miss of ten is all there is.
        let stage_1 = Screen { least_z: 1.0, least_effect: 0.005 };
        let screen = |sd: f64| known.found(&looks, 8, 0.0, &stage_1, sd);
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

    #[test]
    fn what_is_found_is_beyond_the_margin() {
        let looks = Looks::default();
        let outlook = |error: f64| Outlook { error, df: 1e9, least_pairs: 1 };
        // What does not vary is found from the margin on, and never below it.
        let (still, stage_1) = (outlook(0.0), Screen { least_z: 1.0, least_effect: 0.025 });
        assert_eq!(still.detectable(&looks, 8, 0.05), 0.05);
        assert_eq!(still.found(&looks, 8, 0.05, &stage_1, 0.0), 0.05);
        for (least, error) in [(0.05, 0.0025), (0.01, 0.0025), (0.01, 0.004), (0.01, 0.05)] {
            let effect = outlook(error).detectable(&looks, 1, least);
            let beyond = normal_cdf((effect - least) / error);
            let shown = looks.bounds().power(effect / error);
            assert!(beyond > 0.899 && shown > 0.899, "{least} {error}: {beyond} and {shown}");
            // And no more than that: one of the two is just reached.
            assert!(beyond.min(shown) < 0.902, "{least} {error}: {beyond} and {shown}");
            let screen = Screen { least_z: 1.0, least_effect: least / 2.0 };
            assert!(outlook(error).found(&looks, 1, least, &screen, error) > effect);
        }
    }
}
