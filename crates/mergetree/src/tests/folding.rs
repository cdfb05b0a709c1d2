//! Rows with equal keys are folded: INSERT, merges and FINAL are compared with a map of all rows;
//! ranges of a scan in key order.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_column::{Chunk, Column, Strings};
use entasis_function::registry::bind_aggregate;
use entasis_table_api::{ScanSpec, Table};
use entasis_types::DataType;

use super::support::*;
use crate::{AggregatedColumn, KeptRow, MergeAlgorithm, MergeTreeTable, TableConfig};

/// Key (a, s), a value that is summed, a version, and a deletion flag.
type Row = (u32, String, u64, u64, u8);

fn config(pick: KeptRow, sums: bool, partitioned: bool) -> TableConfig {
    entasis_functions::register();
    let columns =
        [("a", "UInt32"), ("s", "String"), ("v", "UInt64"), ("w", "UInt64"), ("d", "UInt8")];
    let mut config = TableConfig::sorted_by(schema(&columns), &[0, 1]);
    config.settings.index_granularity = 8;
    if partitioned {
        config.partition_by = Some(column(&config, 4));
    }
    let sum =
        AggregatedColumn::new(bind_aggregate("sum", &[], &[DataType::UInt64], &NoContext).unwrap());
    let mut aggregates = vec![None; 5];
    aggregates[2] = sums.then_some(sum);
    config.merging = Some(Arc::new(MergeAlgorithm { pick, aggregates }));
    config
}

fn column(config: &TableConfig, position: usize) -> entasis_expr::Expr {
    let id = entasis_expr::ColumnId(position as u32);
    entasis_expr::Expr::column(id, config.schema.columns[position].ty.clone())
}

fn chunk(rows: &[Row]) -> Chunk {
    let columns: Vec<Column> = vec![
        rows.iter().map(|r| r.0).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.1.clone()).collect::<Strings>().into(),
        rows.iter().map(|r| r.2).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.3).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.4).collect::<Vec<_>>().into(),
    ];
    Chunk::new(columns, rows.len())
}

fn random_rows(rng: &mut Rng, keys: u64) -> Vec<Row> {
    let count = 1 + rng.below(300);
    let mut row = || {
        // Long strings with a common prefix, which the packed key prefixes cannot distinguish.
        let text = "prefix-of-sixteen".to_string() + &"x".repeat(rng.below(3) as usize);
        let (a, v, w) = (rng.below(keys) as u32, rng.below(3), rng.below(4));
        (a, text, v, w, rng.below(2) as u8)
    };
    (0..count).map(|_| row()).collect()
}

fn final_rows(table: &MergeTreeTable, more: ScanSpec) -> Vec<String> {
    let spec = ScanSpec { final_: true, ..more };
    let context = entasis_pipeline::QueryContext { max_block_size: 50, ..context() };
    rows_of(&collect(&*table.snapshot().unwrap(), &spec, &context).unwrap())
}

/// Inserts random rows in random parts, and checks them before and after merges. `expected` folds
/// the rows of one key, which come in order of insertion, for merges or for readers.
fn check(
    pick: &KeptRow,
    sums: bool,
    partitioned: bool,
    expected: &dyn Fn(&[Row], bool) -> Option<Row>,
) {
    let mut rng = Rng::new(7);
    for round in 0..12 {
        let keys = [3, 60, 2000][round % 3];
        let (_store, _, table) = table(config(pick.clone(), sums, partitioned));
        let mut all: BTreeMap<(u32, String), Vec<Row>> = BTreeMap::new();
        for _ in 0..=rng.below(7) {
            for row in random_rows(&mut rng, keys) {
                // All rows of a key must be in the same partition, since rows of different
                // partitions have no order.
                let mark = if partitioned { (row.0 % 2) as u8 } else { row.4 };
                // A dropped group also loses the other values of its first row.
                let drops = matches!(pick, KeptRow::NonZero(_));
                let (w, mark) = if drops { (0, 0) } else { (row.3, mark) };
                let row = (row.0, row.1, row.2, w, mark);
                all.entry((row.0, row.1.clone())).or_default().push(row);
            }
        }
        // The rows are spread over several parts; those of each key keep their order.
        let mut parts: Vec<Vec<Row>> = vec![Vec::new(); 1 + rng.below(6) as usize];
        for rows in all.values() {
            let mut at = 0;
            for row in rows {
                at = (at + rng.below(3) as usize).min(parts.len() - 1);
                parts[at].push(row.clone());
            }
        }
        for rows in parts.iter().filter(|rows| !rows.is_empty()) {
            insert(&table, &[chunk(rows)]).unwrap();
        }
        let of = |reading| -> Vec<String> {
            let rows: Vec<Row> = all.values().filter_map(|rows| expected(rows, reading)).collect();
            rows_of(&chunk(&rows))
        };
        let what = format!("{pick:?} round {round}");
        assert_same(&final_rows(&table, spec_of(&table)), &of(true), &format!("{what}: FINAL"));
        let mut narrow = spec_of(&table);
        narrow.columns.truncate(1);
        narrow.outputs.truncate(1);
        assert_eq!(final_rows(&table, narrow).len(), of(true).len(), "{what}: FINAL of one column");
        table.optimize(true, &context()).unwrap();
        let merged = rows_of(&collect_in_order(&table, 2));
        assert_same(&merged, &of(false), &format!("{what}: merged"));
        assert_same(&final_rows(&table, spec_of(&table)), &of(true), &format!("{what}: twice"));
    }
}

