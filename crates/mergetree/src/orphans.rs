//! Compares the files below `tables/` with the log when a store is opened for writing. Files that
//! the log does not name are left over from a crash; files that it names should exist.
//!
//! Left-over files are removed if the log is certainly complete, and moved to `lost/` if it may not
//! be. Only names that the store itself gives are touched: `seg-<number>.ets`,
//! `over-<number>.ets` and `comp-<number>.ets` in `tables/<number>/`.

use std::collections::{BTreeMap, HashMap};

use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, Entry, join};

use crate::faults::Faults;
use crate::log::record::TableId;
use crate::log::recovery::REMEDY;
use crate::log::state::{State, companion_file, overlay_file, segment_file, segment_number};
use crate::lost;
use crate::part::{OWN_DATA, TABLES, table_dir};

/// The result of the comparison.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// The greatest segment number that exists in the directory of each table.
    pub(crate) last_segments: HashMap<TableId, u64>,
    /// The files that were moved to `lost/`: from, to.
    pub(crate) moved: Vec<(String, String)>,
}

/// The number of a segment, an overlay or a companion; `None` if the store does not give such
/// names.
pub(crate) fn own_segment(entry: &Entry) -> Option<u64> {
    let number = segment_number(&entry.name)?;
    let own = [segment_file(number), overlay_file(number), companion_file(number)];
    let is_own = own.contains(&entry.name);
    (!entry.is_dir && is_own).then_some(number)
}

/// The id of a table's directory; `None` if the store does not give such names.
pub(crate) fn own_dir(entry: &Entry) -> Option<TableId> {
    let id = entry.name.parse().ok()?;
    let id = TableId(id);
    (entry.is_dir && table_dir(id) == join(TABLES, &entry.name)).then_some(id)
}

/// Compares files and log. With `keep`, files are moved to `lost/` instead of being removed.
pub(crate) fn settle(
    disk: &dyn Disk,
    state: &State,
    faults: &Faults,
    keep: bool,
) -> Result<Settled> {
    let mut settled = Settled::default();
    let entries = if disk.exists(TABLES)? { disk.list(TABLES)? } else { Vec::new() };
    let mut there = Vec::new();
    for id in entries.iter().filter_map(own_dir) {
        let files = disk.list(&table_dir(id))?;
        // A table id is recorded and synced before its directory is made.
        if id.0 >= state.next_table && !files.is_empty() {
            return Err(unknown_table(id));
        }
        there.push((id, files));
    }
    for (id, files) in there {
        let dir = table_dir(id);
        let Some(table) = state.tables.get(&id) else {
            if keep && !files.is_empty() {
                let to = lost::move_there(disk, &dir)?;
                settled.moved.push((dir, to));
            } else {
                remove_table_dir(disk, &dir)?;
            }
            continue;
        };
        let last = files.iter().filter_map(own_segment).max().unwrap_or(0);
        settled.last_segments.insert(id, last);
        let named = table.files();
        let unnamed = files.iter().filter(|f| own_segment(f).is_some());
        for file in unnamed.filter(|f| !named.contains(&*f.name)) {
            let path = join(&dir, &file.name);
            if keep {
                let to = lost::move_there(disk, &path)?;
                settled.moved.push((path, to));
            } else {
                disk.remove(&path)?;
            }
        }
        let sizes = files.iter().map(|f| (&*f.name, f.len)).collect();
        compare(table, &dir, &sizes, faults);
    }
    for (id, table) in &state.tables {
        if !settled.last_segments.contains_key(id) {
            compare(table, &table_dir(*id), &BTreeMap::new(), faults);
        }
    }
    Ok(settled)
}

/// Reports parts whose files are missing or have another length as faults.
fn compare(
    table: &crate::log::state::TableState,
    dir: &str,
    sizes: &BTreeMap<&str, u64>,
    faults: &Faults,
) {
    for part in table.all_parts() {
        let overlays = part.overlays.iter().map(|overlay| (&*overlay.file, overlay.bytes));
        let companions = part.companions.iter().filter(|companion| companion.content.is_none());
        let companions = companions.map(|companion| (&*companion.file, companion.bytes));
        let base = (!part.is_in_memory()).then_some((&*part.file, part.bytes));
        for (file, bytes) in base.into_iter().chain(overlays).chain(companions) {
            match sizes.get(file) {
                None => faults.add(&join(dir, file), "the file is missing"),
                Some(len) if *len != bytes => {
                    let what = format!("it has {len} bytes instead of {bytes}");
                    faults.add(&join(dir, file), &what);
                }
                Some(_) => {}
            }
        }
    }
}

/// Removes the segments in a table's directory and the data that its engine keeps there, and then
/// the directory, unless it holds anything else.
pub(crate) fn remove_table_dir(disk: &dyn Disk, dir: &str) -> Result<()> {
    if !disk.exists(dir)? {
        return Ok(());
    }
    let mut is_empty = true;
    for entry in disk.list(dir)? {
        if own_segment(&entry).is_some() {
            disk.remove(&join(dir, &entry.name))?;
        } else if entry.is_dir && entry.name == OWN_DATA {
            disk.remove_dir_all(&join(dir, OWN_DATA))?;
        } else {
            is_empty = false;
        }
    }
    if is_empty {
        // This fails if the directory holds a name that the list does not show. It then stays.
        let _ = disk.remove_dir(dir);
    }
    Ok(())
}

#[cold]
fn unknown_table(id: TableId) -> Error {
    let message = format!(
        "The commit log does not contain the table whose folder is `{}`: the log belongs to \
         another folder, or its end is lost. {REMEDY}",
        table_dir(id)
    );
    Error::new(codes::CORRUPTED_DATA, message)
}
