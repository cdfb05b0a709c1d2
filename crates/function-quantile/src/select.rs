//! Elements of long lists by their position in order, without sorting or moving the lists.
//!
//! A random sample gives two bounds that the element almost certainly lies between (after Floyd,
//! Rivest 1975). One pass over the lists counts what is below them and collects what is between
//! them, which is little; the element is selected from that.

use entasis_base::{Result, scope};
use entasis_column::Native;

use super::quantile_exact::ascending;

/// Size of a sample.
const SAMPLE: usize = 1 << 14;
/// Positions in the sample by which the bounds lie off: four standard deviations.
const OFF: usize = 4 * 64;
/// Elements that are compared between two looks at the query.
const PART: usize = 1 << 16;
/// Elements that are compared at a time.
const BLOCK: usize = 1 << 10;
/// Lists of at least so many elements are worth a sample.
pub const LARGE: usize = 1 << 17;

/// The bounds; `None` if there is none on that side.
#[derive(Clone, Copy, Debug)]
struct Bounds<T> {
    low: Option<T>,
    high: Option<T>,
}

/// How many elements lie below the lower bound, on it, and on the upper one; and those between.
#[derive(Debug)]
struct Counted<T> {
    below: usize,
    on_low: usize,
    on_high: usize,
    between: Vec<T>,
}

/// Elements `n` and `n + 1` in order (the last twice, if `n` is the last). The lists must not be
/// empty.
pub fn neighbours<T: Native>(lists: &[&[T]], n: usize) -> Result<(T, T)> {
    let size: usize = lists.iter().map(|list| list.len()).sum();
    let next = (n + 1).min(size - 1);
    let bounds = bounds(lists, size, n, next);
    let mut counted = count(lists, bounds)?;
    if let (Some(first), Some(second)) = (counted.find(bounds, n), counted.find(bounds, next)) {
        return Ok((first, second));
    }
    // The sample was misleading.
    scope::ask(size * size_of::<T>())?;
    let mut all = lists.concat();
    let (_, first, rest) = all.select_nth_unstable_by(n, scope::checked(ascending));
    let second = rest.iter().copied().reduce(|a, b| if b < a { b } else { a });
    Ok((*first, second.unwrap_or(*first)))
}

/// Bounds for positions `n` to `next` of `size` elements.
fn bounds<T: Native>(lists: &[&[T]], size: usize, n: usize, next: usize) -> Bounds<T> {
    let mut sample = Vec::with_capacity(SAMPLE + lists.len());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for list in lists.iter().filter(|list| !list.is_empty()) {
        let share = (list.len() as u128 * SAMPLE as u128).div_ceil(size as u128) as usize;
        for _ in 0..share {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (u128::from(random) * list.len() as u128) >> 64;
            sample.push(list[at as usize]);
        }
    }
    sample.sort_unstable_by(ascending);
    let place = |n: usize| (n as u128 * sample.len() as u128 / size as u128) as usize;
    let low = place(n).checked_sub(OFF).map(|at| sample[at]);
    Bounds { low, high: sample.get(place(next) + OFF).copied() }
}

fn count<T: Native>(lists: &[&[T]], bounds: Bounds<T>) -> Result<Counted<T>> {
    let mut counted = Counted { below: 0, on_low: 0, on_high: 0, between: Vec::new() };
    for part in lists.iter().flat_map(|list| list.chunks(PART)) {
        scope::check()?;
        for block in part.chunks(BLOCK) {
            counted.add(block, bounds);
        }
    }
    Ok(counted)
}

impl<T: Native> Counted<T> {
    fn add(&mut self, block: &[T], bounds: Bounds<T>) {
        let mut between = [T::default(); BLOCK];
        let len = match (bounds.low, bounds.high) {
            (Some(low), Some(high)) => {
                self.below += tally(block, |v| v < low);
                self.on_low += tally(block, |v| v == low);
                self.on_high += tally(block, |v| (v == high) & (v != low));
                collect(block, &mut between, |v| (v > low) & (v < high))
            }
            (Some(low), None) => {
                self.below += tally(block, |v| v < low);
                self.on_low += tally(block, |v| v == low);
                collect(block, &mut between, |v| v > low)
            }
            (None, Some(high)) => {
                self.on_high += tally(block, |v| v == high);
                collect(block, &mut between, |v| v < high)
            }
            (None, None) => collect(block, &mut between, |_| true),
        };
        self.between.extend_from_slice(&between[..len]);
    }

    /// Element `n` in order; `None` if it is beyond the bounds.
    fn find(&mut self, bounds: Bounds<T>, n: usize) -> Option<T> {
        let mut n = n.checked_sub(self.below)?;
        if n < self.on_low {
            return bounds.low;
        }
        n -= self.on_low;
        if n < self.between.len() {
            return Some(*self.between.select_nth_unstable_by(n, ascending).1);
        }
        n -= self.between.len();
        if n < self.on_high { bounds.high } else { None }
    }
}

/// How many elements of a block satisfy `test`.
#[inline(always)]
fn tally<T: Native>(block: &[T], test: impl Fn(T) -> bool) -> usize {
    block.iter().map(|v| u32::from(test(*v))).sum::<u32>() as usize
}

/// Moves the elements that satisfy `test` to the front of `out`, without a branch; returns how many
/// they are.
#[inline(always)]
fn collect<T: Native>(block: &[T], out: &mut [T; BLOCK], test: impl Fn(T) -> bool) -> usize {
    let mut len = 0;
    for &v in block {
        out[len % BLOCK] = v;
        len += usize::from(test(v));
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn as_sorted() {
        for kinds in [1, 2, 10, 5000, u64::MAX] {
            let mut rng = Rng::new(7);
            let values: Vec<u64> = (0..300_000).map(|_| rng.below(kinds)).collect();
            let lists: Vec<&[u64]> = values.chunks(70_000).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            for n in [0, 1, 1000, 150_000, 270_000, 299_998, 299_999] {
                let next = sorted[(n + 1).min(sorted.len() - 1)];
                assert_eq!(neighbours(&lists, n).unwrap(), (sorted[n], next));
            }
        }
    }

    #[test]
    fn a_misleading_sample() {
        // All of the sample's bounds are wrong for what lies at the ends.
        let values: Vec<i32> = (0..200_000).rev().collect();
        for n in [0, 3, 199_999] {
            assert_eq!(neighbours(&[&values], n).unwrap().0, n as i32);
        }
    }
}
