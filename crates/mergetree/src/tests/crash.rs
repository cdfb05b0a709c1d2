//! Crashes at every point of a schedule, and failing disks: acknowledged rows are there, no row is
//! there twice, and no statement is there in part.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_column::Chunk;
use entasis_disk::{Disk, Fault, FaultDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::Table;
use entasis_types::DataType;

use super::support::*;
use crate::{MergeTreeTable, Store, StoreOptions, TableConfig};

/// Statements are numbered; every row says which statement it came from.
#[derive(Clone, Debug)]
enum Step {
    Insert {
        statement: u64,
        rows: u64,
    },
    Merge,
    /// Merges parts in memory, or writes them to files.
    Gather,
    Truncate,
    Reopen,
}

fn schedule(rng: &mut Rng) -> Vec<Step> {
    let mut statement = 0;
    (0..4 + rng.below(10))
        .map(|_| match rng.below(15) {
            0..=6 => {
                statement += 1;
                Step::Insert { statement, rows: 1 + rng.below(30) }
            }
            7 | 8 => Step::Merge,
            9 => Step::Truncate,
            10..=12 => Step::Gather,
            _ => Step::Reopen,
        })
        .collect()
}

/// With `in_memory`, INSERTs of up to about ten rows become parts in memory. They have an index
/// there, too.
fn config(in_memory: bool) -> TableConfig {
    let mut config = TableConfig::sorted_by(
        schema(&[("part", "UInt8"), ("statement", "UInt64"), ("row", "UInt64")]),
        &[1],
    );
    config.partition_by = Some(Expr::column(ColumnId(0), DataType::UInt8));
    config.settings.index_granularity = 8;
    if in_memory {
        config.settings.max_bytes_for_memory_part = 200;
        config.settings.parts_to_merge_in_memory = 2;
        config.settings.max_bytes_in_memory = 6000;
    }
    indexed_once(config)
}

fn store_options() -> StoreOptions {
    StoreOptions { checkpoint_after: 4, ..options() }
}

fn rows_for(statement: u64, rows: u64) -> Chunk {
    // The rows fall into three partitions, so that a statement has several parts.
    let part: Vec<u8> = (0..rows).map(|i| (i % 3) as u8).collect();
    let of = vec![statement; rows as usize];
    let row: Vec<u64> = (0..rows).collect();
    Chunk::new(vec![part.into(), of.into(), row.into()], rows as usize)
}

/// The rows that must be there (statement to row count), and the rows that may be there as well.
#[derive(Clone, Debug, Default)]
struct Model {
    sure: BTreeMap<u64, u64>,
    /// The statement that was running when the process crashed.
    doubt: Option<Step>,
}

impl Model {
    fn settle(&mut self, step: &Step) {
        match step {
            Step::Insert { statement, rows } => {
                self.sure.insert(*statement, *rows);
            }
            Step::Truncate => self.sure.clear(),
            _ => {}
        }
    }

    fn check(&self, found: &BTreeMap<u64, u64>, what: &str) {
        let mut other = self.clone();
        if let Some(step) = &self.doubt {
            other.settle(step);
        }
        assert!(
            *found == self.sure || *found == other.sure,
            "{what}: found {found:?}, model {self:?}"
        );
    }
}

/// Rows per statement. Fails the test if a row is there twice or a statement is there in part.
fn contents(table: &MergeTreeTable) -> Result<BTreeMap<u64, u64>> {
    let snapshot = table.snapshot()?;
    let chunk = collect(&*snapshot, &spec_of(table), &context())?;
    assert_eq!(snapshot.row_count(), Some(chunk.rows as u64));
    let mut rows: Vec<(u64, u64)> = (0..chunk.rows)
        .map(|i| {
            let of = |c: usize| chunk.columns[c].value(i).as_u64().unwrap();
            (of(1), of(2))
        })
        .collect();
    rows.sort_unstable();
    let mut found = BTreeMap::new();
    for statement in rows.chunk_by(|a, b| a.0 == b.0) {
        for (i, (_, row)) in statement.iter().enumerate() {
            assert_eq!(*row, i as u64, "a row is missing or there twice");
        }
        found.insert(statement[0].0, statement.len() as u64);
    }
    Ok(found)
}

fn open(disk: &Arc<dyn Disk>, in_memory: bool) -> Result<(Store, Arc<MergeTreeTable>)> {
    let store = Store::open_with(Arc::clone(disk), store_options())?;
    if store.databases().is_empty() {
        store.create_database("default", "")?;
    }
    let id = match store.tables().first() {
        Some(table) => table.id,
        None => store.create_table("default", "t", "")?,
    };
    let table = store.attach(id, config(in_memory))?;
    Ok((store, table))
}

fn run(disk: &Arc<dyn Disk>, in_memory: bool, steps: &[Step], model: &mut Model) -> Result<()> {
    let (mut store, mut table) = open(disk, in_memory)?;
    for step in steps {
        model.doubt = Some(step.clone());
        match step {
            Step::Insert { statement, rows } => insert(&table, &[rows_for(*statement, *rows)])?,
            Step::Gather => drop(table.core.gather(&|| true)?),
            Step::Merge => table.optimize(true, &context())?,
            Step::Truncate => table.truncate()?,
            Step::Reopen => {
                drop((table, store));
                (store, table) = open(disk, in_memory)?;
            }
        }
        model.settle(step);
        model.doubt = None;
    }
    assert_eq!(contents(&table)?, model.sure, "without a crash");
    drop(store);
    Ok(())
}

fn schedules(default: u64) -> u64 {
    std::env::var("ENTASIS_CRASH_SCHEDULES").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[test]
fn acknowledged_rows_survive_a_crash_at_any_point() {
    for seed in 0..schedules(200) {
        let mut rng = Rng::new(seed);
        let steps = schedule(&mut rng);
        let in_memory = seed % 2 == 1;
        let whole = Arc::new(FaultDisk::new());
        run(&(whole.clone() as Arc<dyn Disk>), in_memory, &steps, &mut Model::default()).unwrap();
        let changes = whole.changes();
        // Every crash point of the first schedules, and some of the others.
        let stride = if seed < 6 { 1 } else { 1 + changes / 8 };
        let mut at = rng.below(stride);
        while at < changes {
            let disk = Arc::new(FaultDisk::new());
            disk.crash_at(at);
            let mut model = Model::default();
            // The run fails, unless the crash hit the removal of a file that is no longer needed.
            let _ = run(&(disk.clone() as Arc<dyn Disk>), in_memory, &steps, &mut model);
            let mut survivor = Arc::new(disk.restart(seed * 1000 + at));
            for round in 0..2 {
                let disk: Arc<dyn Disk> = survivor.clone();
                let what = format!("seed {seed}, crash at {at} of {changes}, restart {round}");
                let (store, table) =
                    open(&disk, in_memory).unwrap_or_else(|e| panic!("{what}: {e}"));
                let found = contents(&table).unwrap_or_else(|e| panic!("{what}: {e}"));
                model.check(&found, &what);
                // The outcome of the running statement is now known, and the store works.
                model = Model { sure: found, doubt: None };
                let step = Step::Insert { statement: 900 + round, rows: 7 };
                insert(&table, &[rows_for(900 + round, 7)]).unwrap();
                model.settle(&step);
                drop((table, store));
                survivor = Arc::new(survivor.restart(at));
            }
            at += stride;
        }
    }
}

#[test]
fn a_failing_disk_loses_nothing() {
    for seed in 0..schedules(60) {
        let mut rng = Rng::new(seed + 5000);
        let steps = schedule(&mut rng);
        let in_memory = seed % 2 == 1;
        let whole = Arc::new(FaultDisk::new());
        run(&(whole.clone() as Arc<dyn Disk>), in_memory, &steps, &mut Model::default()).unwrap();
        let calls = whole.calls();
        for fault in
            [Fault::Error, Fault::NoSpace, Fault::ShortWrite, Fault::SyncFails, Fault::ReadFails]
        {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(rng.below(calls), fault);
            let mut model = Model::default();
            let result = run(&(disk.clone() as Arc<dyn Disk>), in_memory, &steps, &mut model);
            // The failure may have hit a call whose errors are ignored.
            let what = format!("seed {seed}, {fault:?}, {:?}", result.err());
            let survivor = disk.restart(seed);
            let disk: Arc<dyn Disk> = Arc::new(survivor);
            let (_store, table) = open(&disk, in_memory).unwrap_or_else(|e| panic!("{what}: {e}"));
            model.check(&contents(&table).unwrap_or_else(|e| panic!("{what}: {e}")), &what);
        }
    }
}
