//! Runs both stages within the budget.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result};
use entasis_stats::rng::stream;
use entasis_stats::schedule::{Side, order};

use super::candidates::SCREENED;
use super::causes;
use super::drift::Drift;
use super::outcome::{DIFFER, shown};
use super::{Outcome, Request, note_uncounted, rules_text};
use crate::measure::{
    self, Amount, CLIENT_TIME, Cost, Deadline, Pair, Prepared, RunSpec, Samples, Servers, Skipped,
    Watch,
};
use crate::store::{Fate, Host, QueryRow, RunRow, Store, Stored};
use crate::target::Options;
use crate::verdict::Known;

/// Stage 1 may take so much of the budget; what it leaves is stage 2's.
const FIRST_SHARE: f64 = 0.55;
/// Profiles of what changed have so much of what stage 1 leaves: a change without its cause is half
/// of an answer.
pub(super) const PROFILE_SHARE: f64 = 0.15;
/// Seconds of a restart of both sides, and of reading their counters, before one was seen.
const RESTART: f64 = 1.5;
/// Samples go to the store after so many queries of stage 1.
const SAVE_EVERY: usize = 100;

/// What ended stage 1.
enum Ended {
    /// A side, which does not start any more.
    Side(Error),
    /// The store: nothing more can be kept.
    Store(Error),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Side(error)
    }
}

/// A comparison at work.
pub(super) struct Campaign<'a> {
    pub(super) request: &'a Request,
    pub(super) run: RunRow,
    pub(super) queries: Vec<QueryRow>,
    pub(super) samples: Samples,
    pub(super) saved: usize,
    history: HashMap<(u64, String), Known>,
    /// What a query's stage 1 took.
    pub(super) cost: HashMap<usize, Cost>,
    /// Runs that a query gets in a process of stage 2.
    pub(super) amounts: HashMap<usize, Amount>,
    /// Queries whose peaks vary: one thread runs them, too.
    pub(super) alone: HashSet<usize>,
    pub(super) differing: Vec<u32>,
    /// Queries that both sides answered alike.
    pub(super) agreeing: BTreeSet<u32>,
    skipped: Vec<Skipped>,
    started: Instant,
    pub(super) deadline: Deadline,
    /// Of stage 2.
    pub(super) second_end: Deadline,
    pub(super) restart: f64,
    pub(super) next_process: u16,
    /// Pairs of processes whose profiles the store has of this run.
    pub(super) profiled: u16,
    /// Whether stage 2 ended before its planned pairs.
    pub(super) cut_short: bool,
    pub(super) drift: Drift,
}

impl<'a> Campaign<'a> {
    pub fn new(request: &'a Request, before: Option<Stored>, store: &mut Store) -> Result<Self> {
        let host = Host::this();
        let history = store.history(&host.cpu, &request.run.sides)?;
        let mut run = RunRow { host, state: "running".into(), ..request.run.clone() };
        run.rules = rules_text(&request.rules);
        run.budget = request.budget.map_or(0.0, |budget| budget.as_secs_f64());
        let facts = measure::facts().into_iter();
        run.facts.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        run.facts.extend(request.quiet());
        run.set_layouts(request.sides[0].builds());
        run.note_problems(&request.plan.unread);
        run.note_set_ups(request);
        let plan = &request.plan;
        let short = (0..plan.units.len()).filter(|unit| plan.query(*unit).short);
        run.set_short(short.map(|unit| unit as u32));
        let mut campaign = Self {
            queries: queries(request),
            samples: Samples::of_layouts(run.layouts()),
            run,
            saved: 0,
            history,
            cost: HashMap::new(),
            amounts: HashMap::new(),
            alone: HashSet::new(),
            differing: Vec::new(),
            agreeing: BTreeSet::new(),
            skipped: Vec::new(),
            started: Instant::now(),
            deadline: Deadline::after(request.budget),
            second_end: Deadline::after(request.budget),
            restart: RESTART,
            next_process: 0,
            profiled: 0,
            cut_short: false,
            drift: Drift::new(),
            request,
        };
        if let Some(before) = before {
            campaign.go_on(before)?;
        }
        store.save_run(&campaign.run)?;
        // Of a run that breaks off they say what was not tested.
        store.save_queries(&campaign.run.id, &campaign.queries)?;
        Ok(campaign)
    }

