//! Tables before measuring: created and filled once, and read by both sides from the same bytes.
//!
//! The old side fills; the new side's folder gets hard links to the parts, which never change once
//! they are written. So neither the order in which threads wrote rows nor where the file system put
//! them differs between the sides. Sides that cannot share (a running server, another engine) fill
//! their own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use entasis_base::{Error, Result, codes};

use super::volatile::{Volatile, keep};
use super::{Deadline, Plan, Skipped, Watch};
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
}

/// What filling one side's tables came to.
#[derive(Default)]
struct Filled {
    skipped: Vec<Skipped>,
    volatile: Vec<(String, String)>,
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
    let Filled { mut skipped, volatile } =
        fill(plan, &sides[0], &data[0], options, deadline, watch)?;
    let mut both = [volatile.clone(), volatile];
    if sides[0].shares_data() && sides[1].shares_data() {
        link(&data[0], &data[1])?;
    } else {
        if let Some(own) = own {
            link(own, &data[1])?;
        }
        let filled = fill(plan, &sides[1], &data[1], options, deadline, watch)?;
        both[1] = filled.volatile;
        for own in filled.skipped {
            if skipped.iter().all(|known| known.test != own.test) {
                skipped.push(own);
            }
        }
    }
    rustix::fs::sync();
    Ok(Prepared { data, skipped, volatile: both.map(Volatile::new) })
}

fn fill(
    plan: &Plan,
    side: &Target,
    data: &Path,
    options: &Options,
    deadline: Deadline,
    watch: &mut dyn Watch,
) -> Result<Filled> {
    let mut session = side.start(data, options)?;
    let mut filled = Filled::default();
    for test in (0..plan.tests.len()).filter(|test| plan.uses(*test)) {
        watch.progress(&format!("filling tables of {}", side.label), test, plan.tests.len());
        let late = Fate::Untested.name();
        let tables = if watch.stopped() {
            Err(format!("{late}: the run was stopped"))
        } else if !deadline.fits(0.001) {
            Err(format!("{late}: budget"))
        } else {
            set_up(plan, test, session.as_mut(), side.has_data())
        };
        match tables {
            Ok(tables) => {
                let database = plan.database(test);
                filled.volatile.extend(tables.into_iter().map(|table| (database.clone(), table)));
            }
            Err(reason) => {
                let test = plan.tests[test].name.clone();
                filled.skipped.push(Skipped { test, query: None, reason });
            }
        }
    }
    Ok(filled)
}

/// Drops, checks and fills what a test needs, or says why it cannot be measured. Answers the tables
/// that will have to be given to every process that is started (`restarts`).
fn set_up(
    plan: &Plan,
    test: usize,
    session: &mut dyn Session,
    restarts: bool,
) -> std::result::Result<Vec<String>, String> {
    let database = plan.database(test);
    let test = &plan.tests[test];
    let mut ask = |text: &str, database: &str, settings: &[Setting]| {
        session.run(&Ask { text, database, settings, id: "", limit: LIMIT })
    };
    let failed = |e: Error| format!("broken: {e}");
    if plan.shared_database.is_none() {
        ask(&format!("DROP DATABASE IF EXISTS {database}"), "", &[]).map_err(failed)?;
        ask(&format!("CREATE DATABASE {database}"), "", &[]).map_err(failed)?;
    }
    ask("SELECT 1", &database, &test.settings).map_err(failed)?;
    for text in &test.teardown {
        // What is not there yet cannot be dropped.
        let _ = ask(text, &database, &[]);
    }
    for table in &test.tables {
        let text = format!("SELECT 1 FROM {table} LIMIT 1");
        ask(&text, &database, &[]).map_err(|e| {
            let said = e.to_string();
            let lines: Vec<&str> = said.lines().take(2).collect();
            format!("{}: it wants {table}: {}", Fate::Skipped.name(), lines.join(" "))
        })?;
    }
    let filling = one_thread(test);
    for setup in &test.setup {
        ask(&setup.text, &database, &filling).map_err(failed)?;
    }
    if restarts { keep(session, &database, &filling).map_err(failed) } else { Ok(Vec::new()) }
}

/// Drops what was made on servers that go on; what is in folders of the laboratory goes with them.
/// Answers what could not be dropped.
pub fn clean_up(plan: &Plan, sides: &[Target; 2], prepared: &Prepared) -> Result<Vec<Skipped>> {
    let mut left = Vec::new();
    for (side, data) in sides.iter().zip(&prepared.data) {
        if side.has_data() {
            continue;
        }
        let mut session = side.start(data, &Options::default())?;
        for test in (0..plan.tests.len()).filter(|test| plan.uses(*test)) {
            let database = plan.database(test);
            let mut texts = plan.tests[test].teardown.clone();
            if plan.shared_database.is_none() {
                texts.push(format!("DROP DATABASE IF EXISTS {database}"));
            }
            for text in &texts {
                let (database, settings) = (database.as_str(), &[][..]);
                let ask = Ask { text, database, settings, id: "", limit: LIMIT };
                if let Err(e) = session.run(&ask) {
                    let (test, reason) = (plan.tests[test].name.clone(), e.to_string());
                    left.push(Skipped { test, query: None, reason });
                }
            }
        }
    }
    Ok(left)
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
