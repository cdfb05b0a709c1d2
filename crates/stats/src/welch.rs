//! Welch's test of two means (Welch, "The generalization of Student's problem when several
//! different population variances are involved", Biometrika 34, 1947): what ClickHouse's runner
//! says of a query's runs. The laboratory's own verdicts do not rest on it.

use entasis_base::Result;

use crate::distribution::t_two_sided;
use crate::sample::{check, mean, variance};

/// Two-sided p of the difference of means, variances not taken for equal; degrees of freedom after
/// Satterthwaite. Without any spread it is 0 where the means differ, NaN where they do not.
///
/// Errors: a sample that is not finite; fewer than two on a side.
pub fn welch(old: &[f64], new: &[f64]) -> Result<f64> {
    check("welch", old, 2)?;
    check("welch", new, 2)?;
    let of = |side: &[f64]| variance(side).unwrap_or(0.0) / side.len() as f64;
    let (a, b) = (of(old), of(new));
    let freedom = |part: f64, side: &[f64]| part * part / (side.len() - 1) as f64;
    let df = (a + b) * (a + b) / (freedom(a, old) + freedom(b, new));
    let t = (mean(new) - mean(old)) / (a + b).sqrt();
    Ok(if t.is_infinite() { 0.0 } else { t_two_sided(t, df) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_scipy_has_it() {
        // scipy.stats.ttest_ind(old, new, equal_var=False).pvalue of scipy 1.17.1
        let p = welch(&[1.0, 2.0, 4.0, 3.5], &[5.0, 4.5, 7.0]).unwrap();
        assert!((p - 0.042_259_480_804_354_62).abs() < 1e-12, "{p}");
        let swapped = welch(&[5.0, 4.5, 7.0], &[1.0, 2.0, 4.0, 3.5]).unwrap();
        assert!((p - swapped).abs() < 1e-15);
    }

    #[test]
    fn without_spread() {
        assert!(welch(&[1.0, 1.0], &[1.0, 1.0]).unwrap().is_nan());
        assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0]).unwrap().to_bits(), 0.0_f64.to_bits());
        assert!(welch(&[1.0], &[2.0, 2.0]).is_err());
    }
}
