//! An INSERT into a table and its dependents: the rows of all tables become visible together, or
//! none do.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::sync::SetOnDrop;
use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_disk::{Disk, Fault, FaultDisk, MemoryDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_pipeline::{Discard, Flow, Operator, OperatorState, Output};
use entasis_table_api::{
    Dependent, FanOut, InsertSink, PinnedStores, Repeats, Table, insert_chunks,
};
use entasis_types::DataType;

use super::support::*;
use crate::{MergeTreeTable, Op, Store, StoreOptions, TableConfig};

/// An operator that maps each chunk to chunks.
#[derive(Clone, Copy)]
struct Map(fn(Chunk) -> Result<Vec<Chunk>>);

impl Operator for Map {
    fn name(&self) -> String {
        "Map".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(*self))
    }
}

impl OperatorState for Map {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        for chunk in (self.0)(chunk)? {
            out.push(chunk)?;
        }
        Ok(Flow::More)
    }
}

/// Keeps one row of each worker, and pushes it at the end.
#[derive(Clone, Default)]
struct Last(Option<Chunk>);

impl Operator for Last {
    fn name(&self) -> String {
        "Last".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(self.clone()))
    }
}

impl OperatorState for Last {
    fn push(&mut self, chunk: Chunk, _: &mut dyn Output) -> Result<Flow> {
        self.0 = Some(chunk.slice(chunk.rows - 1, 1));
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.0.take().map_or(Ok(Flow::More), |chunk| out.push(chunk))
    }
}

/// Every row twice, each time in another chunk.
fn twice(chunk: Chunk) -> Result<Vec<Chunk>> {
    Ok(vec![chunk.clone(), chunk])
}

fn fails(_: Chunk) -> Result<Vec<Chunk>> {
    Err(Error::new(codes::ILLEGAL_COLUMN, "this row is refused"))
}

/// A table with three partitions.
fn config() -> TableConfig {
    let columns = schema(&[("part", "UInt8"), ("statement", "UInt64")]);
    let mut config = TableConfig::sorted_by(columns, &[1]);
    config.partition_by = Some(Expr::column(ColumnId(0), DataType::UInt8));
    config
}

fn rows_for(statement: u64) -> Chunk {
    let part: Vec<u8> = (0..6).map(|i| i % 3).collect();
    Chunk::new(vec![part.into(), vec![statement; 6].into()], 6)
}

/// What one INSERT of [`rows_for`] adds to the three tables.
const ADDED: [usize; 3] = [6, 12, 1];

/// A store with a table and two dependents.
struct Tables {
    store: Store,
    all: [Arc<MergeTreeTable>; 3],
}

impl Tables {
    fn open(disk: Arc<dyn Disk>) -> Result<Self> {
        Self::open_with(disk, options())
    }

    fn open_with(disk: Arc<dyn Disk>, options: StoreOptions) -> Result<Self> {
        let store = Store::open_with(disk, options)?;
        if store.databases().is_empty() {
            store.create_database("default", "")?;
        }
        let mut all = Vec::new();
        for name in ["t", "doubled", "last"] {
            let id = match store.tables().iter().find(|table| table.name == name) {
                Some(table) => table.id,
                None => store.create_table("default", name, "")?,
            };
            all.push(store.attach(id, config())?);
        }
        let Ok(all) = all.try_into() else { panic!("three tables") };
        Ok(Self { store, all })
    }

    fn in_memory() -> (Arc<FaultDisk>, Self) {
        let disk = Arc::new(FaultDisk::new());
        let tables = Self::open(disk.clone() as Arc<dyn Disk>).unwrap();
        (disk, tables)
    }

    fn sink(&self, doubled: Map, by: Repeats) -> Result<Arc<dyn InsertSink>> {
        let [table, first, second] = &self.all;
        let dependents = vec![
            dependent(
                "doubled",
                vec![Arc::new(doubled)],
                first.insert_once(&context(), by.of_dependent())?,
            ),
            dependent("last", vec![Arc::new(Last::default())], second.insert(&context())?),
        ];
        Ok(FanOut::sink(table.insert_once(&context(), by)?, dependents))
    }

    fn insert(&self, statement: u64, by: Repeats) -> Result<()> {
        let sink = self.sink(Map(twice), by)?;
        insert_chunks(&sink, vec![rows_for(statement)], &context())
    }

