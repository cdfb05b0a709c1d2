//! An allocator that can report what a statement allocates, so that stacks can be recorded.
//!
//! Each thread has a budget of bytes. An allocation subtracts from it and a release adds to it;
//! below zero, the slow path (`look`) runs. A thread that is not watched has an endless budget, so
//! it pays one subtraction and one branch that is never taken. The thread of a statement with a
//! [`MemoryWatch`] has a small budget; once it is used up, the thread's growth is added to the
//! statement's. If the statement's allocations are sampled, the budget is below zero from the
//! start, so that every call takes the slow path.
//!
//! Large allocations ask for large pages, see [`pages`].
//!
//! The slow path reports to a hook, which the profiler installs. The thread is not watched while
//! the hook runs, so the hook may allocate. Limits do not depend on any of this: they use
//! jemalloc's own count for each thread (see `meter`).

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;

mod pages;
mod watch;

pub use watch::{MemorySettings, MemoryWatch};

/// The budget of a thread that is not watched: so large that it never falls below 0.
const ENDLESS: i64 = i64::MAX / 2;

/// What the hook is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The statement holds at least one step more than before: bytes since the last report.
    Step(i64),
    /// A sampled allocation: its bytes (negative for a release) and its address.
    Sample(i64, usize),
}

static HOOK: OnceLock<fn(Found)> = OnceLock::new();

/// Installs the hook, which runs on the thread that allocates. Later calls have no effect.
pub fn install_hook(hook: fn(Found)) {
    let _ = HOOK.set(hook);
}

thread_local! {
    /// Bytes that this thread may allocate before it takes the slow path.
    static BUDGET: Cell<i64> = const { Cell::new(ENDLESS) };
    /// The value that `BUDGET` was last set to; the difference is the thread's growth.
    static GIVEN: Cell<i64> = const { Cell::new(ENDLESS) };
    static WATCH: Cell<Option<&'static MemoryWatch>> = const { Cell::new(None) };
}

/// While this lives, the thread's allocations belong to a watch, or to none.
#[derive(Debug)]
#[must_use = "dropping it ends the watch"]
pub struct Watching {
    before: Option<&'static MemoryWatch>,
    /// Not `Send`: it must be dropped on the thread that created it.
    _thread: PhantomData<*const ()>,
}

/// Assigns this thread's allocations to `watch` until the returned guard is dropped. Guards nest:
/// the one that was created last must be dropped first.
#[inline]
pub fn watch(watch: Option<&'static MemoryWatch>) -> Watching {
    Watching { before: switch(watch), _thread: PhantomData }
}

impl Drop for Watching {
    #[inline]
    fn drop(&mut self) {
        switch(self.before);
    }
}

#[inline]
fn switch(next: Option<&'static MemoryWatch>) -> Option<&'static MemoryWatch> {
    let before = WATCH.get();
    if before.is_some() || next.is_some() {
        if let Some(before) = before {
            before.shift(GIVEN.get() - BUDGET.get());
        }
        give(next.map_or(ENDLESS, MemoryWatch::budget));
        WATCH.set(next);
    }
    before
}

fn give(budget: i64) {
    BUDGET.set(budget);
    GIVEN.set(budget);
}

/// An allocator that reports to the watch of the calling thread; see the module.
#[derive(Debug)]
pub struct Watched<A>(
    /// The allocator that does the work.
    pub A,
);

// SAFETY: every call goes to the inner allocator with the same arguments, and its result is
// returned unchanged. The bookkeeping uses thread-locals without destructors and does not allocate.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Watched<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the inner allocator's contract.
        let pointer = unsafe { self.0.alloc(layout) };
        pages::ask(pointer, layout.size());
        took(pointer, layout.size());
        pointer
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let pointer = unsafe { self.0.alloc_zeroed(layout) };
        pages::ask(pointer, layout.size());
        took(pointer, layout.size());
        pointer
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave(pointer, layout.size());
        // SAFETY: as above.
        unsafe { self.0.dealloc(pointer, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        gave(pointer, layout.size());
        // SAFETY: as above.
        let moved = unsafe { self.0.realloc(pointer, layout, size) };
        if moved.is_null() {
            took(pointer, layout.size());
        } else {
            pages::ask(moved, size);
            took(moved, size);
        }
        moved
    }
}

#[inline(always)]
fn took(pointer: *const u8, size: usize) {
    if cfg!(feature = "no-watch") {
        return;
    }
    let left = BUDGET.get().wrapping_sub(size as i64);
    BUDGET.set(left);
    if left < 0 {
        look(pointer as usize, size as i64);
    }
}

/// Runs before the release: afterwards another thread could be given the address.
#[inline(always)]
fn gave(pointer: *const u8, size: usize) {
    if cfg!(feature = "no-watch") {
        return;
    }
    let left = BUDGET.get().wrapping_add(size as i64);
    BUDGET.set(left);
    if left < 0 {
        look(pointer as usize, -(size as i64));
    }
}

#[cold]
#[inline(never)]
fn look(pointer: usize, size: i64) {
    let Some(watch) = WATCH.take() else {
        // The thread is within the hook.
        return;
    };
    if watch.samples(pointer, size.unsigned_abs()) {
        call(Found::Sample(size, pointer));
    }
    let grown = GIVEN.get() - BUDGET.get();
    if grown > watch.batch() {
        give(watch.budget());
        if let Some(bytes) = watch.grow(grown) {
            call(Found::Step(bytes));
        }
    }
    WATCH.set(Some(watch));
}

fn call(found: Found) {
    if let Some(hook) = HOOK.get() {
        hook(found);
    }
}

#[cfg(test)]
mod tests;
