//! Byte search and text kernels over strings that are stored as (`offsets` of n + 1 entries, one
//! `data`).
//!
//! A search scans the contiguous bytes once with the substring finder of `memchr` and maps hits to
//! rows. A hit that crosses the border of two rows is ignored, and after a hit the rest of its row
//! is skipped. Offsets may begin above 0 (a slice of a longer column).

use crate::bits::words_for;
use memchr::memmem;

fn check(offsets: &[u32], out: &[u64]) -> usize {
    let n = offsets.len().saturating_sub(1);
    assert!(out.len() == words_for(n), "mask length");
    n
}

/// The row at or after `row` that contains byte `at`. It uses galloping search, because hits are
/// often far apart.
#[inline]
fn row_of(offsets: &[u32], row: usize, at: u32) -> usize {
    let mut step = 1;
    let mut low = row;
    while low + step < offsets.len() && offsets[low + step] <= at {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(offsets.len() - 1);
    low + offsets[low + 1..=high].partition_point(|&o| o <= at)
}

/// Sets bit `i` where string `i` contains `needle` (everywhere for an empty needle).
pub fn contains_mask(data: &[u8], offsets: &[u32], needle: &[u8], out: &mut [u64]) {
    let n = check(offsets, out);
    if needle.is_empty() {
        out.fill(!0);
        crate::bits::clear_tail(out, n);
        return;
    }
    out.fill(0);
    if n == 0 {
        return;
    }
    let end = offsets[n] as usize;
    if let &[byte] = needle {
        sweep(offsets, 1, out, |from| memchr::memchr(byte, &data[from..end]).map(|p| from + p));
    } else {
        let finder = memmem::Finder::new(needle);
        sweep(offsets, needle.len(), out, |from| finder.find(&data[from..end]).map(|p| from + p));
    }
}

#[inline(always)]
fn sweep(
    offsets: &[u32],
    needle_len: usize,
    out: &mut [u64],
    find: impl Fn(usize) -> Option<usize>,
) {
    let n = offsets.len() - 1;
    let (mut at, mut row) = (offsets[0] as usize, 0);
    while let Some(hit) = find(at) {
        row = row_of(offsets, row, hit as u32);
        let row_end = offsets[row + 1] as usize;
        if hit + needle_len <= row_end {
            out[row / 64] |= 1 << (row % 64);
            at = row_end;
            row += 1;
            if row >= n {
                break;
            }
        } else {
            at = hit + 1;
        }
    }
}

/// Like [`contains_mask`], but ignores the case of ASCII letters.
pub fn contains_mask_ascii_ci(data: &[u8], offsets: &[u32], needle: &[u8], out: &mut [u64]) {
    let needle = needle.to_ascii_lowercase();
    lowered_mask(data, offsets, out, |data, offsets, out| {
        contains_mask(data, offsets, &needle, out);
    });
}

/// Calls `mask` for groups of strings whose ASCII letters are in lower case, with their data and
/// offsets, and with the words of the mask that belong to them.
pub fn lowered_mask(
    data: &[u8],
    offsets: &[u32],
    out: &mut [u64],
    mut mask: impl FnMut(&[u8], &[u32], &mut [u64]),
) {
    let n = check(offsets, out);
    out.fill(0);
    // Rows are processed in groups of 64 up to this size, so that the buffer stays in the L2 cache.
    const GROUP_BYTES: usize = 128 << 10;
    let mut lower = Vec::new();
    let mut local = Vec::new();
    let mut row = 0;
    while row < n {
        let mut end = (row + 64).min(n);
        while end < n && (offsets[end] - offsets[row]) as usize <= GROUP_BYTES {
            end = (end + 64).min(n);
        }
        let base = offsets[row];
        lower.clear();
        lower.extend_from_slice(&data[base as usize..offsets[end] as usize]);
        ascii_lower(&mut lower);
        local.clear();
        local.extend(offsets[row..=end].iter().map(|&o| o - base));
        mask(&lower, &local, &mut out[row / 64..words_for(end)]);
        row = end;
    }
}

#[inline(always)]
fn rows_mask(offsets: &[u32], data: &[u8], out: &mut [u64], f: impl Fn(&[u8]) -> bool) {
    let n = check(offsets, out);
    for (w, word) in out.iter_mut().enumerate() {
        let mut bits = 0;
        for (k, i) in (w * 64..((w + 1) * 64).min(n)).enumerate() {
            bits |= u64::from(f(&data[offsets[i] as usize..offsets[i + 1] as usize])) << k;
        }
        *word = bits;
    }
}

/// Sets bit `i` where string `i` begins with `needle`.
pub fn starts_with_mask(data: &[u8], offsets: &[u32], needle: &[u8], out: &mut [u64]) {
    rows_mask(offsets, data, out, |s| s.starts_with(needle));
}

/// Sets bit `i` where string `i` ends with `needle`.
pub fn ends_with_mask(data: &[u8], offsets: &[u32], needle: &[u8], out: &mut [u64]) {
    rows_mask(offsets, data, out, |s| s.ends_with(needle));
}

/// Sets bit `i` if string `i` equals `needle`. Lengths are compared first, and bytes only if they
/// agree.
pub fn equals_mask(data: &[u8], offsets: &[u32], needle: &[u8], out: &mut [u64]) {
    let n = check(offsets, out);
    if n == 0 {
        return;
    }
    let len = needle.len() as u32;
    crate::compare::map_words2(&offsets[1..], &offsets[..n], out, |b, a| b.wrapping_sub(a) == len);
    if needle.is_empty() {
        return;
    }
    for w in 0..out.len() {
        let mut left = out[w];
        while left != 0 {
            let i = w * 64 + left.trailing_zeros() as usize;
            if &data[offsets[i] as usize..offsets[i + 1] as usize] != needle {
                out[w] &= !(1 << (i % 64));
            }
            left &= left - 1;
        }
    }
}

/// Position of `needle` in `haystack`.
pub fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memmem::find(haystack, needle)
}

