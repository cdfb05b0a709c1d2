//! Memory, with the same care as time: which metrics speak of it, and what they say.
//!
//! Bytes and counts of allocations hardly vary, so five pairs resolve 1 %; the peak does vary, with
//! the order in which threads meet, unless one thread does all the work. One run a side resolves
//! nothing: a peak that seemed to be 7.8 % lower after one run was 0.02 % lower after five.

use std::fmt::Write;

use super::counters::{Basis, Finding, Scale};

/// What a metric of memory measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The largest memory in use at any one time, in bytes.
    Peak,
    /// The same where one thread does all the work.
    LonePeak,
    /// All bytes that were allocated, also those given back.
    Allocated,
    /// How many allocations there were.
    Allocations,
    /// Pages that the kernel had to bring in.
    PageFaults,
}

impl Kind {
    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Peak => "peak memory",
            Self::LonePeak => "peak memory of one thread",
            Self::Allocated => "bytes allocated",
            Self::Allocations => "allocations",
            Self::PageFaults => "page faults",
        }
    }

    fn is_bytes(self) -> bool {
        matches!(self, Self::Peak | Self::LonePeak | Self::Allocated)
    }
}

/// Names under which servers and kernels report memory: Entasis and ClickHouse (columns and profile
/// events of `system.query_log`), and `getrusage`.
const METRICS: &[(&str, Kind)] = &[
    ("memory", Kind::Peak),
    ("memory_one_thread", Kind::LonePeak),
    ("allocated", Kind::Allocated),
    ("memory_usage", Kind::Peak),
    ("peak_memory_usage", Kind::Peak),
    ("peak_memory", Kind::Peak),
    ("rss", Kind::Peak),
    ("maxrss", Kind::Peak),
    ("allocated_bytes", Kind::Allocated),
    ("MemoryAllocatedBytes", Kind::Allocated),
    ("allocations", Kind::Allocations),
    ("MemoryAllocations", Kind::Allocations),
    ("SoftPageFaults", Kind::PageFaults),
    ("HardPageFaults", Kind::PageFaults),
    ("PerfPageFaults", Kind::PageFaults),
    ("page_faults", Kind::PageFaults),
];

/// What a metric of this name measures of memory, if anything.
pub fn kind(name: &str) -> Option<Kind> {
    METRICS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
}

/// The findings that speak of memory, in their order.
pub fn of(findings: &[Finding]) -> Vec<(Kind, &Finding)> {
    findings.iter().filter_map(|finding| Some((kind(&finding.name)?, finding))).collect()
}

/// A sentence on one finding: `peak memory 12.00 MiB -> 13.20 MiB: +10.0 % (+9.8 to +10.2)`. Says
/// where there were too few processes to know.
pub fn sentence(kind: Kind, finding: &Finding) -> String {
    let amount = |value: f64| {
        if kind.is_bytes() { bytes(value) } else { format!("{value:.0}") }
    };
    let [old, new] = finding.medians.map(amount);
    let mut text = format!("{} {old} -> {new}", kind.name());
    match (finding.effect(), finding.scale) {
        (Some(effect), _) => {
            let _ = write!(text, ": {effect}");
        }
        (None, Scale::Ratio | Scale::Difference) => {
            let (low, high) = (finding.interval.low, finding.interval.high);
            let _ = write!(text, ": {}", sign(finding.estimate, amount(finding.estimate.abs())));
            if low.is_finite() && high.is_finite() {
                let ends = [low, high].map(|end| sign(end, amount(end.abs())));
                let _ = write!(text, " ({} to {})", ends[0], ends[1]);
            }
        }
    }
    text.push_str(match finding.basis {
        Basis::Pairs => "",
        Basis::Runs => "; one pair of processes, which says nothing about the next one",
        Basis::Nothing => "; one run a side, from which nothing follows: measure five pairs",
    });
    text
}

fn sign(value: f64, amount: String) -> String {
    format!("{}{amount}", if value < 0.0 { '-' } else { '+' })
}

fn bytes(value: f64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (value, 0);
    while value.abs() >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{value:.0} B") } else { format!("{value:.2} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::super::counters::{Metric, compare};
    use super::*;

    fn found(name: &str, old: &[f64], new: &[f64]) -> String {
        let side = |values: &[f64]| values.iter().map(|&value| vec![value]).collect();
        let metric = Metric { name: name.to_owned(), old: side(old), new: side(new) };
        let other = Metric { name: "SelectedRows".to_owned(), ..metric.clone() };
        let findings = compare(&[other, metric], 0.95).unwrap().findings;
        let memory = of(&findings);
        assert_eq!(memory.len(), 1);
        sentence(memory[0].0, memory[0].1)
    }

    #[test]
    fn sentences() {
        let mib = 1048576.0;
        let (old, new) =
            ([12.0 * mib, 12.1 * mib, 12.0 * mib], [13.2 * mib, 13.3 * mib, 13.2 * mib]);
        let text = found("memory_usage", &old, &new);
        assert!(text.starts_with("peak memory 12.00 MiB -> 13.20 MiB: +10.0 % ("), "{text}");
        let text = found("SoftPageFaults", &[0.0, 0.0, 1.0], &[500.0, 510.0, 490.0]);
        assert!(text.starts_with("page faults 0 -> 500: +500 (+4"), "{text}");
        // The story of a win that was none: one run.
        let text = found("peak_memory", &[780.0], &[719.0]);
        assert!(text.contains("-7.8 %; one run a side"), "{text}");
        assert_eq!(kind("OSCPUVirtualTimeMicroseconds"), None);
    }
}
