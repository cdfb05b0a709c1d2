//! A chunk of rows and the header that names its columns.

use std::sync::Arc;

use entasis_types::DataType;

use crate::{Column, Mask};

/// Name and type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name as the query or the table gives it.
    pub name: Arc<str>,
    /// Data type.
    pub ty: DataType,
}

impl Field {
    /// A field.
    pub fn new(name: impl Into<Arc<str>>, ty: DataType) -> Self {
        Self { name: name.into(), ty }
    }
}

/// Names and types of a stream's columns, shared by all its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header(Arc<[Field]>);

impl Header {
    /// A header of these fields.
    pub fn new(fields: Vec<Field>) -> Self {
        Self(fields.into())
    }

    /// Position of the column called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|f| &*f.name == name)
    }

    /// The types alone.
    pub fn types(&self) -> Vec<DataType> {
        self.0.iter().map(|f| f.ty.clone()).collect()
    }
}

impl std::ops::Deref for Header {
    type Target = [Field];

    fn deref(&self) -> &[Field] {
        &self.0
    }
}

/// Columns of equal length. A chunk without columns still counts rows.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The columns, in the header's order.
    pub columns: Vec<Column>,
    /// Number of rows of every column.
    pub rows: usize,
}

impl Chunk {
    /// A chunk; panics in debug builds if a column's length differs.
    pub fn new(columns: Vec<Column>, rows: usize) -> Self {
        debug_assert!(columns.iter().all(|c| c.len() == rows), "column lengths differ");
        Self { columns, rows }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Rows `start .. start + len`.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Self { columns: self.columns.iter().map(|c| c.slice(start, len)).collect(), rows: len }
    }

    /// Rows whose bit is set.
    #[must_use]
    pub fn filter(&self, mask: &Mask) -> Self {
        let rows = mask.count_ones();
        if rows == self.rows {
            return self.clone();
        }
        Self { columns: self.columns.iter().map(|c| c.filter(mask)).collect(), rows }
    }

    /// Rows at `indices`, in their order.
    #[must_use]
    pub fn take(&self, indices: &[u32]) -> Self {
        let columns = self.columns.iter().map(|c| c.take(indices)).collect();
        Self { columns, rows: indices.len() }
    }

    /// All chunks' rows, one after the other. All must have the same columns.
    pub fn concat(chunks: &[Self]) -> Self {
        match chunks {
            [] => Self::default(),
            [one] => one.clone(),
            [first, ..] => {
                let rows = chunks.iter().map(|c| c.rows).sum();
                let columns = (0..first.columns.len())
                    .map(|i| {
                        Column::concat(&chunks.iter().map(|c| &c.columns[i]).collect::<Vec<_>>())
                    })
                    .collect();
                Self { columns, rows }
            }
        }
    }

    /// Bytes that the columns take; shared memory counts in full.
    pub fn byte_size(&self) -> usize {
        self.columns.iter().map(Column::byte_size).sum()
    }
}
