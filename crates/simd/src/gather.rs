//! Gather: `out[i] = values[indices[i]]`. The bounds are checked once, with the largest index.

#![allow(unsafe_code)]

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

/// As [`gather`] with u16 indices (selections inside a chunk).
pub fn gather_u16<T: Copy>(values: &[T], indices: &[u16], out: &mut Vec<T>) {
    let max = indices.iter().fold(0, |m, &i| m.max(i));
    if indices.is_empty() {
        return;
    }
    assert!((max as usize) < values.len(), "gather index out of bounds");
    // SAFETY: the assertion above bounds every index.
    out.extend(indices.iter().map(|&i| unsafe { *values.get_unchecked(i as usize) }));
}

/// As [`gather`] with u8 indices (codes of a small dictionary).
pub fn gather_u8<T: Copy>(values: &[T], indices: &[u8], out: &mut Vec<T>) {
    let max = indices.iter().fold(0, |m, &i| m.max(i));
    if indices.is_empty() {
        return;
    }
    assert!((max as usize) < values.len(), "gather index out of bounds");
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

/// Gathers bits: bit `i` of the result is bit `indices[i]` of `words` (a mask of `len` bits).
pub fn gather_bits(words: &[u64], len: usize, indices: &[u32]) -> Vec<u64> {
    assert!(
        indices.is_empty() || (max_index(indices) as usize) < len,
        "gather index out of bounds"
    );
    indices
        .chunks(64)
        .map(|chunk| {
            chunk
                .iter()
                .enumerate()
                .fold(0, |w, (k, &i)| w | (words[i as usize / 64] >> (i % 64) & 1) << k)
        })
        .collect()
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
        out.clear();
        gather_u16(&values, &indices.iter().map(|&i| i as u16).collect::<Vec<_>>(), &mut out);
        assert_eq!(out, want);
        let small: Vec<u8> = indices.iter().map(|&i| i as u8).collect();
        out.clear();
        gather_u8(&values, &small, &mut out);
        assert!(out.iter().zip(&small).all(|(&o, &i)| o == values[i as usize]));
        let words = rng.mask(777);
        let bits = gather_bits(&words, 777, &indices);
        for (k, &i) in indices.iter().enumerate() {
            assert_eq!(crate::bits::get(&bits, k), crate::bits::get(&words, i as usize));
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
