//! A MergeTree table as the engine sees it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_disk::join;
use entasis_expr::{ColumnId, Expr, Program};
use entasis_pipeline::{QueryContext, Source};
use entasis_table::{InsertSink, PinnedStores, Repeats, ScanSpec, Schema, Snapshot, Table};
use entasis_types::Value;

use crate::config::{Stored, TableConfig, plain_column, stored_columns};
use crate::insert::MergeTreeInsert;
use crate::log::record::{Op, PartSummary, TableId};
use crate::log::state::segment_file;
use crate::merge::fold::Pick;
use crate::part::Part;
use crate::scan::Scan;
use crate::segment::ColumnMeta;
use crate::segment::sketch::Sketch;
use crate::store::{StoreCore, TableParts, Version};

/// A table whose rows are sorted parts.
pub struct MergeTreeTable(pub(crate) Arc<TableCore>);

impl MergeTreeTable {
    /// Identity within the store.
    pub fn id(&self) -> TableId {
        self.0.id
    }

    /// What the table was attached with.
    pub fn config(&self) -> &TableConfig {
        &self.0.config
    }

    /// The active parts.
    pub fn part_summaries(&self) -> Vec<PartSummary> {
        self.0.version().parts.iter().map(|p| (*p.summary).clone()).collect()
    }

    /// What the column at a position of the schema takes, over all active parts.
    pub fn column_size(&self, position: usize) -> Result<ColumnSize> {
        let mut size = ColumnSize::default();
        let mut sketch = Sketch::default();
        for part in &self.0.version().parts {
            let Some(meta) = part_column(part, &self.0.config.schema, position)? else { continue };
            size.stored += meta.stored_bytes;
            size.raw += meta.stats.raw_bytes;
            size.nulls += meta.stats.nulls;
            size.defaults += meta.stats.defaults;
            sketch.merge(&meta.stats.sketch);
        }
        size.distinct = sketch.estimate();
        Ok(size)
    }
}

/// What sinks, snapshots and merges of a table share.
pub(crate) struct TableCore {
    pub(crate) core: Arc<StoreCore>,
    id: TableId,
    pub(crate) parts: Arc<TableParts>,
    pub(crate) config: TableConfig,
    pub(crate) stored: Vec<Stored>,
    /// Held while parts are merged: one merge of a table at a time.
    pub(crate) merging: Mutex<()>,
}

/// What a column takes, for system.columns and system.parts_columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSize {
    /// Bytes in the files.
    pub stored: u64,
    /// Bytes of the values.
    pub raw: u64,
    /// NULLs.
    pub nulls: u64,
    /// Rows with the type's default value.
    pub defaults: u64,
    /// Distinct values, estimated (standard error about 13 %).
    pub distinct: u64,
}

impl TableCore {
    pub(crate) fn new(
        core: Arc<StoreCore>,
        id: TableId,
        parts: Arc<TableParts>,
        config: TableConfig,
    ) -> Result<Arc<Self>> {
        let stored = stored_columns(&config.schema)?;
        if config.primary_key_len > config.order_by.len() {
            let message = "Primary key must be a prefix of the sorting key";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Ok(Arc::new(Self { core, id, parts, config, stored, merging: Mutex::default() }))
    }

    pub(crate) fn id(&self) -> TableId {
        self.id
    }

    /// The current parts; none if the table was dropped.
    pub(crate) fn version(&self) -> Arc<Version> {
        self.core.tables.get(self.id).map(|table| table.version).unwrap_or_default()
    }

    /// Whether rows of equal sorting keys become one. Without a key only the last row of all is
    /// worth keeping, or all of them.
    pub(crate) fn folds(&self) -> bool {
        self.config.merging.as_ref().is_some_and(|merging| {
            !self.config.order_by.is_empty() || matches!(merging.pick, Pick::Latest { .. })
        })
    }

    /// A name for a new segment, and its path.
    pub(crate) fn new_segment(&self) -> (String, String) {
        let file = segment_file(self.parts.new_segment());
        let path = join(&self.parts.dir.path, &file);
        (file, path)
    }

    /// Evaluates expressions over a chunk of the stored columns.
    pub(crate) fn evaluate(&self, exprs: &[Expr], chunk: &Chunk) -> Result<Vec<Column>> {
        let at = |position: usize| self.stored.iter().position(|s| s.position == position);
        let plain: Option<Vec<Column>> = exprs
            .iter()
            .map(|e| plain_column(e).and_then(at).map(|i| chunk.columns[i].full()))
            .collect();
        if let Some(columns) = plain {
            return Ok(columns);
        }
        let ids: Vec<ColumnId> = self.stored.iter().map(|s| ColumnId(s.position as u32)).collect();
        let columns = Program::new(exprs, &ids)?.run(chunk)?;
        Ok(columns.iter().map(Column::full).collect())
    }

    /// As [`Table::insert`], by the concrete type.
    fn insert_sink(
        self: &Arc<Self>,
        context: &QueryContext,
        repeats: Repeats,
    ) -> Result<Arc<dyn InsertSink>> {
        if self.core.read_only {
            let message = "Table is in readonly mode: the database was opened read-only";
            return Err(Error::new(codes::TABLE_IS_READ_ONLY, message));
        }
        let most = self.config.settings.parts_to_throw_insert;
        let mut per_partition: BTreeMap<&str, usize> = BTreeMap::new();
        let version = self.version();
        for part in &version.parts {
            *per_partition.entry(&part.summary.partition).or_default() += 1;
        }
        if let Some(count) = per_partition.values().find(|count| most > 0 && **count >= most) {
            return Err(Error::new(
                codes::TOO_MANY_PARTS,
                format!(
                    "Too many parts ({count}) in one partition. Merges are processing \
                     significantly slower than inserts: insert larger blocks"
                ),
            ));
        }
        Ok(MergeTreeInsert::sink(Arc::clone(self), context, repeats))
    }
}

impl Table for MergeTreeTable {
    fn engine(&self) -> &'static str {
        self.0.config.merging.as_ref().map_or("MergeTree", |merging| merging.engine)
    }