/// Number of UTF-8 characters: bytes that do not continue one.
pub fn count_chars(bytes: &[u8]) -> usize {
    let (chunks, tail) = bytes.as_chunks::<128>();
    let starts = |b: &u8| u8::from((*b as i8) >= -0x40);
    let full: usize = chunks.iter().map(|c| c.iter().map(starts).sum::<u8>() as usize).sum();
    full + tail.iter().map(starts).map(usize::from).sum::<usize>()
}

/// Number of UTF-8 characters of each string.
pub fn count_chars_each(data: &[u8], offsets: &[u32], out: &mut Vec<u64>) {
    let Some((&first, rest)) = offsets.split_first() else { return };
    let last = rest.last().map_or(first, |&l| l);
    if data[first as usize..last as usize].is_ascii() {
        out.extend(offsets.windows(2).map(|p| u64::from(p[1] - p[0])));
        return;
    }
    out.extend(offsets.windows(2).map(|p| count_chars(&data[p[0] as usize..p[1] as usize]) as u64));
}

/// Lower-cases ASCII letters in place.
pub fn ascii_lower(bytes: &mut [u8]) {
    for b in bytes {
        *b |= u8::from(b.wrapping_sub(b'A') < 26) << 5;
    }
}

/// Upper-cases ASCII letters in place.
pub fn ascii_upper(bytes: &mut [u8]) {
    for b in bytes {
        *b &= !(u8::from(b.wrapping_sub(b'a') < 26) << 5);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::get;
    use crate::testing::{Rng, every_form};

    fn strings(rng: &mut Rng, n: usize, alphabet: &[u8]) -> (Vec<u32>, Vec<u8>) {
        let first = rng.below(3);
        let mut data = vec![b'a'; first];
        let mut offsets = vec![first as u32];
        for _ in 0..n {
            let len = rng.below(9);
            data.extend((0..len).map(|_| alphabet[rng.below(alphabet.len())]));
            offsets.push(data.len() as u32);
        }
        data.extend(b"abab");
        (offsets, data)
    }

    #[test]
    fn masks_against_naive() {
        every_form(|| {
            let mut rng = Rng(10);
            for n in [0, 1, 63, 64, 65, 300] {
                let (offsets, data) = strings(&mut rng, n, b"abAB");
                let row = |i: usize| &data[offsets[i] as usize..offsets[i + 1] as usize];
                for needle in [&b""[..], b"a", b"ab", b"abb", b"bABa", b"aaaaaaaaaaaa"] {
                    let mut out = vec![!0; words_for(n)];
                    let has =
                        |s: &[u8], t: &[u8]| t.is_empty() || s.windows(t.len()).any(|w| w == t);
                    contains_mask(&data, &offsets, needle, &mut out);
                    assert!((0..n).all(|i| get(&out, i) == has(row(i), needle)));
                    contains_mask_ascii_ci(&data, &offsets, needle, &mut out);
                    let low = needle.to_ascii_lowercase();
                    assert!(
                        (0..n).all(|i| get(&out, i) == has(&row(i).to_ascii_lowercase(), &low))
                    );
                    starts_with_mask(&data, &offsets, needle, &mut out);
                    assert!((0..n).all(|i| get(&out, i) == row(i).starts_with(needle)));
                    ends_with_mask(&data, &offsets, needle, &mut out);
                    assert!((0..n).all(|i| get(&out, i) == row(i).ends_with(needle)));
                    equals_mask(&data, &offsets, needle, &mut out);
                    assert!((0..n).all(|i| get(&out, i) == (row(i) == needle)));
                }
            }
        });
    }

    #[test]
    fn case_insensitive_over_many_groups() {
        let mut rng = Rng(11);
        let (mut data, mut offsets) = (vec![], vec![0]);
        for i in 0..5000 {
            data.extend((0..100).map(|_| b'a' + rng.below(20) as u8));
            if i % 37 == 0 {
                data.extend(b"NeEdLe");
            }
            offsets.push(data.len() as u32);
        }
        let mut out = vec![0; words_for(5000)];
        contains_mask_ascii_ci(&data, &offsets, b"nEEdle", &mut out);
        assert!((0..5000).all(|i| get(&out, i) == (i % 37 == 0)));
    }

    #[test]
    fn text() {
        let all: Vec<u8> = (0..=255).collect();
        let (mut low, mut up) = (all.clone(), all.clone());
        ascii_lower(&mut low);
        ascii_upper(&mut up);
        assert_eq!((low, up), (all.to_ascii_lowercase(), all.to_ascii_uppercase()));
        let text = "aжb語😀".repeat(100);
        assert_eq!(count_chars(text.as_bytes()), text.chars().count());
        let mut out = vec![];
        count_chars_each("aжb".as_bytes(), &[0, 1, 3, 4], &mut out);
        count_chars_each(b"abc", &[1, 1, 3], &mut out);
        assert_eq!(out, [1, 1, 1, 0, 2]);
        assert_eq!(find(b"hello", b"lo"), Some(3));
    }
}
