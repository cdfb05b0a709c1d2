//! Special functions behind the distributions: log gamma, the incomplete gamma and beta functions.
//!
//! Tails come in pairs (lower, upper), each computed without subtracting the other from 1 where
//! it is the small one. Relative accuracy is about 1e-13 for parameters up to 1,000 and falls off
//! with the parameter's size times 1e-16, as exponents lose digits. Loops are bounded.

/// Terms after which a series or a fraction stops; parameters up to 1e7 converge before.
const TERMS: usize = 100_000;
const EPSILON: f64 = 1e-16;
/// From here on Stirling's series has full precision.
const STIRLING_FROM: f64 = 12.0;
/// Above this the incomplete gamma function is taken from the normal distribution.
const GAMMA_LARGE: f64 = 1e7;

/// What Stirling's formula leaves out of `ln gamma(x)`, for `x >= 12` (DLMF 5.11.1).
fn stirling_rest(x: f64) -> f64 {
    let s = 1.0 / (x * x);
    let inner = 1.0 / 1188.0 - s * 691.0 / 360_360.0;
    (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s * inner)))) / x
}

/// Logarithm of the gamma function for `x > 0`; NaN otherwise.
pub fn ln_gamma(x: f64) -> f64 {
    if x > 0.0 { libm::lgamma(x) } else { f64::NAN }
}

/// Derivative of `ln_gamma` for `x > 0`; NaN otherwise (DLMF 5.5.2 and 5.11.2).
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut z, mut below) = (x, 0.0);
    while z < STIRLING_FROM {
        below += 1.0 / z;
        z += 1.0;
    }
    let s = 1.0 / (z * z);
    let inner = 1.0 / 252.0 - s * (1.0 / 240.0 - s / 132.0);
    z.ln() - 0.5 / z - s * (1.0 / 12.0 - s * (1.0 / 120.0 - s * inner)) - below
}

/// Second derivative of `ln_gamma` for `x > 0`; NaN otherwise (DLMF 5.15.5 and 5.15.8).
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut z, mut below) = (x, 0.0);
    while z < STIRLING_FROM {
        below += 1.0 / (z * z);
        z += 1.0;
    }
    let s = 1.0 / (z * z);
    let inner = 1.0 / 42.0 - s * (1.0 / 30.0 - s * 5.0 / 66.0);
    below + 0.5 * s + (1.0 + s * (1.0 / 6.0 - s * (1.0 / 30.0 - s * inner))) / z
}

/// The positive number whose [`trigamma`] is `y > 0`.
pub fn trigamma_inverse(y: f64) -> f64 {
    if y > 0.0 { where_falls_to(y, trigamma) } else { f64::NAN }
}

/// `ln B(a, b)`. The difference of two large log gammas is taken term by term, since it would
/// cancel: t distributions with many degrees of freedom need it.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large < STIRLING_FROM {
        return ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    }
    let rise = (large - 0.5) * (small / large).ln_1p() + small * (large + small).ln() - small
        + stirling_rest(large + small)
        - stirling_rest(large);
    ln_gamma(small) - rise
}

/// Regularised incomplete gamma functions `(P(a, x), Q(a, x))` for `a > 0`, `x >= 0`; NaN outside.
///
/// Series below `a + 1`, Lentz's continued fraction above (DLMF 8.7.1, 8.9.2); about `sqrt(a)`
/// terms. For `a` above 1e7 Wilson and Hilferty's cube root (1931), whose error is below 1e-8.
pub fn gamma_tails(a: f64, x: f64) -> (f64, f64) {
    if a.is_nan() || x.is_nan() || a <= 0.0 || x < 0.0 || a == f64::INFINITY {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if x == f64::INFINITY {
        return (1.0, 0.0);
    }
    if a > GAMMA_LARGE {
        let z = ((x / a).cbrt() - 1.0 + 1.0 / (9.0 * a)) * 3.0 * a.sqrt();
        let (near, far) = gamma_tails(0.5, z * z / 2.0);
        let (low, high) = (0.5 * far, 0.5 + 0.5 * near);
        return if z < 0.0 { (low, high) } else { (high, low) };
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..TERMS {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * EPSILON {
                break;
            }
        }
        let lower = (front * sum).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let fraction = lentz(x + 1.0 - a, |n| {
            let n = n as f64;
            (-n * (n - a), x + 2.0 * n + 1.0 - a)
        });
        let upper = (front / fraction).min(1.0);
        (1.0 - upper, upper)
    }
}

/// Regularised incomplete beta functions `(I_x(a, b), 1 - I_x(a, b))` for `a, b > 0` and
/// `0 <= x <= 1`; NaN outside.
pub fn beta_tails(a: f64, b: f64, x: f64) -> (f64, f64) {
    beta_tails_of(a, b, x, 1.0 - x)
}

/// The same for a caller that knows `y = 1 - x` with more digits than a subtraction gives.
/// Lentz's continued fraction (DLMF 8.17.22), about `sqrt(max(a, b))` terms.
pub fn beta_tails_of(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    let valid = a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0 && a.is_finite() && b.is_finite();
    if !valid {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 || y == 0.0 {
        return if x == 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
    }
    // The fraction converges quickly on the near side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        let (lower, upper) = beta_near(b, a, y, x);
        return (upper, lower);
    }
    beta_near(a, b, x, y)
}

fn beta_near(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    let log = |v: f64, other: f64| if v > 0.5 { (-other).ln_1p() } else { v.ln() };
    let front = (a * log(x, y) + b * log(y, x) - ln_beta(a, b)).exp() / a;
    let fraction = lentz(1.0, |n| {
        let m = (n / 2) as f64;
        let numerator = if n % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        (numerator, 1.0)
    });
    let lower = (front / fraction).min(1.0);
    (lower, 1.0 - lower)
}

/// A continued fraction `b0 + a1/(b1 + a2/(b2 + ...))` from the front, by the method of Lentz as
/// changed by Thompson and Barnett (1986). `term(n)` gives `(a_n, b_n)`.
fn lentz(b0: f64, term: impl Fn(usize) -> (f64, f64)) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut value = away(b0);
    let (mut c, mut d) = (value, 0.0);
    for n in 1..TERMS {
        let (a, b) = term(n);
        d = 1.0 / away(b + a * d);
        c = away(b + a / c);
        let step = c * d;
        value *= step;
        if (step - 1.0).abs() < EPSILON {
            break;
        }
    }
    value
}

