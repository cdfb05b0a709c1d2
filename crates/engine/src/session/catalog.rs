//! The catalog as one session sees it: with a current database, temporary tables, access to files,
//! and tables whose contents depend on the user.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use entasis_analyze::{Environment, QueryCatalog, Relation};
use entasis_base::events::{self, Event};
use entasis_base::{Result, codes};
use entasis_disk::UserFiles;
use entasis_function::FunctionContext;
use entasis_sql::ast;
use entasis_table_api::{Catalog, Table};
use entasis_tables::states::NoSession;
use entasis_tables::{TableFunctionContext, table_function};
use entasis_types::{TimeZone, Value};

use crate::catalog::own_rows;
use crate::catalog::{Databases, EngineCatalog, Entry, SYSTEM};
use crate::logs::log_entry::QueryLogEntry;
use crate::settings::analyze::analyze_settings;
use crate::settings::function_context::StatementContext;
use crate::settings::value::apply;
use crate::settings::{self, Settings};
use crate::{Session, system};

/// The catalog as one session sees it: with a current database and access to files.
pub struct SessionCatalog<'a> {
    /// All databases.
    pub catalog: &'a EngineCatalog,
    /// The databases as they were when the statement first named a table.
    pub(crate) pinned: OnceLock<Arc<Databases>>,
    /// The current database.
    pub database: &'a str,
    /// The session's user.
    pub user: &'a str,
    /// Access to users' files, for the table function `file`.
    pub files: &'a Arc<UserFiles>,
    /// The session's time zone.
    pub time_zone: TimeZone,
    /// Tables that exist only for this statement or session: data sent along, standard input.
    pub temporary: &'a HashMap<String, Arc<Entry>>,
    /// Notes the tables that the statement names, if it is logged.
    pub(crate) log_entry: Option<&'a QueryLogEntry>,
    /// The session itself, for EXPLAIN in FROM.
    pub(crate) session: &'a Session,
    /// The session's settings, for tables that depend on them.
    pub settings: &'a Settings,
    /// The user, if the session may see only that user's own statements in the logs.
    pub(crate) restricted_to: Option<&'a str>,
}

impl SessionCatalog<'_> {
    /// The entry of a table, also of one that exists only for this statement or session.
    pub(crate) fn entry(&self, database: Option<&str>, table: &str) -> Result<Arc<Entry>> {
        if database.is_none()
            && let Some(found) = self.temporary.get(table)
        {
            return Ok(Arc::clone(found));
        }
        let database = database.unwrap_or(self.database);
        if let Some(log_entry) = self.log_entry {
            log_entry.table(database, table);
        }
        let Some(user) = self.restricted_to.filter(|_| database == SYSTEM) else {
            return self.shared_entry(database, table);
        };
        own_rows::check(table, user)?;
        let function_context = NoSession { time_zone: self.time_zone };
        own_rows::of(self.shared_entry(database, table)?, user, &function_context)
    }

    /// The entry of a table that exists for all sessions.
    fn shared_entry(&self, database: &str, table: &str) -> Result<Arc<Entry>> {
        match (database, table) {
            (SYSTEM, "settings") => {
                let memory = self.catalog.statement_memory;
                Ok(Entry::without_definition(system::settings::table(self.settings, memory)))
            }
            (SYSTEM, "users") => Ok(Entry::without_definition(system::access::users(self.user))),
            (SYSTEM, "grants") => {
                let readonly = self.settings.u64(settings::READONLY) > 0;
                Ok(Entry::without_definition(system::access::grants(self.user, readonly)))
            }
            (SYSTEM, "events") => {
                let zeros = self.settings.flag(settings::SHOW_ZERO_EVENTS);
                Ok(Entry::without_definition(system::events::events(zeros)))
            }
            _ => {
                let entry = self.catalog.pinned_entry(&self.pinned, database, table)?;
                self.catalog.check_usable(&entry)?;
                Ok(entry)
            }
        }
    }
}

