//! What a profiled thread owns: its ring, its two timers, the query it works for.
//!
//! A slot is made at a thread's first attach that asks for something, and is never freed, since a
//! signal or a reader may hold it: a later thread gets it once its owner has ended and its samples
//! have been drained. So the memory of all slots is bounded by the number of threads at one time,
//! and by [`MOST`].
//!
//! Who writes: the owner, in ordinary code and in its signal handler. `busy` keeps these two apart:
//! a handler that interrupts a writer drops its sample. The reader only moves the ring's tail.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, compiler_fence};
use std::sync::{Mutex, MutexGuard};

use crate::ring::Ring;
use crate::sample::{HEADER, Kind, Lost, MAX_FRAMES, header};
use crate::signal::{self, Clock};
use crate::timer::Timer;
use crate::unwind::{self, Registers, Stack};
use entasis_base::sync::lock;

/// Slots that are made at most: 128 MiB of rings. Threads beyond it are not profiled.
const MOST: usize = 512;

static SLOTS: Mutex<Vec<&'static Slot>> = Mutex::new(Vec::new());
/// Threads that got no slot.
static TURNED_AWAY: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Constant and without destructor, so that a handler may read it at any moment.
    static CURRENT: Cell<Option<&'static Slot>> = const { Cell::new(None) };
    static OWNER: Owner = const { Owner };
}

/// Gives the slot back when the thread ends.
struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(slot) = CURRENT.take() {
            slot.end();
        }
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Slot {
    ring: Ring,
    cpu: Timer,
    real: Timer,
    /// 0: nobody is attached.
    query: AtomicU64,
    thread: AtomicU32,
    stack: Stack,
    busy: AtomicBool,
    /// Whether a thread owns it.
    owned: AtomicBool,
    full: AtomicU64,
    interrupted: AtomicU64,
    timers: AtomicU64,
}

/// The calling thread's slot, if it has one. Async-signal-safe.
#[inline]
pub(crate) fn current() -> Option<&'static Slot> {
    CURRENT.get()
}

/// The calling thread's slot; makes one. `None` while the thread ends, or if there are too many.
#[cold]
pub(crate) fn own() -> Option<&'static Slot> {
    if let Some(slot) = current() {
        return Some(slot);
    }
    OWNER.try_with(|_| ()).ok()?;
    let mut slots = slots();
    // An allocator that records must find no slot yet: it would ask for one within this lock.
    let slot = match slots.iter().find(|slot| slot.is_free()) {
        Some(slot) => {
            slot.owned.store(true, Ordering::Relaxed);
            *slot
        }
        None if slots.len() < MOST => {
            let slot: &'static Slot = Box::leak(Box::new(Slot::new()));
            slots.push(slot);
            slot
        }
        None => {
            TURNED_AWAY.fetch_add(1, Ordering::Relaxed);
            return None;
        }
    };
    drop(slots);
    slot.begin();
    CURRENT.set(Some(slot));
    Some(slot)
}

/// All slots, also those of ended threads.
pub(crate) fn all() -> Vec<&'static Slot> {
    slots().clone()
}

/// Threads that got no slot since the last call.
pub(crate) fn turned_away() -> u64 {
    TURNED_AWAY.swap(0, Ordering::Relaxed)
}

fn slots() -> MutexGuard<'static, Vec<&'static Slot>> {
    lock(&SLOTS)
}

impl Slot {
    fn new() -> Self {
        Self {
            ring: Ring::new(),
            cpu: Timer::new(Clock::Cpu),
            real: Timer::new(Clock::Real),
            query: AtomicU64::new(0),
            thread: AtomicU32::new(0),
            stack: Stack::default(),
            busy: AtomicBool::new(false),
            owned: AtomicBool::new(true),
            full: AtomicU64::new(0),
            interrupted: AtomicU64::new(0),
            timers: AtomicU64::new(0),
        }
    }

    fn is_free(&self) -> bool {
        !self.owned.load(Ordering::Acquire) && self.ring.filled() == 0
    }

    fn begin(&self) {
        self.thread.store(signal::thread_id(), Ordering::Relaxed);
        self.stack.measure();
    }

    fn end(&self) {
        self.query.store(0, Ordering::Relaxed);
        self.cpu.end();
        self.real.end();
        self.stack.forget();
        self.owned.store(false, Ordering::Release);
    }

    /// The ring, for its reader.
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// For whom the thread works; 0 for nobody.
    #[inline]
    pub(crate) fn query(&self) -> u64 {
        self.query.load(Ordering::Relaxed)
    }

    /// The periods asked for: of CPU time, of real time.
    #[inline]
    pub(crate) fn periods(&self) -> [u64; 2] {
        [self.cpu.wanted(), self.real.wanted()]
    }

    /// Works for `query` from here on.
    #[inline]
    pub(crate) fn switch(&self, query: u64, periods: [u64; 2]) {
        self.cpu.want(periods[0]);
        self.real.want(periods[1]);
        compiler_fence(Ordering::SeqCst);
        self.query.store(query, Ordering::Relaxed);
        if query == 0 {
            return;
        }
        let thread = self.thread.load(Ordering::Relaxed);
        for timer in [&self.cpu, &self.real] {
            if !timer.start(thread) {
                self.timers.fetch_add(1, Ordering::Relaxed);
                timer.want(0);
            }
        }
    }

    /// In the handler: a timer expired.
    pub(crate) fn expired(&self, clock: Clock, at: Registers) {
        let timer = match clock {
            Clock::Cpu => &self.cpu,
            Clock::Real => &self.real,
        };
        if self.query() == 0 || timer.wanted() == 0 {
            timer.disarm();
        } else {
            self.push(timer.kind(), timer.expirations(), 0, at);
        }
    }

    /// Writes a sample of the calling thread, which owns the slot. Async-signal-safe.
    #[inline]
    pub(crate) fn push(&self, kind: Kind, weight: i64, what: u64, at: Registers) {
        if self.busy.load(Ordering::Relaxed) {
            self.interrupted.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.busy.store(true, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.write(kind, weight, what, at);
        compiler_fence(Ordering::SeqCst);
        self.busy.store(false, Ordering::Relaxed);
    }

    #[inline]
    fn write(&self, kind: Kind, weight: i64, what: u64, at: Registers) {
        let Some(mut writer) = self.ring.write(HEADER + MAX_FRAMES) else {
            self.full.fetch_add(1, Ordering::Relaxed);
            return;
        };
        writer.push(0);
        writer.push(self.query());
        writer.push(signal::now());
        writer.push(weight as u64);
        writer.push(what);
        let mut frames = 0;
        unwind::walk(at, &self.stack, |address| {
            writer.push(address);
            frames += 1;
            frames < MAX_FRAMES
        });
        writer.set(0, header(kind, frames, self.thread.load(Ordering::Relaxed)));
        writer.publish();
    }

    /// What was lost since the last call.
    pub(crate) fn take_lost(&self) -> Lost {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        Lost {
            ring_full: take(&self.full),
            interrupted: take(&self.interrupted),
            timers: take(&self.timers),
            threads: 0,
        }
    }
}
