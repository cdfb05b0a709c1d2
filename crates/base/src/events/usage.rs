//! What the system counts for a thread: processor time, page faults, context switches.
//!
//! The figures are read when a thread begins or stops to work for a statement, but at most once per
//! `EVERY`. What accumulated in between is counted for the statement that the thread works for at
//! the next reading. So sums are exact, but a statement shorter than `EVERY` may be charged to its
//! neighbour. The allocator's counts for the thread cost two loads and are read every time.

use std::cell::Cell;
use std::time::{Duration, Instant};

// rustix, which makes our other system calls, has no getrusage.
use nix::sys::resource::{Usage, UsageWho, getrusage};

use super::{Event, add};
use crate::meter;

/// Minimum time between two readings, each of which costs a system call (0.3 us).
const EVERY: Duration = Duration::from_millis(2);

/// A thread's figures at one moment, in the order of [`FIGURES`].
type Figures = [u64; FIGURES.len()];

const FIGURES: [(Event, fn(&Usage) -> u64); 8] = [
    (Event::UserTimeMicroseconds, |u| micros(u.user_time())),
    (Event::SystemTimeMicroseconds, |u| micros(u.system_time())),
    (Event::SoftPageFaults, |u| u.minor_page_faults() as u64),
    (Event::HardPageFaults, |u| u.major_page_faults() as u64),
    (Event::VoluntaryContextSwitches, |u| u.voluntary_context_switches() as u64),
    (Event::InvoluntaryContextSwitches, |u| u.involuntary_context_switches() as u64),
    // In blocks of 512 bytes.
    (Event::OSReadBytes, |u| 512 * u.block_reads() as u64),
    (Event::OSWriteBytes, |u| 512 * u.block_writes() as u64),
];

thread_local! {
    static LAST: Cell<Option<(Instant, Figures)>> = const { Cell::new(None) };
}

thread_local! {
    static MEMORY: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn micros(time: nix::sys::time::TimeVal) -> u64 {
    1_000_000 * time.tv_sec() as u64 + time.tv_usec() as u64
}

/// Counts what this thread has used since the last reading, for the statement it works for now.
pub(super) fn sample(now: Instant) {
    let (allocated, freed) = meter::totals();
    let (had_allocated, had_freed) = MEMORY.replace((allocated, freed));
    if (allocated, freed) != (had_allocated, had_freed) {
        add(Event::MemoryAllocatedBytes, allocated.wrapping_sub(had_allocated));
        add(Event::MemoryFreedBytes, freed.wrapping_sub(had_freed));
    }
    let last = LAST.get();
    if last.is_some_and(|(at, _)| now.saturating_duration_since(at) < EVERY) {
        return;
    }
    let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) else { return };
    let figures: Figures = std::array::from_fn(|i| FIGURES[i].1(&usage));
    LAST.set(Some((now, figures)));
    let Some((_, before)) = last else { return };
    for (i, (event, _)) in FIGURES.iter().enumerate() {
        let more = figures[i].saturating_sub(before[i]);
        if more > 0 {
            add(*event, more);
        }
    }
}