    fn counts(&self) -> [usize; 3] {
        self.all.each_ref().map(|table| read_all(table).rows)
    }

    /// The number of INSERTs whose rows are there. Fails the test if some table lacks a part of
    /// them.
    fn statements(&self, what: &str) -> usize {
        let counts = self.counts();
        let statements = counts[0] / ADDED[0];
        assert_eq!(counts, ADDED.map(|added| added * statements), "{what}");
        statements
    }

    /// The number of files in the directories of all tables.
    fn files(&self, disk: &dyn Disk) -> usize {
        let list = |table: &Arc<MergeTreeTable>| disk.list(&format!("tables/{}", table.id().0));
        self.all.iter().map(|table| list(table).unwrap().len()).sum()
    }
}

fn dependent(
    name: &str,
    operators: Vec<Arc<dyn Operator>>,
    sink: Arc<dyn InsertSink>,
) -> Dependent {
    Dependent { name: name.into(), operators, sink }
}

/// Runs two INSERTs and counts the acknowledged ones.
fn run(disk: &Arc<FaultDisk>, acknowledged: &AtomicUsize) -> Result<()> {
    let options = StoreOptions { checkpoint_after: 3, ..options() };
    let tables = Tables::open_with(disk.clone() as Arc<dyn Disk>, options)?;
    for statement in 0..2 {
        tables.insert(statement, Repeats::Stored)?;
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// A disk without failures.
fn without_faults() -> Arc<FaultDisk> {
    let disk = Arc::new(FaultDisk::new());
    run(&disk, &AtomicUsize::new(0)).unwrap();
    let tables = Tables::open(Arc::new(disk.restart_clean())).unwrap();
    assert_eq!(tables.statements("without a fault"), 2);
    disk
}

/// Checks the tables after a restart: every acknowledged INSERT is there, and perhaps one more, but
/// none in part. Then runs another INSERT.
fn look_at(disk: &Arc<FaultDisk>, seed: u64, acknowledged: &AtomicUsize, what: &str) {
    let known = acknowledged.load(Ordering::Relaxed);
    let survivor: Arc<dyn Disk> = Arc::new(disk.restart(seed));
    let tables = Tables::open(survivor).unwrap_or_else(|e| panic!("{what}: {e}"));
    let found = tables.statements(what);
    assert!(found == known || found == known + 1, "{what}: {found} of {known}");
    tables.insert(9, Repeats::Stored).unwrap();
    assert_eq!(tables.statements(what), found + 1);
}

#[test]
fn a_crash_at_any_point_leaves_all_tables_or_none() {
    let whole = without_faults();
    let mut lost = 0;
    for at in 0..whole.changes() {
        let disk = Arc::new(FaultDisk::new());
        disk.crash_at(at);
        let acknowledged = AtomicUsize::new(0);
        // The run fails, unless the crash hit the removal of a file that is no longer needed.
        let _ = run(&disk, &acknowledged);
        lost += usize::from(acknowledged.load(Ordering::Relaxed) < 2);
        for seed in 0..3 {
            look_at(&disk, seed, &acknowledged, &format!("crash at {at}, seed {seed}"));
        }
    }
    assert!(lost > 20, "crashes have hit INSERTs");
}

#[test]
fn a_failing_disk_leaves_all_tables_or_none() {
    let whole = without_faults();
    for at in 0..whole.calls() {
        for fault in [Fault::Error, Fault::ShortWrite, Fault::SyncFails] {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(at, fault);
            let acknowledged = AtomicUsize::new(0);
            let _ = run(&disk, &acknowledged);
            look_at(&disk, at, &acknowledged, &format!("{fault:?} at {at}"));
        }
    }
}

#[test]
fn all_tables_change_with_one_record_and_one_sync_of_the_log() {
    let (disk, tables) = Tables::in_memory();
    // The first INSERT also writes new files of the log.
    tables.insert(0, Repeats::Stored).unwrap();
    let records: Arc<Mutex<Vec<usize>>> = Arc::default();
    let seen = Arc::clone(&records);
    tables.store.observe(move |committed| {
        let parts = committed.ops.iter().filter(|op| matches!(op, Op::AddPart { .. }));
        seen.lock().unwrap().push(parts.count());
    });
    let before = disk.counts();
    tables.insert(1, Repeats::Stored).unwrap();
    // Three partitions of two tables and one of the third, three directories, and the log.
    assert_eq!(disk.counts().since(&before).syncs(), 7 + 3 + 1);
    assert_eq!(*records.lock().unwrap(), [7]);
    assert_eq!(tables.statements("two INSERTs"), 2);
}

#[test]
fn an_error_in_a_dependent_leaves_nothing_anywhere() {
    let (disk, tables) = Tables::in_memory();
    let sink = tables.sink(Map(fails), Repeats::Stored).unwrap();
    let error = insert_chunks(&sink, vec![rows_for(1)], &context()).unwrap_err();
    assert_eq!(error.code(), codes::ILLEGAL_COLUMN);
    assert!(error.message().contains("doubled") && error.message().contains("refused"), "{error}");
    drop(sink);
    assert_eq!((tables.counts(), tables.files(&*disk)), ([0; 3], 0));
    // The dependent is dropped before the commit.
    let sink = tables.sink(Map(twice), Repeats::Stored).unwrap();
    tables.store.drop_table(tables.all[2].id()).unwrap();
    let error = insert_chunks(&sink, vec![rows_for(1)], &context()).unwrap_err();
    assert_eq!(error.code(), codes::TABLE_IS_DROPPED);
    drop(sink);
    let left: usize = tables.all[..2].iter().map(|table| read_all(table).rows).sum();
    let files = |i: usize| disk.list(&format!("tables/{}", tables.all[i].id().0)).unwrap().len();
    assert_eq!((left, files(0), files(1)), (0, 0, 0));
}

#[test]
fn an_insert_that_is_dropped_at_any_step_leaves_nothing() {
    let (disk, tables) = Tables::in_memory();
    for step in 0..4 {
        let sink = tables.sink(Map(twice), Repeats::Stored).unwrap();
        let mut state = sink.open().unwrap();
        state.push(entasis_pipeline::Morsel { sequence: 0, chunk: rows_for(1) }).unwrap();
        if step > 0 {
            state.combine().unwrap();
        }
        if step > 1 {
            sink.finalize(&context()).unwrap();
            // The rows of all tables are written but not visible.
            assert_eq!((tables.counts(), tables.files(&*disk)), ([0; 3], 7));
        }
        if step > 2 {
            drop(sink.prepared().unwrap());
            assert!(sink.prepared().is_err(), "prepared twice");
        }
        drop(sink);
        assert_eq!((tables.counts(), tables.files(&*disk)), ([0; 3], 0), "step {step}");
    }
}

#[test]
fn the_token_of_the_table_decides_for_its_dependents() {
    let (disk, tables) = Tables::in_memory();
    let token = || Repeats::ByToken("once".into());
    for _ in 0..3 {
        tables.insert(1, token()).unwrap();
        assert_eq!(tables.statements("with a token"), 1);
    }
    assert_eq!(tables.files(&*disk), 7);
    // The dependent remembers only its own INSERTs.
    let sink = tables.all[1].insert_once(&context(), token()).unwrap();
    insert_chunks(&sink, vec![rows_for(2)], &context()).unwrap();
    assert_eq!(tables.counts(), [6, 18, 1]);
    tables.insert(1, token()).unwrap();
    assert_eq!(tables.counts(), [6, 18, 1]);
    // After the table has forgotten the INSERT, it is stored again in all tables.
    tables.all[0].truncate().unwrap();
    tables.insert(1, token()).unwrap();
    assert_eq!(tables.counts(), [6, 30, 2]);
}

#[test]
fn a_table_that_is_set_to_remember_nothing_decides_as_well() {
    let (_disk, mut tables) = Tables::in_memory();
    let mut forgetful = config();
    forgetful.settings.deduplication_window = Some(0);
    tables.all[0] = tables.store.attach(tables.all[0].id(), forgetful).unwrap();
    for count in 1..4 {
        tables.insert(1, Repeats::ByToken("once".into())).unwrap();
        assert_eq!(tables.statements("every INSERT is stored"), count);
    }
}

#[test]
fn rows_of_a_dependent_decide_nothing() {
    let (_disk, mut tables) = Tables::in_memory();
    let mut window = config();
    window.settings.deduplication_window = Some(10);
    tables.all[1] = tables.store.attach(tables.all[1].id(), window).unwrap();
    for count in 1..4 {
        tables.insert(1, Repeats::ByContent).unwrap();
        assert_eq!(tables.statements("every INSERT is stored"), count);
    }
}

#[test]
fn the_first_dependent_decides_for_a_table_outside_the_store() {
    let (_disk, tables) = Tables::in_memory();
    for _ in 0..2 {
        let by = Repeats::ByToken("once".into());
        let [_, first, second] = &tables.all;
        let first = first.insert_once(&context(), by.of_dependent()).unwrap();
        let second = second.insert(&context()).unwrap();
        let dependents = vec![
            dependent("doubled", vec![Arc::new(Map(twice)), Arc::new(Map(twice))], first),
            dependent("last", vec![], second),
        ];
        let sink = FanOut::sink(Arc::new(Discard("Null")), dependents);
        insert_chunks(&sink, vec![rows_for(1)], &context()).unwrap();
        assert_eq!(tables.counts(), [0, 24, 6]);
    }
}

#[test]
fn several_inserts_into_one_table_commit_together() {
    let (_store, _, table) = table(config());
    let mut prepared = Vec::new();
    for statement in 0..3 {
        let sink = table.insert(&context()).unwrap();
        let mut state = sink.open().unwrap();
        let chunk = rows_for(statement);
        state.push(entasis_pipeline::Morsel { sequence: 0, chunk }).unwrap();
        state.combine().unwrap();
        sink.finalize(&context()).unwrap();
        prepared.extend(sink.prepared().unwrap());
    }
    assert_eq!(read_all(&table).rows, 0);
    entasis_table_api::commit(prepared).unwrap();
    assert_eq!(read_all(&table).rows, 18);
    let mut blocks: Vec<u64> = table.part_summaries().iter().map(|p| p.min_block).collect();
    blocks.sort_unstable();
    assert!(blocks.iter().copied().eq(1..=9), "{blocks:?}");
}

#[test]
fn a_query_sees_all_its_tables_in_one_state() {
    let (_disk, tables) = Tables::in_memory();
    tables.insert(0, Repeats::Stored).unwrap();
    let pinned = PinnedStores::default();
    let rows = |table: &MergeTreeTable, pinned: &PinnedStores| {
        let snapshot = table.snapshot_in(pinned).unwrap();
        let found = collect(&*snapshot, &spec_of(table), &context()).unwrap().rows;
        assert_eq!(snapshot.row_count(), Some(found as u64));
        found
    };
    assert_eq!(rows(&tables.all[0], &pinned), ADDED[0]);
    // Later changes are not visible in the other tables either: rows, merges, drops.
    tables.insert(1, Repeats::Stored).unwrap();
    tables.all[1].optimize(true, &context()).unwrap();
    assert_eq!(rows(&tables.all[1], &pinned), ADDED[1]);
    tables.store.drop_table(tables.all[2].id()).unwrap();
    assert_eq!(rows(&tables.all[2], &pinned), ADDED[2]);
    // The handle of a dropped table keeps the last rows, for statements whose catalog still has it.
    let now = PinnedStores::default();
    assert_eq!([0, 1, 2].map(|i| rows(&tables.all[i], &now)), [12, 24, 2 * ADDED[2]]);
    // A table that is newer than the pinned state is read in its current state.
    let id = tables.store.create_table("default", "new", "").unwrap();
    let new = tables.store.attach(id, config()).unwrap();
    insert(&new, &[rows_for(1)]).unwrap();
    assert_eq!(rows(&new, &pinned), 6);
}

#[test]
fn readers_beside_inserts_see_whole_inserts() {
    let tables = Tables::open(Arc::new(MemoryDisk::new())).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _running = SetOnDrop(&done);
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let pinned = PinnedStores::default();
                    let count = |table: &Arc<MergeTreeTable>| {
                        table.snapshot_in(&pinned).unwrap().row_count().unwrap() as usize
                    };
                    let counts = tables.all.each_ref().map(count);
                    let statements = counts[0] / ADDED[0];
                    assert_eq!(counts, ADDED.map(|added| added * statements));
                }
            });
        }
        for statement in 0..50 {
            tables.insert(statement, Repeats::Stored).unwrap();
        }
    });
    assert_eq!(tables.statements("all"), 50);
}
