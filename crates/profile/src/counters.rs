//! The processor's and the kernel's counters of the calling thread.
//!
//! Counters are opened in small groups: those of a group count over the same stretches of time, so
//! their ratios hold also when the processor has fewer registers than there are counters and the
//! kernel lets groups take turns. Counts are then scaled by the time a group really counted.
//!
//! Many machines (virtual ones above all) have none of these, or some. That is no error: what is
//! missing is listed with its cause.

use std::io;

use crate::perf::Event;

/// Something that can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Cycles of the processor.
    Cycles,
    /// Instructions retired.
    Instructions,
    /// Branches retired.
    Branches,
    /// Branches predicted wrongly.
    BranchMisses,
    /// Look-ups in a cache, mostly the last level.
    CacheReferences,
    /// Look-ups that went to memory.
    CacheMisses,
    /// Loads that missed the last level.
    LastLevelLoadMisses,
    /// Cycles in which no instruction could be fetched.
    StalledCyclesFrontend,
    /// Cycles in which no instruction could be executed.
    StalledCyclesBackend,
    /// Loads whose page's address was not at hand.
    DataTlbMisses,
    /// Instruction fetches likewise.
    InstructionTlbMisses,
    /// Nanoseconds of CPU time.
    TaskClock,
    /// Moves to another processor.
    CpuMigrations,
    /// Page faults.
    PageFaults,
    /// Context switches.
    ContextSwitches,
}

/// One row of the table: the counter, its name among profile events, `type` and `config`.
struct Row(Counter, &'static str, u32, u64);

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
/// `PERF_COUNT_HW_CACHE_RESULT_MISS` of loads.
const LOAD_MISS: u64 = 1 << 16;

/// Groups, each small enough for the registers of any processor.
const GROUPS: [&[Row]; 5] = [
    &[
        Row(Counter::Cycles, "PerfCPUCycles", HARDWARE, 0),
        Row(Counter::Instructions, "PerfInstructions", HARDWARE, 1),
        Row(Counter::Branches, "PerfBranchInstructions", HARDWARE, 4),
        Row(Counter::BranchMisses, "PerfBranchMisses", HARDWARE, 5),
    ],
    &[
        Row(Counter::CacheReferences, "PerfCacheReferences", HARDWARE, 2),
        Row(Counter::CacheMisses, "PerfCacheMisses", HARDWARE, 3),
        Row(Counter::LastLevelLoadMisses, "PerfLastLevelLoadMisses", CACHE, 2 | LOAD_MISS),
    ],
    &[
        Row(Counter::StalledCyclesFrontend, "PerfStalledCyclesFrontend", HARDWARE, 7),
        Row(Counter::StalledCyclesBackend, "PerfStalledCyclesBackend", HARDWARE, 8),
    ],
    &[
        Row(Counter::DataTlbMisses, "PerfDataTLBMisses", CACHE, 3 | LOAD_MISS),
        Row(Counter::InstructionTlbMisses, "PerfInstructionTLBMisses", CACHE, 4 | LOAD_MISS),
    ],
    &[
        Row(Counter::TaskClock, "PerfTaskClock", SOFTWARE, 1),
        Row(Counter::CpuMigrations, "PerfCPUMigrations", SOFTWARE, 4),
        Row(Counter::PageFaults, "PerfPageFaults", SOFTWARE, 2),
        Row(Counter::ContextSwitches, "PerfContextSwitches", SOFTWARE, 3),
    ],
];

impl Counter {
    /// All counters.
    pub fn all() -> impl Iterator<Item = Self> {
        GROUPS.iter().flat_map(|group| group.iter().map(|row| row.0))
    }

    /// Its name among profile events; the reference's where it has the same counter.
    pub fn name(self) -> &'static str {
        GROUPS
            .iter()
            .flat_map(|group| group.iter())
            .find(|row| row.0 == self)
            .map_or("", |row| row.1)
    }
}

/// A counter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What was counted.
    pub counter: Counter,
    /// The count, scaled to all of `enabled_ns`.
    pub value: u64,
    /// How long it was to count.
    pub enabled_ns: u64,
    /// How long it did: less if groups took turns.
    pub running_ns: u64,
}

/// A counter that this machine does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Which.
    pub counter: Counter,
    /// Why, and what may help.
    pub reason: String,
}

/// Counters of the thread that opened them.
#[derive(Debug, Default)]
pub struct Counters {
    groups: Vec<Group>,
    missing: Vec<Missing>,
}

#[derive(Debug)]
struct Group {
    /// The first one leads.
    events: Vec<(Counter, Event)>,
}

impl Counters {
    /// Opens all counters that can be had for the calling thread, stopped. Some thirty system calls
    /// and file descriptors: once per thread. What cannot be had is in [`Self::missing`].
    pub fn open() -> Self {
        let mut counters = Self::default();
        for rows in GROUPS {
            let mut events: Vec<(Counter, Event)> = Vec::new();
            for &Row(counter, _, kind, config) in rows {
                match Event::open(kind, config, events.first().map(|(_, leader)| leader)) {
                    Ok(event) => events.push((counter, event)),
                    Err(error) => {
                        let reason = reason(&error);
                        counters.missing.push(Missing { counter, reason });
                    }
                }
            }
            if !events.is_empty() {
                counters.groups.push(Group { events });
            }
        }
        counters
    }

