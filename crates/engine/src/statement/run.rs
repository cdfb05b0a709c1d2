//! Runs a statement in a session: enters it in the list of running statements, applies its
//! settings, and calls the method that does its work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes, scope};
use entasis_format::{FormatOptions, Statistics, StatisticsSource};
use entasis_sql::Parsed;
use entasis_sql::ast::{Statement, StatementKind};

use super::cluster::refuse_cluster;
use super::set::{brought_by, parameter_not_set};
use super::{outfile, unsupported};
use crate::logs::log_entry::QueryLogEntry;
use crate::process::NewProcess;
use crate::process::kind::{brings_settings, changes_schema, kind_of, name_of};
use crate::session::note;
use crate::{QueryOptions, QueryResult, Session, settings};

impl Session {
    /// Runs a statement. Only the data of an INSERT may follow it in `text`.
    pub fn execute(&mut self, text: &str) -> Result<QueryResult> {
        self.execute_with(text, QueryOptions::default())
    }

    /// [`Session::execute`] with options from the caller.
    pub fn execute_with(&mut self, text: &str, options: QueryOptions) -> Result<QueryResult> {
        let parsed = self.parse(text, 0)?.ok_or_else(|| {
            Error::new(codes::SYNTAX_ERROR, "Empty query: write a statement such as SELECT 1")
        })?;
        self.run(text, &parsed, options)
    }

    /// Runs a parsed statement of `script`. A panic inside is a bug in Entasis: it is answered as
    /// LOGICAL_ERROR, and other statements go on.
    pub fn run(
        &mut self,
        script: &str,
        parsed: &Parsed,
        options: QueryOptions,
    ) -> Result<QueryResult> {
        let data = parsed.data.clone().map(|range| &script.as_bytes()[range]);
        let unset = parsed.unset.clone();
        let run = |session: &mut Self, options| {
            unset.map_or(Ok(()), |parameter| Err(parameter_not_set(&parameter)))?;
            let changes = brought_by(&parsed.statement)?;
            session.with_settings(&changes, |session| {
                session.dispatch(&parsed.statement, data, options)
            })
        };
        self.tracked(script, parsed, options, run)
    }

    /// Does the work of a statement while it is in the list of running statements.
    pub(crate) fn tracked(
        &mut self,
        script: &str,
        parsed: &Parsed,
        options: QueryOptions,
        work: impl FnOnce(&mut Self, QueryOptions) -> Result<QueryResult>,
    ) -> Result<QueryResult> {
        let end = parsed.data.as_ref().map_or(parsed.range.end, |data| data.start);
        let running = self.engine.processes.start(NewProcess {
            query_id: &options.query_id,
            user: &self.user,
            address: &options.address,
            database: &self.database,
            query: &script[parsed.range.start..end],
            kind: kind_of(&parsed.statement.kind),
            cancel: &options.cancel,
            progress: &options.progress,
            memory: self.engine.processes.memory_of(&self.user),
            replaces: self.replaces(&parsed.statement)?,
        })?;
        if let Some(logs) = self.engine.logs() {
            let log_entry =
                QueryLogEntry::new(logs, running.process(), &self.settings, options.client.clone());
            if let Some((from, to)) = *lock(&self.parsing) {
                log_entry.phase("parse", from, to);
            }
            running.process().tell(Arc::clone(&log_entry) as _);
            self.log_entry = Some(log_entry);
        }
        let options = QueryOptions { process: Some(Arc::clone(running.process())), ..options };
        let mut scope = running.process().scope().attached();
        if let Some(log_entry) = QueryLogEntry::of(running.process()) {
            log_entry.settings(&self.settings, running.process().events());
        }
        let work = || entasis_pipeline::run(&mut scope, || work(self, options));
        let done = catch_unwind(AssertUnwindSafe(work));
        let done = done.unwrap_or_else(|panic| Err(scope::caught(panic)));
        self.log_entry = None;
        let mut result = done
            .map_err(|e| e.during("the statement"))
            .inspect_err(|e| running.process().fail(e))?;
        if let Some(format) = &parsed.statement.output.format {
            if let Some(log_entry) = QueryLogEntry::of(running.process()) {
                log_entry.format(format.as_str());
            }
            result.format = Some(format.as_str().to_string());
        }
        Ok(QueryResult { running: Some(running), scope: Some(scope), ..result })
    }

