//! Tables that answer the rows of other tables: the engines Merge, Alias and Distributed.
//!
//! The analyser reads the other tables in their place ([`Role::Over`]); this file is for everything
//! else. INSERT goes to the one table that is named. The engine Merge names many, and refuses it.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_pipeline::QueryContext;
use entasis_table_api::{
    FindTable, InsertSink, MergeRequest, Names, Over, Repeats, Role, Schema, Snapshot, Table,
};
use entasis_types::TimeZone;

use crate::mapped::{MappedSink, Mapping};
use crate::memory::Fixed;
use crate::unsupported;

/// A table over others.
pub struct OverTable {
    engine: &'static str,
    schema: Arc<Schema>,
    over: Over,
    tables: Arc<dyn FindTable>,
    /// What an empty name of a database means.
    database: String,
    time_zone: TimeZone,
}

impl OverTable {
    /// A table with these columns; `tables` finds the others.
    pub fn new(
        engine: &'static str,
        schema: Arc<Schema>,
        over: Over,
        tables: Arc<dyn FindTable>,
        database: String,
        time_zone: TimeZone,
    ) -> Arc<Self> {
        Arc::new(Self { engine, schema, over, tables, database, time_zone })
    }

    /// The one table that it stands for; `None` if it may stand for several.
    fn target(&self) -> Option<Result<Arc<dyn Table>>> {
        let (Names::Exactly(database), Names::Exactly(table)) =
            (&self.over.databases, &self.over.tables)
        else {
            return None;
        };
        let database = if database.is_empty() { &self.database } else { database };
        let found = self.tables.find_table(database, table);
        Some(found.and_then(|found| match found.role() {
            Role::Over(over) if *over == self.over => {
                let message = format!("Table {database}.{table} stands for itself");
                Err(Error::new(codes::INFINITE_LOOP, message))
            }
            _ => Ok(found),
        }))
    }

    /// The table behind an alias, which does everything that the alias is asked to do.
    fn aliased(&self, method: &str) -> Result<Arc<dyn Table>> {
        match self.target() {
            Some(table) if self.engine == "Alias" => table,
            _ => Err(unsupported(method, self.engine)),
        }
    }
}

impl Table for OverTable {
    fn engine(&self) -> &'static str {
        self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        match self.aliased("schema") {
            Ok(table) => table.schema(),
            Err(_) => Arc::clone(&self.schema),
        }
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Fixed::table(self.engine, self.schema(), Vec::new()).snapshot()
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        self.insert_once(context, Repeats::Stored)
    }

    fn insert_once(&self, context: &QueryContext, by: Repeats) -> Result<Arc<dyn InsertSink>> {
        let target = self.target().unwrap_or_else(|| Err(unsupported("write", self.engine)))?;
        let sink = target.insert_once(context, by)?;
        if self.engine == "Alias" {
            return Ok(sink);
        }
        let mapping = Mapping::new(&self.schema, &target.schema(), self.time_zone);
        Ok(MappedSink::wrap(sink, mapping))
    }

    fn truncate(&self) -> Result<()> {
        match self.aliased("truncate") {
            Ok(table) => table.truncate(),
            Err(_) => {
                let message = format!("Truncate is not supported by storage {}", self.engine);
                Err(Error::new(codes::NOT_IMPLEMENTED, message))
            }
        }
    }

    fn merge(&self, request: &MergeRequest, context: &QueryContext) -> Result<()> {
        self.aliased("optimize")?.merge(request, context)
    }

    fn role(&self) -> Role<'_> {
        Role::Over(&self.over)
    }
}