    /// What this machine does not give, and why.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// One text on all that is missing, for `system.warnings`; `None` if nothing is.
    pub fn warning(&self) -> Option<String> {
        let mut reasons: Vec<&str> = self.missing.iter().map(|m| m.reason.as_str()).collect();
        reasons.dedup();
        let parts = reasons.iter().map(|reason| {
            let of = self.missing.iter().filter(|missing| missing.reason == *reason);
            let names: Vec<&str> = of.map(|missing| missing.counter.name()).collect();
            format!("{} ({reason})", names.join(", "))
        });
        let parts: Vec<String> = parts.collect();
        let text = format!("Some performance counters are not available: {}", parts.join("; "));
        (!parts.is_empty()).then_some(text)
    }

    /// Lets all counters count.
    pub fn start(&self) {
        self.enable(true);
    }

    /// Stops all counters; their values stay.
    pub fn stop(&self) {
        self.enable(false);
    }

    fn enable(&self, on: bool) {
        for (_, leader) in self.groups.iter().filter_map(|group| group.events.first()) {
            // An event of this thread that was opened can be started and stopped.
            let _ = leader.enable(on);
        }
    }

    /// The totals since [`Self::open`], while counting or stopped: one system call per group.
    /// Counters whose group never ran are left out.
    pub fn read(&self) -> Vec<Reading> {
        let (mut readings, mut counts) = (Vec::new(), Vec::new());
        for group in &self.groups {
            let Some((_, leader)) = group.events.first() else { continue };
            let Ok((enabled_ns, running_ns)) = leader.read(&mut counts) else { continue };
            for (&(counter, _), &count) in group.events.iter().zip(&counts) {
                if let Some(value) = scale(count, enabled_ns, running_ns) {
                    readings.push(Reading { counter, value, enabled_ns, running_ns });
                }
            }
        }
        readings
    }
}

/// What would have been counted, had the group counted all the time.
fn scale(count: u64, enabled: u64, running: u64) -> Option<u64> {
    match running {
        0 => None,
        _ if running >= enabled => Some(count),
        _ => Some((u128::from(count) * u128::from(enabled) / u128::from(running)) as u64),
    }
}

fn reason(error: &io::Error) -> String {
    let text = match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::EINVAL) => {
            "this processor or virtual machine does not have it"
        }
        Some(libc::EACCES | libc::EPERM) => {
            let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let level =
                paranoid.map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned());
            return format!(
                "not permitted: /proc/sys/kernel/perf_event_paranoid is {level}; set it to 2 or less, \
                 or grant CAP_PERFMON"
            );
        }
        Some(libc::ENOSYS) => "this kernel has no perf_event_open, or a sandbox forbids it",
        Some(libc::EMFILE | libc::ENFILE) => "no file descriptors are left: raise `ulimit -n`",
        _ => return format!("perf_event_open failed: {error}"),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_counts_or_says_why_not() {
        let counters = Counters::open();
        counters.start();
        let sum = std::hint::black_box((0..10_000_000u64).fold(0, |a, b| a ^ (b * b)));
        counters.stop();
        let readings = counters.read();
        for counter in Counter::all() {
            let read = readings.iter().any(|reading| reading.counter == counter);
            let missing = counters.missing.iter().find(|missing| missing.counter == counter);
            assert!(missing.is_none_or(|m| !m.reason.is_empty()), "{counter:?}");
            // A group that never got its turn has neither.
            assert!(!(read && missing.is_some()), "{counter:?} {sum}");
            assert!(counter.name().starts_with("Perf"));
        }
        assert_eq!(counters.warning().is_some(), !counters.missing.is_empty());
        let clock = readings.iter().find(|reading| reading.counter == Counter::TaskClock);
        assert!(clock.is_none_or(|reading| reading.value > 0), "{clock:?}");
    }

    #[test]
    fn counts_are_scaled_by_the_time_they_ran() {
        assert_eq!(scale(100, 10, 10), Some(100));
        assert_eq!(scale(100, 40, 10), Some(400));
        assert_eq!(scale(100, 40, 0), None);
        assert_eq!(scale(u64::MAX / 2, 4, 2), Some(u64::MAX - 1));
    }

    #[test]
    fn what_is_missing_is_one_text() {
        let missing = |counter, reason: &str| Missing { counter, reason: reason.to_owned() };
        let mut counters = Counters::default();
        assert_eq!(counters.warning(), None);
        counters.missing = vec![missing(Counter::Cycles, "x"), missing(Counter::Branches, "x")];
        let text = counters.warning().unwrap();
        assert!(
            text.ends_with("not available: PerfCPUCycles, PerfBranchInstructions (x)"),
            "{text}"
        );
    }
}
