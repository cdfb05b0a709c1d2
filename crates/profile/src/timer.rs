//! One of the two timers of a thread: when it is armed, and when it is allowed to expire.
//!
//! A worker attaches for every morsel, which is shorter than most periods. Stopping the timer at
//! the end of a morsel and starting it at the next would cost system calls and, worse, the timer
//! would never expire. So detaching leaves it armed. A timer that expires while nobody is attached
//! disarms itself in the handler (`timer_settime` is async-signal-safe). The next attach arms it
//! again, first with a random part of its period. An idle thread is therefore interrupted once, and
//! a busy one has no additional cost.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, compiler_fence};

use crate::sample::Kind;
use crate::signal::{self, Clock};

/// The shortest period that is kept to; shorter ones would leave the thread no time to work.
pub const MIN_PERIOD_NS: u64 = 100_000;

/// See the module. Written by its thread only (in ordinary code and in the handler).
#[derive(Debug)]
pub(crate) struct Timer {
    clock: Clock,
    /// The kernel's timer plus one; 0 before the first use.
    id: AtomicUsize,
    /// The period that was asked for; 0 for none.
    wanted: AtomicU64,
    /// The period that the kernel's timer runs with; 0 if it does not run.
    armed: AtomicU64,
}

impl Timer {
    /// A timer that does not run.
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, id: AtomicUsize::new(0), wanted: AtomicU64::new(0), armed: AtomicU64::new(0) }
    }

    /// The kind of samples that it makes.
    pub(crate) fn kind(&self) -> Kind {
        match self.clock {
            Clock::Cpu => Kind::Cpu,
            Clock::Real => Kind::Real,
        }
    }

    /// The period that was asked for.
    #[inline]
    pub(crate) fn wanted(&self) -> u64 {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Asks for a period; [`Self::start`] is to follow once the thread says for whom it works.
    #[inline]
    pub(crate) fn want(&self, period: u64) {
        self.wanted.store(period, Ordering::Relaxed);
    }

    /// Makes the kernel's timer run as asked; no system call if it does. `false` if it cannot.
    #[inline]
    pub(crate) fn start(&self, thread: u32) -> bool {
        // The handler may disarm it right before this line, but not after: somebody is attached.
        compiler_fence(Ordering::SeqCst);
        let wanted = self.wanted();
        wanted == 0 || self.armed.load(Ordering::Relaxed) == wanted || self.arm(thread, wanted)
    }

    #[cold]
    fn arm(&self, thread: u32, wanted: u64) -> bool {
        if self.id.load(Ordering::Relaxed) == 0 {
            let Some(id) = signal::create_timer(self.clock, thread) else { return false };
            self.id.store(id + 1, Ordering::Relaxed);
        }
        let period = wanted.max(MIN_PERIOD_NS);
        let first = 1 + random(thread) % period;
        if !signal::set_timer(self.id.load(Ordering::Relaxed) - 1, first, period) {
            return false;
        }
        self.armed.store(wanted, Ordering::Relaxed);
        true
    }

    /// In the handler: the timer expired and nobody is there to be looked at.
    pub(crate) fn disarm(&self) {
        if let Some(id) = self.id.load(Ordering::Relaxed).checked_sub(1) {
            signal::set_timer(id, 0, 0);
        }
        self.armed.store(0, Ordering::Relaxed);
    }

    /// In the handler: how many expirations this signal stands for.
    pub(crate) fn expirations(&self) -> i64 {
        self.id.load(Ordering::Relaxed).checked_sub(1).map_or(1, |id| 1 + signal::overrun(id))
    }

    /// Gives the kernel's timer back, at the end of the thread.
    pub(crate) fn end(&self) {
        if let Some(id) = self.id.swap(0, Ordering::Relaxed).checked_sub(1) {
            signal::delete_timer(id);
        }
        self.wanted.store(0, Ordering::Relaxed);
        self.armed.store(0, Ordering::Relaxed);
    }
}

/// A number that differs between threads and moments: it spreads the first expirations.
fn random(thread: u32) -> u64 {
    entasis_base::clock::mix64(signal::now() ^ (u64::from(thread) << 40))
}
