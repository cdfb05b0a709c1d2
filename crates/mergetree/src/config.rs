//! What a MergeTree table is told by `engine`: schema, keys as typed expressions, settings.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_table::Schema;
use entasis_types::DataType;

use crate::merge::fold::Merging;

/// Settings of a table that storage understands.
#[derive(Clone, Debug)]
pub struct TableSettings {
    /// Most rows of a granule.
    pub index_granularity: usize,
    /// Most (uncompressed) bytes of a granule.
    pub index_granularity_bytes: usize,
    /// Rows that a worker of an INSERT collects before it writes a segment.
    pub insert_block_rows: usize,
    /// Bytes, likewise.
    pub insert_block_bytes: usize,
    /// An INSERT is refused when a partition has so many parts.
    pub parts_to_throw_insert: usize,
    /// Background merges make no larger parts.
    pub max_bytes_to_merge: u64,
    /// So many of the latest INSERTs are remembered and not stored again, by their content or their
    /// token. `None`: those with a token only, of which [`Self::REMEMBERED_TOKENS`] are remembered.
    pub deduplication_window: Option<u64>,
}

impl TableSettings {
    /// INSERTs with a token that a table remembers unless it says otherwise.
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
            max_bytes_to_merge: 150 << 30,
            deduplication_window: None,
        }
    }
}

/// Binds what a part needs that was written with another version of the table's schema.
///
/// Storage asks once for each scan or merge that meets such a part, since `now()` in a default
/// means the time of the statement.
pub trait BindDefaults: Send + Sync + std::fmt::Debug {
    /// The value of the stored column at `position` in rows that have none. It is of the column's
    /// type, and reads other stored columns, whose ids are their positions. `None` stands for the
    /// default value of the type.
    fn default(&self, position: usize) -> Result<Option<Expr>>;

    /// The value of the stored column at `position` in rows that have it with another type. It
    /// reads that column, by its position, and no other.
    fn convert(&self, position: usize, from: &DataType) -> Result<Expr>;
}

/// Everything about a table but its rows. Expressions use `ColumnId(position in the schema)`.
#[derive(Clone, Debug)]
pub struct TableConfig {
    /// The columns; ALIAS columns are not stored.
    pub schema: Arc<Schema>,
    /// The sort key, most significant first; empty for ORDER BY tuple().
    pub order_by: Vec<Expr>,
    /// So many of the first sort key expressions are the primary key: the sparse index.
    pub primary_key_len: usize,
    /// The partition key.
    pub partition_by: Option<Expr>,
    /// Text of the sort key, kept in the segments for people.
    pub sorting_key: String,
    /// Text of the partition key, likewise.
    pub partition_key: String,
    /// Settings.
    pub settings: TableSettings,
    /// How rows of equal sorting keys become one; a plain MergeTree keeps them all.
    pub merging: Option<Arc<Merging>>,
    /// Fills in what older parts lack; without it they get the default values of the types.
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
