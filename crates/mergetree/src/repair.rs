//! `entasis repair`: makes a damaged store usable again, without removing anything.
//!
//! - A damaged log is restored from its copy, or the copy from the log.
//! - If records are lost, the state goes as far as the remaining records lead. Segments that it
//!   does not name become tables of the database `recovered`, if they are complete: a segment
//!   records its columns and its sorting key. These tables may repeat rows of other tables, if a
//!   merge had not removed its source parts yet.
//! - Incomplete segments go to `lost/`. Damaged parts that the log names stay, unless they are to
//!   be detached: then they go to `lost/` as well, and their rows are missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, Entry, join};

use crate::check::{Finding, check};
use crate::column_ids::ColumnIds;
use crate::log::open::{put_in_place, read, state_bytes, write_new};
use crate::log::record::{Companion, Op, Overlay, PartSummary, TableId, TableRecord};
use crate::log::recovery::{Condition, Found, Recovered, furthest, recover};
use crate::log::state::{State, TableState, is_companion, is_overlay};
use crate::log::{COPY, FILE};
use crate::lost;
use crate::orphans::{own_dir, own_segment};
use crate::own_data::{OwnData, OwnRepair};
use crate::part::{OWN_DATA, TABLES, table_dir};
use crate::place::{self, FolderState, write_marker};
use crate::segment::salvage::{Salvaged, salvage};
use crate::store::{LOCK, Store, StoreOptions};

/// The database of tables that were assembled from segments.
const RECOVERED: &str = "recovered";

/// Options of a repair.
#[derive(Clone, Copy, Debug, Default)]
pub struct RepairOptions {
    /// Damaged parts and blocks are moved to `lost/`, so that the other rows of their tables can be
    /// read.
    pub detach_damaged: bool,
}

