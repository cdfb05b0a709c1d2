//! BACKUP and RESTORE.
//!
//! A backup holds one state of the catalog and of the store ([`crate::catalog::pinned`]): of each
//! object its definition, of tables that consist of parts the files of these parts, and of other
//! tables with rows these rows. `entasis_backup` says how files become a backup.
//!
//! [`select`] finds what a statement names, [`write`] writes it, [`restore`] reads it. RESTORE
//! prepares everything under temporary names, checks every byte, and then makes all of it visible
//! in one record of the commit log. `docs/backup.md` describes what users see.

pub(crate) mod check;
mod definitions;
mod location;
mod plan;
mod restore;
mod rows;
mod select;
mod settings;
mod write;

use std::sync::Arc;

use entasis_backup::{BackupReader, Location, Totals};
use entasis_base::{CancelToken, Error, Result, codes, message};
use entasis_pipeline::Progress;
use entasis_sql::ast;

pub use location::BackupAccess;

use crate::catalog::backups::{Operation, Status};
use crate::process::NewProcess;
use crate::process::kind::QueryKind;
use crate::process::new_query_id;
use crate::statement::show::table;
use crate::{QueryOptions, QueryResult, Session};
use location::{Places, shown};
use settings::BackupSettings;

/// The answer of a statement.
fn answer(id: &str, status: Status) -> QueryResult {
    table(&[("id", vec![id.to_owned()]), ("status", vec![status.name().to_owned()])])
}

impl Session {
    /// BACKUP and RESTORE.
    pub(crate) fn backup_statement(
        &mut self,
        backup: &ast::Backup,
        options: QueryOptions,
    ) -> Result<QueryResult> {
        let settings = BackupSettings::new(backup)?;
        let id = settings.id.clone().unwrap_or_else(new_query_id);
        let status = if backup.restore { Status::Restoring } else { Status::Creating };
        let query_id = options.process.as_ref().map(|process| process.query_id.clone());
        let engine = Arc::clone(&self.engine);
        engine.catalog.backups().begin(Operation {
            id: id.clone(),
            name: shown(&backup.location),
            base: settings.base.as_ref().map(shown).unwrap_or_default(),
            query_id: query_id.unwrap_or_default(),
            status,
            error: String::new(),
            began: engine.clock.now(),
            ended: None,
            totals: Totals::default(),
            read: (0, 0),
            settings: settings.given.clone(),
        })?;
        self.log_backup(&id);
        if settings.is_async {
            self.in_background(backup.clone(), settings, id.clone())?;
            return Ok(answer(&id, status));
        }
        let status = self.run_backup(backup, &settings, &id, &options)?;
        Ok(answer(&id, status))
    }

    /// Does the work of a statement, and notes how it ended.
    fn run_backup(
        &mut self,
        backup: &ast::Backup,
        settings: &BackupSettings,
        id: &str,
        options: &QueryOptions,
    ) -> Result<Status> {
        let engine = Arc::clone(&self.engine);
        let done = match backup.restore {
            true => self.restore_backup(backup, settings, id, options),
            false => self.write_backup(backup, settings, id, options),
        };
        let cancelled = done.as_ref().is_err_and(|e| e.code() == codes::QUERY_WAS_CANCELLED);
        let status = match (backup.restore, &done, cancelled) {
            (false, Ok(()), _) => Status::Created,
            (false, Err(_), false) => Status::Failed,
            (false, Err(_), true) => Status::Cancelled,
            (true, Ok(()), _) => Status::Restored,
            (true, Err(_), false) => Status::RestoreFailed,
            (true, Err(_), true) => Status::RestoreCancelled,
        };
        engine.catalog.backups().update(id, |operation| {
            operation.status = status;
            operation.ended = Some(engine.clock.now());
            operation.error = done.as_ref().err().map(Error::to_string).unwrap_or_default();
        });
        self.log_backup(id);
        done.map(|()| status)
    }

    /// Adds a row to `system.backup_log`.
    fn log_backup(&self, id: &str) {
        let operation = self.engine.catalog.backups().get(id);
        if let (Some(logs), Some(operation)) = (self.engine.logs(), operation) {
            logs.backup(operation);
        }
    }

    /// Runs a statement in a thread of its own, as an entry of the list of running statements.
    fn in_background(
        &self,
        backup: ast::Backup,
        settings: BackupSettings,
        id: String,
    ) -> Result<()> {
        let engine = Arc::clone(&self.engine);
        let mut session = engine.session();
        session.take(self.settings.clone());
        session.set_user(&self.user);
        session.use_database(&self.database)?;
        let work = move || {
            let done = session.background_backup(&backup, &settings, &id);
            if let Err(e) = done {
                message!(Error, "Backup", "{}: {}", id, e);
                let failed = if backup.restore { Status::RestoreFailed } else { Status::Failed };
                engine.catalog.backups().update(&id, |operation| {
                    if operation.ended.is_none() {
                        operation.status = failed;
                        operation.ended = Some(engine.clock.now());
                        operation.error = e.to_string();
                    }
                });
            }
        };
        let thread = std::thread::Builder::new().name("backup".into()).spawn(work);
        thread.map(drop).map_err(Error::from)
    }

    fn background_backup(
        &mut self,
        backup: &ast::Backup,
        settings: &BackupSettings,
        id: &str,
    ) -> Result<()> {
        let engine = Arc::clone(&self.engine);
        let (cancel, progress) = (CancelToken::new(), Arc::new(Progress::default()));
        let kind = if backup.restore { QueryKind::Restore } else { QueryKind::Backup };
        let query = format!("{} {}", kind.name().to_uppercase(), shown(&backup.location));
        let running = engine.processes.start(NewProcess {
            query_id: "",
            user: &self.user.clone(),
            address: "",
            database: &self.database.clone(),
            query: &query,
            kind,
            cancel: &cancel,
            progress: &progress,
            memory: engine.processes.memory_of(&self.user),
            replaces: None,
        })?;
        let process = Arc::clone(running.process());
        engine.catalog.backups().update(id, |o| o.query_id.clone_from(&process.query_id));
        let mut scope = process.scope().attached();
        let process = Some(process);
        let options = QueryOptions { cancel, progress, process, ..QueryOptions::default() };
        let run = || {
            self.limit(&self.settings.clone(), &options)?;
            self.run_backup(backup, settings, id, &options)
        };
        entasis_pipeline::run(&mut scope, run).map(drop)
    }

    /// The location that a statement names; `None` for `Null`.
    fn backup_location(&self, place: &ast::Expr, create: bool) -> Result<Option<Location>> {
        let engine = &self.engine;
        let store = engine.catalog.store().disk();
        let backups = engine.catalog.backups();
        let read_only = engine.catalog.is_read_only();
        Places { access: &engine.backups, store, read_only, backups }.resolve(place, create)
    }

    /// Opens a backup, and those that it is based on. `base` is where the first of these is now.
    fn open_backup(
        &self,
        place: &ast::Expr,
        base: Option<&ast::Expr>,
    ) -> Result<Arc<BackupReader>> {
        let location = self.backup_location(place, false)?;
        let location = location.ok_or_else(|| Error::logical("a place that keeps nothing"))?;
        let base_of = |known: &str| match base {
            Some(base) => self.open_backup(base, None),
            None => self.open_backup(&entasis_sql::parse_expression(known)?, None),
        };
        BackupReader::open(&location, &base_of).map(Arc::new)
    }
}
