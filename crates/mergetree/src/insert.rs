//! INSERT: each worker collects rows, splits them by partition, sorts them and writes segments.
//!
//! 1. `push`: rows go to the buffer of their partition; a full buffer becomes a segment.
//! 2. `combine`: the remaining rows become segments; the worker hands over all its segments.
//! 3. `finalize`: the directory is synced, and the INSERT is prepared.
//! 4. [`crate::prepared`] commits it, perhaps with others, in one record.
//!
//! Invariants: a segment is synced before its record is written; segments that are not committed
//! are deleted, unless the log may have recorded them all the same.

pub(crate) mod buffers;
mod segment;

use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, MemoryAccount, Reservation, Result, codes, scope};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::insert::nothing_prepared;
use entasis_table_api::{InsertSink, Prepared, Repeats};

use self::buffers::{Buffer, Buffers};
pub(crate) use self::segment::{chunk_bytes, empty_summary, write_rows, write_segment};
use crate::merge::Place;
use crate::partition::{self, Partition};
use crate::prepared::{PreparedInsert, Unfinished};
use crate::repeats::Repeated;
use crate::schema::SchemaVersion;
use crate::small_rows::SmallRows;
use crate::table::TableCore;

/// Fewest buffers that one thread writes.
const LEAST_PER_WRITER: usize = 8;
/// Most threads that write buffers of one worker.
const MOST_WRITERS: usize = 8;

struct Shared {
    table: Arc<TableCore>,
    /// The schema of the statement: an ALTER meanwhile does not change what it writes.
    schema: Arc<SchemaVersion>,
    context: QueryContext,
    /// The memory account that all workers share.
    memory: Arc<MemoryAccount>,
    written: Mutex<Unfinished>,
    /// Rows that become parts in memory.
    small: Mutex<Vec<Buffer>>,
    /// Most bytes of such rows; 0 if the table keeps no more parts in memory at present.
    most_in_memory: usize,
    repeats: Option<Repeated>,
    began: Instant,
}

/// The sink of one INSERT.
pub(crate) struct MergeTreeInsert {
    shared: Arc<Shared>,
    prepared: Mutex<Option<PreparedInsert>>,
}

impl MergeTreeInsert {
    pub(crate) fn sink(
        table: Arc<TableCore>,
        schema: Arc<SchemaVersion>,
        context: &QueryContext,
        repeats: Repeats,
        most_in_memory: usize,
    ) -> Arc<dyn InsertSink> {
        let repeats = Repeated::new(repeats, schema.config.settings.deduplication_window);
        let written = Mutex::new(Unfinished::new(&table));
        let memory = context.memory.child("MergeTreeInsert", 0);
        let context = context.clone();
        let began = Instant::now();
        let small = Mutex::default();
        let shared = Shared {
            table,
            schema,
            context,
            memory,
            written,
            small,
            most_in_memory,
            repeats,
            began,
        };
        Arc::new(Self { shared: Arc::new(shared), prepared: Mutex::default() })
    }
}

impl Sink for MergeTreeInsert {
    fn name(&self) -> String {
        "MergeTreeInsert".into()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Worker {
            shared: Arc::clone(&self.shared),
            buffers: Buffers::default(),
            written: Unfinished::new(&self.shared.table),
            memory: Reservation::new(&self.shared.memory),
        }))
    }

    fn finalize(&self, _context: &QueryContext) -> Result<()> {
        let Shared { table, schema, context, written, small, repeats, began, .. } = &*self.shared;
        let mut unfinished = Unfinished::new(table);
        unfinished.take_all_of(&mut lock(written));
        if !unfinished.is_empty() {
            table.core.disk.sync_dir(&table.parts.dir.path)?;
        }
        let token = repeats.as_ref().map(|repeats| repeats.remember(table.id()));
        let small = SmallRows {
            buffers: std::mem::take(&mut lock(small)),
            fold: context.fold_inserts,
            derived: context.derived_on_insert.clone(),
        };
        let of = (Arc::clone(table), Arc::clone(schema));
        let prepared = PreparedInsert::new(of, unfinished, small, token, *began);
        *lock(&self.prepared) = Some(prepared);
        Ok(())
    }
}

impl InsertSink for MergeTreeInsert {
    fn keeps_order(&self) -> bool {
        self.shared.schema.folds()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        let prepared = lock(&self.prepared).take().ok_or_else(nothing_prepared)?;
        Ok(vec![Prepared::Stored(Box::new(prepared))])
    }
}

