//! `system.one`: one row with one column `dummy`. In the reference, a `SELECT` without `FROM` reads
//! it.

use std::sync::Arc;

use entasis_column::Chunk;
use entasis_table_api::{ColumnDef, Schema, Table};
use entasis_types::DataType;

use crate::memory::Fixed;

/// The table `system.one`.
pub fn one() -> Arc<dyn Table> {
    let schema = Schema::new(vec![ColumnDef::new("dummy", DataType::UInt8)]);
    Fixed::table("SystemOne", schema, vec![Chunk::new(vec![vec![0u8].into()], 1)])
}
