//! How a query runs, without a single operator: sources are pulled, operators are pushed, sinks
//! answer whether they want more; pipelines of these three run on one pool of workers.
//!
//! A worker takes a morsel's chunks from a reader, pushes each through its operator states into its
//! sink state, and never blocks: what has to wait is parked and woken. Every worker has its own
//! states, so nothing here is locked per row.
#![forbid(unsafe_code)]

pub mod contract;
mod discard;
mod hook;
mod pool;
pub mod profile;
mod query;
pub mod scheduler;
mod task;

use entasis_base::Scope;
use entasis_base::alloc::watch;
use entasis_profile::counting::count;
use entasis_profile::{AttachOptions, attach};

pub use contract::{
    Blocked, Flow, Graph, Morsel, Operator, OperatorState, Output, Pipeline, Progress,
    QueryContext, Read, Reader, Sink, SinkState, Source, Waker,
};
pub use discard::Discard;
pub use hook::{AnswerHook, Step, WorkHook};
pub use profile::{Profile, Report};
pub use scheduler::{Running, Scheduler};

/// [`Scope::run`], with the thread looked at for the query as far as that is wanted: samples of its
/// stack and its allocations, the processor's counters.
pub fn run<T>(scope: &mut Scope, work: impl FnOnce() -> T) -> T {
    let sampling = scope.sampling();
    let _stacks = attach(&AttachOptions {
        query: sampling.query,
        cpu_period_ns: sampling.cpu_period_ns,
        real_period_ns: sampling.real_period_ns,
        record: sampling.record,
    });
    // After the attachment, whose own memory is nobody's.
    let _memory = watch(sampling.memory);
    scope.run(|| {
        // Within the scope: what it has counted is the query's.
        let _counting = count(sampling.counters);
        work()
    })
}
