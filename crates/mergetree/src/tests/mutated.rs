//! Mutations: compared with a model in memory, under crashes and failing disks, beside INSERTs and
//! merges, and with damaged files.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_base::sync::SetOnDrop;
use entasis_column::{Chunk, Column, Strings};
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{Mutation, MutationSpec, ScanSpec, Table};
use entasis_types::{DataType, Value};

use super::damage::{disk_of, files};
use super::support::*;
use crate::{
    MergeTreeTable, PartSummary, RepairOptions, Store, StoreOptions, TableConfig, check, repair,
};

/// Key to number and text.
type Rows = BTreeMap<u64, (u64, String)>;

/// Which rows a mutation changes: those whose key leaves `rest` when divided by `modulus`.
#[derive(Clone, Copy, Debug)]
struct Which {
    modulus: u64,
    rest: u64,
}

impl Which {
    fn random(rng: &mut Rng) -> Self {
        let modulus = [1, 2, 3, 7, 40][rng.below(5) as usize];
        Self { modulus, rest: rng.below(modulus) }
    }

    fn has(self, key: u64) -> bool {
        key % self.modulus == self.rest
    }
}

#[derive(Clone, Debug)]
enum Change {
    Delete,
    Number(u64),
    Text(String),
    Both(u64, String),
}

#[derive(Clone, Debug)]
enum Step {
    Insert { first: u64, rows: u64 },
    Mutate { light: bool, changes: Vec<(Which, Change)> },
    Merge,
    Gather,
    Truncate,
    Reopen,
}

fn schedule(rng: &mut Rng, steps: u64) -> Vec<Step> {
    let mut next = 0;
    let change = |rng: &mut Rng| match rng.below(5) {
        0 | 1 => Change::Delete,
        2 => Change::Number(rng.below(1000)),
        3 => Change::Text(format!("text {}", rng.below(50))),
        _ => Change::Both(rng.below(1000), format!("both {}", rng.below(50))),
    };
    (0..steps)
        .map(|_| match rng.below(20) {
            0..=6 => {
                let rows = 1 + rng.below(120);
                next += rows;
                Step::Insert { first: next - rows, rows }
            }
            7..=14 => {
                let count = 1 + rng.below(3) / 2;
                let changes = (0..count).map(|_| (Which::random(rng), change(rng))).collect();
                Step::Mutate { light: rng.below(2) == 0, changes }
            }
            15 => Step::Merge,
            16 => Step::Gather,
            17 if rng.below(4) == 0 => Step::Truncate,
            _ => Step::Reopen,
        })
        .collect()
}

/// A table whose small INSERTs become parts in memory, with an index or without.
fn config(has_index: bool) -> TableConfig {
    let columns = [("k", "UInt64"), ("v", "UInt64"), ("s", "String"), ("p", "UInt8")];
    let mut config = TableConfig::sorted_by(schema(&columns), &[0]);
    config.partition_by = Some(Expr::column(ColumnId(3), DataType::UInt8));
    config.settings.index_granularity = 16;
    config.settings.max_bytes_for_memory_part = 1500;
    config.settings.parts_to_merge_in_memory = 2;
    if has_index { indexed_once(config) } else { config }
}

fn rows_from(first: u64, rows: u64) -> Chunk {
    let keys: Vec<u64> = (first..first + rows).collect();
    let texts: Strings = keys.iter().map(|k| format!("row {}", k % 9)).collect();
    let numbers: Vec<u64> = keys.iter().map(|k| k * 2).collect();
    let parts: Vec<u8> = keys.iter().map(|k| (k % 2) as u8).collect();
    let columns = vec![keys.into(), numbers.into(), texts.into(), parts.into()];
    Chunk::new(columns, rows as usize)
}

fn apply(rows: &mut Rows, step: &Step) {
    match step {
        Step::Insert { first, rows: count } => {
            let new = (*first..first + count).map(|k| (k, (k * 2, format!("row {}", k % 9))));
            rows.extend(new);
        }
        Step::Mutate { changes, .. } => {
            for (which, change) in changes {
                match change {
                    Change::Delete => rows.retain(|key, _| !which.has(*key)),
                    change => {
                        for (_, row) in rows.iter_mut().filter(|(key, _)| which.has(**key)) {
                            match change {
                                Change::Number(n) => row.0 = *n,
                                Change::Text(text) => row.1.clone_from(text),
                                Change::Both(n, text) => *row = (*n, text.clone()),
                                Change::Delete => {}
                            }
                        }
                    }
                }
            }
        }
        Step::Truncate => rows.clear(),
        Step::Merge | Step::Gather | Step::Reopen => {}
    }
}

