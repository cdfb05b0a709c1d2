//! What dictionaries need of the engine: other dictionaries by name, and queries for their sources.
//! What buffers need of it: INSERTs of the rows that they hand on.

use std::sync::{Arc, Weak};

use entasis_base::{Error, MemoryAccount, Result, codes};
use entasis_column::{Chunk, Header};
use entasis_function::dictionary::Dictionary;
use entasis_table_api::Table;
use entasis_types::Value;

use crate::catalog::Entry;
use crate::settings::dictionaries::Owner;
use crate::{Engine, QueryOptions};

/// The engine as dictionaries see it. It does not keep the engine alive.
struct Link(Weak<Engine>);

/// The engine as dictionaries see it.
pub(crate) fn link(engine: &Arc<Engine>) -> Arc<dyn Owner> {
    Arc::new(Link(Arc::downgrade(engine)))
}

impl Link {
    fn engine(&self) -> Result<Arc<Engine>> {
        self.0.upgrade().ok_or_else(|| Error::new(codes::ABORTED, "The server is shutting down"))
    }
}

impl Owner for Link {
    fn dictionary(&self, database: &str, name: &str) -> Result<Arc<dyn Dictionary>> {
        let engine = self.engine()?;
        let entry = engine.catalog.entry(database, name)?;
        engine.catalog.check_usable(&entry)?;
        let handle = entry.dictionary().cloned().ok_or_else(|| {
            Error::new(codes::BAD_ARGUMENTS, format!("{database}.{name} is not a dictionary"))
        })?;
        Ok(handle)
    }

    fn read(&self, query: &str, database: &str) -> Result<(Header, Vec<Chunk>)> {
        let engine = self.engine()?;
        let mut session = engine.session();
        session.use_database(database)?;
        // The query runs on this thread alone: other threads of the pool may be waiting for the
        // dictionary that is being loaded.
        session.set("max_threads", &Value::UInt(1))?;
        let query = entasis_sql::parse_query(query)?;
        let mut result = session.select(&query, &[], QueryOptions::default())?;
        let mut chunks = Vec::new();
        while let Some(chunk) = result.next_chunk()? {
            chunks.push(chunk);
        }
        Ok((result.header.clone(), chunks))
    }

    fn insert(&self, database: &str, table: &str, rows: Arc<dyn Table>) -> Option<Result<()>> {
        const ROWS: &str = "rows of a buffer";
        let engine = self.0.upgrade()?;
        let insert = || {
            let mut session = engine.session();
            // As for dictionaries: other threads may be waiting for the rows to be written.
            session.set("max_threads", &Value::UInt(1))?;
            session.temporary.insert(ROWS.to_string(), Entry::without_definition(rows));
            let query = format!("SELECT * FROM {}", entasis_sql::format_ident(ROWS));
            let query = entasis_sql::parse_query(&query)?;
            let to = (database.to_string(), table.to_string());
            let target = session.view_target(&to, "of a buffer")?;
            session.fill_by_name(&target, &query, &QueryOptions::default())
        };
        Some(insert())
    }

    fn account(&self) -> Option<Arc<MemoryAccount>> {
        Some(Arc::clone(self.engine().ok()?.processes.memory()))
    }
}
