//! Every type through write, scan, reopening and merge; all codecs; wide rows.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_base::codes;
use entasis_column::{Bitmap, Chunk, Column, Strings};
use entasis_disk::{Disk, MemoryDisk};
use entasis_pipeline::Read;
use entasis_table_api::{ColumnDef, Schema, Table};
use entasis_types::DataType;

use super::support::*;
use crate::{Store, TableConfig};

const TYPES: &[&str] = &[
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Float32",
    "Float64",
    "Bool",
    "String",
    "FixedString(3)",
    "FixedString(16)",
    "Date",
    "DateTime",
    "DateTime('UTC')",
    "Nullable(UInt8)",
    "Nullable(Int64)",
    "Nullable(String)",
    "Nullable(Float64)",
    "Nullable(FixedString(4))",
    "Array(UInt8)",
    "Array(String)",
    "Array(Nullable(Int32))",
    "Array(Array(UInt16))",
    "Tuple(UInt8, String)",
    "Tuple(a Nullable(String), b Array(Int8))",
    "AggregateFunction(sum, UInt64)",
    "Variant(Array(UInt8), String, UInt64)",
    "Array(Variant(Date, Tuple(Nullable(String))))",
];

fn all_types() -> Arc<Schema> {
    let columns = TYPES
        .iter()
        .enumerate()
        .map(|(i, t)| ColumnDef::new(format!("c{i}"), DataType::parse(t).unwrap()));
    Schema::new(columns.collect())
}

fn random_chunk(rng: &mut Rng, schema: &Schema, rows: usize) -> Chunk {
    let columns = schema.columns.iter().map(|c| random_column(rng, &c.ty, rows)).collect();
    Chunk::new(columns, rows)
}

#[test]
fn all_types_survive_write_scan_reopen_and_merge() {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let schema = all_types();
        // Sorted by a string, a nullable number and a float, so that prefixes are not exact.
        let mut config = TableConfig::sorted_by(schema.clone(), &[11, 18, 9]);
        config.settings.index_granularity = 100;
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let store = Store::open_with(disk.clone(), options()).unwrap();
        let (_, table) = create(&store, config.clone());
        let mut all = Vec::new();
        for _ in 0..3 {
            let rows = 1 + rng.below(700) as usize;
            let chunks: Vec<Chunk> =
                (0..2).map(|_| random_chunk(&mut rng, &schema, rows)).collect();
            insert(&table, &chunks).unwrap();
            all.extend(chunks);
        }
        let wanted = rows_sorted(&Chunk::concat(&all));
        assert_same(&rows_sorted(&read_all(&table)), &wanted, "rows");
        drop((table, store));
        let (store, table) = reopen(&disk, config.clone());
        assert_same(&rows_sorted(&read_all(&table)), &wanted, "rows");
        table.optimize(true, &context()).unwrap();
        assert_eq!(table.part_summaries().len(), 1);
        assert_eq!(table.part_summaries()[0].name(), "all_1_3_1");
        let merged = read_all(&table);
        assert_same(&rows_sorted(&merged), &wanted, "rows");
        let keys = [11, 18, 9].map(|i| merged.columns[i].full());
        assert!(crate::sort::permutation(&keys, &[]).is_none(), "the merged part is sorted");
        drop((table, store));
        let (_store, table) = reopen(&disk, config);
        assert_same(&rows_of(&read_all(&table)), &rows_of(&merged), "rows");
        for i in 0..TYPES.len() {
            let size = table.column_size(i).unwrap();
            assert!(size.stored > 0 && size.raw > 0, "{}", TYPES[i]);
            let nulls = (0..merged.rows).filter(|&r| merged.columns[i].is_null(r)).count();
            assert_eq!(size.nulls, nulls as u64, "{}", TYPES[i]);
        }
    }
}

#[test]
fn representations_and_codecs() {
    let ty = |t: &str| DataType::parse(t).unwrap();
    let codecs = ["NONE", "LZ4", "ZSTD(3)", "Delta(4), LZ4", "DoubleDelta", "T64, ZSTD"];
    let mut columns = Vec::new();
    for (i, codec) in codecs.iter().enumerate() {
        let is_general = i < 3;
        let second = if is_general { "Nullable(String)" } else { "Nullable(Int64)" };
        for (name, t) in [("n", "UInt32"), ("s", second)] {
            let mut column = ColumnDef::new(format!("{name}{i}"), ty(t));
            column.codec = Some((*codec).into());
            columns.push(column);
        }
    }
    let schema = Schema::new(columns);
    let (_store, _, table) = table(TableConfig::sorted_by(schema.clone(), &[]));
    let mut rng = Rng::new(3);
    let chunk = random_chunk(&mut rng, &schema, 20_000);
    let mut constant = chunk.slice(0, 5000);
    for column in &mut constant.columns {
        *column = Column::constant(column.slice(7, 1), 5000);
    }
    insert(&table, &[chunk.clone(), constant.clone()]).unwrap();
    let wanted = Chunk::concat(&[chunk, constant]);
    assert_same(&rows_of(&read_all(&table)), &rows_of(&wanted), "rows");
    let mut bad = ColumnDef::new("x", ty("UInt8"));
    bad.codec = Some("Sqeeze".into());
    let (store, id, _table) = super::support::table(TableConfig::sorted_by(schema, &[]));
    let e = store.attach(id, TableConfig::sorted_by(Schema::new(vec![bad]), &[]));
    assert_eq!(e.err().unwrap().code(), codes::UNKNOWN_CODEC);
}

