//! A log ratio with its interval, and its text in a sentence.

use std::fmt;

use entasis_stats::sample::{Interval, percent};

/// A log ratio, new over old, and the interval that it was measured with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// `ln(new / old)`.
    pub theta: f64,
    /// Its interval, of whatever confidence the caller works with.
    pub interval: Interval,
}

impl Effect {
    /// `theta` with `radius` to both sides.
    pub fn new(theta: f64, radius: f64) -> Self {
        Self { theta, interval: Interval::around(theta, radius) }
    }

    /// Whether the interval excludes no effect.
    pub fn is_clear(&self) -> bool {
        !self.interval.contains(0.0)
    }

    /// `theta` as a share of another effect's: 1 where both grew alike, negative where they go
    /// apart. Of an effect of 0 infinite or NaN.
    pub fn share_of(&self, other: &Self) -> f64 {
        self.theta / other.theta
    }
}

/// `+9.8 % (+9.5 to +10.1)`; the interval is left out where it is not bounded.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", signed(percent(self.theta)))?;
        let (low, high) = (percent(self.interval.low), percent(self.interval.high));
        if low.is_finite() && high.is_finite() && self.interval.low.is_finite() {
            write!(f, " ({} to {})", signed(low), signed(high))?;
        }
        Ok(())
    }
}

/// A number with its sign: two decimals below 1, one below 100, none beyond.
fn signed(value: f64) -> String {
    match value.abs() {
        x if x < 0.995 => format!("{value:+.2}"),
        x if x < 99.95 => format!("{value:+.1}"),
        _ => format!("{value:+.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_read_as_percent() {
        let text = |low: f64, high: f64| {
            let interval = Interval { low: low.ln(), high: high.ln() };
            Effect { theta: f64::midpoint(low, high).ln(), interval }.to_string()
        };
        assert_eq!(text(1.095, 1.101), "+9.8 % (+9.5 to +10.1)");
        assert_eq!(text(0.998, 1.001), "-0.05 % (-0.20 to +0.10)");
        assert_eq!(text(2.5, 3.5), "+200 % (+150 to +250)");
        let alone = Effect { theta: 0.1, interval: Interval::ALL };
        assert_eq!(alone.to_string(), "+10.5 %");
        assert!(!alone.is_clear() && Effect::new(-0.1, 0.05).is_clear());
    }
}
