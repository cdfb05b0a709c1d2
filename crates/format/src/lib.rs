//! Formats: bytes to and from chunks. Text formats are implemented here; Parquet uses the crate
//! parquet.
//!
//! The set of formats is open: a format is a [`FormatDef`] of plain function pointers. There is one
//! file per family, and [`registry`] lists the formats. Writers append to a byte vector. Readers
//! read from `io::Read` ([`InputFormat`]) or, if a file can be split, give pieces to many workers
//! ([`Splitter`] for lines, [`ParquetFile`] for row groups).
//!
//! Invariants: bad input is an error that names row, column, type and the offending bytes, and
//! never a panic. Strings are bytes and are not changed.
//!
//! Absent on purpose: paths, settings, engine, the conversion of one column type into another.
#![forbid(unsafe_code)]

mod arrow;
mod cell;
pub mod compression;
pub mod contract;
mod counted;
mod csv;
mod custom;
mod escape;
mod fault;
mod field;
mod fit;
mod infer;
mod json;
mod json_document;
mod json_objects;
mod json_rows;
mod kind;
mod lines;
mod markdown;
mod native;
mod null;
pub mod options;
pub mod parquet;
mod pretty;
mod quoted;
pub mod registry;
mod row_binary;
mod rows;
pub mod segment;
mod stored;
mod stream;
#[cfg(test)]
mod testing;
mod tskv;
mod tsv;
mod values;
mod variant;
mod vertical;
mod wide;
mod wire;
mod xml;

pub use compression::{Compression, compression_by_extension, decompress, decompress_by_content};
pub use contract::{
    BestEffort, Caster, Custom, Escaping, Evaluator, FormatOptions, InputFormat, Omitted,
    OutputFormat, ReadAt, StateLen, StateReader, Statistics, StatisticsSource, Times,
    TotalsAndExtremes,
};
pub use counted::read_whole;
pub use infer::guess_type;
pub use options::{
    BoolWords, Guesses, JsonInput, JsonOutput, PrettyOptions, SqlInsert, TextOptions, Vertical,
};
pub use parquet::{GroupStatistics, ParquetFile};
pub use registry::{
    FormatDef, find, format_by_extension, infer_schema, infer_schema_at, input, names, output,
    sample_size, takes_any_bytes,
};
pub use segment::{Segment, SegmentParser, Splitter, parse_segment, splitter};
