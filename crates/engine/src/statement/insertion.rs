//! The two phases of an INSERT: plans run into the table's sink, which prepares their rows; then
//! the statement commits what was prepared.
//!
//! Invariant: nothing is visible before the commit, which is the last step. A statement that fails
//! or is cancelled before leaves no rows.

use entasis_plan::physical;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_exec::Shared as SharedSink;
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_pipeline::{QueryContext, Sink};
use entasis_plan::{Plan, QueryPlan};
use entasis_table_api::{InsertSink, Repeats, Schema, Table};

use crate::catalog::Entry;
use crate::definition::constraints::Check;
use crate::definition::defaults::{Defaults, Given};
use crate::definition::view::Name;
use crate::logs::log_entry::QueryLogEntry;
use crate::session::note;
use crate::statement::dependents::Shared;
use crate::{QueryOptions, Session, Settings, settings};

/// The table that an INSERT writes to.
pub(crate) struct Target {
    pub table: Arc<dyn Table>,
    /// `database.table`, for messages.
    pub name: String,
    /// Database and name of a table of the catalog, which may have views; `None` if no view is to
    /// get the rows.
    pub full: Option<Name>,
    /// The CHECK constraints that the rows must satisfy.
    pub checks: Arc<[Check]>,
    /// How rows that are sent again are recognised.
    pub repeats: Repeats,
    /// The columns that the statement sees, if they are those of a view over the table.
    pub columns: Option<Arc<Schema>>,
}

impl Target {
    pub(crate) fn of_entry(entry: &Entry, database: String, table: String) -> Self {
        let (to, checks) = (Arc::clone(&entry.table), entry.checks());
        let name = format!("{database}.{table}");
        let full = Some((database, table));
        Self { table: to, name, full, checks, repeats: Repeats::Stored, columns: None }
    }

    /// A table that has no name yet, so that no view reads it.
    pub(crate) fn unseen(entry: &Entry, (database, table): &Name) -> Self {
        Self { full: None, ..Self::of_entry(entry, database.clone(), table.clone()) }
    }
}

/// An INSERT that has begun.
pub(crate) struct Insertion<'a> {
    target: &'a Target,
    /// Positions in the schema of the columns that the plans answer.
    positions: &'a [usize],
    settings: &'a Settings,
    sink: Arc<dyn InsertSink>,
    context: QueryContext,
}

impl Insertion<'_> {
    /// A view of the sink for each of several plans, which run one after the other.
    pub(crate) fn views(&self, count: usize) -> Vec<Arc<dyn Sink>> {
        let sink: Arc<dyn Sink> = self.sink.clone();
        SharedSink::views(&sink, count)
    }

    /// Inserts rows that the table can take as they are.
    pub(crate) fn store(self, chunks: Vec<Chunk>) -> Result<()> {
        entasis_table_api::insert_chunks(&self.sink, chunks, &self.context)
    }

    /// Makes the rows of all plans visible and durable.
    pub(crate) fn commit(self) -> Result<()> {
        // The statement can be cancelled here for the last time.
        self.context.cancel.check()?;
        let mut prepared = self.sink.prepared()?;
        let is_known = !matches!(self.target.repeats, Repeats::Stored);
        if is_known && !self.settings.flag(settings::DEDUPLICATE_VIEWS) && prepared.len() > 1 {
            // The rows of views are stored even if the table has those of the INSERT already.
            let of_views = prepared.split_off(1);
            entasis_table_api::commit(prepared)?;
            return entasis_table_api::commit(of_views);
        }
        entasis_table_api::commit(prepared)
    }
}

impl Session {
    /// Inserts the rows of one plan.
    pub(crate) fn run_insert(
        &self,
        plan: QueryPlan,
        target: &Target,
        positions: &[usize],
        settings: &Settings,
        options: &QueryOptions,
    ) -> Result<()> {
        let insertion = self.insertion(target, positions, settings, options)?;
        let sink = insertion.sink.clone();
        self.prepare(plan, sink, &insertion)?;
        insertion.commit()
    }

    /// Begins an INSERT. Its sink counts and checks the rows before it passes them to the table's
    /// sink.
    pub(crate) fn insertion<'a>(
        &self,
        target: &'a Target,
        positions: &'a [usize],
        settings: &'a Settings,
        options: &QueryOptions,
    ) -> Result<Insertion<'a>> {
        note(options, QueryLogEntry::start);
        let mut context = self.context(settings, options);
        let sink = self.sink_of(target, &Shared { settings, options, context: &context }, &[])?;
        if sink.keeps_order() {
            context.max_threads = 1;
        }
        // The sink gathers rows into larger blocks anyway; large chunks cost less on the way to it.
        context.max_block_size = settings.u64(settings::MAX_BLOCK_SIZE).clamp(1, 65_536) as usize;
        Ok(Insertion { target, positions, settings, sink, context })
    }

    /// Runs `plan` into `sink`, which is the sink of `insertion` or a view of it.
    pub(crate) fn prepare(
        &self,
        plan: QueryPlan,
        sink: Arc<dyn Sink>,
        insertion: &Insertion,
    ) -> Result<()> {
        let Insertion { target, positions, settings, context, .. } = insertion;
        let null_as_default = settings.flag(settings::INSERT_NULL_AS_DEFAULT);
        let (schema, function_context) = (target.table.schema(), self.function_context(settings));
        let plan = for_table(plan, &schema, positions, null_as_default, &function_context)?;
        let runtime = self.runtime(settings, context)?;
        entasis_exec::execute(&plan, context, &runtime, sink)
    }
}

/// Puts a projection on top of a plan that answers exactly the table's stored columns.
pub(super) fn for_table(
    plan: QueryPlan,
    schema: &Schema,
    positions: &[usize],
    null_as_default: bool,
    function_context: &dyn FunctionContext,
) -> Result<QueryPlan> {
    if plan.outputs.len() != positions.len() {
        return Err(Error::new(
            codes::NUMBER_OF_COLUMNS_DOESNT_MATCH,
            format!(
                "Number of columns doesn't match: the table takes {}, the source gives {}",
                positions.len(),
                plan.outputs.len()
            ),
        ));
    }
    let mut given: Vec<Option<Given>> = schema.columns.iter().map(|_| None).collect();
    for ((&position, id), field) in positions.iter().zip(&plan.outputs).zip(plan.header.iter()) {
        let expr = Expr::column(*id, field.ty.clone());
        given[position] = Some(Given { expr, null_as_default });
    }
    let defaults = Defaults::new(schema, given, function_context);
    let first = plan.outputs.iter().map(|id| id.0).max().unwrap_or(0) + 1_000_000;
    let ids = (0..schema.stored().len()).map(|i| ColumnId(first + i as u32));
    let outputs: Vec<ColumnId> = ids.collect();
    let value = |(i, id): (usize, &ColumnId)| Ok((*id, defaults.value(i)?));
    let exprs = outputs.iter().enumerate().map(value).collect::<Result<_>>()?;
    let root = Plan::Project(physical::Project { input: Box::new(plan.root), exprs });
    let (header, subqueries) = (schema.header(), plan.subqueries);
    Ok(QueryPlan { root, header, outputs, subqueries, totals: None })
}
