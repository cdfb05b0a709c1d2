//! Distribution functions, tails and quantiles of the normal, Student's t, chi-square, beta,
//! binomial and Poisson distributions, and the bounds of proportions and rates made of them.
//!
//! All come from the incomplete gamma and beta functions (`special`; identities in DLMF 7.11,
//! 8.17 and 8.4), quantiles by inverting the smaller tail. `_tail` is the probability of the
//! argument or more. Outside of its domain a function answers NaN. A tail costs about a
//! microsecond, a quantile about sixty.

use std::f64::consts::{SQRT_2, TAU};

use entasis_base::Result;

use crate::sample::{Interval, bad, check_fraction};
use crate::special::{beta_tails, beta_tails_of, gamma_tails, where_falls_to};

/// From here on t is normal to all digits.
const NORMAL_FROM_DF: f64 = 1e15;

/// Density of the standard normal distribution.
pub fn normal_density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / TAU.sqrt()
}

/// Standard normal: probability of `z` or less.
pub fn normal_cdf(z: f64) -> f64 {
    normal_tail(-z)
}

/// Standard normal: probability of `z` or more.
pub fn normal_tail(z: f64) -> f64 {
    let half = z / SQRT_2;
    let (near, far) = gamma_tails(0.5, half * half);
    if z < 0.0 { 0.5 + 0.5 * near } else { 0.5 * far }
}

/// Standard normal quantile: the z with probability `p` below it. Infinite at 0 and 1.
///
/// Newton's method on the logarithm of the tail, which is concave: from the right of the root it
/// falls towards it and never crosses.
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 { normal_above(1.0 - p) } else { -normal_above(p) }
}

/// The z with probability `q` above it, for small `q` with all its digits.
pub fn normal_above(q: f64) -> f64 {
    if !(0.0..=1.0).contains(&q) {
        return f64::NAN;
    }
    if q > 0.5 {
        return -normal_above(1.0 - q);
    }
    if q == 0.0 || q == 0.5 {
        return if q == 0.0 { f64::INFINITY } else { 0.0 };
    }
    let mut z = (-2.0 * q.ln()).sqrt();
    for _ in 0..50 {
        let tail = normal_tail(z);
        if tail <= 0.0 {
            // Below the smallest double: the asymptotic tail is all there is.
            return z;
        }
        let step = (tail / q).ln() * tail / normal_density(z);
        z += step;
        if step.abs() <= 1e-15 * z.abs().max(1.0) {
            break;
        }
    }
    z
}

/// Student's t with `df > 0` degrees of freedom (infinity is normal): probability of `t` or less.
pub fn t_cdf(t: f64, df: f64) -> f64 {
    t_tail(-t, df)
}

/// Student's t: probability of `t` or more.
pub fn t_tail(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if df >= NORMAL_FROM_DF {
        return normal_tail(t);
    }
    let square = t * t;
    let (x, y) =
        if square.is_finite() { (df / (df + square), square / (df + square)) } else { (0.0, 1.0) };
    let (outside, inside) = beta_tails_of(df / 2.0, 0.5, x, y);
    if t < 0.0 { 0.5 + 0.5 * inside } else { 0.5 * outside }
}

/// Student's t: probability of a value as far from zero as `t`, on either side.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    2.0 * t_tail(t.abs(), df)
}

/// Student's t quantile: the t with probability `p` below it.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    let inside = (0.0..=1.0).contains(&p) && df > 0.0;
    if !inside {
        return f64::NAN;
    }
    if df >= NORMAL_FROM_DF {
        return normal_quantile(p);
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let (q, sign) = if p > 0.5 { (1.0 - p, 1.0) } else { (p, -1.0) };
    if q == 0.5 { 0.0 } else { sign * where_falls_to(q, |t| t_tail(t, df)) }
}

/// Chi-square with `df > 0` degrees of freedom: probability of `x` or less.
pub fn chi2_cdf(x: f64, df: f64) -> f64 {
    gamma_tails(df / 2.0, x.max(0.0) / 2.0).0
}

