//! Checks and repairs of damaged stores, copies of running stores, INSERTs that are sent again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use entasis_base::codes;
use entasis_column::Chunk;
use entasis_disk::{Disk, FaultDisk, MemoryDisk};
use entasis_table_api::{Repeats, Table, insert_chunks};

use super::damage::{disk_of, files};
use super::support::*;
use crate::{
    CheckReport, Finding, MergeTreeTable, RepairOptions, Store, StoreOptions, TableConfig, check,
    repair,
};

fn config() -> TableConfig {
    TableConfig::sorted_by(schema(&[("a", "UInt64"), ("s", "String")]), &[0])
}

fn rows(from: u64, count: u64) -> Chunk {
    let values: Vec<u64> = (from..from + count).collect();
    let texts: entasis_column::Strings = values.iter().map(|v| format!("text {v}")).collect();
    Chunk::new(vec![values.into(), texts.into()], count as usize)
}

fn store_files() -> BTreeMap<String, Vec<u8>> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk.clone(), options()).unwrap();
    let (_, table) = create(&store, config());
    insert(&table, &[rows(0, 100)]).unwrap();
    insert(&table, &[rows(100, 50)]).unwrap();
    drop((table, store));
    files(&*disk)
}

fn checked(disk: &dyn Disk) -> (Vec<Finding>, CheckReport) {
    let mut found = Vec::new();
    let report = check(disk, &NoOwnData, &mut |finding| found.push(finding.clone())).unwrap();
    assert_eq!(report.damaged, found.len() as u64);
    (found, report)
}

fn repaired(disk: &Arc<dyn Disk>, detach_damaged: bool) -> (Vec<Finding>, Vec<String>) {
    let mut said = Vec::new();
    let left = repair(disk, &NoOwnData, RepairOptions { detach_damaged }, &mut |what| {
        said.push(what.into());
    });
    (left.unwrap(), said)
}

#[test]
fn a_check_finds_every_changed_byte_and_changes_nothing() {
    let good = store_files();
    let disk = disk_of(&good);
    let (found, report) = checked(&*disk);
    assert_eq!(found, []);
    assert_eq!((report.tables, report.parts, report.unnamed), (1, 2, 0));
    for (path, bytes) in good.iter().filter(|(path, _)| *path != "lock") {
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 150) {
            let mut damaged = good.clone();
            damaged.get_mut(path).unwrap()[at] ^= 16;
            let disk = disk_of(&damaged);
            let (found, _) = checked(&*disk);
            assert!(found.iter().any(|f| f.path == *path), "{path} at {at}: {found:?}");
            assert!(files(&*disk) == damaged);
        }
    }
    let empty = MemoryDisk::new();
    assert_eq!(
        check(&empty, &NoOwnData, &mut |_| ()).unwrap_err().code(),
        codes::FILE_DOESNT_EXIST
    );
}

#[test]
fn repair_heals_a_log_from_its_copy_and_keeps_damaged_parts_until_told() {
    let good = store_files();
    let mut damaged = good.clone();
    damaged.get_mut("commit.log").unwrap().truncate(30);
    damaged.get_mut("tables/1/seg-1.ets").unwrap()[9] ^= 1;
    let disk = disk_of(&damaged);
    let (left, said) = repaired(&disk, false);
    assert_eq!((left.len(), said.len()), (1, 1), "{left:?} {said:?}");
    assert!(files(&*disk).contains_key("lost/commit.log"));
    let (left, said) = repaired(&disk, true);
    assert!(left.is_empty() && said.iter().any(|s| s.contains("100 rows")), "{said:?}");
    assert!(files(&*disk)["lost/tables-1-seg-1.ets"] == damaged["tables/1/seg-1.ets"]);
    assert_eq!(checked(&*disk).0, []);
    let (store, table) = reopen(&disk, config());
    assert_eq!(read_all(&table).rows, 50);
    // A repair of an undamaged store reports nothing.
    drop((store, table));
    assert_eq!(repaired(&disk, true), (Vec::new(), Vec::new()));
}

