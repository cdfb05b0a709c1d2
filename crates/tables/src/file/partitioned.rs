//! `INSERT INTO FUNCTION file('name_{_partition_id}.csv', ...) PARTITION BY expression`: each
//! partition goes into a file of its own, whose path has the partition's value in place of
//! `{_partition_id}`.
//!
//! The rows of the INSERT are collected first, because a file has to be written in one piece. No
//! file is visible before all of them are complete.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Reservation, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Program};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::{InsertSink, Prepared, Schema, Snapshot, Table};

use super::place::Place;
use super::{FileTable, Target, write};

/// Stands in a path for the value of the partition.
const ID: &str = "{_partition_id}";

/// A table that divides the rows of an INSERT.
pub struct Partitioned {
    of: Arc<FileTable>,
    by: Expr,
}

impl Partitioned {
    /// The table that divides the rows of INSERTs into `table` by the text `by`, an expression over
    /// the columns of its schema. The same table if its path does not depend on the partition.
    pub fn table(table: Arc<dyn Table>, by: Expr) -> Result<Arc<dyn Table>> {
        let any: Arc<dyn std::any::Any + Send + Sync> = Arc::<dyn Table>::clone(&table);
        let Ok(of) = any.downcast::<FileTable>() else {
            let message = "PARTITION BY clause is not supported by storage";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        };
        if matches!(of.target.place, Place::Web(_)) {
            return Err(Error::not_implemented("PARTITION BY for addresses of the web"));
        }
        if !of.target.path.contains(ID) {
            return Ok(table);
        }
        Ok(Arc::new(Self { of, by }))
    }
}

impl Table for Partitioned {
    fn engine(&self) -> &str {
        self.of.engine()
    }

    fn schema(&self) -> Arc<Schema> {
        self.of.schema()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.of.snapshot()
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        let ids: Vec<ColumnId> = (0..self.schema().stored().len() as u32).map(ColumnId).collect();
        let rows = Rows {
            chunks: Vec::new(),
            bytes: 0,
            held: Reservation::new(&context.memory.child("FileInsert", 0)),
        };
        Ok(Arc::new(PartitionedSink {
            of: Arc::clone(&self.of),
            by: Mutex::new(Program::new(std::slice::from_ref(&self.by), &ids)?),
            rows: Arc::new(Mutex::new(rows)),
            files: Mutex::default(),
        }))
    }
}

/// The rows that were collected.
struct Rows {
    chunks: Vec<Chunk>,
    bytes: usize,
    held: Reservation,
}

struct PartitionedSink {
    of: Arc<FileTable>,
    by: Mutex<Program>,
    rows: Arc<Mutex<Rows>>,
    /// The complete files, which wait for the commit.
    files: Mutex<Vec<Prepared>>,
}

/// The rows of each partition in the order in which it first appears.
type Partitions = Vec<(Vec<u8>, Vec<Chunk>)>;

impl PartitionedSink {
    fn divided(&self) -> Result<Partitions> {
        let chunks = std::mem::take(&mut lock(&self.rows).chunks);
        let mut out: Partitions = Vec::new();
        let mut places = std::collections::HashMap::new();
        for chunk in chunks {
            let ids = lock(&self.by).run(&chunk)?.remove(0).full();
            let (validity, texts) = ids.split_nullable();
            let Column::String(texts) = texts else {
                return Err(Error::logical("PARTITION BY is no text"));
            };
            if validity.is_some_and(|validity| !validity.all()) {
                let message = "PARTITION BY is NULL for a row: use ifNull";
                return Err(Error::new(codes::NOT_IMPLEMENTED, message));
            }
            let mut rows: Vec<Vec<u32>> = vec![Vec::new(); out.len()];
            for row in 0..chunk.rows {
                let text = texts.get(row);
                let place = match places.get(text) {
                    Some(place) => *place,
                    None => {
                        places.insert(text.to_vec(), out.len());
                        out.push((text.to_vec(), Vec::new()));
                        rows.push(Vec::new());
                        out.len() - 1
                    }
                };
                rows[place].push(row as u32);
            }
            for (place, rows) in rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                out[place].1.push(chunk.take(rows));
            }
        }
        Ok(out)
    }

    /// Writes the file of a partition.
    fn write(&self, id: &[u8], chunks: Vec<Chunk>, context: &QueryContext) -> Result<()> {
        let target = self.of.target.of_partition(id)?;
        let sink = write::sink(&target, &self.of.schema.header(), context)?;
        let mut state = sink.open()?;
        for (sequence, chunk) in (0..).zip(chunks) {
            state.push(Morsel { sequence, chunk })?;
        }
        state.combine()?;
        sink.finalize(context)?;
        lock(&self.files).extend(sink.prepared()?);
        Ok(())
    }
}

impl Target {
    /// The file of a partition.
    fn of_partition(&self, id: &[u8]) -> Result<Self> {
        let Ok(id) = std::str::from_utf8(id) else {
            let message = "A partition's value is not valid UTF-8, so it cannot be part of a path";
            return Err(Error::new(codes::CANNOT_PARSE_TEXT, message));
        };
        if let Some(wrong) = id.chars().find(|c| matches!(c, '\0' | '{' | '}' | '*' | '?')) {
            let message = format!("Illegal character {wrong:?} in the partition's value '{id}'");
            return Err(Error::new(codes::CANNOT_PARSE_TEXT, message));
        }
        let Place::Files(files) = &self.place else {
            return Err(Error::logical("partitions at an address of the web"));
        };
        Ok(Self {
            place: Place::Files(Arc::clone(files)),
            path: self.path.replace(ID, id),
            format: self.format,
            compression: self.compression.clone(),
            options: self.options.clone(),
            truncate: self.truncate,
            new_files: self.new_files,
            empty_if_missing: self.empty_if_missing,
            skip_empty: self.skip_empty,
        })
    }
}

impl Sink for PartitionedSink {
    fn name(&self) -> String {
        "PartitionedFileInsert".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Collect(Arc::clone(&self.rows))))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        self.divided()?.into_iter().try_for_each(|(id, chunks)| self.write(&id, chunks, context))
    }
}

impl InsertSink for PartitionedSink {
    fn keeps_order(&self) -> bool {
        true
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        Ok(std::mem::take(&mut lock(&self.files)))
    }
}

struct Collect(Arc<Mutex<Rows>>);

impl SinkState for Collect {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let mut rows = lock(&self.0);
        rows.bytes += morsel.chunk.byte_size();
        let bytes = rows.bytes;
        rows.held.cover(bytes)?;
        rows.chunks.push(morsel.chunk);
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
