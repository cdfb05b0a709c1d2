//! What is measured: a side of a comparison, and how it is asked.
//!
//! A [`Target`] says what a side is; [`Target::start`] makes a [`Session`] of it, which takes
//! statements. The rest of the laboratory knows nothing of processes, sockets and engines, so that
//! two builds, two settings of one build, or two engines are compared in the same way.
//!
//! Rooms: `group` starts programs and ends what they leave; `process` starts binaries as servers;
//! `http` asks servers; `in_process` asks the engine of this very program; `driver` asks a program
//! that speaks lines of JSON; `build` makes binaries of revisions in `places`, and `layout` more of
//! them, with functions in other places; `orphan` ends servers of a laboratory that was killed.

mod build;
mod driver;
mod group;
mod http;
mod in_process;
mod layout;
mod orphan;
mod places;
mod process;

use std::path::{Path, PathBuf};
use std::time::Duration;

use entasis_base::{Error, Result, codes};

pub use build::{Builder, Built};
pub use driver::{CHDB, DUCKDB};
pub(crate) use group::Group;
pub use group::end_all;
pub use http::{Http, address, masked};
pub use orphan::clear;
pub use process::{Options, Process};

/// A name and its value.
pub type Setting = (String, String);

/// What a side is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A binary that is started as a server, with a data folder of its own.
    Binary(PathBuf),
    /// A revision of the repository in the working directory; becomes a binary.
    Git(String),
    /// A server that runs already.
    Server(String),
    /// The engine of this program.
    InProcess,
    /// A program that is asked by lines of JSON, with its arguments.
    Driver(Vec<String>),
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As it was asked for, without a password; names the side in reports.
    pub label: String,
    /// What it is.
    pub source: Source,
    /// Settings of every statement that is measured, over those of the test.
    pub settings: Vec<Setting>,
    /// Builds of the same source with functions in other places, which processes take turns with in
    /// place of `source` ([`Builder::layouts`]); none for most.
    pub layouts: Vec<PathBuf>,
}

impl Target {
    /// A side without settings of its own.
    pub fn new(label: String, source: Source) -> Self {
        Self { label, source, settings: Vec::new(), layouts: Vec::new() }
    }

    /// Reads `git:REV`, `http://[USER[:PASSWORD]@]HOST[:PORT]`, `in-process`, `chdb`, `duckdb`,
    /// `driver:PROGRAM ARGUMENT...`, or the path of a binary.
    pub fn parse(text: &str) -> Result<Self> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let source = match text {
            "in-process" => Source::InProcess,
            "chdb" => Source::Driver(words(CHDB)),
            "duckdb" => Source::Driver(words(DUCKDB)),
            _ => match text.split_once(':') {
                Some(("git", revision)) if !revision.is_empty() => Source::Git(revision.to_owned()),
                Some(("driver", command)) if !command.trim().is_empty() => {
                    Source::Driver(words(command))
                }
                Some(("http", _)) => {
                    address(text)?;
                    Source::Server(text.to_owned())
                }
                Some(("https", _)) => return Err(no_target(text)),
                Some(("git" | "driver", _)) | None if !Path::new(text).is_file() => {
                    return Err(no_target(text));
                }
                _ => Source::Binary(PathBuf::from(text)),
            },
        };
        Ok(Self::new(masked(text), source))
    }

    /// Whether it keeps its tables in a folder that the laboratory gives it.
    pub fn has_data(&self) -> bool {
        matches!(self.source, Source::Binary(_) | Source::InProcess | Source::Driver(_))
    }

    /// Whether a copy of another one's data folder may stand in for filling its own.
    pub fn shares_data(&self) -> bool {
        matches!(self.source, Source::Binary(_) | Source::InProcess)
    }

    /// Whether both are one running server.
    pub fn is_at(&self, other: &Self) -> bool {
        let place = |target: &Self| match &target.source {
            Source::Server(url) => address(url).ok().map(|config| (config.host, config.port)),
            _ => None,
        };
        place(self).is_some_and(|own| Some(own) == place(other))
    }

    /// Builds of its source that processes are started from.
    pub fn builds(&self) -> usize {
        self.layouts.len().max(1)
    }

    /// Starts its process of this number: builds take turns.
    pub fn start_turn(
        &self,
        process: u16,
        data: &Path,
        options: &Options,
    ) -> Result<Box<dyn Session>> {
        match self.layouts.get(usize::from(process) % self.builds()) {
            Some(build) => Ok(Box::new(Process::start(build, data, options)?)),
            None => self.start(data, options),
        }
    }

    /// Starts it on a data folder, or connects. Waits until it answers.
    pub fn start(&self, data: &Path, options: &Options) -> Result<Box<dyn Session>> {
        match &self.source {
            Source::Binary(path) => Ok(Box::new(Process::start(path, data, options)?)),
            Source::Server(url) => Ok(Box::new(Http::new(address(url)?))),
            Source::InProcess => Ok(Box::new(in_process::InProcess::open(data)?)),
            Source::Driver(command) => Ok(Box::new(driver::Driver::start(command, data)?)),
            Source::Git(revision) => {
                Err(Error::logical(format!("git:{revision} was not built before it was started")))
            }
        }
    }
}

