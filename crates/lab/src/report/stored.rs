//! Facts that are in a store, but not in the outcome of a comparison.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use entasis_base::Result;
use serde_json::Value;

use super::{Explained, Extras, Point, Stacks};
use crate::compare::{Outcome, Processor, timed};
use crate::history::OF_REVISIONS;
use crate::measure::{CLIENT_TIME, Stacks as Profile, is_peak};
use crate::store::{Shown, Store, quoted, text, whole};
use crate::trust::Equal;
use crate::why::asm::Excerpt;
use crate::why::memory;

/// Comparisons of a query that its history shows at most.
const POINTS: usize = 40;
/// Queries, or metrics of them, whose history is read at most.
const SERIES: usize = 500;

impl Extras {
    /// Stacks, plans and hot loops that were found with the outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let mut all = Self::default();
        // Of samples that say nothing of the processor profiles are shares of the time.
        let processor = Processor::of(&outcome.samples).unwrap_or_default();
        for (unit, evidence) in &outcome.evidence {
            if evidence.stacks.iter().any(|side| !side.is_empty()) {
                all.profiled(outcome, &processor, *unit, &evidence.stacks);
            }
            all.peaked(outcome, *unit, &evidence.memory);
            if evidence.plans.iter().any(|plan| !plan.is_empty()) {
                all.plans.insert(*unit, evidence.plans.clone());
            }
            all.code.extend(evidence.code.clone().map(|code| (*unit, code)));
        }
        all
    }

    /// The same, and what the store has: health of this kind of machine, history of the queries
    /// that changed, stacks, plans and hot loops of a run whose outcome has none.
    pub fn stored(store: &mut Store, outcome: &Outcome) -> Result<Self> {
        let mut all = Self::of(outcome);
        all.health = Some(Equal::count(store, 0.0, &outcome.run.host.cpu)?)
            .filter(|equal| equal.comparisons > 0);
        all.history = history(store, outcome)?;
        if all.stacks.is_empty() {
            let [time, memory] = profiles(store, outcome)?;
            let processor = Processor::of(&outcome.samples)?;
            time.iter().for_each(|(unit, sides)| all.profiled(outcome, &processor, *unit, sides));
            memory.iter().for_each(|(unit, sides)| all.peaked(outcome, *unit, sides));
        }
        if all.plans.is_empty() {
            all.plans = plans(store, outcome)?;
        }
        if all.code.is_empty() {
            all.code = code(store, outcome)?;
            // A run that went on may say otherwise by now.
            let units = timed(&outcome.shown);
            all.code.retain(|unit, _| units.contains(&(*unit as usize)));
        }
        Ok(all)
    }

    /// Takes a query's profiles: both sides' processes.
    fn profiled(
        &mut self,
        outcome: &Outcome,
        processor: &Processor,
        unit: u32,
        sides: &[Vec<Profile>; 2],
    ) {
        let own = outcome.shown.iter().filter(|s| s.judged.subject.unit == unit);
        let own: Vec<&Shown> = own.collect();
        let time = own.iter().find(|s| s.metric == CLIENT_TIME);
        let seconds = time.map_or([0.0; 2], |shown| processor.seconds(shown));
        self.stacks.insert(unit, in_seconds(seconds, sides));
        // Where memory alone changed there is nothing to explain.
        let asks = |s: &&&Shown| s.asks_why() && memory::kind(&s.metric).is_none();
        let asking = time.filter(|s| asks(s)).or(own.iter().find(asks));
        let seconds = asking.and_then(|shown| processor.explaining(shown));
        let found = seconds.and_then(|seconds| Explained::of(sides, seconds));
        self.explained.extend(found.map(|found| (unit, found)));
    }

    /// Takes a query's profiles of where its memory grew: both sides' processes.
    fn peaked(&mut self, outcome: &Outcome, unit: u32, sides: &[Vec<Profile>; 2]) {
        let of_peak = |s: &&Shown| s.judged.subject.unit == unit && is_peak(&s.metric);
        let shown = outcome.shown.iter().filter(of_peak).find(|shown| shown.asks_why());
        let found = shown.and_then(|s| Explained::of(sides, s.amounts()));
        self.grown.extend(found.map(|found| (unit, found)));
    }
}

