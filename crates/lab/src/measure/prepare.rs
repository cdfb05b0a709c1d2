//! Tables before measuring: created and filled once, and read by both sides from the same bytes.
//!
//! The old side fills; the new side's folder gets hard links to the parts, which never change once
//! they are written. So neither the order in which threads wrote rows nor where the file system put
//! them differs between the sides. Sides that cannot share (a running server, another engine) fill
//! their own, which are compared then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};

use super::volatile::{Volatile, keep};
use super::{Deadline, Plan, Skipped, Tables, Watch, same};
use crate::spec::TestFile;
use crate::store::Fate;
use crate::target::{Ask, Options, Session, Setting, Target};

/// How long a statement of a set-up may take.
const LIMIT: Duration = Duration::from_mins(10);

/// Where both sides' tables are, and which tests cannot be measured.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// Data folders of old and new.
    pub data: [PathBuf; 2],
    /// Tests that cannot be measured.
    pub skipped: Vec<Skipped>,
    /// Tables of both sides that every process has to be given again.
    pub volatile: [Volatile; 2],
    /// Tests that the old side takes no part in, as they allow, and its errors.
    pub new_only: BTreeMap<usize, String>,
    /// Tables that both sides have filled, with the same rows in other parts.
    pub other_parts: Vec<String>,
    /// Seconds that the set-up of a test took, by its name: all sides that filled tables together.
    pub set_up: BTreeMap<String, f64>,
}

/// Notes on parts that a run's facts have room for.
const NOTES: usize = 10;

impl Prepared {
    /// The notes on parts as a fact of the run; none without any.
    pub fn fact(&self) -> Option<(String, String)> {
        let notes = &self.other_parts;
        let mut text = notes.iter().take(NOTES).map(String::as_str).collect::<Vec<_>>().join("; ");
        if notes.len() > NOTES {
            text += &format!("; and {} more", notes.len() - NOTES);
        }
        (!notes.is_empty()).then(|| ("differing_parts".to_owned(), text))
    }
}

/// What filling one side's tables came to.
#[derive(Default)]
struct Filled {
    skipped: Vec<Skipped>,
    volatile: Vec<(String, String)>,
    new_only: BTreeMap<usize, String>,
    seconds: BTreeMap<String, f64>,
}

/// What the set-up of a test came to.
enum SetUp {
    /// Tables that will have to be given to every process that is started.
    Done(Vec<String>),
    /// A statement failed that need not work on the old side.
    NewOnly(String),
    /// It cannot be measured.
    Unfit(String),
}

/// Fills the tables of both sides' tests under `folder`, beside those of `data`, a folder that is
/// there already and stays as it is.
pub fn prepare(
    plan: &Plan,
    own: Option<&Path>,
    sides: &[Target; 2],
    options: &Options,
    folder: &Path,
    deadline: Deadline,
    watch: &mut dyn Watch,
) -> Result<Prepared> {
    let data = ["old", "new"].map(|name| folder.join(name));
    for path in &data {
        remove(path)?;
    }
    std::fs::create_dir_all(folder)?;
    if let Some(own) = own {
        link(own, &data[0])?;
    }
    let all: Vec<usize> = (0..plan.tests.len()).filter(|test| plan.uses(*test)).collect();
    let excused = plan.pull_request;
    let mut filling =
        Filling { plan, options, deadline, watch: &mut *watch, excused, linked: false };
    let Filled { mut skipped, volatile, new_only, seconds: mut set_up } =
        filling.fill(&sides[0], &data[0], &all, &[])?;
    let mut both = [volatile.clone(), volatile];
    filling.excused = None;
    let linked = sides[0].shares_data() && sides[1].shares_data();
    filling.linked = linked;
    let own_tests = if linked {
        link(&data[0], &data[1])?;
        new_only.keys().copied().collect()
    } else {
        if let Some(own) = own {
            link(own, &data[1])?;
        }
        both[1].clear();
        all
    };
    if !own_tests.is_empty() {
        let filled = filling.fill(&sides[1], &data[1], &own_tests, &both[1])?;
        both[1].extend(filled.volatile);
        for own in filled.skipped {
            if skipped.iter().all(|known| known.test != own.test) {
                skipped.push(own);
            }
        }
        for (test, seconds) in filled.seconds {
            *set_up.entry(test).or_default() += seconds;
        }
    }
    rustix::fs::sync();
    let (volatile, other_parts) = (both.map(Volatile::new), Vec::new());
    let mut prepared = Prepared { data, skipped, volatile, new_only, other_parts, set_up };
    if !linked {
        same::check(plan, sides, options, &mut prepared, deadline, watch)?;
    }
    Ok(prepared)
}

/// What filling needs on either side.
struct Filling<'a> {
    plan: &'a Plan,
    options: &'a Options,
    deadline: Deadline,
    watch: &'a mut dyn Watch,
    /// Statements that name this pull request may fail.
    excused: Option<u64>,
    /// The folder has parts of the other side, which stay as they are.
    linked: bool,
}