/// The addresses of the rows that a change concerns.
fn addresses(mutation: &mut dyn Mutation, which: Which) -> Result<Vec<u64>> {
    let table = mutation.rows(None);
    let last = table.schema().columns.len() - 1;
    let spec = ScanSpec::of_columns([(ColumnId(50), 0), (ColumnId(51), last)]);
    let found = collect(&*table.snapshot()?, &spec, &context())?;
    let Some([keys, rows]) = found.columns.first_chunk::<2>() else { return Ok(Vec::new()) };
    let value = |column: &Column, row: usize| column.value(row).as_u64().unwrap();
    let wanted = (0..found.rows).filter(|row| which.has(value(keys, *row)));
    Ok(wanted.map(|row| value(rows, row)).collect())
}

fn run_change(mutation: &mut dyn Mutation, which: Which, change: &Change) -> Result<()> {
    let context = context();
    let found = addresses(mutation, which)?;
    let rows = found.len();
    let of_text = |text: &str| Column::from((0..rows).map(|_| text).collect::<Strings>());
    let chunk = |values: Vec<Column>| {
        let columns = std::iter::once(Column::from(found.clone())).chain(values).collect();
        vec![Chunk::new(columns, rows)]
    };
    match change {
        Change::Delete => mutation.delete(chunk(Vec::new()), &context),
        Change::Number(n) => mutation.update(&[1], chunk(vec![vec![*n; rows].into()]), &context),
        Change::Text(text) => mutation.update(&[2], chunk(vec![of_text(text)]), &context),
        Change::Both(n, text) => {
            // The values of the columns in another order than that of the schema.
            let values = vec![of_text(text), vec![*n; rows].into()];
            mutation.update(&[2, 1], chunk(values), &context)
        }
    }
}

fn mutate(table: &MergeTreeTable, light: bool, changes: &[(Which, Change)]) -> Result<()> {
    let spec = MutationSpec { light, commands: vec!["(TEST)".into()], partitions: None };
    let mut mutation = table.mutate(spec, &context())?;
    for (which, change) in changes {
        run_change(&mut *mutation, *which, change)?;
    }
    mutation.commit()
}

fn contents_of(chunk: &Chunk) -> Rows {
    let mut rows = Rows::new();
    for row in 0..chunk.rows {
        let number = |at: usize| chunk.columns[at].value(row).as_u64().unwrap();
        let text = chunk.columns[2].value(row);
        let text = String::from_utf8(text.as_bytes().unwrap().to_vec()).unwrap();
        let before = rows.insert(number(0), (number(1), text));
        assert!(before.is_none(), "row {} is there twice", number(0));
    }
    rows
}

fn contents(table: &MergeTreeTable) -> Result<Rows> {
    let snapshot = table.snapshot()?;
    let chunk = collect(&*snapshot, &spec_of(table), &context())?;
    assert_eq!(snapshot.row_count(), Some(chunk.rows as u64));
    let in_order = ScanSpec { sorted_prefix: 1, ..spec_of(table) };
    let ordered = collect(&*snapshot, &in_order, &context())?;
    let rows = contents_of(&chunk);
    assert!(rows == contents_of(&ordered), "in key order");
    Ok(rows)
}

/// Reads with conditions on the changed column and on the key, and compares with the model. What
/// metadata answers must be right, too.
fn check_conditions(table: &MergeTreeTable, model: &Rows, rng: &mut Rng) {
    let snapshot = table.snapshot().unwrap();
    for (at, name) in [(1, "equals"), (1, "less"), (1, "greaterOrEquals"), (0, "less")] {
        let value = rng.below(1000);
        let id = ColumnId(100 + at as u32);
        let filter = vec![compare(name, id, &DataType::UInt64, Value::UInt(value))];
        let spec = ScanSpec { filter, ..spec_of(table) };
        let found = contents_of(&collect(&*snapshot, &spec, &context()).unwrap());
        let passes = |key: u64, number: u64| {
            let it = if at == 0 { key } else { number };
            match name {
                "equals" => it == value,
                "less" => it < value,
                _ => it >= value,
            }
        };
        let wanted: Rows = model
            .iter()
            .filter(|(key, row)| passes(**key, row.0))
            .map(|(key, row)| (*key, row.clone()))
            .collect();
        assert!(found == wanted, "column {at} {name} {value}: {found:?}, wanted {wanted:?}");
    }
    if let Some((min, max)) = snapshot.column_range(1) {
        let values = || model.values().map(|row| row.0);
        assert_eq!(min.as_u64(), values().min());
        assert_eq!(max.as_u64(), values().max());
    }
    if let Some(defaults) = snapshot.default_count(1) {
        assert_eq!(defaults, model.values().filter(|row| row.0 == 0).count() as u64);
    }
}

