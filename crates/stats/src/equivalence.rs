//! "Nothing changed" as a statement: two one-sided tests (Schuirmann 1987).

use entasis_base::Result;

use crate::distribution::{t_quantile, t_tail};
use crate::sample::{Interval, bad, check_fraction};

/// What the two tests answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equivalence {
    /// The larger p of the tests against `-margin` and `+margin`.
    pub p: f64,
    /// The interval of confidence `1 - 2 alpha`, 90 % for 0.05.
    pub interval: Interval,
    /// Whether the interval lies within the margin, which is the same as `p <= alpha`.
    pub equivalent: bool,
}

/// Tests that an effect (log ratio) with this standard error and `df` degrees of freedom (infinite
/// for a known deviation) lies within `-margin..margin`, each side at level `alpha`.
///
/// A standard error of 0 decides by the effect alone. An error for an effect that is not finite, a
/// negative standard error, or a margin that is not positive.
pub fn tost(theta: f64, se: f64, df: f64, margin: f64, alpha: f64) -> Result<Equivalence> {
    check_fraction("level of an equivalence test", alpha)?;
    let usable = theta.is_finite() && se >= 0.0 && se.is_finite() && df > 0.0 && margin > 0.0;
    if !usable {
        return Err(bad(format!(
            "equivalence of effect {theta}, standard error {se}, {df} degrees of freedom, \
             margin {margin}: expected a finite effect, no negative error, a positive margin"
        )));
    }
    if se == 0.0 {
        let equivalent = theta.abs() <= margin;
        let p = if equivalent { 0.0 } else { 1.0 };
        return Ok(Equivalence { p, interval: Interval::around(theta, 0.0), equivalent });
    }
    let p = t_tail((margin - theta.abs()) / se, df);
    let interval = Interval::around(theta, t_quantile(1.0 - alpha, df) * se);
    Ok(Equivalence { p, interval, equivalent: p <= alpha })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_and_tests_agree() {
        for theta in [-0.03, -0.011, -0.004, 0.0, 0.002, 0.0061, 0.02] {
            for se in [1e-4, 0.002, 0.0035, 0.01] {
                for df in [3.0, 12.0, f64::INFINITY] {
                    let found = tost(theta, se, df, 0.01, 0.05).unwrap();
                    let margin = Interval::around(0.0, 0.01);
                    assert_eq!(found.equivalent, found.interval.inside(&margin), "{found:?}");
                }
            }
        }
    }

    #[test]
    fn degenerate_inputs() {
        assert!(tost(0.005, 0.0, 3.0, 0.01, 0.05).unwrap().equivalent);
        assert!(!tost(-0.02, 0.0, 3.0, 0.01, 0.05).unwrap().equivalent);
        assert!(tost(f64::NAN, 0.1, 3.0, 0.01, 0.05).is_err());
        assert!(tost(0.0, 0.1, 3.0, 0.0, 0.05).is_err());
        assert!(tost(0.0, -0.1, 3.0, 0.01, 0.05).is_err());
        assert!(tost(0.0, 0.1, 0.0, 0.01, 0.05).is_err());
    }
}
