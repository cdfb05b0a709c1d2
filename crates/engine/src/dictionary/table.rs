//! A dictionary as a table: the entry of the catalog, and the reader behind `ENGINE = Dictionary`
//! and the table function `dictionary`.

use std::any::Any;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_function::dictionary::{Contents, Dictionary, KeyKind};
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{
    InsertSink, Kept, Looked, MergeRequest, ScanSpec, Schema, Snapshot, Table,
};
use entasis_tables::memory::Fixed;

use super::handle::{DictionaryHandle, Keyed};

/// The dictionary itself as a table.
pub(crate) struct DictionaryTable {
    pub handle: Arc<DictionaryHandle>,
}

/// The dictionary behind a table of the catalog, if the table is one.
pub(crate) fn of_table(table: &Arc<dyn Table>) -> Option<&Arc<DictionaryHandle>> {
    let table: &dyn Any = &**table;
    table.downcast_ref::<DictionaryTable>().map(|table| &table.handle)
}

#[cold]
fn unsupported(method: &str) -> Error {
    let message = format!(
        "Method {method} is not supported by storage Dictionary: change the source instead"
    );
    Error::new(codes::NOT_IMPLEMENTED, message)
}

/// The rows of a dictionary in the columns that its schema has.
fn rows(handle: &DictionaryHandle) -> Result<Chunk> {
    if handle.definition.layout.key == KeyKind::Point {
        let message = "A dictionary of polygons does not keep its keys, and cannot be read as a \
                       table";
        return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
    }
    if handle.definition.layout.is_tree {
        let message = "A dictionary of regular expressions has no rows with these columns: read \
                       its nodes with the table function dictionary";
        return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
    }
    let contents: Arc<dyn Contents> = handle.contents()?;
    let mut rows = contents.all()?;
    if handle.definition.structure.range.is_some()
        && handle.definition.layout.key == KeyKind::Complex
    {
        // The bounds of the range stand first, as in the schema.
        rows.keys.rotate_right(2);
    }
    let columns = rows.keys.into_iter().chain(rows.attributes).collect();
    Ok(Chunk::new(columns, rows.rows))
}

/// What the table function `dictionary` answers for a dictionary: its rows, or the nodes of a tree
/// of regular expressions.
pub(crate) fn rows_of(handle: &Arc<DictionaryHandle>, own: &Arc<dyn Table>) -> Arc<dyn Table> {
    match handle.definition.layout.is_tree {
        true => Arc::new(Nodes(Arc::clone(handle))),
        false => Arc::clone(own),
    }
}

/// The nodes of a dictionary of regular expressions.
struct Nodes(Arc<DictionaryHandle>);

impl Table for Nodes {
    fn engine(&self) -> &'static str {
        "Dictionary"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.0.definition.source_schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let all = self.0.contents()?.all()?;
        let chunk = Chunk::new(all.keys, all.rows);
        Fixed::table("Dictionary", self.schema(), vec![chunk]).snapshot()
    }
}

impl Table for DictionaryTable {
    fn engine(&self) -> &'static str {
        "Dictionary"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.handle.definition.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        if self.handle.has_unique_keys() {
            let (schema, keyed) = (self.schema(), self.handle.keyed()?);
            let contents = match &keyed {
                Some(keyed) => Arc::clone(&keyed.contents),
                None => self.handle.contents()?,
            };
            let keys = self.handle.definition.structure.keys.len();
            let (key, positions) = ((0..keys).collect(), (0..schema.columns.len()).collect());
            return Ok(Arc::new(ByKey { contents, keyed, key, positions, keys, schema }));
        }
        let chunk = rows(&self.handle)?;
        Fixed::table("Dictionary", self.schema(), vec![chunk]).snapshot()
    }

    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        Err(unsupported("write"))
    }

    fn truncate(&self) -> Result<()> {
        Err(Error::new(codes::SYNTAX_ERROR, "Cannot TRUNCATE dictionary"))
    }

    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        Err(unsupported("optimize"))
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.handle.figures().bytes)
    }
}

/// A dictionary with unique keys. If it has all its rows in memory, their columns are made when
/// they are read, which a join that finds its hash table or looks keys up need not do.
struct ByKey {
    contents: Arc<dyn Contents>,
    /// The same, if all rows are in memory.
    keyed: Option<Keyed>,
    /// Positions of the key columns in the schema, in the dictionary's order; empty if the schema
    /// lacks one.
    key: Vec<usize>,
    /// The schema's columns among the keys and attributes of the dictionary.
    positions: Vec<usize>,
    /// Number of the dictionary's key columns.
    keys: usize,
    schema: Arc<Schema>,
}

