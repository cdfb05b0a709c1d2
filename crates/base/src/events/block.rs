//! A block of counters for all events, which one thread writes, and the pool of blocks.
//!
//! Blocks are leaked, so that a thread-local can point to one without a lifetime or a destructor,
//! and reused: there are as many as were ever in use at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::{COUNT, Counts, Event, Mask};
use crate::sync::lock;

/// One thread's counts for one statement. The alignment keeps two blocks from sharing a cache line,
/// or the pair of lines that the processor fetches together.
#[repr(align(128))]
pub(crate) struct Block {
    slots: [AtomicU64; COUNT],
    /// Which events are traced. Read only off the fast path.
    mask: [AtomicU64; Mask::WORDS],
}

static POOL: Mutex<Vec<&'static Block>> = Mutex::new(Vec::new());

fn pool() -> MutexGuard<'static, Vec<&'static Block>> {
    lock(&POOL)
}

impl Block {
    /// A block of zeros for exclusive use by the caller.
    pub fn take() -> &'static Self {
        let recycled = pool().pop();
        recycled.unwrap_or_else(|| {
            Box::leak(Box::new(Self {
                slots: [const { AtomicU64::new(0) }; COUNT],
                mask: [const { AtomicU64::new(0) }; Mask::WORDS],
            }))
        })
    }

    /// Returns a block to the pool that nobody writes any more, after adding its counts to each of
    /// `totals`. Most slots are zero and cost only a load and a branch.
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

    /// One plain addition. Only the thread that the block is attached to may call this.
    #[inline(always)]
    pub fn add(&self, event: Event, amount: u64) {
        let slot = &self.slots[event as usize];
        slot.store(slot.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    /// Adds the counts of this block to `counts`. Any thread may call this.
    pub fn read(&self, counts: &mut Counts) {
        for (sum, slot) in counts.0.iter_mut().zip(&self.slots) {
            *sum = sum.wrapping_add(slot.load(Ordering::Relaxed));
        }
    }

    /// Sets which events are traced.
    pub fn trace(&self, mask: &Mask) {
        self.mask.iter().zip(&mask.0).for_each(|(word, bits)| word.store(*bits, Ordering::Relaxed));
    }

    /// Whether an event is traced.
    pub fn traces(&self, event: Event) -> bool {
        let at = event as usize;
        self.mask[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 == 1
    }
}
