//! The thread that refreshes materialised views. It sleeps until the next view is due or a
//! statement rings, and runs one refresh after the other.
//!
//! A refresh fills a new table and puts it in the place of the view's target, in one record of the
//! commit log; with APPEND it inserts into the target. A refresh that fails changes nothing, and
//! its error stays in `system.view_refreshes`. A view that was created without EMPTY is refreshed
//! at once. After a restart views wait for their next time.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use entasis_base::sync::lock;
use entasis_base::{CancelToken, Error, Result, codes, message};
use entasis_mergetree::{Store, TableId};
use entasis_pipeline::Progress;
use entasis_sql::ast::{self, Refresh};

use super::refresh_retries;
use super::refresh_times::{next_time, spread};
use crate::catalog::make::new_table;
use crate::catalog::{Entry, Existing, NewTable};
use crate::definition::view::{Name, ViewDefinition};
use crate::process::NewProcess;
use crate::process::kind::QueryKind;
use crate::statement::insertion::Target;
use crate::{Engine, QueryOptions, Session};

/// A refreshable view.
struct View {
    name: Name,
    id: TableId,
    definition: Arc<ViewDefinition>,
}

impl View {
    fn of(name: Name, entry: &Entry) -> Option<Self> {
        let definition = Arc::clone(entry.view.as_ref()?);
        definition.materialized.as_ref()?.refresh.as_ref()?;
        Some(Self { name, id: entry.id?, definition })
    }

    fn refresh(&self) -> Option<&Refresh> {
        self.definition.materialized.as_ref()?.refresh.as_ref()
    }
}

/// Starts the thread if there are views for it, and makes it look at them again.
pub(crate) fn look_again(engine: &Arc<Engine>) {
    if engine.catalog.is_read_only() {
        return;
    }
    let mut thread = lock(&engine.refresher);
    if thread.is_none() && views(engine).next().is_some() {
        let weak = Arc::downgrade(engine);
        let refreshes = Arc::clone(engine.catalog.refreshes());
        let run = move || {
            while let Some(engine) = weak.upgrade() {
                let until = round(&engine);
                drop(engine);
                if !refreshes.sleep(until) {
                    return;
                }
            }
        };
        // If the thread cannot be started, the next statement about a view tries again.
        *thread = std::thread::Builder::new().name("refreshes".into()).spawn(run).ok();
    }
    drop(thread);
    // So that `system.view_refreshes` tells at once what the thread will find.
    let views: Vec<View> = views(engine).collect();
    for view in &views {
        is_due(engine, view, &views);
    }
    engine.catalog.refreshes().ring();
}

/// Ends the thread.
pub(crate) fn stop(engine: &Engine) {
    engine.catalog.refreshes().close();
    let thread: Option<JoinHandle<()>> = lock(&engine.refresher).take();
    let is_other = |t: &JoinHandle<()>| t.thread().id() != std::thread::current().id();
    // The thread itself may hold the last reference to the engine.
    if let Some(thread) = thread.filter(is_other) {
        let _ = thread.join();
    }
}

/// Tells the thread that a view has been created; `now` if it is to be refreshed at once.
pub(crate) fn created(engine: &Arc<Engine>, name: Name, now: bool) {
    if let Some(id) = engine.catalog.entry(&name.0, &name.1).ok().and_then(|entry| entry.id) {
        engine.catalog.refreshes().with(id, |view| view.requested = now);
    }
    look_again(engine);
}

fn views(engine: &Engine) -> impl Iterator<Item = View> {
    let databases = engine.catalog.database_names().into_iter();
    let tables = databases.flat_map(|database| {
        let tables = engine.catalog.tables(&database).unwrap_or_default();
        tables
            .into_iter()
            .map(move |(name, entry)| View::of((database.to_string(), name.to_string()), &entry))
    });
    tables.flatten().collect::<Vec<_>>().into_iter()
}

/// Refreshes all views that are due; answers when the next one is.
fn round(engine: &Arc<Engine>) -> Option<Instant> {
    let refreshes = Arc::clone(engine.catalog.refreshes());
    refreshes.keep_only(|| views(engine).map(|view| view.id).collect());
    let views: Vec<View> = views(engine).collect();
    let mut ran = true;
    // A refresh may be what another view waits for.
    while std::mem::take(&mut ran) {
        for view in &views {
            ran |= is_due(engine, view, &views) && run(engine, view);
        }
    }
    let now = engine.clock.now();
    let next = views.iter().filter_map(|view| {
        refreshes.with(view.id, |state| state.next.filter(|_| !state.stopped && !state.waits))
    });
    next.min().map(|next| Instant::now() + next.saturating_sub(now))
}

