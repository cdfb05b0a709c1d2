//! Scans against a naive filter: pruning by key, bounds and runtime filters; limits; partitions.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_column::compare::{SortOrder, compare_values};
use entasis_column::hash::KeySetBuilder;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{KeyFilter, RuntimeFilter, Table};
use entasis_types::{DataType, Value};

use super::support::*;
use crate::{MergeTreeTable, Store, TableConfig};

const COLUMNS: [(&str, &str); 6] = [
    ("a", "Int32"),
    ("b", "Date"),
    ("c", "String"),
    ("d", "Nullable(UInt16)"),
    ("e", "Float64"),
    ("f", "UInt64"),
];

fn filled(rng: &mut Rng, partitioned: bool) -> (Store, Arc<MergeTreeTable>) {
    let schema = schema(&COLUMNS);
    let mut config = TableConfig::sorted_by(schema.clone(), &[0, 2]);
    config.settings.index_granularity = 1 + rng.below(200) as usize;
    config.primary_key_len = rng.below(3) as usize;
    if partitioned {
        config.partition_by = Some(Expr::column(ColumnId(1), DataType::Date));
    }
    let (store, _, table) = table(config);
    for _ in 0..=rng.below(4) {
        let rows = 1 + rng.below(1500) as usize;
        let mut chunk = Chunk::new(
            schema.columns.iter().map(|c| random_column(rng, &c.ty, rows)).collect(),
            rows,
        );
        let days: Vec<u16> = (0..rows).map(|i| 18_000 + (i * 3 / rows) as u16).collect();
        chunk.columns[1] = days.into();
        insert(&table, &[chunk]).unwrap();
    }
    if rng.below(2) == 0 {
        table.optimize(true, &context()).unwrap();
    }
    (store, table)
}

/// A comparison, as an expression and as its result for each row.
fn condition(rng: &mut Rng, all: &Chunk) -> (Expr, Vec<bool>) {
    let at = rng.below(6) as usize;
    let ty = DataType::parse(COLUMNS[at].1).unwrap();
    let name = COMPARISONS[rng.below(6) as usize];
    let mut value = all.columns[at].value(rng.below(all.rows as u64) as usize);
    if value.is_null() || matches!(value, Value::Float(x) if x.is_nan()) {
        value = if ty.is_float() { Value::Float(1.5) } else { Value::UInt(3) };
    }
    let literal = Column::from_value(ty.without_nullable(), &value, 1);
    let passes = (0..all.rows).map(|i| {
        let column = &all.columns[at];
        if column.is_null(i) {
            return false;
        }
        let column = column.slice(i, 1).full();
        let order = compare_values(column.split_nullable().1, 0, &literal.full(), 0);
        match name {
            "less" => order.is_lt(),
            "lessOrEquals" => order.is_le(),
            "greater" => order.is_gt(),
            "greaterOrEquals" => order.is_ge(),
            "equals" => order.is_eq(),
            _ => order.is_ne(),
        }
    });
    let passes = passes.collect();
    (compare(name, ColumnId(100 + at as u32), &ty, value), passes)
}

#[test]
fn filters_answer_as_row_by_row() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (_store, table) = filled(&mut rng, seed % 3 == 0);
        let snapshot = table.snapshot().unwrap();
        let all = read_all(&table);
        assert_eq!(snapshot.row_count(), Some(all.rows as u64));
        for _ in 0..25 {
            let mut spec = spec_of(&table);
            let mut passes = vec![true; all.rows];
            for _ in 0..rng.below(4) {
                let (expr, of_row) = condition(&mut rng, &all);
                spec.filter.push(expr);
                passes.iter_mut().zip(of_row).for_each(|(p, q)| *p &= q);
            }
            let wanted: Vec<u32> = (0..all.rows as u32).filter(|&i| passes[i as usize]).collect();
            let mut context = context();
            context.max_block_size = 1 + rng.below(300) as usize;
            let got = collect(&*snapshot, &spec, &context).unwrap();
            let what = format!("seed {seed} {:?}", spec.filter);
            assert_same(&rows_of(&got), &rows_of(&all.take(&wanted)), &what);
            // A scan without outputs: only the row count matters.
            spec.outputs.clear();
            assert_eq!(collect(&*snapshot, &spec, &context).unwrap().rows, wanted.len());
            spec.limit = Some(rng.below(50));
            let most = spec.limit.unwrap().min(wanted.len() as u64) as usize;
            assert_eq!(collect(&*snapshot, &spec, &context).unwrap().rows, most);
        }
    }
}

