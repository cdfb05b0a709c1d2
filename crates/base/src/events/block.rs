//! Slots for all events, with one writer, and the pool that they come from.
//!
//! Blocks are leaked, so that a thread-local can point to one without a lifetime or a destructor,
//! and used again: there are as many as were ever in use at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::{COUNT, Counts, Event, Mask};
use crate::sync::lock;

/// One thread's counts for one statement. Aligned so that no two blocks share a cache line (nor the
/// pair of lines that is fetched together).
#[repr(align(128))]
pub(crate) struct Block {
    slots: [AtomicU64; COUNT],
    /// Events to be traced: looked at only off the fast path.
    mask: [AtomicU64; Mask::WORDS],
}

static POOL: Mutex<Vec<&'static Block>> = Mutex::new(Vec::new());

fn pool() -> MutexGuard<'static, Vec<&'static Block>> {
    lock(&POOL)
}

impl Block {
    /// A block of zeros that nobody else has.
    pub fn take() -> &'static Self {
        let recycled = pool().pop();
        recycled.unwrap_or_else(|| {
            Box::leak(Box::new(Self {
                slots: [const { AtomicU64::new(0) }; COUNT],
                mask: [const { AtomicU64::new(0) }; Mask::WORDS],
            }))
        })
    }

    /// Gives a block that nobody writes any more back to the pool, and adds what it held to all of
    /// `totals`. Most slots are zero: they cost a load and a branch.
    pub fn give_back(&'static self, totals: &mut [&mut Counts]) {
        for (at, slot) in self.slots.iter().enumerate() {
            let count = slot.load(Ordering::Relaxed);
            if count != 0 {
                slot.store(0, Ordering::Relaxed);
                totals.iter_mut().for_each(|total| total.0[at] = total.0[at].wrapping_add(count));
            }
        }
        self.mask.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        pool().push(self);
    }

    /// One plain addition: only the thread that the block is attached to may call this.
    #[inline(always)]
    pub fn add(&self, event: Event, amount: u64) {
        let slot = &self.slots[event as usize];
        slot.store(slot.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    /// Adds what is in the slots to `counts`; from any thread.
    pub fn read(&self, counts: &mut Counts) {
        for (sum, slot) in counts.0.iter_mut().zip(&self.slots) {
            *sum = sum.wrapping_add(slot.load(Ordering::Relaxed));
        }
    }

    /// Sets which events are traced.
    pub fn trace(&self, mask: &Mask) {
        self.mask.iter().zip(&mask.0).for_each(|(word, bits)| word.store(*bits, Ordering::Relaxed));
    }

    /// Whether an event is to be traced.
    pub fn traces(&self, event: Event) -> bool {
        let at = event as usize;
        self.mask[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 == 1
    }
}
