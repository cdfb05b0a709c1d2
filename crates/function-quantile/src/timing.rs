//! A histogram of durations in milliseconds: the values themselves as long as there are few, then
//! counts per millisecond below 1,024 and per 16 milliseconds up to 30,000.

use entasis_base::{Error, Result};
use entasis_column::Column;
use entasis_types::DataType;

use super::quantile::Sketch;
use entasis_function::aggregate::args::{Bytes, mismatch};

const SMALL: usize = 1024;
const WIDTH: usize = 16;
const LARGEST: u16 = 30_000;
const BINS: usize = (LARGEST as usize - SMALL) / WIDTH;
/// Values kept as a short list in the state's own bytes.
const TINY: usize = 31;
/// Values from which on the histogram is smaller than the list.
const TO_HISTOGRAM: usize = 2836;

/// The durations seen.
#[derive(Debug, Default)]
pub struct Timing {
    values: Vec<u16>,
    histogram: Option<Box<Histogram>>,
}

#[derive(Debug)]
struct Histogram {
    count: u64,
    /// Counts of milliseconds, then of 16 milliseconds each. The last one has all that is longer,
    /// and is not part of the state.
    bins: Box<[u64]>,
}

/// What [`durations`] answers for values that are no duration.
const NONE: u16 = u16::MAX;

/// Values as milliseconds up to [`LARGEST`]. As in the reference, numbers past 63 bits are none.
fn durations(column: &Column) -> Result<Vec<u16>> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    macro_rules! unsigned {
        ($values:expr) => {
            Ok($values.iter().map(|v| (*v).min(LARGEST.into()) as u16).collect())
        };
    }
    match column {
        Column::UInt8(values) => Ok(values.iter().map(|v| u16::from(*v)).collect()),
        Column::UInt16(values) => unsigned!(values),
        Column::UInt32(values) => unsigned!(values),
        column => {
            let duration = |v: &f64| match (0.0..LIMIT).contains(v) {
                true => v.min(LARGEST.into()) as u16,
                false => NONE,
            };
            Ok(column.to_f64().ok_or_else(mismatch)?.iter().map(duration).collect())
        }
    }
}

/// The bin of a duration.
#[inline(always)]
fn bin(duration: u16) -> usize {
    let duration = duration as usize;
    let large = SMALL + duration.saturating_sub(SMALL) / WIDTH;
    if duration < SMALL { duration } else { large.min(SMALL + BINS) }
}

/// Thomas Wang's 64 to 32 bit integer hash with rotations, as the reference picks a value within
/// a bin.
fn spread(bin: usize) -> usize {
    let mut key = bin as u64;
    key = (!key).wrapping_add(key << 18);
    key ^= key.rotate_right(31);
    key = key.wrapping_mul(21);
    key ^= key.rotate_right(11);
    key = key.wrapping_add(key << 6);
    key ^= key.rotate_right(22);
    key as u32 as usize % WIDTH
}

impl Histogram {
    fn add(&mut self, value: u16, weight: u64) {
        self.count += weight;
        self.bins[bin(value)] += weight;
    }

    /// Counts of durations that are not too long.
    fn counted(&self) -> &[u64] {
        &self.bins[..SMALL + BINS]
    }

    fn quantile(&self, level: f64) -> f64 {
        let position = (self.count as f64 * level).ceil() as u64;
        let mut sum = 0;
        let counts = self.counted().iter().enumerate().filter(|(_, n)| **n > 0);
        for (at, n) in counts {
            sum += n;
            if sum >= position {
                return match at {
                    at if at < SMALL => at as f64,
                    at => {
                        let bin = at - SMALL;
                        (bin * WIDTH + SMALL + spread(bin) - WIDTH / 2) as f64
                    }
                };
            }
        }
        LARGEST.into()
    }
}

impl Timing {
    fn histogram_mut(&mut self) -> &mut Histogram {
        let values = std::mem::take(&mut self.values);
        let empty = || {
            let bins = vec![0; SMALL + BINS + 1].into_boxed_slice();
            Box::new(Histogram { count: 0, bins })
        };
        let histogram = self.histogram.get_or_insert_with(empty);
        values.iter().for_each(|&v| histogram.add(v, 1));
        histogram
    }

    /// Adds one duration.
    #[inline(always)]
    fn push(&mut self, duration: u16) {
        match &mut self.histogram {
            Some(histogram) => histogram.add(duration, 1),
            None if self.values.len() < TO_HISTOGRAM => self.values.push(duration),
            None => self.histogram_mut().add(duration, 1),
        }
    }
}

