//! Builds pipelines from plan nodes.
//!
//! A plan becomes one or more [`Stream`]s: a source and the operators so far. UNION yields several.
//! An operator is added to each of them, and all of them share one sink.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Expr};
use entasis_pipeline::{Graph, Operator, Pipeline, QueryContext, Sink, Source};
use entasis_plan::physical::{self, AggregateAlgorithm};
use entasis_plan::{AggregateCall, Plan, QueryPlan, has_few_values, ignore_order};
use entasis_table_api::{KeyFilter, ScanSpec};
use entasis_types::DataType;

use crate::aggregate::{self, Call, InOrder, distinct_operator, hash_sink, single_sink};
use crate::array_join::ArrayJoin;
use crate::fill::FillSource;
use crate::filter::{Compute, Filter, Select, SelectColumns};
use crate::gather::{ChunkSource, Gather, GatherSink, Then};
use crate::serial::{Serial, is_sorted};
use crate::union::Shared;
use crate::{Runtime, bound, fetch, join, recursive, scan, slice, sort, window};

mod limits;

/// A pipeline under construction.
#[derive(Clone)]
pub struct Stream {
    pub source: Arc<dyn Source>,
    pub operators: Vec<Arc<dyn Operator>>,
    /// Pipelines that must be finalised first.
    pub after: Vec<usize>,
    /// Whether the pipeline starts only after all streams before it that end in the same sink.
    pub after_previous: bool,
    /// Whether operators may drop rows, so that a limit cannot tell from the source how far to
    /// read.
    pub selective: bool,
    /// Rows expected from the source and from each operator; filled in only for profiles.
    pub estimates: Vec<Option<u64>>,
}

impl Stream {
    pub fn new(source: Arc<dyn Source>) -> Self {
        Self {
            source,
            operators: Vec::new(),
            after: Vec::new(),
            after_previous: false,
            selective: false,
            estimates: Vec::new(),
        }
    }
}

/// Builds the pipelines of `plan` into `sink`. Subqueries must have been computed before: see
/// [`crate::execute`]. With `is_result`, rows that arrive at the plan's limit are counted.
pub fn build(
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
    sink: Arc<dyn Sink>,
    ends: Ends,
) -> Result<Graph> {
    let is_result = ends != Ends::Other;
    let reads_all = is_result && context.progress.counts_all() && is_limited(&plan.root);
    let graph = Graph::default();
    let key_filters = Vec::new();
    let mut builder =
        Builder { graph, context, runtime, key_filters, counts: is_result, reads_all };
    let mut streams = match &plan.root {
        Plan::Limit(limit) if ends == Ends::LimitedResult => builder.limited(&limit.input, true)?,
        root => builder.streams(root, true)?,
    };
    let columns = plan.root.outputs();
    if columns != plan.outputs {
        let positions = positions(&columns, &plan.outputs)?;
        add(&mut streams, &(Arc::new(SelectColumns(positions)) as Arc<dyn Operator>));
    }
    builder.end(streams, &sink, true);
    Ok(builder.graph)
}

/// Where the rows of a plan go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// To the reader of the result.
    Result,
    /// To the reader of the result through a sink that applies the plan's last LIMIT.
    LimitedResult,
    /// Into anything else.
    Other,
}

/// The positions of the `wanted` columns among `columns`.
pub fn positions(columns: &[ColumnId], wanted: &[ColumnId]) -> Result<Vec<usize>> {
    let find = |id: &ColumnId| {
        columns.iter().position(|c| c == id).ok_or_else(|| {
            Error::logical(format!("column #{} is not among a plan node's inputs", id.0))
        })
    };
    wanted.iter().map(find).collect()
}

/// The positions of the `wanted` columns in a header, with their types.
pub fn typed_positions(
    header: &[(ColumnId, DataType)],
    wanted: &[ColumnId],
) -> Result<Vec<(usize, DataType)>> {
    let columns: Vec<ColumnId> = header.iter().map(|(id, _)| *id).collect();
    let places = positions(&columns, wanted)?;
    Ok(places.into_iter().map(|at| (at, header[at].1.clone())).collect())
}

/// Whether a limit is the last step of a plan.
fn is_limited(plan: &Plan) -> bool {
    match plan {
        Plan::Limit(physical::Limit { limit, .. }) => limit.is_some(),
        Plan::Project(physical::Project { input, .. })
        | Plan::Bound(physical::Bound { input, .. }) => is_limited(input),
        Plan::Fetch(fetch) => is_limited(&fetch.input),
        _ => false,
    }
}

/// Adds an operator to every stream.
pub fn add(streams: &mut [Stream], operator: &Arc<dyn Operator>) {
    for s in streams {
        s.operators.push(Arc::clone(operator));
    }
}

