//! Rows of one table as another table takes them: columns are matched by name and converted as CAST
//! does. Columns that the rows lack have the default value of their type.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Chunk, Column};
use entasis_format::Caster;
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::{InsertSink, Prepared, Schema};
use entasis_types::{DataType, TimeZone};

use crate::cast::caster;

/// How the stored columns of one schema become those of another.
pub struct Mapping {
    /// For each column: its type, and the place and type of the column that it is made from.
    columns: Vec<(DataType, Option<(usize, DataType)>)>,
    caster: Caster,
}

impl Mapping {
    /// From columns of `from` to those of `to`.
    pub fn new(from: &Schema, to: &Schema, time_zone: TimeZone) -> Arc<Self> {
        let stored = from.stored();
        let source = |name: &str| {
            let position = stored.iter().position(|column| &*column.name == name)?;
            Some((position, stored[position].ty.clone()))
        };
        let columns = to.stored().iter().map(|column| (column.ty.clone(), source(&column.name)));
        Arc::new(Self { columns: columns.collect(), caster: caster(time_zone) })
    }

    /// Whether no column has a source.
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(|(_, source)| source.is_none())
    }

    /// The chunk with the other columns.
    pub fn chunk(&self, chunk: &Chunk) -> Result<Chunk> {
        let column = |(ty, source): &(DataType, Option<(usize, DataType)>)| match source {
            None => Ok(Column::from_value(ty, &ty.column_default(), chunk.rows).full()),
            Some((at, from)) if from == ty => Ok(chunk.columns[*at].clone()),
            Some((at, from)) => self.caster.cast(chunk.columns[*at].clone(), from, ty, chunk.rows),
        };
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        Ok(Chunk::new(columns, chunk.rows))
    }
}

/// A sink that gives the converted rows to another.
pub struct MappedSink {
    inner: Arc<dyn InsertSink>,
    mapping: Arc<Mapping>,
}

impl MappedSink {
    /// Converts rows by `mapping` for `inner`.
    pub fn wrap(inner: Arc<dyn InsertSink>, mapping: Arc<Mapping>) -> Arc<dyn InsertSink> {
        Arc::new(Self { inner, mapping })
    }
}

impl Sink for MappedSink {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(State { inner: self.inner.open()?, mapping: Arc::clone(&self.mapping) }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        self.inner.finalize(context)
    }
}

impl InsertSink for MappedSink {
    fn keeps_order(&self) -> bool {
        self.inner.keeps_order()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        self.inner.prepared()
    }
}

struct State {
    inner: Box<dyn SinkState>,
    mapping: Arc<Mapping>,
}

impl SinkState for State {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let chunk = self.mapping.chunk(&morsel.chunk)?;
        self.inner.push(Morsel { sequence: morsel.sequence, chunk })
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.inner.combine()
    }
}
