//! Checking and repairing a folder of tables, by its path: `entasis check`, `entasis repair`.

use std::sync::Arc;

use entasis_base::Result;
use entasis_disk::{Disk, LocalDisk};

pub use entasis_mergetree::{CheckReport, Finding, RepairOptions};

/// Reads everything in a folder of tables and tells `found` of what is damaged. Changes nothing; a
/// server may be running.
pub fn check(path: &str, found: &mut dyn FnMut(&Finding)) -> Result<CheckReport> {
    entasis_mergetree::check(&LocalDisk::existing(path)?, found)
}

/// Repairs a folder of tables that no process is using, tells `said` what was done, and answers
/// what is still damaged.
pub fn repair(
    path: &str,
    options: RepairOptions,
    said: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>> {
    let disk: Arc<dyn Disk> = Arc::new(LocalDisk::existing(path)?);
    entasis_mergetree::repair(&disk, options, said)
}
