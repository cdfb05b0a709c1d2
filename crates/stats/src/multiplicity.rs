//! Many queries in one report: the false discovery rate (Benjamini and Hochberg 1995).

use entasis_base::Result;

use crate::sample::bad;

/// Adjusted p values, in the order of the tests: a query is reported at rate q if its value is q
/// or less; then at most the share q of what is reported is false on average.
///
/// `None` is a query that was not tested and counts as p = 1: leaving it out would make the others
/// look better for being few. It gets 1. An error for a p outside 0..=1. O(n log n).
pub fn benjamini_hochberg(p: &[Option<f64>]) -> Result<Vec<f64>> {
    for (at, p) in p.iter().enumerate() {
        if p.is_some_and(|p| !(0.0..=1.0).contains(&p)) {
            return Err(bad(format!(
                "false discovery rate: p value {at} (from 0) is {}, expected 0 to 1",
                p.unwrap_or(f64::NAN)
            )));
        }
    }
    let of = |at: usize| p[at].unwrap_or(1.0);
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by(|&a, &b| of(b).total_cmp(&of(a)));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (from_largest, &at) in order.iter().enumerate() {
        let rank = p.len() - from_largest;
        least = least.min(of(at) * p.len() as f64 / rank as f64);
        adjusted[at] = least;
    }
    Ok(adjusted)
}

/// False flags to expect among `tests` comparisons of equal things at level `alpha`.
pub fn expected_false(tests: u64, alpha: f64) -> f64 {
    tests as f64 * alpha
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    /// What the paper says: reject the k smallest, k being the last with p(k) <= q k / n.
    fn rejected(p: &[f64], q: f64) -> Vec<bool> {
        let sorted = crate::sample::sorted(p);
        let n = p.len() as f64;
        let last = (0..p.len()).rev().find(|&k| sorted[k] <= q * (k + 1) as f64 / n);
        p.iter().map(|p| last.is_some_and(|k| *p <= sorted[k])).collect()
    }

    #[test]
    fn adjusted_values_reject_what_the_procedure_does() {
        let mut rng = stream(1, &[]);
        for n in 1..60 {
            let p: Vec<f64> = (0..n).map(|_| rng.unit().powi(3)).collect();
            let some: Vec<_> = p.iter().copied().map(Some).collect();
            let adjusted = benjamini_hochberg(&some).unwrap();
            for q in [0.01, 0.05, 0.2, 0.7] {
                let found: Vec<bool> = adjusted.iter().map(|a| *a <= q).collect();
                assert_eq!(found, rejected(&p, q));
            }
        }
    }

    #[test]
    fn untested_counts_as_one() {
        let with = benjamini_hochberg(&[Some(0.01), None, None, None]).unwrap();
        assert_eq!(with, [0.04, 1.0, 1.0, 1.0]);
        assert_eq!(
            with,
            benjamini_hochberg(&[Some(0.01), Some(1.0), Some(1.0), Some(1.0)]).unwrap()
        );
        assert_eq!(benjamini_hochberg(&[]).unwrap(), [0.0; 0]);
        assert!(benjamini_hochberg(&[Some(1.5)]).is_err());
        assert!(benjamini_hochberg(&[Some(f64::NAN)]).is_err());
        assert_eq!(expected_false(300, 0.001), 0.3);
    }
}
