//! When to stop measuring: the screen of stage 1, the two looks of stage 2, and the e-value of the
//! anytime mode.
//!
//! Stage 1's samples choose the candidates and are not used again: an estimate from the samples
//! that selected it is too large (winner's curse).

use entasis_base::Result;

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

/// Which look at stage 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// After half of the pairs.
    Half,
    /// After all of them.
    Full,
}

/// What a look decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Measure the other half.
    Continue,
    /// The effect is beyond the bound: stop.
    Significant,
    /// The other half would hardly make a difference: stop, not significant.
    Futile,
    /// All was measured and the bound was not reached.
    NotSignificant,
}

/// Stage 2: bounds for |z| at R/2 and at R pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    /// The bound at the end, z.
    pub z: f64,
    /// What it is multiplied with at the first look, which pays for looking twice.
    pub first: f64,
    /// Below this |z| the first look stops for futility.
    pub futile: f64,
}

impl Default for Looks {
    /// 3.5, 1.2 and 1.
    fn default() -> Self {
        Self { z: 3.5, first: 1.2, futile: 1.0 }
    }
}

impl Looks {
    /// Decides by the effect over its standard error. NaN (no samples) goes on at the first look
    /// and is not significant at the last.
    pub fn decide(&self, look: Look, z: f64) -> Decision {
        let z = z.abs();
        match look {
            Look::Half if z >= self.first * self.z => Decision::Significant,
            Look::Half if z < self.futile => Decision::Futile,
            Look::Half => Decision::Continue,
            Look::Full if z >= self.z => Decision::Significant,
            Look::Full => Decision::NotSignificant,
        }
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
        let looks = Looks::default();
        assert_eq!(looks.decide(Look::Half, -4.3), Decision::Significant);
        assert_eq!(looks.decide(Look::Half, 3.9), Decision::Continue);
        assert_eq!(looks.decide(Look::Half, -0.9), Decision::Futile);
        assert_eq!(looks.decide(Look::Full, -3.5), Decision::Significant);
        assert_eq!(looks.decide(Look::Full, 3.4), Decision::NotSignificant);
        assert_eq!(looks.decide(Look::Half, f64::NAN), Decision::Continue);
        assert_eq!(looks.decide(Look::Full, f64::NAN), Decision::NotSignificant);
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
            mixture += log.exp() * crate::distribution::normal_density(z) * 16.0 / f64::from(steps);
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
