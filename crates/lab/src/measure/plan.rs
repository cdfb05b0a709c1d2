//! The plan of what is measured, query by query.

use std::collections::HashMap;

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
    /// that is put before it changes nothing. From the second one of a test with this text on its
    /// number among them is in the hash, too.
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
            let mut before: HashMap<String, usize> = HashMap::new();
            for (query, of) in file.queries.iter().enumerate() {
                // Also those that are not wanted count: the choice of queries moves no key.
                let same = before.entry(of.text()).or_default();
                if wanted(&file.name, of.index) {
                    let key = key(&file.name, &of.text(), *same);
                    units.push(Unit { test, query, key });
                }
                *same += 1;
            }
        }
        Self { tests, units, ..Self::default() }
    }

    /// Whether a query waits for merges: OPTIMIZE does, and what changes or deletes rows of parts
    /// (ClickHouse stops mutations with them); or a test wants them.
    pub fn merges(&self) -> bool {
        let waits = |text: &String| WAIT_FOR_MERGES.contains(&&*first_word(text));
        self.keeps_merges()
            || (0..self.units.len()).any(|unit| self.query(unit).statements.iter().any(waits))
    }

    /// Whether a test wants merges in the background while it is measured.
    pub fn keeps_merges(&self) -> bool {
        (0..self.units.len()).any(|unit| self.test(unit).attributes.keep_merges_running)
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

/// The key of a query's history; `before` queries of the test have the same text.
pub fn key(test: &str, text: &str, before: usize) -> u64 {
    let number = if before == 0 { String::new() } else { format!("\0{before}") };
    xxh3_64(format!("{test}\0{text}{number}").as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_one_text_have_keys_of_their_own() {
        let mut file = TestFile::of_query("SELECT 1");
        for (index, text) in [(1, "SELECT 2"), (2, "SELECT 1"), (3, "SELECT 1")] {
            let statements = vec![text.to_owned()];
            file.queries.push(Query { index, statements, ..file.queries[0].clone() });
        }
        let plan = Plan::new(vec![file.clone()], |_, _| true);
        let keys: Vec<u64> = plan.units.iter().map(|unit| unit.key).collect();
        let mut apart = keys.clone();
        apart.sort_unstable();
        apart.dedup();
        assert_eq!(apart.len(), 4, "{keys:?}");
        // The first one of a text has the key of before there were others.
        assert_eq!(keys[0], xxh3_64(b"query\0SELECT 1"));
        // The choice of queries moves no key.
        let last = Plan::new(vec![file], |_, index| index == 3);
        assert_eq!(last.units[0].key, keys[3]);
    }
}