    pub fn run(mut self, store: &mut Store, watch: &mut dyn Watch) -> Result<Outcome> {
        let request = self.request;
        let Request { plan, sides, options, work, data, .. } = request;
        store.rest();
        let data = data.as_deref();
        // Tables that are there already are left by who has filled them.
        let mut servers = request.prepared.is_none().then(|| Servers::of(plan, sides));
        let prepared = match &request.prepared {
            Some(prepared) => prepared.clone(),
            None => measure::prepare(plan, data, sides, options, work, self.deadline, watch)?,
        };
        servers.iter_mut().for_each(Servers::made);
        for skipped in &prepared.skipped {
            watch.say(&format!("{}: {}", skipped.test, skipped.reason));
            let of_test = self.queries.iter_mut().filter(|q| q.test == skipped.test);
            of_test.for_each(|q| q.trouble.clone_from(&skipped.reason));
        }
        self.skipped.clone_from(&prepared.skipped);
        self.run.note_filled(&prepared);
        let outcome = self.stages(&prepared, store, watch);
        if let Some(servers) = servers {
            servers.leave(watch);
        }
        outcome
    }

    /// Both stages, and what comes of them.
    fn stages(
        mut self,
        prepared: &Prepared,
        store: &mut Store,
        watch: &mut dyn Watch,
    ) -> Result<Outcome> {
        match self.first(prepared, store, watch) {
            Ok(()) => self.second(prepared, store, watch)?,
            // What was measured by now is worth its report, which says what ended it.
            Err(Ended::Side(error)) => self.first_ended_early(&error),
            Err(Ended::Store(error)) => return Err(error),
        }
        self.finish(prepared, store, watch)
    }

    fn finish(
        mut self,
        prepared: &Prepared,
        store: &mut Store,
        watch: &mut dyn Watch,
    ) -> Result<Outcome> {
        note_uncounted(&mut self.queries, &self.samples);
        note_differing(&mut self.queries, &self.differing);
        let known = |unit: u32, metric: &str| self.known(unit as usize, metric);
        let Request { rules, .. } = self.request;
        let mut shown = shown(&self.queries, &self.samples, rules, self.run.seed, &known)?;
        let changed = causes::changed(&shown);
        let mut evidence = self.evidence(&changed, &causes::hungry(&shown), prepared, watch);
        let explained = causes::name_functions(&mut shown, &self.samples, &evidence)?;
        let timed = causes::timed(&shown);
        let identical = self.machine_code(&timed, &explained, &mut evidence, watch);
        let (differing, calibration) = (&self.differing, &self.calibration());
        let (identical, same_build) = (&identical, self.same_build());
        let known =
            causes::Known { evidence: &evidence, differing, identical, calibration, same_build };
        causes::explain(&mut shown, &self.samples, &known)?;
        let untested = self.queries.iter().any(|q| q.fate() == Fate::Untested);
        let partial = watch.stopped() || untested || self.cut_short;
        let name = |unit: usize| self.request.plan.name(unit);
        let drift = self.drift.text(name).map(|text| ("calibration".to_owned(), text));
        self.run.facts.extend(drift);
        self.run.state = if partial { "partial" } else { "finished" }.into();
        self.run.spent += self.started.elapsed().as_secs_f64();
        self.save(store)?;
        store.save_verdicts(&self.run, &self.queries, &shown)?;
        store.save_stacks(&self.run, &self.queries, &evidence, self.profiled)?;
        store.save_plans(&self.run, &self.queries, &evidence)?;
        store.save_assembly(&self.run, &self.queries, &evidence)?;
        store.save_run(&self.run)?;
        let Self { run, queries, samples, differing, agreeing, skipped, .. } = self;
        Ok(Outcome { run, queries, samples, shown, differing, agreeing, skipped, evidence })
    }

    pub(super) fn known(&self, unit: usize, metric: &str) -> Known {
        let key = (self.request.plan.units[unit].key, metric.to_owned());
        let known = self.history.get(&key).copied().unwrap_or_default();
        // History is of pairs that had one build: how builds differ it does not know.
        let pair = known.pair.filter(|_| self.samples.layouts() == 1);
        Known { pair, ..known }
    }

