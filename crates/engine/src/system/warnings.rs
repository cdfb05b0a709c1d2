//! `system.warnings`: problems of this machine, of the configuration and of the tables. They are
//! searched for when the table is read.

use std::fs::read_to_string;
use std::sync::{Arc, Weak};

use entasis_base::log::filled;
use entasis_profile::counting;
use entasis_table_api::Table;
use entasis_types::Value;

use super::system_table::{ColumnOf, SystemTable};
use crate::catalog::EngineCatalog;

struct Warning {
    text: String,
    /// The text before values are filled in.
    format: &'static str,
}

const COLUMNS: &[ColumnOf<Warning>] = &[
    ("message", "String", Some(|w| Value::from(&*w.text))),
    ("message_format_string", "LowCardinality(String)", Some(|w| Value::from(w.format))),
];

/// A limit of open files below this may be too low for a server with many parts.
const FEW_FILES: u64 = 8192;
/// A disk with fewer free bytes is almost full.
const LITTLE_DISK: u64 = 1 << 30;
/// With more parts, opening and planning take noticeable time.
const MANY_PARTS: usize = 100_000;

/// The table `system.warnings`.
pub(super) fn table(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let catalog = Weak::clone(catalog);
    SystemTable::create("SystemWarnings", COLUMNS, move || {
        let mut found = Vec::new();
        of_build(&mut found);
        of_machine(&mut found);
        if let Some(catalog) = catalog.upgrade() {
            of_tables(&mut found, &catalog);
        }
        Ok(found)
    })
}

fn add(found: &mut Vec<Warning>, format: &'static str, values: &[&str]) {
    found.push(Warning { text: filled(format, values), format });
}

fn of_build(found: &mut Vec<Warning>) {
    if cfg!(debug_assertions) {
        add(
            found,
            "This program was built in debug mode, which makes it many times slower: use a release build",
            &[],
        );
    }
}

fn of_machine(found: &mut Vec<Warning>) {
    // Counters that a statement has asked for and that this machine does not have.
    if let Some(missing) = counting::missing() {
        let text =
            "metrics_perf_events_enabled: these counters are not available here and stay 0: {}";
        add(found, text, &[&missing]);
    }
    let huge = read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    if huge.contains("[always]") {
        let text = "Transparent huge pages are set to 'always', so memory may be released late: write \
                    'madvise' to /sys/kernel/mm/transparent_hugepage/enabled";
        add(found, text, &[]);
    }
    let overcommit = read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
    if overcommit.trim() == "2" {
        let text = "Memory overcommit is disabled, so allocations may fail while memory is free: write \
                    0 to /proc/sys/vm/overcommit_memory";
        add(found, text, &[]);
    }
    if let Some(files) = open_files().filter(|files| *files < FEW_FILES) {
        let text =
            "The process may open only {} files at once: raise the limit (ulimit -n) to {} or more";
        add(found, text, &[&files.to_string(), &FEW_FILES.to_string()]);
    }
}

/// How many files the process may have open at once; `None` if there is no limit.
fn open_files() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

fn of_tables(found: &mut Vec<Warning>, catalog: &EngineCatalog) {
    if let Some(free) = catalog.store().free_space().filter(|free| *free < LITTLE_DISK) {
        add(
            found,
            "Only {} bytes are free on the disk that holds the tables",
            &[&free.to_string()],
        );
    }
    for warning in catalog.warnings() {
        add(found, "{}", &[&warning]);
    }
    let (_, _, parts) = catalog.sizes();
    if parts > MANY_PARTS {
        let text = "There are {} active parts, more than {}: insert more rows at a time";
        add(found, text, &[&parts.to_string(), &MANY_PARTS.to_string()]);
    }
}
