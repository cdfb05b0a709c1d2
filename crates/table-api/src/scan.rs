//! The specification of a scan, and the snapshots that can be scanned.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::compare::SortOrder;
use entasis_column::{Bitmap, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_pipeline::{QueryContext, Source};
use entasis_types::{DataType, SubcolumnPath, TimeZone, Value};

use crate::{
    Addresses, ColumnStatistics, Fetched, IndexReport, Kept, KeyFilter, ProjectionSnapshot,
    ReadEstimate, SearchedText,
};

/// Columns, conjuncts, wanted order and limit of one scan.
#[derive(Clone, Debug, Default)]
pub struct ScanSpec {
    /// Every column that the scan reads, for output or for the filter.
    pub columns: Vec<ScanColumn>,
    /// The columns of the output chunks, in order; all of them appear in `columns`. If it is empty,
    /// only the row counts of the chunks matter.
    pub outputs: Vec<ColumnId>,
    /// Conjuncts over `columns`, the cheapest and most selective first, as far as the planner
    /// knows. A scan returns exactly the rows for which all are true; the storage may use them to
    /// skip granules.
    pub filter: Vec<Expr>,
    /// The number of rows that are enough (any rows that pass the filter).
    pub limit: Option<u64>,
    /// The wanted order of rows, as a hint for storage that is sorted so.
    pub order: Vec<(ColumnId, SortOrder)>,
    /// Whether rows with equal keys are merged while reading, as the table would merge them later
    /// (FINAL). The merge comes after `filter`, which may therefore hold only conditions on the
    /// key, which merged rows share, unless the query says otherwise (PREWHERE).
    pub final_: bool,
    /// Conditions over `columns` that are tested behind a scan with `final_`, on the merged rows.
    /// The storage may leave out all rows of a key whose merged rows certainly fail one of them.
    pub after_final: Vec<Expr>,
    /// Whether FINAL merges only rows of the same partition.
    pub final_by_partition: bool,
    /// If not 0: the rows of a morsel must be sorted by this many leading columns of
    /// [`Snapshot::sorted_by`], rows that are equal in these must be in the same morsel, and
    /// morsels must be ascending as well.
    pub sorted_prefix: usize,
    /// Filters that may tighten while the scan runs, tested for each granule. They are a hint:
    /// skipping is optional, and the operator that owns the filter tests the rows again.
    pub runtime: Vec<Arc<RuntimeFilter>>,
    /// Filters by the keys of joins above the scan. They are a hint as well.
    pub keys: Vec<Arc<KeyFilter>>,
    /// Most partitions that the scan may read; 0 means no limit, and `None` that the table decides.
    pub max_partitions: Option<usize>,
    /// Whether the scan fails unless the filter uses the primary key.
    pub needs_primary_key: bool,
    /// Whether the scan fails unless the filter uses the partition key, if the table has one.
    pub needs_partition_key: bool,
    /// How skipping indices may be used.
    pub indices: Arc<SkipIndices>,
}

/// How a scan may use the skipping indices of its table.
#[derive(Clone, Debug)]
pub struct SkipIndices {
    /// Whether they are used at all.
    pub enabled: bool,
    /// Whether they are used for conditions that are tested after FINAL has merged rows.
    pub in_final: bool,
    /// Whether FINAL then reads all rows of the keys that may have a passing row. Without that, it
    /// may show a row although a newer one has replaced it.
    pub exact_final: bool,
    /// Whether rows are chosen by an index that knows them, without reading the columns of the
    /// condition.
    pub select_rows: bool,
    /// The names of indices that are not used.
    pub ignored: Vec<String>,
    /// The names of indices without which the scan fails.
    pub forced: Vec<String>,
    /// The time zone in which the functions of the query are bound; `None` if it is not known.
    pub zone: Option<TimeZone>,
}

impl Default for SkipIndices {
    fn default() -> Self {
        Self {
            enabled: true,
            in_final: true,
            exact_final: true,
            select_rows: true,
            ignored: Vec::new(),
            forced: Vec::new(),
            zone: None,
        }
    }
}

/// A column of a scan: a column of the table, or a subcolumn (`arr.size0`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanColumn {
    /// The column's id in the query.
    pub id: ColumnId,
    /// Position of the table's column in the schema.
    pub position: usize,
    /// The path of the subcolumn; empty for the whole column.
    pub path: SubcolumnPath,
}

impl ScanColumn {
    /// A whole column.
    pub fn whole(id: ColumnId, position: usize) -> Self {
        Self { id, position, path: SubcolumnPath::default() }
    }

    /// The name of this column, if the table's column is called `whole` and has the type `ty`.
    pub fn name(&self, whole: &str, ty: &DataType) -> String {
        match self.path.find_in(ty) {
            Some((part, _)) if !part.is_empty() => format!("{whole}.{part}"),
            _ => whole.to_string(),
        }
    }

    /// The position in the schema; `None` for a subcolumn, because statistics, keys and the order
    /// of a table exist only for whole columns.
    pub fn whole_position(&self) -> Option<usize> {
        self.path.is_whole().then_some(self.position)
    }
}

impl ScanSpec {
    /// A scan of these whole columns (id and position in the schema), all of which are outputs.
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

    /// The position in the schema of the column with this id; `None` if it is a subcolumn.
    pub fn whole_position(&self, id: ColumnId) -> Option<usize> {
        self.column(id)?.whole_position()
    }
}

