//! The processor's and the kernel's counters for the calling thread.
//!
//! Counters are opened in small groups. The counters of a group count during the same time, so
//! their ratios are correct even if the processor has fewer registers than there are counters and
//! the kernel lets groups take turns. Counts are then scaled by the time that a group really
//! counted.
//!
//! Many machines (above all virtual ones) have only some of these counters or none. This is not an
//! error: missing counters are listed with the reason.

use std::io;

use entasis_base::events::{EVENTS, Event};
use entasis_base::{Error, Result, codes};

use crate::perf;

/// One row of the table: the profile event, `type` and `config`.
struct Row(Event, u32, u64);

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
/// Caches of these rows.
const LAST_LEVEL: u64 = 2;
const DATA_TLB: u64 = 3;
const INSTRUCTION_TLB: u64 = 4;
const NODE: u64 = 6;
/// `PERF_COUNT_HW_CACHE_RESULT_MISS` of loads; without it, loads at all.
const MISS: u64 = 1 << 16;

/// Groups, each small enough for the registers of any processor.
const GROUPS: [&[Row]; 7] = [
    &[
        Row(Event::PerfCPUCycles, HARDWARE, 0),
        Row(Event::PerfInstructions, HARDWARE, 1),
        Row(Event::PerfBranchInstructions, HARDWARE, 4),
        Row(Event::PerfBranchMisses, HARDWARE, 5),
    ],
    &[
        Row(Event::PerfCacheReferences, HARDWARE, 2),
        Row(Event::PerfCacheMisses, HARDWARE, 3),
        Row(Event::PerfLastLevelLoadMisses, CACHE, LAST_LEVEL | MISS),
    ],
    &[
        Row(Event::PerfStalledCyclesFrontend, HARDWARE, 7),
        Row(Event::PerfStalledCyclesBackend, HARDWARE, 8),
    ],
    &[Row(Event::PerfBusCycles, HARDWARE, 6), Row(Event::PerfRefCPUCycles, HARDWARE, 9)],
    &[
        Row(Event::PerfDataTLBReferences, CACHE, DATA_TLB),
        Row(Event::PerfDataTLBMisses, CACHE, DATA_TLB | MISS),
        Row(Event::PerfInstructionTLBReferences, CACHE, INSTRUCTION_TLB),
        Row(Event::PerfInstructionTLBMisses, CACHE, INSTRUCTION_TLB | MISS),
    ],
    &[
        Row(Event::PerfLocalMemoryReferences, CACHE, NODE),
        Row(Event::PerfLocalMemoryMisses, CACHE, NODE | MISS),
    ],
    &[
        Row(Event::PerfCPUClock, SOFTWARE, 0),
        Row(Event::PerfTaskClock, SOFTWARE, 1),
        Row(Event::PerfPageFaults, SOFTWARE, 2),
        Row(Event::PerfContextSwitches, SOFTWARE, 3),
        Row(Event::PerfCPUMigrations, SOFTWARE, 4),
        Row(Event::PerfAlignmentFaults, SOFTWARE, 7),
        Row(Event::PerfEmulationFaults, SOFTWARE, 8),
    ],
];

/// A set of counters: a bit each, in the order of the table. A number, so that it can be carried by
/// those that do not know counters.
pub type Selection = u32;

/// Every counter.
pub const ALL: Selection = Selection::MAX;

fn rows() -> impl Iterator<Item = (Selection, &'static Row)> {
    let rows = GROUPS.iter().copied().flatten();
    rows.enumerate().map(|(at, row)| (1 << at, row))
}

fn name(event: Event) -> &'static str {
    EVENTS[event as usize].name
}

/// The counters of a list of names with commas between them; all, if it names none.
pub fn parse(list: &str) -> Result<Selection> {
    let mut selection = 0;
    for asked in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let Some((bit, _)) = rows().find(|(_, row)| name(row.0) == asked) else {
            let known: Vec<&str> = rows().map(|(_, row)| name(row.0)).collect();
            let message = format!(
                "Unknown performance counter `{asked}`: those that there are: {}",
                known.join(", ")
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        };
        selection |= bit;
    }
    Ok(if selection == 0 { ALL } else { selection })
}

/// What a counter has counted for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What was counted.
    pub event: Event,
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
    pub event: Event,
    /// Why, and what may help.
    pub reason: String,
}

/// Counters of the thread that opened them.
#[derive(Debug, Default)]
pub struct Counters {
    groups: Vec<Group>,
    missing: Vec<Missing>,
}

#[derive(Debug, Default)]
struct Group {
    /// The first one leads.
    events: Vec<(Event, perf::Event)>,
    /// Time enabled, time running, and the counts when they were taken last.
    taken: (u64, u64, Vec<u64>),
}

