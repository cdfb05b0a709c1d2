//! Radix sort of numbers: least significant byte first, and only by the bytes that differ between
//! any keys. It is stable, so rows with equal keys stay in order.
//!
//! Most keys differ in few bytes. If these are at most four, they and the row number are one number
//! of 64 bits, and half as many bytes move.

use entasis_base::scope;

use super::run::numbered;

/// A key that consists of bytes.
pub trait Key: Copy + Ord + Default {
    /// The number of its bits.
    const BITS: u32;
    /// The bits in which two keys differ, added to `bits`.
    fn differing(self, other: Self, bits: Self) -> Self;
    /// The byte at a shift.
    fn byte(self, shift: u32) -> u64;
}

macro_rules! key {
    ($($t:ty),*) => {$(impl Key for $t {
        const BITS: u32 = Self::BITS;
        #[inline(always)]
        fn differing(self, other: Self, bits: Self) -> Self {
            bits | (self ^ other)
        }
        #[inline(always)]
        fn byte(self, shift: u32) -> u64 {
            (self >> shift & 0xFF) as u64
        }
    })*};
}

key!(u64, u128);

/// The shifts of the bytes that differ between any keys, least significant first.
fn varying<K: Key>(mut keys: impl Iterator<Item = K>) -> Vec<u32> {
    let first = keys.next().unwrap_or_default();
    let bits = keys.fold(K::default(), |bits, key| key.differing(first, bits));
    (0..K::BITS).step_by(8).filter(|shift| bits.byte(*shift) != 0).collect()
}

/// Sorts keys, and rows with equal keys by their numbers.
pub fn sort_numbers<K: Key>(keys: &[K]) -> Vec<(K, u32)> {
    let shifts = varying(keys.iter().copied());
    let compact = |key: K| shifts.iter().rev().fold(0, |all, s| all << 8 | key.byte(*s));
    match shifts.len() {
        0 => numbered(keys),
        1..=4 => {
            let packed = keys.iter().zip(0u64..).map(|(key, row)| compact(*key) << 32 | row);
            let packed = sorted(packed.collect(), (4..4 + shifts.len() as u32).map(|at| at * 8));
            let row = |packed: u64| (keys[packed as u32 as usize], packed as u32);
            packed.into_iter().map(row).collect()
        }
        5..=8 => {
            let entries = keys.iter().zip(0..).map(|(key, row)| (compact(*key), row)).collect();
            let entries = sorted(entries, (0..shifts.len() as u32).map(|at| at * 8));
            entries.into_iter().map(|(_, row)| (keys[row as usize], row)).collect()
        }
        _ => {
            let mut entries = numbered(keys);
            entries.sort_unstable_by(scope::checked(Ord::cmp));
            entries
        }
    }
}

/// Sorts numbers whose lower half is already in order by their upper half.
pub fn sort_short(keys: Vec<u64>) -> Vec<u64> {
    let shifts = varying(keys.iter().map(|key| key >> 32));
    sorted(keys, shifts.into_iter().map(|shift| shift + 32))
}

/// Sorts entries by their keys. `other` is a reusable buffer.
pub fn radix_sort(entries: &mut [(u64, u32)], other: &mut Vec<(u64, u32)>) {
    let shifts = varying(entries.iter().map(|entry| entry.0));
    other.resize(entries.len().max(other.len()), (0, 0));
    let other = &mut other[..entries.len()];
    let mut in_other = false;
    for shift in shifts {
        scope::check_or_unwind(0);
        if in_other {
            scatter(other, entries, shift);
        } else {
            scatter(entries, other, shift);
        }
        in_other = !in_other;
    }
    if in_other {
        entries.copy_from_slice(other);
    }
}

/// Something with a number by which it is sorted.
trait Sorted: Copy + Default {
    fn digit(&self, shift: u32) -> usize;
}

impl Sorted for u64 {
    #[inline(always)]
    fn digit(&self, shift: u32) -> usize {
        (self >> shift & 0xFF) as usize
    }
}

impl Sorted for (u64, u32) {
    #[inline(always)]
    fn digit(&self, shift: u32) -> usize {
        self.0.digit(shift)
    }
}

fn sorted<E: Sorted>(mut entries: Vec<E>, shifts: impl Iterator<Item = u32>) -> Vec<E> {
    let mut other = scope::filled(E::default(), entries.len());
    for shift in shifts {
        scope::check_or_unwind(0);
        scatter(&entries, &mut other, shift);
        std::mem::swap(&mut entries, &mut other);
    }
    entries
}

/// Distributes entries by one byte of their keys.
fn scatter<E: Sorted>(from: &[E], to: &mut [E], shift: u32) {
    let mut counts = [0usize; 256];
    for entry in from {
        counts[entry.digit(shift)] += 1;
    }
    let mut place = 0;
    for count in &mut counts {
        place += std::mem::replace(count, place);
    }
    for entry in from {
        let at = &mut counts[entry.digit(shift)];
        to[*at] = *entry;
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn radix_sort_is_a_stable_sort() {
        let mut rng = Rng::new(5);
        for bits in [0, 1, 9, 33, 64] {
            let keys: Vec<u64> =
                (0..5000).map(|_| rng.next_u64().checked_shr(64 - bits).unwrap_or(7)).collect();
            let mut got = numbered(&keys);
            let mut want = got.clone();
            radix_sort(&mut got, &mut Vec::new());
            want.sort_unstable();
            assert_eq!(got, want);
            assert_eq!(sort_numbers(&keys), want);
        }
    }

    #[test]
    fn short_keys_are_sorted_with_their_rows() {
        let mut rng = Rng::new(7);
        for most in [1, 100, 70_000, u64::from(u32::MAX)] {
            let keys: Vec<u64> = (0..5000).map(|row| (rng.next_u64() % most) << 32 | row).collect();
            let mut want = keys.clone();
            want.sort_unstable();
            assert_eq!(sort_short(keys), want);
        }
    }

    #[test]
    fn wide_keys_are_sorted_by_the_bytes_that_differ() {
        let mut rng = Rng::new(6);
        for mask in [0, 0xFF << 64, 0xFF00_00FF << 60, u128::MAX >> 40, u128::MAX] {
            let wide =
                |rng: &mut Rng| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
            let keys: Vec<u128> = (0..5000).map(|_| wide(&mut rng) & mask).collect();
            let mut want = numbered(&keys);
            want.sort_unstable();
            assert_eq!(sort_numbers(&keys), want);
        }
    }
}
