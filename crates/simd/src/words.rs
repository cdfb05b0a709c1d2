//! Public hash functions of columns of numbers: each number is its eight bytes.
//!
//! The loops are plain. The wide form is the same loop compiled for AVX-512, which multiplies 64
//! bits in one instruction; without it a multiplication is three.

macro_rules! hash {
    ($(#[$doc:meta])* $name:ident, $wide:ident, $one:ident) => {
        $(#[$doc])*
        /// Panics unless the slices have the same length.
        pub fn $name(words: &[u64], out: &mut [u64]) {
            assert!(words.len() == out.len(), "hash lengths");
            #[cfg(target_arch = "x86_64")]
            if crate::wide() {
                // SAFETY: the form is chosen only if the processor has these instructions.
                #[allow(unsafe_code)]
                unsafe {
                    return $wide(words, out);
                }
            }
            for (hash, &word) in out.iter_mut().zip(words) {
                *hash = $one(word);
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
        fn $wide(words: &[u64], out: &mut [u64]) {
            for (hash, &word) in out.iter_mut().zip(words) {
                *hash = $one(word);
            }
        }
    };
}

hash! {
    /// The mixing step of MurmurHash3 after a salt, as the reference's `intHash64` has it.
    int_hash64, int_hash64_wide, one_int_hash64
}
hash! {
    /// xxHash64 (Yann Collet, "xxHash fast digest algorithm", version 0.1.1) with the seed 0.
    xx_hash64, xx_hash64_wide, one_xx_hash64
}
hash! {
    /// xxHash32 with the seed 0, in the low half of each result.
    xx_hash32, xx_hash32_wide, one_xx_hash32
}

#[inline(always)]
fn one_int_hash64(word: u64) -> u64 {
    let mut x = word ^ 0x4cf2_d2ba_ae6d_a887;
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

#[inline(always)]
fn one_xx_hash64(word: u64) -> u64 {
    const PRIMES: [u64; 5] = [
        0x9E37_79B1_85EB_CA87,
        0xC2B2_AE3D_27D4_EB4F,
        0x1656_67B1_9E37_79F9,
        0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5,
    ];
    let round = word.wrapping_mul(PRIMES[1]).rotate_left(31).wrapping_mul(PRIMES[0]);
    let mut x = PRIMES[4].wrapping_add(8) ^ round;
    x = x.rotate_left(27).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
    x = (x ^ (x >> 33)).wrapping_mul(PRIMES[1]);
    x = (x ^ (x >> 29)).wrapping_mul(PRIMES[2]);
    x ^ (x >> 32)
}

#[inline(always)]
fn one_xx_hash32(word: u64) -> u64 {
    const PRIMES: [u32; 5] = [0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F, 0x1656_67B1];
    let half = |x: u32, half: u32| {
        x.wrapping_add(half.wrapping_mul(PRIMES[2])).rotate_left(17).wrapping_mul(PRIMES[3])
    };
    let mut x = PRIMES[4].wrapping_add(8);
    x = half(half(x, word as u32), (word >> 32) as u32);
    x = (x ^ (x >> 15)).wrapping_mul(PRIMES[1]);
    x = (x ^ (x >> 13)).wrapping_mul(PRIMES[2]);
    (x ^ (x >> 16)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, every_form};

    /// The values are those that the reference engine answers for the bytes 1 to 8.
    #[test]
    fn known_hashes() {
        every_form(|| {
            let words = [0x0807_0605_0403_0201; 70];
            let mut out = [0; 70];
            xx_hash64(&words, &mut out);
            assert_eq!(out, [9_316_896_406_413_536_788; 70]);
            xx_hash32(&words, &mut out);
            assert_eq!(out, [339_348_840; 70]);
        });
    }

    #[test]
    fn every_form_hashes_alike() {
        let mut rng = Rng(9);
        let words: Vec<u64> = (0..1000).map(|_| rng.next()).collect();
        for (all, one) in [
            (int_hash64 as fn(&[u64], &mut [u64]), one_int_hash64 as fn(u64) -> u64),
            (xx_hash64, one_xx_hash64),
            (xx_hash32, one_xx_hash32),
        ] {
            every_form(|| {
                let mut out = vec![0; words.len()];
                all(&words, &mut out);
                assert!(words.iter().zip(&out).all(|(word, hash)| one(*word) == *hash));
            });
        }
    }
}
