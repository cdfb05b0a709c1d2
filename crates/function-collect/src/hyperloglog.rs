//! HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007) with linear counting for small numbers.
//! Estimates and serialised states are those of the reference.

use entasis_base::Result;

use entasis_function::aggregate::args::{Bytes, take};

/// Shape of a sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Buckets are `2^precision`.
    pub precision: u32,
    /// Bits of a hash: 32 or 64.
    pub hash_bits: u32,
    /// Whether medium estimates are corrected for the bias of the raw estimate.
    pub corrects_bias: bool,
}

impl Shape {
    fn buckets(self) -> usize {
        1 << self.precision
    }

    fn most_rank(self) -> u32 {
        self.hash_bits - self.precision + 1
    }

    /// Bits of a rank in states.
    fn rank_bits(self) -> usize {
        if self.hash_bits == 32 { 5 } else { 6 }
    }
}

/// The greatest rank of each bucket. The rank of a hash is the number of trailing zeros plus one,
/// without the bits that choose its bucket.
#[derive(Clone, Debug)]
pub struct Sketch(Box<[u8]>);

impl Sketch {
    /// Without any hash.
    pub fn new(shape: Shape) -> Self {
        Self(vec![0; shape.buckets()].into())
    }

    /// Adds a hash.
    #[inline]
    pub fn insert(&mut self, hash: u64, shape: Shape) {
        let bucket = hash as usize & (shape.buckets() - 1);
        let rank = ((hash >> shape.precision).trailing_zeros() + 1).min(shape.most_rank());
        self.0[bucket] = self.0[bucket].max(rank as u8);
    }

    /// Adds many hashes. Most of them change nothing.
    pub fn insert_all(&mut self, hashes: &[u64], shape: Shape) {
        let (ranks, mask) = (&mut self.0[..shape.buckets()], shape.buckets() - 1);
        // A bit that ends the count of zeros at the greatest rank.
        let end = 1u64 << (shape.most_rank() - 1);
        for &hash in hashes {
            let rank = ((hash >> shape.precision | end).trailing_zeros() + 1) as u8;
            let known = &mut ranks[hash as usize & mask];
            if *known < rank {
                *known = rank;
            }
        }
    }

    /// Adds another's hashes.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = (*a).max(*b));
    }

    /// How many buckets have each rank.
    fn counts(&self, shape: Shape) -> Vec<u32> {
        let mut counts = vec![0; shape.most_rank() as usize + 1];
        for &rank in &self.0 {
            counts[usize::from(rank)] += 1;
        }
        counts
    }

    /// Number of distinct hashes.
    pub fn estimate(&self, shape: Shape) -> u64 {
        let counts = self.counts(shape);
        // The sum of 2^-rank, smallest terms first.
        let sum = counts.iter().rev().fold(0.0, |sum: f64, &n| sum / 2.0 + f64::from(n));
        let raw = raw_estimate(shape, sum);
        (correct(shape, raw, counts[0]) + 0.5) as u64
    }

    /// Appends the reference's bytes: packed ranks, counts by rank, number of empty buckets.
    pub fn write(&self, shape: Shape, out: &mut Vec<u8>) {
        let (start, bits) = (out.len(), shape.rank_bits());
        out.resize(start + (shape.buckets() * bits).div_ceil(8), 0);
        let packed = &mut out[start..];
        for (i, &rank) in self.0.iter().enumerate() {
            let (byte, shift) = (i * bits / 8, i * bits % 8);
            let word = u16::from(rank) << shift;
            packed[byte] |= word as u8;
            if shift + bits > 8 {
                packed[byte + 1] |= (word >> 8) as u8;
            }
        }
        let counts = self.counts(shape);
        counts.iter().for_each(|n| n.put(out));
        if shape.buckets() < 1 << 16 {
            (counts[0] as u16).put(out);
        } else {
            counts[0].put(out);
        }
    }

    /// Reads a sketch. Only the ranks in the input are used.
    pub fn read(input: &mut &[u8], shape: Shape) -> Result<Self> {
        let bits = shape.rank_bits();
        let packed = take(input, (shape.buckets() * bits).div_ceil(8))?;
        take(input, (shape.most_rank() as usize + 1) * 4)?;
        take(input, if shape.buckets() < 1 << 16 { 2 } else { 4 })?;
        let rank = |i: usize| {
            let (byte, shift) = (i * bits / 8, i * bits % 8);
            let high = packed.get(byte + 1).copied().unwrap_or(0);
            let word = u16::from(packed[byte]) | u16::from(high) << 8;
            (word >> shift & ((1 << bits) - 1)).min(shape.most_rank() as u16) as u8
        };
        Ok(Self((0..shape.buckets()).map(rank).collect()))
    }
}