    fn supports_final(&self) -> bool {
        self.0.config.merging.is_some()
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.0.config.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(TableSnapshot { table: Arc::clone(&self.0), version: self.0.version() }))
    }

    fn snapshot_in(&self, pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        let table = Arc::clone(&self.0);
        let state = pinned.state(&table.core, || table.core.tables.pin());
        let version = state.get(&table.id).map(|table| Arc::clone(&table.version));
        // A table that is not there was made after the state was pinned.
        let version = version.unwrap_or_else(|| table.version());
        Ok(Arc::new(TableSnapshot { table, version }))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        self.0.insert_sink(context, Repeats::Stored)
    }

    fn insert_once(&self, context: &QueryContext, by: Repeats) -> Result<Arc<dyn InsertSink>> {
        self.0.insert_sink(context, by)
    }

    fn truncate(&self) -> Result<()> {
        events::one(Event::TablesTruncated);
        let id = self.0.id;
        let removed = self.0.core.commit(Instant::now(), |state| {
            let table = state.table(id)?;
            let remove = |file: &String| Op::RemovePart { table: id, file: file.clone() };
            let mut ops: Vec<Op> = table.parts.keys().map(remove).collect();
            if !table.inserts.is_empty() {
                ops.push(Op::ForgetInserts { table: id });
            }
            Ok(ops)
        });
        removed.map_err(Error::from)
    }

    fn optimize(&self, all: bool, context: &QueryContext) -> Result<()> {
        let go_on = || !context.cancel.is_cancelled() && !self.0.parts.merges_stopped();
        let merged = match all {
            true => self.0.merge_all(&go_on),
            false => self.0.merge_once(true, &go_on).map(drop),
        };
        context.cancel.check()?;
        merged
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.0.version().parts.iter().map(|p| p.summary.bytes).sum())
    }
}

/// A pinned version.
pub(crate) struct TableSnapshot {
    pub(crate) table: Arc<TableCore>,
    pub(crate) version: Arc<Version>,
}

impl Snapshot for TableSnapshot {
    fn row_count(&self) -> Option<u64> {
        Some(self.version.rows())
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        Scan::source(Arc::clone(&self.table), Arc::clone(&self.version), spec, context)
    }

    fn sorted_by(&self) -> Vec<usize> {
        self.table.config.order_by.iter().map_while(plain_column).collect()
    }

    fn column_bytes(&self, position: usize) -> Option<u64> {
        let (mut bytes, mut rows) = (0, 0);
        for part in &self.version.parts {
            let meta = part_column(part, &self.table.config.schema, position).ok()?;
            bytes += meta.map_or(0, |m| m.stored_bytes);
            rows += part.summary.rows;
        }
        // Not 0 for what is there: a constant column is still read.
        (rows > 0).then(|| bytes.div_ceil(rows))
    }

    fn column_range(&self, position: usize) -> Option<(Value, Value)> {
        crate::prune::exact_range(&self.version, &self.table.config.schema, position)
    }

    fn default_count(&self, position: usize) -> Option<u64> {
        let schema = &self.table.config.schema;
        let of_part = |part: &Arc<Part>| match part_column(part, schema, position) {
            Ok(Some(meta)) => Some(meta.stats.defaults),
            _ => None,
        };
        self.version.parts.iter().map(of_part).sum()
    }

    fn distinct_count(&self, position: usize) -> Option<u64> {
        let mut sketch = Sketch::default();
        for part in &self.version.parts {
            let meta = part_column(part, &self.table.config.schema, position).ok()??;
            sketch.merge(&meta.stats.sketch);
        }
        Some(sketch.estimate())
    }
}

/// Metadata of a column within a part; `None` where the part lacks it.
fn part_column(part: &Part, schema: &Schema, position: usize) -> Result<Option<Arc<ColumnMeta>>> {
    let segment = part.segment()?;
    let name = schema.columns.get(position).map(|c| &*c.name);
    let Some(column) = name.and_then(|name| segment.position(name)) else { return Ok(None) };
    Ok(Some(Arc::clone(segment.meta(column)?)))
}

impl TableCore {
    /// Holds off other merges of this table.
    pub(crate) fn lock_merges(&self) -> std::sync::MutexGuard<'_, ()> {
        lock(&self.merging)
    }
}
