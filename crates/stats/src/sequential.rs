//! When to stop measuring: the screening of stage 1, the interim looks of stage 2, and the e-value
//! of the anytime mode.
//!
//! The samples of stage 1 choose the candidates and are not used again, because an estimate from
//! the samples that selected it is too large (winner's curse).

use entasis_base::Result;

use crate::distribution::{normal_density, normal_tail};
use crate::sample::{Interval, bad, check_fraction};

/// Stage 1: which queries are worth fresh processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// Deviations of history that an effect must reach; 1.3 to 1.6.
    pub least_z: f64,
    /// Log ratio that an effect must reach; half of the smallest effect of interest.
    pub least_effect: f64,
}

impl Screen {
    /// Whether a query goes to stage 2. `history_sd` is the deviation of this estimate in A/A
    /// comparisons. An effect or a deviation that is not a number, or a deviation of 0, passes:
    /// what is not known is measured.
    pub fn candidate(&self, theta: f64, history_sd: f64) -> bool {
        let clearly_small = theta.abs() < self.least_effect;
        let clearly_noise = theta.abs() / history_sd < self.least_z;
        !clearly_small && !clearly_noise
    }
}

/// What a look decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Measure more.
    Continue,
    /// The effect is beyond the bound: stop.
    Significant,
    /// More would hardly make a difference: stop, not significant.
    Futile,
    /// All was measured and the bound was not reached.
    NotSignificant,
}

/// Bounds of stage 2, for |z| at half of the planned pairs and at each whole multiple of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// From so much on an effect is shown, at all looks but the first.
    pub z: f64,
    /// What it is multiplied with at the first look, at half of the planned pairs.
    pub first: f64,
    /// Below this the first look stops for futility.
    pub futile: f64,
    /// From so much on what is not shown by the planned pairs gets as many again.
    pub promising: f64,
    /// The planned pairs are made so many times at most.
    pub most: u32,
}

impl Default for Bounds {
    /// 3.7, 1.2, 0.8, 2 and 3. Equal sides are flagged in 4.8 of 10,000 cases and measured in 6.1
    /// pairs of 8 planned; 3.5 standard errors (of the planned pairs) are found nine times of ten.
    /// Half and whole alone, with a bound of 3.5, flag as many, and find 4.8 of them.
    fn default() -> Self {
        Self { z: 3.7, first: 1.2, futile: 0.8, promising: 2.0, most: 3 }
    }
}

impl Bounds {
    /// The same bounds with less readiness to give up: futile below half as much, promising from
    /// 0.65 times as much on. With the defaults 3 instead of 3.5 standard errors are found nine
    /// times of ten, for 8.8 instead of 6.1 pairs of equal sides, which are flagged in 5.6 instead
    /// of 4.7 of 10,000 cases (four million simulated ones).
    pub fn patient(self) -> Self {
        Self { futile: self.futile / 2.0, promising: self.promising * 0.65, ..self }
    }

    /// Decides after `done` times the planned pairs, by the effect over its standard error. NaN (no
    /// samples) goes on at the first look and is not significant later. Between two looks the
    /// earlier one's bound holds.
    pub fn decide(&self, done: f64, z: f64) -> Decision {
        let z = z.abs();
        if done < 1.0 {
            return match () {
                () if z >= self.first * self.z => Decision::Significant,
                () if z < self.futile => Decision::Futile,
                () => Decision::Continue,
            };
        }
        match () {
            () if z >= self.z => Decision::Significant,
            () if done < f64::from(self.most) && z >= self.promising => Decision::Continue,
            () => Decision::NotSignificant,
        }
    }

