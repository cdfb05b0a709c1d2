//! Loads a file in ClickHouse's Native format (numbers, Date, DateTime and String columns) into a
//! MergeTree table and times scans of it:
//!
//! ```text
//! bench_hits load DIR FILE.native key,columns [merge]
//! bench_hits scan DIR key,columns column,column,...
//! ```
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::panic, clippy::format_collect)]

use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::{CancelToken, MemoryAccount};
use entasis_column::{Chunk, Column, StringsBuilder};
use entasis_disk::LocalDisk;
use entasis_expr::ColumnId;
use entasis_mergetree::{Store, StoreOptions, TableConfig};
use entasis_pipeline::{Morsel, QueryContext};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Table};
use entasis_types::DataType;

struct Native {
    input: BufReader<File>,
}

impl Native {
    fn varint(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let mut byte = [0];
            if self.input.read(&mut byte).unwrap() == 0 {
                return None;
            }
            value |= u64::from(byte[0] & 127) << shift;
            if byte[0] < 128 {
                return Some(value);
            }
            shift += 7;
        }
    }

    fn text(&mut self) -> String {
        let len = self.varint().unwrap() as usize;
        let mut bytes = vec![0; len];
        self.input.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn numbers<T: Copy + Default, const N: usize>(
        &mut self,
        rows: usize,
        of: fn([u8; N]) -> T,
    ) -> Vec<T> {
        let mut bytes = vec![0; rows * N];
        self.input.read_exact(&mut bytes).unwrap();
        bytes.chunks_exact(N).map(|b| of(b.try_into().unwrap())).collect()
    }

    fn block(&mut self) -> Option<(Vec<(String, DataType)>, Chunk)> {
        let columns = self.varint()? as usize;
        let rows = self.varint().unwrap() as usize;
        let (mut fields, mut out) = (Vec::new(), Vec::new());
        for _ in 0..columns {
            let name = self.text();
            let ty = DataType::parse(&self.text()).unwrap();
            let column: Column = match &ty {
                DataType::Int16 => self.numbers(rows, i16::from_le_bytes).into(),
                DataType::Int32 => self.numbers(rows, i32::from_le_bytes).into(),
                DataType::Int64 => self.numbers(rows, i64::from_le_bytes).into(),
                DataType::Date => self.numbers(rows, u16::from_le_bytes).into(),
                DataType::DateTime(_) => self.numbers(rows, u32::from_le_bytes).into(),
                DataType::String => {
                    let mut strings = StringsBuilder::with_capacity(rows, rows * 16);
                    for _ in 0..rows {
                        let len = self.varint().unwrap() as usize;
                        let start = strings.data.len();
                        strings.data.resize(start + len, 0);
                        self.input.read_exact(&mut strings.data[start..]).unwrap();
                        strings.close();
                    }
                    strings.finish().into()
                }
                other => panic!("{other}"),
            };
            fields.push((name, ty));
            out.push(column);
        }
        Some((fields, Chunk::new(out, rows)))
    }
}