fn open(disk: &Arc<dyn Disk>) -> Result<(Store, Arc<MergeTreeTable>)> {
    open_or_create(disk, true)
}

/// The text of the definition says whether the table has an index.
fn open_or_create(disk: &Arc<dyn Disk>, has_index: bool) -> Result<(Store, Arc<MergeTreeTable>)> {
    let options = StoreOptions { checkpoint_after: 4, ..options() };
    let store = Store::open_with(Arc::clone(disk), options)?;
    if store.databases().is_empty() {
        store.create_database("default", "")?;
    }
    let id = match store.tables().first() {
        Some(table) => table.id,
        None => store.create_table("default", "t", if has_index { "indexed" } else { "" })?,
    };
    let has_index = store.tables().iter().any(|table| table.definition == "indexed");
    let table = store.attach(id, config(has_index))?;
    Ok((store, table))
}

/// The rows that must be there, and the step that was running when the process crashed.
#[derive(Clone, Debug, Default)]
struct Model {
    sure: Rows,
    doubt: Option<Step>,
}

fn run(
    disk: &Arc<dyn Disk>,
    steps: &[Step],
    model: &mut Model,
    each: &mut dyn FnMut(&MergeTreeTable, &Rows),
) -> Result<()> {
    let inserts = steps.iter().filter(|step| matches!(step, Step::Insert { .. })).count();
    let (mut store, mut table) = open_or_create(disk, inserts.is_multiple_of(2))?;
    for step in steps {
        model.doubt = Some(step.clone());
        match step {
            Step::Insert { first, rows } => insert(&table, &[rows_from(*first, *rows)])?,
            Step::Mutate { light, changes } => mutate(&table, *light, changes)?,
            Step::Gather => drop(table.core.gather(&|| true)?),
            Step::Merge => table.optimize(true, &context())?,
            Step::Truncate => table.truncate()?,
            Step::Reopen => {
                drop((table, store));
                (store, table) = open(disk)?;
            }
        }
        apply(&mut model.sure, step);
        model.doubt = None;
        each(&table, &model.sure);
    }
    assert!(contents(&table)? == model.sure, "without a crash");
    drop(store);
    Ok(())
}

