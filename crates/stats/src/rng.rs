//! Random streams from a seed. The generator is splitmix64 from `base`; this module makes
//! independent streams, shuffles and normal deviates of it.

use entasis_base::clock::{Rng, mix64};

/// How a randomisation test or a bootstrap draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// The seed of the draws.
    pub seed: u64,
    /// How many are drawn where not all can be enumerated.
    pub draws: u32,
}

impl Resampling {
    /// 10,000 draws, as ClickHouse's comparison takes.
    pub fn new(seed: u64) -> Self {
        Self { seed, draws: 10_000 }
    }
}

/// The stream that belongs to `seed` and a path of numbers, such as process and query: streams of
/// different paths do not overlap, and one does not depend on how many others there are.
pub fn stream(seed: u64, path: &[u64]) -> Rng {
    // Every step is mixed: streams of splitmix64 whose states differ by its constant would be
    // shifted copies of each other.
    let start = mix64(seed ^ 0x5851_F42D_4C95_7F2D);
    Rng::new(path.iter().fold(start, |state, &step| {
        mix64(state.rotate_left(23) ^ mix64(step.wrapping_add(0x2545_F491_4F6C_DD1D)))
    }))
}

/// Puts the items into a random order, all orders being equally likely (Fisher and Yates).
pub fn shuffle<T>(rng: &mut Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

/// A standard normal deviate (Box and Muller 1958, one of the two).
pub fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_are_equally_likely() {
        let mut rng = stream(1, &[]);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut rng, &mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        let chi2: f64 = counts.values().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        assert!(crate::distribution::chi2_tail(chi2, 23.0) > 1e-4, "{chi2}");
    }

    #[test]
    fn streams_differ_by_every_step() {
        let first = |seed, path: &[u64]| stream(seed, path).next_u64();
        assert_eq!(first(1, &[2, 3]), first(1, &[2, 3]));
        let all = [
            first(1, &[]),
            first(2, &[]),
            first(1, &[0]),
            first(1, &[0, 0]),
            first(1, &[2, 3]),
            first(1, &[3, 2]),
        ];
        let distinct: std::collections::BTreeSet<u64> = all.into();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn normal_deviates_are_normal() {
        let mut rng = stream(7, &[]);
        let p: Vec<f64> =
            (0..5000).map(|_| crate::distribution::normal_cdf(normal(&mut rng))).collect();
        assert!(crate::uniform::ks_uniform(&p).unwrap().p > 1e-3);
    }
}
