//! How a query runs, without any particular operator. Sources are pulled, operators are pushed, and
//! sinks return whether they want more. Pipelines of these three run on one pool of workers.
//!
//! A worker takes the chunks of a morsel from a reader and pushes each through its operator states
//! into its sink state. It never blocks: a task that has to wait is parked and woken later. Every
//! worker has its own states, so nothing here locks per row.
#![forbid(unsafe_code)]

pub mod contract;
mod discard;
mod hook;
mod pool;
pub mod profile;
mod query;
pub mod scheduler;
mod speed;
mod task;

use entasis_base::Scope;
use entasis_base::alloc::watch;
use entasis_profile::counting::count;
use entasis_profile::{AttachOptions, attach};

pub use contract::{
    Blocked, DEFAULT_BLOCK, DerivedOnInsert, Flow, Graph, IndicesOnInsert, Morsel, Operator,
    OperatorState, Output, Pipeline, Progress, QueryContext, Read, Reader, Sink, SinkState, Source,
    Waker,
};
pub use discard::Discard;
pub use hook::{AnswerHook, Step, WorkHook};
pub use profile::{Profile, Report};
pub use scheduler::{Running, Scheduler};
pub use speed::SpeedLimits;

/// [`Scope::run`] with the profiler attached to the thread as far as the query asks for it: samples
/// of its stack, samples of its allocations, and hardware counters.
pub fn run<T>(scope: &mut Scope, work: impl FnOnce() -> T) -> T {
    let sampling = scope.sampling();
    let _stacks = attach(&AttachOptions {
        query: sampling.query,
        cpu_period_ns: sampling.cpu_period_ns,
        real_period_ns: sampling.real_period_ns,
        record: sampling.record,
    });
    // After the attachment, so that the memory of the attachment itself is not recorded.
    let _memory = watch(sampling.memory);
    scope.run(|| {
        // Within the scope, so that the counts go to the query.
        let _counting = count(sampling.counters);
        work()
    })
}
