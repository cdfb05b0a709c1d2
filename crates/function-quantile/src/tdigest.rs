//! A t-digest: centroids of means and weights, dense at the ends, which are merged when 2,048 have
//! been added.

use entasis_base::Result;
use entasis_base::varint::write_varint;
use entasis_types::DataType;

use super::quantile::Sketch;
use entasis_function::aggregate::args::Bytes;
use entasis_function::aggregate::binary::read_len;

const EPSILON: f64 = 0.01;
const MOST: usize = 2048;

#[derive(Clone, Copy, Debug)]
struct Centroid {
    mean: f32,
    count: f32,
}

/// The digest of some values.
#[derive(Clone, Debug, Default)]
pub struct TDigest {
    centroids: Vec<Centroid>,
    count: f64,
    unmerged: usize,
}

fn mergeable(a: f64, b: f32) -> bool {
    a == f64::from(b) || (a.is_finite() && b.is_finite())
}

/// Bits by which centroids are sorted at a time.
const DIGIT: u32 = 11;

/// Sorts centroids by mean, stably.
fn sort(centroids: &mut Vec<Centroid>) {
    let key = |centroid: &Centroid| {
        let bits = centroid.mean.to_bits();
        bits ^ (((bits as i32) >> 31) as u32 | 1 << 31)
    };
    let mut from: Vec<(u32, Centroid)> = centroids.iter().map(|c| (key(c), *c)).collect();
    let mut to = from.clone();
    for shift in (0..u32::BITS).step_by(DIGIT as usize) {
        let digit = |key: u32| (key >> shift) as usize & ((1 << DIGIT) - 1);
        let mut places = [0u32; 1 << DIGIT];
        from.iter().for_each(|entry| places[digit(entry.0)] += 1);
        let mut total = 0;
        for place in &mut places {
            total += std::mem::replace(place, total);
        }
        for entry in &from {
            let place = &mut places[digit(entry.0)];
            to[*place as usize] = *entry;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    centroids.clear();
    centroids.extend(from.into_iter().map(|entry| entry.1));
}

impl TDigest {
    fn push(&mut self, centroid: Centroid) {
        self.centroids.push(centroid);
        self.count += f64::from(centroid.count);
        self.unmerged += 1;
        if self.unmerged > MOST {
            self.compress();
        }
    }

    fn compress(&mut self) {
        if self.unmerged == 0 && self.centroids.len() <= MOST {
            return;
        }
        sort(&mut self.centroids);
        let scale = f64::from((self.count * EPSILON * 4.0) as f32);
        let all = &mut self.centroids;
        let mut left = 0;
        let mut sum = 0f32;
        let (mut mean, mut count) = (f64::from(all[0].mean), f64::from(all[0].count));
        for right in 1..all.len() {
            let next = all[right];
            let weight = f64::from(next.count);
            // The quantiles at the middle of both centroids bound the weight of the merged one.
            let low = (f64::from(sum) + count * 0.5) / self.count;
            let high = (f64::from(sum) + count + weight * 0.5) / self.count;
            let bound = (low * (1.0 - low)).min(high * (1.0 - high)) * scale;
            if count + weight <= bound && mergeable(mean, next.mean) {
                count += weight;
                if f64::from(next.mean) != mean {
                    mean += weight * (f64::from(next.mean) - mean) / count;
                }
                all[left] = Centroid { mean: mean as f32, count: count as f32 };
            } else {
                sum += all[left].count;
                left += 1;
                all[left] = next;
                (mean, count) = (f64::from(next.mean), weight);
            }
        }
        self.count = f64::from(sum) + count;
        all.truncate(left + 1);
        self.unmerged = 0;
    }
}

fn interpolate(x: f64, left: (f64, f32), right: (f64, f32)) -> f32 {
    let k = ((x - left.0) / (right.0 - left.0)) as f32;
    (1.0 - k) * left.1 + k * right.1
}

impl Sketch for TDigest {
    fn add(&mut self, value: f64, weight: u64) {
        let mean = value as f32;
        if weight > 0 && !mean.is_nan() {
            self.push(Centroid { mean, count: weight as f32 });
        }
    }

    fn merge(&mut self, other: &mut Self) {
        other.centroids.iter().for_each(|&c| self.push(c));
    }

    fn write(&self, _: &DataType, out: &mut Vec<u8>) {
        let mut digest = self.clone();
        digest.compress();
        write_varint(out, digest.centroids.len() as u64);
        for centroid in &digest.centroids {
            centroid.mean.put(out);
            centroid.count.put(out);
        }
    }

    fn read(_: &DataType, input: &mut &[u8]) -> Result<Self> {
        let mut digest = Self::default();
        for _ in 0..read_len(input)? {
            let centroid = Centroid { mean: f32::get(input)?, count: f32::get(input)? };
            if centroid.count > 0.0 && !centroid.mean.is_nan() {
                digest.push(centroid);
            }
        }
        Ok(digest)
    }

    fn quantile(&mut self, level: f64) -> f64 {
        self.compress();
        let (Some(first), Some(last)) = (self.centroids.first(), self.centroids.last()) else {
            return f64::NAN;
        };
        if self.centroids.len() == 1 {
            return first.mean.into();
        }
        let x = level * self.count;
        let (mut before, mut mean, mut count) = (0.0, first.mean, first.count);
        let mut sum = 0f32;
        for c in &self.centroids {
            let middle = f64::from(sum) + f64::from(c.count) * 0.5;
            if middle >= x {
                // A single value is a point, not a stretch.
                let left = if count == 1.0 { before + 0.5 } else { before };
                let right = if c.count == 1.0 { middle - 0.5 } else { middle };
                return f64::from(match x {
                    x if x <= left => mean,
                    x if x >= right => c.mean,
                    x => interpolate(x, (left, mean), (right, c.mean)),
                });
            }
            sum += c.count;
            (before, mean, count) = (middle, c.mean, c.count);
        }
        last.mean.into()
    }

    fn heap(&self) -> usize {
        self.centroids.capacity() * size_of::<Centroid>()
    }
}
