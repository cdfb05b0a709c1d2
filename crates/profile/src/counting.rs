//! Adds the counters of threads that work for a statement to its profile events.
//!
//! A thread opens its counters when it begins to work for a statement that asks for them. They
//! count until it leaves, and the statement then gets what they counted. Some threads keep their
//! counters open but stopped for the next time. Not all threads do, because each counter is a file
//! descriptor.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;

use crate::counters::{self, Counters, Missing, Reading, Selection};

/// Threads that keep their counters open at most.
const MOST_KEPT: usize = 8;

static KEPT: AtomicUsize = AtomicUsize::new(0);
/// What was asked for and cannot be had, each counter once.
static MISSING: Mutex<Vec<Missing>> = Mutex::new(Vec::new());

thread_local! {
    static OPEN: RefCell<State> = const { RefCell::new(State::Closed) };
}

enum State {
    Closed,
    Stopped(Kept),
    /// Within a [`Counting`].
    Counts,
}

/// Counters that wait for the next time.
struct Kept {
    selection: Selection,
    counters: Counters,
}

impl Drop for Kept {
    fn drop(&mut self) {
        KEPT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// While it lives, this thread's counters count; dropping it adds what they have counted to the
/// profile events of whom the thread works for.
#[derive(Debug)]
#[must_use = "dropping it ends the counting"]
pub struct Counting {
    /// `None`: nothing is asked for, or the thread counts already.
    open: Option<(Selection, Counters)>,
    /// Its drop is for the thread that made it.
    _thread: PhantomData<*const ()>,
}

/// Counts for whom the thread works, until the answer is dropped. Never fails: for what cannot be
/// had, see [`missing`].
#[inline]
pub fn count(selection: Selection) -> Counting {
    Counting { open: if selection == 0 { None } else { begin(selection) }, _thread: PhantomData }
}

/// What was asked for and this machine does not give, and why.
pub fn missing() -> Option<String> {
    counters::listed(&lock(&MISSING))
}

#[cold]
fn begin(selection: Selection) -> Option<(Selection, Counters)> {
    let before = OPEN.try_with(|open| open.replace(State::Counts)).ok()?;
    let counters = match before {
        State::Counts => return None,
        State::Stopped(mut kept) if kept.selection == selection => {
            std::mem::take(&mut kept.counters)
        }
        State::Closed | State::Stopped(_) => {
            let counters = Counters::open(selection);
            let mut known = lock(&MISSING);
            for missing in counters.missing() {
                if known.iter().all(|known| known.event != missing.event) {
                    known.push(missing.clone());
                }
            }
            drop(known);
            counters
        }
    };
    counters.start();
    Some((selection, counters))
}

impl Drop for Counting {
    fn drop(&mut self) {
        let Some((selection, mut counters)) = self.open.take() else { return };
        counters.stop();
        let readings = counters.take();
        readings.iter().for_each(|reading| events::add(reading.event, reading.value));
        if let Some(least) = least_enabled(&readings) {
            events::add(Event::PerfMinEnabledTime, least.enabled_ns);
            events::add(Event::PerfMinEnabledRunningTime, least.running_ns);
        }
        let after = if KEPT.fetch_add(1, Ordering::Relaxed) < MOST_KEPT {
            State::Stopped(Kept { selection, counters })
        } else {
            KEPT.fetch_sub(1, Ordering::Relaxed);
            State::Closed
        };
        // Nothing is left to do where the thread is at its end.
        let _ = OPEN.try_with(|open| open.replace(after));
    }
}

fn least_enabled(readings: &[Reading]) -> Option<&Reading> {
    readings.iter().min_by_key(|reading| reading.enabled_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::ALL;

    #[test]
    fn what_is_counted_goes_to_events_once() {
        let clock = || events::of_server().get(Event::PerfTaskClock);
        let work = || std::hint::black_box((0..3_000_000u64).fold(0, |a, b| a ^ (b * b)));
        drop(count(0));
        assert_eq!(clock(), 0);
        for _ in 0..2 {
            let _outer = count(ALL);
            let _inner = count(ALL);
            work();
        }
        let counted = clock();
        work();
        drop(count(ALL));
        let later = clock();
        // Some machines forbid even the clock; they say so.
        assert!(counted > 0 || missing().is_some_and(|text| text.contains("PerfTaskClock")));
        assert!(later - counted < counted.max(1), "{counted} and {later}: stopped in between");
        assert!(KEPT.load(Ordering::Relaxed) <= MOST_KEPT);
    }
}