    fn dispatch(
        &mut self,
        statement: &Statement,
        data: Option<&[u8]>,
        mut options: QueryOptions,
    ) -> Result<QueryResult> {
        let nothing = |()| QueryResult::nothing();
        if let Some(process) = &options.process {
            process.begin();
        }
        self.check_readonly(&statement.kind)?;
        refuse_cluster(&statement.kind)?;
        if !brings_settings(&statement.kind) {
            self.limit(&self.settings, &options)?;
            note(&options, QueryLogEntry::start);
        }
        if statement.output.outfile.is_some() && !options.allows_outfile {
            return Err(outfile::not_allowed());
        }
        match &statement.kind {
            StatementKind::Query(query) => self.select(query, &statement.output.settings, options),
            StatementKind::Insert(insert) => {
                self.keep_input(insert, &statement.output, data, &mut options);
                let done = self.insert(insert, data, options).map(nothing);
                *lock(&self.input_data) = None;
                done
            }
            StatementKind::Explain(explain) => self.explain(explain, &options),
            StatementKind::Compare(compare) => {
                self.compare(compare, &statement.output.settings, &options)
            }
            StatementKind::CreateDatabase(create) => self.create_database(create).map(nothing),
            StatementKind::CreateDictionary(create) => self.create_dictionary(create).map(nothing),
            StatementKind::CreateTable(create) => self.create_table(create, options).map(nothing),
            StatementKind::CreateView(create) => self.create_view(create, options).map(nothing),
            StatementKind::CreateFunction(create) => self.create_function(create).map(nothing),
            StatementKind::AlterDatabase { name, change } => {
                self.engine.catalog.alter_database(name.as_str(), change).map(nothing)
            }
            StatementKind::Backup(backup) => self.backup_statement(backup, options),
            StatementKind::Attach(attach) => self.attach(attach).map(nothing),
            StatementKind::Check { table, partition } => {
                self.check(table, partition.as_ref(), &statement.output.settings)
            }
            StatementKind::Alter(alter) => self.alter(alter, &options).map(nothing),
            StatementKind::Delete(delete) => self.delete(delete, &options).map(nothing),
            StatementKind::Update(update) => self.update(update, &options).map(nothing),
            StatementKind::Drop(drop) => self.drop_object(drop).map(nothing),
            StatementKind::Rename(rename) => self.rename(rename).map(nothing),
            StatementKind::Truncate(truncate) => self.truncate(truncate).map(nothing),
            StatementKind::Optimize(optimize) => self.optimize(optimize, &options).map(nothing),
            StatementKind::Show(show) => self.show(show, options),
            StatementKind::Describe(describe) => {
                self.describe(&describe.table, &statement.output.settings)
            }
            StatementKind::Exists { object, temporary, name } => {
                self.exists(*object, *temporary, name)
            }
            StatementKind::Set(changes) => self.set_all(changes).map(nothing),
            StatementKind::Use(name) => self.use_database(name.as_str()).map(nothing),
            StatementKind::System(system) => self.system(system).map(nothing),
            StatementKind::Kill { mutation, where_clause, mode } => {
                self.kill(*mutation, where_clause, *mode, &options)
            }
            StatementKind::Unsupported(unsupported) => Err(unsupported::refused(unsupported)),
            StatementKind::Transaction(_) => {
                Err(Error::not_implemented(format!("Statement {}", name_of(&statement.kind))))
            }
        }
    }

    fn check_readonly(&self, kind: &StatementKind) -> Result<()> {
        if changes_schema(kind) && !self.settings.flag(settings::ALLOW_DDL) {
            let message = format!(
                "Cannot execute query. DDL queries are prohibited for the user {}: allow_ddl is 0",
                self.user
            );
            return Err(Error::new(codes::QUERY_IS_PROHIBITED, message));
        }
        let level = self.settings.u64(settings::READONLY);
        let reads = matches!(
            kind,
            StatementKind::Query(_)
                | StatementKind::Explain(_)
                | StatementKind::Compare(_)
                | StatementKind::Show(_)
                | StatementKind::Describe(_)
                | StatementKind::Exists { .. }
                | StatementKind::Use(_)
        );
        let is_of_session =
            || matches!(kind, StatementKind::Set(_)) || self.changes_only_temporary(kind);
        if level == 0 || reads || level == 2 && is_of_session() {
            return Ok(());
        }
        let message = format!("Cannot execute {} in readonly mode", name_of(kind));
        Err(Error::new(codes::READONLY, message))
    }

    /// Options for writing a result: from the statement's settings, else from the session's.
    pub fn output_options(&self, result: &QueryResult) -> FormatOptions {
        let settings = result.settings.as_ref().unwrap_or(&self.settings);
        let mut options = self.format_options(settings);
        if settings.flag(settings::WRITE_STATISTICS) {
            let (began, progress) = (Instant::now(), Arc::clone(&result.progress));
            options.statistics = Some(StatisticsSource::new(move || {
                let (rows_read, bytes_read, _) = progress.get();
                let elapsed = began.elapsed().as_secs_f64();
                Statistics { elapsed, rows_read, bytes_read }
            }));
        }
        options
    }
}