/// Repairs a store, and calls `said` with every action. Returns what is still damaged.
pub fn repair(
    disk: &Arc<dyn Disk>,
    own: &dyn OwnData,
    options: RepairOptions,
    said: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>> {
    let place = match place::look(&**disk) {
        Ok(place) => Some(place),
        // The folder has neither marker nor log, but its segments show that it is a store.
        Err(e) if e.code() == codes::CORRUPTED_DATA && has_segments(&**disk) => None,
        Err(e) => return Err(e),
    };
    if place == Some(FolderState::New) {
        let message = "The folder holds no tables: there is nothing to repair";
        return Err(Error::new(codes::FILE_DOESNT_EXIST, message));
    }
    {
        let _lock = disk.lock(LOCK)?;
        mend_log(&**disk, place, said)?;
    }
    let quiet = StoreOptions { merge: false, sync_copy: false, ..StoreOptions::default() };
    let store = Store::open_with(Arc::clone(disk), quiet)?;
    store.warnings().iter().for_each(|warning| said(warning));
    repair_own_data(&**disk, own, &store, options, said)?;
    let mut damaged = Vec::new();
    check(&**disk, own, &mut |finding| damaged.push(finding.clone()))?;
    if options.detach_damaged {
        detach(&**disk, &store, &mut damaged, said)?;
    }
    Ok(damaged)
}

fn has_segments(disk: &dyn Disk) -> bool {
    let dirs = disk.list(TABLES).unwrap_or_default();
    let segments = |id: TableId| {
        let dir = table_dir(id);
        let files = disk.list(&dir).unwrap_or_default();
        files
            .iter()
            .any(|f| own_segment(f).is_some() && salvage(disk, &join(&dir, &f.name)).is_ok())
    };
    dirs.iter().filter_map(own_dir).any(segments)
}

/// Repairs or replaces the log, so that the store can be opened.
fn mend_log(disk: &dyn Disk, place: Option<FolderState>, said: &mut dyn FnMut(&str)) -> Result<()> {
    let (main, copy) = read(disk)?;
    let acknowledged = place.map_or(0, FolderState::acknowledged);
    let is_clear = copy.bytes.is_some()
        || place == Some(FolderState::Unmarked)
        || main.condition() == Condition::Whole;
    let is_empty = main.scan.frames.is_empty() && copy.scan.frames.is_empty();
    match recover(&main, &copy, acknowledged) {
        // The damage is of a kind that opening the store repairs.
        Ok(_) if is_clear && (!is_empty || main.condition() == Condition::Whole) => return Ok(()),
        Ok(_) => {}
        Err(error) => {
            said(error.message().split(". Nothing has been changed").next().unwrap_or(""))
        }
    }
    let known = acknowledged.max(main.scan.last()).max(copy.scan.last());
    let Recovered { mut state, last, .. } = furthest(&main, &copy)?;
    if last < known {
        said(&format!(
            "The log could be read up to record {last}; records {} to {known} are lost. Tables and \
             parts that they describe are restored from the segments as far as possible",
            last + 1
        ));
    }
    drop_missing(disk, &mut state, said)?;
    salvage_segments(disk, &mut state, said)?;
    replace_logs(disk, &main, &copy, &state, last.max(known) + 1, said)
}

/// Removes parts without files from the state: the records that removed them are lost, or the files
/// are.
fn drop_missing(disk: &dyn Disk, state: &mut State, said: &mut dyn FnMut(&str)) -> Result<()> {
    for (id, table) in &mut state.tables {
        let dir = table_dir(*id);
        let files = if disk.exists(&dir)? { disk.list(&dir)? } else { Vec::new() };
        drop_missing_overlays(&dir, &files, table, said);
        drop_missing_companions(&dir, &files, table, said);
        let (parts, detached) = (&mut table.parts, &mut table.detached);
        let mut keep = |file: &String, part: &mut Arc<PartSummary>| {
            let is_there = part.is_in_memory() || files.iter().any(|entry| entry.name == *file);
            if !is_there {
                said(&format!(
                    "`{}` of table {}.{} is not there: its {} rows were merged into another part \
                     or are lost",
                    join(&dir, file),
                    table.record.database,
                    table.record.name,
                    part.rows
                ));
            }
            is_there
        };
        parts.retain(&mut keep);
        detached.retain(&mut keep);
    }
    Ok(())
}

/// Removes overlays without files from the parts of a table.
fn drop_missing_overlays(
    dir: &str,
    files: &[Entry],
    table: &mut TableState,
    said: &mut dyn FnMut(&str),
) {
    for part in table.parts.values_mut().chain(table.detached.values_mut()) {
        let is_there = |overlay: &Overlay| files.iter().any(|entry| entry.name == overlay.file);
        if part.overlays.iter().all(is_there) {
            continue;
        }
        for overlay in part.overlays.iter().filter(|overlay| !is_there(overlay)) {
            said(&format!(
                "`{}` is not there: rows that a mutation has changed or deleted in `{}` are as \
                 they were before",
                join(dir, &overlay.file),
                join(dir, &part.file)
            ));
        }
        Arc::make_mut(part).overlays.retain(is_there);
    }
}

/// Removes companions without files from the parts of a table. No row is lost with them.
fn drop_missing_companions(
    dir: &str,
    files: &[Entry],
    table: &mut TableState,
    said: &mut dyn FnMut(&str),
) {
    for part in table.parts.values_mut().chain(table.detached.values_mut()) {
        let is_there =
            |c: &Companion| c.content.is_some() || files.iter().any(|entry| entry.name == c.file);
        if part.companions.iter().all(is_there) {
            continue;
        }
        for companion in part.companions.iter().filter(|c| !is_there(c)) {
            let path = join(dir, &companion.file);
            said(&format!("`{path}` is not there: {} is not used for its part", companion.name));
        }
        Arc::make_mut(part).companions.retain(is_there);
    }
}

/// Makes tables of complete segments that the state does not name; moves the others to `lost/`.
fn salvage_segments(disk: &dyn Disk, state: &mut State, said: &mut dyn FnMut(&str)) -> Result<()> {
    let entries = if disk.exists(TABLES)? { disk.list(TABLES)? } else { Vec::new() };
    for id in entries.iter().filter_map(own_dir) {
        let dir = table_dir(id);
        let mut whole: BTreeMap<u64, (String, Salvaged)> = BTreeMap::new();
        for entry in disk.list(&dir)? {
            let Some(number) = own_segment(&entry) else { continue };
            let named = state.tables.get(&id).is_some_and(|t| t.names_file(&entry.name));
            if named {
                continue;
            }
            let path = join(&dir, &entry.name);
            if is_overlay(&entry.name) {
                let to = lost::move_there(disk, &path)?;
                said(&format!(
                    "`{path}` was moved to `{to}`: it holds changes of rows, and the log does not \
                     say of which part. Rows that were changed or deleted may be as before"
                ));
                continue;
            }
            if is_companion(&entry.name) {
                let to = lost::move_there(disk, &path)?;
                said(&format!(
                    "`{path}` was moved to `{to}`: it is an index or a projection of a part, and \
                     the log does not say of which. No row is lost with it"
                ));
                continue;
            }
            match salvage(disk, &path) {
                Ok(found) => drop(whole.insert(number, (entry.name, found))),
                Err(error) => {
                    let to = lost::move_there(disk, &path)?;
                    said(&format!("`{path}` was moved to `{to}`: {}", error.message()));
                }
            }
        }
        state.next_table = state.next_table.max(id.0 + 1);
        if !whole.is_empty() {
            recovered_table(disk, state, id, &whole, said)?;
        }
    }
    Ok(())
}

/// Makes a table of these segments, which are in the directory of table `old`.
fn recovered_table(
    disk: &dyn Disk,
    state: &mut State,
    old: TableId,
    whole: &BTreeMap<u64, (String, Salvaged)>,
    said: &mut dyn FnMut(&str),
) -> Result<()> {
    let id = if state.tables.contains_key(&old) { TableId(state.next_table.max(1)) } else { old };
    let name =
        if id == old { format!("table_{}", old.0) } else { format!("table_{}_{}", old.0, id.0) };
    if id != old {
        disk.create_dir_all(&table_dir(id))?;
        for (file, _) in whole.values() {
            disk.rename(&join(&table_dir(old), file), &join(&table_dir(id), file))?;
        }
        for dir in [TABLES.to_owned(), table_dir(old), table_dir(id)] {
            disk.sync_dir(&dir)?;
        }
    }
    let columns = columns_of(whole);
    let mut ops = Vec::new();
    if !state.databases.contains_key(RECOVERED) {
        ops.push(Op::CreateDatabase { name: RECOVERED.into(), definition: String::new() });
    }
    ops.push(Op::CreateTable(TableRecord {
        id,
        database: RECOVERED.into(),
        name: name.clone(),
        version: 1,
        definition: definition(&name, &columns, whole),
    }));
    let version = whole.values().map(|(_, found)| found.schema_version).max().unwrap_or(1);
    let ids = columns.into_iter().map(|(id, name, _)| (id, name)).collect();
    ops.push(Op::Columns { table: id, columns: ColumnIds::of_segments(version, ids) });
    let mut rows = 0;
    for (block, (file, found)) in (1..).zip(whole.values()) {
        rows += found.rows;
        ops.push(Op::AddPart { table: id, part: part_of(file, found, block) });
    }
    state.apply(&ops)?;
    let (parts, dir) = (whole.len(), table_dir(old));
    said(&format!(
        "{parts} parts in `{dir}` that the log does not name, {rows} rows, are table \
         {RECOVERED}.{name} now: compare it with what should be there, and copy from it by INSERT \
         SELECT. It may hold rows twice where a merge had not removed its sources"
    ));
    Ok(())
}

fn part_of(file: &str, found: &Salvaged, block: u64) -> PartSummary {
    PartSummary {
        file: file.to_owned(),
        rows: found.rows,
        bytes: found.bytes,
        checksum: found.checksum,
        partition: "all".into(),
        partition_value: String::new(),
        min_block: block,
        max_block: block,
        level: found.level,
        created: found.created,
        granules: found.granules,
        mutation: 0,
        overlays: Vec::new(),
        content: None,
        companions: Vec::new(),
    }
}

/// Id, name and type of the columns of all segments; the newest segment decides about a column.
fn columns_of(whole: &BTreeMap<u64, (String, Salvaged)>) -> Vec<(u32, String, String)> {
    let mut columns: Vec<(u32, String, String)> = Vec::new();
    for (_, found) in whole.values().rev() {
        for (&id, (name, ty)) in found.ids.iter().zip(&found.columns) {
            if columns.iter().any(|(known, ..)| *known == id) {
                continue;
            }
            // A dropped column may have the name of a later one.
            let is_taken = columns.iter().any(|(_, known, _)| known == name);
            let name = if is_taken { format!("{name}_{id}") } else { name.clone() };
            columns.push((id, name, ty.clone()));
        }
    }
    columns
}

/// The CREATE TABLE text of a plain MergeTree table with these columns.
fn definition(
    name: &str,
    columns: &[(u32, String, String)],
    whole: &BTreeMap<u64, (String, Salvaged)>,
) -> String {
    let quoted = |name: &str| format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"));
    let list = columns.iter().map(|(_, column, ty)| format!("    {} {ty}", quoted(column)));
    let key = whole.values().next_back().map_or("", |(_, found)| &found.sorting_key);
    let key = if key.is_empty() { "tuple()".to_owned() } else { format!("({key})") };
    let list: Vec<String> = list.collect();
    format!(
        "CREATE TABLE {}\n(\n{}\n)\nENGINE = MergeTree\nORDER BY {key}\n\
         SETTINGS index_granularity = 8192",
        quoted(name),
        list.join(",\n")
    )
}

/// Replaces the damaged logs by logs with this state; the damaged files go to `lost/`.
fn replace_logs(
    disk: &dyn Disk,
    main: &Found,
    copy: &Found,
    state: &State,
    sequence: u64,
    said: &mut dyn FnMut(&str),
) -> Result<()> {
    let bytes = state_bytes(state, sequence)?;
    for (file, name) in [(main, FILE), (copy, COPY)] {
        drop(write_new(disk, name, &bytes)?);
        if file.bytes.is_some() {
            let to = lost::move_there(disk, name)?;
            said(&format!("`{name}` was moved to `{to}`"));
        }
        put_in_place(disk, name)?;
    }
    write_marker(disk, sequence)?;
    said(&format!("`{FILE}` and `{COPY}` were written anew, with record {sequence}"));
    Ok(())
}

/// Repairs the data that table engines keep themselves.
fn repair_own_data(
    disk: &dyn Disk,
    own: &dyn OwnData,
    store: &Store,
    options: RepairOptions,
    said: &mut dyn FnMut(&str),
) -> Result<()> {
    for table in store.tables() {
        let dir = join(&table_dir(table.id), OWN_DATA);
        if !disk.exists(&dir)? {
            continue;
        }
        let move_away = |path: &str| lost::move_there(disk, path);
        let drop_rows = options.detach_damaged;
        let options = OwnRepair { drop_rows, move_away: &move_away, said: &mut *said };
        // The check that follows finds what cannot be repaired.
        if let Err(error) = own.repair(&table, &dir, options) {
            said(&format!("`{dir}` could not be repaired: {}", error.message()));
        }
    }
    Ok(())
}

/// Moves damaged parts to `lost/` and removes them from the log.
fn detach(
    disk: &dyn Disk,
    store: &Store,
    damaged: &mut Vec<Finding>,
    said: &mut dyn FnMut(&str),
) -> Result<()> {
    let mut gone: Vec<String> = Vec::new();
    for finding in damaged.iter() {
        let Some((id, rows)) = finding.part else { continue };
        if gone.contains(&finding.path) {
            continue;
        }
        let to = if disk.exists(&finding.path)? {
            format!("moved to `{}`", lost::move_there(disk, &finding.path)?)
        } else {
            "missing".to_owned()
        };
        let file = entasis_disk::file_name(&finding.path).to_owned();
        let path = &finding.path;
        if is_companion(&file) {
            let mut parts = store.parts(id).into_iter();
            let holder = parts.find(|part| part.companions.iter().any(|c| c.file == file));
            let Some(mut part) = holder else { continue };
            part.companions.retain(|companion| companion.file != file);
            store.execute_all(vec![Op::ChangePart { table: id, part }])?;
            said(&format!("`{path}` was {to}: an index or a projection. No row is lost with it"));
        } else if is_overlay(&file) {
            // The part stays, without what the overlay says.
            let mut parts = store.parts(id).into_iter();
            let holder = parts.find(|part| part.overlays.iter().any(|o| o.file == file));
            let Some(mut part) = holder else { continue };
            part.overlays.retain(|overlay| overlay.file != file);
            let base = part.file.clone();
            store.execute_all(vec![Op::ChangePart { table: id, part }])?;
            said(&format!(
                "`{path}` was {to}: rows of `{base}` that a mutation has changed or deleted are as \
                 they were before"
            ));
        } else {
            let is_active = store.parts(id).iter().any(|part| part.file == file);
            store.execute_all(vec![match is_active {
                true => Op::RemovePart { table: id, file },
                false => Op::DropDetachedPart { table: id, file },
            }])?;
            said(&format!("`{path}` was {to}: its {rows} rows are no longer in the table"));
        }
        gone.push(path.clone());
    }
    damaged.retain(|finding| !gone.contains(&finding.path));
    Ok(())
}
