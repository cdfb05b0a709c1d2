//! What is recorded of one statement's memory.
//!
//! Watches are leaked, so that a thread-local can point to one without a lifetime, and reused by
//! later statements: there are as many as were ever in use at once. A thread that still works for a
//! statement that has ended may add its last bytes to the next statement's watch. That is harmless,
//! as limits do not use watches.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::clock::mix64;
use crate::sync::lock;

/// A thread adds its growth to the statement's after this fraction (one `PARTS`th) of a step.
const PARTS: i64 = 8;

/// Which stacks of memory are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemorySettings {
    /// Bytes of growth between two stacks; 0 means no stacks of growth.
    pub step: u64,
    /// The probability that an allocation is sampled; 0 means that none is.
    pub probability: f64,
    /// Bytes of the smallest and the largest allocation that is sampled; 0 means no bound.
    pub sizes: [u64; 2],
}

impl MemorySettings {
    /// Whether no stacks are asked for.
    pub fn is_off(&self) -> bool {
        self.step == 0 && !self.samples()
    }

    fn samples(&self) -> bool {
        self.probability > 0.0
    }
}

/// One statement's settings and the memory that it holds; see the module.
#[derive(Debug, Default)]
pub struct MemoryWatch {
    step: AtomicI64,
    /// Addresses whose hash is not above this are sampled.
    chance: AtomicU64,
    seed: AtomicU64,
    sizes: [AtomicU64; 2],
    /// Bytes that the statement holds, as far as its threads have reported.
    used: AtomicI64,
    /// The value of `used` at the last stack of growth, which is the highest so far.
    seen: AtomicI64,
}

static POOL: Mutex<Vec<&'static MemoryWatch>> = Mutex::new(Vec::new());

fn pool() -> MutexGuard<'static, Vec<&'static MemoryWatch>> {
    lock(&POOL)
}

impl MemoryWatch {
    /// A watch for a new statement. The seed decides which addresses are sampled.
    pub fn take(settings: &MemorySettings, seed: u64) -> &'static Self {
        let recycled = pool().pop();
        let watch: &'static Self = recycled.unwrap_or_else(|| Box::leak(Box::default()));
        watch.set(settings);
        watch.seed.store(mix64(seed), Ordering::Relaxed);
        watch.used.store(0, Ordering::Relaxed);
        watch.seen.store(0, Ordering::Relaxed);
        watch
    }

    /// Changes what is asked for. Threads apply it when they next begin a piece of work.
    pub fn set(&self, settings: &MemorySettings) {
        self.step.store(settings.step.min(i64::MAX as u64 / 4) as i64, Ordering::Relaxed);
        // The conversion saturates for probabilities from 1 on; NaN becomes 0.
        let chance = (settings.probability * u64::MAX as f64) as u64;
        self.chance.store(chance, Ordering::Relaxed);
        for (bound, size) in self.sizes.iter().zip(settings.sizes) {
            bound.store(size, Ordering::Relaxed);
        }
    }

    /// Returns the watch to the pool when the statement is over.
    pub fn give_back(&'static self) {
        pool().push(self);
    }

    /// What a thread may allocate before the slow path; negative if every call must take it.
    pub(super) fn budget(&self) -> i64 {
        match self.chance.load(Ordering::Relaxed) {
            0 => self.batch(),
            _ => -super::ENDLESS,
        }
    }

    /// The growth from which on a thread reports to the statement.
    pub(super) fn batch(&self) -> i64 {
        match self.step.load(Ordering::Relaxed) {
            0 => super::ENDLESS,
            step => step / PARTS,
        }
    }

    /// Whether an allocation is sampled. The address decides, so that its release is sampled too.
    pub(super) fn samples(&self, pointer: usize, size: u64) -> bool {
        let chance = self.chance.load(Ordering::Relaxed);
        let [least, most] = [0, 1].map(|i| self.sizes[i].load(Ordering::Relaxed));
        chance > 0
            && size >= least
            && (most == 0 || size <= most)
            && mix64(pointer as u64 ^ self.seed.load(Ordering::Relaxed)) <= chance
    }

    /// Adds `bytes` (may be negative) that a thread has allocated.
    pub(super) fn shift(&self, bytes: i64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The same; if that passes another step, returns the bytes since the last time.
    pub(super) fn grow(&self, bytes: i64) -> Option<i64> {
        let now = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let step = self.step.load(Ordering::Relaxed).max(1);
        let passed = |seen: i64| (now / step > seen / step).then_some(now);
        let before = self.seen.fetch_update(Ordering::Relaxed, Ordering::Relaxed, passed);
        before.ok().map(|before| now - before)
    }
}
