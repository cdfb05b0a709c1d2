//! A MergeTree table as the engine uses it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes};
use entasis_disk::join;
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{InsertSink, PinnedStores, Repeats, ScanSpec, Schema, Snapshot, Table};
use entasis_types::Value;

use crate::column_ids::ColumnIds;
use crate::config::{TableConfig, plain_column};
use crate::fill::{Filler, Origin};
use crate::insert::MergeTreeInsert;
use crate::log::record::{DefinitionText, Op, PartSummary, TableId};
use crate::log::state::segment_file;
use crate::part::Part;
use crate::scan::Scan;
use crate::schema::SchemaVersion;
use crate::segment::ColumnMeta;
use crate::segment::sketch::Sketch;
use crate::store::{StoreCore, TableParts, Version};

/// A table whose rows are sorted parts, with one version of its schema. An ALTER makes a handle of
/// the next version; statements that hold an older handle keep using it.
pub struct MergeTreeTable {
    pub(crate) core: Arc<TableCore>,
    pub(crate) schema: Arc<SchemaVersion>,
}

impl MergeTreeTable {
    /// The identity of the table within the store.
    pub fn id(&self) -> TableId {
        self.core.id
    }

    /// The configuration that the table was attached or altered with.
    pub fn config(&self) -> &TableConfig {
        &self.schema.config
    }

    /// The ids of the stored columns.
    pub fn column_ids(&self) -> &ColumnIds {
        &self.schema.columns
    }

    /// Replaces definition and schema with one record of the log, and returns the handle of the new
    /// version. No part is rewritten: a new column that a part lacks is read from its default.
    pub fn alter(
        &self,
        definition: impl Into<DefinitionText>,
        config: TableConfig,
        columns: ColumnIds,
    ) -> Result<Arc<Self>> {
        let schema = Arc::new(SchemaVersion::new(config, columns)?);
        let (id, DefinitionText { version, text }) = (self.core.id, definition.into());
        let before = &self.schema.columns;
        let altered = self.core.core.commit(Instant::now(), |state| {
            let current = state.table(id)?.columns.as_ref();
            if current.is_some_and(|current| current != before) {
                let message = "The table was altered by another statement: run this one again";
                return Err(Error::new(codes::ABORTED, message));
            }
            let columns = schema.columns.clone();
            Ok(vec![
                Op::AlterTable { id, version, definition: text },
                Op::Columns { table: id, columns },
            ])
        });
        altered.map_err(Error::from)?;
        *sync::write(&self.core.current) = Arc::clone(&schema);
        Ok(Arc::new(Self { core: Arc::clone(&self.core), schema }))
    }

    /// The active parts.
    pub fn part_summaries(&self) -> Vec<PartSummary> {
        self.core.version().parts.iter().map(|p| (*p.summary).clone()).collect()
    }

    /// Positions of the stored columns that a part lacks; empty if it cannot be read.
    pub(crate) fn lacking(&self, file: &str) -> Vec<usize> {
        let version = self.core.version();
        let part = version.parts.iter().find(|part| part.summary.file == file);
        let segment = part.and_then(|part| part.segment().ok());
        segment.map(|segment| self.schema.lacking(segment).collect()).unwrap_or_default()
    }

    /// The size of the column at a position of the schema, over all active parts.
    pub fn column_size(&self, position: usize) -> Result<ColumnSize> {
        let mut size = ColumnSize::default();
        if position >= self.schema.stored.len() {
            return Ok(size);
        }
        let (mut filler, mut sketch) =
            (Filler::new(&self.schema, vec![position])?, Sketch::default());
        for part in &self.core.version().parts {
            let segment = part.segment()?;
            let origins = filler.origins(segment)?;
            let Some(meta) = origins[0].meta(segment)? else { continue };
            if matches!(origins[0], Origin::Stored { .. }) {
                size.stored += meta.stored_bytes;
                size.raw += meta.stats.raw_bytes;
            }
            size.nulls += meta.stats.nulls;
            size.defaults += meta.stats.defaults;
            sketch.merge(&meta.stats.sketch);
        }
        size.distinct = sketch.estimate();
        Ok(size)
    }
}

