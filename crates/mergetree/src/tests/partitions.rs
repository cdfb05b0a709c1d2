//! Commands that move whole parts, over two tables: crashes at every point, and a model of what
//! each table and its detached parts hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_column::Chunk;
use entasis_disk::{Disk, FaultDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::Table;
use entasis_types::DataType;

use super::support::*;
use crate::{MergeTreeTable, PartitionCommand, PartsOf, Store, StoreOptions, TableConfig, TableId};

/// The configuration of a table. With `swapped`, its columns have other ids.
fn config(swapped: bool) -> TableConfig {
    let mut columns = [("part", "UInt8"), ("statement", "UInt64")];
    if swapped {
        columns.reverse();
    }
    let mut config = TableConfig::sorted_by(schema(&columns), &[usize::from(!swapped)]);
    config.partition_by = Some(Expr::column(ColumnId(u32::from(swapped)), DataType::UInt8));
    indexed_once(config)
}

/// What is done to one of the two tables.
#[derive(Clone, Debug)]
enum Step {
    /// Inserts one row of this statement into each of three partitions.
    Insert(u64),
    Merge,
    Drop(u8),
    Detach(u8),
    Attach(u8),
    DropDetached(u8),
    /// Replaces a partition by that of the other table.
    Replace(u8),
    /// Gives a partition to the other table.
    Move(u8),
    Reopen,
}

fn schedule(rng: &mut Rng) -> Vec<(usize, Step)> {
    let mut statement = 0;
    let mut step = |rng: &mut Rng| {
        let partition = rng.below(3) as u8;
        match rng.below(12) {
            0..=2 => {
                statement += 1;
                Step::Insert(statement)
            }
            3 => Step::Merge,
            4 => Step::Drop(partition),
            5 | 6 => Step::Detach(partition),
            7 => Step::Attach(partition),
            8 => Step::DropDetached(partition),
            9 => Step::Replace(partition),
            10 => Step::Move(partition),
            _ => Step::Reopen,
        }
    };
    (0..6 + rng.below(10)).map(|_| (rng.below(2) as usize, step(rng))).collect()
}

/// Statements by partition, of a table and of its detached parts.
type Rows = BTreeMap<u8, Vec<u64>>;

#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    tables: [Rows; 2],
    detached: [Rows; 2],
}

impl Model {
    fn apply(&mut self, table: usize, step: &Step) {
        let other = 1 - table;
        let take = |rows: &mut Rows, partition: &u8| rows.remove(partition).unwrap_or_default();
        match step {
            Step::Insert(statement) => {
                (0..3).for_each(|p| self.tables[table].entry(p).or_default().push(*statement));
            }
            Step::Merge | Step::Reopen => {}
            Step::Drop(partition) => drop(take(&mut self.tables[table], partition)),
            Step::Detach(partition) => {
                let rows = take(&mut self.tables[table], partition);
                self.detached[table].entry(*partition).or_default().extend(rows);
            }
            Step::Attach(partition) => {
                let rows = take(&mut self.detached[table], partition);
                self.tables[table].entry(*partition).or_default().extend(rows);
            }
            Step::DropDetached(partition) => drop(take(&mut self.detached[table], partition)),
            Step::Replace(partition) => {
                let rows = self.tables[other].get(partition).cloned().unwrap_or_default();
                self.tables[table].insert(*partition, rows);
            }
            Step::Move(partition) => {
                let rows = take(&mut self.tables[table], partition);
                self.tables[other].entry(*partition).or_default().extend(rows);
            }
        }
        let all = self.tables.iter_mut().chain(&mut self.detached);
        all.for_each(|rows| {
            rows.retain(|_, rows| !rows.is_empty());
            rows.values_mut().for_each(|rows| rows.sort_unstable());
        });
    }
}

struct Open {
    store: Store,
    /// Whether the columns of the second table have other ids than those of the first.
    swapped: bool,
    tables: Vec<(TableId, Arc<MergeTreeTable>)>,
}

fn open(disk: &Arc<dyn Disk>, swapped: bool) -> Result<Open> {
    let options = StoreOptions { checkpoint_after: 4, ..options() };
    let store = Store::open_with(Arc::clone(disk), options)?;
    if store.databases().is_empty() {
        store.create_database("default", "")?;
    }
    for name in ["a", "b"] {
        if !store.tables().iter().any(|table| table.name == name) {
            store.create_table("default", name, "")?;
        }
    }
    let attach = |table: &crate::TableRecord| {
        let config = config(swapped && table.name == "b");
        Ok((table.id, store.attach(table.id, config)?))
    };
    let tables = store.tables().iter().map(attach).collect::<Result<_>>()?;
    Ok(Open { store, swapped, tables })
}

