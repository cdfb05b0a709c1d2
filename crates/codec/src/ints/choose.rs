//! Choosing an encoding: a few vectorised passes of statistics, then the cheapest estimate.

use super::{Encoding, Int, MAX_DICTIONARY};
use entasis_simd::bits::{count_ones, words_for};
use entasis_simd::compare::{CompareOp, mask_compare, mask_compare_columns};
use entasis_simd::hash::hash_one_u64;

/// What is known of a slice of integers before it is encoded.
#[derive(Clone, Copy, Debug)]
pub struct Stats<T> {
    /// Rows.
    pub n: usize,
    /// Smallest value.
    pub min: T,
    /// Largest value.
    pub max: T,
    /// Maximal runs of equal values.
    pub runs: usize,
    /// Bits for a difference to the row before.
    pub delta_width: u32,
    /// Rows that hold the most common value (a sample picks the value).
    pub common: usize,
}

impl<T: Int> Stats<T> {
    /// Looks at `values`; `None` when there are none.
    pub fn of(values: &[T]) -> Option<Self> {
        let (min, max) = entasis_simd::sum::min_max(values)?;
        let n = values.len();
        let mut mask = vec![0; words_for(n)];
        let before = &mut mask[..words_for(n - 1)];
        mask_compare_columns(CompareOp::Ne, &values[1..], &values[..n - 1], before);
        let runs = 1 + count_ones(before, n - 1);
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for (&b, &a) in values[1..].iter().zip(values) {
            let delta = b.sub(a).signed();
            low = low.min(delta);
            high = high.max(delta);
        }
        let delta_width = if n > 1 { bits(high.wrapping_sub(low) as u64).min(T::BITS) } else { 0 };
        mask_compare(CompareOp::Eq, values, most_common(values), &mut mask);
        Some(Self { n, min, max, runs, delta_width, common: count_ones(&mask, n) })
    }

    /// Bits for a value above the minimum.
    pub fn width(&self) -> u32 {
        bits(self.max.offset_from(self.min))
    }
}

fn bits(max: u64) -> u32 {
    entasis_simd::bitpack::width_for(max)
}

/// The most common value of a sample of 64; deterministic.
pub(super) fn most_common<T: Int>(values: &[T]) -> T {
    let step = (values.len() / 64).max(1);
    let mut sample: Vec<T> = values.iter().step_by(step).take(64).copied().collect();
    sample.sort_unstable();
    let longest = sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
    longest.and_then(|run| run.first()).copied().unwrap_or_default()
}

/// The encoding with the smallest estimated size; those that decode slower need to save more.
pub fn choose<T: Int>(values: &[T]) -> Encoding {
    let Some(stats) = Stats::of(values) else { return Encoding::Plain };
    if stats.runs == 1 {
        return Encoding::Constant;
    }
    let n = stats.n as f64;
    let word = T::BITS as f64;
    let width = f64::from(stats.width());
    let row_bits = f64::from(bits(stats.n as u64));
    let header = 32.0 + word;
    let plain = (Encoding::Plain, n * word * 0.95);
    let cheaper = |best: (Encoding, f64), encoding, bits: f64, penalty: f64| {
        let cost = (bits + header) * penalty;
        if cost < best.1 { (encoding, cost) } else { best }
    };
    let best = cheaper(plain, Encoding::FrameOfReference, n * width, 1.0);
    let best = cheaper(best, Encoding::Delta, n * f64::from(stats.delta_width), 1.2);
    let runs = stats.runs as f64;
    let run_bits = (n / runs).log2().ceil() + 3.0;
    let best = cheaper(best, Encoding::RunLength, runs * (width + run_bits) + 160.0, 1.1);
    let others = (stats.n - stats.common) as f64;
    let gap_bits =
        if others > 0.0 { ((n / others).log2().ceil() + 3.0).min(row_bits) } else { 0.0 };
    let best = cheaper(best, Encoding::Sparse, others * (width + gap_bits) + 160.0, 1.1);
    if width <= 4.0 || best.1 <= n * 2.0 {
        return best.0;
    }
    let Some(size) = count_distinct(values) else { return best.0 };
    let code = f64::from(bits(size as u64 - 1));
    cheaper(best, Encoding::Dictionary, n * code + size as f64 * width + 80.0, 1.3).0
}

/// As [`choose`] among the encodings that may be nested.
pub(super) fn choose_simple<T: Int>(values: &[T]) -> Encoding {
    let Some(stats) = Stats::of(values) else { return Encoding::Plain };
    if stats.runs == 1 {
        Encoding::Constant
    } else if stats.delta_width + 1 < stats.width() {
        Encoding::Delta
    } else if stats.width() < T::BITS {
        Encoding::FrameOfReference
    } else {
        Encoding::Plain
    }
}

/// Number of distinct values when a dictionary may pay, judged on a sample first.
fn count_distinct<T: Int>(values: &[T]) -> Option<usize> {
    let limit = (values.len() / 8).min(MAX_DICTIONARY);
    let step = (values.len() / 512).max(1);
    let mut sample = Distinct::new(256);
    for &v in values.iter().step_by(step).take(512) {
        sample.code(v)?;
    }
    let mut all = Distinct::new(limit);
    for &v in values {
        all.code(v)?;
    }
    Some(all.values.len())
}

/// Distinct values in order of first appearance, up to a limit.
pub(super) struct Distinct<T> {
    pub(super) values: Vec<T>,
    limit: usize,
    /// Open addressing: code + 1, or 0 for free.
    slots: Vec<u16>,
}

impl<T: Int> Distinct<T> {
    pub(super) fn new(limit: usize) -> Self {
        let slots = vec![0; (limit * 2).next_power_of_two().max(2)];
        Self { values: Vec::new(), limit, slots }
    }

    /// The code of `value`, which is added when new; `None` beyond the limit.
    #[inline]
    pub(super) fn code(&mut self, value: T) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut at = hash_one_u64(value.to_bits(), 0) as usize & mask;
        loop {
            match self.slots[at] {
                0 => break,
                code if self.values[code as usize - 1] == value => return Some(code - 1),
                _ => at = (at + 1) & mask,
            }
        }
        if self.values.len() >= self.limit {
            return None;
        }
        self.values.push(value);
        self.slots[at] = self.values.len() as u16;
        Some(self.values.len() as u16 - 1)
    }
}
