//! The sample of `quantileDeterministic`: the values for which a hash of the second argument ends
//! with enough zero bits. The more values there are, the more bits are required, so that at most
//! 8,192 values are kept. The order of the values does not matter.

use entasis_base::Result;
use entasis_column::match_physical;
use entasis_types::{CastTo, DataType};

use super::quantile::Sketch;
use super::sample::interpolate;
use entasis_function::aggregate::args::{Bytes, cut_off, take};
use entasis_function_kernel::hashing::int_hash64;

const SAMPLES: usize = 8192;

/// A sample chosen by hashes.
#[derive(Debug, Default)]
pub struct Deterministic {
    samples: Vec<(f64, u32)>,
    total: u64,
    /// Low bits of a hash that must be zero.
    skip: u32,
    sorted: bool,
}

impl Deterministic {
    fn good(&self, hash: u32) -> bool {
        hash.trailing_zeros() >= self.skip
    }

    fn insert(&mut self, value: f64, hash: u32) {
        if !self.good(hash) {
            return;
        }
        self.samples.push((value, hash));
        while self.samples.len() > SAMPLES && self.skip < 32 {
            self.skip += 1;
            self.thin_out();
        }
    }

    fn thin_out(&mut self) {
        let skip = self.skip;
        self.samples.retain(|s| s.1.trailing_zeros() >= skip);
    }
}

impl Sketch for Deterministic {
    fn add(&mut self, value: f64, determinator: u64) {
        if value.is_nan() {
            return;
        }
        self.sorted = false;
        self.total += 1;
        self.insert(value, int_hash64(determinator) as u32);
    }

    fn merge(&mut self, other: &mut Self) {
        self.sorted = false;
        if other.skip > self.skip {
            self.skip = other.skip;
            self.thin_out();
        }
        for (value, hash) in std::mem::take(&mut other.samples) {
            self.insert(value, hash);
        }
        self.total += other.total;
    }

    fn write(&self, ty: &DataType, out: &mut Vec<u8>) {
        (self.samples.len() as u64).put(out);
        self.total.put(out);
        for &(value, hash) in &self.samples {
            // As a struct of value and hash lies in memory.
            match_physical!(ty.physical(), T => {
                CastTo::<T>::cast_to(value).put(out);
                out.resize(out.len() + padding(size_of::<T>()).0, 0);
                hash.put(out);
                out.resize(out.len() + padding(size_of::<T>()).1, 0);
            }, _ => {});
        }
    }

    fn read(ty: &DataType, input: &mut &[u8]) -> Result<Self> {
        let count = u64::get(input)?;
        let total = u64::get(input)?;
        if count > SAMPLES as u64 {
            return Err(cut_off());
        }
        let mut read = Self { total, ..Self::default() };
        for _ in 0..count {
            match_physical!(ty.physical(), T => {
                let value = T::get(input)?.cast_to();
                take(input, padding(size_of::<T>()).0)?;
                read.samples.push((value, u32::get(input)?));
                take(input, padding(size_of::<T>()).1)?;
            }, _ => return Err(cut_off()));
        }
        Ok(read)
    }

    fn quantile(&mut self, level: f64) -> f64 {
        if !self.sorted {
            self.samples.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            self.sorted = true;
        }
        interpolate(self.samples.len(), level, |i| self.samples[i].0)
    }

    fn heap(&self) -> usize {
        self.samples.capacity() * 16
    }
}

/// Bytes between a value of so many bytes and its hash, and after that.
fn padding(width: usize) -> (usize, usize) {
    (4usize.saturating_sub(width), if width >= 8 { 4 } else { 0 })
}
