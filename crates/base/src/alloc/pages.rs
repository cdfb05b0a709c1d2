//! Large pages for large allocations.
//!
//! Hash tables and columns of many megabytes are read at random places. With pages of 4 KiB nearly
//! every access also misses the processor's cache of page addresses (TLB); a page of 2 MiB holds
//! 512 times as much. Linux uses such pages for memory that asks for them, if
//! `/sys/kernel/mm/transparent_hugepage/enabled` says `madvise` (the default of most systems) or
//! `always`.

/// The size of a large page.
const PAGE: usize = 2 << 20;
/// Allocations of at least this size ask for large pages. What is rounded up is small then.
const FROM: usize = 2 * PAGE;

/// Asks for large pages for new memory, if it is large.
#[inline(always)]
pub fn ask(pointer: *mut u8, size: usize) {
    if size >= FROM && !pointer.is_null() {
        ask_whole_pages(pointer, size);
    }
}

/// The whole large pages within the memory get the advice. It is a hint, so errors do not matter.
#[cold]
#[inline(never)]
#[cfg(target_os = "linux")]
fn ask_whole_pages(pointer: *mut u8, size: usize) {
    use nix::sys::mman::{MmapAdvise, madvise};
    let skipped = pointer.align_offset(PAGE);
    let length = size.saturating_sub(skipped) / PAGE * PAGE;
    let Some(start) = std::ptr::NonNull::new(pointer.wrapping_add(skipped)) else { return };
    if length > 0 {
        // SAFETY: the range is within one allocation, and this advice does not change its bytes.
        let _ = unsafe { madvise(start.cast(), length, MmapAdvise::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_whole_pages(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout, System};

    use crate::alloc::Watched;

    #[test]
    fn large_memory_keeps_its_bytes() {
        let allocator = Watched(System);
        let layout = Layout::from_size_align(super::FROM + 123, 64).unwrap();
        // SAFETY: the layout is not empty; the memory is released with the layout that it has last.
        unsafe {
            let memory = allocator.alloc_zeroed(layout);
            assert!((0..layout.size()).all(|i| *memory.add(i) == 0));
            memory.write_bytes(7, layout.size());
            let memory = allocator.realloc(memory, layout, 3 * layout.size());
            assert!((0..layout.size()).all(|i| *memory.add(i) == 7));
            let layout = Layout::from_size_align(3 * layout.size(), 64).unwrap();
            allocator.dealloc(memory, layout);
        }
    }
}
