//! Merges during reads and writes; DDL; several processes that open the store.

use std::sync::Arc;

use entasis_base::codes;
use entasis_column::Chunk;
use entasis_disk::{Disk, MemoryDisk};
use entasis_table_api::Table;

use super::support::*;
use crate::{Store, StoreOptions, TableConfig};

fn numbers(from: u64, rows: u64) -> Chunk {
    let values: Vec<u64> = (from..from + rows).rev().collect();
    Chunk::new(vec![values.into()], rows as usize)
}

fn config() -> TableConfig {
    let mut config = TableConfig::sorted_by(schema(&[("n", "UInt64")]), &[0]);
    config.settings.index_granularity = 64;
    config
}

fn files(disk: &Arc<dyn Disk>, dir: &str) -> usize {
    disk.list(dir).unwrap().len()
}

#[test]
fn readers_keep_their_version_and_files_go_with_the_last() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk.clone(), options()).unwrap();
    let (id, table) = create(&store, config());
    for i in 0..5 {
        insert(&table, &[numbers(i * 100, 100)]).unwrap();
    }
    let dir = format!("tables/{}", id.0);
    let before = table.snapshot().unwrap();
    table.optimize(true, &context()).unwrap();
    assert_eq!(files(&disk, &dir), 6, "the pinned parts and the merged one");
    let spec = spec_of(&table);
    assert_eq!(collect(&*before, &spec, &context()).unwrap().rows, 500);
    drop(before);
    assert_eq!(files(&disk, &dir), 1);
    assert_eq!(store.parts(id)[0].name(), "all_1_5_1");
    let all = rows_of(&read_all(&table));
    assert_eq!(all, rows_of(&Chunk::new(vec![(0..500u64).collect::<Vec<_>>().into()], 500)));
    let pinned = table.snapshot().unwrap();
    store.drop_table(id).unwrap();
    assert_eq!(collect(&*pinned, &spec, &context()).unwrap().rows, 500);
    assert_eq!(insert(&table, &[numbers(0, 1)]).unwrap_err().code(), codes::TABLE_IS_DROPPED);
    drop((pinned, table));
    assert_eq!(files(&disk, "tables"), 0);
}

#[test]
fn the_background_merges_while_rows_come_and_go() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk, StoreOptions { merge: true, ..options() }).unwrap();
    let (_, table) = create(&store, config());
    let writers: Vec<_> = (0..3u64)
        .map(|w| {
            let table = Arc::clone(&table);
            std::thread::spawn(move || {
                for i in 0..20 {
                    insert(&table, &[numbers((w * 20 + i) * 10, 10)]).unwrap();
                }
            })
        })
        .collect();
    for _ in 0..50 {
        let snapshot = table.snapshot().unwrap();
        let rows = collect(&*snapshot, &spec_of(&table), &context()).unwrap().rows;
        assert_eq!(rows as u64, snapshot.row_count().unwrap());
        assert_eq!(rows % 10, 0);
    }
    for writer in writers {
        writer.join().unwrap();
    }
    let started = std::time::Instant::now();
    while table.part_summaries().len() > 20 {
        assert!(started.elapsed().as_secs() < 60, "{}", table.part_summaries().len());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    store.set_merges(None, false);
    let wanted = Chunk::new(vec![(0..600u64).collect::<Vec<_>>().into()], 600);
    assert_eq!(rows_sorted(&read_all(&table)), rows_sorted(&wanted));
    store.set_merges(None, true);
    table.optimize(true, &context()).unwrap();
    assert_eq!(rows_of(&read_all(&table)), rows_of(&wanted));
}

