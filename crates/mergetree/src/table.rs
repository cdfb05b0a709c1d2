//! A MergeTree table as the engine uses it.

use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::sync;
use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_disk::join;
use entasis_expr::Expr;
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{
    Addresses, ColumnStatistics, DistinctSketch, Fetched, IndexReport, InsertSink, MergeRequest,
    Mutation, MutationSpec, PinnedStores, ProjectionSnapshot, ReadEstimate, Repeats, ScanColumn,
    ScanSpec, Schema, SearchedText, Snapshot, Table, WorkLock,
};
use entasis_types::Value;

use crate::alter::Rehearsed;
use crate::column_ids::ColumnIds;
use crate::config::{TableConfig, TableSettings, plain_column};
use crate::fill::Filler;
use crate::in_memory::MemoryParts;
use crate::index::BoundIndex;
use crate::insert::MergeTreeInsert;
use crate::log::record::{Op, PartSummary, TableId};
use crate::log::state::{companion_file, overlay_file, segment_file};
use crate::merge::fold::KeptRow;
use crate::mutate::RunningMutation;
use crate::part::Part;
use crate::partition::{self, Partition};
use crate::scan::{SHORT_PARTS, Scan, fetched, ranges};
use crate::schema::SchemaVersion;
use crate::segment::ColumnMeta;
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

    /// The active parts.
    pub fn part_summaries(&self) -> Vec<PartSummary> {
        self.core.version().parts.iter().map(|p| (*p.summary).clone()).collect()
    }

    /// Positions of the stored columns that a part lacks; empty if it cannot be read.
    pub(crate) fn lacking(&self, file: &str) -> Vec<usize> {
        let version = self.core.version();
        let part = version.parts.iter().find(|part| part.summary.file == file);
        let layers = part.and_then(|part| part.layers().ok());
        layers.map(|layers| self.schema.lacking(layers).collect()).unwrap_or_default()
    }
}

/// The state that sinks, snapshots and merges of a table share.
pub(crate) struct TableCore {
    pub(crate) core: Arc<StoreCore>,
    id: TableId,
    pub(crate) parts: Arc<TableParts>,
    /// The newest version of the schema.
    pub(crate) current: RwLock<Arc<SchemaVersion>>,
    /// Parts that are written with an older version of the schema than this one are not committed.
    /// It is changed and compared only while a record of the log is prepared.
    pub(crate) oldest_writer: AtomicU32,
    /// Held while parts are merged or mutated, so that one such work runs at a time.
    pub(crate) merging: Arc<WorkLock>,
    /// The parts in memory.
    pub(crate) memory: MemoryParts,
    /// The parts whose values were converted for an ALTER that is about to follow.
    pub(crate) rehearsed: Mutex<Option<Rehearsed>>,
    /// When the background merger has looked for expired rows and found none, in seconds.
    pub(crate) looked_for_expired: AtomicU64,
    /// The parts that the table had when it was dropped.
    dropped_with: OnceLock<Arc<Version>>,
}

impl TableCore {
    pub(crate) fn new(
        core: Arc<StoreCore>,
        id: TableId,
        parts: Arc<TableParts>,
        schema: SchemaVersion,
    ) -> Arc<Self> {
        let (current, merging) = (RwLock::new(Arc::new(schema)), Arc::default());
        let (oldest_writer, looked_for_expired) = (AtomicU32::new(0), AtomicU64::default());
        let (memory, rehearsed) = (MemoryParts::default(), Mutex::default());
        Arc::new(Self {
            core,
            id,
            parts,
            current,
            oldest_writer,
            merging,
            memory,
            rehearsed,
            looked_for_expired,
            dropped_with: OnceLock::new(),
        })
    }

    pub(crate) fn id(&self) -> TableId {
        self.id
    }

    /// The current parts; none if the table was dropped.
    pub(crate) fn version(&self) -> Arc<Version> {
        self.core.tables.get(self.id).map(|table| table.version).unwrap_or_default()
    }

    /// As [`Self::version`], but for a dropped table the parts that it had last. A statement whose
    /// catalog still has the table, while its state of the store no longer does, reads these.
    fn last_version(&self) -> Arc<Version> {
        let current = self.core.tables.get(self.id).map(|table| table.version);
        current.or_else(|| self.dropped_with.get().cloned()).unwrap_or_default()
    }

    /// Keeps the parts for [`Self::last_version`]. Called right before the table is dropped.
    pub(crate) fn keep_last_version(&self) {
        let _ = self.dropped_with.set(self.version());
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

    /// The name of a new companion, and its path.
    pub(crate) fn new_companion(&self) -> (String, String) {
        let file = companion_file(self.parts.new_segment());
        let path = join(&self.parts.dir.path, &file);
        (file, path)
    }

    /// The name of a new overlay, and its path.
    pub(crate) fn new_overlay(&self) -> (String, String) {
        let file = overlay_file(self.parts.new_segment());
        let path = join(&self.parts.dir.path, &file);
        (file, path)
    }
}

impl MergeTreeTable {
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.core.core.read_only {
            let message = "Table is in readonly mode: the database was opened read-only";
            return Err(Error::new(codes::TABLE_IS_READ_ONLY, message));
        }
        Ok(())
    }

