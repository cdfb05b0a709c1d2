//! A run in the lines that ClickHouse's own runner of performance tests prints, for scripts that
//! read those: one file `TEST-raw.tsv` per test.

use std::collections::BTreeMap;
use std::fmt::Write;

use entasis_stats::location::median;
use entasis_stats::schedule::Side;
use entasis_stats::welch::welch;

use super::grouped::Grouped;
use crate::compare::Outcome;
use crate::measure::{CLIENT_TIME, SERVER_TIME};
use crate::spec::{display_name, escape};
use crate::store::{Fate, QueryRow};

/// Runs of a side without which the runner does not compare.
const LEAST_RUNS: usize = 3;

/// The lines of each test, by its name: `skipped`, and for each query `display-name`, `short`,
/// `run-error`, `partial`, `query`, `client-time`, `median` and `diff`. Runs are those of both
/// stages in their order; times are the server's where it has said them of every run. What a store
/// does not keep is not there: `stage`, `server`, `create`, `drop`, `prewarm`, `profile`.
pub fn runner(outcome: &Outcome) -> BTreeMap<String, String> {
    let grouped = Grouped::new(&outcome.samples, outcome.queries.len());
    let short = outcome.run.short();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for query in &outcome.queries {
        let file = files.entry(query.test.clone()).or_default();
        match query.fate() {
            Fate::Skipped if file.is_empty() => {
                // Writing to a String does not fail.
                let _ = writeln!(file, "skipped\t{}", escape(&query.trouble));
            }
            Fate::Skipped | Fate::Untested => {}
            _ => Lines { file, query }.all(outcome, &grouped, short.contains(&query.unit)),
        }
    }
    files
}

/// A query's lines.
struct Lines<'a> {
    file: &'a mut String,
    query: &'a QueryRow,
}

impl Lines<'_> {
    fn add(&mut self, tag: &str, columns: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.file, "{tag}\t{}{columns}", self.query.index);
    }

    fn all(&mut self, outcome: &Outcome, grouped: &Grouped<'_>, short: bool) {
        let query = self.query;
        let name = display_name(query.text.clone(), query.index as usize);
        self.add("display-name", format_args!("\t{}", escape(&name)));
        if short {
            self.add("short", format_args!(""));
        }
        if !query.trouble.is_empty() {
            self.add("run-error", format_args!("\t{}", escape(&query.trouble)));
        }
        let of = |name: &str| times(outcome, grouped, query.unit, name);
        let (client, server) = (of(CLIENT_TIME), of(SERVER_TIME));
        let all = [0, 1].map(|side| server[side].len() == client[side].len());
        let shown = if all == [true, true] { &server } else { &client };
        self.runs(shown);
        let sum = |times: &[Vec<f64>; 2]| times.iter().flatten().sum::<f64>();
        if sum(&client) > 0.0 {
            self.add("client-time", format_args!("\t{}\t{}", sum(&client), sum(shown)));
        }
        self.comparison(shown);
    }

    /// The runs, numbered for each side; the sides that ran where one did not.
    fn runs(&mut self, times: &[Vec<f64>; 2]) {
        let ran: Vec<usize> = (0..2).filter(|side| !times[*side].is_empty()).collect();
        if ran.len() == 1 {
            self.add("partial", format_args!("\t{ran:?}"));
        }
        let (test, index) = (&self.query.test, self.query.index);
        for run in 0..times.iter().map(Vec::len).max().unwrap_or(0) {
            // The runner numbers the sides that it asks.
            for (number, side) in ran.iter().enumerate() {
                if let Some(seconds) = times[*side].get(run) {
                    let id = format!("{}.query{index}.run{run}", escape(test));
                    self.add("query", format_args!("\t{id}\t{number}\t{seconds}"));
                }
            }
        }
    }

    fn comparison(&mut self, times: &[Vec<f64>; 2]) {
        let [old, new] = [0, 1].map(|side| median(&times[side]).ok());
        if let Some(first) = old.or(new) {
            self.add("median", format_args!("\t{first}"));
        }
        if times.iter().any(|side| side.len() < LEAST_RUNS) {
            return;
        }
        if let (Some(old), Some(new), Ok(p)) = (old, new, welch(&times[0], &times[1])) {
            let difference = (new - old) / old;
            self.add("diff", format_args!("\t{old}\t{new}\t{difference}\t{p}"));
        }
    }
}

/// Both sides' values of a metric, stages 1 and 2 in the order of their runs.
fn times(outcome: &Outcome, grouped: &Grouped<'_>, unit: u32, name: &str) -> [Vec<f64>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let of_name = |(metric, _): &(_, _)| outcome.samples.name(*metric) == name;
    for sample in grouped.of(unit).filter(of_name).flat_map(|(_, samples)| samples) {
        if sample.stage <= 2 {
            found[usize::from(sample.side == Side::New)].push(sample.value);
        }
    }
    found
}
