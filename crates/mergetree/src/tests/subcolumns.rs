//! Subcolumns: they equal those taken from the whole column, and are read from fewer bytes.

use std::sync::Arc;

use entasis_base::clock::Rng;
use entasis_codec::EncodeOptions;
use entasis_column::subcolumn::subcolumn;
use entasis_column::{Bitmap, Chunk, Column, Strings};
use entasis_disk::{Disk, FaultDisk};
use entasis_expr::ColumnId;
use entasis_table_api::{ScanColumn, ScanSpec, Table};
use entasis_types::subcolumn::subcolumns;
use entasis_types::{DataType, Step, SubcolumnPath};

use super::support::*;
use crate::segment::manifest::Span;
use crate::segment::subcolumn::{PartReader, Wanted, block_lens, count};
use crate::segment::{dictionary, streams};
use crate::{MergeTreeTable, Store, TableConfig};

const TYPES: &[&str] = &[
    "String",
    "Nullable(Int64)",
    "Nullable(String)",
    "Array(Nullable(String))",
    "Array(Array(UInt16))",
    "Tuple(a Nullable(String), b Array(Int8), c Tuple(d String, e UInt64))",
    "Array(Tuple(x String, y Nullable(Int32), z Array(UInt8)))",
    "LowCardinality(String)",
    "Map(String, Array(UInt8))",
];

fn types() -> impl Iterator<Item = DataType> {
    TYPES.iter().map(|ty| DataType::parse(ty).unwrap())
}

fn rows(column: Column) -> Vec<String> {
    let rows = column.len();
    rows_of(&Chunk::new(vec![column], rows))
}

/// A random column of a type.
fn random(rng: &mut Rng, ty: &DataType, rows: usize) -> Column {
    match ty {
        DataType::LowCardinality(inner) | DataType::Map(inner) => random(rng, inner, rows),
        other => random_column(rng, other, rows),
    }
}

#[test]
fn a_granules_blocks_give_its_parts() {
    let mut rng = Rng::new(7);
    for ty in types() {
        for part in subcolumns(&ty) {
            let what = format!("{} of {ty}", part.name);
            let whole = random(&mut rng, &ty, 300);
            let wanted = rows(subcolumn(&whole, part.path.steps()).unwrap());
            let mut bytes = Vec::new();
            streams::encode(&ty, &whole, EncodeOptions::default(), &mut bytes).unwrap();
            let lens = block_lens(&ty, &bytes).unwrap().unwrap();
            assert_eq!(lens.len(), count(&ty), "{what}");
            // Reads as in a segment with the lengths of streams, and as in one without.
            let without = PartReader::new(&ty, &part.path, Vec::new());
            let got = without.of_blocks(&bytes, 300).unwrap().unwrap();
            assert_same(&rows(got), &wanted, &what);
            let lens = lens[..lens.len() - 1].iter().map(|&len| vec![len]).collect();
            let with = PartReader::new(&ty, &part.path, lens);
            let all = Span { offset: 1000, len: bytes.len() as u64 };
            let Wanted::Streams(spans) = with.wanted(0, all) else {
                // The sizes of strings are read with the strings.
                assert!(count(&ty) == 1 || part.name == "size", "{what}");
                continue;
            };
            let cut =
                |s: &Span| &bytes[s.offset as usize - 1000..(s.offset + s.len) as usize - 1000];
            let blocks: Vec<&[u8]> = spans.iter().map(cut).collect();
            assert_same(&rows(with.of_streams(&blocks, 300).unwrap()), &wanted, &what);
            let read: usize = blocks.iter().map(|block| block.len()).sum();
            assert!(read < bytes.len() || part.name == "size", "{what}");
        }
    }
}