#[test]
fn without_any_log_the_segments_become_tables() {
    let good = store_files();
    for keep_marker in [true, false] {
        let mut damaged = good.clone();
        for name in ["commit.log", "commit.copy"] {
            damaged.remove(name);
        }
        if !keep_marker {
            damaged.remove("entasis.store");
        }
        damaged.insert("tables/1/seg-7.ets".into(), b"half a segment".to_vec());
        let disk = disk_of(&damaged);
        assert_eq!(Store::open(disk.clone(), false).unwrap_err().code(), codes::CORRUPTED_DATA);
        let (left, said) = repaired(&disk, false);
        assert!(left.is_empty(), "{left:?}");
        assert!(said.iter().any(|s| s.contains("recovered.table_1")), "{said:?}");
        let store = Store::open_with(disk.clone(), options()).unwrap();
        let record = store.tables()[0].clone();
        assert_eq!((&*record.database, &*record.name), ("recovered", "table_1"));
        for piece in ["`a` UInt64", "`s` String", "ORDER BY (a)"] {
            assert!(record.definition.contains(piece), "{}", record.definition);
        }
        let table = store.attach(record.id, config()).unwrap();
        assert_eq!(read_all(&table).rows, 150);
        assert!(files(&*disk).contains_key("lost/tables-1-seg-7.ets"));
        // The repaired store accepts inserts.
        insert(&table, &[rows(500, 1)]).unwrap();
        table.optimize(true, &context()).unwrap();
        assert_eq!(read_all(&table).rows, 151);
    }
}

#[test]
fn where_both_logs_lost_their_end_the_rest_goes_to_a_table_of_its_own() {
    let mut damaged = store_files();
    for name in ["commit.log", "commit.copy"] {
        let bytes = damaged.get_mut(name).unwrap();
        bytes.truncate(bytes.len() - 1);
    }
    let disk = disk_of(&damaged);
    assert_eq!(Store::open(disk.clone(), false).unwrap_err().code(), codes::CORRUPTED_DATA);
    let (left, said) = repaired(&disk, false);
    assert!(left.is_empty() && said.iter().any(|s| s.contains("50 rows")), "{said:?}");
    let store = Store::open_with(disk, options()).unwrap();
    let tables = store.tables();
    let names: Vec<&str> = tables.iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["t", "table_1_2"]);
    let counts = tables.iter().map(|t| read_all(&store.attach(t.id, config()).unwrap()).rows);
    assert_eq!(counts.collect::<Vec<_>>(), [100, 50]);
}

#[test]
fn a_copy_in_the_stated_order_has_all_rows_that_were_acknowledged_before() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    // Merges and checkpoints run all the time.
    let busy = StoreOptions { checkpoint_after: 3, merge: true, sync_copy: true, ..options() };
    let store = Store::open_with(disk.clone(), busy).unwrap();
    let (id, table) = create(&store, config());
    let (stop, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Acquire) {
                let from = acknowledged.load(Ordering::Acquire);
                insert(&table, &[rows(from, 10)]).unwrap();
                acknowledged.fetch_add(10, Ordering::Release);
            }
        });
        for round in 0..30 {
            store.set_merges(None, false);
            let before = acknowledged.load(Ordering::Acquire);
            let mut copied = BTreeMap::new();
            let mut copy = |path: &str| {
                // A file that disappears meanwhile is not one that the copied log names.
                if let Ok(bytes) = disk.read_to_end(path, 1 << 30) {
                    copied.insert(path.to_owned(), bytes);
                }
            };
            for path in ["entasis.store", "commit.log", "commit.copy"] {
                copy(path);
            }
            let dir = format!("tables/{}", id.0);
            for entry in disk.list(&dir).unwrap_or_default() {
                copy(&format!("{dir}/{}", entry.name));
            }
            store.set_merges(None, true);
            let copied = disk_of(&copied);
            assert_eq!(checked(&*copied).0.iter().find(|f| f.part.is_some()), None, "{round}");
            let (_store, table) = reopen(&copied, config());
            let found = read_all(&table);
            assert!(found.rows as u64 >= before, "{round}: {} of {before}", found.rows);
            let mut numbers: Vec<_> =
                (0..found.rows).map(|i| found.columns[0].value(i).as_u64().unwrap()).collect();
            numbers.sort_unstable();
            assert!(numbers.iter().copied().eq(0..found.rows as u64), "{round}");
        }
        stop.store(true, Ordering::Release);
    });
}