#[test]
fn stopped_merges_leave_the_parts_of_their_tables_alone() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk, StoreOptions { merge: true, ..options() }).unwrap();
    let (stopped, quiet) = create(&store, config());
    let id = store.create_table("default", "u", "CREATE TABLE u").unwrap();
    let busy = store.attach(id, config()).unwrap();
    store.set_merges(Some(stopped), false);
    for i in 0..12 {
        insert(&quiet, &[numbers(i * 10, 10)]).unwrap();
        insert(&busy, &[numbers(i * 10, 10)]).unwrap();
    }
    let started = std::time::Instant::now();
    while busy.part_summaries().len() > 6 {
        assert!(started.elapsed().as_secs() < 60, "{}", busy.part_summaries().len());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(quiet.part_summaries().len(), 12);
    for all in [true, false] {
        assert_eq!(quiet.optimize(all, &context()).unwrap_err().code(), codes::ABORTED);
    }
    // Stops the merges of all existing tables; a table that is created later does merge.
    store.set_merges(None, false);
    assert_eq!(busy.optimize(false, &context()).unwrap_err().code(), codes::ABORTED);
    let later = store.attach(store.create_table("default", "v", "").unwrap(), config()).unwrap();
    for i in 0..2 {
        insert(&later, &[numbers(i * 10, 10)]).unwrap();
    }
    later.optimize(true, &context()).unwrap();
    assert_eq!(later.part_summaries().len(), 1);
    store.set_merges(None, true);
    while quiet.part_summaries().len() > 6 {
        assert!(started.elapsed().as_secs() < 60, "{}", quiet.part_summaries().len());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn an_insert_that_is_dropped_leaves_nothing() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk.clone(), options()).unwrap();
    let (id, table) = create(&store, config());
    let context = context();
    let sink = table.insert(&context).unwrap();
    let mut state = sink.open().unwrap();
    state.push(entasis_pipeline::Morsel { sequence: 0, chunk: numbers(0, 10) }).unwrap();
    state.combine().unwrap();
    assert_eq!(files(&disk, &format!("tables/{}", id.0)), 1);
    drop(sink);
    assert_eq!(files(&disk, &format!("tables/{}", id.0)), 0);
    assert_eq!(read_all(&table).rows, 0);
}

#[test]
fn definitions_survive_and_names_are_guarded() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let options = || StoreOptions { checkpoint_after: 5, ..options() };
    let store = Store::open_with(disk.clone(), options()).unwrap();
    store.create_database("d", "ENGINE = Atomic").unwrap();
    assert_eq!(store.create_database("d", "").unwrap_err().code(), codes::DATABASE_ALREADY_EXISTS);
    let id = store.create_table("d", "t", "text").unwrap();
    let code = |r: entasis_base::Result<()>| r.unwrap_err().code();
    assert_eq!(code(store.create_table("d", "t", "").map(drop)), codes::TABLE_ALREADY_EXISTS);
    assert_eq!(code(store.create_table("x", "t", "").map(drop)), codes::UNKNOWN_DATABASE);
    assert_eq!(code(store.drop_database("d")), codes::DATABASE_NOT_EMPTY);
    store.rename_table(id, "d", "u").unwrap();
    store.alter_table(id, "new text").unwrap();
    let table = store.attach(id, config()).unwrap();
    for i in 0..10 {
        insert(&table, &[numbers(i, 1)]).unwrap();
    }
    let second = Store::open_with(disk.clone(), options());
    assert!(second.is_err(), "the lock is held");
    let reader =
        Store::open_with(disk.clone(), StoreOptions { read_only: true, ..options() }).unwrap();
    let seen = reader.attach(id, config()).unwrap();
    assert_eq!(read_all(&seen).rows, 10);
    assert_eq!(code(insert(&seen, &[numbers(0, 1)])), codes::TABLE_IS_READ_ONLY);
    drop((seen, reader, table, store));
    let store = Store::open_with(disk, options()).unwrap();
    let record = &store.tables()[0];
    assert_eq!((&*record.name, &*record.definition), ("u", "new text"));
    assert_eq!(store.parts(id).len(), 10);
    let table = store.attach(id, config()).unwrap();
    insert(&table, &[numbers(5, 5)]).unwrap();
    assert_eq!(store.parts(id)[10].name(), "all_11_11_0");
    drop(table);
    store.drop_table(id).unwrap();
    store.drop_database("d").unwrap();
}