/// A bound that an operator above the scan finds while it runs: the threshold of a top-N.
#[derive(Debug)]
pub struct RuntimeFilter {
    /// The column that is bounded.
    pub column: ColumnId,
    /// The direction in which rows are still wanted: ascending means "not greater than the bound".
    pub order: SortOrder,
    bound: Mutex<Option<Column>>,
}

impl RuntimeFilter {
    /// A filter without a bound.
    pub fn new(column: ColumnId, order: SortOrder) -> Arc<Self> {
        Arc::new(Self { column, order, bound: Mutex::default() })
    }

    /// The bound, as a full column of one row; `None` until one is set.
    pub fn bound(&self) -> Option<Column> {
        lock(&self.bound).clone()
    }

    /// Sets a bound that is tighter than the current one.
    pub fn tighten(&self, value: Column) {
        *lock(&self.bound) = Some(value);
    }
}

/// What [`Snapshot::lookup`] has found.
pub struct Looked {
    /// The wanted columns, with a row for each key. The values of keys without a row do not matter.
    pub columns: Vec<Column>,
    /// The keys that have a row.
    pub found: Bitmap,
}

/// One version of a table, pinned for one query.
pub trait Snapshot: Send + Sync {
    /// The exact number of rows; `None` if it is not known without reading. Answers `count()`.
    fn row_count(&self) -> Option<u64>;

    /// Whether there is always another row.
    fn is_endless(&self) -> bool {
        false
    }

    /// A source of the rows of `spec` in chunks of at most `context.max_block_size` rows. It counts
    /// what it reads in `context.progress`.
    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>>;

    /// How the rows of this scan can be fetched by their addresses; `None` if they cannot.
    fn addresses(&self, _spec: &ScanSpec) -> Option<Addresses> {
        None
    }

    /// The values of columns in the rows at these addresses, which ascend and differ.
    fn fetch(
        &self,
        _columns: &[ScanColumn],
        _addresses: &[u64],
        _context: &QueryContext,
    ) -> Result<Fetched> {
        Err(Error::logical("the rows of this table have no addresses"))
    }

    /// The texts that have an index for full-text search.
    fn searched_texts(&self) -> Vec<SearchedText> {
        Vec::new()
    }

    /// Schema positions of the columns by which every part is sorted, most significant first.
    fn sorted_by(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Schema positions of the columns whose values an index tests: keys and skipping indices.
    /// Conditions on them must stay conditions on the whole column.
    fn tested_by_indices(&self) -> Vec<usize> {
        self.sorted_by()
    }

    /// Ascending values of the first column of [`Self::sorted_by`] that cut the rows into about
    /// `pieces` parts of the same size; fewer if they are not known without reading.
    fn cuts(&self, _pieces: usize) -> Vec<Value> {
        Vec::new()
    }

    /// Schema positions of the columns by which rows are meant to be looked up; empty if there are
    /// none.
    fn lookup_key(&self) -> &[usize] {
        &[]
    }

    /// Whether rows can be looked up by [`Self::lookup_key`], each key having at most one.
    fn looks_up(&self) -> bool {
        false
    }

    /// Looks up rows by key. `keys` are in the order of [`Self::lookup_key`], and without NULL;
    /// `columns` are schema positions. Only for tables for which [`Self::looks_up`] holds.
    fn lookup(&self, _columns: &[usize], _keys: &[Column], _rows: usize) -> Result<Looked> {
        Err(Error::logical("the rows of this table cannot be looked up"))
    }

    /// Whether the reference's direct joins look up rows by any one column.
    fn is_direct_by_any(&self) -> bool {
        false
    }

    /// What queries keep with this version of the table; `None` if they keep nothing.
    fn kept(&self) -> Option<&Kept> {
        None
    }

    /// Schema positions of columns that are equal in all rows that FINAL makes one row of.
    /// Conditions on them can be evaluated before.
    fn final_key(&self) -> Vec<usize> {
        self.sorted_by()
    }

    /// The least and greatest value of a column without NULLs; `None` if they are not known exactly
    /// without reading. Answers `min` and `max` without a filter.
    fn column_range(&self, _position: usize) -> Option<(Value, Value)> {
        None
    }

    /// The number of rows whose value is the type's default (0, the empty string; NULL if it is
    /// Nullable); `None` if it is not known exactly without reading. Answers `count()` with a
    /// condition that a column is or is not its default.
    fn default_count(&self, _position: usize) -> Option<u64> {
        None
    }

    /// The approximate number of distinct values of a column, for choosing between plans.
    fn distinct_count(&self, _position: usize) -> Option<u64> {
        None
    }

    /// What is known of the distribution of a column's values, for choosing between plans. Nothing
    /// is computed before it is asked for, and a table keeps the answer for its version.
    fn column_statistics(&self, _position: usize) -> Option<Arc<ColumnStatistics>> {
        None
    }

    /// Stored bytes per row of a column, for choosing the cheapest column and ordering filters.
    fn column_bytes(&self, _position: usize) -> Option<u64> {
        None
    }

    /// The projections that could be read instead of some of the rows.
    fn projections(&self) -> Vec<ProjectionSnapshot> {
        Vec::new()
    }

    /// The name of the projection whose rows these are; `None` for the rows of the table itself.
    fn projection(&self) -> Option<&str> {
        None
    }

    /// How much a scan would read; `None` if that is not known without reading.
    fn estimate(&self, _spec: &ScanSpec) -> Option<ReadEstimate> {
        None
    }

    /// What each index does for a scan; `None` for rows that are not in parts.
    fn index_report(&self, _spec: &ScanSpec) -> Result<Option<IndexReport>> {
        Ok(None)
    }
}
