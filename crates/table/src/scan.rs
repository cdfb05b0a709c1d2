//! What a query wants of a table.

use std::sync::{Arc, Mutex};

use entasis_base::Result;
use entasis_base::sync::lock;
use entasis_column::Column;
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr};
use entasis_pipeline::{QueryContext, Source};
use entasis_types::{DataType, SubcolumnPath, Value};

/// Columns, conjuncts, wanted order and limit of one scan.
#[derive(Clone, Debug, Default)]
pub struct ScanSpec {
    /// Every column that the scan reads, for output or for the filter.
    pub columns: Vec<ScanColumn>,
    /// Columns of the chunks that come out, in order; all of them appear in `columns`. May be
    /// empty: then only the chunks' row counts matter.
    pub outputs: Vec<ColumnId>,
    /// Conjuncts over `columns`, cheapest and most selective first as far as the planner knows. A
    /// scan answers exactly the rows for which all are true; storage may skip by them.
    pub filter: Vec<Expr>,
    /// At most so many rows are needed (any of them, after the filter).
    pub limit: Option<u64>,
    /// The order in which the rows are wanted, for storage that is sorted so (a hint).
    pub order: Vec<(ColumnId, SortOrder)>,
    /// Rows of equal keys are merged first, as the table would merge them some day (FINAL); after
    /// `filter`, so that only conditions on the key, which all of them share, may be there unless
    /// the query says so (PREWHERE).
    pub merged: bool,
    /// Not 0: the rows of a morsel come sorted by the first so many of [`Snapshot::sorted_by`], and
    /// rows that are equal in these come in one morsel; ascending over morsels, too.
    pub in_order: usize,
    /// Filters that may tighten while the scan runs; consulted per granule (a hint: skipping is
    /// optional, the operator that owns the filter checks again).
    pub runtime: Vec<Arc<RuntimeFilter>>,
}

/// A column of a scan: a column of the table, or a part of one (`arr.size0`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanColumn {
    /// Its id in the query.
    pub id: ColumnId,
    /// Position of the table's column in the schema.
    pub position: usize,
    /// Which part of it; the whole if empty.
    pub path: SubcolumnPath,
}

impl ScanColumn {
    /// A whole column.
    pub fn whole(id: ColumnId, position: usize) -> Self {
        Self { id, position, path: SubcolumnPath::default() }
    }

    /// Its name, where the table's column is called `whole` and has the type `ty`: `arr.size0`.
    pub fn name(&self, whole: &str, ty: &DataType) -> String {
        match self.path.find_in(ty) {
            Some((part, _)) if !part.is_empty() => format!("{whole}.{part}"),
            _ => whole.to_string(),
        }
    }

    /// The position in the schema, if it is a whole column: statistics, keys and the order of a
    /// table are of whole columns.
    pub fn whole_position(&self) -> Option<usize> {
        self.path.is_whole().then_some(self.position)
    }
}

impl ScanSpec {
    /// These whole columns, by their ids and positions in the schema, all of which come out.
    pub fn of_columns(columns: impl IntoIterator<Item = (ColumnId, usize)>) -> Self {
        let columns: Vec<ScanColumn> =
            columns.into_iter().map(|(id, position)| ScanColumn::whole(id, position)).collect();
        let outputs = columns.iter().map(|column| column.id).collect();
        Self { columns, outputs, ..Self::default() }
    }

    /// The column that has this id.
    pub fn column(&self, id: ColumnId) -> Option<&ScanColumn> {
        self.columns.iter().find(|column| column.id == id)
    }

    /// The position in the schema of the whole column that has this id.
    pub fn whole_position(&self, id: ColumnId) -> Option<usize> {
        self.column(id)?.whole_position()
    }
}

/// A bound that an operator further up finds while the scan runs: the threshold of a top-N.
#[derive(Debug)]
pub struct RuntimeFilter {
    /// The column that it bounds.
    pub column: ColumnId,
    /// The direction in which rows are still wanted: ascending means "not greater than the bound".
    pub order: SortOrder,
    bound: Mutex<Option<Column>>,
}

impl RuntimeFilter {
    /// No bound yet.
    pub fn new(column: ColumnId, order: SortOrder) -> Arc<Self> {
        Arc::new(Self { column, order, bound: Mutex::default() })
    }

    /// The bound: a full column of one row.
    pub fn bound(&self) -> Option<Column> {
        lock(&self.bound).clone()
    }

    /// Sets a tighter bound.
    pub fn tighten(&self, value: Column) {
        *lock(&self.bound) = Some(value);
    }
}

/// One version of a table, pinned for one query.
pub trait Snapshot: Send + Sync {
    /// The exact number of rows, if known without reading: answers `count()`.
    fn row_count(&self) -> Option<u64>;

    /// A source that answers the rows of `spec` in chunks of at most `context.max_block_size` rows,
    /// counting what it reads in `context.progress`.
    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>>;

    /// Positions in the schema by which every part is sorted, most significant first, if any.
    fn sorted_by(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Least and greatest value of a column (NULLs left out), if known exactly without reading:
    /// answers `min` and `max` without a filter.
    fn column_range(&self, _position: usize) -> Option<(Value, Value)> {
        None
    }

    /// Number of rows whose value is the type's default (0, the empty string; NULL where it is
    /// Nullable), if known exactly without reading: answers `count()` where a column is or is not
    /// its default.
    fn default_count(&self, _position: usize) -> Option<u64> {
        None
    }

    /// Roughly how many distinct values a column has, for choosing between plans.
    fn distinct_count(&self, _position: usize) -> Option<u64> {
        None
    }

    /// Bytes per row of a column as stored, for choosing the cheapest column and ordering filters.
    fn column_bytes(&self, _position: usize) -> Option<u64> {
        None
    }
}
