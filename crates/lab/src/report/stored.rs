//! What a store has that an outcome has not.

use std::collections::{BTreeMap, HashMap, HashSet};

use entasis_base::Result;

use super::{Extras, Point, Stacks};
use crate::compare::Outcome;
use crate::store::{Store, quoted, whole};
use crate::trust::Equal;

/// Comparisons of a query that its history shows at most.
const POINTS: usize = 40;
/// Queries whose history is read at most.
const QUERIES: usize = 500;

impl Extras {
    /// Health of this kind of machine, history of the queries that changed, and stacks, as far as the
    /// store has them. Plans are not stored.
    pub fn stored(store: &mut Store, outcome: &Outcome) -> Result<Self> {
        let health = Some(Equal::count(store, 0.0)?).filter(|equal| equal.comparisons > 0);
        let history = history(store, outcome)?;
        let stacks = stacks(store, outcome)?;
        Ok(Self { health, history, stacks, plans: BTreeMap::new() })
    }
}

fn history(store: &mut Store, outcome: &Outcome) -> Result<BTreeMap<u32, Vec<Point>>> {
    let changed = |word: &str| matches!(word, "slower" | "faster" | "bimodal" | "quarantined");
    let units: HashSet<u32> =
        outcome.own().filter(|(_, s)| changed(&s.word)).map(|(query, _)| query.unit).collect();
    let of_key: HashMap<u64, u32> =
        units.iter().take(QUERIES).map(|u| (outcome.queries[*u as usize].key, *u)).collect();
    if of_key.is_empty() {
        return Ok(BTreeMap::new());
    }
    let runs = store.runs(10_000)?;
    let names: HashMap<&str, &str> = runs
        .iter()
        .map(|run| {
            let [_, commit] = &run.commits;
            let name = if commit.is_empty() { &run.sides[1] } else { commit };
            (run.id.as_str(), name.as_str())
        })
        .collect();
    let keys: Vec<String> = of_key.keys().map(u64::to_string).collect();
    let rows = store.rows(&format!(
        "SELECT run_id, query_hash, toFloat64(time) AS seconds, theta FROM lab.verdict \
         WHERE kind = 'compare' AND metric = 'client_time' AND cpu = {} \
               AND toFloat64(time) <= {} AND query_hash IN ({}) \
         ORDER BY seconds",
        quoted(&outcome.run.host.cpu),
        outcome.run.time + 0.001,
        keys.join(", ")
    ))?;
    let mut all: BTreeMap<u32, Vec<Point>> = BTreeMap::new();
    for row in &rows {
        let Some(unit) = of_key.get(&whole(row, "query_hash")) else { continue };
        let Some(theta) = row["theta"].as_f64().filter(|theta| theta.is_finite()) else { continue };
        let run = row["run_id"].as_str().unwrap_or_default();
        let commit = names.get(run).copied().unwrap_or(run).to_owned();
        let time = row["seconds"].as_f64().unwrap_or(0.0);
        all.entry(*unit).or_default().push(Point { time, commit, ratio: theta.exp() });
    }
    for points in all.values_mut() {
        points.drain(..points.len().saturating_sub(POINTS));
    }
    // One comparison is this one: no history.
    all.retain(|_, points| points.len() > 1);
    Ok(all)
}

/// Stacks by query: seconds of a run, the mean over processes. Of several kinds of profiles the first
/// by name is taken.
fn stacks(store: &mut Store, outcome: &Outcome) -> Result<BTreeMap<u32, [Stacks; 2]>> {
    let rows = store.rows(&format!(
        "SELECT test, query_index, toUInt8(side) AS of, process, kind, \
                arrayStringConcat(path, ';') AS stack, sum(seconds) AS sum \
         FROM lab.stack WHERE run_id = {} \
         GROUP BY test, query_index, of, process, kind, stack \
         ORDER BY kind, test, query_index, of, stack, process",
        quoted(&outcome.run.id),
    ))?;
    let units: HashMap<(&str, u64), u32> =
        outcome.queries.iter().map(|q| ((q.test.as_str(), u64::from(q.index)), q.unit)).collect();
    let Some(kind) = rows.first().map(|row| &row["kind"]) else { return Ok(BTreeMap::new()) };
    let mut all: BTreeMap<u32, [Stacks; 2]> = BTreeMap::new();
    let mut processes: HashMap<(u32, usize), HashSet<u64>> = HashMap::new();
    for row in rows.iter().filter(|row| row["kind"] == *kind) {
        let test = row["test"].as_str().unwrap_or_default();
        let Some(unit) = units.get(&(test, whole(row, "query_index"))) else { continue };
        let side = usize::from(whole(row, "of") == 1);
        processes.entry((*unit, side)).or_default().insert(whole(row, "process"));
        let stack = row["stack"].as_str().unwrap_or_default().to_owned();
        let seconds = row["sum"].as_f64().unwrap_or(0.0);
        all.entry(*unit).or_default()[side].push((stack, seconds));
    }
    for (unit, sides) in &mut all {
        for (side, stacks) in sides.iter_mut().enumerate() {
            let count = processes.get(&(*unit, side)).map_or(1, HashSet::len) as f64;
            stacks.iter_mut().for_each(|(_, seconds)| *seconds /= count);
        }
    }
    Ok(all)
}
