//! Files written and read back: formats, compressions, casts, order of rows, failures.

use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use entasis_base::clock::Rng;
use entasis_base::{CancelToken, MemoryAccount};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_expr::ColumnId;
use entasis_pipeline::{Flow, Morsel, Read};
use entasis_table_api::{ScanSpec, insert_chunks};
use entasis_types::{DataType, TimeZone, Value};

use super::*;
use entasis_disk::UserFiles;

struct TempDir(PathBuf);

impl TempDir {
    fn new() -> Self {
        entasis_functions::register();
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("entasis-file-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn table(&self, args: &[&str]) -> Result<Arc<dyn Table>> {
        let function_context = TableFunctionContext {
            files: Arc::new(UserFiles::confined(&self.0).unwrap()),
            time_zone: TimeZone::utc(),
            truncate_files: false,
            new_files: false,
            empty_if_missing: false,
            skip_empty: false,
            hive_partitioning: true,
            web: Arc::new(crate::web::NoWeb),
            web_options: &|| unreachable!("files need no web"),
            format: &|| FormatOptions {
                caster: Some(crate::cast::caster(TimeZone::utc())),
                states: Some(crate::states::reader()),
                ..FormatOptions::default()
            },
        };
        let args: Vec<Value> = args.iter().map(|a| Value::from(*a)).collect();
        file(&args, &function_context)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn context(max_block_size: usize) -> QueryContext {
    QueryContext {
        events: entasis_base::events::Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("test", u64::MAX),
        max_threads: 2,
        max_block_size,
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        max_insert_partitions: 100,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

/// The rows of the columns at these positions, read by `readers` in turn.
fn read(table: &dyn Table, columns: &[usize], readers: usize) -> Result<Chunk> {
    let spec = ScanSpec::of_columns((0..).map(ColumnId).zip(columns.iter().copied()));
    let source = table.snapshot()?.scan(&spec, &context(1000))?;
    let mut readers: Vec<_> = (0..readers).map(|_| source.reader()).collect::<Result<_>>()?;
    let mut found: Vec<Morsel> = Vec::new();
    while !readers.is_empty() {
        let mut left = Vec::new();
        for mut reader in readers {
            if let Read::Chunk(morsel) = reader.next()? {
                assert!(morsel.chunk.rows <= 1000);
                found.push(morsel);
                left.push(reader);
            }
        }
        readers = left;
    }
    found.sort_by_key(|m| m.sequence);
    let chunks: Vec<Chunk> = found.into_iter().map(|m| m.chunk).collect();
    Ok(if chunks.is_empty() { Chunk::default() } else { Chunk::concat(&chunks) })
}

fn values(column: &Column) -> Vec<Value> {
    (0..column.len()).map(|i| column.value(i)).collect()
}

/// Writes the chunks as morsels 0, 1, ..., from one worker.
fn write(table: &dyn Table, chunks: Vec<Chunk>) -> Result<()> {
    let sink = table.insert(&context(8192))?;
    insert_chunks(&sink, chunks, &context(8192))
}

fn numbers(range: std::ops::Range<u64>) -> Chunk {
    let texts = Column::String(range.clone().map(|i| format!("row\t{i}")).collect());
    let rows = range.clone().count();
    Chunk::new(vec![range.collect::<Vec<u64>>().into(), texts], rows)
}

const STRUCTURE: &str = "n UInt64, s String";

#[test]
fn every_format_and_compression_reads_back_what_was_written() {
    let dir = TempDir::new();
    for format in ["Parquet", "TSV", "CSV", "TSVWithNames", "JSONEachRow"] {
        for suffix in ["", ".gz", ".zst", ".lz4"] {
            let name = format!("{format}.data{suffix}");
            let table = dir.table(&[&name, format, STRUCTURE]).unwrap();
            let chunks = (0..40).map(|i| numbers(i * 1000..(i + 1) * 1000)).collect();
            write(&*table, chunks).unwrap();
            let all = numbers(0..40_000);
            for readers in [1, 3] {
                let back = read(&*table, &[1, 0], readers).unwrap();
                assert_eq!(values(&back.columns[0]), values(&all.columns[1]), "{name}");
                assert_eq!(values(&back.columns[1]), values(&all.columns[0]), "{name}");
                assert_eq!(read(&*table, &[], readers).unwrap().rows, 40_000, "{name}");
                let text = read(&*table, &[1], readers).unwrap();
                assert_eq!(values(&text.columns[0]), values(&all.columns[1]), "{name}");
            }
            let inferred = dir.table(&[&name, format]).unwrap();
            assert_eq!(read(&*inferred, &[0], 1).unwrap().rows, 40_000, "{name}");
        }
    }
}

#[test]
fn rows_come_out_in_source_order_whoever_brings_them() {
    let mut rng = Rng::new(7);
    for _ in 0..20 {
        let dir = TempDir::new();
        let table = dir.table(&["x.tsv", "TSV", "n UInt64"]).unwrap();
        let sink = table.insert(&context(8192)).unwrap();
        let mut states: Vec<_> = (0..3).map(|_| Some(sink.open().unwrap())).collect();
        let (mut next, mut expected) = (0, Vec::new());
        let mut at: Vec<(u64, u64)> = vec![(0, 0); 3];
        while states.iter().any(Option::is_some) {
            let worker = (rng.next_u64() % 3) as usize;
            let Some(state) = states[worker].as_mut() else { continue };
            if at[worker].1 == 0 {
                if next >= 50 {
                    states[worker].take().unwrap().combine().unwrap();
                    continue;
                }
                // Some morsels have no rows.
                at[worker] = (next, rng.next_u64() % 4);
                next += 1;
                continue;
            }
            let (sequence, left) = at[worker];
            let value = sequence * 10 + (9 - left);
            expected.push(value);
            let chunk = Chunk::new(vec![vec![value].into()], 1);
            state.push(Morsel { sequence, chunk }).unwrap();
            at[worker].1 -= 1;
        }
        sink.finalize(&context(8192)).unwrap();
        assert!(!dir.0.join("x.tsv").exists(), "seen before its commit");
        entasis_table_api::commit(sink.prepared().unwrap()).unwrap();
        expected.sort_unstable();
        let text: String = expected.iter().map(|v| format!("{v}\n")).collect();
        assert_eq!(String::from_utf8(dir.bytes("x.tsv")).unwrap(), text);
    }
}

#[test]
fn parquet_is_cast_to_the_structure_that_is_given() {
    let dir = TempDir::new();
    let from = "a UInt16, b Int64, c Nullable(UInt8), d String";
    let table = dir.table(&["x.parquet", "Parquet", from]).unwrap();
    let nullable = Column::nullable(vec![1u8, 2, 3].into(), Bitmap::from_fn(3, |i| i != 1));
    let texts = Column::String(["1", "2", "3"].into_iter().collect());
    let columns = vec![vec![1u16, 2, 3].into(), vec![5i64, 6, 7].into(), nullable, texts];
    write(&*table, vec![Chunk::new(columns, 3)]).unwrap();
    let to = "d UInt32, missing Int8, c UInt8, b DateTime, a Date";
    let table = dir.table(&["x.parquet", "auto", to]).unwrap();
    let back = read(&*table, &[0, 1, 2, 3, 4], 1).unwrap();
    let expected: [Column; 5] = [
        vec![1u32, 2, 3].into(),
        vec![0i8; 3].into(),
        vec![1u8, 0, 3].into(),
        vec![5u32, 6, 7].into(),
        vec![1u16, 2, 3].into(),
    ];
    for (got, expected) in back.columns.iter().zip(&expected) {
        assert_eq!(values(got), values(expected));
    }
    assert_eq!(table.snapshot().unwrap().row_count(), Some(3));
    let inferred = dir.table(&["x.parquet"]).unwrap();
    let types: Vec<String> = inferred.schema().stored().iter().map(|c| c.ty.to_string()).collect();
    assert_eq!(types, ["UInt16", "Int64", "Nullable(UInt8)", "String"]);
}

#[test]
fn parquet_footers_answer_statistics() {
    let dir = TempDir::new();
    let from = "a UInt32, b Nullable(Int64), c String, d Array(UInt8), e Float64";
    let table = dir.table(&["x.parquet", "Parquet", from]).unwrap();
    let nullable = Column::nullable(vec![5i64, -2, 3].into(), Bitmap::from_fn(3, |i| i != 0));
    let texts = Column::String(["k", "ab", "xyz"].into_iter().collect());
    let lists = Column::default_of(&DataType::array(DataType::UInt8), 3);
    let floats = Column::from(vec![0.5, -1.5, 2.0]);
    let columns = vec![vec![u32::MAX, 2, 7].into(), nullable, texts, lists, floats];
    write(&*table, vec![Chunk::new(columns, 3)]).unwrap();
    let snapshot = dir.table(&["x.parquet"]).unwrap().snapshot().unwrap();
    let bounds = |position: usize| {
        let known = snapshot.column_statistics(position).unwrap();
        assert_eq!(known.rows, 3);
        (known.nulls, known.min.clone(), known.max.clone())
    };
    let max = u64::from(u32::MAX);
    assert_eq!(bounds(0), (0, Some(Value::UInt(2)), Some(Value::UInt(max))));
    assert_eq!(bounds(1), (1, Some(Value::Int(-2)), Some(Value::Int(3))));
    assert_eq!(bounds(2), (0, Some(Value::from("ab")), Some(Value::from("xyz"))));
    assert_eq!(bounds(4), (0, Some(Value::Float(-1.5)), Some(Value::Float(2.0))));
    assert!(snapshot.column_statistics(3).is_none(), "a list has values of its own");
    assert!(snapshot.column_statistics(5).is_none(), "the path is not in the footer");
    // With a type that the query declares, the values of the file are not those of the column.
    let other = dir.table(&["x.parquet", "Parquet", "a Int8"]).unwrap().snapshot().unwrap();
    assert!(other.column_statistics(0).is_none());
}

#[test]
fn patterns_read_all_files_in_order() {
    let dir = TempDir::new();
    for (name, text) in [("b.csv", "3,x\n"), ("a.csv", "1,x\n2,y\n"), ("c.csv", "")] {
        dir.put(name, text.as_bytes());
    }
    let back = read(&*dir.table(&["*.csv"]).unwrap(), &[0], 2).unwrap();
    assert_eq!(values(&back.columns[0]), [1, 2, 3].map(Value::Int));
}

#[test]
fn large_text_is_cut_and_parsed_by_several() {
    let dir = TempDir::new();
    let text: String = (0..700_000).map(|i| format!("{i}\tabc\n")).collect();
    dir.put("x.tsv", text.as_bytes());
    let table = dir.table(&["x.tsv"]).unwrap();
    let back = read(&*table, &[0], 3).unwrap();
    assert_eq!(back.rows, 700_000);
    assert!(values(&back.columns[0]).into_iter().eq((0..700_000).map(Value::Int)));
}

#[test]
fn appends_where_the_format_can() {
    let dir = TempDir::new();
    for (format, size) in [("TSV", 4), ("TSVWithNames", 6), ("CSV", 4)] {
        let table = dir.table(&["x.txt", format, "n UInt8"]).unwrap();
        for i in 1..3u8 {
            write(&*table, vec![Chunk::new(vec![vec![i].into()], 1)]).unwrap();
        }
        assert_eq!(dir.bytes("x.txt").len(), size, "{format}");
        dir.put("x.txt", b"");
    }
    let table = dir.table(&["x.parquet", "Parquet", "n UInt8"]).unwrap();
    let chunk = || vec![Chunk::new(vec![vec![1u8].into()], 1)];
    write(&*table, chunk()).unwrap();
    let before = dir.bytes("x.parquet");
    assert_eq!(write(&*table, chunk()).unwrap_err().code(), codes::CANNOT_APPEND_TO_FILE);
    assert_eq!(dir.bytes("x.parquet"), before);
}

#[test]
fn what_is_not_finalised_leaves_the_file_as_it_was() {
    let dir = TempDir::new();
    dir.put("x.tsv", b"1\n");
    let table = dir.table(&["x.tsv", "TSV", "n UInt64"]).unwrap();
    let sink = table.insert(&context(8192)).unwrap();
    let mut state = sink.open().unwrap();
    let values: Vec<u64> = (0..1_000_000).collect();
    let chunk = Chunk::new(vec![values.into()], 1_000_000);
    state.push(Morsel { sequence: 0, chunk }).unwrap();
    drop((state, sink));
    assert_eq!(dir.bytes("x.tsv"), b"1\n");
    let fresh = dir.table(&["y.tsv", "TSV", "n UInt64"]).unwrap();
    drop(fresh.insert(&context(8192)).unwrap());
    assert_eq!(std::fs::read_dir(&dir.0).unwrap().count(), 1);
}

#[test]
fn a_worker_that_is_ahead_waits_while_the_queue_is_long() {
    let dir = TempDir::new();
    let table = dir.table(&["x.bin", "RowBinary", "n UInt64"]).unwrap();
    let context = context(8192);
    let sink = table.insert(&context).unwrap();
    let (mut first, mut second) = (sink.open().unwrap(), sink.open().unwrap());
    let chunk = |rows: usize| Chunk::new(vec![vec![7u64; rows].into()], rows);
    let push = |state: &mut Box<dyn entasis_pipeline::SinkState>, sequence, rows| {
        state.push(Morsel { sequence, chunk: chunk(rows) }).unwrap()
    };
    assert!(matches!(push(&mut first, 0, 1), Flow::More));
    assert!(matches!(push(&mut second, 1, 8 << 20), Flow::More));
    let Flow::Blocked(blocked) = push(&mut second, 2, 10 << 20) else { panic!("not blocked") };
    let woken = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&woken);
    blocked(Arc::new(move || {
        count.fetch_add(1, Relaxed);
    }));
    assert_eq!(woken.load(Relaxed), 0);
    assert!(context.memory.used() > 128 << 20);
    assert!(matches!(push(&mut first, 3, 1), Flow::More));
    assert_eq!(woken.load(Relaxed), 1);
    first.combine().unwrap();
    second.combine().unwrap();
    sink.finalize(&context).unwrap();
    entasis_table_api::commit(sink.prepared().unwrap()).unwrap();
    assert_eq!(dir.bytes("x.bin").len(), (2 + (18 << 20)) * 8);
    assert_eq!(context.memory.used(), 0);
}

#[test]
fn failures_have_the_references_numbers() {
    let dir = TempDir::new();
    dir.put("bad.tsv", b"1\nx\n");
    dir.put("bad.parquet", b"PAR1 and nothing");
    dir.put("odd.xyz", b"1");
    let code = |args: &[&str]| {
        let table = dir.table(args);
        table.and_then(|t| read(&*t, &[0], 1)).map_or_else(|e| e.code().0, |_| 0)
    };
    assert_eq!(code(&["no.parquet"]), 107);
    assert_eq!(code(&["no.tsv", "TSV", "n UInt8"]), 107);
    assert_eq!(code(&["no*.parquet"]), 636);
    assert_eq!(code(&["no*.parquet", "Parquet", "n UInt8"]), 0);
    // The content determines the format if the name does not.
    assert_eq!(code(&["odd.xyz"]), 0);
    assert_eq!(code(&["odd.xyz", "Foo"]), 73);
    assert_eq!(code(&[]), 42);
    assert_eq!(code(&["odd.xyz", "TSV", "n UInt8", "rot13"]), 48);
    assert_ne!(code(&["bad.parquet"]), 0);
    let bad = dir.table(&["bad.tsv", "TSV", "n UInt8"]).unwrap();
    let message = read(&*bad, &[0], 1).unwrap_err().message().to_string();
    assert!(message.contains("(in file/uri bad.tsv)"), "{message}");
    let pattern = dir.table(&["*.tsv", "TSV", "n UInt8"]).unwrap();
    assert!(pattern.insert(&context(8192)).is_err());
}
