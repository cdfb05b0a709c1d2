//! Rows are found by their keys; disks fail; processes crash.

use std::collections::BTreeMap;

use entasis_base::events::Counters;
use entasis_base::{CancelToken, MemoryAccount};
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_expr::ColumnId;
use entasis_pipeline::{Morsel, Read};
use entasis_table_api::{ColumnDef, ScanSpec};
use entasis_types::DataType;

use super::*;

fn schema() -> Arc<Schema> {
    Schema::new(vec![ColumnDef::new("k", DataType::UInt64), ColumnDef::new("v", DataType::UInt64)])
}

fn prepare(disk: &dyn Disk) {
    disk.create_dir_all("tables/1").unwrap();
    disk.sync_dir("").unwrap();
    disk.sync_dir("tables").unwrap();
}

fn open(disk: &Arc<dyn Disk>, duplicates: Duplicates) -> Result<Arc<Keyed>> {
    let place = Directory::new(Arc::clone(disk), "tables/1/data".into(), false, Arc::new(()));
    let purpose = Purpose::KeyValue;
    let (engine, keys, most) = ("EmbeddedRocksDB", vec![0], (0, 0));
    let options = KeyedOptions { engine, purpose, keys, duplicates, most };
    Keyed::open(options, schema(), Some(place))
}

fn context() -> QueryContext {
    QueryContext {
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        events: Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("test", u64::MAX),
        max_threads: 1,
        max_block_size: 8192,
        max_insert_partitions: 100,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

type Row = (u64, u64);

/// Inserts rows as one statement.
fn insert(table: &Keyed, rows: &[Row]) -> Result<()> {
    let context = context();
    let sink = table.insert(&context)?;
    let mut state = sink.open()?;
    for piece in rows.chunks(2) {
        let keys: Vec<u64> = piece.iter().map(|row| row.0).collect();
        let values: Vec<u64> = piece.iter().map(|row| row.1).collect();
        let chunk = Chunk::new(vec![keys.into(), values.into()], piece.len());
        state.push(Morsel { sequence: 0, chunk })?;
    }
    state.combine()?;
    sink.finalize(&context)?;
    entasis_table_api::commit(sink.prepared()?)
}

/// All rows, sorted.
fn rows_of(snapshot: &dyn Snapshot) -> Vec<Row> {
    let spec = ScanSpec::of_columns([(ColumnId(0), 0), (ColumnId(1), 1)]);
    let mut reader = snapshot.scan(&spec, &context()).unwrap().reader().unwrap();
    let mut out = Vec::new();
    while let Read::Chunk(Morsel { chunk, .. }) = reader.next().unwrap() {
        let value = |column: usize, row| chunk.columns[column].value(row).as_u64().unwrap();
        out.extend((0..chunk.rows).map(|row| (value(0, row), value(1, row))));
    }
    assert_eq!(snapshot.row_count(), Some(out.len() as u64));
    out.sort_unstable();
    out
}

fn all(table: &Keyed) -> Vec<Row> {
    rows_of(&*table.snapshot().unwrap())
}

/// What statement number `n` inserts; `None` for TRUNCATE.
fn rows_at(n: u64) -> Option<Vec<Row>> {
    (n % 4 != 2).then(|| (0..3).map(|i| ((n + i) % 4, 10 * n + i)).collect())
}

fn step(table: &Keyed, n: u64) -> Result<()> {
    rows_at(n).map_or_else(|| table.truncate(), |rows| insert(table, &rows))
}

/// The rows of a table before and after a statement.
fn extend(n: u64, duplicates: Duplicates, rows: &mut Vec<Row>) {
    let Some(new) = rows_at(n) else { return rows.clear() };
    let mut kept: BTreeMap<u64, u64> = rows.iter().copied().collect();
    match duplicates {
        Duplicates::All => rows.extend(new),
        Duplicates::First => new.into_iter().for_each(|(k, v)| {
            kept.entry(k).or_insert(v);
        }),
        Duplicates::Last => kept.extend(new),
    }
    if duplicates != Duplicates::All {
        *rows = kept.into_iter().collect();
    }
    rows.sort_unstable();
}

const STEPS: u64 = 7;
const KINDS: [Duplicates; 3] = [Duplicates::All, Duplicates::First, Duplicates::Last];

#[test]
fn rows_are_kept_as_the_engine_says_also_after_a_restart() {
    for duplicates in KINDS {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        prepare(&*disk);
        let mut rows = Vec::new();
        for n in 0..3 * STEPS {
            let table = open(&disk, duplicates).unwrap();
            step(&table, n).unwrap();
            extend(n, duplicates, &mut rows);
            assert_eq!(all(&table), rows, "{duplicates:?} {n}");
            assert_eq!(all(&open(&disk, duplicates).unwrap()), rows, "{duplicates:?} {n}");
        }
    }
}

#[test]
fn readers_keep_what_they_began_with() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    prepare(&*disk);
    let table = open(&disk, Duplicates::Last).unwrap();
    insert(&table, &[(1, 1), (2, 2)]).unwrap();
    let before = table.snapshot().unwrap();
    insert(&table, &[(1, 10), (3, 3)]).unwrap();
    assert_eq!(rows_of(&*before), [(1, 1), (2, 2)]);
    table.truncate().unwrap();
    assert_eq!((rows_of(&*before), all(&table)), (vec![(1, 1), (2, 2)], vec![]));
}

#[test]
fn replaced_rows_are_written_anew_once_most_are_dead() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    prepare(&*disk);
    let table = open(&disk, Duplicates::Last).unwrap();
    for round in 0..5 {
        let rows: Vec<Row> = (0..40_000).map(|key| (key, key + round)).collect();
        insert(&table, &rows).unwrap();
    }
    let dead = table.0.read().dead;
    assert!(dead < 100_000, "{dead}");
    let expected: Vec<Row> = (0..40_000).map(|key| (key, key + 4)).collect();
    assert_eq!(all(&table), expected);
    assert_eq!(all(&open(&disk, Duplicates::Last).unwrap()), expected);
}