struct Worker {
    shared: Arc<Shared>,
    buffers: Buffers,
    written: Unfinished,
    memory: Reservation,
}

impl SinkState for Worker {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.shared.context.cancel.check()?;
        let chunk = morsel.chunk;
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        let stored = self.shared.schema.stored.len();
        if chunk.columns.len() != stored {
            return Err(Error::logical(format!(
                "INSERT has {} columns, but the table stores {stored}",
                chunk.columns.len()
            )));
        }
        if let Some(repeats) = &self.shared.repeats {
            repeats.add(morsel.sequence, &chunk);
        }
        self.split(chunk)?;
        let settings = &self.shared.schema.config.settings;
        let (most_rows, most_bytes) = (settings.insert_block_rows, settings.insert_block_bytes);
        loop {
            self.memory.cover(self.buffers.bytes())?;
            let Some(buffer) = self.buffers.take_full(most_rows, most_bytes) else {
                return Ok(Flow::More);
            };
            self.write(vec![buffer])?;
            self.memory.set(self.buffers.bytes())?;
        }
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        let is_small = self.buffers.bytes() <= self.shared.most_in_memory;
        let mut buffers = self.buffers.take_all();
        if self.written.is_empty() && is_small {
            lock(&self.shared.small).append(&mut buffers);
        }
        self.write(buffers)?;
        lock(&self.shared.written).take_all_of(&mut self.written);
        Ok(())
    }
}

impl Worker {
    /// Puts the rows into the buffers of their partitions.
    fn split(&mut self, chunk: Chunk) -> Result<()> {
        let schema = Arc::clone(&self.shared.schema);
        let Some(expr) = &schema.config.partition_by else {
            self.buffers.add(Partition::all(), chunk);
            return Ok(());
        };
        let (types, is_tuple) = partition::key_types(expr);
        let key = schema.evaluate(std::slice::from_ref(expr), &chunk)?;
        let keys = partition::key_columns(&key[0], is_tuple);
        let of = |row: usize| Partition::of(&types, &keys, row, is_tuple);
        let Some(groups) = partition::split(&keys, chunk.rows) else {
            self.buffers.add(of(0), chunk);
            return self.check_partitions();
        };
        events::one(Event::InsertBlocksSplitByPartition);
        for rows in groups {
            self.buffers.add(of(rows[0] as usize), chunk.take(&rows));
        }
        self.check_partitions()
    }

    /// Fails if the block at hand has rows of more partitions than the statement allows.
    fn check_partitions(&self) -> Result<()> {
        let most = self.shared.context.max_insert_partitions;
        if most > 0 && self.buffers.len() > most {
            return Err(Error::new(
                codes::TOO_MANY_PARTS,
                format!(
                    "Too many partitions for single INSERT block (more than {most}). The limit is \
                     controlled by 'max_partitions_per_insert_block' setting: insert fewer \
                     partitions at a time, or raise it"
                ),
            ));
        }
        Ok(())
    }

    /// Writes each buffer to a part. Many are written side by side, because the threads mostly wait
    /// until the files are synced.
    fn write(&mut self, buffers: Vec<Buffer>) -> Result<()> {
        let threads = buffers.len().div_ceil(LEAST_PER_WRITER).min(MOST_WRITERS);
        let (buffers, written) = (Mutex::new(buffers.into_iter()), Mutex::new(&mut self.written));
        let shared = &*self.shared;
        let work = || -> Result<()> {
            let Shared { table, schema, context, .. } = shared;
            let (folds, derived) = (context.fold_inserts, &context.derived_on_insert);
            loop {
                let Some(buffer) = lock(&buffers).next() else { return Ok(()) };
                context.cancel.check()?;
                let to = (Place::File, derived);
                if let Some(part) = write_segment(table, schema, buffer, folds, to)? {
                    lock(&written).add(part);
                }
            }
        };
        if threads <= 1 {
            return work();
        }
        std::thread::scope(|threads_of| {
            let spawn = |_| {
                let scope = scope::another();
                threads_of.spawn(|| match scope {
                    Some(mut scope) => scope.run(work),
                    None => work(),
                })
            };
            let running: Vec<_> = (1..threads).map(spawn).collect();
            let mut done = work();
            for thread in running {
                done = done.and(thread.join().unwrap_or_else(|panic| Err(scope::caught(panic))));
            }
            done
        })
    }
}
