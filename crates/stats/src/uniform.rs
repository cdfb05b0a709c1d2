//! Are the p values of A/A comparisons uniform? The Kolmogorov-Smirnov test, with its exact
//! distribution for up to 1,000 values.

use entasis_base::Result;

use crate::sample::{bad, check, sorted};

/// Up to here the distribution is exact.
const EXACT: usize = 1000;
/// From here on the tail's leading term is all of it.
const FAR: f64 = 9.0;

/// Distance from the uniform distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniformity {
    /// The largest distance of the distribution functions.
    pub distance: f64,
    /// Probability of such a distance or more for uniform values.
    pub p: f64,
}

/// Kolmogorov-Smirnov test of values in 0..=1 against the uniform distribution on it.
///
/// The p values of a randomisation test have steps, which this test of continuous values takes for
/// departures once there are many: give it p values from 8 pairs or more. O(n log n), and products
/// of a matrix and a vector, at most 36 million multiplications, for up to 1,000 values; above, the
/// asymptotic series with the correction of Stephens (1970), within 0.01 of the exact p. An error
/// for values outside.
pub fn ks_uniform(p: &[f64]) -> Result<Uniformity> {
    check("uniformity", p, 1)?;
    if let Some(at) = p.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(bad(format!("uniformity: value {at} (from 0) is {}, expected 0 to 1", p[at])));
    }
    let n = p.len() as f64;
    let mut distance = 0.0f64;
    for (below, value) in sorted(p).into_iter().enumerate() {
        let below = below as f64;
        distance = distance.max(value - below / n).max((below + 1.0) / n - value);
    }
    Ok(Uniformity { distance, p: ks_tail(p.len(), distance).clamp(0.0, 1.0) })
}

/// Probability that the largest distance of `n` uniform values is `distance` or more.
fn ks_tail(n: usize, distance: f64) -> f64 {
    let root = (n as f64).sqrt();
    let size = n as f64 * distance * distance;
    if size > FAR {
        // Also where 1 minus the exact value would have no digits left (Marsaglia et al. 2003).
        let corrected = 2.000071 + 0.331 / root + 1.409 / n as f64;
        return 2.0 * (-corrected * size).exp();
    }
    if n <= EXACT {
        return 1.0 - ks_exact_cdf(n, distance);
    }
    let lambda = (root + 0.12 + 0.11 / root) * distance;
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |k: i32| (-2.0 * (f64::from(k) * lambda).powi(2)).exp();
    2.0 * (1..=100).map(|k| if k % 2 == 1 { term(k) } else { -term(k) }).sum::<f64>()
}

/// The exact distribution function as the middle entry of a matrix power (Durbin 1973; the matrix
/// of Marsaglia, Tsang and Wang 2003).
fn ks_exact_cdf(n: usize, distance: f64) -> f64 {
    let reach = n as f64 * distance;
    let k = reach.floor() as usize + 1;
    let size = 2 * k - 1;
    let h = k as f64 - reach;
    let mut matrix = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..size {
            matrix[row * size + column] = if column <= row + 1 { 1.0 } else { 0.0 };
        }
    }
    for i in 0..size {
        let power = h.powi(i as i32 + 1);
        matrix[i * size] -= power;
        matrix[(size - 1) * size + size - 1 - i] -= power;
    }
    if 2.0 * h > 1.0 {
        matrix[(size - 1) * size] += (2.0 * h - 1.0).powi(size as i32);
    }
    for row in 0..size {
        for column in 0..=row.min(size - 1) {
            // Divided by (row - column + 1)!.
            for factor in 2..=(row + 1 - column) {
                matrix[row * size + column] /= factor as f64;
            }
        }
    }
    // n!/n^n goes in factor by factor, which keeps all numbers in range.
    let mut vector = vec![0.0; size];
    vector[k - 1] = 1.0;
    for i in 1..=n {
        let scale = i as f64 / n as f64;
        vector = (0..size)
            .map(|row| {
                let entries = &matrix[row * size..(row + 1) * size];
                scale * entries.iter().zip(&vector).map(|(m, v)| m * v).sum::<f64>()
            })
            .collect();
    }
    vector[k - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    #[test]
    fn a_hundred_values_are_no_series_yet() {
        // scipy.stats.kstest(..., method='exact') of 109 values; the series says 0.8096.
        let p = ks_tail(109, 0.060_402_303_702_490_53);
        assert!((p - 0.798_604_873_087_224_5).abs() < 1e-9, "{p}");
    }

    #[test]
    fn small_samples_by_hand() {
        // One value: the distance is max(x, 1 - x), so P(D <= d) = 2 d - 1.
        for d in [0.5, 0.6, 0.75, 0.99] {
            assert!((ks_exact_cdf(1, d) - (2.0 * d - 1.0)).abs() < 1e-14);
        }
        // Published: P(D_10 < 0.274) = 0.6284796154565...
        assert!((ks_exact_cdf(10, 0.274) - 0.628_479_615_456_5).abs() < 1e-12);
        let one = ks_uniform(&[0.1]).unwrap();
        assert!((one.distance - 0.9).abs() < 1e-15 && (one.p - 0.2).abs() < 1e-12);
    }

    #[test]
    fn exact_and_asymptotic_meet() {
        for size in [0.3, 0.8, 1.5, 3.0] {
            let at = |n: usize| ks_tail(n, f64::sqrt(size / n as f64));
            let (exact, about) = (at(EXACT), at(EXACT + 1));
            assert!((exact - about).abs() < 0.01, "{size}: {exact} {about}");
        }
        let far = ks_tail(100, 0.2999) / ks_tail(100, 0.3001);
        assert!((0.9..1.2).contains(&far), "{far}");
    }

    #[test]
    fn uniform_values_pass_as_often_as_they_should() {
        let mut rng = stream(12, &[]);
        for n in [20, 300] {
            let rejected = (0..2000).filter(|_| {
                let values: Vec<f64> = (0..n).map(|_| rng.unit()).collect();
                ks_uniform(&values).unwrap().p < 0.05
            });
            let count = rejected.count();
            assert!((60..=140).contains(&count), "{n}: {count}");
        }
        let small: Vec<f64> = (0..200).map(|_| rng.unit().powi(2)).collect();
        assert!(ks_uniform(&small).unwrap().p < 1e-6);
    }

    #[test]
    fn degenerate_inputs() {
        assert!(ks_uniform(&[]).is_err() && ks_uniform(&[1.1]).is_err());
        assert!(ks_uniform(&[f64::NAN]).is_err());
        assert!(ks_uniform(&[0.5; 2000]).unwrap().p < 1e-100);
        assert_eq!(ks_uniform(&[0.0, 1.0]).unwrap().distance, 0.5);
        assert!(ks_uniform(&[0.25, 0.75]).unwrap().p > 0.99);
    }
}
