//! The queries of the founding documents (`tests/seeds`): which of them run, and which fail with
//! the error that their hint names.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::binary::{self, Scratch};

const LIMIT: Duration = Duration::from_mins(2);

/// How statements begin that only prepare something for the queries.
const PREPARING: [&str; 3] = ["CREATE ", "SET ", "SYSTEM "];

/// One file's queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// File name without its end.
    pub name: String,
    /// Number of queries that run, without the statements that prepare rows.
    pub running: usize,
    /// Queries that do not run, with the name of the error.
    pub missing: Vec<(String, String)>,
}

/// The files in order.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "sql"));
    paths.sort();
    Ok(paths)
}

/// Reads the hints of a file. A statement ends with `;` at the end of a line, or before its hint.
pub fn read(path: &Path) -> Result<Seed, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut seed = Seed { name, running: 0, missing: Vec::new() };
    let mut statement = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (code, hint) = line.split_once("-- {").unwrap_or((line, ""));
        statement.push_str(code.trim());
        if !statement.ends_with(';') {
            statement.push(' ');
            continue;
        }
        let done = std::mem::take(&mut statement);
        let error = hint.trim_end().trim_end_matches('}').trim().strip_prefix("serverError ");
        match error {
            Some(error) => seed.missing.push((done, error.trim().to_string())),
            None if PREPARING.iter().any(|start| done.starts_with(start)) => {}
            None => seed.running += 1,
        }
    }
    Ok(seed)
}

/// Runs a file. Fails if a statement does not do what its hint says.
pub fn run(binary: &Path, path: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let args: Vec<OsString> = vec![
        "local".into(),
        "--logs".into(),
        "--test-hints".into(),
        "--queries-file".into(),
        path.into(),
    ];
    let output = binary::run(binary, &args, scratch.path(), LIMIT)?;
    match output.status {
        Some(status) if status.success() => Ok(()),
        Some(_) => Err(format!("{}:\n{}", path.display(), output.stderr)),
        None => Err(format!("{}: took more than {} s", path.display(), LIMIT.as_secs())),
    }
}

/// The line for a file in the table of README.
pub fn line(seed: &Seed) -> String {
    format!("| `{}` | {} | {} |", seed.name, seed.running, seed.missing.len())
}