impl Snapshot for ByKey {
    fn row_count(&self) -> Option<u64> {
        self.keyed.as_ref().map(|keyed| keyed.rows)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let all = self.contents.all()?;
        let columns: Vec<Column> = all.keys.into_iter().chain(all.attributes).collect();
        let columns = self.positions.iter().map(|at| columns[*at].clone()).collect();
        let chunk = Chunk::new(columns, all.rows);
        let table = Fixed::table("Dictionary", Arc::clone(&self.schema), vec![chunk]);
        table.snapshot()?.scan(spec, context)
    }

    fn lookup_key(&self) -> &[usize] {
        &self.key
    }

    fn looks_up(&self) -> bool {
        !self.key.is_empty()
    }

    fn lookup(&self, columns: &[usize], keys: &[Column], rows: usize) -> Result<Looked> {
        let found = self.contents.find(keys, None, rows)?;
        let column = |at: &usize| match self.positions[*at] {
            key if key < self.keys => keys[key].clone(),
            attribute => found.attributes[attribute - self.keys].take(&found.rows),
        };
        let columns = columns.iter().map(column).collect();
        Ok(Looked { columns, found: Bitmap::from_fn(rows, |row| found.rows[row] != 0) })
    }

    fn kept(&self) -> Option<&Kept> {
        self.keyed.as_ref().map(|keyed| &*keyed.kept)
    }
}

/// How a table finds its dictionary.
pub(crate) type Finder = Box<dyn Fn() -> Result<Arc<dyn Dictionary>> + Send + Sync>;

/// Some columns of a dictionary that is found by its name when the table is read.
pub(crate) struct DictionaryReader {
    pub schema: Arc<Schema>,
    pub find: Finder,
}

impl DictionaryReader {
    /// The position of each column of the table among those of the dictionary.
    fn positions(&self, dictionary: &dyn Dictionary) -> Result<Vec<usize>> {
        let structure = dictionary.structure();
        let keys = structure.keys.iter().map(|key| Arc::clone(&key.name));
        let attributes = structure.attributes.iter().map(|a| Arc::clone(&a.name));
        let bounds = if structure.range.is_some() { 2 } else { 0 };
        let keys: Vec<Arc<str>> = keys.collect();
        let first = keys.len() + bounds;
        let attributes: Vec<Arc<str>> = attributes.collect();
        let position = |name: &str| {
            let of_key = keys.iter().position(|key| **key == *name);
            of_key.or_else(|| attributes.iter().position(|a| **a == *name).map(|at| first + at))
        };
        let columns = self.schema.stored().iter();
        columns
            .map(|column| {
                position(&column.name).ok_or_else(|| {
                    let message = format!(
                        "Not found column {} {} in dictionary {}",
                        column.name,
                        column.ty,
                        dictionary.name()
                    );
                    Error::new(codes::THERE_IS_NO_COLUMN, message)
                })
            })
            .collect()
    }
}

impl Table for DictionaryReader {
    fn engine(&self) -> &'static str {
        "Dictionary"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let dictionary = (self.find)()?;
        let positions = self.positions(&*dictionary)?;
        let structure = dictionary.structure();
        if dictionary.has_unique_keys() {
            let keys = structure.keys.len();
            let key: Vec<usize> =
                (0..keys).filter_map(|key| positions.iter().position(|at| *at == key)).collect();
            let key = if key.len() == keys { key } else { Vec::new() };
            let (contents, schema) = (dictionary.contents()?, self.schema());
            return Ok(Arc::new(ByKey { contents, keyed: None, key, positions, keys, schema }));
        }
        let all = dictionary.contents()?.all()?;
        let columns: Vec<Column> = all.keys.into_iter().chain(all.attributes).collect();
        let columns = positions.into_iter().map(|at| columns[at].clone()).collect();
        let chunk = Chunk::new(columns, all.rows);
        Fixed::table("Dictionary", self.schema(), vec![chunk]).snapshot()
    }

    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        Err(unsupported("write"))
    }

    fn truncate(&self) -> Result<()> {
        Err(unsupported("truncate"))
    }

    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        Err(unsupported("optimize"))
    }
}
