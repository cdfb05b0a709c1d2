//! Throughput of the formats on the hits sample, and of Parquet on a file given as argument:
//! `cargo run --release -p entasis-format --example format_bench [-- hits_000.parquet]`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use entasis_column::{Chunk, Field, Header};
use entasis_format::{Compression, FormatOptions, ParquetFile, Segment, decompress, input, output};
use entasis_types::DataType;

fn best(name: &str, bytes: usize, mut f: impl FnMut()) {
    let seconds = (0..5)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min);
    println!("{name:24} {:8.0} MB/s  {:8.1} ms", bytes as f64 / seconds / 1e6, seconds * 1e3);
}

fn write(format: &str, header: &Header, chunks: &[Chunk], out: &mut Vec<u8>) {
    let options = FormatOptions { max_rows: 10_000, ..FormatOptions::default() };
    let mut writer = output(format, header, &options).unwrap();
    writer.start(out).unwrap();
    for chunk in chunks {
        writer.write(chunk, out).unwrap();
    }
    writer.finish(out).unwrap();
}

fn main() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let columns = std::fs::read_to_string(format!("{data}/hits_columns.tsv")).unwrap();
    let fields = columns
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, ty)| Field::new(name, DataType::parse(ty).unwrap()))
        .collect();
    let header = Header::new(fields);
    let file = std::fs::File::open(format!("{data}/hits_sample.tsv.gz")).unwrap();
    let mut text = Vec::new();
    decompress(Compression::Gzip, Box::new(file), u64::MAX)
        .unwrap()
        .read_to_end(&mut text)
        .unwrap();
    let options = FormatOptions::default();
    let cursor = std::io::Cursor::new(text.clone());
    let splitter = entasis_format::splitter("TSV", &header, Box::new(cursor), &options);
    let parser = splitter.unwrap().unwrap().parser();
    let segment = Segment { bytes: text.clone(), ..Segment::default() };
    best("TSV in, one segment", text.len(), || {
        parser.parse(&segment).unwrap();
    });
    let mut chunks = Vec::new();
    best("TSV in, streamed", text.len(), || {
        chunks.clear();
        let cursor = std::io::Cursor::new(text.clone());
        let mut reader = input("TSV", &header, Box::new(cursor), &options).unwrap();
        while let Some(chunk) = reader.next(8192).unwrap() {
            chunks.push(chunk);
        }
    });
    for format in ["TSV", "CSV", "JSONEachRow", "Values", "PrettyCompact", "Parquet"] {
        let mut out = Vec::new();
        write(format, &header, &chunks, &mut out);
        let len = out.len();
        best(&format!("{format} out"), len, || {
            out.clear();
            write(format, &header, &chunks, &mut out);
        });
        if matches!(format, "CSV" | "JSONEachRow" | "Values") {
            best(&format!("{format} in"), len, || {
                let cursor = std::io::Cursor::new(out.clone());
                let mut reader = input(format, &header, Box::new(cursor), &options).unwrap();
                while reader.next(8192).unwrap().is_some() {}
            });
        }
    }
    let Some(path) = std::env::args().nth(1) else { return };
    let bytes = Arc::new(std::fs::read(path).unwrap());
    let len = bytes.len();
    let file = ParquetFile::open(bytes).unwrap();
    let pick = |names: &[&str]| {
        let fields = names.iter().filter_map(|n| file.header().position(n));
        let plain = |f: &Field| Field::new(&*f.name, f.ty.without_nullable().clone());
        Header::new(fields.map(|i| plain(&file.header()[i])).collect())
    };
    let all: Vec<&str> = file.header().iter().map(|f| &*f.name).collect();
    for names in [&all[..], &["UserID", "RegionID"], &["SearchPhrase"], &["URL", "Title"]] {
        let wanted = pick(names);
        let mut decoded = 0;
        best(&format!("Parquet, {} columns", names.len()), len, || {
            decoded = 0;
            for i in 0..file.row_groups() {
                let mut reader = file.read_row_group(i, &wanted, &options).unwrap();
                while let Some(chunk) = reader.next(8192).unwrap() {
                    decoded += chunk.byte_size();
                }
            }
        });
        println!("    {decoded} bytes of columns, {} rows", file.total_rows());
    }
}
