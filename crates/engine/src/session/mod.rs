//! A session: one user's current database and settings; and the way of a statement through it.

mod catalog;
mod context;

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
use entasis_table::{Catalog, Table};
use entasis_tables::input::InputTable;
use entasis_tables::values::parse_structure;
use entasis_types::TimeZone;

use crate::logs::notes::Notes;
use crate::process::Process;
use crate::settings::facts::{QueryFacts, ServerFacts};
use crate::{Client, Engine, Settings, settings};
use catalog::SessionCatalog;

/// Standard input or a request's body: rows of an INSERT that follow the statement's own text.
pub type Input = Box<dyn Read + Send>;

/// What a caller brings to one statement.
#[derive(Default)]
pub struct QueryOptions {
    /// More data behind the INSERT's text.
    pub input: Option<Input>,
    /// The text was cut somewhere within the data, and `input` is the rest.
    pub input_continues: bool,
    /// The statement's id; one is made up if empty.
    pub query_id: String,
    /// Where it comes from, for the list of statements that run.
    pub address: String,
    /// What else its request said, for the logs.
    pub client: Option<Arc<Client>>,
    /// Ends the query from outside.
    pub cancel: CancelToken,
    /// Where to watch progress.
    pub progress: Arc<Progress>,
    /// The statement's entry in the list of those that run; the session fills it in.
    pub process: Option<Arc<Process>>,
    /// Whether the caller's files are this machine's: it writes the one of INTO OUTFILE, and those
    /// of FROM INFILE are read. Else the clauses are refused.
    pub allows_outfile: bool,
}

/// One user's state. Statements of a session run one after the other.
pub struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) database: String,
    pub(crate) user: String,
    pub(crate) settings: Settings,
    pub(crate) temporary: HashMap<String, Arc<dyn Table>>,
    /// Whether the logs show this session its own user's statements only.
    restricted: bool,
    /// Those of them that a caller has added.
    inputs: Vec<String>,
    /// Of the statement that is being started, where it is logged.
    pub(crate) notes: Option<Arc<Notes>>,
    /// When the last text was parsed: before there is a statement to note it for.
    pub(crate) parsing: Mutex<Option<(Instant, Instant)>>,
    /// Values of `{name:Type}`.
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
            notes: None,
            parsing: Mutex::default(),
            parameters: Vec::new(),
        }
    }

    /// The session's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes a setting of the session.
    pub fn set(&mut self, name: &str, value: &entasis_types::Value) -> Result<()> {
        let mut settings = self.settings.clone();
        settings.change(name, Some(value))?;
        self.take(settings);
        Ok(())
    }

    /// Makes settings the session's.
    pub(crate) fn take(&mut self, settings: Settings) {
        let portable = settings::FORCE_PORTABLE_KERNELS;
        if settings.is_changed(portable) {
            entasis_simd::force_portable(settings.flag(portable));
        }
        self.settings = settings;
    }

    /// [`Session::set`] from text, as on a command line or in a URL.
    pub fn set_text(&mut self, name: &str, value: &str) -> Result<()> {
        self.set(name, &entasis_types::Value::from(value))
    }

    /// Adds rows of a format as a table that only this session sees and that is read once. Without
    /// a structure (`name Type, ...`) the columns are guessed from the first bytes.
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
        let table = InputTable::new(format, &header, input, Vec::new())?;
        self.temporary.insert(name.to_string(), table);
        self.inputs.push(name.to_string());
        Ok(())
    }

    /// Adds a file as a table that only this session sees. What is not given is found out.
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
        self.temporary.insert(name.to_string(), table);
        Ok(())
    }

    /// Drops the tables that [`Self::add_input`] has added.
    pub fn forget_inputs(&mut self) {
        for name in self.inputs.drain(..) {
            self.temporary.remove(&name);
        }
    }

    /// The name that `currentUser()` answers.
    pub fn set_user(&mut self, name: &str) {
        self.user = name.to_string();
    }

    /// From now on the logs and the list of processes show this user's own statements only.
    pub fn restrict(&mut self) {
        self.restricted = true;
    }

    /// Takes settings over from another session.
    pub fn restore(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// The current database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Changes the current database. Fails if there is none of that name.
    pub fn use_database(&mut self, name: &str) -> Result<()> {
        if !self.engine.catalog.has_database(name) {
            return Err(crate::catalog::unknown_database(name));
        }
        self.database = name.to_string();
        Ok(())
    }

    /// The statement of a script at `offset`; `None` at the end.
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

    fn server_facts(&self) -> ServerFacts {
        let (time_zone, clock) = (self.engine.time_zone, Arc::clone(&self.engine.clock));
        ServerFacts { time_zone, clock }
    }

    pub(crate) fn facts(&self, settings: &Settings) -> QueryFacts {
        QueryFacts {
            server: self.server_facts(),
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

    /// The catalog for a statement with settings of its own.
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
            notes: self.notes.as_deref(),
            settings,
            restricted_to: self.restricted.then_some(self.user.as_str()),
        }
    }

    /// A phase of the statement at hand that began at `began` is over.
    pub(crate) fn phase(&self, name: &'static str, began: Instant) {
        if let Some(notes) = &self.notes {
            notes.phase(name, began, Instant::now());
        }
    }

    /// Options of formats as settings say.
    pub(crate) fn format_options(&self, settings: &Settings) -> FormatOptions {
        settings::formats::options(settings, self.time_zone(settings))
    }
}

/// Tells the log of statements something, where one is kept.
pub(crate) fn note(options: &QueryOptions, tell: impl FnOnce(&Arc<Notes>)) {
    if let Some(notes) = options.process.as_ref().and_then(|process| Notes::of(process)) {
        tell(&notes);
    }
}