fn no_target(text: &str) -> Error {
    Error::new(
        codes::BAD_ARGUMENTS,
        format!(
            "`{}` is nothing that can be measured: name a binary, git:REVISION, \
             http://HOST:PORT, in-process, chdb, duckdb or driver:PROGRAM",
            masked(text)
        ),
    )
}

/// One statement for a side.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The statement.
    pub text: &'a str,
    /// The database that unqualified names are of; the server's default if empty.
    pub database: &'a str,
    /// Settings; where a name comes twice, the later value counts.
    pub settings: &'a [Setting],
    /// The statement's id, by which the server files what it counted; its own choice if empty.
    pub id: &'a str,
    /// How long it may take.
    pub limit: Duration,
}

/// The setting that ends a statement.
const TIME_LIMIT: &str = "max_execution_time";

impl Ask<'_> {
    /// Seconds that it may take: a setting of its own may be stricter, not milder.
    fn seconds(&self) -> f64 {
        let own = self.settings.iter().rev().find(|(name, _)| name == TIME_LIMIT);
        let own = own.and_then(|(_, value)| value.parse().ok()).filter(|own: &f64| *own > 0.0);
        own.unwrap_or(f64::INFINITY).min(self.limit.as_secs_f64().max(0.001))
    }
}

/// What a statement took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Took {
    /// Seconds until the last byte had come, as the asking side sees it.
    pub client: f64,
    /// Seconds that the server says, if it does.
    pub server: Option<f64>,
}

/// An answer in a form that two sides can compare, whatever the order of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Rows.
    pub rows: u64,
    /// Sum of the rows' hashes.
    pub hash: u64,
}

/// Hash of the rows of a TSV text, as a multiset.
#[derive(Debug, Default)]
pub struct Rows {
    line: Vec<u8>,
    answer: Answer,
}

impl Rows {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let lines = bytes.split_inclusive(|b| *b == b'\n');
        for piece in lines {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        let hash = xxhash_rust::xxh3::xxh3_64(&self.line);
        self.answer.hash = self.answer.hash.wrapping_add(hash);
        self.answer.rows += 1;
        self.line.clear();
    }

    /// What all of these lines are.
    pub fn of(lines: &[u8]) -> Answer {
        let mut rows = Self::default();
        rows.push(lines);
        rows.finish()
    }

    /// What they were.
    pub fn finish(mut self) -> Answer {
        if !self.line.is_empty() {
            self.line.push(b'\n');
            self.end();
        }
        self.answer
    }
}

/// One side at work. Dropping it ends what was started for it.
pub trait Session {
    /// Runs a statement and drops its rows.
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took>;

    /// The rows as TSV.
    fn text(&mut self, ask: &Ask<'_>) -> Result<String>;

    /// The rows' hash, of their very bytes. Costs one run with the rows as text.
    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer>;

    /// Whether it keeps `system.query_log`, and understands `SYSTEM` commands.
    fn has_system_tables(&self) -> bool {
        true
    }

    /// How often the process behind it was lost; what it held in memory is gone each time.
    fn restarts(&self) -> u32 {
        0
    }

    /// Whether the process behind it has ended, and this session with it.
    fn has_ended(&mut self) -> bool {
        false
    }

    /// Variables for scripts that want to ask the same server.
    fn environment(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_by_text() {
        let source = |text: &str| Target::parse(text).unwrap().source;
        assert_eq!(source("git:main~1"), Source::Git("main~1".into()));
        assert_eq!(source("in-process"), Source::InProcess);
        assert_eq!(source("http://h:1"), Source::Server("http://h:1".into()));
        assert_eq!(
            source("driver:a b  c"),
            Source::Driver(vec!["a".into(), "b".into(), "c".into()])
        );
        assert_eq!(source("Cargo.toml"), Source::Binary("Cargo.toml".into()));
        for wrong in ["git:", "no/such/binary", "https://h", "driver: ", "http://"] {
            let error = Target::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("git:REVISION") || error.contains("http://HOST"), "{error}");
        }
    }

    #[test]
    fn answers_are_multisets_of_rows() {
        let of = |pieces: &[&str]| {
            let mut rows = Rows::default();
            pieces.iter().for_each(|piece| rows.push(piece.as_bytes()));
            rows.finish()
        };
        assert_eq!(of(&["1\ta\n2\tb\n"]), of(&["2\t", "b\n1\t", "a"]));
        assert_eq!(of(&["1\n1\n"]).rows, 2);
        assert_ne!(of(&["1\n1\n"]), of(&["1\n"]));
        assert_ne!(of(&["1\n2\n"]), of(&["12\n"]));
        assert_eq!(of(&[]), Answer::default());
    }
}