#[test]
fn damaged_lengths_of_streams_are_not_believed() {
    let ty = DataType::parse("Array(Tuple(x String, y UInt8))").unwrap();
    let part = entasis_types::subcolumn::subcolumn(&ty, "y").unwrap();
    let whole = random_column(&mut Rng::new(3), &ty, 50);
    let mut bytes = Vec::new();
    streams::encode(&ty, &whole, EncodeOptions::default(), &mut bytes).unwrap();
    let all = Span { offset: 0, len: bytes.len() as u64 };
    for lens in [vec![vec![u32::MAX], vec![5]], vec![vec![0], vec![0]], vec![vec![], vec![]]] {
        assert!(matches!(PartReader::new(&ty, &part.path, lens).wanted(0, all), Wanted::Whole));
    }
    // Wrong lengths lead to blocks that fail their checksums.
    let reader = PartReader::new(&ty, &part.path, vec![vec![30], vec![30]]);
    let Wanted::Streams(spans) = reader.wanted(0, all) else { panic!("no streams") };
    let blocks: Vec<&[u8]> =
        spans.iter().map(|s| &bytes[s.offset as usize..(s.offset + s.len) as usize]).collect();
    reader.of_streams(&blocks, 50).unwrap_err();
    reader.of_streams(&[], 50).unwrap_err();
}

fn config(granularity: usize) -> TableConfig {
    let names: Vec<String> = (0..TYPES.len()).map(|i| format!("c{i}")).collect();
    let columns: Vec<(&str, &str)> = std::iter::once(("id", "UInt32"))
        .chain(names.iter().map(|n| &**n).zip(TYPES.iter().copied()))
        .collect();
    let mut config = TableConfig::sorted_by(schema(&columns), &[0]);
    config.settings.index_granularity = granularity;
    config
}

fn fill(table: &MergeTreeTable, rng: &mut Rng, first: u32, rows: usize) {
    let ids: Vec<u32> = (first..first + rows as u32).collect();
    let columns = types().map(|ty| random(rng, &ty, rows));
    let columns = std::iter::once(ids.into()).chain(columns).collect();
    insert(table, &[Chunk::new(columns, rows)]).unwrap();
}

/// Scans the column at a position, or a subcolumn of it.
fn scan_of(table: &MergeTreeTable, position: usize, path: &SubcolumnPath, more: ScanSpec) -> Chunk {
    let id = ColumnId(7);
    let column = ScanColumn { id, position, path: path.clone() };
    let spec = ScanSpec { columns: vec![column], outputs: vec![id], ..more };
    collect(&*table.snapshot().unwrap(), &spec, &context()).unwrap()
}

#[test]
fn scans_give_the_parts_of_columns() {
    let mut rng = Rng::new(11);
    let (store, _, table) = table(config(40));
    for round in 0..3 {
        fill(&table, &mut rng, round * 1000, 500);
    }
    let check = |sorted_prefix: usize| {
        for (i, ty) in types().enumerate() {
            let more = ScanSpec { sorted_prefix, ..ScanSpec::default() };
            let whole = scan_of(&table, i + 1, &SubcolumnPath::default(), more.clone());
            for part in subcolumns(&ty) {
                let got = scan_of(&table, i + 1, &part.path, more.clone());
                let wanted = subcolumn(&whole.columns[0], part.path.steps()).unwrap();
                assert_same(&rows_of(&got), &rows(wanted), &format!("{} of {ty}", part.name));
            }
        }
    };
    check(0);
    check(1);
    table.optimize(true, &context()).unwrap();
    check(0);
    drop(store);
}

