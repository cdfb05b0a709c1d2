//! The checks that every statistic applies to its samples, and the sums with which most of them
//! begin.

use entasis_base::{Error, Result, codes};

/// A range of values, both ends included. An end that the samples do not bound is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval that says nothing.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// `centre - radius .. centre + radius`.
    pub fn around(centre: f64, radius: f64) -> Self {
        Self { low: centre - radius, high: centre + radius }
    }

    /// Whether `value` lies inside.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of this interval lies within `other`.
    pub fn inside(&self, other: &Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }
}

/// `BAD_ARGUMENTS` with a message.
pub(crate) fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Holds that there are `least` samples or more, all finite. `what` begins the message.
pub fn check(what: &str, samples: &[f64], least: usize) -> Result<()> {
    if samples.len() < least {
        return Err(bad(format!(
            "{what}: {} samples, at least {least} are needed: measure more",
            samples.len()
        )));
    }
    match samples.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => Err(bad(format!(
            "{what}: sample {at} (from 0) is {}, expected a finite number: leave failed runs out",
            samples[at]
        ))),
    }
}

/// Holds that a probability, a level or a fraction lies strictly between 0 and 1.
pub fn check_fraction(what: &str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(bad(format!("{what} is {value}, expected a number between 0 and 1, such as 0.95")))
}

/// Natural logarithms of times, bytes or counts, which must be positive and finite: a zero is a
/// measurement without resolution, a negative one a broken clock, and neither has a ratio.
pub fn logs(what: &str, samples: &[f64]) -> Result<Vec<f64>> {
    check(what, samples, 0)?;
    if let Some(at) = samples.iter().position(|&x| x <= 0.0) {
        return Err(bad(format!(
            "{what}: sample {at} (from 0) is {}, expected a positive number: \
             time a batch of executions together, or leave the run out",
            samples[at]
        )));
    }
    Ok(samples.iter().map(|x| x.ln()).collect())
}

/// A log ratio as a change in percent: `100 * (exp(theta) - 1)`; +100 is twice as slow.
pub fn percent(theta: f64) -> f64 {
    100.0 * theta.exp_m1()
}

/// A change in percent as a log ratio, the inverse of [`percent`]. NaN below -100.
pub fn log_ratio(percent: f64) -> f64 {
    (percent / 100.0).ln_1p()
}

/// Arithmetic mean; NaN of nothing.
pub fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

/// Unbiased variance in two passes (no cancellation); `None` of fewer than two samples.
pub fn variance(samples: &[f64]) -> Option<f64> {
    if samples.len() < 2 {
        return None;
    }
    Some(squares(samples) / (samples.len() - 1) as f64)
}

/// Sum of squared deviations from the mean; 0 of nothing.
pub fn squares(samples: &[f64]) -> f64 {
    let centre = mean(samples);
    samples.iter().map(|x| (x - centre) * (x - centre)).sum()
}

/// The samples in ascending order.
pub(crate) fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut values = samples.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_samples_are_named() {
        let text = |r: Result<()>| r.unwrap_err().to_string();
        assert!(text(check("median", &[], 1)).contains("median: 0 samples, at least 1"));
        assert!(text(check("x", &[1.0, f64::NAN], 1)).contains("sample 1 (from 0) is NaN"));
        assert!(text(check("x", &[f64::INFINITY], 1)).contains("is inf"));
        assert!(text(logs("times", &[1.0, 0.0]).map(drop)).contains("sample 1 (from 0) is 0"));
        assert!(text(logs("times", &[-2.0]).map(drop)).contains("is -2, expected a positive"));
        assert!(text(check_fraction("confidence", 1.0)).contains("confidence is 1"));
        assert!(check_fraction("confidence", f64::NAN).is_err());
    }

    #[test]
    fn effects_and_moments() {
        assert!((percent(2f64.ln()) - 100.0).abs() < 1e-12);
        assert!((log_ratio(percent(0.0123)) - 0.0123).abs() < 1e-15);
        assert_eq!(variance(&[5.0]), None);
        assert_eq!(variance(&[1.0, 2.0, 3.0, 4.0]), Some(5.0 / 3.0));
        // A large offset costs no digits.
        let far: Vec<f64> = [1.0, 2.0, 3.0, 4.0].iter().map(|x| x + 1e9).collect();
        assert_eq!(variance(&far), Some(5.0 / 3.0));
        assert!(mean(&[]).is_nan());
    }
}
