//! What the `engine` crate tells a MergeTree table: schema, keys as typed expressions, settings.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::Schema;
use entasis_types::DataType;

use crate::merge::fold::MergeAlgorithm;

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
    /// Background merges do not make parts larger than this many bytes.
    pub max_bytes_to_merge: u64,
    /// This many of the latest INSERTs are remembered by token or content, and not stored again.
    /// `None`: only INSERTs with a token are remembered, [`Self::REMEMBERED_TOKENS`] of them.
    pub deduplication_window: Option<u64>,
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
            max_bytes_to_merge: 150 << 30,
            deduplication_window: None,
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
    /// The columns; ALIAS columns are not stored.
    pub schema: Arc<Schema>,
    /// The sort key, most significant first; empty for ORDER BY tuple().
    pub order_by: Vec<Expr>,
    /// Number of leading sort key expressions that form the primary key, and so the sparse index.
    pub primary_key_len: usize,
    /// The partition key; `None` for an unpartitioned table.
    pub partition_by: Option<Expr>,
    /// Text of the sort key. It is kept in the segments for `entasis repair` and for people.
    pub sorting_key: String,
    /// Text of the partition key, kept in the segments for people.
    pub partition_key: String,
    /// Settings that affect the storage.
    pub settings: TableSettings,
    /// How rows with equal sorting keys are folded; `None` for a plain MergeTree, which keeps all
    /// rows.
    pub merging: Option<Arc<MergeAlgorithm>>,
    /// Binds defaults for columns that older parts lack; without it they get the types' default
    /// values.
    pub defaults: Option<Arc<dyn BindDefaults>>,
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
            sorting_key: names.join(", "),
            primary_key_len: order_by.len(),
            order_by,
            partition_by: None,
            partition_key: String::new(),
            settings: TableSettings::default(),
            merging: None,
            defaults: None,
            schema,
        }
    }
}

/// Position of a key expression that is a plain column.
pub(crate) fn plain_column(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Column { id, .. } => Some(id.0 as usize),
        _ => None,
    }
}