/// The estimate without corrections.
fn raw_estimate(shape: Shape, sum: f64) -> f64 {
    let m = shape.buckets() as f64;
    0.7213 / (1.0 + 1.079 / m) * m * m / sum
}

/// Up to this estimate, linear counting is more exact than the correction for bias, with 2^17
/// buckets.
const LINEAR_BELOW: f64 = 177_700.0;

fn correct(shape: Shape, raw: f64, empty: u32) -> f64 {
    let m = shape.buckets() as f64;
    let linear = |otherwise: f64| match empty {
        0 => otherwise,
        n => m * (m.ln() - f64::from(n).ln()),
    };
    if raw > 4_294_967_296.0 / 30.0 {
        return raw;
    }
    if !shape.corrects_bias {
        return if raw <= 2.5 * m { linear(raw) } else { raw };
    }
    let unbiased = if raw <= 5.0 * m { without_bias(shape, raw) } else { raw };
    let linear = linear(unbiased);
    if linear < LINEAR_BELOW { linear } else { unbiased }
}

/// The number of hashes whose expected raw estimate is `raw`. It is found by bisection, because the
/// expectation grows with the number.
fn without_bias(shape: Shape, raw: f64) -> f64 {
    let (mut low, mut high) = (0.0, raw);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if expected_raw(shape, middle) < raw {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// With `n` hashes spread at random, a bucket's rank is at most `r` with probability
/// `exp(-n / m / 2^r)`.
fn expected_raw(shape: Shape, n: f64) -> f64 {
    let m = shape.buckets() as f64;
    let (mut sum, mut before, mut power) = (0.0, 0.0, 1.0);
    for _ in 0..shape.most_rank() {
        let at_most = (-n / m * power).exp();
        sum += power * (at_most - before);
        (before, power) = (at_most, power / 2.0);
    }
    raw_estimate(shape, (sum + power * (1.0 - before)) * m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_unpacked() {
        for (precision, hash_bits) in [(12, 32), (17, 32), (13, 64)] {
            let shape = Shape { precision, hash_bits, corrects_bias: false };
            let mut sketch = Sketch::new(shape);
            for i in 0..200_000u64 {
                let hash = entasis_function_kernel::hashing::int_hash64(i);
                sketch.insert(if hash_bits == 32 { hash & 0xFFFF_FFFF } else { hash }, shape);
            }
            let mut bytes = Vec::new();
            sketch.write(shape, &mut bytes);
            let mut input = &bytes[..];
            let read = Sketch::read(&mut input, shape).unwrap();
            assert!(input.is_empty() && read.0 == sketch.0);
            let off = (sketch.estimate(shape) as f64 / 200_000.0 - 1.0).abs();
            assert!(off < 0.05, "{precision}: {off}");
        }
    }

    #[test]
    fn bias_is_taken_out() {
        let shape = Shape { precision: 17, hash_bits: 32, corrects_bias: true };
        for n in [200_000.0, 400_000.0, 600_000.0] {
            let raw = expected_raw(shape, n);
            assert!(raw > n && (without_bias(shape, raw) / n - 1.0).abs() < 1e-6);
        }
    }
}