fn schedules(default: u64) -> u64 {
    std::env::var("ENTASIS_CRASH_SCHEDULES").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// The numbers of files that parts name, and of files that are there.
fn file_counts(disk: &dyn Disk, table: &MergeTreeTable) -> (usize, usize) {
    let of = |part: &PartSummary| part.written_files().count();
    let named = table.part_summaries().iter().map(of).sum();
    // A start after a crash may have moved files to `lost/`.
    let is_part = |path: &&String| path.starts_with("tables/") && path.contains('-');
    (named, files(disk).keys().filter(is_part).count())
}

#[test]
fn random_sequences_of_changes_agree_with_a_model() {
    for seed in 0..schedules(60) {
        let mut rng = Rng::new(seed + 70_000);
        let steps = schedule(&mut rng, 30);
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let of_disk = Arc::clone(&disk);
        run(&disk, &steps, &mut Model::default(), &mut |table, model| {
            assert!(contents(table).unwrap() == *model, "seed {seed}: {steps:?}");
            check_conditions(table, model, &mut rng);
            let (named, there) = file_counts(&*of_disk, table);
            assert_eq!(named, there, "seed {seed}: files are left over or missing");
        })
        .unwrap();
        let mut damaged = Vec::new();
        check(&*disk, &NoOwnData, &mut |finding| damaged.push(finding.clone())).unwrap();
        assert!(damaged.is_empty(), "{damaged:?}");
    }
}

#[test]
fn a_mutation_is_there_as_a_whole_after_a_crash_at_any_point() {
    for seed in 0..schedules(40) {
        let mut rng = Rng::new(seed);
        let count = 4 + rng.below(6);
        let steps = schedule(&mut rng, count);
        let whole = Arc::new(FaultDisk::new());
        let nothing = &mut |_: &MergeTreeTable, _: &Rows| {};
        run(&(whole.clone() as Arc<dyn Disk>), &steps, &mut Model::default(), nothing).unwrap();
        let changes = whole.changes();
        let stride = if seed < 3 { 1 } else { 1 + changes / 10 };
        let mut at = rng.below(stride);
        while at < changes {
            let disk = Arc::new(FaultDisk::new());
            disk.crash_at(at);
            let mut model = Model::default();
            let _ = run(&(disk.clone() as Arc<dyn Disk>), &steps, &mut model, nothing);
            let survivor: Arc<dyn Disk> = Arc::new(disk.restart(seed * 1000 + at));
            let what = format!("seed {seed}, crash at {at} of {changes}");
            let (_store, table) = open(&survivor).unwrap_or_else(|e| panic!("{what}: {e}"));
            let found = contents(&table).unwrap_or_else(|e| panic!("{what}: {e}"));
            let mut other = model.sure.clone();
            if let Some(step) = &model.doubt {
                apply(&mut other, step);
            }
            assert!(found == model.sure || found == other, "{what}: {found:?}, {model:?}");
            // The store works, and nothing is left over.
            let changes = [(Which { modulus: 2, rest: 1 }, Change::Number(5))];
            mutate(&table, seed % 2 == 0, &changes).unwrap();
            let mut wanted = found;
            apply(&mut wanted, &Step::Mutate { light: true, changes: changes.to_vec() });
            assert!(contents(&table).unwrap() == wanted, "{what}");
            let (named, there) = file_counts(&*survivor, &table);
            assert_eq!(named, there, "{what}: files are left over or missing");
            at += stride;
        }
    }
}

#[test]
fn a_failing_disk_leaves_mutations_whole() {
    for seed in 0..schedules(30) {
        let mut rng = Rng::new(seed + 9000);
        let steps = schedule(&mut rng, 10);
        let nothing = &mut |_: &MergeTreeTable, _: &Rows| {};
        let whole = Arc::new(FaultDisk::new());
        run(&(whole.clone() as Arc<dyn Disk>), &steps, &mut Model::default(), nothing).unwrap();
        let calls = whole.calls();
        for fault in
            [Fault::Error, Fault::NoSpace, Fault::ShortWrite, Fault::SyncFails, Fault::ReadFails]
        {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(rng.below(calls), fault);
            let mut model = Model::default();
            let result = run(&(disk.clone() as Arc<dyn Disk>), &steps, &mut model, nothing);
            let what = format!("seed {seed}, {fault:?}, {:?}", result.err());
            let survivor: Arc<dyn Disk> = Arc::new(disk.restart(seed));
            let (_store, table) = open(&survivor).unwrap_or_else(|e| panic!("{what}: {e}"));
            let found = contents(&table).unwrap_or_else(|e| panic!("{what}: {e}"));
            let mut other = model.sure.clone();
            if let Some(step) = &model.doubt {
                apply(&mut other, step);
            }
            assert!(found == model.sure || found == other, "{what}: {found:?}, {model:?}");
        }
    }
}

/// Work on a table may outlast DETACH. If ATTACH made another table of it, with other locks, a
/// merge of the one could replace parts under a mutation of the other.
#[test]
fn a_table_that_is_attached_again_has_the_same_locks() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = open(&disk).unwrap();
    let again = store.attach(store.tables()[0].id, config(true)).unwrap();
    assert!(Arc::ptr_eq(&table.core, &again.core));
}

#[test]
fn inserts_merges_and_mutations_run_side_by_side() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = open(&disk).unwrap();
    let (done, inserted) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _running = SetOnDrop(&done);
            for round in 0..60u64 {
                insert(&table, &[rows_from(round * 50, 50)]).unwrap();
                inserted.store((round + 1) * 50, Ordering::SeqCst);
            }
        });
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                table.optimize(true, &context()).unwrap();
            }
        });
        // Each mutation sets a number and its text together: readers see both or neither.
        scope.spawn(|| {
            let mut round = 0u64;
            while !done.load(Ordering::SeqCst) {
                let before = inserted.load(Ordering::SeqCst);
                let which = Which { modulus: 3, rest: 1 };
                let change = Change::Both(round, format!("both {round}"));
                mutate(&table, round % 2 == 0, &[(which, change)]).unwrap();
                let rows = contents(&table).unwrap();
                for key in (0..before).filter(|key| which.has(*key)) {
                    assert_eq!(rows[&key].0, round, "row {key} was not changed");
                }
                round += 1;
            }
        });
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                let before = inserted.load(Ordering::SeqCst);
                let rows = contents(&table).unwrap();
                assert!(rows.len() as u64 >= before, "rows are lost");
                let changed = rows.values().filter(|row| row.1.starts_with("both"));
                for (number, text) in changed {
                    assert_eq!(*text, format!("both {number}"));
                }
            }
        });
    });
    assert_eq!(contents(&table).unwrap().len(), 3000);
    mutate(&table, false, &[(Which { modulus: 1, rest: 0 }, Change::Delete)]).unwrap();
    assert!(contents(&table).unwrap().is_empty());
    assert_eq!(table.part_summaries().len(), 0);
    assert_eq!(store.running_mutations().len(), 0);
}

