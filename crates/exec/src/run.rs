//! Runs a plan: first the subqueries, one after the other, then the main pipelines.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Reservation, Result, codes};
use entasis_column::Chunk;
use entasis_expr::set::SetBuilder;
use entasis_expr::{RowSet, ScalarSlot, SetSlot};
use entasis_pipeline::{Flow, Graph, Morsel, QueryContext, Report, Scheduler, Sink, SinkState};
use entasis_plan::{Plan, QueryPlan, Subquery, physical};
use entasis_types::{DataType, Value};

use crate::build::Ends;
use crate::kept::Place;
use crate::result::{ChannelSink, CollectSink, ResultStream};
use crate::{Spill, build};
use entasis_base::sync::lock;

/// What running a plan needs besides a context.
#[derive(Clone)]
pub struct Runtime {
    /// The scheduler on which pipelines run.
    pub scheduler: Arc<Scheduler>,
    /// Where sinks write what does not fit into memory.
    pub spill: Arc<Spill>,
}

/// Runs `plan` to its end. Its rows go into `sink`, which is finalised.
pub fn execute(
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
    sink: Arc<dyn Sink>,
) -> Result<()> {
    execute_as("", plan, context, runtime, sink)
}

/// [`execute`], with a title that names the graph in profiles.
fn execute_as(
    title: &str,
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
    sink: Arc<dyn Sink>,
) -> Result<()> {
    subqueries(plan, context, runtime)?;
    let began = Instant::now();
    let graph = build(plan, context, runtime, sink, Ends::Other)?;
    events::elapsed(Event::QueryPipelineBuildMicroseconds, began);
    runtime.scheduler.run(Graph { title: title.to_string(), ..graph }, context.clone())
}

/// Starts `plan`. Subqueries run now; the main pipelines run while the result is read.
pub fn stream(plan: &QueryPlan, context: &QueryContext, runtime: &Runtime) -> Result<ResultStream> {
    subqueries(plan, context, runtime)?;
    let totals = plan.totals.as_ref().map(|root| {
        let (root, outputs, header) = (root.clone(), plan.outputs.clone(), plan.header.clone());
        QueryPlan { root, header, outputs, subqueries: Vec::new(), totals: None }
    });
    let limit = passing_limit(plan, context);
    let sink = ChannelSink::create(context, limit);
    let began = Instant::now();
    let into = Arc::clone(&sink) as Arc<dyn Sink>;
    let ends = if limit.is_some() { Ends::LimitedResult } else { Ends::Result };
    let graph = build(plan, context, runtime, into, ends)?;
    events::elapsed(Event::QueryPipelineBuildMicroseconds, began);
    Ok(ResultStream::start(runtime, graph, context, sink, totals))
}

/// Rows of a LIMIT from which on it lets rows pass to the reader as they come. A smaller one rather
/// keeps them until it has enough, because then it need not wait for the first ones in order.
const PASSING: u64 = 1 << 16;

/// OFFSET and LIMIT of a plan that ends with a large LIMIT, which the result's channel applies.
fn passing_limit(plan: &QueryPlan, context: &QueryContext) -> Option<(u64, u64)> {
    match &plan.root {
        Plan::Limit(physical::Limit { offset, limit: Some(limit), .. })
            if *limit >= PASSING && !context.progress.counts_all() =>
        {
            Some((*offset, *limit))
        }
        _ => None,
    }
}

fn subqueries(plan: &QueryPlan, context: &QueryContext, runtime: &Runtime) -> Result<()> {
    if !plan.subqueries.is_empty() {
        events::one(Event::QueriesWithSubqueries);
    }
    for subquery in &plan.subqueries {
        match subquery {
            Subquery::Set(slot, plan) => {
                set(slot, plan, context, runtime)?;
            }
            Subquery::Rows(slot, plan) => {
                let sink = CollectSink::create(context);
                let into = Arc::clone(&sink) as Arc<dyn Sink>;
                execute_as("Rows", plan, context, runtime, into)?;
                slot.set(sink.take());
            }
            Subquery::Scalar(slot, plan) => {
                if slot.value.get().is_none() {
                    events::one(Event::ScalarSubqueriesExecuted);
                    let sink = CollectSink::create(context);
                    let into = Arc::clone(&sink) as Arc<dyn Sink>;
                    execute_as("Scalar", plan, context, runtime, into)?;
                    let _ = slot.value.set(scalar(slot, &Chunk::concat(&sink.take()))?);
                }
            }
        }
    }
    Ok(())
}

