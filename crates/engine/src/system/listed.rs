//! A table whose rows are made when it is read: a list of things, and for each column how it is
//! made of one of them.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Chunk, Column, ColumnBuilder};
use entasis_table::{ColumnDef, Schema, Snapshot, Table};
use entasis_tables::memory::Fixed;
use entasis_types::{DataType, Value};

use super::layout::MadeColumn;

/// A column: name, type and value; `None` where the type's default stands for what this engine does
/// not know, so that clients of the reference find the column.
pub(crate) type ColumnOf<R> = (&'static str, &'static str, Option<fn(&R) -> Value>);

/// A column of values, one of each thing.
pub(crate) fn column_of<R>(ty: &DataType, rows: &[R], of: Option<&impl Fn(&R) -> Value>) -> Column {
    let Some(of) = of else { return Column::default_of(ty, rows.len()) };
    let mut builder = ColumnBuilder::new(ty, rows.len());
    rows.iter().for_each(|row| builder.push_value(ty, &of(row)));
    builder.finish()
}

/// Things as a chunk with a row for each; the schema is that of the columns.
fn chunk_of<R>(schema: &Schema, columns: &[Option<fn(&R) -> Value>], rows: &[R]) -> Chunk {
    let column =
        |(def, of): (&ColumnDef, &Option<fn(&R) -> Value>)| column_of(&def.ty, rows, of.as_ref());
    Chunk::new(schema.columns.iter().zip(columns).map(column).collect(), rows.len())
}

/// A system table.
pub(crate) struct Listed<R: 'static> {
    engine: &'static str,
    schema: Arc<Schema>,
    columns: Vec<Option<fn(&R) -> Value>>,
    rows: Box<dyn Fn() -> Result<Vec<R>> + Send + Sync>,
}

impl<R: 'static> Listed<R> {
    /// A table called `engine` in plans.
    pub(crate) fn create(
        engine: &'static str,
        columns: &'static [ColumnOf<R>],
        rows: impl Fn() -> Result<Vec<R>> + Send + Sync + 'static,
    ) -> Result<Arc<dyn Table>> {
        let columns = columns
            .iter()
            .map(|(name, ty, of)| Ok((ColumnDef::new(*name, DataType::parse(ty)?), *of)))
            .collect::<Result<_>>()?;
        Ok(Self::of_columns(engine, columns, rows))
    }

    /// As [`Self::create`], of columns that are ready.
    pub(crate) fn of_columns(
        engine: &'static str,
        columns: Vec<MadeColumn<R>>,
        rows: impl Fn() -> Result<Vec<R>> + Send + Sync + 'static,
    ) -> Arc<dyn Table> {
        let (defs, columns) = columns.into_iter().unzip();
        Arc::new(Self { engine, schema: Schema::new(defs), columns, rows: Box::new(rows) })
    }
}

impl<R> Table for Listed<R> {
    fn engine(&self) -> &'static str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let chunk = chunk_of(&self.schema, &self.columns, &(self.rows)()?);
        Fixed::table(self.engine, Arc::clone(&self.schema), vec![chunk]).snapshot()
    }
}
