//! What the `engine` crate tells a MergeTree table: schema, keys as typed expressions, settings.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::Schema;
use entasis_types::{DataType, TimeZone};

use crate::expiry::Expiry;
use crate::index::IndexDef;
use crate::merge::fold::MergeAlgorithm;
use crate::projection::ProjectionConfig;

/// Settings of a table that affect the storage.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// Most rows of a granule.
    pub index_granularity: usize,
    /// Most (uncompressed) bytes of a granule.
    pub index_granularity_bytes: usize,
    /// An INSERT's worker writes a segment when it has collected this many rows.
    pub insert_block_rows: usize,
    /// An INSERT's worker writes a segment when it has collected this many bytes.
    pub insert_block_bytes: usize,
    /// An INSERT is refused if a partition has this many parts; 0 means no limit.
    pub parts_to_throw_insert: usize,
    /// An INSERT is refused if the table has this many parts; 0 means no limit.
    pub max_parts_in_total: usize,
    /// Most partitions that a scan reads if the query does not say; 0 means no limit.
    pub max_partitions_to_read: usize,
    /// Seconds between two searches for expired rows.
    pub merge_with_ttl_timeout: u64,
    /// Whether the background merger drops expired rows only when all rows of a part have expired.
    pub ttl_only_drop_parts: bool,
    /// Background merges do not make parts larger than this many bytes.
    pub max_bytes_to_merge: u64,
    /// This many of the latest INSERTs are remembered by token or content, and not stored again.
    /// `None`: only INSERTs with a token are remembered, [`Self::REMEMBERED_TOKENS`] of them.
    pub deduplication_window: Option<u64>,
    /// The rows of an INSERT with at most this many bytes become a part in memory; 0: none do.
    pub max_bytes_for_memory_part: u64,
    /// So many parts in memory of a similar size are merged in memory.
    pub parts_to_merge_in_memory: usize,
    /// Parts in memory are written to a file when they have this many bytes together.
    pub max_bytes_in_memory: u64,
    /// Parts in memory are written to a file when the oldest has existed for so many seconds.
    pub max_seconds_in_memory: u64,
    /// INSERTs into a partition with this many parts wait; 0: they never do.
    pub parts_to_delay_insert: usize,
    /// The longest such wait, which comes shortly before INSERTs are refused.
    pub max_delay_to_insert: Duration,
    /// The shortest such wait.
    pub min_delay_to_insert: Duration,
    /// Whether merges build skipping indices.
    pub index_on_merge: bool,
    /// What happens to projections where a merge folds rows, or leaves some out.
    pub folded_projections: AfterChange,
    /// What happens to projections of parts whose rows a lightweight DELETE or UPDATE changes.
    pub changed_projections: AfterChange,
    /// Whether INSERTs write projections.
    pub projections_on_insert: bool,
    /// Whether merges write projections that none of their parts has.
    pub projections_on_merge: bool,
}

/// What happens to a projection of a part where its rows are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterChange {
    /// The statement that would change them fails.
    #[default]
    Refuse,
    /// The part loses the projection.
    Drop,
    /// The projection is computed anew.
    Rebuild,
}

impl TableSettings {
    /// How many INSERTs with a token a table remembers by default.
    pub const REMEMBERED_TOKENS: u64 = 1000;
}

impl Default for TableSettings {
    fn default() -> Self {
        Self {
            index_granularity: 8192,
            index_granularity_bytes: 10 << 20,
            insert_block_rows: 1 << 20,
            insert_block_bytes: 512 << 20,
            parts_to_throw_insert: 3000,
            max_parts_in_total: 100_000,
            max_partitions_to_read: 0,
            merge_with_ttl_timeout: 14400,
            ttl_only_drop_parts: false,
            max_bytes_to_merge: 150 << 30,
            deduplication_window: None,
            max_bytes_for_memory_part: 0,
            parts_to_merge_in_memory: 16,
            max_bytes_in_memory: 4 << 20,
            max_seconds_in_memory: 60,
            parts_to_delay_insert: 1000,
            max_delay_to_insert: Duration::from_secs(1),
            min_delay_to_insert: Duration::from_millis(10),
            index_on_merge: true,
            folded_projections: AfterChange::default(),
            changed_projections: AfterChange::default(),
            projections_on_insert: true,
            projections_on_merge: false,
        }
    }
}