/// The error of a build step that got a plan node of another kind.
#[cold]
pub fn misplaced() -> Error {
    Error::logical("a plan node of another kind")
}

/// The aggregate calls with the positions of their arguments.
fn calls_of(calls: &[AggregateCall], columns: &[ColumnId]) -> Result<Vec<Call>> {
    calls.iter().map(|c| Ok((Arc::clone(&c.function), positions(columns, &c.args)?))).collect()
}

pub struct Builder<'a> {
    pub graph: Graph,
    pub context: &'a QueryContext,
    pub runtime: &'a Runtime,
    /// Filters by the keys of the joins above, and the scans that they are for.
    pub key_filters: Vec<(*const ScanSpec, Arc<KeyFilter>)>,
    /// Whether the next limit is one of the result's, whose rows are counted.
    counts: bool,
    /// Whether the next limit reads its input to the end, to count its rows exactly.
    reads_all: bool,
}

impl Builder<'_> {
    /// Ends the streams in one sink and returns the indices of the pipelines. With `ordered`, each
    /// stream runs after the one before it, so that the sink gets rows roughly in source order.
    pub fn end(&mut self, streams: Vec<Stream>, sink: &Arc<dyn Sink>, ordered: bool) -> Vec<usize> {
        let views = Shared::views(sink, streams.len());
        let mut indices: Vec<usize> = Vec::new();
        for (stream, sink) in streams.into_iter().zip(views) {
            let Stream { source, operators, mut after, after_previous, estimates, .. } = stream;
            if after_previous {
                after.extend(&indices);
            } else if ordered {
                after.extend(indices.last());
            }
            indices.push(self.graph.add(Pipeline { source, operators, sink, after, estimates }));
        }
        indices
    }

    /// Ends the streams in a sink and returns a stream that reads what the sink keeps, from
    /// `source`.
    pub fn break_at(
        &mut self,
        streams: Vec<Stream>,
        sink: Arc<dyn Sink>,
        source: Arc<dyn Source>,
        ordered: bool,
    ) -> Vec<Stream> {
        let after = self.end(streams, &sink, ordered);
        vec![Stream { after, ..Stream::new(source) }]
    }

    /// The streams of a plan. `ordered` says whether the consumer depends on source order.
    pub fn streams(&mut self, plan: &Plan, ordered: bool) -> Result<Vec<Stream>> {
        let mut streams = self.streams_of(plan, ordered)?;
        // Streams that come later only have what is left of the first one.
        if let (Some(_), [stream, later @ ..]) = (&self.context.profile, &mut streams[..])
            && later.iter().all(|stream| stream.after_previous)
        {
            stream.estimates.resize(stream.operators.len() + 1, None);
            if let Some(last) = stream.estimates.last_mut() {
                *last = Some(entasis_plan::estimate(plan).round() as u64);
            }
        }
        Ok(streams)
    }

    fn streams_of(&mut self, plan: &Plan, ordered: bool) -> Result<Vec<Stream>> {
        match plan {
            Plan::Values(physical::Values { chunk, .. }) => {
                let source = ChunkSource::values(chunk, self.context.max_block_size);
                Ok(vec![Stream::new(Arc::new(source))])
            }
            Plan::Rows(physical::Rows { rows, .. }) => {
                let chunks = Arc::new(OnceLock::from(rows.get()));
                Ok(vec![Stream::new(Arc::new(ChunkSource::of(chunks)))])
            }
            Plan::Recursive(plan) => {
                let source = recursive::create(plan, self.context, self.runtime);
                Ok(vec![Stream::new(source)])
            }
            Plan::Scan(scan) => scan::streams(self, scan, ordered),
            Plan::Filter(physical::Filter { input, predicates }) => {
                self.filter(input, predicates, Select::All, ordered)
            }
            Plan::Project(physical::Project { input, exprs }) => {
                self.project(input, exprs, ordered)
            }
            Plan::Aggregate(aggregate) => self.aggregate(aggregate, ordered),
            Plan::Distinct(physical::Distinct { input, limit }) => {
                let types: Vec<DataType> = input.header()?.into_iter().map(|(_, ty)| ty).collect();
                let mut streams = self.streams(input, ordered)?;
                let alone = streams.len() == 1 && self.context.max_threads == 1;
                let spill = &self.runtime.spill;
                let (operator, rest) =
                    distinct_operator(&types, *limit, alone, self.context, spill);
                add(&mut streams, &operator);
                let rest = rest.map(Stream::new);
                streams.extend(rest.map(|rest| Stream { after_previous: true, ..rest }));
                for s in &mut streams {
                    s.selective = true;
                }
                Ok(streams)
            }
            Plan::Sort(_) => self.sort(plan),
            Plan::Window(window) => self.window(window),
            Plan::Limit(physical::Limit { input, offset, limit }) => {
                self.limit(input, *offset, *limit)
            }
            Plan::LimitTies(_) => self.limit_ties(plan),
            Plan::Bound(_) => bound::streams(self, plan, ordered),
            Plan::Fetch(plan) => fetch::streams(self, plan, ordered),
            Plan::Slice(slice) => slice::streams(self, slice),
            Plan::Fill(fill) => self.fill(fill),
            Plan::Totals(_) => self.totals(plan),
            Plan::OrElse(physical::OrElse { input, otherwise }) => self.or_else(input, otherwise),
            Plan::LimitBy(physical::LimitBy { input, keys, offset, limit }) => {
                self.limit_by(input, keys, (*offset, *limit))
            }
            Plan::Union(physical::Union { inputs, .. }) => {
                let mut all = Vec::new();
                for input in inputs {
                    all.append(&mut self.streams(input, ordered)?);
                }
                Ok(all)
            }
            Plan::Join(plan) => join::streams(self, plan, ordered),
            Plan::ArrayJoin(_) => self.array_join(plan, ordered),
        }
    }

    fn sort(&mut self, plan: &Plan) -> Result<Vec<Stream>> {
        let Plan::Sort(physical::Sort { input, keys, limit, threshold }) = plan else {
            return Err(misplaced());
        };
        let columns = input.outputs();
        let streams = match limit {
            Some(_) => self.limited(input, false)?,
            None => self.streams(input, false)?,
        };
        let ids: Vec<ColumnId> = keys.iter().map(|k| k.column).collect();
        let places = positions(&columns, &ids)?;
        let keys = places.into_iter().zip(keys.iter().map(|k| k.order)).collect();
        let (sink, source) =
            sort::create(keys, *limit, threshold.clone(), self.context, &self.runtime.spill);
        Ok(self.break_at(streams, sink, source, false))
    }

    fn window(&mut self, plan: &entasis_plan::Window) -> Result<Vec<Stream>> {
        let header = plan.input.header()?;
        let columns = plan.input.outputs();
        let streams = self.streams(&plan.input, true)?;
        let partition = typed_positions(&header, &plan.partition)?;
        let ids: Vec<ColumnId> = plan.order.iter().map(|key| key.column).collect();
        let orders = plan.order.iter().map(|key| key.order);
        let order = positions(&columns, &ids)?.into_iter().zip(orders).collect();
        let calls = plan.calls.iter().map(|call| {
            let args = positions(&columns, &call.args)?;
            let (function, order, frame) = (call.function.clone(), call.order, call.frame);
            Ok(window::Call { function, args, order, frame })
        });
        let calls = calls.collect::<Result<_>>()?;
        let spec = window::Spec { partition, order, calls };
        let spill = &self.runtime.spill;
        let (sink, source) = window::create(spec, columns.len(), self.context, spill);
        Ok(self.break_at(streams, sink, source, false))
    }

    fn array_join(&mut self, plan: &Plan, ordered: bool) -> Result<Vec<Stream>> {
        let Plan::ArrayJoin(physical::ArrayJoin { input, arrays, left, unaligned }) = plan else {
            return Err(misplaced());
        };
        let columns = input.outputs();
        let from: Vec<ColumnId> = arrays.iter().map(|(from, _)| *from).collect();
        let arrays = positions(&columns, &from)?;
        let mut streams = self.streams(input, ordered)?;
        let operator = ArrayJoin::create(arrays, columns.len(), (*left, *unaligned), self.context);
        add(&mut streams, &operator);
        Ok(streams)
    }

    fn totals(&mut self, plan: &Plan) -> Result<Vec<Stream>> {
        let Plan::Totals(physical::Totals { input, calls, rows }) = plan else {
            return Err(misplaced());
        };
        let columns = input.outputs();
        let calls = calls_of(calls, &columns)?;
        let rows = Arc::clone(rows);
        let then = Box::new(move |chunks: Vec<Chunk>| {
            rows.set(vec![aggregate::one_row(&calls, &chunks)?]);
            Ok(chunks)
        });
        let streams = self.streams(input, true)?;
        Ok(self.gathered(streams, then))
    }

    fn fill(&mut self, fill: &entasis_plan::Fill) -> Result<Vec<Stream>> {
        let rows = Arc::new(OnceLock::new());
        let source = FillSource::create(fill, Arc::clone(&rows), self.context)?;
        let keep = Box::new(move |chunks: Vec<Chunk>| {
            let _ = rows.set(chunks);
            Ok(Vec::new())
        });
        let streams = self.streams(&fill.input, true)?;
        let (sink, _) = Gather::create(None, self.context, keep);
        let mut streams = self.break_at(streams, Arc::new(GatherSink(sink)), source, true);
        streams.iter_mut().for_each(|s| s.selective = true);
        Ok(streams)
    }

    /// The rows of `otherwise` are computed and kept until it is known whether `input` has any.
    fn or_else(&mut self, input: &Plan, otherwise: &Plan) -> Result<Vec<Stream>> {
        let (first, second) = (input.outputs(), otherwise.outputs());
        if first.len() != second.len() {
            return Err(misplaced());
        }
        let spare = Arc::new(OnceLock::new());
        let filled = Arc::clone(&spare);
        let keep = Box::new(move |chunks: Vec<Chunk>| {
            let _ = filled.set(chunks);
            Ok(Vec::new())
        });
        let streams = self.streams(otherwise, true)?;
        let (sink, _) = Gather::create(None, self.context, keep);
        let sink: Arc<dyn Sink> = Arc::new(GatherSink(sink));
        let before = self.end(streams, &sink, true);
        let then = Box::new(move |chunks: Vec<Chunk>| match chunks.iter().any(|c| c.rows > 0) {
            true => Ok(chunks),
            false => Ok(spare.get().cloned().unwrap_or_default()),
        });
        let mut streams = self.streams(input, true)?;
        for stream in &mut streams {
            stream.after.extend(&before);
        }
        let (sink, source) = Gather::create(None, self.context, then);
        Ok(self.break_at(streams, Arc::new(GatherSink(sink)), source, true))
    }

    fn filter(
        &mut self,
        input: &Plan,
        predicates: &[Expr],
        select: Select<'_>,
        ordered: bool,
    ) -> Result<Vec<Stream>> {
        let columns = input.outputs();
        let mut streams = self.streams(input, ordered)?;
        let operator = Filter::create(predicates, &columns, select, self.context, ordered)?;
        add(&mut streams, &operator);
        for s in &mut streams {
            s.selective = true;
        }
        Ok(streams)
    }

    fn project(
        &mut self,
        input: &Plan,
        exprs: &[(ColumnId, Expr)],
        ordered: bool,
    ) -> Result<Vec<Stream>> {
        let list: Vec<Expr> = exprs.iter().map(|(_, e)| e.clone()).collect();
        if let Plan::Filter(physical::Filter { input, predicates }) = input {
            return self.filter(input, predicates, Select::Exprs(&list), ordered);
        }
        let columns = input.outputs();
        let mut streams = self.streams(input, ordered)?;
        let plain = |e: &Expr| match e {
            Expr::Column { id, .. } => Some(*id),
            _ => None,
        };
        let operator: Arc<dyn Operator> = match list.iter().map(plain).collect::<Option<Vec<_>>>() {
            Some(ids) if ids == columns => return Ok(streams),
            Some(ids) => Arc::new(SelectColumns(positions(&columns, &ids)?)),
            None => Compute::create(&list, &columns)?,
        };
        add(&mut streams, &operator);
        Ok(streams)
    }

    fn aggregate(&mut self, plan: &physical::Aggregate, ordered: bool) -> Result<Vec<Stream>> {
        let physical::Aggregate { input, keys, calls, limit, algorithm } = plan;
        let columns = input.outputs();
        // Aggregation in order needs the rows of one morsel to stay in it.
        let ordered = ordered && !ignore_order(calls) || !algorithm.sorted().is_empty();
        let mut streams = self.streams(input, ordered)?;
        let in_sequence = !ignore_order(calls) && is_sorted(input);
        if in_sequence {
            streams.iter_mut().for_each(|s| s.source = Arc::new(Serial(Arc::clone(&s.source))));
        }
        let few = has_few_values(input, keys);
        let keys = typed_positions(&input.header()?, keys)?;
        let calls = calls_of(calls, &columns)?;
        let (sink, source) = match algorithm {
            AggregateAlgorithm::Single => single_sink(calls, self.context),
            AggregateAlgorithm::Hash => {
                hash_sink(keys, calls, *limit, few, self.context, &self.runtime.spill)
            }
            AggregateAlgorithm::InOrder { by, runs } => {
                let sorted = (positions(&columns, by)?, *runs);
                add(&mut streams, &InOrder::create(keys, sorted, calls, *limit, self.context));
                // A limit can count the groups, as they come in the order of morsels.
                streams.iter_mut().for_each(|s| s.selective = false);
                return Ok(streams);
            }
        };
        Ok(self.break_at(streams, sink, source, in_sequence))
    }

    /// All rows of the input in source order, transformed by `then`.
    pub fn gathered(&mut self, streams: Vec<Stream>, then: Then) -> Vec<Stream> {
        let (sink, source) = Gather::create(None, self.context, then);
        self.break_at(streams, Arc::new(GatherSink(sink)), source, true)
    }
}
