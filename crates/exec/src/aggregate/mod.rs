//! Hash aggregation and DISTINCT.
//!
//! [`bound`] leaves out rows of groups beyond `max_rows_to_group_by` before they are aggregated,
//! and [`chosen`] leaves out rows of groups that a LIMIT without an order does not keep.
//!
//! Roles: [`keys`] encodes a row's keys as one value. [`table`] maps encoded keys to dense group
//! ids and keeps the aggregates' states by id. [`local`] is a worker's sink state. [`scatter`] sets
//! rows aside by partition, and [`partitions`] are the shared tables into which they are
//! aggregated. [`result`] merges what the workers hold and returns the groups.
//!
//! A worker aggregates into its own table as long as the table stays small or most rows belong to
//! known groups. Once it outgrows the cache, it is split into 256 partitions by the top bits of the
//! keys' hashes. All workers share the tables of these partitions. From then on the worker only
//! sets rows aside by partition (just keys and arguments). When there are many, it adds them to the
//! tables, one partition after the other, so that each table stays in the cache. Rows that are left
//! at the end are added by the first reader of the result that reaches their partition. Only one
//! thread at a time works on a partition, and nothing locks per row. Partitions that do not fit
//! into memory are written to disk ([`spilled`]). Without keys there is one group and no table
//! ([`single`]).

use std::sync::Arc;

use entasis_base::MemoryAccount;
use entasis_column::Column;
use entasis_function::Aggregate;
use entasis_pipeline::{Operator, QueryContext, Sink, Source};
use entasis_types::DataType;

mod bound;
mod chosen;
mod dictionaries;
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

pub use bound::create as bound_operator;
pub use in_order::InOrder;
pub use single::one_row;
pub use table::{GroupTable, Groups};

use crate::spill::{Spill, Spiller, SpillingOperator};
use keys::KeyLayout;

/// An aggregate function and the positions of its argument columns.
pub type Call = (Arc<dyn Aggregate>, Vec<usize>);

/// The parameters of an aggregation.
pub struct Spec {
    /// How keys are encoded.
    pub layout: KeyLayout,
    /// Whether the keys are known to be so few numbers that an array of ids always pays.
    pub few_numbers: bool,
    /// Positions of the key columns in the input.
    pub keys: Vec<usize>,
    /// Aggregates, with positions within `arg_columns`.
    pub calls: Vec<Call>,
    /// Positions of the input columns that aggregates need, each once.
    pub arg_columns: Vec<usize>,
    /// The most groups that are wanted, whichever they are; `None` for all.
    pub limit: Option<u64>,
    /// The most rows of a chunk of the result.
    pub max_block_size: usize,
    /// The number of workers that may fill the sink at once.
    pub workers: usize,
    /// Bytes of rows set aside from which on a worker adds them to the shared tables.
    pub most_set_aside: usize,
    /// The operator's account.
    pub account: Arc<MemoryAccount>,
    /// Decides when groups are written to disk; `None` means never.
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
            few_numbers: false,
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

    /// The arguments of call `i`, selected from the argument columns.
    fn args_of(&self, i: usize, args: &[Column]) -> Vec<Column> {
        self.calls[i].1.iter().map(|&at| args[at].clone()).collect()
    }
}

/// A sink that aggregates without keys, and the source of its only row.
pub fn single_sink(calls: Vec<Call>, context: &QueryContext) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    single::create(Spec::new(Vec::new(), calls, None, context))
}

/// A sink that aggregates by keys, and the source of its result: key columns, then the aggregates,
/// one row per group, at most `limit` groups, whichever they are. `few_numbers` is
/// [`Spec::few_numbers`].
pub fn hash_sink(
    keys: Vec<(usize, DataType)>,
    calls: Vec<Call>,
    limit: Option<u64>,
    few_numbers: bool,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let mut spec = Spec::new(keys, calls, limit, context);
    let spiller = Spiller::new(spill, SpillingOperator::Aggregation, &spec.account, spec.workers);
    spec.spiller = spiller.map(Arc::new);
    spec.few_numbers = few_numbers;
    result::create(spec)
}

/// An operator that passes the first row of every distinct combination of all columns, at most
/// `limit` rows over all workers and streams. `alone` says that there is one worker and one stream.
/// If the operator may spill, there is also a source of the rows that pass only once all have
/// arrived.
pub fn distinct_operator(
    types: &[DataType],
    limit: Option<u64>,
    alone: bool,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Operator>, Option<Arc<dyn Source>>) {
    distinct::create(types, limit, alone, context, spill)
}
