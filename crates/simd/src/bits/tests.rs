use super::*;
use crate::testing::{Rng, every_form};

const LENGTHS: [usize; 12] = [0, 1, 7, 63, 64, 65, 127, 128, 129, 200, 1000, 8192];

fn naive(words: &[u64], len: usize) -> Vec<bool> {
    (0..len).map(|i| words[i / 64] >> (i % 64) & 1 == 1).collect()
}

#[test]
fn bytes_round_trip_and_count() {
    every_form(|| {
        let mut rng = Rng(1);
        for len in LENGTHS {
            let words = rng.mask(len);
            let bools = naive(&words, len);
            let mut bytes = vec![9; len];
            mask_to_bytes(&words, &mut bytes);
            assert_eq!(bytes, bools.iter().map(|&b| u8::from(b)).collect::<Vec<_>>());
            for b in &mut bytes {
                *b *= 1 + rng.below(255) as u8;
            }
            let mut back = vec![7; words_for(len)];
            mask_from_bytes(&bytes, &mut back);
            assert_eq!(back, words);
            assert_eq!(count_ones(&words, len), bools.iter().filter(|&&b| b).count());
            assert_eq!(all_set(&words, len), bools.iter().all(|&b| b));
            assert_eq!(none_set(&words, len), bools.iter().all(|&b| !b));
        }
    });
}

#[test]
fn positions_and_runs() {
    every_form(|| {
        let mut rng = Rng(2);
        for len in LENGTHS {
            for _ in 0..8 {
                let words = rng.mask(len);
                let bools = naive(&words, len);
                let want: Vec<usize> = (0..len).filter(|&i| bools[i]).collect();
                assert_eq!(iter_set(&words, len).collect::<Vec<_>>(), want);
                let (mut a, mut b) = (vec![], vec![]);
                indices_from_mask(&words, len, &mut a);
                indices_from_mask_u16(&words, len, &mut b);
                assert_eq!(a.iter().map(|&i| i as usize).collect::<Vec<_>>(), want);
                assert_eq!(b.iter().map(|&i| i as usize).collect::<Vec<_>>(), want);
                assert_eq!(mask_from_indices(&a, len), words);
                let mut seen = vec![];
                let mut last_end = None;
                for_each_run(&words, len, |s, e| {
                    assert!(s < e && last_end != Some(s), "runs are maximal");
                    last_end = Some(e);
                    seen.extend(s..e);
                });
                assert_eq!(seen, want);
            }
        }
    });
}

#[test]
fn slices_and_appends() {
    let mut rng = Rng(3);
    for _ in 0..300 {
        let len = rng.below(400);
        let words = rng.mask(len);
        let bools = naive(&words, len);
        let start = rng.below(len + 1);
        let n = rng.below(len - start + 1);
        let part = slice(&words, start, n);
        assert_eq!(naive(&part, n), bools[start..start + n]);
        let before = rng.below(200);
        let mut dst = rng.mask(before);
        let mut want = naive(&dst, before);
        append_slice(&mut dst, before, &words, start, n);
        want.extend_from_slice(&bools[start..start + n]);
        assert_eq!(dst.len(), words_for(before + n));
        assert_eq!(naive(&dst, before + n), want);
        if let Some(last) = dst.last() {
            assert_eq!(last & !tail_mask(before + n), 0);
        }
    }
}

#[test]
fn logic() {
    let mut rng = Rng(4);
    let (a, b) = (rng.mask(100), rng.mask(100));
    let apply = |f: fn(&mut [u64], &[u64])| {
        let mut d = a.clone();
        f(&mut d, &b);
        d
    };
    assert_eq!(apply(and_into), [a[0] & b[0], a[1] & b[1]]);
    assert_eq!(apply(or_into), [a[0] | b[0], a[1] | b[1]]);
    assert_eq!(apply(xor_into), [a[0] ^ b[0], a[1] ^ b[1]]);
    assert_eq!(apply(and_not_into), [a[0] & !b[0], a[1] & !b[1]]);
    let mut d = a.clone();
    not_into(&mut d, 100);
    assert_eq!(d, [!a[0], !a[1] & tail_mask(100)]);
    assert_eq!(count_ones(&filled(70, true), 70), 70);
    let mut one = filled(70, false);
    set(&mut one, 69, true);
    assert!(get(&one, 69) && !get(&one, 68));
    set(&mut one, 69, false);
    assert!(none_set(&one, 70));
}

#[test]
fn deposited_bits_are_in_order() {
    every_form(|| {
        let mut rng = Rng(9);
        for len in LENGTHS {
            let selection = rng.mask(len);
            let count = count_ones(&selection, len);
            let some = rng.mask(count);
            let (mut bits, selected) = (naive(&some, count).into_iter(), naive(&selection, len));
            let expected: Vec<bool> =
                selected.into_iter().map(|is| is && bits.next().unwrap_or(false)).collect();
            assert_eq!(naive(&deposit(&some, &selection), len), expected);
            assert!(none_set(&deposit(&[], &selection), len));
        }
    });
}

#[test]
fn masks_of_codes_are_those_of_their_values() {
    every_form(|| {
        let mut rng = Rng(8);
        for values in [1, 31, 64, 65, 511, 512, 513, 3000] {
            let mask = rng.mask(values);
            for len in LENGTHS {
                let codes: Vec<u32> = (0..len).map(|_| rng.below(values) as u32).collect();
                let mut out = vec![7; words_for(len)];
                mask_from_codes(&mask, &codes, &mut out);
                let expected: Vec<bool> = codes.iter().map(|c| get(&mask, *c as usize)).collect();
                assert_eq!(naive(&out, len), expected);
                assert!(out.last().is_none_or(|last| last & !tail_mask(len) == 0));
            }
        }
    });
}
