//! Profiles: runs of their own under the sampling profiler, and their stacks. What they take is no
//! measurement.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_stats::location::median;
use entasis_stats::schedule::Side;
use serde_json::Value;

use super::pair::name;
use super::{Pair, at};
use crate::target::{Ask, Session, Setting};

/// Stacks of one query on one side: frames root first, and samples.
pub type Stacks = Vec<(Vec<String>, u64)>;

/// Where samples of one process were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaf {
    /// The function they are in and the one that called it, both as symbol tables name them:
    /// instances of one generic function stay apart.
    pub names: [String; 2],
    /// The address of the instruction, as the process knows it.
    pub address: u64,
    /// How many.
    pub samples: u64,
}

/// The leaves of a query's stacks.
pub type Leaves = Vec<Leaf>;

/// What a profile is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Processor time: a sample is a millisecond of a thread.
    Time,
    /// Memory: a sample is 64 KiB by which the statement's memory grew beyond what it had before.
    Memory,
}

const LIMIT: Duration = Duration::from_mins(2);

impl Kind {
    /// Settings that switch the profiler on.
    pub fn settings(self) -> Vec<Setting> {
        let all: &[(&str, &str)] = match self {
            Self::Time => &[
                ("query_profiler_cpu_time_period_ns", "1000000"),
                ("query_profiler_real_time_period_ns", "0"),
            ],
            Self::Memory => &[("memory_profiler_step", "65536")],
        };
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// What `system.trace_log` calls it.
    fn trace_type(self) -> &'static str {
        match self {
            Self::Time => "CPU",
            Self::Memory => "Memory",
        }
    }
}

impl Pair<'_> {
    /// Runs a query under the profiler, so many seconds on each side. Fails where it fails. Answers
    /// the seconds of a run, which the profiler is part of: the median of either side's.
    pub fn profile(&mut self, unit: usize, seconds: f64, kind: Kind) -> Result<[f64; 2]> {
        let limit = self.limit(unit, self.spec.limits.run);
        let settings = kind.settings();
        self.under(self.spec.with(&settings), |pair| {
            let mut one = |side: Side| {
                repeat(seconds, |repeat| {
                    let id = format!("{}.{repeat}", pair.profile_id(unit, side));
                    pair.execute(unit, side, limit, id).map(|took| took.client)
                })
            };
            Ok([one(Side::Old)?, one(Side::New)?])
        })
    }

    fn profile_id(&self, unit: usize, side: Side) -> String {
        let (test, query) = (&self.spec.plan.test(unit).name, self.spec.plan.query(unit).index);
        format!("{}{test}.query{query}.profile", self.profiles_of(side))
    }

    /// What the ids of a side's profiles begin with: both sides may be one server.
    fn profiles_of(&self, side: Side) -> String {
        format!("{}p{}.{}.", self.spec.run_id, self.spec.process, name(side))
    }

    /// The stacks of [`Pair::profile`]'s runs, of old and new, by unit.
    pub fn stacks(&mut self, units: &[usize], kind: Kind) -> Result<[HashMap<usize, Stacks>; 2]> {
        self.of_profiles(units, |session, prefix| read(session, prefix, kind))
    }

    /// The leaves of the same stacks.
    pub fn leaves(&mut self, units: &[usize], kind: Kind) -> Result<[HashMap<usize, Leaves>; 2]> {
        self.of_profiles(units, |session, prefix| leaves(session, prefix, kind))
    }

    fn of_profiles<T>(
        &mut self,
        units: &[usize],
        read: impl Fn(&mut dyn Session, &str) -> Result<HashMap<String, T>>,
    ) -> Result<[HashMap<usize, T>; 2]> {
        let mut both = [HashMap::new(), HashMap::new()];
        for side in [Side::Old, Side::New] {
            let prefix = self.profiles_of(side);
            let mut all = read(self.sessions[at(side)].as_mut(), &prefix)?;
            let found = units.iter().filter_map(|unit| {
                let id = self.profile_id(*unit, side);
                Some((*unit, all.remove(&id)?))
            });
            both[at(side)].extend(found);
        }
        Ok(both)
    }
}

