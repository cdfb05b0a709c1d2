//! A table whose rows are made when it is read. It consists of a list of items, and of a function
//! for each column that makes its value from an item. Only the columns that a query reads are made.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column, ColumnBuilder};
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Snapshot, Table};
use entasis_tables::memory::Fixed;
use entasis_types::{DataType, Value};

use super::layout::MadeColumn;

/// A column: name, type and value. `None` means that the engine does not know the value; the column
/// then has the default of its type, so that clients of the reference find it.
pub(crate) type ColumnOf<R> = (&'static str, &'static str, Option<fn(&R) -> Value>);

/// A column with a value for each row.
pub(crate) fn column_of<R>(ty: &DataType, rows: &[R], of: Option<&impl Fn(&R) -> Value>) -> Column {
    let Some(of) = of else { return Column::default_of(ty, rows.len()) };
    let mut builder = ColumnBuilder::new(ty, rows.len());
    rows.iter().for_each(|row| builder.push_value(ty, &of(row)));
    builder.finish()
}

/// The name, the schema and the values of a table.
pub(crate) struct Layout<R: 'static> {
    engine: &'static str,
    schema: Arc<Schema>,
    columns: Vec<Option<fn(&R) -> Value>>,
}

impl<R: 'static> Layout<R> {
    /// The layout of a table whose engine is called `engine`.
    pub(crate) fn new(engine: &'static str, columns: Vec<MadeColumn<R>>) -> Self {
        let (defs, columns) = columns.into_iter().unzip();
        Self { engine, schema: Schema::new(defs), columns }
    }
}

/// A system table. Its layout is made when it is used for the first time, as most processes never
/// use most of these tables.
pub(crate) struct SystemTable<R: 'static> {
    make: Box<dyn Fn() -> Result<Layout<R>> + Send + Sync>,
    layout: OnceLock<Result<Arc<Layout<R>>>>,
    rows: Box<dyn Fn() -> Result<Vec<R>> + Send + Sync>,
}

impl<R: Send + Sync + 'static> SystemTable<R> {
    /// A table with these columns, whose engine is called `engine`.
    pub(crate) fn create(
        engine: &'static str,
        columns: &'static [ColumnOf<R>],
        rows: impl Fn() -> Result<Vec<R>> + Send + Sync + 'static,
    ) -> Arc<dyn Table> {
        let column =
            |(name, ty, of): &ColumnOf<R>| Ok((ColumnDef::new(*name, DataType::parse(ty)?), *of));
        let columns = move || columns.iter().map(column).collect::<Result<_>>();
        Self::of_layout(move || Ok(Layout::new(engine, columns()?)), rows)
    }

    /// As [`Self::create`], with the layout that `make` answers.
    pub(crate) fn of_layout(
        make: impl Fn() -> Result<Layout<R>> + Send + Sync + 'static,
        rows: impl Fn() -> Result<Vec<R>> + Send + Sync + 'static,
    ) -> Arc<dyn Table> {
        Arc::new(Self { make: Box::new(make), layout: OnceLock::new(), rows: Box::new(rows) })
    }

    fn layout(&self) -> std::result::Result<&Arc<Layout<R>>, &Error> {
        self.layout.get_or_init(|| (self.make)().map(Arc::new)).as_ref()
    }
}

impl<R: Send + Sync + 'static> Table for SystemTable<R> {
    fn engine(&self) -> &'static str {
        self.layout().map_or("", |layout| layout.engine)
    }

    fn schema(&self) -> Arc<Schema> {
        self.layout().map(|layout| Arc::clone(&layout.schema)).unwrap_or_default()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let layout = Arc::clone(self.layout().map_err(Error::duplicate)?);
        Ok(Arc::new(Items { layout, rows: (self.rows)()? }))
    }
}

/// The items at the time of a query.
struct Items<R: 'static> {
    layout: Arc<Layout<R>>,
    rows: Vec<R>,
}

impl<R: Send + Sync + 'static> Snapshot for Items<R> {
    fn row_count(&self) -> Option<u64> {
        Some(self.rows.len() as u64)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let Layout { schema, columns, .. } = &*self.layout;
        let engine = self.layout.engine;
        let is_read = |at: usize| spec.columns.iter().any(|column| column.position == at);
        let made = |(at, (def, of)): (usize, (&ColumnDef, &Option<fn(&R) -> Value>))| {
            let of = of.as_ref().filter(|_| is_read(at));
            column_of(&def.ty, &self.rows, of)
        };
        let columns = schema.columns.iter().zip(columns).enumerate().map(made).collect();
        let chunk = Chunk::new(columns, self.rows.len());
        Fixed::table(engine, Arc::clone(schema), vec![chunk]).snapshot()?.scan(spec, context)
    }
}
