//! A view among the tables of the catalog: it has a name, columns and a place in the store, but it
//! has no rows and takes none.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::TableId;
use entasis_pipeline::QueryContext;
use entasis_table_api::{InsertSink, Schema, Snapshot, Table};

use super::Entry;
use crate::definition::view::ViewDefinition;

impl Entry {
    /// The entry of a view.
    pub(crate) fn of_view(definition: ViewDefinition, id: TableId) -> Self {
        let table = Arc::new(ViewTable { schema: Arc::clone(&definition.view.schema) });
        Self { table, definition: None, view: Some(Arc::new(definition)), id: Some(id) }
    }
}

struct ViewTable {
    schema: Arc<Schema>,
}

#[cold]
fn unsupported(what: &str) -> Error {
    let message = format!("{what} is not supported by storage View: use the tables that it reads");
    Error::new(codes::NOT_IMPLEMENTED, message)
}

impl Table for ViewTable {
    fn engine(&self) -> &'static str {
        "View"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Err(unsupported("Reading without a query"))
    }

    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        Err(unsupported("INSERT"))
    }

    fn truncate(&self) -> Result<()> {
        Err(unsupported("TRUNCATE"))
    }

    fn optimize(&self, _all: bool, _context: &QueryContext) -> Result<()> {
        Err(unsupported("OPTIMIZE"))
    }
}