/// Where a function that falls on the positive axis reaches `q`: doubling, then bisection down to
/// neighbouring doubles. About 60 evaluations; at most 2,200.
pub(crate) fn where_falls_to(q: f64, tail: impl Fn(f64) -> f64) -> f64 {
    let mut high = 1.0;
    while tail(high) > q && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    let mut low = high / 2.0;
    while tail(low) < q && low > 0.0 {
        (low, high) = (low / 2.0, low);
    }
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if tail(middle) > q {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs().max(1e-300), "{a} against {b}");
    }

    #[test]
    fn gamma_at_integers_and_halves() {
        let mut factorial = 1.0f64;
        for n in 1..100 {
            assert!((ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-13 * f64::from(n));
            factorial *= f64::from(n);
        }
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-14);
        for x in [0.0, -1.0, f64::NAN] {
            assert!(ln_gamma(x).is_nan());
        }
    }

    #[test]
    fn derivatives_of_log_gamma() {
        let square = std::f64::consts::PI.powi(2);
        close(digamma(1.0), -0.577_215_664_901_532_9, 1e-14);
        close(trigamma(1.0), square / 6.0, 1e-14);
        close(trigamma(0.5), square / 2.0, 1e-14);
        for x in [0.01, 0.7, 3.0, 11.9, 12.1, 400.0] {
            close(digamma(x + 1.0), digamma(x) + 1.0 / x, 1e-13);
            close(trigamma(x), trigamma(x + 1.0) + 1.0 / (x * x), 1e-13);
            close(trigamma_inverse(trigamma(x)), x, 1e-12);
        }
        assert!(digamma(0.0).is_nan() && trigamma(-1.0).is_nan() && trigamma_inverse(0.0).is_nan());
    }

    #[test]
    fn incomplete_gamma_of_one_and_of_integers() {
        for x in [1e-9, 0.1, 1.0, 2.5, 30.0, 700.0] {
            let (lower, upper) = gamma_tails(1.0, x);
            close(upper, (-x).exp(), 1e-13);
            close(lower, -(-x).exp_m1(), 1e-13);
        }
        // Q(k + 1, x) is the Poisson distribution function at k.
        let poisson: f64 = (0..=6)
            .map(|k| (-5.0 + f64::from(k) * 5f64.ln() - ln_gamma(f64::from(k) + 1.0)).exp())
            .sum();
        close(gamma_tails(7.0, 5.0).1, poisson, 1e-13);
        // The switch to the cube root is smooth.
        for z in [-4.0, -1.0, 0.0, 2.0] {
            let (at, above) = (GAMMA_LARGE, GAMMA_LARGE * (1.0 + 1e-9));
            let of = |a: f64| gamma_tails(a, a + z * a.sqrt()).0;
            close(of(above), of(at), 1e-5);
        }
    }

    #[test]
    fn incomplete_beta_closed_forms() {
        for x in [1e-6, 0.2, 0.5, 0.9, 1.0 - 1e-9] {
            close(beta_tails(1.0, 1.0, x).0, x, 1e-14);
            close(beta_tails(3.0, 1.0, x).0, x.powi(3), 1e-13);
            close(beta_tails(1.0, 4.0, x).1, (1.0 - x).powi(4), 1e-9);
            let arcsine = 2.0 / std::f64::consts::PI * x.sqrt().asin();
            close(beta_tails(0.5, 0.5, x).0, arcsine, 1e-10);
        }
        close(ln_beta(1e12, 0.5), 0.5 * std::f64::consts::PI.ln() - 0.5 * 1e12f64.ln(), 1e-12);
    }

    #[test]
    fn outside_the_domain_is_nan_and_edges_are_exact() {
        for (a, x) in [(0.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)]
        {
            assert!(gamma_tails(a, x).0.is_nan());
        }
        assert_eq!(gamma_tails(2.0, f64::INFINITY), (1.0, 0.0));
        for (a, x) in [(0.0, 0.5), (1.0, -0.1), (1.0, 1.1), (f64::INFINITY, 0.5), (1.0, f64::NAN)] {
            assert!(beta_tails(a, 1.0, x).0.is_nan());
        }
        assert_eq!(beta_tails(2.0, 3.0, 1.0), (1.0, 0.0));
        // Wild parameters end in time with some number in range.
        for (a, b) in [(1e15, 1e15), (1e-300, 1e300), (1e300, 1e300)] {
            let (lower, _) = beta_tails(a, b, 0.5);
            assert!(lower.is_nan() || (0.0..=1.0).contains(&lower));
        }
    }

    #[test]
    fn falling_functions_are_inverted() {
        for q in [0.999_999, 0.5, 1e-3, 1e-200] {
            let x = where_falls_to(q, |x| (-x).exp());
            close(x, -q.ln(), 1e-9);
        }
        // A result of zero, and a function that never falls: both end.
        assert_eq!(where_falls_to(0.5, |_| 0.0), 0.0);
        assert!(where_falls_to(0.5, |_| 1.0) > 1e300);
        assert!(where_falls_to(0.5, |_| f64::NAN) <= 1.0);
    }
}
