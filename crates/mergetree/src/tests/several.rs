//! Algorithms and parts that keep several rows of a key, and rows that expire: random parts, random
//! merges, compared with a plain model of each algorithm.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry::bind_aggregate;
use entasis_pipeline::QueryContext;
use entasis_table_api::{MergeRequest, ScanSpec, Table, insert_chunks};
use entasis_types::DataType;

use super::support::*;
use crate::{
    AggregatedColumn, Expiry, KeptRow, MergeAlgorithm, MergeTreeTable, RowExpiry, TableConfig,
};

/// Key, value, sign, partition, and a time.
type Row = (u32, u64, i8, u8, i64);

/// What is left of the rows of one key, in order; the flag is set for readers.
type Model = dyn Fn(&[Row], bool) -> Vec<Row>;

const NOW: i64 = 1_700_000_000;

fn config(merging: Option<MergeAlgorithm>, partitioned: bool) -> TableConfig {
    entasis_functions::register();
    let columns = [("k", "UInt32"), ("v", "UInt64"), ("s", "Int8"), ("p", "UInt8"), ("t", "Int64")];
    let mut config = TableConfig::sorted_by(schema(&columns), &[0]);
    config.settings.index_granularity = 8;
    if partitioned {
        config.partition_by = Some(column(&config, 3));
    }
    config.merging = merging.map(Arc::new);
    config
}

fn column(config: &TableConfig, position: usize) -> Expr {
    Expr::column(ColumnId(position as u32), config.schema.columns[position].ty.clone())
}

fn chunk(rows: &[Row]) -> Chunk {
    let columns: Vec<Column> = vec![
        rows.iter().map(|r| r.0).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.1).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.2).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.3).collect::<Vec<_>>().into(),
        rows.iter().map(|r| r.4).collect::<Vec<_>>().into(),
    ];
    Chunk::new(columns, rows.len())
}

/// Applies a model to the rows of each key, which come in order of insertion.
fn modelled(rows: &[Row], model: &Model, reading: bool) -> Vec<Row> {
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|row| row.0);
    sorted.chunk_by(|a, b| a.0 == b.0).flat_map(|group| model(group, reading)).collect()
}

fn texts(rows: &[Row]) -> Vec<String> {
    rows_sorted(&chunk(rows))
}

fn insert_with(table: &MergeTreeTable, rows: &[Row], fold_inserts: bool) {
    let context = QueryContext { fold_inserts, ..context() };
    let sink = table.insert(&context).unwrap();
    insert_chunks(&sink, vec![chunk(rows)], &context).unwrap();
}

fn final_rows(table: &MergeTreeTable, by_partition: bool) -> Vec<String> {
    let spec = ScanSpec { final_: true, final_by_partition: by_partition, ..spec_of(table) };
    let context = QueryContext { max_block_size: 20, ..context() };
    rows_sorted(&collect(&*table.snapshot().unwrap(), &spec, &context).unwrap())
}

/// Inserts random rows in random parts, and compares FINAL and merges with the model.
fn check(merging: &MergeAlgorithm, model: &Model) {
    let mut rng = Rng::new(17);
    for round in 0..30 {
        let (keys, partitioned) = ([2, 40, 900][round % 3], round % 4 == 3);
        let (_store, _, table) = table(config(Some(merging.clone()), partitioned));
        let mut parts: Vec<Vec<Row>> = Vec::new();
        for _ in 0..=rng.below(5) {
            let mut row = || {
                let k = rng.below(keys) as u32;
                let sign = if rng.below(2) == 0 { 1 } else { -1 };
                // All rows of a key are in one partition, whose rows have an order.
                (k, rng.below(3), sign, (k % 2) as u8, 0)
            };
            let rows: Vec<Row> = (0..200).map(|_| row()).collect();
            let fold_inserts = rng.below(2) == 0;
            insert_with(&table, &rows, fold_inserts);
            parts.push(if fold_inserts { modelled(&rows, model, false) } else { rows });
        }
        let what = format!("{:?} round {round}", merging.pick);
        let all = parts.concat();
        assert_same(&rows_sorted(&read_all(&table)), &texts(&all), &format!("{what}: parts"));
        let reading = texts(&modelled(&all, model, true));
        assert_same(&final_rows(&table, false), &reading, &format!("{what}: FINAL"));
        assert_same(&final_rows(&table, true), &reading, &format!("{what}: FINAL by partition"));
        let narrow = ScanSpec { final_: true, ..ScanSpec::of_columns([(ColumnId(7), 1)]) };
        let narrow = collect(&*table.snapshot().unwrap(), &narrow, &context()).unwrap();
        assert_eq!(narrow.rows, reading.len(), "{what}: FINAL of one column");
        table.optimize(true, &context()).unwrap();
        let merged = modelled(&all, model, false);
        assert_same(&rows_sorted(&read_all(&table)), &texts(&merged), &format!("{what}: merged"));
        let reading = texts(&modelled(&merged, model, true));
        assert_same(&final_rows(&table, false), &reading, &format!("{what}: FINAL of one part"));
    }
}

fn plain(pick: KeptRow) -> MergeAlgorithm {
    MergeAlgorithm { pick, aggregates: vec![None; 5] }
}

#[test]
fn rows_of_opposite_signs_collapse() {
    check(&plain(KeptRow::Collapsing { sign: 2 }), &|rows, reading| {
        let positive = rows.iter().filter(|row| row.2 > 0).count();
        let negative = rows.len() - positive;
        let first_negative = rows.iter().find(|row| row.2 < 0);
        let last_positive = rows.iter().rfind(|row| row.2 > 0);
        let ends_positive = rows.last().is_some_and(|row| row.2 > 0);
        if positive == negative && !ends_positive {
            return Vec::new();
        }
        let negative_stays = negative >= positive && !reading;
        let first = first_negative.filter(|_| negative_stays);
        let last = last_positive.filter(|_| positive >= negative);
        first.into_iter().chain(last).copied().collect()
    });
}

