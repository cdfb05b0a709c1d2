//! Blending: each value from one of two sides, as a mask says.
//!
//! A word of the mask becomes 64 bytes, which the compiler widens to the lanes of the values: the
//! loops have no branch, whatever the mask is.

use crate::bits::{unpack64, words_for};

/// One side of a blend.
#[derive(Clone, Copy, Debug)]
pub enum Lanes<'a, T> {
    /// The same value in each lane.
    One(T),
    /// A value per lane.
    Many(&'a [T]),
}

impl<T: Copy> Lanes<'_, T> {
    /// Checks that there are `len` values.
    fn check(self, len: usize) {
        if let Lanes::Many(values) = self {
            assert!(values.len() == len, "lanes");
        }
    }
}

/// Replaces `out` by the values of `yes` where `mask` is set, and of `no` where it is not: `len`
/// values.
pub fn blend<T: Copy>(
    mask: &[u64],
    yes: Lanes<'_, T>,
    no: Lanes<'_, T>,
    len: usize,
    out: &mut Vec<T>,
) {
    assert!(mask.len() >= words_for(len), "mask length");
    yes.check(len);
    no.check(len);
    out.clear();
    out.reserve(len);
    match (yes, no) {
        (Lanes::One(a), Lanes::One(b)) => each(mask, len, |set, _, n| {
            out.extend(set[..n].iter().map(|&s| pick(s, a, b)));
        }),
        (Lanes::Many(a), Lanes::One(b)) => each(mask, len, |set, at, n| {
            let a = &a[at..at + n];
            out.extend(set[..n].iter().zip(a).map(|(&s, &a)| pick(s, a, b)));
        }),
        (Lanes::One(a), Lanes::Many(b)) => each(mask, len, |set, at, n| {
            let b = &b[at..at + n];
            out.extend(set[..n].iter().zip(b).map(|(&s, &b)| pick(s, a, b)));
        }),
        (Lanes::Many(a), Lanes::Many(b)) => each(mask, len, |set, at, n| {
            let both = a[at..at + n].iter().zip(&b[at..at + n]);
            out.extend(set[..n].iter().zip(both).map(|(&s, (&a, &b))| pick(s, a, b)));
        }),
    }
}

/// Overwrites the values of `out` with those of `yes` where `mask` is set.
pub fn blend_into<T: Copy>(mask: &[u64], yes: Lanes<'_, T>, out: &mut [T]) {
    let len = out.len();
    assert!(mask.len() >= words_for(len), "mask length");
    yes.check(len);
    match yes {
        Lanes::One(a) => each(mask, len, |set, at, n| {
            overwrite(set, |_| a, &mut out[at..at + n]);
        }),
        Lanes::Many(a) => each(mask, len, |set, at, n| {
            let a = &a[at..at + n];
            overwrite(set, |i| a[i], &mut out[at..at + n]);
        }),
    }
}

/// Overwrites the values of a word of the mask.
#[inline(always)]
fn overwrite<T: Copy>(set: &[u8; 64], yes: impl Fn(usize) -> T, out: &mut [T]) {
    if let Some(out) = out.first_chunk_mut::<64>() {
        let chosen: [T; 64] = std::array::from_fn(|i| pick(set[i], yes(i), out[i]));
        // By way of a buffer where there are masked stores, as with AVX2 for these widths: they
        // are slow on Zen 4, and the compiler takes them for what was read at the same place.
        *out = if size_of::<T>() < 4 { chosen } else { *std::hint::black_box(&chosen) };
        return;
    }
    for (i, (out, &s)) in out.iter_mut().zip(set).enumerate() {
        *out = pick(s, yes(i), *out);
    }
}

/// `yes` where `set` is not 0. Both are values: with a branch, the compiler would choose between
/// their addresses, and load them one by one.
#[inline(always)]
fn pick<T>(set: u8, yes: T, no: T) -> T {
    std::hint::select_unpredictable(set != 0, yes, no)
}

/// Calls `f(bytes, start, count)` for each word of the mask of `len` bits.
#[inline(always)]
fn each(mask: &[u64], len: usize, mut f: impl FnMut(&[u8; 64], usize, usize)) {
    let mut set = [0; 64];
    for (i, &word) in mask.iter().take(words_for(len)).enumerate() {
        unpack64(word, &mut set);
        let at = i * 64;
        if at + 64 <= len {
            f(&set, at, 64);
        } else {
            f(&set, at, len - at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::get;
    use crate::testing::{Rng, every_form};

    fn check<T: Copy + PartialEq + std::fmt::Debug>(rng: &mut Rng, make: impl Fn(u64) -> T) {
        for len in [0, 1, 63, 64, 65, 200] {
            let mask = rng.mask(len);
            let a: Vec<T> = (0..len).map(|_| make(rng.next())).collect();
            let b: Vec<T> = (0..len).map(|_| make(rng.next())).collect();
            let (one, other) = (make(5), make(6));
            let value = |side: Lanes<'_, T>, i: usize| match side {
                Lanes::One(v) => v,
                Lanes::Many(v) => v[i],
            };
            for yes in [Lanes::One(one), Lanes::Many(&a)] {
                for no in [Lanes::One(other), Lanes::Many(&b)] {
                    let pick = |i| value(if get(&mask, i) { yes } else { no }, i);
                    let want: Vec<T> = (0..len).map(pick).collect();
                    let mut out = vec![one; 3];
                    blend(&mask, yes, no, len, &mut out);
                    assert_eq!(out, want);
                    let mut out: Vec<T> = (0..len).map(|i| value(no, i)).collect();
                    blend_into(&mask, yes, &mut out);
                    assert_eq!(out, want);
                }
            }
        }
    }

    #[test]
    fn every_width_against_naive() {
        every_form(|| {
            let mut rng = Rng(7);
            check(&mut rng, |v| v as u8);
            check(&mut rng, |v| v as i16);
            check(&mut rng, |v| v as u32);
            check(&mut rng, |v| v as f32);
            check(&mut rng, |v| v);
            check(&mut rng, |v| u128::from(v) << 60);
            check(&mut rng, |v| [v; 4]);
        });
    }
}
