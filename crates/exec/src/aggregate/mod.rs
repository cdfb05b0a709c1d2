//! Hash aggregation and DISTINCT.
//!
//! Roles: [`keys`] encodes a row's keys as one value; [`table`] maps encoded keys to dense group
//! ids and keeps the aggregates' states by id; [`local`] is a worker's sink state; [`scatter`]
//! holds rows back by partition and [`partitions`] are the tables that they end in; [`result`]
//! merges what the workers have and reads it out.
//!
//! A worker aggregates into one table as long as that stays small or rows keep falling into known
//! groups. Once it outgrows the cache it is split into 256 partitions by the top bits of the keys'
//! hash, which all workers share, and from then on rows are only set aside by partition, keys and
//! arguments alone. They go into the partitions' tables when they are many, one partition after
//! the other, so that its table stays in the cache; what is left in the end, by whichever reader of
//! the result gets there first. One at a time touches a partition; nothing is locked per row.
//! Partitions that do not fit into memory are written to disk ([`spilled`]).
//! Without keys there is one group and no table ([`single`]).

use std::sync::Arc;

use entasis_base::MemoryAccount;
use entasis_column::Column;
use entasis_function::Aggregate;
use entasis_pipeline::{Operator, QueryContext, Sink, Source};
use entasis_types::DataType;

mod distinct;
mod in_order;
pub mod keys;
mod local;
mod partitions;
mod result;
mod rows;
mod scatter;
mod single;
mod spilled;
mod table;
#[cfg(test)]
pub(crate) mod tests;

pub use in_order::InOrder;
pub use single::one_row;
pub use table::{GroupTable, Groups};

use crate::spill::{Kind, Spill, Spiller};
use keys::KeyLayout;

/// An aggregate and the columns of its arguments.
pub type Call = (Arc<dyn Aggregate>, Vec<usize>);

/// What is aggregated by what.
pub struct Spec {
    /// How keys are encoded.
    pub layout: KeyLayout,
    /// Key columns of the input.
    pub keys: Vec<usize>,
    /// Aggregates, with positions into `arg_columns`.
    pub calls: Vec<Call>,
    /// Columns of the input that aggregates need, each once.
    pub arg_columns: Vec<usize>,
    /// Most groups wanted, any.
    pub limit: Option<u64>,
    /// Most rows of a chunk of the result.
    pub max_block_size: usize,
    /// Workers that may fill the sink at once.
    pub workers: usize,
    /// Bytes set aside by a worker after which they are aggregated into partitions' tables.
    pub most_set_aside: usize,
    /// The operator's account.
    pub account: Arc<MemoryAccount>,
    /// When groups go to disk; `None`: never.
    pub spiller: Option<Arc<Spiller>>,
}

impl Spec {
    fn new(
        keys: Vec<(usize, DataType)>,
        calls: Vec<Call>,
        limit: Option<u64>,
        context: &QueryContext,
    ) -> Self {
        let (keys, types): (Vec<usize>, Vec<DataType>) = keys.into_iter().unzip();
        let mut arg_columns: Vec<usize> = calls.iter().flat_map(|c| c.1.clone()).collect();
        arg_columns.sort_unstable();
        arg_columns.dedup();
        let position = |c: &usize| arg_columns.binary_search(c).unwrap_or(0);
        let calls = calls
            .iter()
            .map(|(f, args)| (Arc::clone(f), args.iter().map(position).collect()))
            .collect();
        Self {
            layout: KeyLayout::choose(&types),
            keys,
            calls,
            arg_columns,
            limit,
            max_block_size: context.max_block_size.max(1),
            workers: context.max_threads,
            most_set_aside: local::MOST_SET_ASIDE,
            account: context.memory.child("Aggregating", 0),
            spiller: None,
        }
    }

    /// Columns of call `i` out of the argument columns.
    fn args_of(&self, i: usize, args: &[Column]) -> Vec<Column> {
        self.calls[i].1.iter().map(|&at| args[at].clone()).collect()
    }
}

/// A sink that aggregates, and the source of its result: key columns, then results. Without keys
/// the result is one row, with keys one row per group; at most `limit` groups, any of them.
pub fn aggregate_sink(
    keys: Vec<(usize, DataType)>,
    calls: Vec<Call>,
    limit: Option<u64>,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let without_keys = keys.is_empty();
    let mut spec = Spec::new(keys, calls, limit, context);
    if without_keys {
        return single::create(spec);
    }
    let spiller = Spiller::new(spill, Kind::Aggregation, &spec.account, spec.workers);
    spec.spiller = spiller.map(Arc::new);
    result::create(spec)
}

/// An operator that lets the first row of every distinct combination of all columns through, at
/// most `limit` of them, over all workers and streams together. `alone`: there is one of each.
pub fn distinct_operator(
    types: &[DataType],
    limit: Option<u64>,
    alone: bool,
    context: &QueryContext,
) -> Arc<dyn Operator> {
    distinct::create(types, limit, alone, context)
}