#[test]
fn neighbours_of_opposite_signs_cancel() {
    check(&plain(KeptRow::Pairs { sign: 2 }), &|rows, _| {
        let mut left: Vec<Row> = Vec::new();
        for row in rows {
            match left.last() {
                Some(last) if last.2 != row.2 => drop(left.pop()),
                _ => left.push(*row),
            }
        }
        left
    });
}

#[test]
fn parts_with_equal_keys_are_folded_by_all_algorithms() {
    let sum = || {
        AggregatedColumn::new(bind_aggregate("sum", &[], &[DataType::UInt64], &NoContext).unwrap())
    };
    entasis_functions::register();
    let summed = |rows: &[Row]| {
        let (k, _, s, p, t) = rows[0];
        (k, rows.iter().map(|row| row.1).sum(), s, p, t)
    };
    let with_sum = |pick| {
        let mut aggregates = vec![None; 5];
        aggregates[1] = Some(sum());
        MergeAlgorithm { pick, aggregates }
    };
    check(&with_sum(KeptRow::First), &move |rows, _| vec![summed(rows)]);
    let latest = KeptRow::Latest { version: Some(1), deleted: None };
    check(&plain(latest), &|rows, _| {
        rows.iter().max_by_key(|row| row.1).copied().into_iter().collect()
    });
    let last = KeptRow::Latest { version: None, deleted: None };
    check(&plain(last), &|rows, _| rows.last().copied().into_iter().collect());
}

#[test]
fn only_rows_that_differ_stay() {
    let mut rng = Rng::new(3);
    for round in 0..20 {
        let (_store, _, table) = table(config(None, round % 2 == 1));
        let mut all: Vec<Row> = Vec::new();
        for _ in 0..=rng.below(4) {
            let mut row = || {
                let k = rng.below([3, 100][round % 2]) as u32;
                (k, rng.below(4), 1, (k % 2) as u8, rng.below(2) as i64)
            };
            let rows: Vec<Row> = (0..150).map(|_| row()).collect();
            insert_with(&table, &rows, true);
            all.extend(rows);
        }
        let distinct = Some(vec![0, 1, 3]);
        let request = MergeRequest { all: true, distinct, ..MergeRequest::default() };
        table.merge(&request, &context()).unwrap();
        let mut seen = std::collections::HashSet::new();
        all.retain(|row| seen.insert((row.0, row.1, row.3)));
        assert_same(&rows_sorted(&read_all(&table)), &texts(&all), &format!("round {round}"));
    }
}

#[test]
fn expired_rows_and_values_go() {
    let mut rng = Rng::new(9);
    for round in 0..20 {
        let mut with_expiry = config(None, round % 2 == 1);
        let time = column(&with_expiry, 4);
        let mut columns = vec![None; 5];
        columns[1] = Some(time.clone());
        let condition = column(&with_expiry, 3);
        let rules = match round % 3 {
            0 => Vec::new(),
            1 => vec![RowExpiry { expires: time, condition: None, text: "".into() }],
            _ => vec![RowExpiry { expires: time, condition: Some(condition), text: "".into() }],
        };
        with_expiry.expiry = Some(Arc::new(Expiry { rows: rules, columns, ..Expiry::default() }));
        let (_store, _, table) = table(with_expiry);
        let mut all: Vec<Row> = Vec::new();
        for _ in 0..=rng.below(3) {
            let mut row = || {
                let k = rng.below(50) as u32;
                let time = [0, -5, 1, NOW, NOW + 1, NOW * 2][rng.below(6) as usize];
                (k, 1 + rng.below(9), 1, (k % 2) as u8, time)
            };
            let rows: Vec<Row> = (0..100).map(|_| row()).collect();
            insert_with(&table, &rows, true);
            all.extend(rows);
        }
        assert_same(&rows_sorted(&read_all(&table)), &texts(&all), "before merges");
        table.optimize(true, &context()).unwrap();
        let is_past = |row: &Row| row.4 > 0 && row.4 <= NOW;
        all.retain(|row| match round % 3 {
            0 => true,
            1 => !is_past(row),
            _ => !(is_past(row) && row.3 != 0),
        });
        all.iter_mut().filter(|row| is_past(row)).for_each(|row| row.1 = 0);
        assert_same(&rows_sorted(&read_all(&table)), &texts(&all), &format!("round {round}"));
    }
}

#[test]
fn descending_keys_are_in_order_after_merges() {
    let mut rng = Rng::new(21);
    for round in 0..12 {
        let mut descending = config(None, false);
        descending.order_by = vec![column(&descending, 0), column(&descending, 1)];
        descending.primary_key_len = 2;
        descending.descending = [round % 2 == 0, round % 3 == 0][..].into();
        let (_store, _, table) = table(descending.clone());
        let mut all: Vec<Row> = Vec::new();
        for _ in 0..=rng.below(4) {
            let mut row = || (rng.below(20) as u32, rng.below(1 << 40), 1, 0, 0);
            let rows: Vec<Row> = (0..100).map(|_| row()).collect();
            insert_with(&table, &rows, true);
            all.extend(rows);
        }
        table.optimize(true, &context()).unwrap();
        all.sort_by(|a, b| {
            let turn = |order: std::cmp::Ordering, at: usize| {
                if descending.descending[at] { order.reverse() } else { order }
            };
            turn(a.0.cmp(&b.0), 0).then(turn(a.1.cmp(&b.1), 1))
        });
        assert_same(&rows_of(&read_all(&table)), &rows_of(&chunk(&all)), &format!("round {round}"));
    }
}
