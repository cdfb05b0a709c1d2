//! The two phases of an INSERT: plans run into the table's sink, which prepares their rows; then
//! the statement commits what was prepared.
//!
//! Invariant: nothing is visible before the commit, which is the last step. A statement that fails
//! or is cancelled before leaves no rows.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_exec::Shared;
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_pipeline::{QueryContext, Sink};
use entasis_plan::{Plan, QueryPlan};
use entasis_table_api::{InsertSink, Repeats, Schema, Table};

use crate::catalog::Entry;
use crate::definition::array_groups;
use crate::definition::constraints::{Check, CheckedSink};
use crate::definition::defaults::{Defaults, Given};
use crate::logs::log_entry::QueryLogEntry;
use crate::session::note;
use crate::statement::written::CountedSink;
use crate::{QueryOptions, Session, Settings, settings};

/// The table that an INSERT writes to.
pub(crate) struct Target {
    pub table: Arc<dyn Table>,
    /// `database.table`, for messages.
    pub name: String,
    /// The CHECK constraints that the rows must satisfy.
    pub checks: Arc<[Check]>,
    /// How rows that are sent again are recognised.
    pub repeats: Repeats,
}

impl Target {
    pub(crate) fn of_entry(entry: &Entry, database: String, table: String) -> Self {
        let (to, checks) = (Arc::clone(&entry.table), entry.checks());
        let name = format!("{database}.{table}");
        Self { table: to, name, checks, repeats: Repeats::Stored }
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
        Shared::views(&sink, count)
    }

    /// Makes the rows of all plans visible and durable.
    pub(crate) fn commit(self) -> Result<()> {
        // The statement can be cancelled here for the last time.
        self.context.cancel.check()?;
        entasis_table_api::commit(self.sink.prepared()?)
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
        let table = &target.table;
        let engine = table.engine();
        if !settings.flag(settings::OPTIMIZE_ON_INSERT) && table.supports_final() {
            let error = Error::not_implemented(format!("optimize_on_insert = 0 for {engine}"));
            return Err(error.append(
                ": an INSERT always merges rows of equal keys. Leave the setting at 1, or use the \
                 engine MergeTree",
            ));
        }
        let mut context = self.context(settings, options);
        let mut sink = table.insert_once(&context, target.repeats.clone())?;
        if sink.keeps_order() {
            context.max_threads = 1;
        }
        if let Some(process) = &options.process {
            sink = Arc::new(CountedSink { inner: sink, process: Arc::clone(process) });
        }
        let schema = table.schema();
        if !target.checks.is_empty() {
            let checks = target.checks.as_ref();
            let function_context = self.function_context(settings);
            sink =
                Arc::new(CheckedSink::new(sink, &target.name, checks, &schema, &function_context)?);
        }
        sink = array_groups::checked(sink, &schema);
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
fn for_table(
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
    let root = Plan::Project { input: Box::new(plan.root), exprs };
    let (header, subqueries) = (schema.header(), plan.subqueries);
    Ok(QueryPlan { root, header, outputs, subqueries, totals: None })
}
