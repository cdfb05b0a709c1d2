//! The order of rows within a part: normalised keys that compare as plain numbers, and the
//! permutation that sorts a block of an INSERT.
//! A row's key columns are packed, most significant first, into 128 bits that compare as the rows
//! do (ascending, NULL and NaN last). Key bytes beyond 128 bits are compared only among rows with
//! equal prefixes.

use std::cmp::Ordering;

use entasis_base::scope;
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Column, match_number};

/// One packed key per row, and whether the packed keys hold the complete key.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    pub(crate) keys: Vec<u128>,
    pub(crate) exact: bool,
}

/// A number whose order is that of an unsigned number of `BITS` bits.
trait Ordered: Copy {
    const BITS: u32;
    fn ordered(self) -> u64;
}

macro_rules! ordered {
    ($($t:ty => $u:ty, $sign:expr;)*) => { $(impl Ordered for $t {
        const BITS: u32 = <$u>::BITS;
        #[inline(always)]
        fn ordered(self) -> u64 {
            (self as $u ^ $sign) as u64
        }
    })* };
}
ordered! {
    u8 => u8, 0;
    u16 => u16, 0;
    u32 => u32, 0;
    u64 => u64, 0;
    i8 => u8, 1 << 7;
    i16 => u16, 1 << 15;
    i32 => u32, 1 << 31;
    i64 => u64, 1 << 63;
}

impl Ordered for f64 {
    const BITS: u32 = 64;
    #[inline(always)]
    fn ordered(self) -> u64 {
        // Both zeros are equal, and all NaNs are equal and sort last.
        let bits = (self + 0.0).to_bits();
        if self.is_nan() {
            u64::MAX
        } else if bits >> 63 != 0 {
            !bits
        } else {
            bits | 1 << 63
        }
    }
}

impl Ordered for f32 {
    const BITS: u32 = 32;
    #[inline(always)]
    fn ordered(self) -> u64 {
        (f64::from(self).ordered() >> 32) | (u64::from(self.is_nan()) * u64::from(u32::MAX))
    }
}

/// Packs as much of the key columns as fits. The columns are full and of equal length.
/// `descending` tells which columns are sorted the other way round; it may be shorter.
pub(crate) fn prefixes(keys: &[Column], descending: &[bool]) -> Prefixes {
    let rows = keys.first().map_or(0, Column::len);
    let mut out = Prefixes { keys: vec![0; rows], exact: true };
    let mut left = 128u32;
    for (at, key) in keys.iter().enumerate() {
        let before = left;
        let (validity, values) = key.split_nullable();
        if validity.is_some() && left == 0 {
            out.exact = false;
            return out;
        }
        if let Some(validity) = validity {
            left -= 1;
            let shift = left;
            for (i, key) in out.keys.iter_mut().enumerate() {
                *key |= u128::from(!validity.get(i)) << shift;
            }
        }
        let done = match values {
            Column::String(s) => {
                pack_bytes(&mut out.keys, validity, &mut left, |i| s.get(i));
                false
            }
            Column::Fixed(f) => {
                let fits = f.width as u32 * 8 <= left;
                let before = left;
                pack_bytes(&mut out.keys, validity, &mut left, |i| f.get(i));
                left = before.saturating_sub(f.width as u32 * 8);
                fits
            }
            numbers => match_number!(numbers,
                v => pack_numbers(&mut out.keys, validity, &mut left, v),
                _ => false),
        };
        if descending.get(at) == Some(&true) {
            let mask = below(before) & !below(left);
            out.keys.iter_mut().for_each(|key| *key ^= mask);
        }
        if !done {
            out.exact = false;
            return out;
        }
    }
    out
}

/// The lowest `bits` bits.
fn below(bits: u32) -> u128 {
    1u128.checked_shl(bits).map_or(u128::MAX, |bit| bit - 1)
}

/// Appends a number column to the keys. Returns whether all bits fitted.
fn pack_numbers<T: Ordered>(
    keys: &mut [u128],
    validity: Option<&Bitmap>,
    left: &mut u32,
    values: &[T],
) -> bool {
    let fits = T::BITS <= *left;
    let (up, down) = if fits { (*left - T::BITS, 0) } else { (0, T::BITS - *left) };
    if *left > 0 {
        match validity {
            None => {
                for (key, &value) in keys.iter_mut().zip(values) {
                    *key |= u128::from(value.ordered() >> down) << up;
                }
            }
            // All NULLs are equal.
            Some(valid) => {
                for (i, (key, &value)) in keys.iter_mut().zip(values).enumerate() {
                    if valid.get(i) {
                        *key |= u128::from(value.ordered() >> down) << up;
                    }
                }
            }
        }
    }
    *left = up;
    fits
}

fn pack_bytes<'a>(
    keys: &mut [u128],
    validity: Option<&Bitmap>,
    left: &mut u32,
    get: impl Fn(usize) -> &'a [u8],
) {
    let room = (*left / 8) as usize;
    let mut buffer = [0u8; 16];
    for (i, key) in keys.iter_mut().enumerate() {
        if validity.is_some_and(|v| !v.get(i)) {
            continue;
        }
        let text = get(i);
        let len = text.len().min(room);
        buffer = [0; 16];
        buffer[..len].copy_from_slice(&text[..len]);
        *key |= u128::from_be_bytes(buffer) >> (128 - *left);
    }
    *left = 0;
    let _ = buffer;
}

