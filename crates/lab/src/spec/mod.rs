//! Performance tests: what a file asks for, with all its substitutions made.
//!
//! A test is an XML file of ClickHouse's format (`docs/performance-tests.md` describes it, with our
//! extensions). [`load`] reads files and folders of them and answers the tests, expanded to the
//! same queries in the same order and with the same indexes and names as the reference's runner
//! would have. A bad file is a list of [`Problem`]s, each with its place; the other files are read
//! all the same.
//!
//! Rooms: `xml` alone knows the XML library; `include` puts fragments in place; `shape` says which
//! elements and attributes there are; `template` and `expand` make substitutions; `short` evaluates
//! the expression of that name; `script` cuts SQL files into statements; `read` builds a
//! [`TestFile`]; `list` prints.
//!
//! Absent on purpose: servers, running, time. A test is plain data, and reading it has no effects.

mod expand;
mod include;
mod list;
mod problem;
mod query;
mod read;
mod script;
mod settings;
mod shape;
mod short;
mod template;
mod xml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) use list::escape;
pub use list::{Listing, list};
pub use problem::{Place, Problem};
pub(crate) use script::first_word;

/// How to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Warnings (unknown elements and attributes among them) are errors.
    pub strict: bool,
}

/// What [`load`] found.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The tests that can be run, in the order of the paths.
    pub files: Vec<TestFile>,
    /// Why other files cannot; all that were found, not only the first of a file.
    pub errors: Vec<Problem>,
    /// What was ignored or is doubtful in the files that can be run, and in those that cannot.
    pub warnings: Vec<Problem>,
}

/// One performance test: a file's contents after all substitutions.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFile {
    /// The file's name without its ending: what results are filed under.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Attributes of the root element.
    pub attributes: Attributes,
    /// Settings of every connection (not of shell queries), later ones win; in the file's order.
    pub settings: Vec<(String, String)>,
    /// Tables that must exist, or the test is skipped: any table expression.
    pub tables: Vec<String>,
    /// Labels; `long` tests run only when asked for.
    pub tags: Vec<String>,
    /// Its queries are the yardstick that shows drift of the machine during a run.
    pub calibration: bool,
    /// Statements before measuring, on each side, in this order.
    pub setup: Vec<Setup>,
    /// What is measured.
    pub queries: Vec<Query>,
    /// Statements after measuring; also before the set-up, where their errors do not matter.
    pub teardown: Vec<String>,
}

impl TestFile {
    /// A test of one query that no file has. Its tables must be there.
    pub fn of_query(text: &str) -> Self {
        let place = Place { file: "--query".into(), line: 0, column: 0 };
        let query = Query {
            index: 0,
            language: Language::Sql,
            statements: vec![text.to_owned()],
            short: false,
            tag: None,
            min_effect: None,
            metric: Metric::Time,
            expect: None,
            place,
        };
        Self {
            name: "query".to_owned(),
            path: PathBuf::new(),
            attributes: Attributes::default(),
            settings: Vec::new(),
            tables: Vec::new(),
            tags: Vec::new(),
            calibration: false,
            setup: Vec::new(),
            queries: vec![query],
            teardown: Vec::new(),
        }
    }

    /// Whether the test runs only when long tests are asked for.
    pub fn is_long(&self) -> bool {
        self.tags.iter().any(|tag| tag == "long")
    }
}

/// Attributes of a test's root element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attributes {
    /// Relative changes below this are not reported (0.1 is ten percent).
    pub max_ignored_relative_change: Option<f64>,
    /// All queries run, however many a run would choose.
    pub run_all_queries: bool,
    /// Merges go on while anything of the test is measured.
    pub keep_merges_running: bool,
    /// Replaces the limits of seconds per query, both of the warm-up and of measured runs.
    pub max_query_seconds: Option<f64>,
    /// Needs an object store.
    pub requires_s3: bool,
    /// Needs the public data set in an object store.
    pub requires_s3_read_dataset: bool,
    /// How the two sides take turns.
    pub mode: Mode,
    /// Threads of each query; without it what the run says.
    pub threads: Option<u32>,
}

/// How the two sides of a comparison take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// One after the other, in blocks of ABBA or BAAB.
    #[default]
    Abba,
    /// At the same time, on separate halves of the machine.
    Duet,
}

/// What a query is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Elapsed time.
    #[default]
    Time,
    /// Processor time.
    Cpu,
    /// Peak memory.
    Memory,
    /// Bytes allocated in all.
    Allocated,
}

/// A statement before measuring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The statement.
    pub text: String,
    /// In the pull request of this number the statement may fail on the old side, which then takes
    /// no part in the test.
    pub do_not_check_in_pr: Option<u64>,
}

/// How a query is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// SQL: the statements one after the other, their times added.
    Sql,
    /// One script for `bash -e -o pipefail`; its elapsed time.
    Shell,
}

/// One timed unit of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Its number within the test, from 0.
    pub index: usize,
    /// How it is run.
    pub language: Language,
    /// Its statements; a script is one.
    pub statements: Vec<String>,
    /// It is known to take little time: reports list it if it does not. Measured as any other.
    pub short: bool,
    /// A free label.
    pub tag: Option<String>,
    /// The smallest relative change of interest (0.01 is one percent); without it the run's.
    pub min_effect: Option<f64>,
    /// What it is judged by.
    pub metric: Metric,
    /// The answer's hash, in lower-case hexadecimal digits.
    pub expect: Option<String>,
    /// Where it stands.
    pub place: Place,
}

/// The reference's length of names of queries, in characters.
const NAME_LENGTH: usize = 1000;

impl Query {
    /// The statements as one text, `;` and a line feed between them.
    pub fn text(&self) -> String {
        self.statements.join(";\n")
    }

    /// The name in reports: the text, cut after 1,000 characters and then marked `...(index)`.
    pub fn display_name(&self) -> String {
        display_name(self.text(), self.index)
    }
}

/// The name in reports of a test's query of this text and index.
pub(crate) fn display_name(text: String, index: usize) -> String {
    match text.char_indices().nth(NAME_LENGTH) {
        None => text,
        Some((end, _)) => format!("{}...({index})", &text[..end]),
    }
}

/// Reads tests from files, and from all `*.xml` files of folders (by name). A file that cannot be
/// read or is wrong becomes errors, and the others are still answered. Two tests of one name are an
/// error, since results are filed under it. Costs the files' size; the expanded queries of one file
/// are limited to 100,000 and 64 MiB.
pub fn load(paths: &[PathBuf], options: &Options) -> Loaded {
    let mut loaded = Loaded::default();
    let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        match files(path) {
            Ok(files) => files.iter().for_each(|file| one(file, options, &mut names, &mut loaded)),
            Err(error) => loaded.errors.push(Problem::file(path, error)),
        }
    }
    loaded
}

/// The file itself, or the tests in a folder.
fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "xml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn one(path: &Path, options: &Options, names: &mut BTreeMap<String, PathBuf>, loaded: &mut Loaded) {
    let mut outcome = read::test(path);
    if options.strict {
        outcome.errors.append(&mut outcome.warnings);
    }
    if let Some(test) = &outcome.test
        && let Some(other) = names.insert(test.name.clone(), path.to_path_buf())
    {
        let message = format!(
            "the test `{}` is also in {}: results are filed by name, rename one of the files",
            test.name,
            other.display()
        );
        outcome.errors.push(Problem::file(path, message));
    }
    let good = outcome.errors.is_empty();
    loaded.files.extend(outcome.test.filter(|_| good));
    loaded.errors.append(&mut outcome.errors);
    loaded.warnings.append(&mut outcome.warnings);
}
