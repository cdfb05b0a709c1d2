//! What is measured, query by query.

use entasis_stats::schedule::order;
use xxhash_rust::xxh3::xxh3_64;

use crate::spec::{Query, TestFile, first_word};
use crate::target::Setting;

/// What does not end, or has nothing to do, while merges are stopped.
const WAIT_FOR_MERGES: [&str; 4] = ["OPTIMIZE", "ALTER", "DELETE", "UPDATE"];

/// One query of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its test, by position in the plan.
    pub test: usize,
    /// Its position in the test.
    pub query: usize,
    /// What history files it under: a hash of the test's name and the query's text, so that a query
    /// that is put before it changes nothing.
    pub key: u64,
}

/// A test or a query that is not measured, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The test.
    pub test: String,
    /// The query's number, if it is only one.
    pub query: Option<usize>,
    /// Why; begins as a query's trouble does.
    pub reason: String,
}

/// What becomes of the tables that tests make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// They are made before the test, and dropped after it.
    #[default]
    Made,
    /// They are made, and left.
    Kept,
    /// They are there already, and are left.
    Existing,
}

/// All tests of a run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The tests.
    pub tests: Vec<TestFile>,
    /// Their queries, test after test; what counts units counts these.
    pub units: Vec<Unit>,
    /// A database that is there already and that all tests use; without one each has its own.
    pub shared_database: Option<String>,
    /// What is done with the tables that tests make.
    pub tables: Tables,
    /// The pull request that is tested: tests name statements that its old side need not know.
    pub pull_request: Option<u64>,
    /// Test files that cannot be read, and why: errors of the run, whose other tests go on.
    pub unread: Vec<String>,
}

impl Plan {
    /// All queries of all tests that `wanted` lets through, by name and number.
    pub fn new(tests: Vec<TestFile>, wanted: impl Fn(&str, usize) -> bool) -> Self {
        let mut units = Vec::new();
        for (test, file) in tests.iter().enumerate() {
            for (query, of) in file.queries.iter().enumerate() {
                if wanted(&file.name, of.index) {
                    let key = key(&file.name, &of.text());
                    units.push(Unit { test, query, key });
                }
            }
        }
        Self { tests, units, ..Self::default() }
    }

    /// Whether a query waits for merges: OPTIMIZE does, and what changes or deletes rows of parts
    /// (ClickHouse stops mutations with them); or a test wants them.
    pub fn merges(&self) -> bool {
        let waits = |text: &String| WAIT_FOR_MERGES.contains(&&*first_word(text));
        (0..self.units.len()).any(|unit| {
            let kept = self.test(unit).attributes.keep_merges_running;
            kept || self.query(unit).statements.iter().any(waits)
        })
    }

    /// Keeps no more than so many queries, chosen by the seed, and all yardsticks and queries of
    /// tests with `run_all_queries`.
    pub fn shorten(&mut self, most: usize, seed: u64) {
        if self.units.len() > most {
            let places = order(seed, u64::MAX, &[self.units.len()]);
            let units = places.iter().map(|place| place.query);
            let (mut kept, others): (Vec<usize>, Vec<usize>) =
                units.partition(|unit| self.always(*unit));
            kept.extend(others.into_iter().take(most));
            kept.sort_unstable();
            self.units = kept.into_iter().map(|unit| self.units[unit]).collect();
        }
    }

    fn always(&self, unit: usize) -> bool {
        let test = self.test(unit);
        test.calibration || test.attributes.run_all_queries
    }

    /// A unit's test.
    pub fn test(&self, unit: usize) -> &TestFile {
        &self.tests[self.units[unit].test]
    }

    /// A unit's query.
    pub fn query(&self, unit: usize) -> &Query {
        let Unit { test, query, .. } = self.units[unit];
        &self.tests[test].queries[query]
    }

    /// `test #index`.
    pub fn name(&self, unit: usize) -> String {
        format!("{} #{}", self.test(unit).name, self.query(unit).index)
    }

    /// Whether any query of a test is measured.
    pub fn uses(&self, test: usize) -> bool {
        self.units.iter().any(|unit| unit.test == test)
    }

    /// The database of a test: its own, as tests drop tables of common names.
    pub fn database(&self, test: usize) -> String {
        self.shared_database.clone().unwrap_or_else(|| own_database(&self.tests[test].name))
    }
}

/// The database of a test of its own. What is no name without quotes has its hash behind it.
fn own_database(test: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match test.chars().all(plain) {
        true => format!("lab_{test}"),
        false => {
            let name = test.replace(|c| !plain(c), "_");
            format!("lab_{name}_{:08x}", xxh3_64(test.as_bytes()) as u32)
        }
    }
}

/// The key of a query's history.
pub fn key(test: &str, text: &str) -> u64 {
    xxh3_64(format!("{test}\0{text}").as_bytes())
}

/// Settings that every statement has: no profiler, a row in `query_log` that is written when it is
/// asked for.
pub fn quiet(threads: u32) -> Vec<Setting> {
    let threads = threads.to_string();
    let all = [
        ("max_threads", threads.as_str()),
        ("query_profiler_real_time_period_ns", "0"),
        ("query_profiler_cpu_time_period_ns", "0"),
        ("memory_profiler_step", "0"),
        ("log_queries", "1"),
    ];
    all.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}