    /// How often an effect is shown that is `effect` standard errors of the planned pairs large,
    /// if differences are normal and their variance is known. By numerical integration over the
    /// sums that go on (Armitage, McPherson and Rowe 1969), to about a thousandth.
    pub fn power(&self, effect: f64) -> f64 {
        // Sums of halves of the planned pairs, each of variance 1.
        let drift = effect / 2f64.sqrt();
        let mut open = vec![(0.0, 1.0)];
        let (mut before, mut shown) = (0.0, 0.0);
        for look in 0..=self.most {
            let halves = if look == 0 { 1.0 } else { 2.0 * f64::from(look) };
            let step: f64 = halves - before;
            let (root, sd) = (halves.sqrt(), step.sqrt());
            let (least, bound) = match look {
                0 => (self.futile, self.first * self.z),
                _ => (self.promising, self.z),
            };
            let beyond = |&(from, weight): &(f64, f64)| {
                let middle = from + drift * step;
                let above = normal_tail((bound * root - middle) / sd);
                weight * (above + normal_tail((bound * root + middle) / sd))
            };
            shown += open.iter().map(beyond).sum::<f64>();
            // What goes on lies between `least` and `bound`, on either side of zero.
            let cells = ((bound - least).max(0.0) * root / CELL).ceil();
            let width = (bound - least) * root / cells;
            let density = |sum: f64| {
                let reach = |&(from, weight): &(f64, f64)| {
                    weight * normal_density((sum - from - drift * step) / sd) / sd
                };
                (sum, open.iter().map(reach).sum::<f64>() * width)
            };
            let middles =
                (0..cells as usize).map(|cell| least * root + (cell as f64 + 0.5) * width);
            open = middles.flat_map(|sum| [density(sum), density(-sum)]).collect();
            before = halves;
        }
        shown
    }
}

/// Width of the cells of sums that [`Bounds::power`] adds up.
const CELL: f64 = 0.1;

/// Bounds, and what they can find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    bounds: Bounds,
    factors: [f64; POWERS.len()],
}

/// How often [`Looks`] are to show an effect: nine times of ten, and more often where something
/// comes before them that may miss it, too.
pub const POWERS: [f64; 4] = [0.9, 0.91, 0.95, 0.99];

impl Looks {
    /// Looks with these bounds. Costs some milliseconds.
    pub fn new(bounds: Bounds) -> Self {
        let factor = |power: f64| {
            let (mut low, mut high) = (0.0, 20.0);
            for _ in 0..16 {
                let middle = f64::midpoint(low, high);
                if bounds.power(middle) < power { low = middle } else { high = middle }
            }
            high
        };
        Self { bounds, factors: POWERS.map(factor) }
    }

    /// The bounds.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The effect that is shown nine times of ten, in standard errors of the planned pairs.
    pub fn factor(&self) -> f64 {
        self.factors[0]
    }

    /// The same for each of [`POWERS`].
    pub fn factors(&self) -> [f64; POWERS.len()] {
        self.factors
    }
}

impl Default for Looks {
    fn default() -> Self {
        Self::new(Bounds::default())
    }
}

/// The anytime test of paired differences with known variance: whatever the moment one stops, an
/// effect of zero is rejected with probability `alpha` at most (mixture sequential probability
/// ratio test: Robbins 1970; Johari et al. 2017).
///
/// The variance must not come from the same differences; take the A/A history's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anytime {
    variance: f64,
    prior: f64,
}

impl Anytime {
    /// For differences of standard deviation `sd` and effects expected to be about as large as
    /// `tau`; both positive. `tau` changes only how soon effects of other sizes are found.
    pub fn new(sd: f64, tau: f64) -> Result<Self> {
        let usable = sd > 0.0 && tau > 0.0 && sd.is_finite() && tau.is_finite();
        if !usable {
            return Err(bad(format!(
                "anytime test with deviation {sd} and expected effect {tau}: both must be positive"
            )));
        }
        Ok(Self { variance: sd * sd, prior: tau * tau })
    }

    /// Logarithm of the e-value after `n` differences of this mean; 0 after none. Zero is rejected
    /// at level alpha when it reaches `ln(1 / alpha)`.
    pub fn log_e(&self, n: u64, mean: f64) -> f64 {
        let (n, v) = (n as f64, self.variance);
        let grown = v + n * self.prior;
        0.5 * (v / grown).ln() + (n * mean).powi(2) * self.prior / (2.0 * v * grown)
    }

    /// The p value that is valid at any moment: 1 / E, at most 1.
    pub fn p(&self, n: u64, mean: f64) -> f64 {
        (-self.log_e(n, mean)).exp().min(1.0)
    }