/// A profile has so many runs at least.
pub const LEAST_REPEATS: u32 = 3;

/// Repeats until `seconds` have passed, [`LEAST_REPEATS`] times at least. A run says what it took;
/// the median of that comes back.
pub fn repeat(seconds: f64, mut run: impl FnMut(u32) -> Result<f64>) -> Result<f64> {
    let began = Instant::now();
    let mut took = Vec::new();
    while took.len() < LEAST_REPEATS as usize || began.elapsed().as_secs_f64() < seconds {
        took.push(run(took.len() as u32)?);
    }
    median(&took)
}

/// The stacks of all statements whose ids begin with `prefix`, by the id up to its last dot but
/// one: `RUN.QUERY.` of `RUN.QUERY.REPEAT.STATEMENT`. Empty for a side that keeps none.
pub fn read(
    session: &mut dyn Session,
    prefix: &str,
    kind: Kind,
) -> Result<HashMap<String, Stacks>> {
    let frames = "arrayReverse(arrayMap(a -> demangle(addressToSymbol(a)), trace))";
    let mut all: HashMap<String, Stacks> = HashMap::new();
    for (query, frames, samples) in rows(session, prefix, kind, frames)? {
        all.entry(query).or_default().push((frames, samples));
    }
    Ok(all)
}

/// The leaves of the same statements' stacks, by the same ids.
pub fn leaves(
    session: &mut dyn Session,
    prefix: &str,
    kind: Kind,
) -> Result<HashMap<String, Leaves>> {
    let frames = "arrayPushFront(arrayMap(a -> addressToSymbol(a), arraySlice(trace, 1, 2)), \
                  toString(trace[1]))";
    let mut all: HashMap<String, Leaves> = HashMap::new();
    for (query, mut frames, samples) in rows(session, prefix, kind, frames)? {
        frames.resize(3, String::new());
        let [address, leaf, caller] = [0, 1, 2].map(|at| std::mem::take(&mut frames[at]));
        let address = address.parse().unwrap_or(0);
        all.entry(query).or_default().push(Leaf { names: [leaf, caller], address, samples });
    }
    Ok(all)
}

/// Names of frames and samples, by the id up to its last dot but one.
fn rows(
    session: &mut dyn Session,
    prefix: &str,
    kind: Kind,
    frames: &str,
) -> Result<Vec<(String, Vec<String>, u64)>> {
    if !session.has_system_tables() {
        return Ok(Vec::new());
    }
    let introspect = [("allow_introspection_functions".to_owned(), "1".to_owned())];
    let mut ask = |text: &str| {
        let ask = Ask { text, database: "", settings: &introspect, id: "", limit: LIMIT };
        session.text(&ask)
    };
    ask("SYSTEM FLUSH LOGS")?;
    // Rows of all repeats and statements of a query are one.
    let rows = ask(&format!(
        "SELECT replaceRegexpOne(query_id, '[.][^.]*[.][^.]*$', '') AS id, {frames} AS frames, \
                count() AS samples \
         FROM system.trace_log \
         WHERE startsWith(query_id, '{prefix}') AND trace_type = '{}' \
         GROUP BY id, frames FORMAT JSONEachRow",
        kind.trace_type()
    ))?;
    let mut all = Vec::new();
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).map_err(|e| {
            Error::new(codes::CANNOT_PARSE_TEXT, "A row of trace_log is no JSON").with_cause(e)
        })?;
        let query = row["id"].as_str().unwrap_or_default().to_owned();
        let frames = row["frames"].as_array().into_iter().flatten();
        let frames = frames.filter_map(|f| f.as_str().map(str::to_owned)).collect();
        let samples = &row["samples"];
        let samples = samples.as_u64().or_else(|| samples.as_str()?.parse().ok()).unwrap_or(0);
        all.push((query, frames, samples));
    }
    Ok(all)
}
