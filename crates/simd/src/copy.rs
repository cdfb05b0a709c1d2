//! Appending short strings that lie in one larger buffer.
//!
//! A call of `memmove` per string costs more than the copy itself where strings are short, mostly
//! through the mispredicted branches on their length. The kernel copies a constant number of bytes
//! instead wherever the source has that many, and the next string overwrites what was too much.

use std::ops::Range;

/// Bytes that are copied at once.
const BLOCK: usize = 32;
/// Most blocks that are copied one by one.
const MOST_BLOCKS: usize = 4;

/// Appends `data[part]` to `out`. Panics if the part is not within the data.
///
/// It is fast for parts of up to 128 bytes, where at least 32 bytes of data follow each 32 bytes of
/// the part.
#[inline(always)]
#[allow(unsafe_code)]
pub fn append(data: &[u8], part: Range<usize>, out: &mut Vec<u8>) {
    assert!(part.start <= part.end && part.end <= data.len(), "part of a string");
    let len = part.end - part.start;
    let blocks = len.div_ceil(BLOCK);
    if blocks > MOST_BLOCKS || data.len() - part.start < blocks * BLOCK {
        return out.extend_from_slice(&data[part]);
    }
    if out.capacity() - out.len() < MOST_BLOCKS * BLOCK {
        out.reserve(MOST_BLOCKS * BLOCK);
    }
    // SAFETY: so many blocks of the data lie behind the start, and the vector has room for them
    // behind its end, of which the first `len` bytes become its own. Source and destination are
    // borrowed, one of them exclusively, so they do not overlap.
    unsafe {
        let end = out.len();
        let (from, to) = (data.as_ptr().add(part.start), out.as_mut_ptr().add(end));
        for block in 0..blocks {
            let at = block * BLOCK;
            std::ptr::copy_nonoverlapping(from.add(at), to.add(at), BLOCK);
        }
        out.set_len(end + len);
    }
}

/// Appends each part of `data` to `out`, and where it ends there to `ends`.
#[inline(always)]
pub fn append_parts(
    data: &[u8],
    parts: impl Iterator<Item = Range<usize>>,
    out: &mut Vec<u8>,
    ends: &mut Vec<u32>,
) {
    ends.reserve(parts.size_hint().0);
    for part in parts {
        append(data, part, out);
        ends.push(out.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    #[test]
    fn parts_are_copied_as_slices_are() {
        let mut rng = Rng(7);
        let data: Vec<u8> = (0..500).map(|_| rng.next() as u8).collect();
        for _ in 0..200 {
            let parts: Vec<Range<usize>> = (0..rng.below(40))
                .map(|_| {
                    let start = rng.below(data.len() + 1);
                    let most = [4, 20, 33, 100, 150][rng.below(5)];
                    start..(start + rng.below(most)).min(data.len())
                })
                .collect();
            let (mut out, mut ends) = (vec![1, 2, 3], vec![3]);
            append_parts(&data, parts.iter().cloned(), &mut out, &mut ends);
            let (mut expected, mut expected_ends) = (vec![1, 2, 3], vec![3]);
            for part in parts {
                expected.extend_from_slice(&data[part]);
                expected_ends.push(expected.len() as u32);
            }
            assert_eq!((out, ends), (expected, expected_ends));
        }
    }

    #[test]
    #[should_panic(expected = "part of a string")]
    fn parts_past_the_end_are_refused() {
        append(&[0; 64], 40..65, &mut Vec::new());
    }
}
