//! Which form of the kernels runs: chosen once for the process.
//!
//! The baseline form belongs to the instruction set of the build (AVX2 for x86-64-v3, NEON for
//! AArch64), so it is compiled in by `cfg` and stays inlinable. The wide form (AVX-512 with VBMI2)
//! is looked for when the first kernel asks. A test may ask for any form.
//!
//! Absent on purpose: tables of function pointers. One byte says all, and a branch on it costs less
//! than an indirect call, in front of which nothing can be inlined.

use std::sync::atomic::{AtomicU8, Ordering};

/// A form of the kernels. Where a kernel lacks a form, it runs the next lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Plain loops.
    Portable = 1,
    /// The instruction set for which the build was compiled.
    Baseline = 2,
    /// AVX-512 with its extensions (BW, VL, DQ, VBMI, VBMI2).
    Wide = 3,
}

static FORM: AtomicU8 = AtomicU8::new(0);

impl Form {
    /// The name that documents and benchmarks use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Baseline if cfg!(target_feature = "avx2") => "AVX2",
            Self::Baseline if cfg!(target_feature = "neon") => "NEON",
            Self::Baseline => "baseline",
            Self::Wide => "AVX-512",
        }
    }

    /// The forms that this processor can run, the best one last.
    pub fn all() -> &'static [Self] {
        if has_wide() {
            &[Self::Portable, Self::Baseline, Self::Wide]
        } else {
            &[Self::Portable, Self::Baseline]
        }
    }

    /// Makes all kernels of the process take this form, or the next lower one that there is.
    pub fn force(self) {
        let form = if self == Self::Wide { best() } else { self };
        FORM.store(form as u8, Ordering::Relaxed);
    }
}

#[cfg(target_arch = "x86_64")]
fn has_wide() -> bool {
    macro_rules! all {
        ($($name:tt)*) => { $(std::arch::is_x86_feature_detected!($name))&&* };
    }
    all!("avx512f" "avx512bw" "avx512vl" "avx512dq" "avx512vbmi" "avx512vbmi2" "bmi1" "bmi2")
        && all!("popcnt" "lzcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_wide() -> bool {
    false
}

/// The best form of this processor.
pub(crate) fn best() -> Form {
    if has_wide() { Form::Wide } else { Form::Baseline }
}

/// Whether the portable form must be taken although there is a faster one.
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
#[inline(always)]
pub(crate) fn portable() -> bool {
    FORM.load(Ordering::Relaxed) == Form::Portable as u8
}

/// Whether the wide form runs.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn wide() -> bool {
    match FORM.load(Ordering::Relaxed) {
        0 => choose(),
        form => form == Form::Wide as u8,
    }
}

#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn choose() -> bool {
    best().force();
    has_wide()
}