/// The rows in the order of the first key columns; checks that they are sorted.
fn collect_in_order(table: &MergeTreeTable, sorted_prefix: usize) -> Chunk {
    let spec = ScanSpec { sorted_prefix, ..spec_of(table) };
    let got = collect(&*table.snapshot().unwrap(), &spec, &context()).unwrap();
    for row in 1..got.rows {
        let pairs = (0..sorted_prefix).map(|k| {
            let column = &got.columns[k];
            entasis_column::compare::compare_values(column, row - 1, column, row)
        });
        let order = pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
        assert!(order.is_le(), "row {row} of a scan in order");
    }
    got
}

fn sum(rows: &[Row]) -> Row {
    let (first, total) = (&rows[0], rows.iter().map(|r| r.2).sum());
    (first.0, first.1.clone(), total, first.3, first.4)
}

#[test]
fn sums_by_key() {
    for partitioned in [false, true] {
        check(&KeptRow::First, true, partitioned, &|rows, _| Some(sum(rows)));
    }
}

#[test]
fn keys_whose_sums_are_zero_disappear() {
    // The sums never return to zero, so dropping a group early or late gives the same result.
    check(&KeptRow::NonZero(vec![2]), true, false, &|rows, _| {
        Some(sum(rows)).filter(|row| row.2 > 0)
    });
}

#[test]
fn the_greatest_version_stays() {
    let latest = |rows: &[Row], reading: bool| {
        let best = rows.iter().max_by_key(|r| r.3).cloned()?;
        (!reading || best.4 == 0).then_some(best)
    };
    for partitioned in [false, true] {
        let pick = KeptRow::Latest { version: Some(3), deleted: None };
        check(&pick, false, partitioned, &|rows, _| latest(rows, false));
    }
    check(&KeptRow::Latest { version: Some(3), deleted: Some(4) }, false, false, &latest);
    let pick = KeptRow::Latest { version: None, deleted: None };
    check(&pick, false, false, &|rows, _| rows.last().cloned());
}

#[test]
fn rows_of_a_key_come_in_one_morsel() {
    let mut plain = config(KeptRow::First, false, false);
    plain.merging = None;
    let mut rng = Rng::new(11);
    let (_store, _, table) = table(plain);
    let mut rows: Vec<Row> = Vec::new();
    for keys in [5, 50, 500, 5000, 5000, 5000] {
        let new: Vec<Row> = (0..4).flat_map(|_| random_rows(&mut rng, keys)).collect();
        insert(&table, &[chunk(&new)]).unwrap();
        rows.extend(new);
    }
    for sorted_prefix in [1, 2] {
        let got = collect_in_order(&table, sorted_prefix);
        let mut wanted = rows_sorted(&chunk(&rows));
        wanted.sort_unstable();
        assert_same(&rows_sorted(&got), &wanted, "rows in order");
        let spec = ScanSpec { sorted_prefix, ..spec_of(&table) };
        let source = table.snapshot().unwrap().scan(&spec, &context()).unwrap();
        assert!(source.morsels().unwrap() > 3, "the ranges are cut");
        let mut reader = source.reader().unwrap();
        let mut of_key: BTreeMap<String, u64> = BTreeMap::new();
        while let entasis_pipeline::Read::Chunk(morsel) = reader.next().unwrap() {
            for row in 0..morsel.chunk.rows {
                let key = rows_of(&Chunk::new(
                    morsel.chunk.columns[..sorted_prefix].iter().map(|c| c.slice(row, 1)).collect(),
                    1,
                ))
                .remove(0);
                let first = *of_key.entry(key).or_insert(morsel.sequence);
                assert_eq!(first, morsel.sequence, "a key in two morsels");
            }
        }
    }
}
