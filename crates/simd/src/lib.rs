//! Kernels over plain slices: masks, comparison, filter, gather, hash, bit-packing, byte search,
//! sums. The only home of intrinsics and of `target_arch`; everything public is safe.
//!
//! Each kernel is a portable loop first. Other forms stand beside it only where they were measured
//! to gain: AVX2 or NEON, which the build targets, and AVX-512, for which [`Form`] asks the
//! processor. A test can force any [`Form`], so that one set of property tests covers all.
//!
//! Invariants: lengths are checked at the door by assertion (a wrong length is a bug of the caller,
//! never of user input); bits past the length in the last word of a mask that a kernel wrote are
//! zero. Absent on purpose: columns, types, errors.

#![deny(unsafe_code)]

pub mod base64;
pub mod bitpack;
pub mod bits;
pub mod blend;
pub mod byte_set;
pub mod cast;
pub mod compare;
pub mod copy;
pub mod crc;
pub mod divide;
pub mod filter;
mod form;
pub mod gather;
pub mod hash;
pub mod prefetch;
pub mod search;
pub mod sum;
pub mod utf8;
pub mod words;

pub use form::Form;
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
pub(crate) use form::portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use form::wide;

/// Makes every kernel take its portable form (`true`) or the best one (`false`), for tests.
pub fn force_portable(on: bool) {
    if on { Form::Portable.force() } else { form::best().force() }
}

/// Whether this CPU has the instruction sets for which the build was compiled; if not, the name of
/// the first missing one. It must be called before anything else.
pub fn cpu_is_enough() -> Result<(), &'static str> {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        let checks = [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("BMI2", std::arch::is_x86_feature_detected!("bmi2")),
            ("FMA", std::arch::is_x86_feature_detected!("fma")),
            ("LZCNT", std::arch::is_x86_feature_detected!("lzcnt")),
        ];
        if let Some((name, _)) = checks.iter().find(|(_, present)| !present) {
            return Err(name);
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod testing {
    //! Helpers of the property tests: a seeded generator, and running a test in every form.

    use std::sync::{Mutex, PoisonError};

    /// splitmix64.
    pub struct Rng(pub u64);

    impl Rng {
        pub fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }

        pub fn below(&mut self, n: usize) -> usize {
            (self.next() % n.max(1) as u64) as usize
        }

        /// A random mask of `len` bits: dense, sparse, with runs, or with independent bits.
        pub fn mask(&mut self, len: usize) -> Vec<u64> {
            let kind = self.below(5);
            let mut words: Vec<u64> = (0..len.div_ceil(64))
                .map(|_| match kind {
                    0 => self.next(),
                    1 => self.next() & self.next() & self.next() & self.next(),
                    2 => self.next() | self.next() | self.next() | self.next(),
                    3 => [0, !0, 0xFFFF_0000_FFFF_FF00][self.below(3)],
                    _ => !0,
                })
                .collect();
            if let Some(last) = words.last_mut() {
                *last &= crate::bits::tail_mask(len);
            }
            words
        }
    }

    static LOCK: Mutex<()> = Mutex::new(());

    /// Runs `test` in every form that this machine can run.
    pub fn every_form(test: impl Fn()) {
        let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        for form in super::Form::all() {
            form.force();
            test();
        }
    }
}