/// Binds expressions for parts that were written with another version of the table's schema.
///
/// The storage binds once for each scan or merge that meets such a part, since `now()` in a default
/// means the time of the statement.
pub trait BindDefaults: Send + Sync + std::fmt::Debug {
    /// The value of the stored column at `position` in rows that lack it. The expression has the
    /// column's type and may read other stored columns, whose ids are their positions. `lengths` is
    /// the position of a column of arrays that are as long as those of this column must be. `None`
    /// means the default value of the type.
    fn default(&self, position: usize, lengths: Option<usize>) -> Result<Option<Expr>>;

    /// The value of the stored column at `position` in rows that have it with another type. The
    /// expression reads only that column, by its position.
    fn convert(&self, position: usize, from: &DataType) -> Result<Expr>;
}

/// The configuration of a table. Expressions use `ColumnId(position in the schema)`.
#[derive(Clone, Debug)]
pub struct TableConfig {
    /// The name of the table engine.
    pub engine: &'static str,
    /// The columns; ALIAS columns are not stored.
    pub schema: Arc<Schema>,
    /// The sort key, most significant first; empty for ORDER BY tuple().
    pub order_by: Vec<Expr>,
    /// Which of them are sorted from the greatest to the least value (DESC); it may be shorter.
    pub descending: Arc<[bool]>,
    /// Number of leading sort key expressions that form the primary key, and so the sparse index.
    pub primary_key_len: usize,
    /// The partition key; `None` for an unpartitioned table.
    pub partition_by: Option<Expr>,
    /// The time zone in which the keys were bound.
    pub zone: TimeZone,
    /// The partition key as a tuple, for the virtual column that shows it.
    pub partition_value: Option<Expr>,
    /// The sampling key; `None` if the table cannot be sampled.
    pub sample_by: Option<Expr>,
    /// When rows and values of columns expire; `None` if they never do.
    pub expiry: Option<Arc<Expiry>>,
    /// Text of the sort key. It is kept in the segments for `entasis repair` and for people.
    pub sorting_key: String,
    /// Text of the partition key, kept in the segments for people.
    pub partition_key: String,
    /// The skipping indices.
    pub indices: Arc<[IndexDef]>,
    /// Settings that affect the storage.
    pub settings: TableSettings,
    /// How rows with equal sorting keys are folded; `None` for a plain MergeTree, which keeps all
    /// rows.
    pub merging: Option<Arc<MergeAlgorithm>>,
    /// Binds defaults for columns that older parts lack; without it they get the types' default
    /// values.
    pub defaults: Option<Arc<dyn BindDefaults>>,
    /// The projections.
    pub projections: Arc<[ProjectionConfig]>,
}

impl TableConfig {
    /// An unpartitioned table sorted by the columns at these positions.
    pub fn sorted_by(schema: Arc<Schema>, key: &[usize]) -> Self {
        let order_by: Vec<Expr> = key
            .iter()
            .map(|&i| Expr::column(ColumnId(i as u32), schema.columns[i].ty.clone()))
            .collect();
        let names: Vec<&str> = key.iter().map(|&i| &*schema.columns[i].name).collect();
        Self {
            engine: "MergeTree",
            sorting_key: names.join(", "),
            primary_key_len: order_by.len(),
            order_by,
            descending: Arc::default(),
            partition_by: None,
            partition_value: None,
            sample_by: None,
            expiry: None,
            partition_key: String::new(),
            zone: TimeZone::utc(),
            indices: Arc::default(),
            settings: TableSettings::default(),
            merging: None,
            defaults: None,
            projections: Arc::default(),
            schema,
        }
    }
}

impl TableConfig {
    /// The number of sort key expressions before the first that is DESC.
    pub(crate) fn ascending_key(&self) -> usize {
        let first = self.descending.iter().position(|descending| *descending);
        first.unwrap_or(self.order_by.len()).min(self.order_by.len())
    }

    /// Positions of the columns whose values an index tests.
    pub(crate) fn tested_by_indices(&self) -> Vec<usize> {
        let keys = self.order_by.iter().chain(&self.partition_by);
        let indexed = self.indices.iter().flat_map(|index| &index.exprs);
        let mut columns = Vec::new();
        keys.chain(indexed).for_each(|expr| expr.columns(&mut columns));
        columns.into_iter().map(|id| id.0 as usize).collect()
    }

    /// The number of primary key expressions before the first that is DESC. Indexes and ranges of
    /// keys use only these.
    pub(crate) fn ascending_primary_key(&self) -> usize {
        self.ascending_key().min(self.primary_key_len)
    }
}

/// Position of a key expression that is a plain column.
pub(crate) fn plain_column(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Column { id, .. } => Some(id.0 as usize),
        _ => None,
    }
}
