//! Rows that are read in two steps: a scan gives the addresses of rows besides a few columns, and
//! the other columns are fetched later for those rows that are left.
//!
//! An address is a number that only the snapshot understands. It is valid for this snapshot alone,
//! whatever happens to the table meanwhile. Addresses ascend in the order in which rows are stored.

use entasis_column::Column;

/// How the rows of a scan can be fetched by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The position by which a scan asks for the addresses, as for a column of type UInt64. It lies
    /// behind all columns of the schema.
    pub position: usize,
    /// The columns at lower positions of the schema than this can be fetched.
    pub columns: usize,
    /// About how many rows are read to fetch one. Rows whose addresses, divided by this number,
    /// are equal are mostly read together.
    pub rows_at_once: u64,
    /// Whether the rows are in files of the user, and not in a table that the engine keeps.
    pub of_file: bool,
}

/// The values of columns in fetched rows.
#[derive(Clone, Debug, Default)]
pub struct Fetched {
    /// The columns, each with one value per address.
    pub columns: Vec<Column>,
    /// Uncompressed bytes that were read for them.
    pub bytes: u64,
}