/// Both sides' processes, by query.
type Profiles = BTreeMap<u32, [Vec<Profile>; 2]>;

type History = BTreeMap<(u32, String), Vec<Point>>;

fn history(store: &mut Store, outcome: &Outcome) -> Result<History> {
    let wanted = remembered(outcome);
    if wanted.is_empty() {
        return Ok(History::new());
    }
    let of_key: HashMap<u64, u32> =
        wanted.iter().map(|(unit, _)| (outcome.queries[*unit as usize].key, *unit)).collect();
    // Not all of a run: its facts may be longer than everything else.
    let runs = store.rows(&format!(
        "SELECT run_id, if(empty(new_commit), new, new_commit) AS name FROM lab.run FINAL \
         WHERE kind = 'compare' AND {OF_REVISIONS} ORDER BY time DESC, run_id LIMIT 10000"
    ))?;
    let name = |row: &Value| (text(row, "run_id"), text(row, "name"));
    let names: HashMap<String, String> = runs.iter().map(name).collect();
    let keys: Vec<String> = of_key.keys().map(u64::to_string).collect();
    let metrics: BTreeSet<String> = wanted.iter().map(|(_, metric)| quoted(metric)).collect();
    let rows = store.rows(&format!(
        "SELECT run_id, query_hash, metric, toFloat64(time) AS seconds, theta FROM lab.verdict FINAL \
         WHERE kind = 'compare' AND cpu = {} AND toFloat64(time) <= {} \
               AND metric IN ({}) AND query_hash IN ({}) \
         ORDER BY seconds",
        quoted(&outcome.run.host.cpu),
        outcome.run.time + 0.001,
        metrics.into_iter().collect::<Vec<_>>().join(", "),
        keys.join(", ")
    ))?;
    let mut all = History::new();
    for row in &rows {
        let Some(unit) = of_key.get(&whole(row, "query_hash")) else { continue };
        let series = (*unit, text(row, "metric"));
        let Some(commit) = names.get(&text(row, "run_id")) else { continue };
        let Some(theta) = row["theta"].as_f64().filter(|theta| theta.is_finite()) else { continue };
        let time = row["seconds"].as_f64().unwrap_or(0.0);
        if wanted.contains(&series) {
            let point = Point { time, commit: commit.clone(), ratio: theta.exp() };
            all.entry(series).or_default().push(point);
        }
    }
    for points in all.values_mut() {
        points.drain(..points.len().saturating_sub(POINTS));
    }
    // One comparison is this one: no history.
    all.retain(|_, points| points.len() > 1);
    Ok(all)
}

/// Whose history is shown: what changed by any metric first, then the others by what they are
/// judged by.
fn remembered(outcome: &Outcome) -> HashSet<(u32, String)> {
    let series = |shown: &Shown| (shown.judged.subject.unit, shown.metric.clone());
    let news = outcome.shown.iter().filter(|shown| shown.is_news()).map(series);
    let own = outcome.own().map(|(_, shown)| series(shown));
    let mut all = HashSet::new();
    for series in news.chain(own) {
        if all.len() < SERIES {
            all.insert(series);
        }
    }
    all
}

/// Profiles of time and of memory as they are stored. Of several kinds of time the first by name
/// is taken.
fn profiles(store: &mut Store, outcome: &Outcome) -> Result<[Profiles; 2]> {
    let rows = store.rows(&format!(
        "SELECT test, query_index, toUInt8(side) AS of, process, kind, path, sum(samples) AS sum \
         FROM lab.stack WHERE run_id = {} \
         GROUP BY test, query_index, of, process, kind, path \
         ORDER BY kind, test, query_index, of, process, path",
        quoted(&outcome.run.id),
    ))?;
    let units: HashMap<(&str, u64), u32> =
        outcome.queries.iter().map(|q| ((q.test.as_str(), u64::from(q.index)), q.unit)).collect();
    let of_memory = |row: &Value| row["kind"] == "Memory";
    let time = rows.iter().find(|row| !of_memory(row)).map(|row| &row["kind"]);
    let mut all: [BTreeMap<u32, [BTreeMap<u64, Profile>; 2]>; 2] = Default::default();
    for row in rows.iter().filter(|row| of_memory(row) || Some(&row["kind"]) == time) {
        let test = row["test"].as_str().unwrap_or_default();
        let Some(unit) = units.get(&(test, whole(row, "query_index"))) else { continue };
        let side = usize::from(whole(row, "of") == 1);
        let path = row["path"].as_array().into_iter().flatten();
        let path = path.filter_map(|frame| frame.as_str().map(str::to_owned)).collect();
        let processes = &mut all[usize::from(of_memory(row))].entry(*unit).or_default()[side];
        processes.entry(whole(row, "process")).or_default().push((path, whole(row, "sum")));
    }
    let listed = |sides: [BTreeMap<u64, Profile>; 2]| {
        sides.map(|processes| processes.into_values().collect::<Vec<Profile>>())
    };
    Ok(all.map(|kind| kind.into_iter().map(|(unit, sides)| (unit, listed(sides))).collect()))
}

