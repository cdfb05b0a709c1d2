//! Columns that are read late, for rows that are left after a top-N.

use std::sync::Arc;

use entasis_expr::ColumnId;
use entasis_table_api::{Addresses, ScanColumn, Snapshot};
use entasis_types::DataType;

use super::Plan;

/// Columns of a table for the input's rows, found by the addresses of rows that a scan below has
/// given. The output is the input's columns, then the fetched ones.
#[derive(Clone)]
pub struct Fetch {
    /// The node that supplies the rows.
    pub input: Plan,
    /// The version of the table that the scan reads.
    pub table: Arc<dyn Snapshot>,
    /// The table's name for EXPLAIN.
    pub name: Arc<str>,
    /// What the table says of the addresses.
    pub addresses: Addresses,
    /// The column of the input that holds the addresses. Rows where it is NULL have no row of the
    /// table: they get NULL or the default of the column's type.
    pub address: ColumnId,
    /// The columns to fetch, each with its type in the output. This may be Nullable where the
    /// table's column is not.
    pub columns: Vec<(ScanColumn, DataType)>,
}
