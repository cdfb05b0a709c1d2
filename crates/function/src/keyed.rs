//! Tables in which functions look rows up by their key (`joinGet`).

use entasis_base::Result;
use entasis_column::{Bitmap, Column};
use entasis_types::DataType;

/// Rows that are found by their key.
pub trait KeyedRows: Send + Sync {
    /// Types of the key columns.
    fn key_types(&self) -> Vec<DataType>;

    /// The type of a column outside of the key; `None` if there is no such column.
    fn value_type(&self, column: &str) -> Option<DataType>;

    /// Whether the value for a key that is not there is NULL.
    fn use_nulls(&self) -> bool;

    /// The values of a column in the rows with these keys, and which keys were found. Other rows
    /// have the default value. The keys have the types of [`Self::key_types`].
    fn find(&self, column: &str, keys: &[Column], rows: usize) -> Result<(Column, Bitmap)>;
}
