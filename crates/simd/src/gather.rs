//! Gather: `out[i] = values[indices[i]]`. The bounds are checked once, with the largest index.

#![allow(unsafe_code)]

use crate::bits::{get, mask_to_bytes, words_for};
use crate::compare::map_words;

/// The largest index, 0 for none.
#[inline]
fn max_index(indices: &[u32]) -> u32 {
    indices.iter().fold(0, |m, &i| m.max(i))
}

/// Appends `values[i]` for each index. Panics if an index is out of bounds.
pub fn gather<T: Copy>(values: &[T], indices: &[u32], out: &mut Vec<T>) {
    if indices.is_empty() {
        return;
    }
    assert!((max_index(indices) as usize) < values.len(), "gather index out of bounds");
    // SAFETY: the assertion above bounds every index.
    out.extend(indices.iter().map(|&i| unsafe { *values.get_unchecked(i as usize) }));
}

/// Gathers strings: appends string `i` of (`offsets`, `data`) for each index. `out_offsets` gets
/// a first entry (the present length of `out_data`) when it is empty.
pub fn gather_bytes(
    offsets: &[u32],
    data: &[u8],
    indices: &[u32],
    out_offsets: &mut Vec<u32>,
    out_data: &mut Vec<u8>,
) {
    if out_offsets.is_empty() {
        out_offsets.push(out_data.len() as u32);
    }
    if indices.is_empty() {
        return;
    }
    assert!((max_index(indices) as usize) + 1 < offsets.len(), "gather index out of bounds");
    let mut end = out_data.len();
    out_offsets.extend(indices.iter().map(|&i| {
        end += (offsets[i as usize + 1] - offsets[i as usize]) as usize;
        end as u32
    }));
    assert!(u32::try_from(end).is_ok(), "strings beyond 4 GiB");
    out_data.reserve(end - out_data.len());
    for &i in indices {
        let (from, to) = (offsets[i as usize] as usize, offsets[i as usize + 1] as usize);
        out_data.extend_from_slice(&data[from..to]);
    }
}

/// The bits at `indices` of a mask of `len` bits, as a mask. Panics if an index is out of bounds.
pub fn gather_bits(words: &[u64], len: usize, indices: &[u32]) -> Vec<u64> {
    assert!(words.len() >= words_for(len), "mask length");
    assert!(
        indices.is_empty() || (max_index(indices) as usize) < len,
        "gather index out of bounds"
    );
    let mut out = vec![0; words_for(indices.len())];
    if len <= 64 {
        let word = words.first().copied().unwrap_or(0);
        map_words(indices, &mut out, |i| word >> (i & 63) & 1 != 0);
    } else if len <= indices.len() {
        // A byte is found faster than a bit.
        let mut bytes = vec![0; len];
        mask_to_bytes(words, &mut bytes);
        map_words(indices, &mut out, |i| bytes[i as usize] != 0);
    } else {
        map_words(indices, &mut out, |i| get(words, i as usize));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn against_naive() {
        let mut rng = Rng(8);
        let values: Vec<u64> = (0..777).map(|_| rng.next()).collect();
        let indices: Vec<u32> = (0..1000).map(|_| rng.below(777) as u32).collect();
        let want: Vec<u64> = indices.iter().map(|&i| values[i as usize]).collect();
        let mut out = vec![];
        gather(&values, &indices, &mut out);
        assert_eq!(out, want);
        let words = rng.mask(777);
        // In one word, more bits than indices, and fewer.
        for (len, count) in [(50, 1000), (777, 100), (777, 1000)] {
            let indices: Vec<u32> = indices[..count].iter().map(|i| i % len as u32).collect();
            let bits = gather_bits(&words, len, &indices);
            for (k, &i) in indices.iter().enumerate() {
                assert_eq!(get(&bits, k), get(&words, i as usize));
            }
        }
        gather::<u64>(&[], &[], &mut out);
    }

    #[test]
    fn strings() {
        let (offsets, data) = (vec![1, 3, 3, 6], b"xabcde");
        let (mut o, mut d) = (vec![], vec![]);
        gather_bytes(&offsets, data, &[2, 0, 1, 2], &mut o, &mut d);
        assert_eq!((o.as_slice(), d.as_slice()), (&[0, 3, 5, 5, 8][..], &b"cdeabcde"[..]));
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn out_of_bounds_is_caught() {
        gather(&[1u8, 2], &[0, 2], &mut vec![]);
    }
}