    pub(super) fn save(&mut self, store: &mut Store) -> Result<()> {
        store.save_samples(&self.run, &self.queries, &self.samples, self.saved)?;
        self.saved = self.samples.rows().len();
        // What answers otherwise is measured on while the run goes on; if it breaks off, it is
        // known.
        let mut queries = self.queries.clone();
        note_differing(&mut queries, &self.differing);
        store.save_queries(&self.run.id, &queries)?;
        store.rest();
        Ok(())
    }

    /// Every query in one pair of processes, and in up to three more those that it says too little
    /// of.
    fn first(
        &mut self,
        prepared: &Prepared,
        store: &mut Store,
        watch: &mut dyn Watch,
    ) -> std::result::Result<(), Ended> {
        let left = self.deadline.left().map(|left| left.mul_f64(FIRST_SHARE));
        let end = Deadline::after(left);
        let todo = self.first_order();
        self.screening("stage 1", &todo, end, prepared, store, watch)?;
        for _ in 1..SCREENED {
            let unclear = self.unclear()?;
            if watch.stopped() || !end.fits(self.restart) {
                break;
            }
            self.screening("stage 1, once more", &unclear, end, prepared, store, watch)?;
        }
        self.first_with_the_rest(prepared, store, watch)
    }

    /// Queries that stage 1's share of the budget had no room for, in what stage 2 will leave.
    fn first_with_the_rest(
        &mut self,
        prepared: &Prepared,
        store: &mut Store,
        watch: &mut dyn Watch,
    ) -> std::result::Result<(), Ended> {
        loop {
            // There was no time to fill the tables of some.
            let has_tables = |query: &&QueryRow| self.skipped.iter().all(|s| s.test != query.test);
            let late = self.queries.iter().filter(has_tables).filter(|q| q.trouble == self.late());
            let late: Vec<usize> = late.map(|query| query.unit as usize).collect();
            if late.is_empty() || watch.stopped() {
                return Ok(());
            }
            let spare = self.spare()?.map_or(0.0, |spare| spare * FIRST_SHARE - self.restart);
            if late.iter().all(|unit| self.expected(*unit) > spare) {
                return Ok(());
            }
            late.iter().for_each(|unit| self.queries[*unit].trouble.clear());
            let todo = self.first_order();
            let end = Deadline::after(Some(Duration::from_secs_f64(spare)));
            let before = self.cost.len();
            self.screening("stage 1, the rest", &todo, end, prepared, store, watch)?;
            if self.cost.len() == before {
                return Ok(());
            }
        }
    }

    /// The trouble of queries that there was no time for.
    pub(super) fn late(&self) -> String {
        format!("{}: budget", Fate::Untested.name())
    }

    /// Queries in one pair of processes of stage 1.
    fn screening(
        &mut self,
        what: &str,
        todo: &[usize],
        end: Deadline,
        prepared: &Prepared,
        store: &mut Store,
        watch: &mut dyn Watch,
    ) -> std::result::Result<(), Ended> {
        if todo.is_empty() {
            return Ok(());
        }
        let mut pair = self.pair(prepared, 1)?;
        let mut counted = 0;
        let (rules, yardsticks) = (&self.request.rules, self.calibration());
        for (done, &unit) in todo.iter().enumerate() {
            watch.progress(what, done, todo.len());
            pair = self.living(pair, prepared, 1, watch)?;
            let again = self.cost.contains_key(&unit);
            self.drift.look(&mut pair, &yardsticks);
            let expected = self.expected(unit);
            if watch.stopped() || !end.fits(expected) {
                if again {
                    break;
                }
                self.queries[unit].trouble = match watch.stopped() {
                    true => format!("{}: the run was stopped", Fate::Untested.name()),
                    false => self.late(),
                };
                continue;
            }
            match pair.measure(unit, &rules.first, &mut self.samples) {
                Ok(cost) => {
                    self.cost.insert(unit, cost);
                    if !again {
                        self.compare_answers(unit, &mut pair, watch);
                    }
                    self.note_ended(unit, &mut pair, prepared, watch);
                }
                Err(trouble) => self.broken(unit, &trouble, prepared, watch),
            }
            if done % SAVE_EVERY == SAVE_EVERY - 1 {
                pair = self.count(pair, &todo[counted..=done], end, prepared, watch)?;
                counted = done + 1;
                self.save(store).map_err(Ended::Store)?;
            }
        }
        drop(self.count(pair, &todo[counted..], end, prepared, watch)?);
        self.save(store).map_err(Ended::Store)
    }