impl Open {
    fn run(&self, table: usize, step: &Step) -> Result<()> {
        let of = |partition: &u8| PartsOf::Partition(partition.to_string());
        let (this, other) = (&self.tables[table].1, &self.tables[1 - table].1);
        let command = match step {
            Step::Insert(statement) => {
                let mut columns = vec![vec![0_u8, 1, 2].into(), vec![*statement; 3].into()];
                if self.swapped && table == 1 {
                    columns.reverse();
                }
                return insert(this, &[Chunk::new(columns, 3)]);
            }
            Step::Merge => return this.optimize(true, &context()),
            Step::Reopen => return Ok(()),
            Step::Drop(partition) => PartitionCommand::Drop(of(partition)),
            Step::Detach(partition) => PartitionCommand::Detach(of(partition)),
            Step::Attach(partition) => PartitionCommand::Attach(of(partition)),
            Step::DropDetached(partition) => PartitionCommand::DropDetached(of(partition)),
            Step::Replace(partition) => PartitionCommand::CopyFrom {
                parts: of(partition),
                from: Arc::clone(other),
                replace: true,
            },
            Step::Move(partition) => {
                PartitionCommand::MoveTo { parts: of(partition), to: Arc::clone(other) }
            }
        };
        this.change_partitions(&[command], &context())
    }

    /// What the tables hold. Reading the detached parts attaches them, so this comes last.
    fn contents(self) -> Result<Model> {
        let tables = [rows_of_table(&self.tables[0].1)?, rows_of_table(&self.tables[1].1)?];
        for (id, table) in &self.tables {
            table.truncate()?;
            let count = self.store.detached_parts(*id).len();
            table.change_partitions(&[PartitionCommand::Attach(PartsOf::Table)], &context())?;
            assert_eq!(table.part_summaries().len(), count);
            assert!(self.store.detached_parts(*id).is_empty());
        }
        let detached = [rows_of_table(&self.tables[0].1)?, rows_of_table(&self.tables[1].1)?];
        Ok(Model { tables, detached })
    }
}

fn rows_of_table(table: &MergeTreeTable) -> Result<Rows> {
    let chunk = collect(&*table.snapshot()?, &spec_of(table), &context())?;
    let mut rows = Rows::new();
    let place = |name: &str| table.schema().position(name).unwrap();
    let (part, statement) = (place("part"), place("statement"));
    for i in 0..chunk.rows {
        let of = |c: usize| chunk.columns[c].value(i).as_u64().unwrap();
        rows.entry(of(part) as u8).or_default().push(of(statement));
    }
    rows.values_mut().for_each(|rows| rows.sort_unstable());
    Ok(rows)
}

/// Runs a schedule; `doubt` is the model after the step that was running.
fn run(
    disk: &Arc<dyn Disk>,
    swapped: bool,
    steps: &[(usize, Step)],
    sure: &mut Model,
    doubt: &mut Model,
) -> Result<()> {
    let mut open_store = open(disk, swapped)?;
    for (table, step) in steps {
        doubt.apply(*table, step);
        if matches!(step, Step::Reopen) {
            drop(open_store);
            open_store = open(disk, swapped)?;
        }
        open_store.run(*table, step)?;
        sure.clone_from(doubt);
    }
    Ok(())
}

#[test]
fn partitions_survive_a_crash_at_any_point() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let steps = schedule(&mut rng);
        let whole = Arc::new(FaultDisk::new());
        let disk: Arc<dyn Disk> = whole.clone();
        let (mut sure, mut doubt) = (Model::default(), Model::default());
        let swapped = seed % 2 == 1;
        run(&disk, swapped, &steps, &mut sure, &mut doubt).unwrap();
        let found = open(&disk, swapped).unwrap().contents().unwrap();
        assert_eq!(found, sure, "seed {seed}: {steps:?}");
        let changes = whole.changes();
        let stride = if seed < 4 { 1 } else { 1 + changes / 8 };
        let mut at = rng.below(stride);
        while at < changes {
            let disk = Arc::new(FaultDisk::new());
            disk.crash_at(at);
            let (mut sure, mut doubt) = (Model::default(), Model::default());
            let crashing = disk.clone() as Arc<dyn Disk>;
            let _ = run(&crashing, swapped, &steps, &mut sure, &mut doubt);
            let survivor: Arc<dyn Disk> = Arc::new(disk.restart(seed * 1000 + at));
            let what = format!("seed {seed}, crash at {at} of {changes}: {steps:?}");
            let opened = open(&survivor, swapped).unwrap_or_else(|e| panic!("{what}: {e}"));
            let found = opened.contents().unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(found == sure || found == doubt, "{what}: {found:?}, {sure:?} or {doubt:?}");
            at += stride;
        }
    }
}

#[test]
fn a_reader_keeps_the_parts_that_are_dropped_or_moved_away() {
    let disk: Arc<dyn Disk> = Arc::new(FaultDisk::new());
    let opened = open(&disk, false).unwrap();
    opened.run(0, &Step::Insert(1)).unwrap();
    let table = &opened.tables[0].1;
    let before = table.snapshot().unwrap();
    for step in [Step::Detach(0), Step::DropDetached(0), Step::Move(1), Step::Drop(2)] {
        opened.run(0, &step).unwrap();
    }
    assert_eq!(collect(&*before, &spec_of(table), &context()).unwrap().rows, 3);
    assert_eq!(rows_of_table(table).unwrap(), Rows::new());
    assert_eq!(rows_of_table(&opened.tables[1].1).unwrap(), Rows::from([(1, vec![1])]));
    let frozen = opened.tables[1].1.freeze(&PartsOf::Table, "shadow/x/default/b").unwrap();
    assert_eq!(frozen, 1);
    let parts = disk.list("shadow/x/default/b").unwrap();
    assert_eq!(parts[0].name, "1_1_1_0");
}