    /// Positions of the stored columns that no mutation may change: those that the keys read, and
    /// those by which merges decide which row stays.
    pub fn key_positions(&self) -> Vec<usize> {
        let config = &self.schema.config;
        let mut all = self.schema.key_columns(config.order_by.len());
        all.extend(SchemaVersion::read_by(config.partition_by.as_slice()));
        let merging = config.merging.as_ref();
        let latest = merging.filter(|m| matches!(m.pick, KeptRow::Latest { .. }));
        all.extend(latest.iter().flat_map(|merging| merging.deciding()));
        all
    }

    /// The partition key; `None` if all rows are in one partition.
    pub fn partition_key(&self) -> Option<&Expr> {
        self.schema.config.partition_by.as_ref()
    }

    /// A snapshot of these parts, read with this handle's schema.
    pub(crate) fn snapshot_of(&self, version: Arc<Version>) -> TableSnapshot {
        let (table, schema) = (Arc::clone(&self.core), Arc::clone(&self.schema));
        TableSnapshot { table, schema, version, projection: None }
    }

    /// Implements [`Table::insert`] and [`Table::insert_once`].
    fn insert_sink(&self, context: &QueryContext, by: Repeats) -> Result<Arc<dyn InsertSink>> {
        self.check_writable()?;
        let settings = &self.schema.config.settings;
        let (most, in_total) = (settings.parts_to_throw_insert, settings.max_parts_in_total);
        let version = self.core.version();
        // The parts of a version are ordered by partition.
        let alike = |a: &Arc<Part>, b: &Arc<Part>| a.summary.partition == b.summary.partition;
        let crowd = version.parts.chunk_by(alike).map(<[_]>::len).max().unwrap_or(0);
        if most > 0 && crowd >= most {
            events::one(Event::RejectedInserts);
            return Err(Error::new(
                codes::TOO_MANY_PARTS,
                format!(
                    "Too many parts ({crowd}) in one partition. Merges are processing \
                     significantly slower than inserts: insert larger blocks, or set \
                     async_insert = 1, so that the server collects the rows of many INSERTs"
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
        wait_for_merges(settings, crowd, context)?;
        let in_memory: u64 = version.parts.iter().map(|part| part.summary.memory_bytes()).sum();
        let has_memory =
            in_memory < 2 * settings.max_bytes_in_memory && self.core.core.has_memory();
        let most_in_memory = match has_memory {
            true => settings.max_bytes_for_memory_part as usize,
            // Whoever writes these parts to files is too slow.
            false => 0,
        };
        let (core, schema) = (Arc::clone(&self.core), Arc::clone(&self.schema));
        Ok(MergeTreeInsert::sink(core, schema, context, by, most_in_memory))
    }
}

/// Lets an INSERT into a partition with many parts wait, the longer the nearer it is to being
/// refused.
fn wait_for_merges(settings: &TableSettings, parts: usize, context: &QueryContext) -> Result<()> {
    let (from, most) = (settings.parts_to_delay_insert, settings.parts_to_throw_insert);
    if from == 0 || parts < from || most <= from {
        return Ok(());
    }
    let share = (parts - from + 1) as f64 / (most - from) as f64;
    let wait = settings.max_delay_to_insert.mul_f64(share.min(1.0));
    let wait = wait.max(settings.min_delay_to_insert);
    events::one(Event::DelayedInserts);
    events::add(Event::DelayedInsertsMilliseconds, wait.as_millis() as u64);
    let until = Instant::now() + wait;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        context.cancel.check()?;
        std::thread::sleep(left.min(Duration::from_millis(20)));
    }
    Ok(())
}

impl Table for MergeTreeTable {
    fn engine(&self) -> &'static str {
        self.schema.config.engine
    }

    fn opens_at_once(&self) -> bool {
        // Planning merges the statistics of all parts.
        self.core.version().parts.len() <= SHORT_PARTS
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
        // A table that the pinned state lacks was created after the state was pinned, or dropped
        // right before it.
        Ok(Arc::new(self.snapshot_of(version.unwrap_or_else(|| table.last_version()))))
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

    fn mutate(&self, spec: MutationSpec, context: &QueryContext) -> Result<Box<dyn Mutation>> {
        self.check_writable()?;
        Ok(Box::new(RunningMutation::begin(self, spec, context)?))
    }

    fn merge(&self, request: &MergeRequest, context: &QueryContext) -> Result<()> {
        let go_on = || !context.cancel.is_cancelled() && !self.core.parts.merges_stopped();
        let merged = match (&request.rehearsed, request.all) {
            (Some(names), _) => self.core.rehearse(request, names, &go_on),
            (None, true) => self.core.merge_all(request, &go_on),
            (None, false) => self.core.merge_once(request, true, &go_on).map(drop),
        };
        context.cancel.check()?;
        merged
    }

    fn sampling_key(&self) -> Option<&Expr> {
        self.schema.config.sample_by.as_ref()
    }

    fn partition_id(&self, values: &[Value]) -> Result<String> {
        let Some(key) = &self.schema.config.partition_by else { return Ok(Partition::all().id) };
        let (types, is_tuple) = partition::key_types(key);
        let columns: Vec<Column> =
            types.iter().zip(values).map(|(ty, value)| Column::from_value(ty, value, 1)).collect();
        if columns.len() != types.len() {
            let message = "A partition needs one value for each element of its key";
            return Err(Error::new(codes::INVALID_PARTITION_VALUE, message));
        }
        Ok(Partition::of(&types, &columns, 0, is_tuple).id)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.core.version().parts.iter().map(|p| p.summary.total_bytes()).sum())
    }
}

/// A version of the schema and of the parts, pinned together for one query.
#[derive(Clone)]
pub(crate) struct TableSnapshot {
    /// Keeps the table and its store open.
    table: Arc<TableCore>,
    pub(crate) schema: Arc<SchemaVersion>,
    pub(crate) version: Arc<Version>,
    /// The name of the projection whose rows these are.
    pub(crate) projection: Option<Arc<str>>,
}

impl TableSnapshot {
    /// The parts that the table has now.
    pub(crate) fn current(&self) -> Arc<Version> {
        self.table.version()
    }

    /// The present time, in seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.table.core.now()
    }

    /// Whether rows of a part were deleted, so that what its segment says of its rows is not exact.
    fn has_masks(&self) -> bool {
        self.version.parts.iter().any(|part| part.summary.live_rows() < part.summary.rows)
    }

    /// The metadata of a column in every part; `None` if a part has none or cannot be read.
    fn metas(&self, position: usize) -> Option<Vec<Arc<ColumnMeta>>> {
        let mut filler = Filler::new(&self.schema, vec![position]).ok()?;
        let mut meta = |part: &Arc<Part>| {
            let origins = filler.origins(part.layers().ok()?, 0).ok()?;
            origins[0].meta().ok()?.map(Arc::clone)
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

    fn addresses(&self, spec: &ScanSpec) -> Option<Addresses> {
        fetched::addresses(self, spec)
    }

    fn fetch(
        &self,
        columns: &[ScanColumn],
        addresses: &[u64],
        context: &QueryContext,
    ) -> Result<Fetched> {
        fetched::fetch(self, columns, addresses, context)
    }

    fn searched_texts(&self) -> Vec<SearchedText> {
        let of = |index: &BoundIndex| index.def.kind.searched_text(&index.def.exprs);
        self.schema.indices.iter().filter_map(of).collect()
    }

    fn projections(&self) -> Vec<ProjectionSnapshot> {
        self.with_projections()
    }

    fn projection(&self) -> Option<&str> {
        self.projection.as_deref()
    }

    fn estimate(&self, spec: &ScanSpec) -> Option<ReadEstimate> {
        Scan::estimate(self, spec).ok()
    }

    fn index_report(&self, spec: &ScanSpec) -> Result<Option<IndexReport>> {
        Scan::index_report(self, spec).map(Some)
    }

    fn sorted_by(&self) -> Vec<usize> {
        let config = &self.schema.config;
        config.order_by[..config.ascending_key()].iter().map_while(plain_column).collect()
    }

    fn tested_by_indices(&self) -> Vec<usize> {
        self.schema.config.tested_by_indices()
    }

    fn is_direct_by_any(&self) -> bool {
        true
    }

    fn cuts(&self, pieces: usize) -> Vec<Value> {
        ranges::cuts(&self.version.parts, pieces).unwrap_or_default()
    }

    fn final_key(&self) -> Vec<usize> {
        let mut key = self.sorted_by();
        let merging = self.schema.config.merging.as_ref();
        key.truncate(merging.and_then(|merging| merging.group_key()).unwrap_or(key.len()));
        key
    }

    fn column_bytes(&self, position: usize) -> Option<u64> {
        self.bytes_of(position)
    }

    fn column_range(&self, position: usize) -> Option<(Value, Value)> {
        if self.has_masks() {
            return None;
        }
        crate::prune::exact_range(&self.metas(position)?)
    }

    fn default_count(&self, position: usize) -> Option<u64> {
        if self.has_masks() {
            return None;
        }
        Some(self.metas(position)?.iter().map(|meta| meta.stats.defaults).sum())
    }

    fn distinct_count(&self, position: usize) -> Option<u64> {
        if !self.schema.stored.get(position)?.options.ciphers.is_empty() {
            return None;
        }
        let mut sketch = DistinctSketch::default();
        self.metas(position)?.iter().for_each(|meta| sketch.merge(&meta.stats.sketch));
        Some(sketch.estimate())
    }

    fn column_statistics(&self, position: usize) -> Option<Arc<ColumnStatistics>> {
        self.statistics_of(position)
    }
}