impl Filling<'_> {
    /// Fills the tables of tests on a side. `kept` are copies of tables in memory that it has.
    fn fill(
        &mut self,
        side: &Target,
        data: &Path,
        tests: &[usize],
        kept: &[(String, String)],
    ) -> Result<Filled> {
        let mut session = self.begin(side, data)?;
        let mut filled = Filled::default();
        for (done, &test) in tests.iter().enumerate() {
            self.watch.progress(&format!("filling tables of {}", side.label), done, tests.len());
            let (plan, late) = (self.plan, Fate::Untested.name());
            let began = Instant::now();
            let came = if self.watch.stopped() {
                SetUp::Unfit(format!("{late}: the run was stopped"))
            } else if !self.deadline.fits(0.001) {
                SetUp::Unfit(format!("{late}: budget"))
            } else {
                self.set_up(test, session.as_mut(), side.has_data().then_some(kept))
                    .unwrap_or_else(|e| SetUp::Unfit(self.failed(&e)))
            };
            match came {
                SetUp::Done(tables) => {
                    let of_test = tables.into_iter().map(|table| (plan.database(test), table));
                    filled.volatile.extend(of_test);
                    if plan.tables != Tables::Existing {
                        let seconds = began.elapsed().as_secs_f64();
                        filled.seconds.insert(plan.tests[test].name.clone(), seconds);
                    }
                }
                SetUp::NewOnly(error) => drop(filled.new_only.insert(test, error)),
                SetUp::Unfit(reason) => {
                    let test = plan.tests[test].name.clone();
                    filled.skipped.push(Skipped { test, query: None, reason });
                    if session.has_ended() {
                        // The others are filled without the test that ended it.
                        drop(session);
                        session = self.begin(side, data)?;
                    }
                }
            }
        }
        Ok(filled)
    }

    /// A session of a side, whose linked parts stay as they are.
    fn begin(&self, side: &Target, data: &Path) -> Result<Box<dyn Session>> {
        // What is linked and copied may not change meanwhile, whatever runs while it is measured.
        let options = Options { keep_parts: true, ..self.options.clone() };
        let mut session = side.start(data, &options)?;
        if self.linked && session.has_system_tables() {
            let stop = "SYSTEM STOP MERGES";
            let ask = Ask { text: stop, database: "", settings: &[], id: "", limit: LIMIT };
            let _ = session.run(&ask);
        }
        Ok(session)
    }

    /// Drops, checks and fills what a test needs. Tables in memory are copied where processes come
    /// and go, but those that were (`kept`). An error if a statement fails that must not.
    fn set_up(
        &self,
        test: usize,
        session: &mut dyn Session,
        kept: Option<&[(String, String)]>,
    ) -> Result<SetUp> {
        let (plan, limit) = (self.plan, self.limit());
        let database = plan.database(test);
        let test = &plan.tests[test];
        if test.attributes.requires_s3 || test.attributes.requires_s3_read_dataset {
            return Ok(SetUp::Unfit(format!("{}: it needs S3", Fate::Skipped.name())));
        }
        let mut ask = |text: &str, database: &str, settings: &[Setting]| {
            session.run(&Ask { text, database, settings, id: "", limit })
        };
        let make = plan.tables != Tables::Existing;
        if make && plan.shared_database.is_none() {
            ask(&format!("DROP DATABASE IF EXISTS {database}"), "", &[])?;
            ask(&format!("CREATE DATABASE {database}"), "", &[])?;
        }
        ask("SELECT 1", &database, &test.settings)?;
        for text in test.teardown.iter().filter(|_| make) {
            // What is not there yet cannot be dropped.
            let _ = ask(text, &database, &test.settings);
        }
        for table in &test.tables {
            let text = format!("SELECT 1 FROM {table} LIMIT 1");
            if let Err(e) = ask(&text, &database, &test.settings) {
                let said = e.to_string();
                let lines: Vec<&str> = said.lines().take(2).collect();
                let (skipped, said) = (Fate::Skipped.name(), lines.join(" "));
                return Ok(SetUp::Unfit(format!("{skipped}: it wants {table}: {said}")));
            }
        }
        let filling = one_thread(test);
        for setup in test.setup.iter().filter(|_| make) {
            let excused = self.excused.is_some() && setup.do_not_check_in_pr == self.excused;
            match ask(&setup.text, &database, &filling) {
                Err(e) if excused => return Ok(SetUp::NewOnly(e.to_string())),
                other => drop(other?),
            }
        }
        let Some(kept) = kept else { return Ok(SetUp::Done(Vec::new())) };
        keep(session, &database, &filling, kept, limit).map(SetUp::Done)
    }

    /// How long a statement may take: the budget is hard.
    fn limit(&self) -> Duration {
        self.deadline.within(LIMIT)
    }

    fn failed(&self, error: &Error) -> String {
        if self.deadline.fits(0.001) {
            return format!("broken: {error}");
        }
        format!("{}: budget", Fate::Untested.name())
    }
}

/// A test's settings, and one thread: several would cut other parts at each filling.
fn one_thread(test: &TestFile) -> Vec<Setting> {
    let mut settings = test.settings.clone();
    for name in ["max_threads", "max_insert_threads"] {
        settings.push((name.to_owned(), "1".to_owned()));
    }
    settings
}

/// Copies a data folder; files of parts are linked, as they are never written again.
fn link(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            link(&path, &target)?;
        } else if is_part(&path) {
            std::fs::hard_link(&path, &target)?;
        } else {
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Whether a file is a segment of a part. All others (log, checkpoints, locks) are written again.
fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ets")
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            let message = format!("Cannot remove {}", path.display());
            Err(Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e))
        }
        _ => Ok(()),
    }
}