#[test]
fn repetitive_columns_stay_compact() {
    let schema =
        schema(&[("k", "UInt32"), ("few", "String"), ("one", "String"), ("zero", "Int64")]);
    let (_store, _, table) = table(TableConfig::sorted_by(schema, &[0]));
    let rows = 50_000;
    let few: Strings = (0..rows).map(|i| format!("value {}", i % 9)).collect();
    let one: Strings = (0..rows).map(|_| "always the same").collect();
    let k: Vec<u32> = (0..rows as u32).collect();
    let columns = vec![k.into(), few.into(), one.into(), Column::from(vec![0i64; rows])];
    insert(&table, &[Chunk::new(columns, rows)]).unwrap();
    for _ in 0..2 {
        let snapshot = table.snapshot().unwrap();
        let source = snapshot.scan(&spec_of(&table), &context()).unwrap();
        let mut reader = source.reader().unwrap();
        let Read::Chunk(first) = reader.next().unwrap() else { panic!() };
        assert!(matches!(first.chunk.columns[1], Column::Dict(_)), "codes of one dictionary");
        assert!(first.chunk.columns[2].is_const() && first.chunk.columns[3].is_const());
        assert!(table.column_size(2).unwrap().stored < 100);
        let few = table.column_size(1).unwrap();
        assert!(few.stored < rows as u64 && few.distinct >= 6 && few.distinct <= 13, "{few:?}");
        let total = table.snapshot().unwrap().row_count().unwrap();
        assert_eq!(table.column_size(3).unwrap().defaults, total);
        // The same after a merge.
        insert(&table, &[read_all(&table).slice(0, 20_000)]).unwrap();
        table.optimize(true, &context()).unwrap();
    }
}

#[test]
fn wide_rows_make_small_granules() {
    let schema = schema(&[("k", "UInt32"), ("s", "String")]);
    let mut config = TableConfig::sorted_by(schema, &[0]);
    config.settings.index_granularity_bytes = 10_000;
    let (_store, _, table) = table(config);
    let mut rng = Rng::new(8);
    let strings: Strings = (0..500)
        .map(|i| {
            (0..if i % 100 == 0 { 30_000 } else { 100 })
                .map(|_| rng.next_u64() as u8)
                .collect::<Vec<_>>()
        })
        .collect();
    let chunk = Chunk::new(vec![(0..500u32).rev().collect::<Vec<_>>().into(), strings.into()], 500);
    insert(&table, std::slice::from_ref(&chunk)).unwrap();
    let granules = table.part_summaries()[0].granules;
    assert!((10..=40).contains(&granules), "{granules}");
    assert_same(&rows_sorted(&read_all(&table)), &rows_sorted(&chunk), "rows");
}

#[test]
fn a_granule_s_strings_may_have_a_dictionary_of_their_own() {
    let schema = schema(&[("k", "UInt32"), ("s", "String"), ("n", "Nullable(String)")]);
    let (_store, _, table) = table(TableConfig::sorted_by(schema, &[0]));
    let rows = 20_000usize;
    let text = |i: usize| format!("https://example.com/page/{}", i / 3);
    let strings: Strings = (0..rows).map(text).collect();
    let valid = Bitmap::from_fn(rows, |i| i % 7 != 0);
    let columns = vec![
        (0..rows as u32).collect::<Vec<_>>().into(),
        strings.clone().into(),
        Column::nullable(strings.into(), valid),
    ];
    let chunk = Chunk::new(columns, rows);
    insert(&table, std::slice::from_ref(&chunk)).unwrap();
    for merged in [false, true] {
        let wanted = if merged {
            insert(&table, std::slice::from_ref(&chunk)).unwrap();
            table.optimize(true, &context()).unwrap();
            let twice: Vec<u32> = (0..rows as u32).flat_map(|i| [i, i]).collect();
            chunk.take(&twice)
        } else {
            chunk.clone()
        };
        let snapshot = table.snapshot().unwrap();
        let source = snapshot.scan(&spec_of(&table), &context()).unwrap();
        let Read::Chunk(first) = source.reader().unwrap().next().unwrap() else { panic!() };
        for column in &first.chunk.columns[1..] {
            let dict = column.as_dict().unwrap();
            assert!(dict.dictionary.values.len() < first.chunk.rows / 2);
        }
        assert_same(&rows_of(&read_all(&table)), &rows_of(&wanted), "rows");
        let size = table.column_size(1).unwrap();
        assert!(size.stored * 8 < size.raw, "{size:?}");
    }
}
