//! A table whose rows are made when it is read. It consists of a list of items, and of a function
//! for each column that makes its value from an item.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column, ColumnBuilder};
use entasis_table_api::{ColumnDef, Schema, Snapshot, Table};
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

/// A chunk with all rows; `columns` belong to the columns of the schema.
fn chunk_of<R>(schema: &Schema, columns: &[Option<fn(&R) -> Value>], rows: &[R]) -> Chunk {
    let column =
        |(def, of): (&ColumnDef, &Option<fn(&R) -> Value>)| column_of(&def.ty, rows, of.as_ref());
    Chunk::new(schema.columns.iter().zip(columns).map(column).collect(), rows.len())
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
    layout: OnceLock<Result<Layout<R>>>,
    rows: Box<dyn Fn() -> Result<Vec<R>> + Send + Sync>,
}

impl<R: 'static> SystemTable<R> {
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

    fn layout(&self) -> std::result::Result<&Layout<R>, &Error> {
        self.layout.get_or_init(|| (self.make)()).as_ref()
    }
}

impl<R> Table for SystemTable<R> {
    fn engine(&self) -> &'static str {
        self.layout().map_or("", |layout| layout.engine)
    }

    fn schema(&self) -> Arc<Schema> {
        self.layout().map(|layout| Arc::clone(&layout.schema)).unwrap_or_default()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let layout = self.layout().map_err(Error::duplicate)?;
        let chunk = chunk_of(&layout.schema, &layout.columns, &(self.rows)()?);
        Fixed::table(layout.engine, Arc::clone(&layout.schema), vec![chunk]).snapshot()
    }
}