    /// Queries that have no samples yet: those first of which history knows that much can be learnt
    /// in little time, the others in random order.
    fn first_order(&self) -> Vec<usize> {
        let count = self.request.plan.units.len();
        let shuffled = order(self.run.seed, 0, &[count]).into_iter().map(|place| place.query);
        let mut todo: Vec<usize> = shuffled
            .filter(|unit| self.queries[*unit].trouble.is_empty() && !self.cost.contains_key(unit))
            .collect();
        let total: f64 = todo.iter().map(|unit| self.expected(*unit)).sum();
        if !self.deadline.fits(total / FIRST_SHARE) {
            let value = |unit: &usize| self.value(*unit);
            todo.sort_by(|a, b| value(b).total_cmp(&value(a)));
        }
        todo
    }

    /// How much a query's stage 1 tells per second: whether 5 % would be seen, over its cost.
    fn value(&self, unit: usize) -> f64 {
        let known = self.known(unit, &self.queries[unit].metric);
        let pairs = self.request.rules.pairs as f64;
        let z = known.pair.map_or(3.5, |(variance, _)| 0.05 / (variance / pairs).sqrt());
        entasis_stats::distribution::normal_cdf(z - 3.5) / self.expected(unit)
    }

    /// Seconds that a query's stage 1 is expected to take.
    fn expected(&self, unit: usize) -> f64 {
        let known = self.known(unit, CLIENT_TIME).seconds.unwrap_or(0.1);
        let pair = 2.0 * known.max(self.request.limits.least);
        Cost { warm_up: 2.0 * known, pair }.of(&self.request.rules.first)
    }

    /// Starts both sides, in turn either one first.
    pub(super) fn pair(&mut self, prepared: &Prepared, stage: u8) -> Result<Pair<'a>> {
        let request = self.request;
        let process = self.next_process;
        self.next_process += 1;
        let mut rng = stream(self.run.seed, &[u64::from(process), 17]);
        let mut start = |side: usize| {
            let padding = rng.below(4096) as usize;
            let options = Options { padding, ..request.options.clone() };
            request.sides[side].start_turn(process, &prepared.data[side], &options)
        };
        let sessions = if measure::first_side(process, self.samples.layouts()) == Side::Old {
            let old = start(0)?;
            [old, start(1)?]
        } else {
            let new = start(1)?;
            [start(0)?, new]
        };
        let settings = [Side::Old, Side::New].map(|side| request.settings_of(side));
        let place = (self.run.seed, stage, process);
        let id = format!("{}.", self.run.id);
        let (plan, limits) = (&request.plan, request.limits);
        let planted = request.planted.iter();
        let spec = RunSpec {
            deadline: self.deadline,
            first: measure::first_side(process, self.samples.layouts()),
            planted: planted.map(|(unit, (settings, _))| (*unit, settings.clone())).collect(),
            versus: request.versus.clone(),
            ..RunSpec::new(plan, settings, place, &id, limits)
        };
        Ok(Pair::new(spec, prepared, sessions))
    }
}

/// Queries whose answers differ have that as their trouble.
fn note_differing(queries: &mut [QueryRow], differing: &[u32]) {
    for &unit in differing {
        let trouble = &mut queries[unit as usize].trouble;
        if trouble.is_empty() {
            DIFFER.clone_into(trouble);
        }
    }
}

fn queries(request: &Request) -> Vec<QueryRow> {
    let Request { plan, rules, planted, .. } = request;
    let row = |unit: usize| {
        let (query, test) = (plan.query(unit), plan.test(unit));
        let own = query.min_effect.map_or(rules.least_effect, super::effect);
        let ignored = test.attributes.max_ignored_relative_change.map_or(0.0, super::effect);
        QueryRow {
            unit: unit as u32,
            test: test.name.clone(),
            index: query.index as u32,
            key: plan.units[unit].key,
            text: query.text(),
            metric: measure::judged_by(query.metric).to_owned(),
            least_effect: own.max(ignored),
            trouble: String::new(),
            planted: planted.get(&(unit as u32)).map_or(0.0, |(_, percent)| *percent),
            planted_what: request.planted_what.clone(),
        }
    };
    (0..plan.units.len()).map(row).collect()
}
