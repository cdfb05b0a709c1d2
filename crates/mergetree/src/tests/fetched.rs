//! Rows that are fetched by their addresses, compared with scans of the same snapshot, while other
//! statements insert, change, delete and merge.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_column::{Chunk, Column};
use entasis_expr::ColumnId;
use entasis_table_api::{MutationSpec, ScanColumn, ScanSpec, Snapshot, Table};
use entasis_types::DataType;

use super::support::*;
use crate::{MergeTreeTable, TableConfig};

const TYPES: [(&str, &str); 5] = [
    ("k", "UInt64"),
    ("s", "String"),
    ("n", "Nullable(UInt32)"),
    ("l", "LowCardinality(String)"),
    ("a", "Array(UInt16)"),
];

fn config() -> TableConfig {
    let mut config = TableConfig::sorted_by(schema(&TYPES), &[0]);
    config.settings.index_granularity = 7;
    config
}

fn insert_random(table: &MergeTreeTable, rng: &mut Rng) {
    let rows = 1 + rng.below(90) as usize;
    let column = |(_, ty): &(&str, &str)| random_column(rng, &DataType::parse(ty).unwrap(), rows);
    insert(table, &[Chunk::new(TYPES.iter().map(column).collect(), rows)]).unwrap();
}

/// Deletes or updates about a third of the rows.
fn mutate_random(table: &MergeTreeTable, rng: &mut Rng) {
    let light = rng.below(2) == 0;
    let spec = MutationSpec { light, commands: vec!["(TEST)".into()], partitions: None };
    let mut mutation = table.mutate(spec, &context()).unwrap();
    let shown = mutation.rows(None);
    let last = shown.schema().columns.len() - 1;
    let spec = ScanSpec::of_columns([(ColumnId(51), last)]);
    let found = collect(&*shown.snapshot().unwrap(), &spec, &context()).unwrap();
    let some: Vec<u32> = (0..found.rows as u32).filter(|_| rng.below(3) == 0).collect();
    let mut rows = found.take(&some);
    match rng.below(2) {
        0 => mutation.delete(vec![rows], &context()).unwrap(),
        _ => {
            rows.columns.push(random_column(rng, &DataType::String, some.len()));
            mutation.update(&[1], vec![rows], &context()).unwrap();
        }
    }
    mutation.commit().unwrap();
}

/// A snapshot, and all its rows followed by their addresses.
struct Pinned {
    snapshot: Arc<dyn Snapshot>,
    rows: Chunk,
}

impl Pinned {
    fn new(table: &MergeTreeTable) -> Self {
        let snapshot = table.snapshot().unwrap();
        let mut spec = spec_of(table);
        let addresses = snapshot.addresses(&spec).unwrap();
        spec.columns.push(ScanColumn::whole(ColumnId(7), addresses.position));
        spec.outputs.push(ColumnId(7));
        let rows = collect(&*snapshot, &spec, &context()).unwrap();
        Self { snapshot, rows }
    }

    /// Fetches some of the rows, and compares them.
    fn check(&self, rng: &mut Rng) {
        if self.rows.rows == 0 {
            return;
        }
        let Some(Column::UInt64(addresses)) = self.rows.columns.last().map(Column::full) else {
            panic!("no addresses")
        };
        let every = 1 + rng.below(12);
        let mut picked: Vec<u32> =
            (0..self.rows.rows as u32).filter(|row| *row == 0 || rng.below(every) == 0).collect();
        picked.sort_by_key(|row| addresses[*row as usize]);
        let wanted: Vec<u64> = picked.iter().map(|row| addresses[*row as usize]).collect();
        let columns: Vec<ScanColumn> =
            (0..TYPES.len()).map(|at| ScanColumn::whole(ColumnId(at as u32), at)).collect();
        let fetched = self.snapshot.fetch(&columns, &wanted, &context()).unwrap();
        let got = Chunk::new(fetched.columns, wanted.len());
        let mut expected = self.rows.take(&picked);
        expected.columns.pop();
        assert_same(&rows_of(&got), &rows_of(&expected), "fetched rows");
    }
}

#[test]
fn fetched_rows_are_those_of_the_scan() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (_store, _, table) = table(config());
        let mut pinned = vec![Pinned::new(&table)];
        for _ in 0..12 {
            match rng.below(6) {
                0..=2 => insert_random(&table, &mut rng),
                3 | 4 => mutate_random(&table, &mut rng),
                _ => table.optimize(rng.below(2) == 0, &context()).unwrap(),
            }
            pinned.push(Pinned::new(&table));
            // Older snapshots read what they have pinned, although its parts were replaced.
            pinned.iter().for_each(|pinned| pinned.check(&mut rng));
        }
    }
}

#[test]
fn only_granules_with_wanted_rows_are_read() {
    let (_store, _, table) = table(config());
    let keys: Vec<u64> = (0..700).collect();
    let columns = TYPES.iter().enumerate().map(|(at, (_, ty))| match at {
        0 => keys.clone().into(),
        _ => random_column(&mut Rng::new(3), &DataType::parse(ty).unwrap(), 700),
    });
    insert(&table, &[Chunk::new(columns.collect(), 700)]).unwrap();
    let snapshot = table.snapshot().unwrap();
    let columns = [ScanColumn::whole(ColumnId(0), 0)];
    // Rows 3 and 5 are in the first granule, row 699 is in the last.
    let fetched = snapshot.fetch(&columns, &[3, 5, 699], &context()).unwrap();
    assert_eq!(fetched.bytes, 2 * 7 * 8);
    assert!(snapshot.fetch(&columns, &[700], &context()).is_err());
    assert!(snapshot.fetch(&columns, &[1 << 32], &context()).is_err());
}
