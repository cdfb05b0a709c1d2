//! What a pair of processes runs, and how.

use std::collections::HashMap;

use entasis_stats::schedule::Side;

use super::pair::first_side;
use super::{Deadline, Plan};
use crate::target::Setting;

/// Limits and sizes of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Seconds of a warm-up.
    pub warm_up: f64,
    /// Seconds of a measured run.
    pub run: f64,
    /// A run repeats its query until it takes so many seconds, so that what is measured is the
    /// query and not the asking. No more: turns that are long meet different noise.
    pub least: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { warm_up: 180.0, run: 15.0, least: 0.01 }
    }
}

/// What runs, under which settings and names. It does not change: runs that differ from the others
/// have a copy ([`super::Pair::under`]).
#[derive(Clone)]
pub struct RunSpec<'a> {
    /// What is measured.
    pub plan: &'a Plan,
    /// Settings of each side's statements, old and new, over the tests' own.
    pub settings: [Vec<Setting>; 2],
    /// By unit: both sides' settings of single queries, which go over all others.
    pub planted: HashMap<u32, [Vec<Setting>; 2]>,
    /// A text in place of the new side's query.
    pub versus: Option<String>,
    /// When all of it ends, whatever is running.
    pub deadline: Deadline,
    /// The side that is warmed up first.
    pub first: Side,
    /// Which seed decides the order.
    pub seed: u64,
    /// Stage and number of this pair of processes.
    pub stage: u8,
    /// See `stage`.
    pub process: u16,
    /// What ids of statements begin with.
    pub run_id: String,
    /// Limits.
    pub limits: Limits,
    /// Whether one thread works on a statement, for its peak of memory.
    pub alone: bool,
}

impl<'a> RunSpec<'a> {
    /// Runs of all that a plan has, without an end. What decides their order and names their
    /// samples: the seed, the stage, the process's number.
    pub fn new(
        plan: &'a Plan,
        settings: [Vec<Setting>; 2],
        (seed, stage, process): (u64, u8, u16),
        run_id: &str,
        limits: Limits,
    ) -> Self {
        Self {
            plan,
            settings,
            planted: HashMap::new(),
            versus: None,
            deadline: Deadline::after(None),
            first: first_side(process, 1),
            seed,
            stage,
            process,
            run_id: run_id.to_owned(),
            limits,
            alone: false,
        }
    }

    /// The same runs under another id.
    #[must_use]
    pub fn named(&self, run_id: String) -> Self {
        Self { run_id, ..self.clone() }
    }

    /// The same runs with these settings on both sides, too.
    #[must_use]
    pub fn with(&self, settings: &[Setting]) -> Self {
        let mut spec = self.clone();
        spec.settings.iter_mut().for_each(|side| side.extend_from_slice(settings));
        spec
    }

    /// The same runs, each by one thread.
    #[must_use]
    pub fn by_one_thread(&self) -> Self {
        let one = ("max_threads".to_owned(), "1".to_owned());
        Self { alone: true, ..self.with(&[one]) }
    }
}