    /// The effects that are not rejected after `n` differences: all of these intervals together
    /// cover the effect with the confidence. Everything after none.
    pub fn interval(&self, n: u64, mean: f64, confidence: f64) -> Result<Interval> {
        check_fraction("confidence", confidence)?;
        if n == 0 {
            return Ok(Interval::ALL);
        }
        let (n, v) = (n as f64, self.variance);
        let grown = v + n * self.prior;
        let log = 0.5 * (grown / v).ln() - (1.0 - confidence).ln();
        Ok(Interval::around(mean, (2.0 * v * grown * log / self.prior).sqrt() / n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screen_keeps_what_is_large_or_unknown() {
        let screen = Screen { least_z: 1.5, least_effect: 0.005 };
        assert!(screen.candidate(-0.02, 0.01));
        assert!(!screen.candidate(0.02, 0.02));
        assert!(!screen.candidate(0.004, 0.0001));
        assert!(screen.candidate(f64::NAN, 0.01) && screen.candidate(0.02, f64::NAN));
        assert!(screen.candidate(0.02, 0.0) && !screen.candidate(0.0, 0.0));
    }

    #[test]
    fn looks() {
        let bounds = Bounds::default();
        for (done, z, decision) in [
            (0.5, -4.5, Decision::Significant),
            (0.5, 3.9, Decision::Continue),
            (0.5, -0.7, Decision::Futile),
            (0.5, f64::NAN, Decision::Continue),
            (1.0, -3.7, Decision::Significant),
            (1.0, 3.6, Decision::Continue),
            (1.5, 3.6, Decision::Continue),
            (1.0, 1.9, Decision::NotSignificant),
            (3.0, 3.6, Decision::NotSignificant),
            (3.0, f64::NAN, Decision::NotSignificant),
        ] {
            assert_eq!(bounds.decide(done, z), decision, "{done} {z}");
        }
    }

    #[test]
    fn patience_finds_more_for_a_few_false_flags() {
        let [usual, patient] = [Bounds::default(), Bounds::default().patient()];
        assert!((usual.power(3.0) - 0.783).abs() < 3e-3, "{}", usual.power(3.0));
        assert!((patient.power(3.0) - 0.888).abs() < 3e-3, "{}", patient.power(3.0));
        assert!(patient.power(0.0) < 6.5e-4, "{}", patient.power(0.0));
        let decide = |z| [usual, patient].map(|bounds| bounds.decide(0.5, z));
        assert_eq!(decide(0.5), [Decision::Futile, Decision::Continue]);
    }

    #[test]
    fn power_of_one_look_is_that_of_a_table() {
        let one = Bounds { z: 1.96, first: 1e3, futile: 0.0, promising: 9.0, most: 1 };
        assert!((one.power(0.0) - 0.05).abs() < 2e-3, "{}", one.power(0.0));
        assert!((Looks::new(one).factor() - 3.242).abs() < 0.01, "{}", Looks::new(one).factor());
    }

    #[test]
    fn e_value_is_the_mixture_it_stands_for() {
        // E is the likelihood ratio averaged over effects from a normal with deviation tau.
        let (sd, tau, n, mean) = (0.7, 0.3, 9.0, 0.4);
        let mut mixture = 0.0;
        let steps = 4000;
        for i in 0..steps {
            let z = -8.0 + 16.0 * (f64::from(i) + 0.5) / f64::from(steps);
            let effect = tau * z;
            let log = n * (effect * mean - effect * effect / 2.0) / (sd * sd);
            mixture += log.exp() * normal_density(z) * 16.0 / f64::from(steps);
        }
        let test = Anytime::new(sd, tau).unwrap();
        assert!((test.log_e(9, mean) - mixture.ln()).abs() < 1e-9);
        assert_eq!(test.log_e(0, 0.0), 0.0);
        // The interval's end is just rejected as an effect, and E does not overflow.
        let interval = test.interval(9, mean, 0.99).unwrap();
        assert!((test.log_e(9, mean - interval.low) - 100f64.ln()).abs() < 1e-9);
        assert_eq!(test.p(1_000_000, 1e3), 0.0);
        assert_eq!(test.interval(0, 0.0, 0.99).unwrap(), Interval::ALL);
        assert!(Anytime::new(0.0, 1.0).is_err() && Anytime::new(1.0, f64::NAN).is_err());
    }
}
