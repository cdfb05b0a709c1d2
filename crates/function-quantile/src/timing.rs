//! A histogram of durations in milliseconds: the values themselves as long as there are few, then
//! counts per millisecond below 1,024 and per 16 milliseconds up to 30,000.

use entasis_base::{Error, Result};
use entasis_types::DataType;

use super::quantile::Sketch;
use entasis_function::aggregate::args::Bytes;

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
    small: [u64; SMALL],
    large: [u64; BINS],
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
        match value as usize {
            v if v < SMALL => self.small[v] += weight,
            v if v < LARGEST as usize => self.large[(v - SMALL) / WIDTH] += weight,
            _ => {}
        }
    }

    fn quantile(&self, level: f64) -> f64 {
        let position = (self.count as f64 * level).ceil() as u64;
        let mut sum = 0;
        let counts = self.small.iter().chain(&self.large).enumerate().filter(|(_, n)| **n > 0);
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
        let histogram = self.histogram.get_or_insert_with(|| {
            Box::new(Histogram { count: 0, small: [0; SMALL], large: [0; BINS] })
        });
        values.iter().for_each(|&v| histogram.add(v, 1));
        histogram
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

    fn merge(&mut self, other: &mut Self) {
        match &other.histogram {
            None => other.values.iter().for_each(|&v| self.add(v.into(), 1)),
            Some(theirs) => {
                let mine = self.histogram_mut();
                mine.count += theirs.count;
                mine.small.iter_mut().zip(&theirs.small).for_each(|(a, b)| *a += b);
                mine.large.iter_mut().zip(&theirs.large).for_each(|(a, b)| *a += b);
            }
        }
    }

    fn write(&self, _: &DataType, out: &mut Vec<u8>) {
        if let Some(histogram) = &self.histogram {
            out.push(3);
            histogram.count.put(out);
            for (at, n) in histogram.small.iter().chain(&histogram.large).enumerate() {
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
                        at if at < SMALL => histogram.small[at] = u64::get(input)?,
                        at if at < SMALL + BINS => histogram.large[at - SMALL] = u64::get(input)?,
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