impl SessionCatalog<'_> {
    /// The entry of a table, or of a file whose path is written in place of its name.
    fn entry_or_file(&self, database: Option<&str>, table: &str) -> Result<Arc<Entry>> {
        match self.entry(database, table) {
            Err(error) if database.is_none() && error.code() == codes::UNKNOWN_TABLE => {
                let file = self.file_named(table).unwrap_or(Err(error));
                file.map(Entry::without_definition)
            }
            found => found,
        }
    }

    /// The file, or the files of the pattern, whose path is written in place of a table's name;
    /// `None` if there are none. The same files can be read as with `file`.
    fn file_named(&self, path: &str) -> Option<Result<Arc<dyn Table>>> {
        if !path.contains(['.', '/', '*', '?', '{']) {
            return None;
        }
        let is_file = |path: &String| {
            self.files.info(path).is_ok_and(|info| info.is_some_and(|info| !info.is_dir))
        };
        self.files.glob(path).ok()?.iter().find(|path| is_file(path))?;
        Some(self.table_function("file", &[Value::from(path)]))
    }
}

impl QueryCatalog for SessionCatalog<'_> {
    fn relation(&self, database: Option<&str>, name: &str) -> Result<Relation> {
        let entry = self.entry_or_file(database, name)?;
        Ok(match &entry.view {
            Some(definition) => Relation::View(Arc::clone(&definition.view)),
            None => Relation::Table(Arc::clone(&entry.table)),
        })
    }

    fn environment(
        &self,
        changes: &[&ast::SettingChange],
        outer: &dyn FunctionContext,
    ) -> Result<Option<Environment>> {
        let mut settings = self.settings.clone();
        for change in changes {
            match apply(&mut settings, change) {
                // As in the reference, only the outermost SELECT fails because of an unknown
                // setting.
                Err(error) if error.code() == codes::UNKNOWN_SETTING => {}
                applied => applied?,
            }
        }
        let function_context = StatementContext {
            server: self.session.server_context(),
            now: outer.now(),
            time_zone: outer.time_zone(),
            database: outer.database().to_string(),
            user: outer.user().to_string(),
            seed: outer.seed(),
            settings,
        };
        let settings = analyze_settings(&function_context.settings, &self.session.parameters)?;
        Ok(Some(Environment { settings, context: Box::new(function_context) }))
    }
}

impl Catalog for SessionCatalog<'_> {
    fn table(&self, database: Option<&str>, table: &str) -> Result<Arc<dyn Table>> {
        Ok(Arc::clone(&self.entry_or_file(database, table)?.table))
    }

    fn table_names(&self, database: &str) -> Result<Vec<String>> {
        let tables = self.catalog.tables(database)?;
        let mut names: Vec<String> = tables.iter().map(|(name, _)| name.to_string()).collect();
        names.sort();
        Ok(names)
    }

    fn reads(&self, table: &str, columns: &mut dyn Iterator<Item = &str>) {
        if let Some(log_entry) = self.log_entry {
            columns.for_each(|column| log_entry.column(table, column));
        }
    }

    fn explain(&self, statement: &str) -> Result<Arc<dyn Table>> {
        self.session.explain_table(statement)
    }

    fn table_function(&self, name: &str, args: &[Value]) -> Result<Arc<dyn Table>> {
        events::one(Event::TableFunctionExecute);
        let function_context = TableFunctionContext {
            files: Arc::clone(self.files),
            time_zone: self.time_zone,
            truncate_files: self.settings.flag(settings::TRUNCATE_FILES),
            new_files: self.settings.flag(settings::NEW_FILES),
            empty_if_missing: self.settings.flag(settings::EMPTY_IF_MISSING),
            hive_partitioning: self.settings.flag(settings::HIVE_PARTITIONING),
            format: &|| settings::formats::options(self.settings, self.time_zone),
        };
        (table_function(name)?.build)(args, &function_context)
    }
}