/// Whether a view is to be refreshed now. Decides its next time if that is unknown.
fn is_due(engine: &Engine, view: &View, all: &[View]) -> bool {
    let Some(refresh) = view.refresh() else { return false };
    let refreshes = engine.catalog.refreshes();
    let now = engine.clock.now();
    let name = |other: &ast::TableName| {
        let database = other.database.as_ref().map_or("", |database| database.as_str());
        (database.to_owned(), other.table.name.clone())
    };
    let found: Vec<Option<TableId>> = refresh
        .depends_on
        .iter()
        .map(name)
        .map(|name| all.iter().find(|other| other.name == name).map(|other| other.id))
        .collect();
    let successes: Vec<Option<Duration>> = found
        .iter()
        .flatten()
        .map(|id| refreshes.with(*id, |other| other.last_success.map(|(began, _)| began)))
        .collect();
    refreshes.with(view.id, |state| {
        if state.next.is_none() {
            state.next = Some(next_time(refresh, now) + spread(refresh));
        }
        state.misses_dependency = found.iter().any(Option::is_none);
        state.waits = false;
        if state.stopped {
            return false;
        }
        if state.requested {
            return true;
        }
        if state.retries && state.next.is_some_and(|next| next <= now) {
            return true;
        }
        if state.misses_dependency || state.next.is_some_and(|next| next > now) {
            return false;
        }
        let last = state.last_success.map(|(began, _)| began);
        state.waits = successes.iter().any(|other| *other < last || other.is_none());
        !state.waits
    })
}

/// Runs one refresh and notes its outcome.
fn run(engine: &Arc<Engine>, view: &View) -> bool {
    let refreshes = engine.catalog.refreshes();
    let (cancel, progress) = (CancelToken::new(), Arc::new(Progress::default()));
    let began = engine.clock.now();
    refreshes.with(view.id, |state| {
        (state.requested, state.running) = (false, Some(cancel.clone()));
        state.last_refresh = Some(began);
    });
    // A statement may have changed or renamed the view since `view` was read. Whoever asks for a
    // refresh after such a statement expects the new definition.
    let Some(view) = views(engine).find(|current| current.id == view.id) else {
        refreshes.with(view.id, |state| state.running = None);
        return false;
    };
    let clock = Instant::now();
    let done = refreshed(engine, &view, cancel, &progress);
    let took = clock.elapsed();
    let read = progress.get();
    if let Err(error) = &done {
        message!(Error, "RefreshTask", "View {}.{}: {}", view.name.0, view.name.1, error);
    }
    refreshes.with(view.id, |state| {
        let ended = engine.clock.now();
        (state.running, state.last_refresh, state.read) = (None, Some(ended), read);
        match done {
            Ok(written) => {
                (state.last_success, state.written) = (Some((began, took)), written);
                (state.retry, state.attempts, state.exception) = (0, 0, String::new());
            }
            Err(error) => {
                state.retry += 1;
                // A refresh that a statement has cancelled is not tried again.
                let cancelled = error.code() == codes::QUERY_WAS_CANCELLED;
                state.attempts = if cancelled { 0 } else { state.attempts + 1 };
                state.exception = error.to_string();
            }
        }
        let regular = view.refresh().map(|refresh| next_time(refresh, ended) + spread(refresh));
        let retry =
            view.refresh().and_then(|refresh| refresh_retries::pause(refresh, state.attempts));
        if retry.is_none() {
            state.attempts = 0;
        }
        state.retries = retry.is_some();
        state.next = match retry {
            Some(pause) => Some(ended + pause),
            None => regular,
        };
    });
    true
}

