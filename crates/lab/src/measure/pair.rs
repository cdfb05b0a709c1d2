//! One process of each side, running side by side, and the runs of one query in them.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_stats::schedule::{Side, pairs};

use super::plan::quiet;
use super::run_spec::RunSpec;
use super::samples::{Sample, Samples};
use super::volatile::Volatile;
use super::{
    Amount, CLIENT_TIME, Cost, LONE_MEMORY, MEMORY, Prepared, SERVER_TIME, counters, script,
};
use crate::spec::{Language, TestFile};
use crate::target::{Ask, Session, Setting, Took};

/// No statement may take longer, in seconds, whatever its test says: a month.
const LONGEST: f64 = 2_592_000.0;
/// A query with its own limit of seconds is repeated until a side has had so many of them.
const BUDGETS: f64 = 3.0;
/// Most repetitions within a run.
const MOST_REPEATS: f64 = 100.0;

/// What is said of a side that ended.
const ENDED: &str = "its process ended";

/// Why a query has no samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It works on one side only; the other one's error.
    Partial(Side, String),
    /// It works on neither.
    Broken(String),
}

/// One process of each side.
pub struct Pair<'a> {
    /// What they run.
    pub(super) spec: RunSpec<'a>,
    /// Old, new.
    pub(super) sessions: [Box<dyn Session>; 2],
    /// Tables of old and new that these processes have to be given.
    volatile: [Volatile; 2],
    /// Tests that the old side has no tables of, and why.
    pub(super) new_only: BTreeMap<usize, String>,
    /// Runs by id: unit, run, and how many statements it was.
    ids: HashMap<String, Place>,
    /// Readings of counters so far: each asks for the statements since the one before.
    batch: u32,
}

#[derive(Clone, Copy)]
struct Place {
    unit: u32,
    run: u16,
    /// 1 over the statements of the run.
    share: f64,
    /// Whether one thread did it.
    alone: bool,
}

impl Place {
    /// What a counter of this run is kept as.
    fn kept<'n>(&self, name: &'n str) -> Option<&'n str> {
        match self.alone {
            true => (name == MEMORY).then_some(LONE_MEMORY),
            false => Some(name),
        }
    }
}

impl<'a> Pair<'a> {
    /// A pair that has measured nothing yet.
    pub fn new(spec: RunSpec<'a>, prepared: &Prepared, sessions: [Box<dyn Session>; 2]) -> Self {
        let plan = spec.plan;
        let mut pair = Self {
            spec,
            sessions,
            volatile: prepared.volatile.clone(),
            new_only: prepared.new_only.clone(),
            ids: HashMap::new(),
            batch: 0,
        };
        // Parts that queries write are merged on their own time, not on the next query's, unless
        // that is what a query is about.
        if !plan.merges() {
            pair.tell("SYSTEM STOP MERGES");
        }
        pair
    }

