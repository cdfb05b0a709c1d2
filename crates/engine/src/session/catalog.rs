//! The catalog as one session sees it: with a current database, temporary tables, access to files,
//! and tables whose contents depend on the user.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use entasis_analyze::{Environment, QueryCatalog, Relation, View};
use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_disk::UserFiles;
use entasis_function::FunctionContext;
use entasis_sql::ast;
use entasis_table_api::{Catalog, PinnedStores, Table};
use entasis_tables::looped::Looped;
use entasis_tables::states::NoSession;
use entasis_tables::{TableFunctionContext, table_function};
use entasis_types::{TimeZone, Value};

use crate::catalog::own_rows;
use crate::catalog::target_columns::TargetColumns;
use crate::catalog::{EngineCatalog, Entry, SYSTEM, StatementState};
use crate::definition::view::ViewDefinition;
use crate::engines::called::CalledTable;
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
    /// What the statement sees, from the moment in which it first named a table.
    pub(crate) pinned: OnceLock<StatementState>,
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

    fn state(&self) -> &StatementState {
        self.pinned.get_or_init(|| self.catalog.statement_state())
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
                let entry = self.state().entry(database, table)?;
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

impl SessionCatalog<'_> {
    /// The rows that stand for a table, if this is the table.
    fn replaced(&self, database: Option<&str>, name: &str) -> Option<Arc<dyn Table>> {
        let (source, rows) = self.session.replaced.as_ref()?;
        let is_it = source.1 == name && source.0 == database.unwrap_or(self.database);
        is_it.then(|| Arc::clone(rows))
    }

    /// The rows of a materialised view: those of its target, under the columns of the view.
    fn materialized(
        &self,
        definition: &ViewDefinition,
        database: &str,
        name: &str,
    ) -> Result<Relation> {
        let own = definition.materialized.as_ref();
        let to = own.map(|own| own.target(database)).unwrap_or_default();
        let target = self.shared_entry(&to.0, &to.1)?;
        let schema = &definition.view.schema;
        if let Some(table) = TargetColumns::table(schema, &target.table) {
            return Ok(Relation::Table(table));
        }
        // Columns of other types, or columns that the target computes, are read by a query.
        let columns = schema.stored().iter().map(|c| entasis_sql::format_ident(&c.name));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let [database, table] = [&to.0, &to.1].map(|name| entasis_sql::format_ident(name));
        let query = format!("SELECT {columns} FROM {database}.{table}");
        let query = entasis_sql::parse_query(&query)
            .map_err(|e| e.context(format!("The columns of the view {name}")))?;
        let (query, schema) = (Arc::new(query), Arc::clone(schema));
        let supports_final = Some(target.table.supports_final());
        let view = View { query, schema, parameters: Vec::new(), supports_final };
        Ok(Relation::View(Arc::new(view)))
    }
}

impl SessionCatalog<'_> {
    /// The table that `dictionary('name')` stands for.
    fn dictionary_table(&self, args: &[Value]) -> Result<Arc<dyn Table>> {
        let name = match args {
            [Value::String(name)] => String::from_utf8_lossy(name).into_owned(),
            _ => {
                let message = "Table function 'dictionary' requires exactly one argument, the name \
                               of a dictionary";
                return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
            }
        };
        let (database, table) = name.split_once('.').unwrap_or((self.database, &name));
        let entry = self.entry(Some(database), table);
        let found = entry.ok();
        let rows = found.as_ref().and_then(|entry| Some((entry.dictionary()?, &entry.table)));
        let (handle, own) = rows.ok_or_else(|| {
            Error::new(codes::BAD_ARGUMENTS, format!("Dictionary (`{name}`) not found"))
        })?;
        Ok(crate::dictionary::table::rows_of(handle, own))
    }
}

impl QueryCatalog for SessionCatalog<'_> {
    fn stores(&self) -> Option<&PinnedStores> {
        Some(&self.state().stores)
    }

    fn relation(&self, database: Option<&str>, name: &str) -> Result<Relation> {
        if let Some(rows) = self.replaced(database, name) {
            return Ok(Relation::Table(rows));
        }
        let entry = self.entry_or_file(database, name)?;
        Ok(match &entry.view {
            Some(definition) if definition.materialized.is_some() => {
                self.materialized(definition, database.unwrap_or(self.database), name)?
            }
            Some(definition) => Relation::View(Arc::clone(&definition.view)),
            None => match CalledTable::of(&*entry.table) {
                Some(called) => Relation::View(Arc::clone(&called.view)),
                None => Relation::Table(Arc::clone(&entry.table)),
            },
        })
    }

    fn view_with_parameters(&self, database: Option<&str>, name: &str) -> Option<Arc<View>> {
        let database = database.unwrap_or(self.database);
        let entry = self.state().entry(database, name).ok()?;
        let view = entry.view.as_ref().filter(|view| !view.view.parameters.is_empty())?;
        Some(Arc::clone(&view.view))
    }

    fn sql_function(&self, name: &str) -> Option<Arc<ast::Lambda>> {
        let function = self.catalog.sql_functions().get(name).cloned()?;
        Some(Arc::clone(&function.lambda))
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
        Ok(Some(Environment { settings, context: Some(Box::new(function_context)) }))
    }
}

impl Catalog for SessionCatalog<'_> {
    fn table(&self, database: Option<&str>, table: &str) -> Result<Arc<dyn Table>> {
        if let Some(rows) = self.replaced(database, table) {
            return Ok(rows);
        }
        Ok(Arc::clone(&self.entry_or_file(database, table)?.table))
    }

    fn table_names(&self, database: &str) -> Result<Vec<String>> {
        let tables = self.catalog.tables(database)?;
        let mut names: Vec<String> = tables.iter().map(|(name, _)| name.to_string()).collect();
        names.sort();
        Ok(names)
    }

    fn database_names(&self) -> Result<Vec<String>> {
        Ok(self.catalog.database_names().iter().map(ToString::to_string).collect())
    }

    fn looped(&self, table: Arc<dyn Table>) -> Result<Arc<dyn Table>> {
        Ok(Looped::new(table))
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
        if name == "input" {
            return self.session.input_table(args, self.settings);
        }
        if name == "dictionary" {
            return self.dictionary_table(args);
        }
        if name == "mergeTreeProjection" {
            return self.projection_rows(args);
        }
        if name == "mergeTreeIndex" {
            return self.index_rows(args);
        }
        let function_context = TableFunctionContext {
            files: Arc::clone(self.files),
            time_zone: self.time_zone,
            truncate_files: self.settings.flag(settings::TRUNCATE_FILES),
            new_files: self.settings.flag(settings::NEW_FILES),
            skip_empty: self.settings.flag(settings::SKIP_EMPTY_FILES),
            empty_if_missing: self.settings.flag(settings::EMPTY_IF_MISSING),
            hive_partitioning: self.settings.flag(settings::HIVE_PARTITIONING),
            web: Arc::clone(&self.session.engine.web),
            web_options: &|| settings::web::options(self.settings),
            format: &|| settings::formats::options(self.settings, self.time_zone),
        };
        (table_function(name)?.build)(args, &function_context)
    }
}
