//! The table that a log is written to.
//!
//! The table may not exist yet, or may have been dropped. It may also have another structure, from
//! an earlier version; it is then renamed to `query_log_0`, `query_log_1`, ..., as in the
//! reference.

use std::sync::Arc;

use entasis_base::events::Counters;
use entasis_base::{CancelToken, Error, MemoryAccount, Result, message};
use entasis_column::Chunk;
use entasis_mergetree::Op;
use entasis_pipeline::{Progress, QueryContext};
use entasis_types::TimeZone;

use crate::catalog::{Databases, EngineCatalog, Entry, Existing, SYSTEM, make};
use crate::definition::{LANGUAGE, TableDefinition};
use crate::settings::dictionaries::Dictionaries;
use crate::settings::function_context::{ServerContext, StatementContext, TableFinder};
use crate::settings::rollups::AllRollups;

/// The table of one log.
pub(super) struct Target {
    name: &'static str,
    definition: String,
    /// The table that was last found to have the right structure; `None` before the first look.
    known: Option<Arc<Entry>>,
}

impl Target {
    /// The table with this name and CREATE TABLE statement. It is created with the first rows,
    /// or by [`Self::prepare`].
    pub(super) fn new(name: &'static str, definition: String) -> Self {
        Self { name, definition, known: None }
    }

    /// Creates the table if necessary.
    pub(super) fn prepare(&mut self, catalog: &EngineCatalog, time_zone: TimeZone) -> Result<()> {
        self.entry(catalog, time_zone).map(drop)
    }

    /// Inserts a chunk of all stored columns; creates the table if necessary.
    pub(super) fn insert(
        &mut self,
        catalog: &EngineCatalog,
        time_zone: TimeZone,
        chunk: Result<Chunk>,
    ) -> Result<()> {
        let chunk = chunk?;
        let entry = self.entry(catalog, time_zone)?;
        let context = QueryContext {
            cancel: CancelToken::new(),
            memory: MemoryAccount::root("logs", 0),
            events: Counters::start("", ""),
            max_threads: 1,
            max_block_size: 65_536,
            fold_inserts: true,
            derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
            max_insert_partitions: 0,
            progress: Arc::<Progress>::default(),
            profile: None,
            hook: None,
        };
        let sink = entry.table.insert(&context)?;
        entasis_table_api::insert_chunks(&sink, vec![chunk], &context)
    }

    fn entry(&mut self, catalog: &EngineCatalog, time_zone: TimeZone) -> Result<Arc<Entry>> {
        let found = catalog.entry(SYSTEM, self.name).ok();
        if let (Some(found), Some(known)) = (&found, &self.known)
            && Arc::ptr_eq(found, known)
        {
            return Ok(Arc::clone(known));
        }
        let clock = Arc::new(entasis_base::clock::SystemClock);
        let (dictionaries, tables) = (Dictionaries::default(), TableFinder::default());
        let (rollups, web) = (AllRollups::default(), Arc::new(entasis_tables::web::NoWeb));
        let server = ServerContext { time_zone, clock, dictionaries, tables, rollups, web };
        let function_context = StatementContext::of_engine(&server);
        let create = TableDefinition::parse(&self.definition, LANGUAGE)?;
        if let Some(found) = found {
            let (_, wanted) = make::definition_of(create.clone(), &function_context)?;
            let text = |d: &TableDefinition| d.create_query(SYSTEM, self.name, true);
            if found.definition.as_deref().map(text) == Some(text(&wanted)) {
                self.known = Some(Arc::clone(&found));
                return Ok(found);
            }
            self.put_aside(catalog)?;
        }
        catalog.create_table(SYSTEM, self.name, Existing::Kept, |store| {
            make::new_table(store, SYSTEM, self.name, create, &function_context)
        })?;
        let entry = catalog.entry(SYSTEM, self.name)?;
        self.known = Some(Arc::clone(&entry));
        Ok(entry)
    }

    /// Renames the table that has the name of the log.
    fn put_aside(&self, catalog: &EngineCatalog) -> Result<()> {
        catalog.change_names(|databases: &mut Databases| {
            let tables = databases.entry(SYSTEM.into()).or_default();
            let mut free = (0..).map(|n| format!("{}_{n}", self.name));
            let free = free.find(|name| !tables.contains_key(name.as_str()));
            let name = free.ok_or_else(|| Error::logical("no free name for a log"))?;
            message!(
                Information,
                "SystemLog",
                "system.{} has another structure and becomes system.{}",
                self.name,
                name
            );
            let tables = Arc::make_mut(tables);
            let Some(entry) = tables.remove(self.name) else { return Ok(Vec::new()) };
            let id = entry.id;
            tables.insert(name.as_str().into(), entry);
            let database = SYSTEM.to_string();
            Ok(id.map(|id| Op::RenameTable { id, database, name }).into_iter().collect())
        })
    }

    /// Drops the partitions of all days before `first`, which is a number of days since 1970.
    pub(super) fn sweep(&self, catalog: &EngineCatalog, first: u64) -> Result<()> {
        let Ok(entry) = catalog.entry(SYSTEM, self.name) else { return Ok(()) };
        let Some(id) = entry.id else { return Ok(()) };
        let mut text = Vec::new();
        entasis_types::text::write_date(&mut text, first as i32);
        text.retain(u8::is_ascii_digit);
        // The id of a partition by date consists of the date's digits.
        let is_old = |day: &str| day.len() == text.len() && day.as_bytes() < text.as_slice();
        catalog.store().drop_partitions(id, is_old).map(|_| ())
    }
}