    /// What the processes run.
    pub fn spec(&self) -> &RunSpec<'a> {
        &self.spec
    }

    /// Does work whose runs are those of another specification.
    pub fn under<R>(&mut self, spec: RunSpec<'a>, work: impl FnOnce(&mut Self) -> R) -> R {
        let usual = std::mem::replace(&mut self.spec, spec);
        let done = work(self);
        self.spec = usual;
        done
    }

    /// Warms a query up on both sides and runs it in blocks of ABBA. Answers what that cost. What
    /// works on one side only runs there as often, compared with nothing.
    pub fn measure(
        &mut self,
        unit: usize,
        amount: &Amount,
        samples: &mut Samples,
    ) -> std::result::Result<Cost, Trouble> {
        let [old, new] = match self.warm_up_both(unit) {
            Err(Trouble::Partial(side, error)) => {
                self.run_alone(unit, side.other(), amount.pairs, samples);
                return Err(Trouble::Partial(side, error));
            }
            warm => warm?,
        };
        let slower = old.max(new).max(1e-6);
        let repeats = (self.spec.limits.least / slower).ceil().clamp(1.0, MOST_REPEATS);
        let count = amount.pairs_of((old + new) * repeats);
        let key = self.spec.plan.units[unit].key;
        let (mut run, mut spent) = (0, 0.0);
        for pair in pairs(self.spec.seed, u64::from(self.spec.process), key, count) {
            for side in pair {
                let took = self.run(unit, side, run, repeats as u32);
                let took = match took {
                    Ok(took) => took,
                    Err(e) => return Err(self.trouble(unit, side, format!("run {run}: {e}"))),
                };
                spent += took.client * repeats;
                self.keep(unit, side, run, took, samples);
                run += 1;
            }
            let own = self.spec.plan.test(unit).attributes.max_query_seconds;
            if own.is_some_and(|limit| spent > 2.0 * BUDGETS * limit) {
                break;
            }
        }
        Ok(Cost { warm_up: old + new, pair: spent / (f64::from(run) / 2.0) })
    }

    /// What an error of a measured run is: its side's, if that has ended with it or the other one
    /// can do the query within the same limit.
    fn trouble(&mut self, unit: usize, side: Side, error: String) -> Trouble {
        if self.sessions[at(side)].has_ended() {
            return Trouble::Partial(side, format!("{ENDED}: {error}"));
        }
        let limit = self.limit(unit, self.spec.limits.run);
        match self.execute(unit, side.other(), limit, String::new()) {
            Ok(_) => Trouble::Partial(side, error),
            Err(_) => Trouble::Broken(error),
        }
    }

    /// The trouble of a query at which the process of a side has ended; nothing more can be
    /// measured here then.
    pub fn ended(&mut self) -> Option<Trouble> {
        let side = [Side::Old, Side::New].into_iter().find(|s| self.sessions[at(*s)].has_ended());
        side.map(|side| Trouble::Partial(side, ENDED.to_owned()))
    }

    /// Runs a query on one side as long as it works, and no longer than a measured run may.
    fn run_alone(&mut self, unit: usize, side: Side, runs: usize, samples: &mut Samples) {
        let limit = self.limit(unit, self.spec.limits.run);
        let Ok(first) = self.execute(unit, side, limit, String::new()) else { return };
        let repeats =
            (self.spec.limits.least / first.client.max(1e-6)).ceil().clamp(1.0, MOST_REPEATS);
        let mut spent = 0.0;
        for run in 0..runs as u16 {
            let Ok(took) = self.run(unit, side, run, repeats as u32) else { return };
            self.keep(unit, side, run, took, samples);
            spent += took.client * repeats;
            if spent > limit.as_secs_f64() {
                return;
            }
        }
    }

    /// Seconds of the first run on each side, which nobody compares.
    fn warm_up_both(&mut self, unit: usize) -> std::result::Result<[f64; 2], Trouble> {
        self.purge();
        let first = self.spec.first;
        let mut warm: [std::result::Result<f64, String>; 2] = [Ok(0.0), Ok(0.0)];
        for side in [first, first.other()] {
            warm[at(side)] = self.warm_up(unit, side);
        }
        match warm {
            [Ok(old), Ok(new)] => Ok([old, new]),
            [Err(old), Err(new)] if old == new => Err(Trouble::Broken(old)),
            [Err(old), Err(new)] => {
                Err(Trouble::Broken(format!("old side: {old}; new side: {new}")))
            }
            [Err(old), Ok(_)] => Err(Trouble::Partial(Side::Old, old)),
            [Ok(_), Err(new)] => Err(Trouble::Partial(Side::New, new)),
        }
    }

    /// Runs a query with the processor's counters on, where the side has any. Costs two pairs of
    /// runs.
    pub fn count_processor(
        &mut self,
        unit: usize,
        samples: &mut Samples,
    ) -> std::result::Result<(), Trouble> {
        let on = ("metrics_perf_events_enabled".to_owned(), "1".to_owned());
        let amount = Amount { pairs: 2, seconds: 0.0 };
        self.under(self.spec.with(&[on]), |pair| pair.measure(unit, &amount, samples).map(drop))
    }

    /// Runs a query once on each side by one thread, for a peak that does not vary with when
    /// threads meet. No more of these runs is kept. Fails where it fails.
    pub fn measure_alone(&mut self, unit: usize) -> Result<()> {
        let mut turns = [self.spec.first, self.spec.first.other()].into_iter().zip(0..);
        self.under(self.spec.by_one_thread(), |pair| {
            turns.try_for_each(|(side, run)| pair.run(unit, side, run, 1).map(drop))
        })
    }

    /// How both sides plan a query; empty for what is no single SELECT.
    pub fn plans(&mut self, unit: usize) -> [String; 2] {
        let plan = self.spec.plan;
        let query = plan.query(unit);
        let database = plan.database(plan.units[unit].test);
        let limit = self.limit(unit, self.spec.limits.run);
        [Side::Old, Side::New].map(|side| {
            let [own] = query.statements.as_slice() else { return String::new() };
            let text = match &self.spec.versus {
                Some(versus) if side == Side::New => versus,
                _ => own,
            };
            let settings = settings_of(plan.test(unit), &self.spec.settings[at(side)]);
            let text = format!("EXPLAIN {text}");
            let ask = Ask { text: &text, database: &database, settings: &settings, id: "", limit };
            self.sessions[at(side)].text(&ask).unwrap_or_default()
        })
    }

    fn warm_up(&mut self, unit: usize, side: Side) -> std::result::Result<f64, String> {
        let limit = self.limit(unit, self.spec.limits.warm_up);
        let took = self.execute(unit, side, limit, String::new());
        let ended = took.is_err() && self.sessions[at(side)].has_ended();
        let error = |e| if ended { format!("{ENDED}: {e}") } else { format!("{e}") };
        took.map(|took| took.client).map_err(error)
    }

    /// Seconds of one statement, the mean over the run's.
    fn run(&mut self, unit: usize, side: Side, run: u16, repeats: u32) -> Result<Took> {
        let limit = self.limit(unit, self.spec.limits.run);
        let mut sum = Took { client: 0.0, server: Some(0.0) };
        let share = 1.0 / f64::from(repeats);
        let place = Place { unit: unit as u32, run, share, alone: self.spec.alone };
        for repeat in 0..repeats {
            let id = self.id(unit, side, run, repeat);
            let statements = self.spec.plan.query(unit).statements.len();
            for statement in 0..statements {
                self.ids.insert(statement_id(&id, statement), place);
            }
            let took = self.execute(unit, side, limit, id)?;
            sum.client += took.client;
            sum.server = sum.server.zip(took.server).map(|(sum, took)| sum + took);
        }
        Ok(Took { client: sum.client * share, server: sum.server.map(|s| s * share) })
    }

    fn id(&self, unit: usize, side: Side, run: u16, repeat: u32) -> String {
        let (test, query) = (&self.spec.plan.test(unit).name, self.spec.plan.query(unit).index);
        let (batch, kind) = (self.batch_of(side), if self.spec.alone { "alone" } else { "run" });
        format!("{batch}{test}.query{query}.{kind}{run}.{repeat}")
    }

    /// What the ids of a side's runs since the last reading of counters begin with: both sides may
    /// be one server.
    fn batch_of(&self, side: Side) -> String {
        format!("{}p{}.b{}.{}.", self.spec.run_id, self.spec.process, self.batch, name(side))
    }

    /// Runs all statements of a query once.
    pub(super) fn execute(
        &mut self,
        unit: usize,
        side: Side,
        limit: Duration,
        id: String,
    ) -> Result<Took> {
        let plan = self.spec.plan;
        let (test, query) = (plan.test(unit), plan.query(unit));
        let database = plan.database(plan.units[unit].test);
        let missing = self.new_only.get(&plan.units[unit].test).filter(|_| side == Side::Old);
        if let Some(error) = missing {
            return Err(Error::new(codes::UNKNOWN_TABLE, error.clone()));
        }
        let session = &mut self.sessions[at(side)];
        self.volatile[at(side)].restore(session.as_mut(), &database, self.spec.deadline)?;
        if query.language == Language::Shell {
            let mut environment = session.environment();
            environment.push(("CLICKHOUSE_DATABASE".to_owned(), database));
            let script = &query.statements[0];
            let client = script::run(script, &environment, limit)?;
            return Ok(Took { client, server: None });
        }
        let planted = self.spec.planted.get(&(unit as u32)).map(|sides| &sides[at(side)]);
        let mut settings = settings_of(test, &self.spec.settings[at(side)]);
        settings.extend(planted.into_iter().flatten().cloned());
        let versus =
            self.spec.versus.as_ref().filter(|_| side == Side::New).map(std::slice::from_ref);
        let mut sum = Took { client: 0.0, server: Some(0.0) };
        for (number, text) in versus.unwrap_or(&query.statements).iter().enumerate() {
            let id = if id.is_empty() { String::new() } else { statement_id(&id, number) };
            let ask = Ask { text, database: &database, settings: &settings, id: &id, limit };
            let took = session.run(&ask)?;
            sum.client += took.client;
            sum.server = sum.server.zip(took.server).map(|(sum, took)| sum + took);
        }
        if sum.client > limit.as_secs_f64() {
            let message = format!("took {:.1} s, more than {limit:?}", sum.client);
            return Err(Error::new(codes::TIMEOUT_EXCEEDED, message));
        }
        Ok(sum)
    }

    pub(super) fn limit(&self, unit: usize, usual: f64) -> Duration {
        let own = self.spec.plan.test(unit).attributes.max_query_seconds;
        self.spec.deadline.within(Duration::from_secs_f64(own.unwrap_or(usual).min(LONGEST)))
    }

    /// Both sides' allocators give back what they keep: what a query meets must not depend on which
    /// one ran before it.
    fn purge(&mut self) {
        self.tell("SYSTEM JEMALLOC PURGE");
    }

    /// Gives both sides a command; those that do not know it are left alone.
    fn tell(&mut self, text: &str) {
        let limit = Duration::from_secs(10);
        for session in &mut self.sessions {
            if session.has_system_tables() {
                let ask = Ask { text, database: "", settings: &[], id: "", limit };
                let _ = session.run(&ask);
            }
        }
    }

    fn keep(&self, unit: usize, side: Side, run: u16, took: Took, samples: &mut Samples) {
        let mut add = |name: &str, value: f64| {
            let metric = samples.metric(name);
            let (unit, stage, process) = (unit as u32, self.spec.stage, self.spec.process);
            samples.push(Sample { unit, side, stage, process, run, metric, value });
        };
        add(CLIENT_TIME, took.client);
        // A server's own figure is in its log; the one that comes with an answer may be early.
        if let Some(server) = took.server.filter(|_| !self.sessions[at(side)].has_system_tables()) {
            add(SERVER_TIME, server);
        }
    }

    /// Reads what the servers counted of the runs so far. An error if one of them does not say; the
    /// other one's counts are there.
    pub fn count(&mut self, samples: &mut Samples) -> Result<()> {
        let mut done = Ok(());
        for side in [Side::Old, Side::New] {
            let mut sums: HashMap<(u32, u16, u16), f64> = HashMap::new();
            let prefix = self.batch_of(side);
            let session = self.sessions[at(side)].as_mut();
            let counted = counters::read(session, &prefix).unwrap_or_else(|e| {
                done = Err(e);
                counters::ById::new()
            });
            for (id, metrics) in counted {
                let Some(place) = self.ids.get(&id) else { continue };
                for (name, value) in metrics {
                    let Some(name) = place.kept(&name) else { continue };
                    let key = (place.unit, place.run, samples.metric(name));
                    *sums.entry(key).or_insert(0.0) += value * place.share;
                }
            }
            let mut sums: Vec<_> = sums.into_iter().collect();
            sums.sort_by_key(|(key, _)| *key);
            for ((unit, run, metric), value) in sums {
                let (stage, process) = (self.spec.stage, self.spec.process);
                samples.push(Sample { unit, side, stage, process, run, metric, value });
            }
        }
        self.batch += 1;
        self.ids.clear();
        done
    }
}

