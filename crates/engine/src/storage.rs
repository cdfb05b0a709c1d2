//! Checks and repairs a folder of tables, given by its path: `entasis check`, `entasis repair`.

use std::sync::Arc;

use entasis_base::Result;
use entasis_disk::{Disk, LocalDisk};

pub use entasis_mergetree::{CheckReport, Finding, RepairOptions};

/// Reads all files in a folder of tables and calls `found` for each that is damaged. Changes
/// nothing, so a server may be running on the folder.
pub fn check(path: &str, found: &mut dyn FnMut(&Finding)) -> Result<CheckReport> {
    entasis_mergetree::check(&LocalDisk::existing(path)?, found)
}

/// Repairs a folder of tables that no process is using. Calls `said` for each repair, and answers
/// what is still damaged.
pub fn repair(
    path: &str,
    options: RepairOptions,
    said: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>> {
    let disk: Arc<dyn Disk> = Arc::new(LocalDisk::existing(path)?);
    entasis_mergetree::repair(&disk, options, said)
}
