//! Damaged, missing and foreign logs: the store either fails to open or is repaired with all rows,
//! and no file is removed.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_disk::{Disk, MemoryDisk, join};
use entasis_table_api::Table;

use super::support::*;
use crate::{MergeTreeTable, Store, TableConfig};

const LOG: &str = "commit.log";
const COPY: &str = "commit.copy";
const MARKER: &str = "entasis.store";

fn config() -> TableConfig {
    TableConfig::sorted_by(schema(&[("a", "UInt64")]), &[0])
}

fn rows(from: u64, count: u64) -> Chunk {
    let values: Vec<u64> = (from..from + count).collect();
    Chunk::new(vec![values.into()], count as usize)
}

/// The content of every file, by path.
pub fn files(disk: &dyn Disk) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut dirs) = (BTreeMap::new(), vec![String::new()]);
    while let Some(dir) = dirs.pop() {
        for entry in disk.list(&dir).unwrap() {
            let path = join(&dir, &entry.name);
            if entry.is_dir {
                dirs.push(path);
            } else {
                found.insert(path.clone(), disk.read_to_end(&path, 1 << 30).unwrap());
            }
        }
    }
    found
}

/// A disk with these files.
pub fn disk_of(files: &BTreeMap<String, Vec<u8>>) -> Arc<dyn Disk> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for (path, bytes) in files {
        disk.create_dir_all(entasis_disk::parent(path)).unwrap();
        disk.create(path).unwrap().write_all(bytes).unwrap();
    }
    disk
}

/// The files of a store with three inserts of 10, 5 and 3 rows, merged if `merge` is set. The
/// process ended either properly, or killed before the copy was synced.
fn store_files(merge: bool) -> BTreeMap<String, Vec<u8>> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk.clone(), options()).unwrap();
    let (_, table) = create(&store, config());
    insert(&table, &[rows(0, 10)]).unwrap();
    insert(&table, &[rows(10, 5)]).unwrap();
    if merge {
        table.optimize(true, &context()).unwrap();
    }
    insert(&table, &[rows(15, 3)]).unwrap();
    drop((table, store));
    files(&*disk)
}

fn try_open(disk: &Arc<dyn Disk>) -> Result<(Store, Arc<MergeTreeTable>)> {
    let store = Store::open_with(Arc::clone(disk), options())?;
    let id = store.tables().first().map(|t| t.id).ok_or_else(|| Error::logical("no table"))?;
    let table = store.attach(id, config())?;
    Ok((store, table))
}

fn segments(files: &BTreeMap<String, Vec<u8>>) -> usize {
    files.keys().filter(|path| path.contains("seg-")).count()
}

/// Opens the damaged files. Either this fails with advice and changes nothing, or all rows are
/// there. In both cases every segment is still there. Returns whether the store could be opened.
fn check(damaged: &BTreeMap<String, Vec<u8>>, what: &str) -> bool {
    let disk = disk_of(damaged);
    let opened = match try_open(&disk) {
        Ok((store, table)) => {
            assert_eq!(read_all(&table).rows, 18, "{what}");
            insert(&table, &[rows(100, 1)]).unwrap();
            let warned = !store.warnings().is_empty();
            assert!(warned || damaged[LOG] == store_files(false)[LOG], "{what}");
            drop((table, store));
            let (store, table) = try_open(&disk).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(read_all(&table).rows, 19, "{what}: the second time");
            assert_eq!(store.warnings(), Vec::<String>::new(), "{what}");
            true
        }
        Err(error) => {
            assert_eq!(error.code(), codes::CORRUPTED_DATA, "{what}: {error}");
            assert!(error.message().contains("entasis repair"), "{what}: {error}");
            let mut after = files(&*disk);
            let mut before = damaged.clone();
            after.remove("lock");
            before.remove("lock");
            assert!(after == before, "{what}: something was changed");
            false
        }
    };
    let expected = segments(damaged) + usize::from(opened);
    assert_eq!(segments(&files(&*disk)), expected, "{what}: a segment was unlinked");
    opened
}

