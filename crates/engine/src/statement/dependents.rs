//! What an INSERT does for the materialised views over its table.
//!
//! The sink of the INSERT is a tree: the sink of the table, and for each view a [`ViewSink`] that
//! runs the view's query over the pushed rows and writes the result into the sink of the view's
//! target, which may have views itself. All of it is committed with the rows of the table.
//!
//! The names of the tables on the way from the root are remembered, so that views that fill each
//! other in a circle are an error.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_exec::Runtime;
use entasis_pipeline::QueryContext;
use entasis_plan::QueryPlan;
use entasis_sql::ast;
use entasis_table_api::{DefaultKind, Dependent, FanOut, InsertSink, Schema, Table};
use entasis_tables::pushed::PushedRows;

use crate::catalog::triggers::Trigger;
use crate::definition::array_groups;
use crate::definition::constraints::CheckedSink;
use crate::definition::view::Name;
use crate::engines::called::CalledTable;
use crate::logs::log_entry::QueryLogEntry;
use crate::logs::query_views_log::ViewWork;
use crate::statement::insertion::{Target, for_table};
use crate::statement::query::settings_of;
use crate::statement::view_sink::{Bind, BlockSize, Bound, Journal, ViewSink};
use crate::statement::written::CountedSink;
use crate::{QueryOptions, Session, Settings, settings};

/// What the sinks of one INSERT have in common.
pub(super) struct Shared<'a> {
    pub settings: &'a Settings,
    pub options: &'a QueryOptions,
    pub context: &'a QueryContext,
}

impl Session {
    /// The sink for rows of `target`, which also counts and checks them, and fills the views over
    /// the table. `above` are the tables through which the rows come.
    pub(super) fn sink_of(
        &self,
        target: &Target,
        shared: &Shared<'_>,
        above: &[Name],
    ) -> Result<Arc<dyn InsertSink>> {
        let table = &target.table;
        let mut sink = table.insert_once(shared.context, target.repeats.clone())?;
        if let Some(process) = &shared.options.process {
            sink = Arc::new(CountedSink { inner: sink, process: Arc::clone(process) });
        }
        let views = target.full.as_ref().and_then(|full| self.engine.catalog.triggers(full));
        if let (Some(views), Some(full)) = (views, &target.full) {
            let above = [above, std::slice::from_ref(full)].concat();
            let view = |trigger| self.dependent(trigger, target, shared, &above);
            let views: Vec<Option<Dependent>> = views.iter().map(view).collect::<Result<_>>()?;
            sink = FanOut::sink(sink, views.into_iter().flatten().collect());
        }
        let schema = table.schema();
        if !target.checks.is_empty() {
            let checks = target.checks.as_ref();
            let context = self.function_context(shared.settings);
            sink = Arc::new(CheckedSink::new(sink, &target.name, checks, &schema, &context)?);
        }
        Ok(array_groups::checked(sink, &schema))
    }

    /// The sink of a view over the table `source`; `None` if the view's target is gone, and the
    /// settings say that it does not matter.
    fn dependent(
        &self,
        trigger: &Trigger,
        source: &Target,
        shared: &Shared<'_>,
        above: &[Name],
    ) -> Result<Option<Dependent>> {
        let Trigger { view, definition } = trigger;
        let name = format!("{}.{}", view.0, view.1);
        let own = definition.materialized.as_ref();
        let own = own.ok_or_else(|| Error::logical("a view that is not materialised"))?;
        let to = own.target(&view.0);
        if above.contains(&to) {
            return Err(circle(above, &name, &to));
        }
        let ignores_dropped = shared.settings.flag(settings::IGNORE_DROPPED_TARGETS);
        let mut target = match self.view_target(&to, &name) {
            Err(error) if ignores_dropped && error.code() == codes::UNKNOWN_TABLE => {
                return Ok(None);
            }
            target => target?,
        };
        target.repeats = source.repeats.of_dependent();
        let settings = shared.settings;
        let inner = self.sink_of(&target, shared, above)?;
        let mut context = shared.context.clone();
        context.progress = Arc::default();
        if inner.keeps_order() {
            context.max_threads = 1;
        }
        let runtime: Runtime = self.runtime(settings, &context)?;
        let mut settings = settings.clone();
        settings.reset("max_result_rows")?;
        // A worker may drop the sink after the statement has ended, so the sink does not keep the
        // engine.
        let (engine, database, user) =
            (Arc::downgrade(&self.engine), self.database.clone(), self.user.clone());
        let (table, pushed) = (Arc::clone(&source.table), Arc::clone(&own.pushed));
        let source = above.last().cloned().unwrap_or_default();
        let bind: Bind = Box::new(move || {
            let rows = PushedRows::of(&*table);
            let as_table = Arc::clone(&rows) as Arc<dyn Table>;
            let engine = engine.upgrade().ok_or_else(|| {
                Error::new(codes::QUERY_WAS_CANCELLED, "The engine has been closed")
            })?;
            let mut session = engine.session();
            (session.database, session.user) = (database.clone(), user.clone());
            session.settings = settings.clone();
            let plan = session.pushed_plan(&pushed, (&source, as_table), &target)?;
            Ok(Bound { plan, rows })
        });
        let ignores = shared.settings.flag(settings::IGNORE_VIEW_ERRORS);
        let size = block_size(shared.settings);
        let journal = journal(trigger, &to, shared);
        let (running, kept) = ((context, runtime), (ignores, journal));
        let sink = ViewSink::create(name.clone(), inner, bind, running, size, kept)?;
        Ok(Some(Dependent { name, operators: Vec::new(), sink }))
    }

