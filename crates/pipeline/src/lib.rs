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

pub use contract::{
    Blocked, Flow, Graph, Morsel, Operator, OperatorState, Output, Pipeline, Progress,
    QueryContext, Read, Reader, Sink, SinkState, Source, Waker,
};
pub use profile::{Profile, Report};
pub use scheduler::{Running, Scheduler};
