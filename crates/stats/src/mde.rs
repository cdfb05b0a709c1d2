//! Power: the smallest effect that a measurement would have found, and the number of runs that a
//! wanted effect needs. Normal theory (Cohen 1988, ch. 2); effects and standard deviations are
//! those of logarithms.

use entasis_base::Result;

use crate::distribution::normal_above;
use crate::sample::{bad, check_fraction};

/// A two-sided test's level and the power that is asked of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Two-sided level.
    pub alpha: f64,
    /// Probability to find an effect of the size in question.
    pub power: f64,
}

impl Default for Demand {
    /// 0.001 and 0.9.
    fn default() -> Self {
        Self { alpha: 0.001, power: 0.9 }
    }
}

impl Demand {
    /// How many standard errors the smallest detectable effect is: `z(1 - alpha/2) + z(power)`,
    /// 4.57 by default.
    pub fn factor(&self) -> Result<f64> {
        check_fraction("level of a test", self.alpha)?;
        factor_of_threshold(normal_above(self.alpha / 2.0), self.power)
    }

    /// Minimum detectable effect, a log ratio, of an estimate with this standard error.
    pub fn mde(&self, standard_error: f64) -> Result<f64> {
        Ok(self.factor()? * standard_error)
    }

    /// Runs needed per side, without any variance between processes: `2 (factor sd / effect)^2`
    /// times the estimator's factor (1 for means; `variance` has others), rounded up.
    pub fn runs(&self, sd: f64, effect: f64, estimator_factor: f64) -> Result<u64> {
        let count = 2.0 * (self.factor()? * sd / effect).powi(2) * estimator_factor;
        whole(count, sd, effect)
    }

    /// Pairs of processes needed so that the mean of their differences, of standard deviation
    /// `pair_sd`, shows the effect; rounded up.
    pub fn pairs(&self, pair_sd: f64, effect: f64) -> Result<u64> {
        whole((self.factor()? * pair_sd / effect).powi(2), pair_sd, effect)
    }
}

/// The factor of a test that rejects beyond `threshold` standard errors: 4.78 for 3.5 and 0.9.
pub fn factor_of_threshold(threshold: f64, power: f64) -> Result<f64> {
    check_fraction("power", power)?;
    Ok(threshold - normal_above(power))
}

fn whole(count: f64, sd: f64, effect: f64) -> Result<u64> {
    let asked = sd.is_finite() && sd >= 0.0 && effect.is_finite() && effect != 0.0;
    if !asked {
        return Err(bad(format!(
            "runs needed for an effect of {effect} with a deviation of {sd}: \
             expected an effect other than 0 and a deviation of 0 or more"
        )));
    }
    Ok((count.ceil() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variance::{HODGES_LEHMANN_FACTOR, MEDIAN_FACTOR};

    #[test]
    fn figures_of_the_plan() {
        let demand = Demand::default();
        assert!((demand.factor().unwrap() - 4.57).abs() < 0.005);
        assert!((demand.factor().unwrap().powi(2) - 20.9).abs() < 0.05);
        assert!((factor_of_threshold(3.5, 0.9).unwrap() - 4.78).abs() < 0.005);
        // Runs needed for the mean, the Hodges-Lehmann estimate and the median.
        let table =
            [(0.01, 0.02, [11, 11, 17]), (0.02, 0.05, [7, 8, 11]), (0.05, 0.05, [42, 44, 66])];
        for (cv, effect, expected) in table {
            let factors = [1.0, HODGES_LEHMANN_FACTOR, MEDIAN_FACTOR];
            let found = factors.map(|f| demand.runs(cv, effect, f).unwrap());
            assert_eq!(found, expected, "{cv} {effect}");
        }
    }

    #[test]
    fn more_pairs_find_less() {
        let demand = Demand { alpha: 0.05, power: 0.8 };
        let pairs = demand.pairs(0.01, 0.005).unwrap();
        assert!(demand.mde(0.01 / (pairs as f64).sqrt()).unwrap() <= 0.005);
        assert!(demand.mde(0.01 / (pairs as f64 - 1.0).sqrt()).unwrap() > 0.005);
        assert_eq!(demand.pairs(0.0, 0.005).unwrap(), 1);
        assert!(demand.pairs(0.01, 0.0).is_err() && demand.runs(f64::NAN, 0.1, 1.0).is_err());
        assert!(Demand { alpha: 0.0, power: 0.8 }.factor().is_err());
        assert!(Demand { alpha: 0.1, power: 1.0 }.factor().is_err());
    }
}