/// Fills the slot of a set, unless it is filled already or kept with a table.
fn set(
    slot: &Arc<SetSlot>,
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
) -> Result<()> {
    if slot.set.get().is_some() {
        return Ok(());
    }
    let about = format!("set of {:?}", slot.types);
    let place = Place::of(&plan.root, &plan.outputs, &about);
    if let Some(kept) = place.as_ref().and_then(Place::get::<Arc<dyn RowSet>>) {
        let _ = slot.set.set(Arc::clone(&kept));
        return Ok(());
    }
    events::one(Event::SetsBuiltFromSubquery);
    let sink = Arc::new(SetSink::new(Arc::clone(slot), context));
    execute_as("Set", plan, context, runtime, sink)?;
    if let (Some(place), Some(set)) = (&place, slot.set.get()) {
        let width = |ty: &DataType| ty.without_nullable().fixed_width().unwrap_or(32);
        // The table of a set has about two slots for each row.
        let bytes = 2 * set.len() * slot.types.iter().map(width).sum::<usize>();
        place.put(&Arc::new(Arc::clone(set)), bytes, context);
    }
    Ok(())
}

/// The value of the only row, as a tuple if there are several columns. Without a row, NULL or the
/// type's default.
fn scalar(slot: &ScalarSlot, rows: &Chunk) -> Result<Value> {
    match rows.rows {
        0 if slot.ty.is_nullable() => Ok(Value::Null),
        0 => Ok(slot.ty.default_value()),
        1 => match (&rows.columns[..], &slot.ty) {
            ([one], _) => Ok(one.value(0)),
            (columns, DataType::Tuple(_)) => {
                Ok(Value::Tuple(columns.iter().map(|c| c.value(0)).collect()))
            }
            _ => Err(Error::logical("scalar subquery of several columns is no tuple")),
        },
        _ => Err(Error::new(
            codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY,
            "Scalar subquery returned more than one row",
        )),
    }
}

/// A sink that fills the slot of a set for IN.
struct SetSink {
    shared: Arc<SetParts>,
    slot: Arc<SetSlot>,
}

struct SetParts {
    types: Vec<DataType>,
    parts: Mutex<Vec<(SetBuilder, Reservation)>>,
    account: Arc<entasis_base::MemoryAccount>,
}

impl SetSink {
    fn new(slot: Arc<SetSlot>, context: &QueryContext) -> Self {
        let account = context.memory.child("CreatingSet", 0);
        let types = slot.types.clone();
        Self { shared: Arc::new(SetParts { types, parts: Mutex::default(), account }), slot }
    }
}

impl Sink for SetSink {
    fn name(&self) -> String {
        "CreatingSet".into()
    }

    fn report(&self) -> Report {
        vec![("memory_bytes", self.shared.account.peak())]
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(SetState {
            builder: SetBuilder::new(&self.shared.types),
            held: Reservation::new(&self.shared.account),
            shared: Arc::clone(&self.shared),
        }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let mut parts = std::mem::take(&mut *lock(&self.shared.parts)).into_iter();
        let mut all = match parts.next() {
            Some((first, _)) => first,
            None => SetBuilder::new(&self.shared.types),
        };
        for (part, _) in parts {
            all.merge(part)?;
        }
        events::add(Event::SetElements, all.len() as u64);
        let _ = self.slot.set.set(all.finish());
        Ok(())
    }
}

struct SetState {
    builder: SetBuilder,
    held: Reservation,
    shared: Arc<SetParts>,
}

impl SinkState for SetState {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        self.builder.push(&morsel.chunk.columns, morsel.chunk.rows)?;
        self.held.cover(self.builder.byte_size())?;
        Ok(Flow::More)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        lock(&self.shared.parts).push((self.builder, self.held));
        Ok(())
    }
}
