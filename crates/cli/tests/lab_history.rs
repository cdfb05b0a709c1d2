//! The history of the laboratory: stores filled by `INSERT ... SELECT` with steps at known places,
//! and what `entasis lab history` finds in them.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::Command;

use entasis_lab::history::{LEVELS, SEED_STEPS};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

/// A store, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("entasis-history-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        // Makes the tables.
        let (code, out, messages) = folder.history(&[]);
        assert!(code == 0 && out.starts_with("No step in the history of "), "{out}{messages}");
        folder
    }

    fn run(&self, line: &[&str]) -> (i32, String, String) {
        let done = Command::new(BINARY).args(line).current_dir(&self.0).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
    }

    /// Exit code, what was printed, messages.
    fn history(&self, options: &[&str]) -> (i32, String, String) {
        self.run(&[&["lab", "history", "--store", "store"], options].concat())
    }

    /// The steps as JSON.
    fn steps(&self, options: &[&str]) -> Vec<Value> {
        let (code, _, messages) = self.history(&[&["--json", "steps.json"], options].concat());
        assert_eq!((code, messages.as_str()), (0, ""));
        let text = std::fs::read_to_string(self.0.join("steps.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn sql(&self, query: &str) -> String {
        let options = ["--param_metric=client_time", "-q", query];
        let line = [&["local", "--path", "store"], &options[..]].concat();
        let (code, out, messages) = self.run(&line);
        assert_eq!(code, 0, "{query}: {messages}");
        out
    }

    /// Runs, one an hour, each comparing a commit with the one before it.
    fn fill_runs(&self, runs: u32) {
        self.sql(&format!(
            "INSERT INTO lab.run
             SELECT concat('run-', leftPad(toString(number), 4, '0')), now64(3),
                 toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + number * 3600, 'compare',
                 'finished', 'a host', 'a processor', 'old', 'new',
                 concat('commit', toString(number)),
                 concat('commit', toString(number + 1)), '', '', number, 0, 0, '', [], map()
             FROM numbers({runs})"
        ));
    }

    /// One measurement of each side of each query in each run. `level` is SQL over `r`, the number
    /// of the commit that a side is of, and `q`, the query's; `machine` is over the run's number
    /// `run`; noise has the deviation `noise`, SQL over `q`.
    fn fill_measures(&self, runs: u32, queries: u32, values: [&str; 3]) {
        self.fill_named(runs, queries, "concat('test', toString(q))", values);
    }

    /// The same with names of tests, SQL over `q`.
    fn fill_named(&self, runs: u32, queries: u32, name: &str, [level, machine, noise]: [&str; 3]) {
        let rows = runs * queries * 2;
        self.sql(&format!(
            "INSERT INTO lab.measure
             SELECT concat('run-', leftPad(toString(run), 4, '0')),
                 toDateTime('2026-01-01 00:00:00', 'UTC') + run * 3600, {name},
                 q, 1000 + q, q, if(side = 1, 'new', 'old'), 1, 0, 0, 'client_time',
                 0.05 * (1 + q) * exp(({level}) + ({machine}) + ({noise}) * normal)
             FROM
             (
                 SELECT number % 2 AS side, intDiv(number, 2) % {queries} AS q,
                     intDiv(number, 2 * {queries}) AS run, run + side AS r,
                     sqrt(-2 * log((sipHash64(number, 17) + 1) / 18446744073709551616.))
                         * cos(2 * pi() * sipHash64(number, 18) / 18446744073709551616.) AS normal
                 FROM numbers({rows})
             )"
        ));
        self.sql(
            "INSERT INTO lab.verdict (run_id, metric, test, query_hash, s)
             SELECT DISTINCT run_id, metric, test, query_hash, 0.01 FROM lab.measure",
        );
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The number at the end of a run's name.
fn place(step: &Value) -> i64 {
    step["runs"][1].as_str().unwrap().trim_start_matches("run-").parse().unwrap()
}

#[test]
fn a_step_of_a_query_is_told_from_one_of_the_machine() {
    let folder = Folder::new("planted");
    folder.fill_runs(160);
    // Commit 81 makes query 3 slower by 7 %; from run 120 on the machine is slower by 5 %.
    let planted = ["if(q = 3 and r > 80, log(1.07), 0)", "if(run >= 120, log(1.05), 0)", "0.01"];
    folder.fill_measures(160, 8, planted);
    let (code, out, messages) = folder.history(&[]);
    assert_eq!((code, messages.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with("2026-01-04 08:00") && lines[0].contains("test3 #3"), "{out}");
    assert!(lines[0].contains("commit80..commit81") && lines[0].contains("E-divisive p"), "{out}");
    assert!(lines[1].starts_with("8 of all queries of a host at once"), "{out}");
    let steps = folder.steps(&[]);
    let (shared, own): (Vec<_>, Vec<_>) =
        steps.iter().partition(|step| step["environment"] == true);
    assert!(shared.len() == 8 && shared.iter().all(|step| (place(step) - 120).abs() <= 1));
    let [step] = own.as_slice() else { panic!("{steps:#?}") };
    let (low, high) = (step["low"].as_f64().unwrap(), step["high"].as_f64().unwrap());
    assert!(low < 1.07f64.ln() && 1.07f64.ln() < high, "{step}");
    assert!(step["paired"].as_f64().unwrap() > 0.03, "{step}");
    // What is asked for, and nothing else.
    assert_eq!(folder.steps(&["--test", "test3"]).len(), 2);
    assert_eq!(folder.steps(&["--test", "test"]).len(), 0);
    assert_eq!(folder.steps(&["--metric", "memory"]).len(), 0);
    assert_eq!(folder.steps(&["--since", "2026-01-05"]).len(), 8);
    assert_eq!(folder.history(&["--environment"]).1.lines().count(), 9);
    for wrong in [&["--since", "long ago"][..], &["--metrik", "memory"]] {
        let (code, out, messages) = folder.history(wrong);
        assert!(code != 0 && out.is_empty() && messages.contains(wrong[0]), "{messages}");
    }
}

#[test]
fn what_moves_the_calibration_for_good_stays_in_the_series() {
    let folder = Folder::new("calibrated");
    folder.fill_runs(60);
    // Commit 31 makes all queries 6 % faster, those of the calibration as well; every tenth run the
    // machine is slower by 10 %.
    let planted = ["if(r > 30, log(0.94), 0)", "if(run % 10 = 5, log(1.1), 0)", "0.005"];
    let name = "if(q < 2, 'calibration', concat('test', toString(q)))";
    folder.fill_named(60, 8, name, planted);
    let steps = folder.steps(&[]);
    assert_eq!(steps.len(), 8, "{steps:#?}");
    for step in &steps {
        let theta = step["theta"].as_f64().unwrap();
        let near = (place(step) - 30).abs() <= 1 && (theta - 0.94f64.ln()).abs() < 0.015;
        assert!(near && step["environment"] == false, "{step}");
    }
    // Of times it takes off what the machine did for a run, of other metrics nothing.
    folder.sql(
        "INSERT INTO lab.measure
         SELECT * REPLACE(toLowCardinality('memory') AS metric) FROM lab.measure",
    );
    for (metric, [ordinary, odd]) in [("client_time", ["0", "1"]), ("memory", ["0", "0"])] {
        let of = |runs: &str, least: &str| {
            let query = format!(
                "WITH {LEVELS} SELECT avg(abs(level - y)) > {least} FROM series WHERE {runs}"
            );
            let metric = format!("--param_metric={metric}");
            let line = ["local", "--path", "store", "--param_test=", "--param_query_hash=0"];
            let (code, out, messages) =
                folder.run(&[&line[..], &[metric.as_str(), "-q", query.as_str()]].concat());
            assert_eq!(code, 0, "{messages}");
            out.trim_end().to_owned()
        };
        assert_eq!(of("NOT endsWith(run_id, '5')", "0.02"), ordinary, "{metric}");
        assert_eq!(of("endsWith(run_id, '5')", "0.05"), odd, "{metric}");
    }
}

#[test]
fn other_engines_have_no_part_in_it() {
    let folder = Folder::new("engines");
    folder.fill_runs(60);
    folder.fill_measures(60, 2, ["if(r > 30, log(0.5), 0)", "0", "0.005"]);
    // The newest row of a run counts.
    let name_later = |later: u32, name: &str| {
        folder.sql(&format!(
            "INSERT INTO lab.run
             SELECT * REPLACE(updated + {later} AS updated, '{name}' AS new) FROM lab.run FINAL
             WHERE run_id >= 'run-0030'"
        ));
    };
    for other in ["duckdb", "chdb max_threads=1", "driver:python3 other.py", "http://h:8123"] {
        name_later(1, other);
        assert_eq!(folder.steps(&[]), [Value::Null; 0], "{other}");
        assert_eq!(folder.sql(SEED_STEPS), "", "{other}");
    }
    name_later(1, "duckdb-like/entasis max_threads=1");
    assert_eq!(folder.steps(&[]).len(), 2);
}

#[test]
fn the_seeds_own_query_finds_the_planted_step_and_nothing_else() {
    let folder = Folder::new("seed");
    folder.fill_runs(200);
    folder.fill_measures(200, 12, ["if(q = 5 and r > 110, log(1.12), 0)", "0", "0.008"]);
    let columns = "test, query_index, run_id, old_commit, new_commit";
    let found = folder.sql(&format!("SELECT {columns} FROM ({SEED_STEPS})"));
    assert_eq!(found, "test5\t5\trun-0110\tcommit110\tcommit111\n");
}

/// Places of steps of 5 %: 30 queries have one, each third of them two, 15 have none.
fn truth(q: i64) -> Vec<i64> {
    let first = 30 + q * 37 % 50;
    match q {
        30.. => Vec::new(),
        q if q % 3 == 0 => vec![first, first + 40 + q * 13 % 40],
        _ => vec![first],
    }
}

#[test]
fn known_steps_of_five_percent_are_found_within_two_runs() {
    let folder = Folder::new("quality");
    folder.fill_runs(180);
    let first = "30 + q * 37 % 50";
    let level = format!(
        "if(q < 30 and r > {first}, if(q % 2 = 0, log(1.05), -log(1.05)), 0)
         + if(q < 30 and q % 3 = 0 and r > {first} + 40 + q * 13 % 40, log(1.05), 0)"
    );
    // A point's noise is 1 to 2 %.
    folder.fill_measures(180, 45, [&level, "0", "0.01 + 0.005 * (q % 3)"]);
    let found = folder.steps(&[]);
    let mut open: Vec<(i64, i64)> =
        (0..45).flat_map(|q| truth(q).into_iter().map(move |at| (q, at))).collect();
    let all = open.len();
    let mut right = 0;
    for step in found.iter().filter(|step| step["environment"] == false) {
        let (q, at) = (step["query_index"].as_i64().unwrap(), place(step));
        if let Some(i) = open.iter().position(|t| t.0 == q && (t.1 - at).abs() <= 2) {
            open.swap_remove(i);
            right += 1;
        }
    }
    let (precision, recall) = (right as f64 / found.len() as f64, right as f64 / all as f64);
    let f1 = 2.0 * precision * recall / (precision + recall);
    println!(
        "{all} steps of 5 % in 45 histories of 180 runs, noise 1 to 2 %: {} found, {right} of them \
         within 2 runs; precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}",
        found.len()
    );
    assert!(precision >= 0.8 && recall >= 0.8 && f1 >= 0.8, "missed (query, run): {open:?}");
}
