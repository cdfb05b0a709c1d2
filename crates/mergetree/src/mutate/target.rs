//! The rows that a mutation may change, as a table: its parts with all changes so far, and a column
//! with the addresses of rows.

use std::sync::Arc;

use entasis_base::Result;
use entasis_table_api::{ADDRESS, ColumnDef, PinnedStores, Schema, Snapshot, Table};
use entasis_types::DataType;

use crate::table::TableSnapshot;

pub(super) struct MutationTarget {
    engine: &'static str,
    schema: Arc<Schema>,
    snapshot: TableSnapshot,
}

impl MutationTarget {
    pub(super) fn table(engine: &'static str, snapshot: TableSnapshot) -> Arc<dyn Table> {
        let mut columns = snapshot.schema.config.schema.columns.clone();
        columns.push(ColumnDef::virtual_column(ADDRESS, DataType::UInt64));
        Arc::new(Self { engine, schema: Schema::new(columns), snapshot })
    }
}

impl Table for MutationTarget {
    fn engine(&self) -> &str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.snapshot.clone()))
    }

    fn snapshot_in(&self, _pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        self.snapshot()
    }
}