#[test]
fn acknowledged_statements_survive_a_crash() {
    for duplicates in KINDS {
        let whole = Arc::new(FaultDisk::new());
        let disk: Arc<dyn Disk> = Arc::clone(&whole) as _;
        prepare(&*disk);
        let (table, begin) = (open(&disk, duplicates).unwrap(), whole.changes());
        (0..STEPS).for_each(|n| step(&table, n).unwrap());
        for at in begin..=whole.changes() {
            for seed in 0..3 {
                let faulty = Arc::new(FaultDisk::new());
                let disk: Arc<dyn Disk> = Arc::clone(&faulty) as _;
                prepare(&*disk);
                let table = open(&disk, duplicates).unwrap();
                faulty.crash_at(at);
                let done = (0..STEPS).take_while(|n| step(&table, *n).is_ok()).count() as u64;
                let mut rows = Vec::new();
                (0..done).for_each(|n| extend(n, duplicates, &mut rows));
                let mut then = rows.clone();
                extend(done, duplicates, &mut then);
                let again: Arc<dyn Disk> = Arc::new(faulty.restart(seed));
                let found = all(&open(&again, duplicates).unwrap());
                // The statement that was running at the crash may or may not have taken effect.
                assert!(found == rows || found == then, "{duplicates:?} {at} {seed}: {found:?}");
            }
        }
    }
}

#[test]
fn a_failed_statement_leaves_memory_and_files_alike() {
    let whole = Arc::new(FaultDisk::new());
    let disk: Arc<dyn Disk> = Arc::clone(&whole) as _;
    prepare(&*disk);
    let (table, begin) = (open(&disk, Duplicates::Last).unwrap(), whole.calls());
    (0..STEPS).for_each(|n| step(&table, n).unwrap());
    for at in begin..whole.calls() {
        let faulty = Arc::new(FaultDisk::new());
        let disk: Arc<dyn Disk> = Arc::clone(&faulty) as _;
        prepare(&*disk);
        let table = open(&disk, Duplicates::Last).unwrap();
        faulty.fail_at(at, Fault::Error);
        (0..STEPS).for_each(|n| drop(step(&table, n)));
        // The next statement brings both in step, whatever failed.
        insert(&table, &[(77, 7)]).unwrap();
        let found = all(&table);
        let again: Arc<dyn Disk> = Arc::new(faulty.restart_clean());
        assert_eq!(all(&open(&again, Duplicates::Last).unwrap()), found, "call {at}");
        assert!(found.contains(&(77, 7)));
    }
}

#[test]
fn keys_are_looked_up_in_the_version_of_the_snapshot() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    prepare(&*disk);
    for (duplicates, newest) in [(Duplicates::Last, 40), (Duplicates::First, 10)] {
        let table = open(&disk, duplicates).unwrap();
        table.truncate().unwrap();
        insert(&table, &[(1, 10), (2, 20), (3, 30)]).unwrap();
        let before = table.snapshot().unwrap();
        let looked = |snapshot: &dyn Snapshot| -> Vec<Option<Row>> {
            let looked = snapshot.lookup(&[1, 0], &[vec![3_u64, 1, 9, 1].into()], 4).unwrap();
            let value = |column: usize, row| looked.columns[column].value(row).as_u64().unwrap();
            let row = |row| looked.found.get(row).then(|| (value(1, row), value(0, row)));
            (0..4).map(row).collect()
        };
        let old = vec![Some((3, 30)), Some((1, 10)), None, Some((1, 10))];
        assert!(before.looks_up());
        assert_eq!(looked(&*before), old);
        insert(&table, &[(1, 40), (9, 90)]).unwrap();
        assert_eq!(looked(&*before), old);
        let now = [Some((3, 30)), Some((1, newest)), Some((9, 90)), Some((1, newest))];
        assert_eq!(looked(&*table.snapshot().unwrap()), now);
        table.truncate().unwrap();
        assert_eq!(looked(&*before), old);
    }
}