fn context() -> QueryContext {
    QueryContext {
        events: entasis_base::events::Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("bench", 0),
        max_threads: 2,
        max_block_size: 8192,
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        max_insert_partitions: 100,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

fn config(definition: &str, key: &str) -> TableConfig {
    let columns = definition.lines().filter_map(|line| line.split_once(' '));
    let columns: Vec<ColumnDef> =
        columns.map(|(n, t)| ColumnDef::new(n, DataType::parse(t).unwrap())).collect();
    let schema = Schema::new(columns);
    let key: Vec<usize> = key.split(',').map(|name| schema.position(name).unwrap()).collect();
    TableConfig::sorted_by(schema, &key)
}

fn load(dir: &str, file: &str, key: &str, merge: bool) {
    let started = Instant::now();
    let mut native = Native { input: BufReader::with_capacity(4 << 20, File::open(file).unwrap()) };
    let options = StoreOptions { merge: false, ..StoreOptions::default() };
    let store = Store::open_with(Arc::new(LocalDisk::new(dir).unwrap()), options).unwrap();
    store.create_database("default", "").unwrap();
    let (fields, first) = native.block().unwrap();
    let definition: String = fields.iter().map(|(n, t)| format!("{n} {t}\n")).collect();
    let id = store.create_table("default", "hits", definition.as_str()).unwrap();
    let table = store.attach(id, config(&definition, key)).unwrap();
    let context = context();
    let sink = table.insert(&context).unwrap();
    let source = Mutex::new((native, Some(first)));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut state = sink.open().unwrap();
                loop {
                    let chunk = {
                        let mut source = source.lock().unwrap();
                        source.1.take().or_else(|| source.0.block().map(|(_, chunk)| chunk))
                    };
                    let Some(chunk) = chunk else { break };
                    state.push(Morsel { sequence: 0, chunk }).unwrap();
                }
                state.combine().unwrap();
            });
        }
    });
    sink.finalize(&context).unwrap();
    entasis_table_api::commit(sink.prepared().unwrap()).unwrap();
    println!("loaded in {:.1?}", started.elapsed());
    report(&table);
    if merge {
        let started = Instant::now();
        table.optimize(true, &context).unwrap();
        println!("merged in {:.1?}", started.elapsed());
        report(&table);
    }
    let mut sizes: Vec<_> = (0..table.schema().columns.len())
        .map(|i| (table.column_size(i).unwrap(), table.schema().columns[i].name.clone()))
        .collect();
    sizes.sort_by_key(|(size, _)| std::cmp::Reverse(size.stored));
    for (size, name) in sizes.iter().take(25) {
        println!("{name:24} {:>12} of {:>12}, {} distinct", size.stored, size.raw, size.distinct);
    }
}

fn report(table: &entasis_mergetree::MergeTreeTable) {
    let parts = table.part_summaries();
    let rows: u64 = parts.iter().map(|p| p.rows).sum();
    println!("{} parts, {rows} rows, {} bytes", parts.len(), table.total_bytes().unwrap());
}

fn scan(dir: &str, key: &str, columns: &str) {
    let started = Instant::now();
    let store = Store::open(Arc::new(LocalDisk::new(dir).unwrap()), true).unwrap();
    let record = store.tables()[0].clone();
    let table = store.attach(record.id, config(&record.definition, key)).unwrap();
    println!("opened in {:.1?}", started.elapsed());
    report(&table);
    for list in columns.split_whitespace() {
        let columns: Vec<(ColumnId, usize)> = list
            .split(',')
            .map(|name| table.schema().position(name).unwrap())
            .map(|position| (ColumnId(position as u32), position))
            .collect();
        let spec = ScanSpec::of_columns(columns);
        for threads in [1, 1, 2] {
            let context = context();
            let started = Instant::now();
            let source = table.snapshot().unwrap().scan(&spec, &context).unwrap();
            let rows: usize = std::thread::scope(|scope| {
                let work = || {
                    let mut reader = source.reader().unwrap();
                    let mut rows = 0;
                    while let entasis_pipeline::Read::Chunk(m) = reader.next().unwrap() {
                        rows += m.chunk.rows;
                        std::hint::black_box(&m.chunk);
                    }
                    rows
                };
                let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                all.into_iter().map(|t| t.join().unwrap()).sum()
            });
            let time = started.elapsed();
            let bytes = context.progress.get().1;
            println!(
                "{list}: {threads} threads, {rows} rows, {time:.2?}, {:.2} GB/s",
                bytes as f64 / time.as_secs_f64() / 1e9
            );
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["load", dir, file, key] => load(dir, file, key, false),
        ["load", dir, file, key, "merge"] => load(dir, file, key, true),
        ["scan", dir, key, columns] => scan(dir, key, columns),
        _ => println!("bench_hits load|scan ...: see the source"),
    }
}
