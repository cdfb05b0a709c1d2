//! How a query runs, without a single operator: sources are pulled, operators are pushed, sinks
//! answer whether they want more; pipelines of these three run on one pool of workers.
//!
//! A worker takes a morsel's chunks from a reader, pushes each through its operator states into its
//! sink state, and never blocks: what has to wait is parked and woken. Every worker has its own
//! states, so nothing here is locked per row.
#![forbid(unsafe_code)]

pub mod contract;
mod discard;
mod pool;
pub mod profile;
mod query;
pub mod scheduler;
mod task;

use std::sync::Arc;

use entasis_base::events::Counters;
use entasis_profile::{AttachOptions, Attachment, attach};

pub use contract::{
    Blocked, Flow, Graph, Morsel, Operator, OperatorState, Output, Pipeline, Progress,
    QueryContext, Read, Reader, Sink, SinkState, Source, Waker,
};
pub use discard::Discard;
pub use profile::{Profile, Report};
pub use scheduler::{Running, Scheduler};

/// From here on, until the answer is dropped, the calling thread's stack is sampled for the query
/// of these counters, if that is wanted.
pub fn sampled(counters: &Arc<Counters>) -> Attachment {
    let sampling = counters.sampling();
    attach(&AttachOptions {
        query: sampling.query,
        cpu_period_ns: sampling.cpu_period_ns,
        real_period_ns: sampling.real_period_ns,
        record: sampling.record,
    })
}
