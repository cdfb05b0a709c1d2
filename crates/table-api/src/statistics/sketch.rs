//! An estimate of a number of distinct values that can be merged: HyperLogLog.
//!
//! Sources: P. Flajolet, É. Fusy, O. Gandouet, F. Meunier, "HyperLogLog: the analysis of a
//! near-optimal cardinality estimation algorithm" (2007), for the registers; O. Ertl, "New
//! cardinality estimation algorithms for HyperLogLog sketches" (2017), for the estimator, which
//! needs neither a table of corrections nor another method for few values.

/// Registers of HyperLogLog. The relative standard error is 1.04 divided by the square root of
/// their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctSketch {
    /// The greatest rank of the hashes of each register; a power of two of them.
    registers: Vec<u8>,
}

impl Default for DistinctSketch {
    fn default() -> Self {
        Self { registers: vec![0; Self::REGISTERS] }
    }
}

impl DistinctSketch {
    /// The number of registers of a new sketch: a standard error of 6.5 %.
    pub const REGISTERS: usize = 256;
    /// The least number of registers that can be read: a standard error of 13 %.
    pub const FEWEST: usize = 64;

    /// A sketch with these registers; `None` if their number or one of them is impossible.
    pub fn of_registers(registers: &[u8]) -> Option<Self> {
        let is_possible = registers.len().is_power_of_two()
            && (Self::FEWEST..=1 << 16).contains(&registers.len());
        let most = 65_u32.checked_sub(registers.len().trailing_zeros())?;
        let is_sound = is_possible && registers.iter().all(|&rank| u32::from(rank) <= most);
        is_sound.then(|| Self { registers: registers.to_vec() })
    }

    /// The greatest rank of each register.
    pub fn registers(&self) -> &[u8] {
        &self.registers
    }

    /// Whether no value was added.
    pub fn is_empty(&self) -> bool {
        self.registers.iter().all(|&rank| rank == 0)
    }

    /// Adds a value by its hash, all of whose bits must depend on all of the value.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        let bits = self.registers.len().trailing_zeros();
        let rank = ((hash << bits) | 1 << (bits - 1)).leading_zeros() as u8 + 1;
        if let Some(register) = self.registers.get_mut((hash >> (64 - bits)) as usize) {
            *register = (*register).max(rank);
        }
    }

    /// Adds many values by their hashes.
    #[inline]
    pub fn add_all(&mut self, hashes: impl Iterator<Item = u64>) {
        const BITS: u32 = DistinctSketch::REGISTERS.trailing_zeros();
        let Ok(registers) = <&mut [u8; Self::REGISTERS]>::try_from(&mut self.registers[..]) else {
            return hashes.for_each(|hash| self.add(hash));
        };
        for hash in hashes {
            let rank = ((hash << BITS) | 1 << (BITS - 1)).leading_zeros() as u8 + 1;
            let register = &mut registers[(hash >> (64 - BITS)) as usize];
            // Soon almost no hash raises a register, and a branch costs less than a store.
            if rank > *register {
                *register = rank;
            }
        }
    }

    /// Adds the values that `other` has counted. Of two sketches with different numbers of
    /// registers, the smaller number remains.
    pub fn merge(&mut self, other: &Self) {
        while self.registers.len() > other.registers.len() {
            *self = self.halved();
        }
        if self.registers.len() < other.registers.len() {
            let mut other = other.halved();
            while self.registers.len() < other.registers.len() {
                other = other.halved();
            }
            return self.merge(&other);
        }
        self.registers.iter_mut().zip(&other.registers).for_each(|(a, b)| *a = (*a).max(*b));
    }

    /// The sketch of the same values with half of the registers. The lowest bit of a register's
    /// number becomes the first bit of the rest of its hashes.
    fn halved(&self) -> Self {
        let of_pair = |pair: &[u8]| match pair {
            [low, high] => (if *low > 0 { low + 1 } else { 0 }).max(u8::from(*high > 0)),
            _ => 0,
        };
        Self { registers: self.registers.chunks(2).map(of_pair).collect() }
    }

    /// The estimated number of distinct values.
    pub fn estimate(&self) -> u64 {
        let m = self.registers.len() as f64;
        let most = 65 - self.registers.len().trailing_zeros() as usize;
        let mut counts = [0_u32; 66];
        for &rank in &self.registers {
            counts[usize::from(rank).min(most)] += 1;
        }
        let mut sum = m * tau(1.0 - f64::from(counts[most]) / m);
        for rank in (1..most).rev() {
            sum = 0.5 * (sum + f64::from(counts[rank]));
        }
        sum += m * sigma(f64::from(counts[0]) / m);
        let estimate = m * m / (2.0 * std::f64::consts::LN_2 * sum);
        if estimate.is_finite() { estimate.round() as u64 } else { 0 }
    }
}

/// The contribution of the registers that no hash has reached (Ertl, section 2.3).
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z <= before {
            return z;
        }
    }
}

/// The contribution of the registers that are full (Ertl, section 2.3).
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z >= before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::mix64;

    fn sketch_of(values: std::ops::Range<u64>) -> DistinctSketch {
        let mut sketch = DistinctSketch::default();
        sketch.add_all(values.map(|v| mix64(v.wrapping_mul(0x9E37_79B9_7F4A_7C15))));
        sketch
    }

    #[test]
    fn estimates_are_within_four_standard_errors() {
        for n in [0_u64, 1, 2, 10, 100, 200, 500, 1000, 5000, 100_000, 1_000_000] {
            let estimate = sketch_of(0..n).estimate() as f64;
            assert!((estimate - n as f64).abs() <= 1.0 + 0.26 * n as f64, "{n}: {estimate}");
        }
    }

    #[test]
    fn the_error_is_that_of_the_theory() {
        let (n, rounds) = (3000_u64, 100);
        let errors = (0..rounds).map(|round| {
            let estimate = sketch_of(round * n..(round + 1) * n).estimate() as f64;
            (estimate / n as f64 - 1.0).powi(2)
        });
        let error = (errors.sum::<f64>() / rounds as f64).sqrt();
        assert!((0.04..0.09).contains(&error), "{error}");
    }

    #[test]
    fn merging_is_adding_and_folding_is_exact() {
        let mut merged = sketch_of(0..4000);
        merged.merge(&sketch_of(2000..9000));
        assert_eq!(merged, sketch_of(0..9000));
        let mut few = DistinctSketch { registers: vec![0; 64] };
        (0..9000_u64).for_each(|v| few.add(mix64(v.wrapping_mul(0x9E37_79B9_7F4A_7C15))));
        assert_eq!(merged.halved().halved(), few);
        let mut both = DistinctSketch::of_registers(few.registers()).unwrap_or_default();
        both.merge(&merged);
        assert_eq!(both, few);
        merged.merge(&few);
        assert_eq!(merged, few);
    }

    #[test]
    fn impossible_registers_are_refused() {
        assert!(DistinctSketch::of_registers(&[0; 100]).is_none());
        assert!(DistinctSketch::of_registers(&[0; 32]).is_none());
        assert!(DistinctSketch::of_registers(&[60; 64]).is_none());
        assert!(DistinctSketch::of_registers(&[59; 64]).is_some());
        assert!(DistinctSketch::of_registers(&[57; 256]).is_some());
    }
}