/// Refreshes a view; answers the rows and bytes that were written.
fn refreshed(
    engine: &Arc<Engine>,
    view: &View,
    cancel: CancelToken,
    progress: &Arc<Progress>,
) -> Result<(u64, u64)> {
    let mut session = engine.session();
    session.use_database(&view.name.0)?;
    let query = view.definition.as_select();
    let running = engine.processes.start(NewProcess {
        query_id: "",
        user: "default",
        address: "",
        database: &view.name.0,
        query: &query,
        kind: QueryKind::Insert,
        cancel: &cancel,
        progress,
        memory: engine.processes.memory_of("default"),
        replaces: None,
    })?;
    let process = Arc::clone(running.process());
    let (process_of_options, progress) = (Some(Arc::clone(&process)), Arc::clone(progress));
    let options =
        QueryOptions { cancel, progress, process: process_of_options, ..QueryOptions::default() };
    let mut scope = process.scope().attached();
    entasis_pipeline::run(&mut scope, || session.refresh_view(view, &options))?;
    Ok(process.written.get())
}

impl Session {
    fn refresh_view(&self, view: &View, options: &QueryOptions) -> Result<()> {
        self.limit(&self.settings, options)?;
        let Some(own) = &view.definition.materialized else { return Ok(()) };
        let to = own.target(&view.name.0);
        let target = self.view_target(&to, &format!("{}.{}", view.name.0, view.name.1))?;
        let query = &view.definition.statement().query;
        if view.refresh().is_some_and(|refresh| refresh.append) {
            return self.fill_by_name(&target, query, options);
        }
        let old = self.engine.catalog.entry(&to.0, &to.1)?;
        let Some(definition) = &old.definition else {
            let message = format!("The table {}.{} cannot be refreshed", to.0, to.1);
            return Err(Error::new(codes::NOT_IMPLEMENTED, message));
        };
        let context = self.function_context(&self.settings).in_zone(definition.time_zone);
        let create = ast::CreateTable {
            name: ast::TableName { database: None, table: ast::Ident::new(&to.1) },
            ..definition.statement()
        };
        let make = |store: &Arc<Store>, aside: &dyn Fn() -> String| {
            let entry = new_table(store, &to.0, &aside(), create, &context)?;
            Ok(vec![NewTable::new(&to.1, entry)])
        };
        let catalog = &self.engine.catalog;
        // If the view is dropped meanwhile, its inner table is gone, and there is nothing to
        // replace.
        catalog.create_together(&to.0, Existing::Needed, &to.1, make, |tables| match tables {
            [table, ..] => {
                let target = Target::unseen(&table.entry, &to);
                self.fill_by_name(&target, query, options)?;
                options.cancel.check()
            }
            [] => Ok(()),
        })
    }

    /// SYSTEM REFRESH, WAIT, STOP, START, CANCEL VIEW.
    pub(crate) fn system_view(&self, what: &str, name: &ast::TableName) -> Result<()> {
        let name = self.full_name(name);
        let entry = self.engine.catalog.entry(&name.0, &name.1).ok();
        let view = entry.and_then(|entry| View::of(name.clone(), &entry));
        if view.is_none() && matches!(what, "STOP" | "START") {
            return Ok(()); // as in the reference
        }
        let view = view.ok_or_else(|| {
            let message = format!("Refreshable view {}.{} doesn't exist", name.0, name.1);
            Error::new(codes::BAD_ARGUMENTS, message)
        })?;
        let refreshes = self.engine.catalog.refreshes();
        match what {
            "REFRESH" => refreshes.with(view.id, |state| state.requested = true),
            "STOP" => refreshes.with(view.id, |state| {
                state.stopped = true;
                state.running.iter().for_each(CancelToken::cancel);
            }),
            "START" => refreshes.with(view.id, |state| state.stopped = false),
            "CANCEL" => {
                refreshes.with(view.id, |state| {
                    state.requested = false;
                    state.running.iter().for_each(CancelToken::cancel);
                });
            }
            _ => {
                let error = refreshes.wait(view.id)?;
                if !error.is_empty() {
                    let message = format!("Refresh failed: {error}");
                    return Err(Error::new(codes::REFRESH_FAILED, message));
                }
                return Ok(());
            }
        }
        look_again(&self.engine);
        Ok(())
    }

    /// SYSTEM STOP VIEWS, SYSTEM START VIEWS.
    pub(crate) fn system_views(&self, run: bool) {
        for view in views(&self.engine) {
            self.engine.catalog.refreshes().with(view.id, |state| {
                state.stopped = !run;
                if !run {
                    state.running.iter().for_each(CancelToken::cancel);
                }
            });
        }
        look_again(&self.engine);
    }
}

/// The thread of an engine, if it was started.
pub(crate) type Thread = Option<JoinHandle<()>>;