/// Named kinds of damage to a file; `None` is a missing file.
fn damages(good: &[u8], last_record: usize) -> Vec<(String, Option<Vec<u8>>)> {
    let mut all = vec![("missing".to_owned(), None)];
    for cut in 0..good.len() {
        all.push((format!("cut at {cut}"), Some(good[..cut].to_vec())));
        let mut zeroed = good.to_vec();
        zeroed[cut..].fill(0);
        all.push((format!("zeroed from {cut}"), Some(zeroed)));
    }
    for bit in (0..64).chain(last_record * 8..good.len() * 8) {
        let mut bad = good.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        all.push((format!("bit {bit} flipped"), Some(bad)));
    }
    for at in (8..last_record).step_by(7) {
        let mut bad = good.to_vec();
        bad[at] ^= 4;
        all.push((format!("byte {at} changed"), Some(bad)));
    }
    all
}

/// The offset of the last record of a log.
fn last_record(log: &[u8]) -> usize {
    let scan = crate::log::frame::scan(log);
    scan.frames.last().unwrap().1.start - crate::log::frame::FRAME_LEN
}

#[test]
fn every_damage_of_one_log_is_healed_from_the_other() {
    let good = store_files(false);
    for name in [LOG, COPY] {
        for (what, bytes) in damages(&good[name], last_record(&good[name])) {
            let mut damaged = good.clone();
            match bytes {
                Some(bytes) => drop(damaged.insert(name.into(), bytes)),
                None => drop(damaged.remove(name)),
            }
            if !damaged.contains_key(LOG) {
                // The function `check` reads the log, so a missing one is tested here.
                let disk = disk_of(&damaged);
                let (store, table) = try_open(&disk).unwrap();
                assert_eq!((read_all(&table).rows, store.warnings().len()), (18, 1));
                continue;
            }
            assert!(check(&damaged, &format!("{name} {what}")), "{name} {what}");
        }
    }
}

#[test]
fn damage_of_both_logs_is_an_error_and_changes_nothing() {
    let good = store_files(false);
    assert_eq!(good[LOG], good[COPY]);
    for (what, bytes) in damages(&good[LOG], last_record(&good[LOG])) {
        let mut damaged = good.clone();
        for name in [LOG, COPY] {
            match &bytes {
                Some(bytes) => drop(damaged.insert(name.into(), bytes.clone())),
                None => drop(damaged.remove(name)),
            }
        }
        // Damage to the magic alone can be distinguished from damage to the records.
        let harmless = ["bit", "byte"].iter().any(|w| what.starts_with(w))
            && bytes.is_some_and(|b| b[8..] == good[LOG][8..]);
        assert_eq!(check(&damaged, &what), harmless, "{what}");
    }
}

#[test]
fn without_a_marker_a_log_is_enough_and_nothing_is_removed() {
    // A store of layout version 1 has neither marker nor copy.
    for merge in [false, true] {
        let mut old = store_files(merge);
        old.remove(MARKER);
        old.remove(COPY);
        let disk = disk_of(&old);
        let (store, table) = try_open(&disk).unwrap();
        assert_eq!(read_all(&table).rows, 18);
        drop((table, store));
        let now = files(&*disk);
        assert!(now.contains_key(MARKER) && now[COPY] == now[LOG] && now[LOG] == old[LOG]);
    }
    let mut old = store_files(false);
    old.remove(MARKER);
    old.remove(COPY);
    let log = old[LOG].clone();
    for (what, bytes) in damages(&log, last_record(&log)) {
        let mut damaged = old.clone();
        match bytes {
            Some(bytes) => drop(damaged.insert(LOG.into(), bytes)),
            None => drop(damaged.remove(LOG)),
        }
        let disk = disk_of(&damaged);
        let what = format!("{what}: {:?}", try_open(&disk).err());
        let after = files(&*disk);
        assert_eq!(segments(&after), 3, "{what}");
    }
}

#[test]
fn a_foreign_folder_is_refused_and_left_alone() {
    let precious = b"precious".to_vec();
    let folders = [
        vec!["notes.txt"],
        vec!["tables/1/seg-1.ets", "tmp/1-1.tmp"],
        vec!["tables/7/data", "readme"],
        vec!["user_files/a.csv", "commit.log"],
    ];
    for paths in folders {
        let foreign: BTreeMap<String, Vec<u8>> =
            paths.iter().map(|path| ((*path).to_owned(), precious.repeat(3))).collect();
        let disk = disk_of(&foreign);
        for read_only in [true, false] {
            let error = Store::open(Arc::clone(&disk), read_only).err().unwrap();
            let expected = [codes::BAD_ARGUMENTS, codes::CORRUPTED_DATA];
            assert!(expected.contains(&error.code()), "{error}");
        }
        assert!(files(&*disk) == foreign, "{paths:?}");
    }
}

