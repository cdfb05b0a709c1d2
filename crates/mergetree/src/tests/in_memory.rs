//! Parts in memory: what an INSERT costs, and that no row is lost, read twice or left out while
//! parts are merged, written to files, mutated and moved.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use entasis_base::sync::SetOnDrop;
use entasis_column::Chunk;
use entasis_disk::{Disk, FaultDisk, MemoryDisk};
use entasis_expr::ColumnId;
use entasis_table_api::{Mutation, MutationSpec, Repeats, ScanSpec, Table, insert_chunks};
use entasis_types::{DataType, Value};

use super::support::*;
use crate::{
    MergeTreeTable, Op, PartitionCommand, PartsOf, Store, StoreOptions, TableConfig, check,
};

fn config() -> TableConfig {
    let mut config = TableConfig::sorted_by(schema(&[("key", "UInt64"), ("text", "String")]), &[0]);
    config.settings.max_bytes_for_memory_part = 10_000;
    config.settings.parts_to_merge_in_memory = 4;
    config
}

fn row(key: u64) -> Chunk {
    let text = format!("text {key}");
    Chunk::new(vec![vec![key].into(), entasis_column::Strings::from_iter([&*text]).into()], 1)
}

fn store(disk: &Arc<dyn Disk>) -> (Store, Arc<MergeTreeTable>) {
    let store = Store::open_with(Arc::clone(disk), options()).unwrap();
    let (_, table) = create(&store, config());
    (store, table)
}

fn keys(table: &MergeTreeTable) -> Vec<u64> {
    let chunk = read_all(table);
    let mut keys: Vec<u64> =
        (0..chunk.rows).map(|i| chunk.columns[0].value(i).as_u64().unwrap()).collect();
    keys.sort_unstable();
    keys
}

fn in_memory(table: &MergeTreeTable) -> usize {
    table.part_summaries().iter().filter(|part| part.is_in_memory()).count()
}

fn files(disk: &dyn Disk, table: &MergeTreeTable) -> usize {
    disk.list(&format!("tables/{}", table.id().0)).unwrap().len()
}

fn gather(table: &MergeTreeTable) {
    while table.core.gather(&|| true).unwrap() {}
}

#[test]
fn a_small_insert_syncs_the_log_alone_and_writes_no_file() {
    let disk = Arc::new(FaultDisk::new());
    let (_store, table) = store(&(disk.clone() as Arc<dyn Disk>));
    insert(&table, &[row(0)]).unwrap();
    let before = disk.counts();
    insert(&table, &[row(1)]).unwrap();
    assert_eq!(disk.counts().since(&before).syncs(), 1);
    assert_eq!((files(&*disk, &table), in_memory(&table)), (0, 2));
    let many: Vec<Chunk> = (10..2000).map(row).collect();
    insert(&table, &[Chunk::concat(&many)]).unwrap();
    assert_eq!((files(&*disk, &table), in_memory(&table)), (1, 2));
}

#[test]
fn rows_stay_when_parts_are_merged_in_memory_written_to_files_and_read_again() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = store(&disk);
    let all: Vec<u64> = (0..60).collect();
    for key in &all {
        insert(&table, &[row(*key)]).unwrap();
        if key % 7 == 0 {
            gather(&table);
        }
        assert_eq!(keys(&table), all[..=*key as usize]);
    }
    gather(&table);
    assert!(in_memory(&table) < 12, "{}", in_memory(&table));
    drop((table, store));
    let (store, table) = reopen(&disk, config());
    assert_eq!(keys(&table), all);
    table.write_parts_in_memory().unwrap();
    assert_eq!((keys(&table), in_memory(&table)), (all.clone(), 0));
    assert_eq!(files(&*disk, &table), table.part_summaries().len());
    drop((table, store));
    let report = check(&*disk, &NoOwnData, &mut |finding| panic!("{finding:?}")).unwrap();
    assert_eq!((report.damaged, report.unnamed), (0, 0));
    let (_store, table) = reopen(&disk, config());
    table.optimize(true, &context()).unwrap();
    assert_eq!((keys(&table), files(&*disk, &table)), (all, 1));
}

#[test]
fn old_and_large_parts_in_memory_become_one_file() {
    for by_age in [true, false] {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
        let mut config = config();
        config.settings.parts_to_merge_in_memory = 100;
        match by_age {
            true => config.settings.max_seconds_in_memory = 0,
            false => config.settings.max_bytes_in_memory = 6000,
        }
        let (_, table) = create(&store, config);
        (0..20).for_each(|key| insert(&table, &[row(key)]).unwrap());
        gather(&table);
        assert_eq!((in_memory(&table), files(&*disk, &table)), (0, 1));
        assert_eq!(keys(&table), (0..20).collect::<Vec<_>>());
        insert(&table, &[row(20)]).unwrap();
        gather(&table);
        let (kept, written) = if by_age { (0, 2) } else { (1, 1) };
        assert_eq!((in_memory(&table), files(&*disk, &table)), (kept, written));
        assert_eq!(keys(&table), (0..=20).collect::<Vec<_>>());
    }
}