fn insert_once(table: &MergeTreeTable, chunk: &Chunk, by: Repeats) -> entasis_base::Result<()> {
    let context = context();
    let sink = table.insert_once(&context, by)?;
    insert_chunks(&sink, vec![chunk.clone()], &context)
}

#[test]
fn an_insert_with_a_token_is_stored_once_across_restarts_and_checkpoints() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let few = || StoreOptions { checkpoint_after: 3, ..options() };
    let store = Store::open_with(disk.clone(), few()).unwrap();
    let (id, mut table) = create(&store, config());
    let mut store = Some(store);
    let token = |n: u64| Repeats::ByToken(format!("{n}{}", "x".repeat(n as usize * 40)));
    for n in 0..5 {
        for _ in 0..3 {
            insert_once(&table, &rows(n * 10, 10), token(n)).unwrap();
            drop((table, store.take()));
            let opened = Store::open_with(disk.clone(), few()).unwrap();
            table = opened.attach(id, config()).unwrap();
            store = Some(opened);
        }
    }
    assert_eq!(read_all(&table).rows, 50);
    // The token identifies the INSERT, not the rows; without a token every INSERT is stored.
    insert_once(&table, &rows(1000, 7), token(0)).unwrap();
    insert_once(&table, &rows(0, 10), Repeats::ByContent).unwrap();
    insert_once(&table, &rows(0, 10), Repeats::Stored).unwrap();
    assert_eq!(read_all(&table).rows, 70);
    // An INSERT that is not stored leaves no file.
    let named = table.part_summaries().len();
    assert_eq!(disk.list(&format!("tables/{}", id.0)).unwrap().len(), named);
    table.truncate().unwrap();
    insert_once(&table, &rows(0, 10), token(0)).unwrap();
    assert_eq!(read_all(&table).rows, 10);
}

#[test]
fn a_window_remembers_so_many_inserts_by_their_rows() {
    let mut config = config();
    config.settings.deduplication_window = Some(2);
    let (_store, _, table) = table(config);
    let mut put = |from| {
        insert_once(&table, &rows(from, 3), Repeats::ByContent).unwrap();
        read_all(&table).rows
    };
    let counts = [0, 0, 10, 0, 20, 0, 20].map(&mut put);
    assert_eq!(counts, [3, 3, 6, 6, 9, 12, 12]);
}

#[test]
fn a_token_is_remembered_only_with_its_rows() {
    // Crashes at every point: the INSERT is sent again until it is acknowledged, and is stored
    // once.
    for at in 0..60 {
        let disk = Arc::new(FaultDisk::new());
        let prepared = Store::open_with(disk.clone() as Arc<dyn Disk>, options()).unwrap();
        drop(create(&prepared, config()));
        drop(prepared);
        let disk = Arc::new(disk.restart(1));
        disk.crash_at(at);
        let send = |disk: Arc<dyn Disk>| -> entasis_base::Result<()> {
            let store = Store::open_with(disk, options())?;
            let table = store.attach(store.tables()[0].id, config())?;
            insert_once(&table, &rows(0, 10), Repeats::ByToken("once".into()))
        };
        let _ = send(disk.clone());
        let after: Arc<dyn Disk> = Arc::new(disk.restart(at));
        for _ in 0..2 {
            send(Arc::clone(&after)).unwrap();
            let (_store, table) = reopen(&after, config());
            assert_eq!(read_all(&table).rows, 10, "crash at {at}");
        }
    }
}