/// Chi-square: probability of `x` or more.
pub fn chi2_tail(x: f64, df: f64) -> f64 {
    gamma_tails(df / 2.0, x.max(0.0) / 2.0).1
}

/// Chi-square quantile: the x with probability `p` below it.
pub fn chi2_quantile(p: f64, df: f64) -> f64 {
    if !(0.0..1.0).contains(&p) || df.is_nan() || df <= 0.0 {
        return if p == 1.0 && df > 0.0 { f64::INFINITY } else { f64::NAN };
    }
    match p {
        0.0 => 0.0,
        // The lower tail rises; its negative falls.
        p if p < 0.5 => where_falls_to(-p, |x| -chi2_cdf(x, df)),
        p => where_falls_to(1.0 - p, |x| chi2_tail(x, df)),
    }
}

/// Beta distribution with `a, b > 0`: probability of `x` or less.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    beta_tails(a, b, x.clamp(0.0, 1.0)).0
}

/// Beta distribution: probability of `x` or more.
pub fn beta_tail(x: f64, a: f64, b: f64) -> f64 {
    beta_tails(a, b, x.clamp(0.0, 1.0)).1
}

/// Binomial of `n` trials with probability `p`: probability of `k` successes or fewer.
pub fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if k >= n { 1.0 } else { beta_tails((k + 1) as f64, (n - k) as f64, p).1 }
}

/// Binomial: probability of `k` successes or more.
pub fn binomial_tail(k: u64, n: u64, p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    match k {
        0 => 1.0,
        k if k > n => 0.0,
        k => beta_tails(k as f64, (n - k + 1) as f64, p).0,
    }
}

/// Upper confidence bound of a Poisson mean after `k` events: the mean under which `k` or fewer
/// have probability `1 - confidence` (Garwood 1936). For 0 events at 95 % it is 3.00.
pub fn poisson_upper(k: u64, confidence: f64) -> Result<f64> {
    check_fraction("confidence of a Poisson bound", confidence)?;
    Ok(where_falls_to(1.0 - confidence, |mean| gamma_tails(k as f64 + 1.0, mean).1))
}

/// Upper bound of the rate of false flags, `flags` in `comparisons` (see [`poisson_upper`]); at
/// most 1, and 1 without comparisons.
pub fn rate_upper(flags: u64, comparisons: u64, confidence: f64) -> Result<f64> {
    Ok((poisson_upper(flags, confidence)? / comparisons as f64).min(1.0))
}