impl Counters {
    /// Opens those of the selection that can be had for the calling thread, stopped. A system call
    /// and a file descriptor each. What cannot be had is in [`Self::missing`].
    pub fn open(selection: Selection) -> Self {
        let mut counters = Self::default();
        let mut bit: Selection = 1;
        for rows in GROUPS {
            let mut group = Group::default();
            for &Row(event, kind, config) in rows {
                let wanted = selection & bit != 0;
                bit <<= 1;
                if !wanted {
                    continue;
                }
                let leader = group.events.first().map(|(_, leader)| leader);
                match perf::Event::open(kind, config, leader) {
                    Ok(opened) => group.events.push((event, opened)),
                    Err(error) => {
                        let reason = reason(&error);
                        counters.missing.push(Missing { event, reason });
                    }
                }
            }
            if !group.events.is_empty() {
                counters.groups.push(group);
            }
        }
        counters
    }

    /// What this machine does not give, and why.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
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

    /// What was counted since the last call, or since [`Self::open`]: one system call per group.
    /// Counters whose group never had its turn are left out.
    pub fn take(&mut self) -> Vec<Reading> {
        self.groups.iter_mut().flat_map(Group::take).collect()
    }
}

/// What is missing and why, in one text; `None` if nothing is.
pub(crate) fn listed(missing: &[Missing]) -> Option<String> {
    let mut reasons: Vec<&str> = Vec::new();
    for Missing { reason, .. } in missing {
        if !reasons.contains(&&**reason) {
            reasons.push(reason);
        }
    }
    let parts = reasons.iter().map(|reason| {
        let of = missing.iter().filter(|missing| missing.reason == *reason);
        let names: Vec<&str> = of.map(|missing| name(missing.event)).collect();
        format!("{} ({reason})", names.join(", "))
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl Group {
    fn take(&mut self) -> Vec<Reading> {
        let mut counts = Vec::new();
        let Some((_, leader)) = self.events.first() else { return Vec::new() };
        let Ok((enabled, running)) = leader.read(&mut counts) else { return Vec::new() };
        let before = std::mem::replace(&mut self.taken, (enabled, running, counts));
        let enabled_ns = enabled.saturating_sub(before.0);
        let running_ns = running.saturating_sub(before.1);
        let events = self.events.iter().zip(&self.taken.2).enumerate();
        let reading = |(at, (&(event, _), &count)): (usize, (&(Event, perf::Event), &u64))| {
            let more = count.saturating_sub(before.2.get(at).copied().unwrap_or(0));
            let value = scale(more, enabled_ns, running_ns)?;
            Some(Reading { event, value, enabled_ns, running_ns })
        };
        events.filter_map(reading).collect()
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
        let mut counters = Counters::open(ALL);
        counters.start();
        let work = || std::hint::black_box((0..10_000_000u64).fold(0, |a, b| a ^ (b * b)));
        work();
        counters.stop();
        let readings = counters.take();
        for (_, &Row(event, ..)) in rows() {
            let read = readings.iter().any(|reading| reading.event == event);
            let missing = counters.missing.iter().find(|missing| missing.event == event);
            assert!(missing.is_none_or(|m| !m.reason.is_empty()), "{event:?}");
            // A group that never got its turn has neither.
            assert!(!(read && missing.is_some()), "{event:?}");
            assert!(name(event).starts_with("Perf"));
        }
        let clock = |readings: &[Reading]| {
            readings.iter().find(|r| r.event == Event::PerfTaskClock).map(|r| r.value)
        };
        assert!(clock(&readings).is_none_or(|ns| ns > 0), "{readings:?}");
        work();
        let stopped = clock(&counters.take());
        assert!(stopped.is_none_or(|ns| ns == 0), "what was taken is not taken again: {stopped:?}");
    }

    #[test]
    fn counts_are_scaled_by_the_time_they_ran() {
        assert_eq!(scale(100, 10, 10), Some(100));
        assert_eq!(scale(100, 40, 10), Some(400));
        assert_eq!(scale(100, 40, 0), None);
        assert_eq!(scale(u64::MAX / 2, 4, 2), Some(u64::MAX - 1));
    }

    #[test]
    fn counters_are_chosen_by_name() {
        assert_eq!(parse(" , ").unwrap(), ALL);
        let some = parse("PerfCPUCycles, PerfTaskClock").unwrap();
        assert_eq!((some.count_ones(), some & 1), (2, 1));
        let only = Counters::open(some);
        let chosen = [Event::PerfCPUCycles, Event::PerfTaskClock];
        assert!(only.missing.iter().all(|missing| chosen.contains(&missing.event)));
        let error = parse("PerfCPUCycles,Cycles").unwrap_err();
        assert_eq!(error.code(), codes::BAD_ARGUMENTS);
        assert!(
            error.message().contains("`Cycles`") && error.message().contains("PerfBranchMisses")
        );
    }

    #[test]
    fn what_is_missing_is_one_text() {
        let missing = |event, reason: &str| Missing { event, reason: reason.to_owned() };
        assert_eq!(listed(&[]), None);
        let missing = [
            missing(Event::PerfCPUCycles, "x"),
            missing(Event::PerfBusCycles, "y"),
            missing(Event::PerfInstructions, "x"),
        ];
        assert_eq!(
            listed(&missing).unwrap(),
            "PerfCPUCycles, PerfInstructions (x); PerfBusCycles (y)"
        );
    }
}
