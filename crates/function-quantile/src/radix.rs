//! Sorts pairs by numbers, digit by digit from the lowest: faster than comparisons from some
//! hundred pairs on, and with regular looks at the query.

use entasis_base::{Result, scope};

/// Bits of a digit.
const DIGIT: u32 = 11;
const DIGITS: usize = u64::BITS.div_ceil(DIGIT) as usize;
const PLACES: usize = 1 << DIGIT;
/// Pairs between two looks at the query.
const PART: usize = 1 << 18;

#[inline(always)]
fn digit(key: u64, at: usize) -> usize {
    (key >> (at as u32 * DIGIT)) as usize % PLACES
}

/// Sorts by `key`, stably.
pub fn sort<P: Copy>(pairs: &mut Vec<P>, key: impl Fn(&P) -> u64 + Copy) -> Result<()> {
    scope::ask(size_of_val(&pairs[..]))?;
    let mut counts = vec![[0usize; PLACES]; DIGITS];
    for part in pairs.chunks(PART) {
        scope::check()?;
        for pair in part {
            let key = key(pair);
            counts.iter_mut().enumerate().for_each(|(at, counts)| counts[digit(key, at)] += 1);
        }
    }
    let mut other = Vec::new();
    for (at, counts) in counts.iter_mut().enumerate() {
        if pairs.first().is_none_or(|first| counts[digit(key(first), at)] == pairs.len()) {
            continue;
        }
        let mut total = 0;
        counts.iter_mut().for_each(|count| total += std::mem::replace(count, total));
        if other.is_empty() {
            other = pairs.clone();
        }
        for part in pairs.chunks(PART) {
            scope::check()?;
            for pair in part {
                let place = &mut counts[digit(key(pair), at)];
                other[*place] = *pair;
                *place += 1;
            }
        }
        std::mem::swap(pairs, &mut other);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn as_a_stable_sort() {
        for most in [1, 300, 1 << 40, u64::MAX] {
            let mut rng = Rng::new(2);
            let pairs: Vec<(u64, usize)> = (0..5000).map(|i| (rng.below(most), i)).collect();
            let (mut sorted, mut expected) = (pairs.clone(), pairs);
            sort(&mut sorted, |pair| pair.0).unwrap();
            expected.sort_by_key(|pair| pair.0);
            assert_eq!(sorted, expected);
        }
        sort(&mut Vec::<(u64, u64)>::new(), |pair| pair.0).unwrap();
    }
}
