//! The allocator of a program whose statements may be looked at: stacks of what they allocate.
//!
//! Each thread has a budget of bytes. An allocation takes from it, a release adds to it, and below
//! zero it looks closer: that is all the untraced pay, one subtraction and one branch that is never
//! taken, as their budget is endless. The thread of a statement with a [`MemoryWatch`] has a small
//! one, at whose end its growth goes to the statement's; of one whose allocations are sampled each
//! and every call looks closer, as its budget is below zero from the start.
//!
//! What is found goes to a hook, which the profiler installs. While the hook runs the thread is not
//! watched, so it may allocate. Nothing here counts for limits: that is jemalloc's own count of
//! each thread (`meter`).

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;

mod watch;

pub use watch::{MemorySettings, MemoryWatch};

/// The budget of a thread that is not watched: what it frees and allocates never moves it to 0.
const ENDLESS: i64 = i64::MAX / 2;

/// What the hook is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The statement holds a step more than it ever did; with the bytes since the last time.
    Step(i64),
    /// A sampled allocation: its bytes (less than zero: a release), its address.
    Sample(i64, usize),
}

static HOOK: OnceLock<fn(Found)> = OnceLock::new();

/// Installs what is called, on the thread that allocates; the first one stays.
pub fn install_hook(hook: fn(Found)) {
    let _ = HOOK.set(hook);
}

thread_local! {
    /// Bytes until this thread looks closer.
    static BUDGET: Cell<i64> = const { Cell::new(ENDLESS) };
    /// What the budget was when it was given.
    static GIVEN: Cell<i64> = const { Cell::new(ENDLESS) };
    static WATCH: Cell<Option<&'static MemoryWatch>> = const { Cell::new(None) };
}

/// While it lives, this thread's allocations are looked at for a statement, or for none.
#[derive(Debug)]
#[must_use = "dropping it ends the watch"]
pub struct Watching {
    before: Option<&'static MemoryWatch>,
    /// Its drop is for the thread that made it.
    _thread: PhantomData<*const ()>,
}

/// From here on, until the answer is dropped, this thread's allocations are a statement's. They
/// nest: the last one made is to be dropped first.
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

/// An allocator that looks at what goes through it; see the module.
#[derive(Debug)]
pub struct Watched<A>(
    /// The one that does the work.
    pub A,
);

// SAFETY: all calls go to the inner allocator as they came, and what comes back is handed on; the
// rest are numbers in thread-locals without destructors, which do not allocate.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Watched<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the inner allocator's contract.
        let pointer = unsafe { self.0.alloc(layout) };
        took(pointer, layout.size());
        pointer
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let pointer = unsafe { self.0.alloc_zeroed(layout) };
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

/// Before the release, so that nobody else can be given the address before it was told.
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
        // Within the hook.
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