#[test]
fn a_reader_keeps_the_rows_it_began_with() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (_store, table) = open(&disk).unwrap();
    insert(&table, &[rows_from(0, 100)]).unwrap();
    let all = Which { modulus: 2, rest: 0 };
    mutate(&table, true, &[(Which { modulus: 40, rest: 1 }, Change::Number(7))]).unwrap();
    let snapshot = table.snapshot().unwrap();
    let before = contents(&table).unwrap();
    mutate(&table, true, &[(all, Change::Delete)]).unwrap();
    mutate(&table, false, &[(Which { modulus: 1, rest: 0 }, Change::Number(8))]).unwrap();
    table.optimize(true, &context()).unwrap();
    let read = collect(&*snapshot, &spec_of(&table), &context()).unwrap();
    assert!(contents_of(&read) == before);
    drop(snapshot);
    let (named, there) = file_counts(&*disk, &table);
    assert_eq!(named, there);
}

#[test]
fn a_mutation_that_is_dropped_leaves_nothing() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = open(&disk).unwrap();
    insert(&table, &[rows_from(0, 100)]).unwrap();
    let before = contents(&table).unwrap();
    let mut mutation = table.mutate(MutationSpec::default(), &context()).unwrap();
    run_change(&mut *mutation, Which { modulus: 2, rest: 0 }, &Change::Number(1)).unwrap();
    run_change(&mut *mutation, Which { modulus: 3, rest: 0 }, &Change::Delete).unwrap();
    assert_eq!(store.running_mutations().len(), 1);
    drop(mutation);
    assert!(contents(&table).unwrap() == before);
    let (named, there) = file_counts(&*disk, &table);
    assert_eq!((named, store.running_mutations().len()), (there, 0));
    // A table that was truncated meanwhile stays empty.
    let mut mutation = table.mutate(MutationSpec::default(), &context()).unwrap();
    run_change(&mut *mutation, Which { modulus: 2, rest: 0 }, &Change::Number(1)).unwrap();
    table.truncate().unwrap();
    insert(&table, &[rows_from(500, 3)]).unwrap();
    mutation.commit().unwrap();
    assert_eq!(contents(&table).unwrap().len(), 3);
    let (named, there) = file_counts(&*disk, &table);
    assert_eq!(named, there);
}

#[test]
fn damaged_overlays_are_found_and_can_be_detached() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (store, table) = open(&disk).unwrap();
    insert(&table, &[rows_from(0, 100)]).unwrap();
    mutate(&table, false, &[(Which { modulus: 2, rest: 0 }, Change::Number(1))]).unwrap();
    mutate(&table, true, &[(Which { modulus: 3, rest: 0 }, Change::Delete)]).unwrap();
    let id = table.part_summaries();
    let overlay = id.iter().flat_map(|part| part.overlays.iter()).next().unwrap().file.clone();
    drop((table, store));
    let good = files(&*disk);
    let path = good.keys().find(|path| path.ends_with(&overlay)).unwrap().clone();
    for damage in 0..3 {
        let mut damaged = good.clone();
        match damage {
            0 => drop(damaged.remove(&path)),
            1 => damaged.get_mut(&path).unwrap().truncate(50),
            _ => damaged.get_mut(&path).unwrap()[12] ^= 0x55,
        }
        let disk = disk_of(&damaged);
        let mut found = Vec::new();
        check(&*disk, &NoOwnData, &mut |finding| found.push(finding.path.clone())).unwrap();
        assert!(found.iter().all(|p| *p == path) && !found.is_empty(), "{found:?}");
        let options = RepairOptions { detach_damaged: true };
        let left = repair(&disk, &NoOwnData, options, &mut |_| {}).unwrap();
        assert!(left.is_empty(), "{left:?}");
        let (_store, table) = open(&disk).unwrap();
        assert!(contents(&table).unwrap().len() >= 66, "damage {damage}");
    }
}
