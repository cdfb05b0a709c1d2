//! The statements, and their rows.

use std::collections::BTreeMap;

use entasis_base::Result;
use entasis_stats::sample::Interval;
use serde_json::Value;

use super::{Candidate, Key, Point};
use crate::store::{Store, optional, text, whole};

/// The series of a metric; the other statements begin with `WITH` and it.
pub const LEVELS: &str = include_str!("levels.sql");
/// The step scan.
pub const STEPS: &str = include_str!("steps.sql");
/// The points of series.
pub const POINTS: &str = include_str!("points.sql");
/// The scan that ClickHouse's history was looked at with; beside ours, for who knows it.
pub const SEED_STEPS: &str = include_str!("seed_steps.sql");

/// Of the name of a side: it is another engine, or a server that runs somewhere, whose engine and
/// machine are not known.
pub const OTHER_ENGINE: &str = "match(side, '^((chdb|duckdb)( |$)|driver:|http://)')";

/// Of `lab.run`: the two sides are no two settings or texts, and neither is another engine: these
/// are no points of a history. The statements have it, too.
pub const OF_REVISIONS: &str = "NOT arrayExists(\
    word -> match(word, '^--(left-settings|right-settings|versus)'), arguments) \
    AND NOT arrayExists(side -> match(side, '^((chdb|duckdb)( |$)|driver:|http://)'), [old, new])";

/// Log ratio that four of five queries must have moved by for a step to be the host's; half of the
/// smallest step of interest, as windows of five points are noisy.
const EVERYWHERE: f64 = 0.01;
/// Fewer queries than this say nothing of a host.
const FEWEST: u64 = 5;

/// Runs a statement on series: those of a test and a query, or all if these are empty and 0.
fn ask(store: &mut Store, statement: &str, metric: &str, of: (&str, u64)) -> Result<Vec<Value>> {
    let hash = of.1.to_string();
    let parameters =
        [("param_metric", metric), ("param_test", of.0), ("param_query_hash", hash.as_str())];
    store.rows_with(&format!("WITH\n{LEVELS}{statement}"), &parameters)
}

/// A number that is one: a scan divides by spreads that can be 0.
fn finite(row: &Value, name: &str) -> Option<f64> {
    optional(row, name).filter(|value| value.is_finite())
}

fn key(row: &Value, metric: &str) -> Key {
    Key {
        cpu: text(row, "cpu"),
        test: text(row, "test"),
        query: whole(row, "query_hash"),
        metric: metric.to_owned(),
    }
}

/// What the scan finds in a metric, by series and in the order of time.
pub(super) fn candidates(store: &mut Store, metric: &str) -> Result<BTreeMap<Key, Vec<Candidate>>> {
    let mut all: BTreeMap<Key, Vec<Candidate>> = BTreeMap::new();
    for row in ask(store, STEPS, metric, ("", 0))? {
        let step = finite(&row, "step").unwrap_or_default();
        let (least, most) = (finite(&row, "least_shift"), finite(&row, "most_shift"));
        let shared = if step > 0.0 { least } else { most.map(|shift| -shift) };
        let candidate = Candidate {
            run: text(&row, "run_id"),
            window: whole(&row, "points") as usize,
            step,
            z: finite(&row, "z").unwrap_or_default(),
            everywhere: whole(&row, "queries") >= FEWEST
                && shared.is_some_and(|shift| shift >= EVERYWHERE),
        };
        all.entry(key(&row, metric)).or_default().push(candidate);
    }
    Ok(all)
}

/// The points of a series in the order of time.
pub(super) fn points(store: &mut Store, wanted: &Key) -> Result<Vec<Point>> {
    let rows = ask(store, POINTS, &wanted.metric, (&wanted.test, wanted.query))?;
    let own = rows.iter().filter(|row| row["cpu"].as_str() == Some(&wanted.cpu));
    let point = |row: &Value| {
        let ends = finite(row, "low").zip(finite(row, "high"));
        Point {
            run: text(row, "run_id"),
            time: finite(row, "seconds").unwrap_or_default(),
            date: text(row, "date"),
            host: text(row, "host"),
            commits: [text(row, "old_commit"), text(row, "new_commit")],
            index: whole(row, "query_index") as u32,
            value: finite(row, "value").unwrap_or_default(),
            interval: ends.map(|(low, high)| Interval { low, high }),
            level: finite(row, "y").unwrap_or_default(),
            ratio: finite(row, "ratio"),
        }
    };
    Ok(own.map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_leave_out_the_same_runs() {
        for statement in [LEVELS, SEED_STEPS] {
            let words: Vec<&str> = statement.split_whitespace().collect();
            assert!(words.join(" ").contains(OF_REVISIONS), "{statement}");
        }
        assert!(OF_REVISIONS.contains(OTHER_ENGINE));
    }
}