    /// The table that keeps the rows of a view.
    pub(crate) fn view_target(&self, to: &Name, view: &str) -> Result<Target> {
        let entry = self.engine.catalog.entry(&to.0, &to.1).map_err(|_| {
            let message = format!(
                "Target table '{}.{}' of view '{view}' doesn't exists: create it, or drop the view",
                to.0, to.1
            );
            Error::new(codes::UNKNOWN_TABLE, message)
        })?;
        self.engine.catalog.check_usable(&entry)?;
        if CalledTable::of(&*entry.table).is_some() {
            let name = ast::TableName {
                database: Some(ast::Ident::new(&*to.0)),
                table: ast::Ident::new(&*to.1),
            };
            let target = ast::InsertTarget::Table(name);
            return self.insert_target(&target, None, &self.settings);
        }
        Ok(Target::of_entry(&entry, to.0.clone(), to.1.clone()))
    }

    /// A session of the same user with these settings, which lives as long as the work of a
    /// statement.
    pub(crate) fn detached(&self, settings: Settings) -> Self {
        let mut session = self.engine.session();
        session.database.clone_from(&self.database);
        session.user.clone_from(&self.user);
        session.settings = settings;
        session
    }

    /// Plans the query of a view over rows that stand for its source, up to the columns of the
    /// view's target.
    fn pushed_plan(
        &self,
        query: &ast::Query,
        (source, rows): (&Name, Arc<dyn Table>),
        target: &Target,
    ) -> Result<QueryPlan> {
        let settings = self.settings_with(settings_of(query))?;
        let mut session = self.detached(settings.clone());
        session.replaced = Some((source.clone(), rows));
        let plan = session.plan(query, &settings)?;
        self.for_target(plan, target, &settings)
    }

    /// Puts the conversion to the columns of `target` on top of a view's plan. Columns are found by
    /// name; columns that the target does not have are left out.
    pub(crate) fn for_target(
        &self,
        plan: QueryPlan,
        target: &Target,
        settings: &Settings,
    ) -> Result<QueryPlan> {
        let schema = target.table.schema();
        let (plan, positions) = by_name(plan, &schema);
        let null_as_default = settings.flag(settings::INSERT_NULL_AS_DEFAULT);
        let context = self.function_context(settings);
        for_table(plan, &schema, &positions, null_as_default, &context)
    }
}

/// Keeps the columns of a plan that a table has, with their positions in it.
pub(crate) fn by_name(mut plan: QueryPlan, schema: &Schema) -> (QueryPlan, Vec<usize>) {
    let (mut outputs, mut fields, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for (id, field) in plan.outputs.iter().zip(plan.header.iter()) {
        if let Some(position) = insertable(schema, &field.name)
            && !positions.contains(&position)
        {
            outputs.push(*id);
            fields.push(field.clone());
            positions.push(position);
        }
    }
    (plan.outputs, plan.header) = (outputs, entasis_column::Header::new(fields));
    (plan, positions)
}

/// The position of a column that an INSERT may give.
pub(crate) fn insertable(schema: &Schema, name: &str) -> Option<usize> {
    let position = schema.position(name)?;
    let column = &schema.columns[position];
    let is_given = !matches!(column.default_kind(), Some(DefaultKind::Materialized));
    (is_given && column.is_stored()).then_some(position)
}

/// What the log of views will be told about a view; `None` if it wants nothing.
fn journal(trigger: &Trigger, to: &Name, shared: &Shared<'_>) -> Option<Journal> {
    let process = shared.options.process.as_ref()?;
    let log_entry = QueryLogEntry::of(process).filter(|log_entry| log_entry.wants_views())?;
    let Trigger { view, definition } = trigger;
    let work = ViewWork {
        view: format!("{}.{}", view.0, view.1),
        query: definition.as_select(),
        target: format!("{}.{}", to.0, to.1),
        ..ViewWork::default()
    };
    Some(Journal { log_entry, work })
}

/// How many rows a view takes at once.
fn block_size(settings: &Settings) -> BlockSize {
    let of = |own, general| match settings.u64(own) {
        0 => settings.u64(general),
        own => own,
    };
    BlockSize {
        rows: of(settings::VIEW_BLOCK_ROWS, settings::MIN_INSERT_BLOCK_SIZE_ROWS),
        bytes: of(settings::VIEW_BLOCK_BYTES, settings::MIN_INSERT_BLOCK_SIZE_BYTES),
    }
}

#[cold]
fn circle(above: &[Name], view: &str, to: &Name) -> Error {
    let way: Vec<String> = above.iter().map(|name| format!("{}.{}", name.0, name.1)).collect();
    let message = format!(
        "Dependencies of the table {}.{} are cyclic: the rows come through {}, and view {view} \
         would write them there again. Drop one of the views",
        to.0,
        to.1,
        way.join(" -> ")
    );
    Error::new(codes::TOO_DEEP_RECURSION, message)
}
