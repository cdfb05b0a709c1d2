//! A view among the tables of the catalog: it has a name, columns and a place in the store, but it
//! has no rows and takes none.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_mergetree::TableId;
use entasis_pipeline::QueryContext;
use entasis_table_api::{InsertSink, MergeRequest, Schema, Snapshot, Table};

use super::{EngineCatalog, Entry};
use crate::definition::view::ViewDefinition;

impl Entry {
    /// The entry of a view.
    pub(crate) fn of_view(definition: ViewDefinition, id: TableId) -> Self {
        let engine = if definition.materialized.is_some() { "MaterializedView" } else { "View" };
        let table = Arc::new(ViewTable { engine, schema: Arc::clone(&definition.view.schema) });
        Self { table, definition: None, view: Some(Arc::new(definition)), id: Some(id) }
    }
}

impl EngineCatalog {
    /// Replaces the definition of a view by the one that `change` answers.
    pub(crate) fn alter_view(
        &self,
        database: &str,
        name: &str,
        change: impl FnOnce(&ViewDefinition) -> Result<ViewDefinition>,
    ) -> Result<()> {
        let _held = self.lock_changes();
        let entry = self.entry(database, name)?;
        let (Some(view), Some(id)) = (&entry.view, entry.id) else {
            return Err(Error::new(codes::ABORTED, "The view was replaced by another table"));
        };
        let altered = change(view)?;
        self.store.alter_table(id, altered.text(name))?;
        self.put(database, name, Arc::new(Entry::of_view(altered, id)));
        Ok(())
    }
}

struct ViewTable {
    engine: &'static str,
    schema: Arc<Schema>,
}

#[cold]
fn unsupported(what: &str) -> Error {
    let message = format!("{what} is not supported by storage View: use the tables that it reads");
    Error::new(codes::NOT_IMPLEMENTED, message)
}

impl Table for ViewTable {
    fn engine(&self) -> &str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Err(unsupported("Reading without a query"))
    }

    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        if self.schema.columns.is_empty() {
            let message = "Empty list of columns to insert: the columns of a view with parameters \
                           depend on them, and it takes no rows";
            return Err(Error::new(codes::EMPTY_LIST_OF_COLUMNS_PASSED, message));
        }
        Err(unsupported("INSERT"))
    }

    fn truncate(&self) -> Result<()> {
        Err(unsupported("TRUNCATE"))
    }

    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        Err(unsupported("OPTIMIZE"))
    }
}
