//! `system.one`: one row with one column `dummy`, what `SELECT` without `FROM` reads in the
//! reference.

use std::sync::Arc;

use entasis_column::Chunk;
use entasis_table::{ColumnDef, Schema, Table};
use entasis_types::DataType;

use crate::memory::Fixed;

/// `system.one`.
pub fn one() -> Arc<dyn Table> {
    let schema = Schema::new(vec![ColumnDef::new("dummy", DataType::UInt8)]);
    Fixed::table("SystemOne", schema, vec![Chunk::new(vec![vec![0u8].into()], 1)])
}
