//! A session: the current database and settings of one user, and how it handles a statement.

mod catalog;
mod context;
pub(crate) mod index_rows;
mod input_data;

use std::collections::HashMap;
use std::io::Read;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use entasis_base::events::{self, Event};

use entasis_base::sync::lock;
use entasis_base::{CancelToken, Error, Result, codes, message};
use entasis_format::FormatOptions;
use entasis_pipeline::Progress;
use entasis_sql::ast;
use entasis_sql::{ParseOptions, Parsed};
use entasis_table_api::{Catalog, Table};
use entasis_tables::input::InputTable;
use entasis_tables::values::parse_structure;
use entasis_types::TimeZone;

use crate::catalog::Entry;
use crate::definition::view::Name;
use crate::logs::log_entry::QueryLogEntry;
use crate::process::Process;
use crate::settings::function_context::{ServerContext, StatementContext};
use crate::{Client, Engine, Settings, settings};
use catalog::SessionCatalog;
use input_data::InputData;

/// Standard input or the body of a request: rows of an INSERT that follow the statement's text.
pub type Input = Box<dyn Read + Send>;

/// What a caller provides for one statement.
#[derive(Default)]
pub struct QueryOptions {
    /// Further data of an INSERT behind its text.
    pub input: Option<Input>,
    /// Whether the text was cut somewhere within the data, so that `input` is its rest.
    pub input_continues: bool,
    /// The statement's id; if it is empty, a new id is made.
    pub query_id: String,
    /// Address of the client, for the list of running statements.
    pub address: String,
    /// What the request said besides, for the logs.
    pub client: Option<Arc<Client>>,
    /// Cancels the statement when the caller uses it.
    pub cancel: CancelToken,
    /// Counts what the statement reads; the caller can watch it.
    pub progress: Arc<Progress>,
    /// The statement's entry in the list of running statements; the session sets it.
    pub process: Option<Arc<Process>>,
    /// Whether the caller's files are those of this machine: the caller then writes the file of
    /// INTO OUTFILE, and files of FROM INFILE are read. If not, both clauses are refused.
    pub allows_outfile: bool,
}