impl Sketch for Timing {
    fn add(&mut self, value: f64, weight: u64) {
        // What is no duration: as the reference, numbers past 63 bits too.
        if !(0.0..9_223_372_036_854_775_808.0).contains(&value) {
            return;
        }
        let value = value.min(LARGEST.into()) as u16;
        if let Some(histogram) = &mut self.histogram {
            return histogram.add(value, weight);
        }
        if self.values.len() as u64 + weight > TO_HISTOGRAM as u64 {
            return self.histogram_mut().add(value, weight);
        }
        self.values.resize(self.values.len() + weight as usize, value);
    }

    fn add_each(states: &mut [Self], column: &Column, groups: &[u32]) -> Result<()> {
        for (&duration, &group) in durations(column)?.iter().zip(groups) {
            if duration != NONE {
                states[group as usize].push(duration);
            }
        }
        Ok(())
    }

    fn add_all(&mut self, column: &Column) -> Result<()> {
        let durations = durations(column)?;
        let mut rest = durations.iter().filter(|duration| **duration != NONE);
        while self.histogram.is_none() {
            let Some(&duration) = rest.next() else { return Ok(()) };
            self.push(duration);
        }
        let histogram = self.histogram_mut();
        rest.for_each(|duration| histogram.add(*duration, 1));
        Ok(())
    }

    fn merge(&mut self, other: &mut Self) {
        match &other.histogram {
            None => other.values.iter().for_each(|&v| self.add(v.into(), 1)),
            Some(theirs) => {
                let mine = self.histogram_mut();
                mine.count += theirs.count;
                mine.bins.iter_mut().zip(&theirs.bins).for_each(|(a, b)| *a += b);
            }
        }
    }

    fn write(&self, _: &DataType, out: &mut Vec<u8>) {
        if let Some(histogram) = &self.histogram {
            out.push(3);
            histogram.count.put(out);
            for (at, n) in histogram.counted().iter().enumerate() {
                if *n > 0 {
                    (at as u16).put(out);
                    n.put(out);
                }
            }
            return LARGEST.put(out);
        }
        if self.values.len() <= TINY {
            out.push(1);
            (self.values.len() as u16).put(out);
        } else {
            out.push(2);
            (self.values.len() as u64).put(out);
        }
        self.values.iter().for_each(|v| v.put(out));
    }

    fn read(_: &DataType, input: &mut &[u8]) -> Result<Self> {
        let mut timing = Self::default();
        let count = match u8::get(input)? {
            1 => u64::from(u16::get(input)?),
            2 => u64::get(input)?,
            3 => {
                let count = u64::get(input)?;
                let histogram = timing.histogram_mut();
                loop {
                    let at = u16::get(input)? as usize;
                    match at {
                        at if at < SMALL + BINS => histogram.bins[at] = u64::get(input)?,
                        _ => break,
                    }
                }
                histogram.count = count;
                return Ok(timing);
            }
            kind => {
                let message = format!("quantileTiming states of kind {kind}");
                return Err(Error::not_implemented(message));
            }
        };
        for _ in 0..count {
            timing.add(u16::get(input)?.into(), 1);
        }
        Ok(timing)
    }

    fn quantile(&mut self, level: f64) -> f64 {
        if let Some(histogram) = &self.histogram {
            return histogram.quantile(level);
        }
        let n = self.values.len();
        if n == 0 {
            return f64::NAN;
        }
        let at = if level < 1.0 { (level * n as f64) as usize } else { n - 1 };
        (*self.values.select_nth_unstable(at.min(n - 1)).1).into()
    }

    fn heap(&self) -> usize {
        let histogram = self.histogram.as_ref().map_or(0, |_| size_of::<Histogram>());
        self.values.capacity() * 2 + histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_reference() {
        // SELECT quantileTiming(number), quantileTiming(-5), quantileTiming(100000), ...
        let of = |values: &[f64]| {
            let mut timing = Timing::default();
            values.iter().for_each(|&v| timing.add(v, 1));
            timing.quantile(0.5)
        };
        let numbers: Vec<f64> = (0..20_000).map(f64::from).collect();
        assert_eq!(of(&numbers), 9991.0);
        assert!(of(&[-5.0]).is_nan());
        assert_eq!((of(&[100_000.0]), of(&[1.7])), (30_000.0, 1.0));
    }
}