#[test]
fn left_over_segments_go_only_where_the_log_is_beyond_doubt() {
    let mut left = store_files(false);
    let segment = left.values().next_back().unwrap().clone();
    left.insert("tables/1/seg-99.ets".into(), segment.clone());
    left.insert("tables/1/notes.txt".into(), b"mine".to_vec());
    left.insert("tables/1/seg-099.ets".into(), b"mine".to_vec());
    left.insert("tables/old/seg-1.ets".into(), b"mine".to_vec());
    let disk = disk_of(&left);
    drop(try_open(&disk).unwrap());
    let after = files(&*disk);
    assert!(!after.contains_key("tables/1/seg-99.ets"));
    for kept in ["tables/1/notes.txt", "tables/1/seg-099.ets", "tables/old/seg-1.ets"] {
        assert_eq!(after[kept], b"mine");
    }
    let mut doubtful = left.clone();
    let log = doubtful.get_mut(LOG).unwrap();
    log.truncate(log.len() - 1);
    let disk = disk_of(&doubtful);
    let (store, table) = try_open(&disk).unwrap();
    assert!(store.warnings().iter().any(|w| w.contains("lost/tables-1-seg-99.ets")));
    assert_eq!(read_all(&table).rows, 18);
    assert_eq!(files(&*disk)["lost/tables-1-seg-99.ets"], segment);
    // The directory of a table that the log does not know shows that the log is too old.
    let mut newer = left;
    newer.insert("tables/50/seg-1.ets".into(), segment);
    let error = try_open(&disk_of(&newer)).err().unwrap();
    assert_eq!(error.code(), codes::CORRUPTED_DATA, "{error}");
}

#[test]
fn a_damaged_part_stops_neither_the_store_nor_other_tables() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk.clone(), options()).unwrap();
    let (id, table) = create(&store, config());
    let other_id = store.create_table("default", "other", "").unwrap();
    let other = store.attach(other_id, config()).unwrap();
    for table in [&table, &other] {
        insert(table, &[rows(0, 10)]).unwrap();
        insert(table, &[rows(10, 10)]).unwrap();
    }
    drop((table, other, store));
    let good = files(&*disk);
    let path = format!("tables/{}/seg-1.ets", id.0);
    let mut cut = good[&path].clone();
    cut.truncate(20);
    let mut changed = good[&path].clone();
    changed[9] ^= 1;
    for bytes in [None, Some(cut), Some(changed)] {
        let mut damaged = good.clone();
        let at_open = bytes.as_ref().is_none_or(|b| b.len() == 20);
        match bytes {
            Some(bytes) => drop(damaged.insert(path.clone(), bytes)),
            None => drop(damaged.remove(&path)),
        }
        let disk = disk_of(&damaged);
        let store = Store::open_with(disk.clone(), options()).unwrap();
        assert_eq!(store.warnings().len(), usize::from(at_open));
        let table = store.attach(id, config()).unwrap();
        let other = store.attach(other_id, config()).unwrap();
        let snapshot = table.snapshot().unwrap();
        let error = collect(&*snapshot, &spec_of(&table), &context()).err().unwrap();
        drop(snapshot);
        assert!(error.message().contains(&path), "{error}");
        assert!(store.warnings()[0].contains(&path), "{:?}", store.warnings());
        assert_eq!(read_all(&other).rows, 20);
        insert(&table, &[rows(50, 1)]).unwrap();
        insert(&table, &[rows(60, 1)]).unwrap();
        // The undamaged parts are merged.
        table.optimize(false, &context()).unwrap();
        assert_eq!(table.part_summaries().len(), 2);
        assert!(table.optimize(true, &context()).is_err());
        table.truncate().unwrap();
        assert_eq!((read_all(&table).rows, store.warnings().len()), (0, 0));
    }
}