#[test]
fn pruning_reads_little() {
    let schema = schema(&[("k", "UInt32"), ("v", "UInt64"), ("s", "String")]);
    let mut config = TableConfig::sorted_by(schema, &[0]);
    config.settings.index_granularity = 100;
    let (_store, _, table) = table(config);
    let rows = 10_000;
    let k: Vec<u32> = (0..rows).collect();
    let v: Vec<u64> = (0..u64::from(rows)).map(|i| i / 1000).collect();
    let s: entasis_column::Strings = k.iter().map(|i| format!("{i}")).collect();
    insert(&table, &[Chunk::new(vec![k.into(), v.into(), s.into()], rows as usize)]).unwrap();
    let snapshot = table.snapshot().unwrap();
    let read = |filter: Vec<Expr>| {
        let context = context();
        let spec = entasis_table_api::ScanSpec { filter, ..spec_of(&table) };
        let rows = collect(&*snapshot, &spec, &context).unwrap().rows;
        (rows, context.progress.get().0)
    };
    let by_key = compare("equals", ColumnId(100), &DataType::UInt32, Value::UInt(4242));
    assert_eq!(read(vec![by_key]), (1, 100));
    let by_bounds = compare("equals", ColumnId(101), &DataType::UInt64, Value::UInt(3));
    assert_eq!(read(vec![by_bounds]), (1000, 1000));
    let nothing = compare("greater", ColumnId(101), &DataType::UInt64, Value::UInt(50));
    assert_eq!(read(vec![nothing]), (0, 0));
    assert_eq!(snapshot.column_range(0), Some((Value::UInt(0), Value::UInt(9999))));
    assert_eq!(snapshot.sorted_by(), [0]);
    // A bound that exists from the start excludes all granules but the first ones.
    let mut spec = spec_of(&table);
    let order = SortOrder::DESCENDING;
    let runtime = RuntimeFilter::new(ColumnId(100), order);
    spec.runtime = vec![Arc::clone(&runtime)];
    spec.order = vec![(ColumnId(100), order)];
    let first = context();
    let source = snapshot.scan(&spec, &first).unwrap();
    let mut reader = source.reader().unwrap();
    let entasis_pipeline::Read::Chunk(m) = reader.next().unwrap() else { panic!() };
    assert_eq!(m.chunk.columns[0].value(0), Value::UInt(9900), "the last granule comes first");
    runtime.tighten(Column::from(vec![9950u32]));
    let bounded = context();
    let got = collect(&*snapshot, &spec, &bounded).unwrap();
    assert_eq!((got.rows, bounded.progress.get().0), (50, 100));
}

#[test]
fn partitions_are_parts_with_the_reference_s_names() {
    let schema = schema(&[("d", "Date"), ("x", "UInt8")]);
    let mut config = TableConfig::sorted_by(schema, &[1]);
    config.partition_by = Some(Expr::column(ColumnId(0), DataType::Date));
    let (_store, _, table) = table(config);
    let chunk = |days: Vec<u16>| {
        let x = days.iter().map(|d| *d as u8).collect::<Vec<_>>();
        let rows = days.len();
        Chunk::new(vec![days.into(), x.into()], rows)
    };
    insert(&table, &[chunk(vec![18632, 18633, 18632])]).unwrap();
    insert(&table, &[chunk(vec![18632])]).unwrap();
    let names: Vec<String> = table.part_summaries().iter().map(|p| p.name()).collect();
    assert_eq!(names, ["20210105_1_1_0", "20210105_3_3_0", "20210106_2_2_0"]);
    table.optimize(true, &context()).unwrap();
    let names: Vec<String> = table.part_summaries().iter().map(|p| p.name()).collect();
    assert_eq!(names, ["20210105_1_3_1", "20210106_2_2_0"]);
    let e = insert(&table, &[chunk((0..101).collect())]).unwrap_err();
    assert_eq!(e.code(), entasis_base::codes::TOO_MANY_PARTS);
    assert_eq!(read_all(&table).rows, 4);
    table.truncate().unwrap();
    assert_eq!(table.snapshot().unwrap().row_count(), Some(0));
    assert_eq!(read_all(&table).rows, 0);
}

#[test]
fn keys_of_a_join_skip_granules_and_drop_rows() {
    let schema = schema(&[("k", "UInt32"), ("s", "String")]);
    let mut config = TableConfig::sorted_by(schema, &[0]);
    config.settings.index_granularity = 100;
    let (_store, _, table) = table(config);
    let k: Vec<u32> = (0..10_000).collect();
    let s: entasis_column::Strings = k.iter().map(|i| format!("{i}")).collect();
    insert(&table, &[Chunk::new(vec![k.into(), s.into()], 10_000)]).unwrap();
    let snapshot = table.snapshot().unwrap();
    let filter = Arc::new(KeyFilter::new(ColumnId(100)));
    let spec = entasis_table_api::ScanSpec { keys: vec![Arc::clone(&filter)], ..spec_of(&table) };
    let read = || {
        let context = context();
        let got = collect(&*snapshot, &spec, &context).unwrap();
        (got, context.progress.get().0)
    };
    let (all, of) = read();
    assert_eq!((all.rows, of), (10_000, 10_000), "the keys are not known yet");
    let mut keys = KeySetBuilder::default();
    keys.push(&Column::from(vec![4210u32, 4290, 4310]));
    filter.set(keys.finish().unwrap());
    let (some, of) = read();
    assert_eq!(of, 200);
    let texts: Vec<Value> = (0..some.rows).map(|i| some.columns[1].value(i)).collect();
    assert_eq!(texts, ["4210", "4290", "4310"].map(|text| Value::String(text.as_bytes().into())));
    assert!(filter.is_selective());
}