#[test]
fn null_is_read_without_the_dictionary_of_a_granule() {
    let disk = Arc::new(FaultDisk::new());
    let store = Store::open_with(disk.clone() as Arc<dyn Disk>, options()).unwrap();
    let columns = [("id", "UInt32"), ("text", "Nullable(String)")];
    let (_, table) = create(&store, TableConfig::sorted_by(schema(&columns), &[0]));
    // Each string occurs twice: too rarely for a dictionary of the segment, often enough for one of
    // the granule.
    let rows = 20_000;
    let once = noise(&mut Rng::new(9), rows / 2);
    let twice: Vec<u32> = (0..rows as u32).map(|i| i / 2).collect();
    let text = Column::nullable(once.take(&twice), Bitmap::from_fn(rows, |i| i % 7 > 1));
    assert!(dictionary::of_granule(&text.slice(0, 8192)).is_some());
    let wanted = rows_of(&Chunk::new(vec![subcolumn(&text, &[Step::Null]).unwrap()], rows));
    let ids = Column::from((0..rows as u32).collect::<Vec<_>>());
    insert(&table, &[Chunk::new(vec![ids, text], rows)]).unwrap();
    scan_of(&table, 0, &SubcolumnPath::default(), ScanSpec::default());
    let before = disk.read_bytes();
    let null = scan_of(&table, 1, &SubcolumnPath::new(&[Step::Null]), ScanSpec::default());
    let of_null = disk.read_bytes() - before;
    assert_same(&rows_of(&null), &wanted, "null");
    let whole = scan_of(&table, 1, &SubcolumnPath::default(), ScanSpec::default());
    let of_whole = disk.read_bytes() - before - of_null;
    assert!(of_null * 10 < of_whole, "{of_null} of {of_whole}");
    let size = scan_of(&table, 1, &SubcolumnPath::new(&[Step::StringSize]), ScanSpec::default());
    let wanted = subcolumn(&whole.columns[0], &[Step::StringSize]).unwrap();
    assert_same(&rows_of(&size), &rows_of(&Chunk::new(vec![wanted], rows)), "size");
}

/// Strings that cannot be compressed.
fn noise(rng: &mut Rng, rows: usize) -> Column {
    let text = |_| (0..12).map(|_| format!("{:x}", rng.next_u64())).collect::<String>();
    (0..rows).map(text).collect::<Strings>().into()
}

#[test]
fn a_part_takes_fewer_bytes_of_the_file() {
    let types = [
        "UInt32",
        "Array(String)",
        "Tuple(a String, b UInt8)",
        "Array(Tuple(x String, y UInt8, z Array(UInt8)))",
        "Nullable(String)",
    ];
    let names = ["id", "list", "pair", "pairs", "text"];
    let columns: Vec<(&str, &str)> = names.into_iter().zip(types).collect();
    let disk = Arc::new(FaultDisk::new());
    let store = Store::open_with(disk.clone() as Arc<dyn Disk>, options()).unwrap();
    let (_, table) = create(&store, TableConfig::sorted_by(schema(&columns), &[0]));
    let (mut rng, rows) = (Rng::new(5), 20_000);
    let twice: Vec<u32> = (0..=rows as u32).map(|i| i * 2).collect();
    let small = |rows: usize| Column::from((0..rows).map(|i| i as u8).collect::<Vec<_>>());
    let lists = Column::array(twice.clone().into(), noise(&mut rng, rows * 2));
    let pair = Column::tuple(vec![noise(&mut rng, rows), small(rows)], rows);
    let inner = Column::array((0..=rows as u32 * 2).collect::<Vec<_>>().into(), small(rows * 2));
    let inner = vec![noise(&mut rng, rows * 2), small(rows * 2), inner];
    let pairs = Column::array(twice.into(), Column::tuple(inner, rows * 2));
    let text = Column::nullable(noise(&mut rng, rows), Bitmap::from_fn(rows, |i| i % 10 > 0));
    let ids = Column::from((0..rows as u32).collect::<Vec<_>>());
    insert(&table, &[Chunk::new(vec![ids, lists, pair, pairs, text], rows)]).unwrap();
    // Loads what is read once per segment.
    scan_of(&table, 0, &SubcolumnPath::default(), ScanSpec::default());
    let bytes = |position: usize, path: &SubcolumnPath| {
        let before = disk.read_bytes();
        scan_of(&table, position, path, ScanSpec::default());
        disk.read_bytes() - before
    };
    for (position, part) in
        [(1, "size0"), (2, "b"), (3, "size0"), (3, "y"), (3, "z"), (3, "z.size1"), (4, "null")]
    {
        let ty = DataType::parse(types[position]).unwrap();
        let path = entasis_types::subcolumn::subcolumn(&ty, part).unwrap().path;
        let whole = bytes(position, &SubcolumnPath::default());
        let read = bytes(position, &path);
        assert!(read > 0 && read * 20 < whole, "{part} of {ty}: {read} of {whole}");
    }
}
