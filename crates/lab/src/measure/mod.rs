//! Measuring: tests and two sides in, raw samples out.
//!
//! [`Plan`] lists what is measured. [`prepare()`] fills tables, once for both sides where they can
//! read the same parts, and compares both sides' tables where they cannot; [`Servers`] that go on
//! are left as they were. A [`Pair`] is one
//! process of each side, side by side; it warms a query up and runs it in blocks of ABBA. What
//! comes out are [`Samples`]: every run's value of every metric, nothing summed up. A [`Watch`]
//! hears of progress, and says when to stop.
//!
//! Absent on purpose: opinions. What samples mean is the room `verdict`'s.

mod answers;
mod counters;
mod machine;
mod pair;
mod plan;
mod prepare;
mod profile;
mod run_spec;
mod same;
mod samples;
mod script;
mod servers;
mod volatile;

use std::time::{Duration, Instant};

pub use machine::{Fact, cpu_model, facts, host};
pub use pair::{Pair, Trouble, at, first_side};
pub use plan::{Plan, Skipped, Tables, Unit, key};
pub use prepare::{Prepared, prepare};
pub use profile::{Kind, LEAST_REPEATS, Leaf, Leaves, Stacks};
pub use run_spec::{Limits, RunSpec};
pub(crate) use samples::pairs;
pub use samples::{Metric, PROCESSOR, Sample, Samples, Sides, are_positive};
pub use servers::Servers;

use crate::spec;

/// Elapsed seconds as the asking side sees them: what verdicts on time rest on.
pub const CLIENT_TIME: &str = "client_time";
/// Seconds that the server says.
pub const SERVER_TIME: &str = "server_time";
/// Seconds of processor time.
pub const CPU_TIME: &str = "cpu_time";
/// Peak of memory, bytes.
pub const MEMORY: &str = "memory";
/// Peak of memory where one thread does all of a query, bytes: of those whose peak varies with when
/// threads meet.
pub const LONE_MEMORY: &str = "memory_one_thread";
/// Bytes allocated in all.
pub const ALLOCATED: &str = "allocated";

/// All that a query can be judged by.
pub const JUDGED: [&str; 5] = [CLIENT_TIME, CPU_TIME, MEMORY, LONE_MEMORY, ALLOCATED];

/// Whether a metric is a peak of memory.
pub fn is_peak(metric: &str) -> bool {
    metric == MEMORY || metric == LONE_MEMORY
}

/// What queries take of memory: they are judged by it whatever else they are judged by.
pub const OF_MEMORY: [&str; 3] = [MEMORY, LONE_MEMORY, ALLOCATED];

/// The samples that a query is judged by.
pub fn judged_by(metric: spec::Metric) -> &'static str {
    match metric {
        spec::Metric::Time => CLIENT_TIME,
        spec::Metric::Cpu => CPU_TIME,
        spec::Metric::Memory => MEMORY,
        spec::Metric::Allocated => ALLOCATED,
    }
}

/// How much a query is run in one pair of processes: so many pairs of runs, and so many seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// Pairs of runs at least.
    pub pairs: usize,
    /// Seconds of runs of both sides at least, up to [`MOST_PAIRS`].
    pub seconds: f64,
}

/// More pairs of runs than this are not made for their seconds' sake.
pub const MOST_PAIRS: usize = 100;

impl Amount {
    /// Pairs of runs, where one takes so many seconds.
    pub fn pairs_of(&self, seconds: f64) -> usize {
        let wanted = (self.seconds / seconds.max(1e-6)).ceil().min(MOST_PAIRS as f64);
        self.pairs.max(wanted as usize)
    }
}

/// Seconds that a query takes in one pair of processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Of the warm-up of both sides.
    pub warm_up: f64,
    /// Of a pair of runs.
    pub pair: f64,
}

impl Cost {
    /// All of it.
    pub fn of(&self, amount: &Amount) -> f64 {
        self.warm_up + self.pair * amount.pairs_of(self.pair) as f64
    }
}

/// Who looks on.
pub trait Watch {
    /// What is going on, how much of it is done, of how much.
    fn progress(&mut self, what: &str, done: usize, of: usize);

    /// Something worth a line.
    fn say(&mut self, line: &str);

    /// Whether somebody wants an end.
    fn stopped(&self) -> bool;
}

/// A hard end.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// So much from now; never if `None`.
    pub fn after(budget: Option<Duration>) -> Self {
        Self(budget.and_then(|budget| Instant::now().checked_add(budget)))
    }

    /// Time left; `None` if there is no end.
    pub fn left(&self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// A limit that does not go beyond it; a millisecond at least, as 0 is none to servers.
    pub fn within(&self, limit: Duration) -> Duration {
        self.left().map_or(limit, |left| limit.min(left.max(Duration::from_millis(1))))
    }

    /// Whether something that takes so long still fits.
    pub fn fits(&self, seconds: f64) -> bool {
        self.left().is_none_or(|left| left.as_secs_f64() >= seconds)
    }
}
