//! Figures of this process and of the machine from `/proc`, and of the allocator. Figures that
//! cannot be read (on other systems, in containers) are left out.

use std::fs::read_to_string;

use entasis_base::events::{self, Event};
use entasis_base::meter;

use super::metrics::Metric;

/// Bytes of a page. This is the size on every Linux for which Entasis is built.
const PAGE: f64 = 4096.0;
/// Ticks per second in `/proc/*/stat`, which Linux fixes as part of its interface.
const TICKS: f64 = 100.0;

/// Figures of the process and the machine.
pub(super) fn metrics() -> Vec<Metric> {
    let mut rows = Vec::new();
    of_memory(&mut rows);
    of_processor(&mut rows);
    of_system(&mut rows);
    rows
}

fn numbers(path: &str) -> Vec<f64> {
    let text = read_to_string(path).unwrap_or_default();
    text.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

fn of_memory(rows: &mut Vec<Metric>) {
    const NAMES: [(&str, &str); 6] = [
        ("MemoryVirtual", "Bytes of the address space that the process has reserved."),
        ("MemoryResident", "Bytes of physical memory that the process uses."),
        (
            "MemoryShared",
            "Bytes of physical memory that the process shares with files and other processes.",
        ),
        ("MemoryCode", "Bytes of memory that hold the program's code."),
        ("", ""),
        ("MemoryDataAndStack", "Bytes of the address space for the process's data and stacks."),
    ];
    let named =
        NAMES.iter().zip(numbers("/proc/self/statm")).filter(|((name, _), _)| !name.is_empty());
    rows.extend(named.map(|((name, text), pages)| Metric::new(name, pages * PAGE, text)));
}

fn of_processor(rows: &mut Vec<Metric>) {
    let text = read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name is in parentheses and may contain any characters.
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<f64> = after.split_whitespace().map(|w| w.parse().unwrap_or(0.0)).collect();
    let mut add = |at: usize, name, scale: f64, text| {
        rows.extend(fields.get(at).map(|value| Metric::new(name, value * scale, text)));
    };
    add(
        11,
        "ProcessUserTime",
        1.0 / TICKS,
        "Seconds of CPU time that the process has used in user space.",
    );
    add(
        12,
        "ProcessSystemTime",
        1.0 / TICKS,
        "Seconds of CPU time that the process has used in the kernel.",
    );
    add(17, "ProcessThreads", 1.0, "Number of threads of the process.");
}

fn of_system(rows: &mut Vec<Metric>) {
    const LOADS: [&str; 3] = ["LoadAverage1", "LoadAverage5", "LoadAverage15"];
    let text =
        "Threads that run or wait for a processor or a disk: the average over 1, 5 or 15 minutes.";
    let loads = LOADS.iter().zip(numbers("/proc/loadavg"));
    rows.extend(loads.map(|(name, value)| Metric::new(name, value, text)));
    let uptime = numbers("/proc/uptime").first().copied();
    rows.extend(
        uptime
            .map(|v| Metric::new("OSUptime", v, "Seconds since the operating system was started.")),
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = "Number of processors that the process may use.";
    rows.push(Metric::new("NumberOfProcessors", cores as f64, text));
    let memory = read_to_string("/proc/meminfo").unwrap_or_default();
    for line in memory.lines() {
        let mut words = line.split_whitespace();
        let (Some(key), Some(Ok(kib))) = (words.next(), words.next().map(str::parse::<f64>)) else {
            continue;
        };
        let (name, text) = match key {
            "MemTotal:" => ("OSMemoryTotal", "Bytes of physical memory of the machine."),
            "MemFree:" => (
                "OSMemoryFreeWithoutCached",
                "Bytes of physical memory that are not used at all, not even for cached files.",
            ),
            "MemAvailable:" => {
                ("OSMemoryAvailable", "Bytes of physical memory that programs can still allocate.")
            }
            "Cached:" => {
                ("OSMemoryCached", "Bytes of physical memory that cache the content of files.")
            }
            _ => continue,
        };
        rows.push(Metric::new(name, kib * 1024.0, text));
    }
}

/// Figures of the allocator; none if the binary has no allocator with statistics.
pub(super) fn allocator() -> Vec<Metric> {
    let text = "A figure from the statistics of the allocator jemalloc, mostly in bytes.";
    let named = |(name, value): (&'static str, u64)| {
        Metric::new(&format!("jemalloc.{name}"), value as f64, text)
    };
    let mut rows: Vec<Metric> = meter::details().into_iter().map(named).collect();
    if !rows.is_empty() {
        let counts = events::of_server();
        let allocated = counts.get(Event::MemoryAllocatedBytes);
        let counted = allocated.wrapping_sub(counts.get(Event::MemoryFreedBytes)) as i64;
        let text = "Bytes that threads have allocated and not yet freed, by the profile events of all threads.";
        rows.push(Metric::new("MemoryCounted", counted as f64, text));
    }
    rows
}