#[test]
fn readers_see_every_acknowledged_row_once_while_parts_are_merged_and_written() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(disk, StoreOptions { merge: true, ..options() }).unwrap();
    let mut config = config();
    config.settings.max_bytes_in_memory = 20_000;
    let (_, table) = create(&store, config);
    let (acknowledged, done) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let (table, acknowledged, done) = (&table, &acknowledged, &done);
        let _running = SetOnDrop(done);
        let writer = |number: u64| {
            move || {
                for i in 0..150 {
                    insert(table, &[row(number * 1000 + i)]).unwrap();
                    acknowledged.fetch_add(1, Ordering::SeqCst);
                }
            }
        };
        let writers: Vec<_> = (0..4).map(|number| scope.spawn(writer(number))).collect();
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let least = acknowledged.load(Ordering::SeqCst) as usize;
                    let keys = keys(table);
                    let distinct: BTreeSet<u64> = keys.iter().copied().collect();
                    assert_eq!(distinct.len(), keys.len(), "a row is there twice");
                    assert!(keys.len() >= least, "{} of {least} rows", keys.len());
                }
            });
        }
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                let _ = table.core.gather(&|| true).unwrap();
                thread::yield_now();
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    });
    assert_eq!(keys(&table).len(), 600);
}

#[test]
fn a_mutation_changes_parts_in_memory_and_later_ones_are_merged_meanwhile() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = store(&disk);
    (0..8).for_each(|key| insert(&table, &[row(key)]).unwrap());
    let spec = MutationSpec { commands: vec!["DELETE".into()], light: false, partitions: None };
    let mut mutation = table.mutate(spec, &context()).unwrap();
    (8..16).for_each(|key| insert(&table, &[row(key)]).unwrap());
    gather(&table);
    assert_eq!(in_memory(&table), 8 + 1, "the parts that are mutated stay as they are");
    delete_where(&mut *mutation, &|key| key % 2 == 0);
    mutation.commit().unwrap();
    let left: Vec<u64> = (0..16).filter(|key| *key > 7 || key % 2 == 1).collect();
    assert_eq!(keys(&table), left);
    gather(&table);
    assert_eq!(keys(&table), left);
    drop((table, store));
    let (_store, table) = reopen(&disk, config());
    assert_eq!(keys(&table), left);
}

/// Deletes the rows of a mutation whose keys `which` accepts.
fn delete_where(mutation: &mut dyn Mutation, which: &dyn Fn(u64) -> bool) {
    let rows = mutation.rows(None);
    let last = rows.schema().columns.len() - 1;
    let spec = ScanSpec::of_columns([(ColumnId(50), 0), (ColumnId(51), last)]);
    let found = collect(&*rows.snapshot().unwrap(), &spec, &context()).unwrap();
    let value = |column: usize, row: usize| found.columns[column].value(row).as_u64().unwrap();
    let addresses = (0..found.rows).filter(|row| which(value(0, *row))).map(|row| value(1, row));
    let addresses: Vec<u64> = addresses.collect();
    let count = addresses.len();
    mutation.delete(vec![Chunk::new(vec![addresses.into()], count)], &context()).unwrap();
}

#[test]
fn parts_in_memory_are_detached_copied_frozen_and_dropped() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = store(&disk);
    let id = store.create_table("default", "other", "CREATE TABLE other").unwrap();
    let other = store.attach(id, config()).unwrap();
    (0..5).for_each(|key| insert(&table, &[row(key)]).unwrap());
    let all: Vec<u64> = (0..5).collect();
    let run = |to: &MergeTreeTable, command| to.change_partitions(&[command], &context()).unwrap();
    run(&table, PartitionCommand::Detach(PartsOf::Table));
    assert_eq!(keys(&table), [0u64; 0]);
    run(&table, PartitionCommand::Attach(PartsOf::Table));
    assert_eq!(keys(&table), all);
    let from = Arc::clone(&table);
    let copy = PartitionCommand::CopyFrom { parts: PartsOf::Table, from, replace: true };
    run(&other, copy);
    assert_eq!((keys(&other), keys(&table)), (all.clone(), all.clone()));
    assert_eq!(table.freeze(&PartsOf::Table, "shadow/1").unwrap(), 5);
    store.execute_all(vec![Op::DropTable { id: table.id() }]).unwrap();
    drop((table, other, store));
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let other = store.attach(id, config()).unwrap();
    assert_eq!(keys(&other), all);
    other.truncate().unwrap();
    drop((other, store));
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    assert_eq!(keys(&store.attach(id, config()).unwrap()), [0u64; 0]);
}