/// Plans by query, as they are stored.
fn plans(store: &mut Store, outcome: &Outcome) -> Result<BTreeMap<u32, [String; 2]>> {
    let rows = store.rows(&format!(
        "SELECT unit, old, new FROM lab.plan FINAL WHERE run_id = {}",
        quoted(&outcome.run.id)
    ))?;
    let plan = |row: &Value| (whole(row, "unit") as u32, [text(row, "old"), text(row, "new")]);
    Ok(rows.iter().map(plan).collect())
}

/// Hot loops by query, as they are stored.
fn code(store: &mut Store, outcome: &Outcome) -> Result<BTreeMap<u32, Excerpt>> {
    let rows = store.rows(&format!(
        "SELECT unit, function, same, old, new, cpus, old_cycles, new_cycles, note \
         FROM lab.assembly FINAL WHERE run_id = {}",
        quoted(&outcome.run.id)
    ))?;
    let rows = rows.iter().filter(|row| whole(row, "unit") < outcome.queries.len() as u64);
    Ok(rows.map(|row| (whole(row, "unit") as u32, excerpt(row))).collect())
}

fn excerpt(row: &Value) -> Excerpt {
    let list = |name: &str| row[name].as_array().into_iter().flatten();
    // NaN is null in JSON.
    let cycles = |name: &str| -> Vec<f64> {
        list(name).map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
    };
    Excerpt {
        function: text(row, "function"),
        same: row["same"].as_bool() == Some(true),
        loops: [text(row, "old"), text(row, "new")],
        cpus: list("cpus").filter_map(|cpu| cpu.as_str().map(str::to_owned)).collect(),
        cycles: [cycles("old_cycles"), cycles("new_cycles")],
        note: text(row, "note"),
    }
}

/// Profiles of both sides' processes as seconds of a run: each stack's share of its process's
/// samples times the query's processor time, the mean over processes.
fn in_seconds(times: [f64; 2], sides: &[Vec<Profile>; 2]) -> [Stacks; 2] {
    [0, 1].map(|side| {
        let processes = &sides[side];
        let mut all = Stacks::new();
        for profile in processes {
            let samples: u64 = profile.iter().map(|(_, samples)| samples).sum();
            let each = times[side] / samples.max(1) as f64 / processes.len() as f64;
            all.extend(profile.iter().map(|(path, n)| (path.clone(), *n as f64 * each)));
        }
        all
    })
}

/// What a store remembers of the causes that a run's verdicts were given.
pub fn causes(store: &mut Store, outcome: &mut Outcome) -> Result<()> {
    let rows = store.rows(&format!(
        "SELECT unit, metric, class, cause, functions FROM lab.verdict FINAL \
         WHERE run_id = {} AND class != ''",
        quoted(&outcome.run.id)
    ))?;
    for row in &rows {
        let (unit, metric) = (whole(row, "unit") as u32, text(row, "metric"));
        let of = |s: &&mut Shown| s.judged.subject.unit == unit && s.metric == metric;
        let Some(shown) = outcome.shown.iter_mut().find(of) else { continue };
        shown.cause = (text(row, "class"), text(row, "cause"));
        let functions = row["functions"].as_array().into_iter().flatten();
        shown.functions = functions.filter_map(|f| f.as_str().map(str::to_owned)).collect();
    }
    Ok(())
}