/// The state of one user. The statements of a session run one after the other.
pub struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) database: String,
    pub(crate) user: String,
    pub(crate) settings: Settings,
    /// Tables that only this session sees: temporary ones, and data that came along.
    pub(crate) temporary: HashMap<String, Arc<Entry>>,
    /// Whether the session may see only its own user's statements in the logs.
    restricted: bool,
    /// Names of the temporary tables that [`Self::add_input`] has added.
    inputs: Vec<String>,
    /// Notes on the statement that is being started; `None` if it is not logged.
    pub(crate) log_entry: Option<Arc<QueryLogEntry>>,
    /// When the last text was parsed, begin and end. Parsing precedes the statement's notes.
    pub(crate) parsing: Mutex<Option<(Instant, Instant)>>,
    /// Rows that stand for a table while a view's query runs over the rows of an INSERT.
    pub(crate) replaced: Option<(Name, Arc<dyn Table>)>,
    /// The data of the INSERT that runs, for the table function `input`.
    pub(crate) input_data: Mutex<Option<InputData>>,
    /// Values of query parameters, for `{name:Type}`.
    pub parameters: Vec<(String, String)>,
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self {
            engine,
            database: "default".to_string(),
            user: "default".to_string(),
            settings: Settings::default(),
            temporary: HashMap::new(),
            restricted: false,
            inputs: Vec::new(),
            log_entry: None,
            parsing: Mutex::default(),
            replaced: None,
            input_data: Mutex::default(),
            parameters: Vec::new(),
        }
    }

    /// The session's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes a setting of the session by name.
    pub fn set(&mut self, name: &str, value: &entasis_types::Value) -> Result<()> {
        let mut settings = self.settings.clone();
        settings.change(name, Some(value))?;
        self.take(settings);
        Ok(())
    }

    /// Replaces the session's settings, and applies the one that concerns the whole process.
    pub(crate) fn take(&mut self, settings: Settings) {
        let portable = settings::FORCE_PORTABLE_KERNELS;
        if settings.is_changed(portable) {
            entasis_simd::force_portable(settings.flag(portable));
        }
        self.settings = settings;
    }

    /// As [`Session::set`], with the value as text, as on a command line or in a URL.
    pub fn set_text(&mut self, name: &str, value: &str) -> Result<()> {
        self.set(name, &entasis_types::Value::from(value))
    }

    /// Adds data in a format as a table that only this session sees and that can be read once.
    /// Without a structure (`name Type, ...`), the columns are inferred from the first bytes.
    pub fn add_input(
        &mut self,
        name: &str,
        format: &str,
        structure: Option<&str>,
        mut reader: Input,
    ) -> Result<()> {
        let options = self.format_options(&self.settings);
        let header = match structure {
            Some(text) => parse_structure(text)?.header(),
            None => {
                let mut sample = Vec::new();
                let size = entasis_format::sample_size(format);
                reader.by_ref().take(size).read_to_end(&mut sample)?;
                let complete = (sample.len() as u64) < size;
                let header = entasis_format::infer_schema(format, &sample, complete, &options)?;
                reader = Box::new(std::io::Cursor::new(sample).chain(reader));
                header
            }
        };
        let input = entasis_format::input(format, &header, reader, &options)?;
        let table = InputTable::new(format, &header, input, Vec::new(), None)?;
        self.temporary.insert(name.to_string(), Entry::without_definition(table));
        self.inputs.push(name.to_string());
        Ok(())
    }

    /// Adds a file as a table that only this session sees. Format and structure are inferred if
    /// they are not given.
    pub fn add_file(
        &mut self,
        name: &str,
        path: &str,
        format: Option<&str>,
        structure: Option<&str>,
    ) -> Result<()> {
        let args = [path, format.unwrap_or("auto"), structure.unwrap_or("auto")];
        let args = args.map(entasis_types::Value::from);
        let table = self.catalog_view().table_function("file", &args)?;
        self.temporary.insert(name.to_string(), Entry::without_definition(table));
        Ok(())
    }

    /// Removes the tables that [`Self::add_input`] has added.
    pub fn forget_inputs(&mut self) {
        for name in self.inputs.drain(..) {
            self.temporary.remove(&name);
        }
    }

    /// Sets the name that `currentUser()` answers.
    pub fn set_user(&mut self, name: &str) {
        self.user = name.to_string();
    }

    /// From now on the logs and the list of processes show only this user's own statements.
    pub fn restrict(&mut self) {
        self.restricted = true;
    }

    /// Replaces the settings by those of another session.
    pub fn restore(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// The current database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Changes the current database. Fails if there is no such database.
    pub fn use_database(&mut self, name: &str) -> Result<()> {
        if !self.engine.catalog.has_database(name) {
            return Err(crate::catalog::unknown_database(name));
        }
        self.database = name.to_string();
        Ok(())
    }

    /// Parses the next statement of a script at `offset`; `None` at the end of the script.
    pub fn parse(&self, script: &str, offset: usize) -> Result<Option<Parsed>> {
        let max_depth = self.settings.u64(settings::MAX_PARSER_DEPTH) as u32;
        let settings_after_format = self.settings.flag(settings::SETTINGS_AFTER_FORMAT);
        let options = ParseOptions { max_depth, settings_after_format };
        let began = Instant::now();
        let parsed = entasis_sql::next_statement_with(script, offset, options, &self.parameters);
        let parsed = parsed.inspect_err(|error| {
            events::one(Event::FailedQuery);
            self.engine.processes.errors().add(error, "");
            let error = error.to_string();
            let error = entasis_sql::mask_secrets(&error);
            message!(Error, "executeQuery", "{} (in a text that is no statement)", error);
        })?;
        let ended = Instant::now();
        events::add(Event::QueryParseMicroseconds, (ended - began).as_micros() as u64);
        *lock(&self.parsing) = Some((began, ended));
        let size = parsed
            .as_ref()
            .map_or(0, |p| p.data.as_ref().map_or(p.range.end, |data| data.start) - p.range.start);
        let limit = self.settings.u64(settings::MAX_QUERY_SIZE) as usize;
        if limit > 0 && size > limit {
            let message = format!(
                "The query has {size} bytes, max_query_size is {limit}: raise the setting, \
                 or send the data behind INSERT ... FORMAT"
            );
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
        Ok(parsed)
    }

    pub(crate) fn full_name(&self, name: &ast::TableName) -> (String, String) {
        let database = name.database.as_ref().map_or(self.database.as_str(), |d| d.as_str());
        (database.to_string(), name.table.as_str().to_string())
    }

    /// The temporary table that a name stands for, if it has no database and there is one.
    pub(crate) fn temporary_table(&self, name: &ast::TableName) -> Option<&Arc<Entry>> {
        let found = self.temporary.get(name.table.as_str());
        found.filter(|_| name.database.is_none())
    }

    pub(crate) fn server_context(&self) -> ServerContext {
        let (time_zone, clock) = (self.engine.time_zone, Arc::clone(&self.engine.clock));
        let (dictionaries, tables) = (self.engine.dictionaries.clone(), self.engine.tables.clone());
        let (rollups, web) = (self.engine.rollups.clone(), Arc::clone(&self.engine.web));
        ServerContext { time_zone, clock, dictionaries, tables, rollups, web }
    }

    pub(crate) fn function_context(&self, settings: &Settings) -> StatementContext {
        StatementContext {
            server: self.server_context(),
            now: self.engine.clock.now(),
            time_zone: self.time_zone(settings),
            database: self.database.clone(),
            user: self.user.clone(),
            seed: self.engine.queries.fetch_add(1, Ordering::Relaxed),
            settings: settings.clone(),
        }
    }

    fn time_zone(&self, settings: &Settings) -> TimeZone {
        let name = settings.text(settings::SESSION_TIMEZONE);
        if name.is_empty() {
            return self.engine.time_zone;
        }
        TimeZone::get(&name).unwrap_or(self.engine.time_zone)
    }

    pub(crate) fn catalog_view(&self) -> SessionCatalog<'_> {
        self.catalog_view_with(&self.settings)
    }

    /// The catalog for a statement with its own settings.
    pub(crate) fn catalog_view_with<'a>(&'a self, settings: &'a Settings) -> SessionCatalog<'a> {
        SessionCatalog {
            catalog: &self.engine.catalog,
            pinned: OnceLock::new(),
            database: &self.database,
            user: &self.user,
            session: self,
            files: &self.engine.files,
            time_zone: self.time_zone(settings),
            temporary: &self.temporary,
            log_entry: self.log_entry.as_deref(),
            settings,
            restricted_to: self.restricted.then_some(self.user.as_str()),
        }
    }

    /// Notes for the current statement that a phase which began at `began` has ended, and adds its
    /// microseconds to an event.
    pub(crate) fn phase(&self, name: &'static str, event: Event, began: Instant) {
        let ended = Instant::now();
        events::add(event, (ended - began).as_micros() as u64);
        if let Some(log_entry) = &self.log_entry {
            log_entry.phase(name, began, ended);
        }
    }

    /// Options of formats from settings.
    pub(crate) fn format_options(&self, settings: &Settings) -> FormatOptions {
        settings::formats::options(settings, self.time_zone(settings))
    }
}

/// Adds something to the notes of a statement, if it is logged.
pub(crate) fn note(options: &QueryOptions, tell: impl FnOnce(&Arc<QueryLogEntry>)) {
    if let Some(log_entry) = options.process.as_ref().and_then(|process| QueryLogEntry::of(process))
    {
        tell(&log_entry);
    }
}