#[test]
fn an_insert_with_a_token_is_stored_once() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (_store, table) = store(&disk);
    for _ in 0..2 {
        let context = context();
        let sink = table.insert_once(&context, Repeats::ByToken("a".into())).unwrap();
        insert_chunks(&sink, vec![row(1)], &context).unwrap();
    }
    assert_eq!((keys(&table), in_memory(&table)), (vec![1], 1));
}

#[test]
fn inserts_go_to_files_when_too_much_is_in_memory() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = Store::open_with(Arc::clone(&disk), options()).unwrap();
    let mut config = config();
    config.settings.max_bytes_in_memory = 1;
    let (_, table) = create(&store, config);
    (0..5).for_each(|key| insert(&table, &[row(key)]).unwrap());
    assert_eq!((in_memory(&table), files(&*disk, &table)), (1, 4));
    assert_eq!(keys(&table), (0..5).collect::<Vec<_>>());
}

/// How many indices of active parts are in memory.
fn indices_in_memory(table: &MergeTreeTable) -> usize {
    let parts = table.part_summaries();
    parts.iter().flat_map(|part| &part.companions).filter(|c| c.content.is_some()).count()
}

/// The granules that a scan for one key by the text reads.
fn granules_of(table: &MergeTreeTable, key: u64) -> usize {
    let text = Value::from(&*format!("text {key}"));
    let filter = vec![compare("equals", ColumnId(101), &DataType::String, text)];
    let spec = ScanSpec { filter, ..spec_of(table) };
    let snapshot = table.snapshot().unwrap();
    assert_eq!(collect(&*snapshot, &spec, &context()).unwrap().rows, 1);
    let source = snapshot.scan(&spec, &context()).unwrap();
    source.report().iter().find(|(name, _)| *name == "granules").unwrap().1 as usize
}

#[test]
fn indices_of_parts_in_memory_are_in_memory_too() {
    let disk = Arc::new(FaultDisk::new());
    let on = disk.clone() as Arc<dyn Disk>;
    let store = Store::open_with(Arc::clone(&on), options()).unwrap();
    let config = || indexed_once(config());
    let (_, table) = create(&store, config());
    insert(&table, &[row(0)]).unwrap();
    let before = disk.counts();
    insert(&table, &[row(1)]).unwrap();
    assert_eq!(disk.counts().since(&before).syncs(), 1);
    (2..6).for_each(|key| insert(&table, &[row(key)]).unwrap());
    assert_eq!((files(&*on, &table), in_memory(&table), indices_in_memory(&table)), (0, 6, 6));
    assert_eq!(granules_of(&table, 3), 1);
    gather(&table);
    assert_eq!((files(&*on, &table), in_memory(&table), indices_in_memory(&table)), (0, 1, 1));
    drop((table, store));
    let (store, table) = reopen(&on, config());
    insert(&table, &[row(6)]).unwrap();
    assert_eq!((indices_in_memory(&table), granules_of(&table, 6)), (2, 1));
    let run = |to: &MergeTreeTable, command| to.change_partitions(&[command], &context()).unwrap();
    run(&table, PartitionCommand::Detach(PartsOf::Table));
    drop((table, store));
    let (store, table) = reopen(&on, config());
    run(&table, PartitionCommand::Attach(PartsOf::Table));
    let id = store.create_table("default", "other", "CREATE TABLE other").unwrap();
    let other = store.attach(id, config()).unwrap();
    let (parts, from) = (PartsOf::Table, Arc::clone(&table));
    run(&other, PartitionCommand::CopyFrom { parts, from, replace: true });
    assert_eq!((indices_in_memory(&table), indices_in_memory(&other)), (2, 2));
    assert_eq!((granules_of(&table, 6), granules_of(&other, 6)), (1, 1));
    assert_eq!(table.freeze(&PartsOf::Table, "shadow/1").unwrap(), 2);
    table.write_parts_in_memory().unwrap();
    assert_eq!((files(&*on, &table), in_memory(&table), indices_in_memory(&table)), (4, 0, 0));
    assert_eq!((keys(&table), granules_of(&table, 6)), ((0..7).collect(), 1));
    drop((table, other, store));
    let report = check(&*on, &NoOwnData, &mut |finding| panic!("{finding:?}")).unwrap();
    assert_eq!((report.damaged, report.unnamed), (0, 0));
    let store = Store::open_with(Arc::clone(&on), options()).unwrap();
    for record in store.tables() {
        let table = store.attach(record.id, config()).unwrap();
        assert_eq!((keys(&table), granules_of(&table, 6)), ((0..7).collect(), 1));
        table.optimize(true, &context()).unwrap();
        assert_eq!((files(&*on, &table), granules_of(&table, 6)), (2, 1));
    }
}