/// Wilson's score interval (1927) of a proportion, `successes` of `trials`; [0, 1] of no trials.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Result<Interval> {
    check_fraction("confidence of a proportion", confidence)?;
    if successes > trials {
        return Err(bad(format!("a proportion of {successes} in {trials}: more than there were")));
    }
    if trials == 0 {
        return Ok(Interval { low: 0.0, high: 1.0 });
    }
    let (n, p) = (trials as f64, successes as f64 / trials as f64);
    let z = normal_above((1.0 - confidence) / 2.0);
    let weight = z * z / n;
    let centre = (p + weight / 2.0) / (1.0 + weight);
    let radius = z * (p * (1.0 - p) / n + weight / (4.0 * n)).sqrt() / (1.0 + weight);
    // The ends are exact where rounding would leave them beside 0 or 1.
    let low = if successes == 0 { 0.0 } else { (centre - radius).max(0.0) };
    let high = if successes == trials { 1.0 } else { (centre + radius).min(1.0) };
    Ok(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} against {b}");
    }

    #[test]
    fn normal_known_values_and_inverse() {
        near(normal_quantile(0.975), 1.959963984540054, 1e-14);
        near(normal_quantile(0.9995), 3.2905267314919255, 1e-13);
        assert_eq!(normal_quantile(0.5), 0.0);
        near(normal_above(1e-300).powi(2), 37.0471_f64.powi(2), 0.01);
        for i in -370..=80 {
            let z = f64::from(i) / 10.0;
            near(
                normal_quantile(normal_cdf(z)),
                z,
                1e-9 * (z.max(0.0).powi(2) / 2.0).exp() + 1e-12,
            );
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        for p in [-0.1, 1.1, f64::NAN] {
            assert!(normal_quantile(p).is_nan());
        }
    }

    #[test]
    fn t_closed_forms() {
        for t in [-1e6, -3.0, -0.1, 0.0, 0.5, 2.0, 1e8] {
            let cauchy = 0.5 + f64::atan(t) / std::f64::consts::PI;
            near(t_cdf(t, 1.0), cauchy, 1e-14);
            near(t_cdf(t, 2.0), 0.5 + t / (2.0 * (2.0 + t * t).sqrt()), 1e-14);
        }
        // The tail keeps its digits far out: for df = 1 it is about 1 / (pi t).
        near(t_tail(1e12, 1.0) * std::f64::consts::PI * 1e12, 1.0, 1e-10);
        near(t_quantile(0.975, 10.0), 2.228138851986273, 1e-12);
        near(t_cdf(1.5, 1e14), normal_cdf(1.5), 1e-13);
        near(t_cdf(1.5, f64::INFINITY), normal_cdf(1.5), 1e-16);
        for df in [0.5, 1.0, 3.0, 30.0, 1e6] {
            for p in [1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999] {
                near(t_cdf(t_quantile(p, df), df), p, 1e-13);
            }
        }
        assert!(t_cdf(1.0, 0.0).is_nan() && t_quantile(0.5, -1.0).is_nan());
        assert_eq!(t_cdf(f64::INFINITY, 3.0), 1.0);
    }

    #[test]
    fn chi_square_and_binomial() {
        near(chi2_quantile(0.95, 1.0), normal_quantile(0.975).powi(2), 1e-12);
        near(chi2_tail(2.0 * 7.0, 2.0), (-7.0f64).exp(), 1e-17);
        assert_eq!(chi2_quantile(0.0, 3.0), 0.0);
        let (n, p): (u64, f64) = (12, 0.3);
        let mut below = 0.0;
        let mut choose = 1.0;
        for k in 0..=n {
            near(binomial_tail(k, n, p), 1.0 - below, 1e-13);
            below += choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32);
            near(binomial_cdf(k, n, p), below, 1e-13);
            choose *= (n - k) as f64 / (k + 1) as f64;
        }
        assert_eq!(binomial_tail(13, 12, 0.3), 0.0);
        assert_eq!((binomial_cdf(0, 3, 1.0), binomial_cdf(2, 3, 0.0)), (0.0, 1.0));
    }

    #[test]
    fn poisson_bounds_of_the_self_test() {
        let expected = [3.00, 4.74, 6.30, 7.75, 9.15, 10.51, 11.84];
        for (k, bound) in expected.into_iter().enumerate() {
            near(poisson_upper(k as u64, 0.95).unwrap(), bound, 0.005);
        }
        near(poisson_upper(0, 0.95).unwrap(), -(0.05f64.ln()), 1e-13);
        near(rate_upper(4, 10_000, 0.95).unwrap(), 9.1535e-4, 1e-7);
        assert_eq!(rate_upper(0, 0, 0.95).unwrap(), 1.0);
        assert!(poisson_upper(0, 1.0).is_err());
    }

    #[test]
    fn wilson_gives_the_power_figure_of_the_plan() {
        // 200 plants at 90 % detection: plus and minus four points.
        let interval = wilson(180, 200, 0.95).unwrap();
        near((interval.high - interval.low) / 2.0, 0.042, 0.001);
        assert_eq!(wilson(0, 0, 0.95).unwrap(), Interval { low: 0.0, high: 1.0 });
        assert_eq!(wilson(0, 10, 0.95).unwrap().low, 0.0);
        assert_eq!(wilson(10, 10, 0.95).unwrap().high, 1.0);
        assert!(wilson(3, 2, 0.95).is_err());
        // It is the set of proportions that a score test does not reject.
        let Interval { low, high } = wilson(7, 40, 0.9).unwrap();
        for p in [low, high] {
            let z = (7.0 / 40.0 - p) / (p * (1.0 - p) / 40.0).sqrt();
            near(z.abs(), normal_quantile(0.95), 1e-12);
        }
    }
}
