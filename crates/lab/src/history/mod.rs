//! The history of queries: series of their values over runs, and the steps in them.
//!
//! A series belongs to a query (its test and the hash of its text) and a metric on one model of
//! processor; a point is one comparison that measured it. Steps are found in three phases. A scan
//! in SQL (`steps.sql`) finds candidates in the whole table. E-divisive (`entasis_stats::change`)
//! confirms them on the series. If all queries of a host changed at once, but the pairs within the
//! runs did not, the step is attributed to the machine.
//!
//! Series come from `lab.measure` and not from `lab.verdict`. It has the raw values of every
//! metric, so later rules for verdicts do not change the history. Absent on purpose: the order of
//! commits. Points are in the order in which they were measured.
//! Tested in crates/cli/tests/lab_history.rs, which has a store and a binary.

mod ask;
mod confirm;

use entasis_base::Result;
use entasis_stats::sample::Interval;

use crate::store::Store;

pub use ask::{LEVELS, OF_REVISIONS, OTHER_ENGINE, POINTS, SEED_STEPS, STEPS};
pub use confirm::confirm;

/// What names a series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The processor's model.
    pub cpu: String,
    /// The test.
    pub test: String,
    /// Hash of test and text, as `lab.query` has it.
    pub query: u64,
    /// The metric.
    pub metric: String,
}

/// What one run says of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The run.
    pub run: String,
    /// When it began: seconds since 1970.
    pub time: f64,
    /// The same for people: `2026-11-22 14:03`, in UTC.
    pub date: String,
    /// Where.
    pub host: String,
    /// Commits of the old and of the new side; empty if unknown.
    pub commits: [String; 2],
    /// The query's number in its test, at that time.
    pub index: u32,
    /// The new side's value.
    pub value: f64,
    /// Its interval of 95 %; none for fewer than six processes.
    pub interval: Option<Interval>,
    /// Logarithm of the value, less the machine's drift if a calibration query tells it.
    pub level: f64,
    /// Log ratio of the new side to the old one in the same run.
    pub ratio: Option<f64>,
}

/// A place that the scan found.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The first run after it.
    pub run: String,
    /// Points on each side that show it best.
    pub window: usize,
    /// Difference of their means, a log ratio.
    pub step: f64,
    /// The difference over its standard error.
    pub z: f64,
    /// Whether most queries of the host moved the same way at that run.
    pub everywhere: bool,
}

/// A step that E-divisive confirmed.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Index of the first point after it.
    pub at: usize,
    /// Its size: Hodges and Lehmann's shift of logarithms between its neighbourhoods.
    pub theta: f64,
    /// Interval of 95 %; infinite where there are too few points.
    pub interval: Interval,
    /// Score of the scan, and the points on each side that it took.
    pub z: f64,
    /// Points on each side of the scan.
    pub window: usize,
    /// p of E-divisive.
    pub p: f64,
    /// What pairs within runs say of it: the log ratio of the run itself, or the shift of ratios to
    /// a fixed reference; whichever is larger. None without old sides.
    pub paired: Option<f64>,
    /// All queries of the host did the same at once, and pairs within runs did not see it: it is
    /// the machine's.
    pub environment: bool,
}

/// A series with its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is of.
    pub key: Key,
    /// In the order of time.
    pub points: Vec<Point>,
    /// In the order of time.
    pub steps: Vec<Step>,
}

/// Which series are looked at.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Of this test; of all if empty.
    pub test: String,
    /// The metric.
    pub metric: String,
}

/// The series that have a confirmed step, in the order of their keys. Scans the metric once, and
/// reads each series that has a candidate.
pub fn stepped(store: &mut Store, wanted: &Wanted) -> Result<Vec<Series>> {
    let mut candidates = ask::candidates(store, &wanted.metric)?;
    candidates.retain(|key, _| wanted.test.is_empty() || key.test == wanted.test);
    let mut found = Vec::new();
    for (key, candidates) in candidates {
        let points = ask::points(store, &key)?;
        let steps = confirm(&points, &candidates)?;
        if !steps.is_empty() {
            found.push(Series { key, points, steps });
        }
    }
    Ok(found)
}

/// One series: its points and its confirmed steps. Without a point both are empty. Costs a scan of
/// the metric, since what the other queries did tells what is the machine's.
pub fn series(store: &mut Store, key: &Key) -> Result<Series> {
    let points = ask::points(store, key)?;
    let candidates = ask::candidates(store, &key.metric)?.remove(key).unwrap_or_default();
    let steps = confirm(&points, &candidates)?;
    Ok(Series { key: key.clone(), points, steps })
}

/// The metrics that have verdicts, and so a history worth a look.
pub fn metrics(store: &mut Store) -> Result<Vec<String>> {
    let rows =
        store.rows("SELECT DISTINCT toString(metric) AS metric FROM lab.verdict ORDER BY 1")?;
    Ok(rows.iter().filter_map(|row| row["metric"].as_str().map(str::to_owned)).collect())
}