/// Settings of a test's statements: those that keep a server quiet, the test's, the side's; the
/// last one of a name counts.
pub(super) fn settings_of(test: &TestFile, side: &[Setting]) -> Vec<Setting> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let mut all = quiet(test.attributes.threads.unwrap_or(threads));
    all.extend(test.settings.iter().chain(side).cloned());
    all
}

/// The side that is started and warmed up first in a pair of processes: in turn, and each build of
/// several in either way.
pub fn first_side(process: u16, layouts: u16) -> Side {
    // An even number of builds would meet each build with the same side first.
    let rounds = if layouts % 2 == 0 { process / layouts } else { 0 };
    if (process + rounds) % 2 == 0 { Side::Old } else { Side::New }
}

/// Where a side stands in pairs of things.
pub fn at(side: Side) -> usize {
    usize::from(side == Side::New)
}

/// A side as ids have it.
pub(super) fn name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

fn statement_id(id: &str, statement: usize) -> String {
    format!("{id}.{statement}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_build_starts_with_either_side() {
        for layouts in 1..=9 {
            for build in 0..layouts {
                let process = |round: u16| first_side(build + round * layouts, layouts);
                assert_eq!(process(1), process(0).other(), "{layouts} builds");
                assert_eq!(process(2), process(0));
            }
        }
    }
}
