//! Reservoir sampling (Vitter 1985, algorithm R) with the reference's generator: PCG with 64 bits
//! of multiplicative state and 32 bits of output (O'Neill 2014), with the same seed for every
//! state.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, match_physical};
use entasis_types::{CastTo, DataType};

use super::quantile::Sketch;
use entasis_function::aggregate::args::{Bytes, cut_off, mismatch, take};
use entasis_function::aggregate::binary::read_len;

const SAMPLES: usize = 8192;
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const SEED: u64 = 123_459;

/// A sample of the values seen.
#[derive(Debug)]
pub struct Reservoir {
    samples: Vec<f64>,
    total: u64,
    random: u64,
    sorted: bool,
    /// Whether a quantile was found without sorting. The reference sorts then, and values that are
    /// replaced later depend on the order.
    owes_sort: bool,
}

impl Default for Reservoir {
    fn default() -> Self {
        Self { samples: Vec::new(), total: 0, random: SEED, sorted: false, owes_sort: false }
    }
}

impl Reservoir {
    /// 32 random bits.
    fn next(&mut self) -> u32 {
        let state = self.random;
        self.random = state.wrapping_mul(MULTIPLIER);
        let shift = (state >> 61) as u32 + 22;
        ((state ^ (state >> 22)) >> shift) as u32
    }

    /// A random number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        if let Ok(limit) = u32::try_from(limit) {
            return u64::from(self.next() % limit);
        }
        let (high, low) = (u64::from(self.next()), u64::from(self.next()));
        ((high << 32) + low) % limit
    }

    /// Adds values that are no NaN.
    fn append(&mut self, values: &[f64]) {
        self.pay_sort();
        self.sorted = false;
        let (fit, rest) = values.split_at(values.len().min(SAMPLES - self.samples.len()));
        self.samples.extend_from_slice(fit);
        self.total += fit.len() as u64;
        for &value in rest {
            self.total += 1;
            let at = self.below(self.total);
            if let Some(sample) = self.samples.get_mut(at as usize) {
                *sample = value;
            }
        }
    }

    /// Sorts, if the reference would have done so.
    fn pay_sort(&mut self) {
        if self.owes_sort {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.samples.sort_unstable_by(f64::total_cmp);
        (self.sorted, self.owes_sort) = (true, false);
    }

    fn shrink_to_share(&mut self, keep: usize) {
        // The first so many after a shuffle.
        for i in 1..self.samples.len() {
            let at = self.below(i as u64 + 1) as usize;
            self.samples.swap(i, at);
        }
        self.samples.truncate(keep);
    }
}

/// No state has seen more: numbers of values are added without a check.
const MOST_VALUES: u64 = 1 << 56;

impl Sketch for Reservoir {
    const MOST_EXACT: usize = SAMPLES;

    fn add(&mut self, value: f64, _: u64) {
        if !value.is_nan() {
            self.append(&[value]);
        }
    }

    fn add_all(&mut self, column: &Column) -> Result<()> {
        let mut values = column.to_f64().ok_or_else(mismatch)?;
        values.retain(|v| !v.is_nan());
        self.append(&values);
        Ok(())
    }

    fn merge(&mut self, other: &mut Self) {
        other.pay_sort();
        self.pay_sort();
        self.sorted = false;
        if other.total <= SAMPLES as u64 {
            self.append(&other.samples);
        } else if self.total <= SAMPLES as u64 {
            let mine = std::mem::take(&mut self.samples);
            (self.samples, self.total) = (std::mem::take(&mut other.samples), other.total);
            self.append(&mine);
        } else {
            // Each side keeps a share that fits the number of values it saw.
            let all = self.total + other.total;
            let share = (SAMPLES as u128 * u128::from(self.total) / u128::from(all)) as usize;
            self.shrink_to_share(share);
            other.shrink_to_share(SAMPLES - share);
            self.samples.append(&mut other.samples);
            self.total = all;
        }
    }

    fn write(&self, ty: &DataType, out: &mut Vec<u8>) {
        SAMPLES.to_le_bytes().iter().for_each(|&b| out.push(b));
        self.total.put(out);
        let generator = format!("{MULTIPLIER} 0 {}", self.random);
        out.push(generator.len() as u8);
        out.extend_from_slice(generator.as_bytes());
        let mut sorted = Vec::new();
        let samples = match self.owes_sort {
            true => {
                sorted.extend_from_slice(&self.samples);
                sorted.sort_unstable_by(f64::total_cmp);
                &sorted
            }
            false => &self.samples,
        };
        match_physical!(ty.physical(), T => {
            out.reserve(samples.len() * size_of::<T>());
            samples.iter().for_each(|value| CastTo::<T>::cast_to(*value).put(out));
        }, _ => {});
    }

    fn read(ty: &DataType, input: &mut &[u8]) -> Result<Self> {
        let samples = u64::get(input)?;
        let total = u64::get(input)?;
        if samples != SAMPLES as u64 || total > MOST_VALUES {
            let message = format!("Aggregate state has {samples} samples of {total} values");
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
        let length = read_len(input)?;
        let generator = String::from_utf8_lossy(take(input, length)?).into_owned();
        let random = generator.split(' ').nth(2).and_then(|s| s.parse().ok());
        let random = random.ok_or_else(|| {
            Error::new(codes::INCORRECT_DATA, "Aggregate state has a broken random generator")
        })?;
        let count = samples.min(total).min(SAMPLES as u64);
        let mut values = Vec::with_capacity(count as usize);
        match_physical!(ty.physical(), T => for _ in 0..count {
            values.push(T::get(input)?.cast_to());
        }, _ => return Err(cut_off()));
        Ok(Self { samples: values, total, random, ..Self::default() })
    }

    fn quantile(&mut self, level: f64) -> f64 {
        if !self.sorted {
            self.sort();
        }
        interpolate(self.samples.len(), level, |i| self.samples[i])
    }

    fn quantiles(&mut self, levels: &[f64], out: &mut Vec<f64>) {
        let [level] = levels else {
            out.extend(levels.iter().map(|&level| self.quantile(level)));
            return;
        };
        if self.sorted || self.samples.is_empty() {
            out.push(self.quantile(*level));
            return;
        }
        // Two neighbours are found more quickly than all are sorted.
        self.owes_sort = true;
        let mut samples = self.samples.clone();
        let last = samples.len() - 1;
        let left = (level * last as f64) as usize;
        let (_, at_left, above) = samples.select_nth_unstable_by(left.min(last), f64::total_cmp);
        let at_left = *at_left;
        let at_right = above.iter().copied().min_by(f64::total_cmp).unwrap_or(at_left);
        let sample = |i| if i == left { at_left } else { at_right };
        out.push(interpolate(last + 1, *level, sample));
    }

    fn heap(&self) -> usize {
        self.samples.capacity() * 8
    }
}

/// The quantile between the two nearest of sorted samples; NaN if there are none.
pub fn interpolate(len: usize, level: f64, sample: impl Fn(usize) -> f64) -> f64 {
    let Some(last) = len.checked_sub(1) else { return f64::NAN };
    let index = (level * last as f64).clamp(0.0, last as f64);
    let left = index as usize;
    if left == last {
        return sample(left);
    }
    let right = index - left as f64;
    sample(left) * (left as f64 + 1.0 - index) + sample(left + 1) * right
}
