//! Rows of tables that do not consist of parts, as files of a backup.
//!
//! A file has a header with the names and types of the columns, and then frames with chunks in the
//! form of `column::wire`. `docs/format/backup.md` describes it. Large tables have several files,
//! so that one fits into memory.

use std::sync::Arc;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes, scope};
use entasis_codec::{Method, compress};
use entasis_column::Chunk;
use entasis_column::wire::{read_chunk, write_chunk};
use entasis_expr::ColumnId;
use entasis_pipeline::{Morsel, QueryContext, Read};
use entasis_table_api::{InsertSink, Prepared, ScanSpec, Schema, Snapshot, Table};

const MAGIC: &[u8; 8] = b"ENTROWS\x01";

/// A file is closed once it has this many bytes.
const FILE_BYTES: usize = 16 << 20;

/// Most bytes of a frame that is read.
const FRAME_BYTES: u64 = 1 << 32;

fn header(schema: &Schema) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    write_varint(&mut out, schema.stored().len() as u64);
    for column in schema.stored() {
        for text in [column.name.to_string(), column.ty.to_string()] {
            write_varint(&mut out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
    }
    out
}

/// Reads all rows of a snapshot, and passes files with them to `file`.
pub(super) fn write(
    schema: &Schema,
    snapshot: &dyn Snapshot,
    context: &QueryContext,
    file: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let count = schema.stored().len();
    let spec = ScanSpec::of_columns((0..count).map(|i| (ColumnId(i as u32), i)));
    let mut reader = snapshot.scan(&spec, context)?.reader()?;
    let (mut out, mut raw) = (header(schema), Vec::new());
    let start = out.len();
    loop {
        scope::check()?;
        match reader.next()? {
            Read::Chunk(Morsel { chunk, .. }) if chunk.rows > 0 => {
                raw.clear();
                write_chunk(&chunk, &mut raw);
                let at = out.len();
                out.extend_from_slice(&[0; 16]);
                compress::compress(Method::Lz4, &raw, &mut out)?;
                let stored = (out.len() - at - 16) as u64;
                out[at..at + 8].copy_from_slice(&stored.to_le_bytes());
                out[at + 8..at + 16].copy_from_slice(&(raw.len() as u64).to_le_bytes());
                if out.len() >= FILE_BYTES {
                    file(&out)?;
                    out.truncate(start);
                }
            }
            Read::Chunk(_) => {}
            Read::Pending(_) => return Err(Error::logical("the scan of a table waits")),
            Read::Done => break,
        }
    }
    if out.len() > start {
        file(&out)?;
    }
    Ok(())
}

/// Inserts the rows of a table; they become visible when what [`Self::finish`] answers is
/// committed.
pub(super) struct RowsInsert {
    schema: Arc<Schema>,
    sink: Arc<dyn InsertSink>,
    state: Box<dyn entasis_pipeline::SinkState>,
    sequence: u64,
}

impl RowsInsert {
    pub fn new(table: &dyn Table, context: &QueryContext) -> Result<Self> {
        let sink = table.insert(context)?;
        let state = sink.open()?;
        Ok(Self { schema: table.schema(), sink, state, sequence: 0 })
    }

    /// Inserts the rows of a file.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let (mut rest, places) = self.places(bytes)?;
        while !rest.is_empty() {
            scope::check()?;
            let (head, body) = rest.split_at_checked(16).ok_or_else(damaged)?;
            let number =
                |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
            let (stored, raw) = (number(0), number(8));
            if raw > FRAME_BYTES || stored > body.len() as u64 {
                return Err(damaged());
            }
            let (frame, after) = body.split_at(stored as usize);
            let mut chunk = vec![0; raw as usize];
            compress::decompress(Method::Lz4, frame, &mut chunk)?;
            let Chunk { columns, rows } = read_chunk(&chunk)?;
            if columns.len() != places.len() {
                return Err(damaged());
            }
            let columns = places.iter().map(|at| columns[*at].clone()).collect();
            let (sequence, chunk) = (self.sequence, Chunk { columns, rows });
            self.state.push(Morsel { sequence, chunk })?;
            self.sequence += 1;
            rest = after;
        }
        Ok(())
    }

    /// What is behind the header, and for each column of the table its place in the file.
    fn places<'b>(&self, bytes: &'b [u8]) -> Result<(&'b [u8], Vec<usize>)> {
        let mut rest = bytes.strip_prefix(&MAGIC[..]).ok_or_else(damaged)?;
        let mut known: Vec<(String, String)> = Vec::new();
        let text = |rest: &mut &[u8]| {
            let len = read_varint(rest)? as usize;
            let (text, after) = rest.split_at_checked(len).ok_or_else(damaged)?;
            *rest = after;
            String::from_utf8(text.to_vec()).map_err(|_| damaged())
        };
        for _ in 0..read_varint(&mut rest)? {
            known.push((text(&mut rest)?, text(&mut rest)?));
        }
        let stored = self.schema.stored();
        let place = |column: &entasis_table_api::ColumnDef| {
            let wanted = (column.name.to_string(), column.ty.to_string());
            known.iter().position(|column| *column == wanted)
        };
        let places: Option<Vec<usize>> = stored.iter().map(place).collect();
        match places.filter(|places| places.len() == known.len()) {
            Some(places) => Ok((rest, places)),
            None => {
                let message = "The table has other columns than the table in the backup. Restore \
                               under another name (RESTORE TABLE t AS t2) and copy the rows by \
                               INSERT INTO t SELECT ... FROM t2";
                Err(Error::new(codes::CANNOT_RESTORE_TABLE, message))
            }
        }
    }

    /// Prepares the rows.
    pub fn finish(self, context: &QueryContext) -> Result<Vec<Prepared>> {
        self.state.combine()?;
        self.sink.finalize(context)?;
        self.sink.prepared()
    }
}

#[cold]
fn damaged() -> Error {
    Error::new(codes::BACKUP_DAMAGED, "A file of rows in the backup is damaged")
}
