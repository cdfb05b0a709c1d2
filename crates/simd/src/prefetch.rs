//! Prefetches memory that will be read soon. It affects only the time.

#![allow(unsafe_code)]

/// Starts loading the cache line of `values[i]`; `i` may be anything.
#[inline(always)]
pub fn prefetch_read<T>(values: &[T], i: usize) {
    let address = values.as_ptr().wrapping_add(i);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address, mapped or not, has no architectural effect.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; the intrinsic is not stable yet.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{address}]",
            address = in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}
