//! Reads rows from the store.

use std::collections::HashMap;

use entasis_base::{Error, Result, codes};
use entasis_stats::schedule::Side;
use serde_json::Value;

use super::Store;
use super::row::{number, optional, quoted, text, whole};
use super::save::{Host, QueryRow, RunRow};
use crate::history::OTHER_ENGINE;
use crate::measure::{Sample, Samples};
use crate::verdict::Known;

/// A run with its raw samples.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The run.
    pub run: RunRow,
    /// What was measured, by unit.
    pub queries: Vec<QueryRow>,
    /// Its samples.
    pub samples: Samples,
    /// What history knew when it was judged, by unit and metric.
    pub known: HashMap<(u32, String), Known>,
    /// Pairs of processes that its profiles are of.
    pub profiled: u16,
}

impl Store {
    /// The runs, latest first.
    pub fn runs(&mut self, limit: usize) -> Result<Vec<RunRow>> {
        let rows = self.rows(&format!(
            "SELECT * REPLACE(toFloat64(time) AS time) FROM lab.run FINAL \
             ORDER BY time DESC, run_id LIMIT {limit}"
        ))?;
        Ok(rows.iter().map(run).collect())
    }

    /// A run by the beginning of its id; the latest if that is `last`.
    pub fn run(&mut self, id: &str) -> Result<RunRow> {
        let condition = match id {
            "last" => "1".to_owned(),
            id => format!("startsWith(run_id, {})", quoted(id)),
        };
        let rows = self.rows(&format!(
            "SELECT * REPLACE(toFloat64(time) AS time) FROM lab.run FINAL WHERE {condition} \
             ORDER BY time DESC, run_id LIMIT 2"
        ))?;
        match rows.as_slice() {
            [] => {
                let message = format!("no run `{id}` in {}; `lab runs` lists them", self.place());
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
            [_, _] if id != "last" => {
                let message = format!("several runs begin with `{id}`: give more of the id");
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
            [first, ..] => Ok(run(first)),
        }
    }

    /// A run with all that it measured.
    pub fn load(&mut self, id: &str) -> Result<Stored> {
        let run = self.run(id)?;
        let of_run = format!("run_id = {}", quoted(&run.id));
        let rows =
            self.rows(&format!("SELECT * FROM lab.query FINAL WHERE {of_run} ORDER BY unit"))?;
        let queries = rows.iter().map(query).collect();
        let mut samples = Samples::of_layouts(run.layouts());
        // They are many: taken over line by line, not held as text and as objects first.
        let query = format!(
            "SELECT unit, toUInt8(side), stage, process, run, metric, value \
             FROM lab.measure WHERE {of_run} ORDER BY unit, metric, process, run, side FORMAT TSV"
        );
        self.lines(&query, &[], &mut |line| {
            let sample = sample(line, &mut samples).ok_or_else(|| {
                let message = format!("A stored sample is not readable: `{line}`");
                Error::new(codes::CANNOT_PARSE_TEXT, message)
            })?;
            samples.push(sample);
            Ok(())
        })?;
        let known = self.judged_with(&of_run)?;
        let rows = self.rows(&format!(
            "SELECT if(count() = 0, 0, max(process) + 1) AS profiled FROM lab.stack WHERE {of_run}"
        ))?;
        let profiled = rows.first().map_or(0, |row| whole(row, "profiled") as u16);
        Ok(Stored { run, queries, samples, known, profiled })
    }

    fn judged_with(&mut self, of_run: &str) -> Result<HashMap<(u32, String), Known>> {
        let rows = self.rows(&format!(
            "SELECT unit, metric, known_variance, known_df, verdict \
             FROM lab.verdict FINAL WHERE {of_run}"
        ))?;
        let known = |row: &Value| {
            let pair = optional(row, "known_variance").zip(optional(row, "known_df"));
            let quarantine = (text(row, "verdict") == "quarantined").then_some("as it was then");
            let known = Known { pair, seconds: None, quarantine };
            ((whole(row, "unit") as u32, text(row, "metric")), known)
        };
        Ok(rows.iter().map(known).collect())
    }

    /// What comparisons of equal sides on this kind of machine tell of queries, by key and metric:
    /// the variance of pairs of processes, the seconds, and which ones failed. Comparisons of the
    /// engines that these two sides are (their names): another one's tell nothing of ours.
    pub fn history(
        &mut self,
        cpu: &str,
        sides: &[String; 2],
    ) -> Result<HashMap<(u64, String), Known>> {
        let engines = format!("arrayMap(side -> if({OTHER_ENGINE}, side, ''),");
        let [old, new] = sides.each_ref().map(|side| quoted(side));
        let rows = self.rows(&format!(
            "SELECT query_hash, metric, \
                    sumIf(own_variance * own_df, kind = 'aa') / sumIf(own_df, kind = 'aa') \
                        AS variance, \
                    sumIf(own_df, kind = 'aa') AS df, avg(old) AS seconds, \
                    length(arraySlice(arrayReverseSort( \
                        groupArrayIf((time, verdict), kind = 'aa')), 1, {LATEST}) AS latest) \
                        AS comparisons, \
                    arrayCount(of -> of.2 IN ('slower', 'faster', 'quarantined'), latest) \
                        AS flags, \
                    arrayCount(of -> of.2 = 'bimodal', latest) AS modes \
             FROM lab.verdict FINAL \
             WHERE cpu = {} AND run_id IN (SELECT run_id FROM lab.run FINAL \
                 WHERE {engines} [old, new]) = {engines} [{old}, {new}])) \
             GROUP BY query_hash, metric",
            quoted(cpu)
        ))?;
        let known = |row: &Value| {
            let df = number(row, "df");
            let pair = optional(row, "variance").filter(|v| v.is_finite()).map(|v| (v, df));
            let seconds = optional(row, "seconds");
            let (flags, modes) = (whole(row, "flags"), whole(row, "modes"));
            let quarantine = quarantine(flags, modes, whole(row, "comparisons"));
            let key = (whole(row, "query_hash"), text(row, "metric"));
            (key, Known { pair: pair.filter(|_| df > 0.0), seconds, quarantine })
        };
        Ok(rows.iter().map(known).collect())
    }
}

/// False alarms expected per comparison of equal sides: the goal in `docs/laboratory.md`.
const EXPECTED: f64 = 0.001;
/// So many comparisons of equal sides count, the last ones: what was is mended some day. The
/// sentences below have the number, too.
const LATEST: u64 = 100;
const DIFFERED: &str = "equal sides differed too often in its last 100 comparisons; rounds of \
                        `lab aa` that it passes lift this";
const MODES: &str = "its processes fell into two groups too often in its last 100 comparisons of \
                     equal sides; rounds of `lab aa` that it passes lift this";

/// Why a query is not to be trusted: equal sides differed more often than chance explains (one time
/// of a hundred), or its processes had modes so often, once not being often.
fn quarantine(flags: u64, modes: u64, comparisons: u64) -> Option<&'static str> {
    use entasis_stats::distribution::binomial_tail;
    let often = |count: u64| binomial_tail(count, comparisons, EXPECTED) < 0.01;
    if modes > 1 && often(modes) {
        return Some(MODES);
    }
    often(flags).then_some(DIFFERED)
}

fn run(row: &Value) -> RunRow {
    let strings = |name: &str| -> Vec<String> {
        let all = row[name].as_array().into_iter().flatten();
        all.filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let facts = row["facts"].as_object().into_iter().flatten();
    RunRow {
        id: text(row, "run_id"),
        time: number(row, "time"),
        kind: text(row, "kind"),
        state: text(row, "state"),
        host: Host { name: text(row, "host"), cpu: text(row, "cpu") },
        sides: [text(row, "old"), text(row, "new")],
        commits: [text(row, "old_commit"), text(row, "new_commit")],
        builds: [text(row, "old_build"), text(row, "new_build")],
        seed: whole(row, "seed"),
        budget: number(row, "budget"),
        spent: number(row, "spent"),
        rules: text(row, "rules"),
        arguments: strings("arguments"),
        facts: facts
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect(),
    }
}

/// A sample of its line.
fn sample(line: &str, samples: &mut Samples) -> Option<Sample> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [unit, side, stage, process, run, metric, value] = fields.as_slice() else { return None };
    Some(Sample {
        unit: unit.parse().ok()?,
        side: if *side == "0" { Side::Old } else { Side::New },
        stage: stage.parse().ok()?,
        process: process.parse().ok()?,
        run: run.parse().ok()?,
        metric: samples.metric(metric),
        value: value.parse().ok()?,
    })
}

fn query(row: &Value) -> QueryRow {
    QueryRow {
        unit: whole(row, "unit") as u32,
        test: text(row, "test"),
        index: whole(row, "query_index") as u32,
        key: whole(row, "query_hash"),
        text: text(row, "text"),
        metric: text(row, "metric"),
        least_effect: number(row, "least_effect"),
        trouble: text(row, "trouble"),
        planted: number(row, "planted"),
        planted_what: text(row, "planted_what"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_that_fail_their_own_comparisons_are_quarantined() {
        assert_eq!(quarantine(0, 0, 100), None);
        assert_eq!(quarantine(1, 0, 100), None);
        assert_eq!(quarantine(1, 0, 5), Some(DIFFERED));
        assert_eq!(quarantine(3, 0, 100), Some(DIFFERED));
        assert_eq!(quarantine(0, 2, 100), Some(MODES));
        assert_eq!((quarantine(0, 1, 5), quarantine(0, 2, 2000)), (None, None));
    }

    #[test]
    fn samples_are_read_from_lines() {
        let mut samples = Samples::default();
        let read = sample("7\t1\t2\t3\t4\tclient_time\t0.25", &mut samples).unwrap();
        assert_eq!((read.unit, read.side, read.stage, read.process), (7, Side::New, 2, 3));
        assert_eq!((read.run, samples.name(read.metric), read.value), (4, "client_time", 0.25));
        for wrong in ["", "7\t1\t2\t3\t4\tclient_time", "x\t1\t2\t3\t4\tclient_time\t0.25"] {
            assert_eq!(sample(wrong, &mut samples), None, "{wrong}");
        }
    }

    #[test]
    fn literals() {
        assert_eq!(quoted(r"a'b\c"), r"'a\'b\\c'");
    }
}
