//! How a query runs, without a single operator: sources are pulled, operators are pushed, sinks
//! answer whether they want more; pipelines of these three run on one pool of workers.
//!
//! A worker takes a morsel's chunks from a reader, pushes each through its operator states into its
//! sink state, and never blocks: what has to wait is parked and woken. Every worker has its own
//! states, so nothing here is locked per row.
#![forbid(unsafe_code)]

pub mod contract;
mod pool;
pub mod profile;
mod query;
pub mod scheduler;
mod task;

use std::sync::Arc;

use entasis_base::alloc::{Watching, watch};
use entasis_base::events::Counters;
use entasis_profile::{AttachOptions, Attachment, attach};

pub use contract::{
    Blocked, Flow, Graph, Morsel, Operator, OperatorState, Output, Pipeline, Progress,
    QueryContext, Read, Reader, Sink, SinkState, Source, Waker,
};
pub use profile::{Profile, Report};
pub use scheduler::{Running, Scheduler};

/// See [`sampled`].
#[derive(Debug)]
#[must_use = "dropping it ends the sampling"]
pub struct Sampled {
    _memory: Watching,
    _stacks: Attachment,
}

/// From here on, until the answer is dropped, the calling thread's stack and its allocations are
/// sampled for the query of these counters, as far as that is wanted.
pub fn sampled(counters: &Arc<Counters>) -> Sampled {
    let sampling = counters.sampling();
    let stacks = attach(&AttachOptions {
        query: sampling.query,
        cpu_period_ns: sampling.cpu_period_ns,
        real_period_ns: sampling.real_period_ns,
        record: sampling.record,
    });
    // After the attachment, whose own memory is nobody's.
    Sampled { _memory: watch(sampling.memory), _stacks: stacks }
}
