//! `entasis check`: reads every byte of a store that it depends on, and reports what differs from
//! what was written. It changes nothing, and works while a server is running.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_codec::encryption::is_about_keys;
use entasis_disk::{Disk, join};

use crate::faults::Faults;
use crate::log::open::read;
use crate::log::record::{Content, PartSummary, TableId, TableRecord};
use crate::log::recovery::{Condition, recover};
use crate::log::state::{State, TableState};
use crate::orphans::{own_dir, own_segment};
use crate::own_data::OwnData;
use crate::part::{OWN_DATA, TABLES, all_files, table_dir};
use crate::place::{self, FolderState, MARKER};
use crate::segment::Segment;
use crate::segment::manifest::Mode;
use crate::segment::reader::Expected;

/// A damaged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Path of the file, relative to the store's folder.
    pub path: String,
    /// What is wrong, and at which offset.
    pub what: String,
    /// The table of the part and its number of rows according to the log; `None` if the file is no
    /// part.
    pub part: Option<(TableId, u64)>,
}

/// The totals of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Number of tables.
    pub tables: u64,
    /// Number of parts.
    pub parts: u64,
    /// Size of the parts and of the data that table engines keep themselves, in bytes.
    pub bytes: u64,
    /// Number of findings.
    pub damaged: u64,
    /// Number of files that the log does not name: they belong to running work or are left over
    /// from a crash.
    pub unnamed: u64,
}

/// Checks a whole store, and calls `found` with every finding at once. Fails if the folder is not a
/// store, or if its log cannot be read at all.
pub fn check(
    disk: &dyn Disk,
    own: &dyn OwnData,
    found: &mut dyn FnMut(&Finding),
) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let mut tell = |report: &mut CheckReport, finding: Finding| {
        report.damaged += 1;
        found(&finding);
    };
    let place = place::look(disk)?;
    if place == FolderState::New {
        let message = "The folder holds no tables: there is nothing to check";
        return Err(Error::new(codes::FILE_DOESNT_EXIST, message));
    }
    if matches!(place, FolderState::Marked { damaged: true, .. }) {
        let what = "at offset 0: its checksum does not match".to_owned();
        tell(&mut report, Finding { path: MARKER.into(), what, part: None });
    }
    let (main, copy) = read(disk)?;
    for file in [&main, &copy] {
        let condition = file.condition();
        // A store of layout version 1 has no copy.
        let is_fine = condition == Condition::Whole
            || condition == Condition::Missing && place == FolderState::Unmarked;
        if !is_fine {
            let what = condition.to_string();
            tell(&mut report, Finding { path: file.name.into(), what, part: None });
        }
    }
    let state = match recover(&main, &copy, place.acknowledged()) {
        Ok(recovered) => recovered.state,
        Err(error) if report.damaged > 0 => {
            let what = error.message().to_owned();
            tell(&mut report, Finding { path: main.name.into(), what, part: None });
            return Ok(report);
        }
        Err(error) => return Err(error),
    };
    for (id, table) in &state.tables {
        report.tables += 1;
        for part in table.all_parts() {
            report.parts += 1;
            report.bytes += part.total_bytes();
            // A merge or a mutation may have removed a file meanwhile.
            let is_there = |file: &str| is_named(disk, place, *id, |table| table.names_file(file));
            check_files(disk, *id, part, &is_there, &mut |finding| tell(&mut report, finding));
        }
        let mut faults = Vec::new();
        check_own_data(disk, own, &table.record, &mut report, &mut faults)?;
        // The table may have been dropped meanwhile.
        if !faults.is_empty() && is_named(disk, place, *id, |_| true) {
            faults.into_iter().for_each(|finding| tell(&mut report, finding));
        }
    }
    report.unnamed += unnamed(disk, &state)?;
    Ok(report)
}