/// The state that sinks, snapshots and merges of a table share.
pub(crate) struct TableCore {
    pub(crate) core: Arc<StoreCore>,
    id: TableId,
    pub(crate) parts: Arc<TableParts>,
    /// The newest version of the schema.
    current: RwLock<Arc<SchemaVersion>>,
    /// Held while parts are merged, so that a table runs one merge at a time.
    pub(crate) merging: Mutex<()>,
}

/// The size of a column, for system.columns and system.parts_columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSize {
    /// Compressed bytes in the files.
    pub stored: u64,
    /// Uncompressed bytes of the values.
    pub raw: u64,
    /// Number of NULLs.
    pub nulls: u64,
    /// Number of rows with the type's default value.
    pub defaults: u64,
    /// Estimated number of distinct values (standard error about 13 %).
    pub distinct: u64,
}

impl TableCore {
    pub(crate) fn new(
        core: Arc<StoreCore>,
        id: TableId,
        parts: Arc<TableParts>,
        schema: SchemaVersion,
    ) -> Arc<Self> {
        let (current, merging) = (RwLock::new(Arc::new(schema)), Mutex::default());
        Arc::new(Self { core, id, parts, current, merging })
    }

    pub(crate) fn id(&self) -> TableId {
        self.id
    }

    /// The current parts; none if the table was dropped.
    pub(crate) fn version(&self) -> Arc<Version> {
        self.core.tables.get(self.id).map(|table| table.version).unwrap_or_default()
    }

    /// A handle of the table with the newest version of its schema.
    pub(crate) fn handle(self: &Arc<Self>) -> MergeTreeTable {
        let schema = Arc::clone(&sync::read(&self.current));
        MergeTreeTable { core: Arc::clone(self), schema }
    }

    /// The newest schema and the parts. No part has a newer schema: a statement writes with a new
    /// schema only after it has replaced the current one, and the lock held here prevents that.
    pub(crate) fn pin(&self) -> (Arc<SchemaVersion>, Arc<Version>) {
        let current = sync::read(&self.current);
        (Arc::clone(&current), self.version())
    }

    /// The name of a new segment, and its path.
    pub(crate) fn new_segment(&self) -> (String, String) {
        let file = segment_file(self.parts.new_segment());
        let path = join(&self.parts.dir.path, &file);
        (file, path)
    }
}

impl MergeTreeTable {
    /// A snapshot of these parts, read with this handle's schema.
    fn snapshot_of(&self, version: Arc<Version>) -> TableSnapshot {
        let (table, schema) = (Arc::clone(&self.core), Arc::clone(&self.schema));
        TableSnapshot { _table: table, schema, version }
    }

    /// Implements [`Table::insert`] and [`Table::insert_once`].
    fn insert_sink(&self, context: &QueryContext, by: Repeats) -> Result<Arc<dyn InsertSink>> {
        if self.core.core.read_only {
            let message = "Table is in readonly mode: the database was opened read-only";
            return Err(Error::new(codes::TABLE_IS_READ_ONLY, message));
        }
        let settings = &self.schema.config.settings;
        let (most, in_total) = (settings.parts_to_throw_insert, settings.max_parts_in_total);
        let mut per_partition: BTreeMap<&str, usize> = BTreeMap::new();
        let version = self.core.version();
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
        let count = version.parts.len();
        if in_total > 0 && count >= in_total {
            let message = format!(
                "Too many parts ({count}) in all partitions in total. This indicates wrong choice \
                 of partition key: choose a coarser one, or raise the table's setting \
                 max_parts_in_total"
            );
            return Err(Error::new(codes::TOO_MANY_PARTS, message));
        }
        let (core, schema) = (Arc::clone(&self.core), Arc::clone(&self.schema));
        Ok(MergeTreeInsert::sink(core, schema, context, by))
    }
}

