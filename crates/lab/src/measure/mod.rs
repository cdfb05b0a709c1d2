//! Measuring: tests and two sides in, raw samples out.
//!
//! [`Plan`] lists what is measured. [`prepare()`] fills tables, once for both sides where they can
//! read the same parts. A [`Pair`] is one process of each side, side by side; it warms a query up
//! and runs it in blocks of ABBA. What comes out are [`Samples`]: every run's value of every
//! metric, nothing summed up. A [`Watch`] hears of progress, and says when to stop.
//!
//! Absent on purpose: opinions. What samples mean is the room `verdict`'s.

mod counters;
mod machine;
mod pair;
mod plan;
mod prepare;
mod profile;
mod samples;
mod script;

use std::time::{Duration, Instant};

pub use machine::{Fact, cpu_model, facts, host};
pub use pair::{Limits, Pair, Trouble, at};
pub use plan::{Plan, Skipped, Unit, key};
pub use prepare::{Prepared, prepare};
pub use profile::Stacks;
pub(crate) use samples::pairs;
pub use samples::{Metric, Sample, Samples, Sides};

/// Elapsed seconds as the asking side sees them: what verdicts on time rest on.
pub const CLIENT_TIME: &str = "client_time";
/// Seconds that the server says.
pub const SERVER_TIME: &str = "server_time";
/// Seconds of processor time.
pub const CPU_TIME: &str = "cpu_time";
/// Peak of memory, bytes.
pub const MEMORY: &str = "memory";
/// Bytes allocated in all.
pub const ALLOCATED: &str = "allocated";

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

    /// Whether something that takes so long still fits.
    pub fn fits(&self, seconds: f64) -> bool {
        self.left().is_none_or(|left| left.as_secs_f64() >= seconds)
    }
}
