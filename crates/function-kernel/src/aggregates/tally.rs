//! Sums by key: how often each value of a group occurs, or what it weighs.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use entasis_simd::hash::{combine, hash_bytes, hash_one_u64, hash_one_u128};

/// A sum for each key. The keys are numbers.
pub type Tally<K> = HashMap<K, u64, BuildHasherDefault<NumberHasher>>;

/// Hashes numbers by a multiplication or two.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHasher(u64);

macro_rules! as_u64 {
    ($($name:ident: $t:ty),*) => {$(
        #[inline]
        fn $name(&mut self, number: $t) {
            self.write_u64(number.into());
        }
    )*};
}

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = combine(self.0, hash_bytes(bytes));
    }

    as_u64!(write_u8: u8, write_u16: u16, write_u32: u32);

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = hash_one_u64(number, self.0);
    }

    #[inline]
    fn write_u128(&mut self, number: u128) {
        self.0 = hash_one_u128(number, self.0);
    }
}

/// Bytes that a tally holds.
pub fn byte_size<K>(tally: &Tally<K>) -> usize {
    tally.capacity() * (size_of::<(K, u64)>() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart() {
        let mut tally = Tally::<i32>::default();
        (-500..500).for_each(|i| *tally.entry(i % 100).or_default() += 2);
        assert_eq!(tally.len(), 199);
        assert_eq!((tally[&0], tally[&-7], tally[&99]), (20, 10, 10));
        assert!(byte_size(&tally) >= 199 * 16);
    }
}