/// Compares rows by all key columns, of which some may be sorted the other way round.
pub(crate) fn compare_keys(
    (a, i): (&[Column], usize),
    (b, j): (&[Column], usize),
    descending: &[bool],
) -> Ordering {
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        let order = compare_values(a, i, b, j);
        if order.is_ne() {
            return if descending.get(at) == Some(&true) { order.reverse() } else { order };
        }
    }
    Ordering::Equal
}

/// The stable order of the rows by the (full) key columns; `None` if they are sorted already.
pub(crate) fn permutation(keys: &[Column], descending: &[bool]) -> Option<Vec<u32>> {
    let prefixes = prefixes(keys, descending);
    if is_sorted(&prefixes, keys, descending) {
        return None;
    }
    let mut rows: Vec<(u128, u32)> =
        prefixes.keys.iter().enumerate().map(|(i, &key)| (key, i as u32)).collect();
    scope::check_or_unwind(0);
    rows.sort_unstable();
    scope::check_or_unwind(0);
    if !prefixes.exact {
        for run in rows.chunk_by_mut(|a, b| a.0 == b.0) {
            if run.len() > 1 {
                let order = |a: &(u128, u32), b: &(u128, u32)| {
                    compare_keys((keys, a.1 as usize), (keys, b.1 as usize), descending)
                };
                run.sort_by(scope::checked(order));
            }
        }
    }
    Some(rows.into_iter().map(|(_, row)| row).collect())
}

/// The first row of each run of equal keys. `order` sorts the rows; `None` if they are sorted.
pub(crate) fn group_starts(keys: &[Column], order: Option<&[u32]>, rows: usize) -> Vec<u32> {
    if keys.is_empty() {
        return (rows > 0).then_some(0).into_iter().collect();
    }
    let prefixes = prefixes(keys, &[]);
    let at = |i: u32| order.map_or(i, |order| order[i as usize]) as usize;
    let differs = |i: u32| {
        let (a, b) = (at(i - 1), at(i));
        prefixes.keys[a] != prefixes.keys[b]
            || (!prefixes.exact && compare_keys((keys, a), (keys, b), &[]).is_ne())
    };
    (0..rows as u32).filter(|&i| i == 0 || differs(i)).collect()
}

fn is_sorted(prefixes: &Prefixes, keys: &[Column], descending: &[bool]) -> bool {
    let pairs = prefixes.keys.windows(2).enumerate();
    for (i, pair) in pairs {
        match pair[0].cmp(&pair[1]) {
            Ordering::Less => {}
            Ordering::Equal if prefixes.exact => {}
            Ordering::Equal if compare_keys((keys, i), (keys, i + 1), descending).is_le() => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;
    use entasis_column::Strings;

    #[test]
    fn as_comparing_row_by_row() {
        let mut rng = Rng::new(5);
        for round in 0..60 {
            let rows = 300;
            let mut keys = Vec::new();
            for _ in 0..=rng.below(4) {
                let few = [2, 10, 1 << 40][rng.below(3) as usize];
                let mut next = || rng.next_u64() % few;
                let column: Column = match round % 6 {
                    0 => (0..rows).map(|_| next() as i16 - 3).collect::<Vec<_>>().into(),
                    1 => (0..rows).map(|_| next()).collect::<Vec<_>>().into(),
                    2 => (0..rows)
                        .map(|_| [f64::NAN, -0.0, 0.0, -2.5, 1e300][next() as usize % 5])
                        .collect::<Vec<_>>()
                        .into(),
                    3 => (0..rows)
                        .map(|_| "ab".repeat(next() as usize % 12))
                        .collect::<Strings>()
                        .into(),
                    4 => (0..rows).map(|_| next() as f32 - 4.0).collect::<Vec<_>>().into(),
                    _ => (0..rows).map(|_| next() as u8).collect::<Vec<_>>().into(),
                };
                let nullable = rng.below(2) == 0;
                let valid = Bitmap::from_fn(rows, |_| rng.below(4) > 0);
                keys.push(if nullable { Column::nullable(column, valid) } else { column });
            }
            let descending: Vec<bool> = (0..rng.below(4)).map(|_| rng.below(2) == 0).collect();
            let compare = |a: usize, b: usize| compare_keys((&keys, a), (&keys, b), &descending);
            let mut wanted: Vec<u32> = (0..rows as u32).collect();
            wanted.sort_by(|&a, &b| compare(a as usize, b as usize));
            let got = permutation(&keys, &descending).unwrap_or_else(|| (0..rows as u32).collect());
            assert_eq!(got, wanted, "round {round}");
            let sorted: Vec<Column> = keys.iter().map(|k| k.take(&wanted)).collect();
            assert!(permutation(&sorted, &descending).is_none());
        }
    }
}