/// Checks all files of a part.
fn check_files(
    disk: &dyn Disk,
    id: TableId,
    part: &PartSummary,
    is_there: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(Finding),
) {
    for (file, expected) in all_files(part) {
        let path = join(&table_dir(id), file);
        let mut faults = Vec::new();
        let content = part.content_of(file);
        check_part(disk, (&path, content), expected, &mut |e| faults.push(e));
        if faults.is_empty() || !is_there(file) {
            continue;
        }
        for error in faults {
            let (path, part) = (path.clone(), Some((id, part.rows)));
            tell(Finding { path, what: error.message().to_owned(), part });
        }
    }
}

/// Checks the data that the engine of a table keeps itself, if there is any.
fn check_own_data(
    disk: &dyn Disk,
    own: &dyn OwnData,
    table: &TableRecord,
    report: &mut CheckReport,
    faults: &mut Vec<Finding>,
) -> Result<()> {
    let dir = join(&table_dir(table.id), OWN_DATA);
    if !disk.exists(&dir)? {
        return Ok(());
    }
    let mut add = |path: &str, what: &str| {
        faults.push(Finding { path: path.to_owned(), what: what.to_owned(), part: None });
    };
    match own.check(table, &dir, &mut add) {
        Ok(read) => {
            report.bytes += read.bytes;
            report.unnamed += read.unnamed;
        }
        Err(error) => add(&dir, error.message()),
    }
    Ok(())
}

/// Whether the log names a table at this moment, and `names` is true of its state.
fn is_named(
    disk: &dyn Disk,
    place: FolderState,
    id: TableId,
    names: impl Fn(&TableState) -> bool,
) -> bool {
    let now = read(disk).and_then(|(main, copy)| recover(&main, &copy, place.acknowledged()));
    let Ok(now) = now else { return true };
    now.state.tables.get(&id).is_some_and(names)
}

fn unnamed(disk: &dyn Disk, state: &State) -> Result<u64> {
    let mut count = 0;
    let entries = if disk.exists(TABLES)? { disk.list(TABLES)? } else { Vec::new() };
    for id in entries.iter().filter_map(own_dir) {
        let table = state.tables.get(&id);
        let segments = disk.list(&table_dir(id)).unwrap_or_default();
        let named = table.map(TableState::files).unwrap_or_default();
        let own = segments.iter().filter(|entry| own_segment(entry).is_some());
        count += own.filter(|entry| !named.contains(&*entry.name)).count() as u64;
    }
    Ok(count)
}

/// Reads and decodes everything in a segment.
pub(crate) fn check_part(
    disk: &dyn Disk,
    (path, content): (&str, Option<&Content>),
    expected: Expected,
    found: &mut dyn FnMut(Error),
) {
    // A block whose key is not there has the right checksum: this is looked at before.
    let found = &mut |error: Error| {
        if !is_about_keys(&error) {
            found(error);
        }
    };
    let faults = Arc::<Faults>::default();
    let opened = match content {
        Some(content) => Segment::in_memory(content, path, expected, &faults),
        None => Segment::open(disk, path, expected, &faults),
    };
    let segment = match opened {
        Ok(segment) => segment,
        Err(error) => return found(error),
    };
    if let Err(error) = segment.index() {
        found(error);
    }
    for column in 0..segment.column_count() {
        check_column(&segment, column, found);
    }
}

fn check_column(segment: &Segment, column: usize, found: &mut dyn FnMut(Error)) {
    let meta = match segment.meta(column) {
        Ok(meta) => Arc::clone(meta),
        Err(error) => return found(error),
    };
    let dictionary = match meta.mode {
        Mode::Plain => None,
        Mode::Constant => return drop(segment.read_values(column).map_err(found)),
        Mode::Dictionary => match segment.read_dictionary(column) {
            Ok(dictionary) => Some(dictionary),
            Err(error) => return found(error),
        },
    };
    let mut buffer = Vec::new();
    for granule in 0..segment.granules.len() {
        if let Err(error) = segment.read_granule(column, granule, dictionary.as_ref(), &mut buffer)
        {
            found(error);
        }
    }
}