impl Table for MergeTreeTable {
    fn engine(&self) -> &'static str {
        self.schema.config.merging.as_ref().map_or("MergeTree", |merging| merging.engine)
    }

    fn supports_final(&self) -> bool {
        self.schema.config.merging.is_some()
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema.config.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.snapshot_of(self.core.version())))
    }

    fn snapshot_in(&self, pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        let table = &self.core;
        let state = pinned.state(&table.core, || table.core.tables.pin());
        let version = state.get(&table.id).map(|table| Arc::clone(&table.version));
        // A table that the pinned state lacks was created after the state was pinned.
        Ok(Arc::new(self.snapshot_of(version.unwrap_or_else(|| table.version()))))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        self.insert_sink(context, Repeats::Stored)
    }

    fn insert_once(&self, context: &QueryContext, by: Repeats) -> Result<Arc<dyn InsertSink>> {
        self.insert_sink(context, by)
    }

    fn truncate(&self) -> Result<()> {
        events::one(Event::TablesTruncated);
        let id = self.core.id;
        let removed = self.core.core.commit(Instant::now(), |state| {
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
        let go_on = || !context.cancel.is_cancelled() && !self.core.parts.merges_stopped();
        let merged = match all {
            true => self.core.merge_all(&go_on),
            false => self.core.merge_once(true, &go_on).map(drop),
        };
        context.cancel.check()?;
        merged
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.core.version().parts.iter().map(|p| p.summary.bytes).sum())
    }
}

/// A version of the schema and of the parts, pinned together for one query.
#[derive(Clone)]
pub(crate) struct TableSnapshot {
    /// Keeps the table and its store open.
    _table: Arc<TableCore>,
    pub(crate) schema: Arc<SchemaVersion>,
    pub(crate) version: Arc<Version>,
}

impl TableSnapshot {
    /// The metadata of a column in every part; `None` if a part has none or cannot be read.
    fn metas(&self, position: usize) -> Option<Vec<Arc<ColumnMeta>>> {
        let mut filler = Filler::new(&self.schema, vec![position]).ok()?;
        let mut meta = |part: &Arc<Part>| {
            let segment = part.segment().ok()?;
            let origins = filler.origins(segment).ok()?;
            origins[0].meta(segment).ok()?.map(Arc::clone)
        };
        self.version.parts.iter().map(&mut meta).collect()
    }
}

impl Snapshot for TableSnapshot {
    fn row_count(&self) -> Option<u64> {
        Some(self.version.rows())
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        Scan::source(self.clone(), spec, context)
    }

    fn sorted_by(&self) -> Vec<usize> {
        self.schema.config.order_by.iter().map_while(plain_column).collect()
    }

    fn column_bytes(&self, position: usize) -> Option<u64> {
        let id = self.schema.stored.get(position)?.id;
        let (mut bytes, mut rows) = (0, 0);
        for part in &self.version.parts {
            let segment = part.segment().ok()?;
            if let Some(place) = segment.position(id) {
                bytes += segment.meta(place).ok()?.stored_bytes;
            }
            rows += part.summary.rows;
        }
        // Rounded up, so that a column with stored bytes never counts as 0.
        (rows > 0).then(|| bytes.div_ceil(rows))
    }

    fn column_range(&self, position: usize) -> Option<(Value, Value)> {
        crate::prune::exact_range(&self.metas(position)?)
    }

    fn default_count(&self, position: usize) -> Option<u64> {
        Some(self.metas(position)?.iter().map(|meta| meta.stats.defaults).sum())
    }

    fn distinct_count(&self, position: usize) -> Option<u64> {
        let mut sketch = Sketch::default();
        self.metas(position)?.iter().for_each(|meta| sketch.merge(&meta.stats.sketch));
        Some(sketch.estimate())
    }
}

impl TableCore {
    /// Prevents other merges of this table.
    pub(crate) fn lock_merges(&self) -> std::sync::MutexGuard<'_, ()> {
        lock(&self.merging)
    }
}
