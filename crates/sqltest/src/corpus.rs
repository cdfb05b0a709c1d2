//! Runs all cases under all their configurations on a few threads, with the list of cases that do
//! not pass yet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::case::Case;
use crate::config::{Config, covering};

/// Number of child processes at a time, because the project is measured on a machine with two
/// cores.
const WORKERS: usize = 2;

/// The result of running all cases.
#[derive(Debug, Default)]
pub struct Summary {
    /// Number of cases.
    pub cases: usize,
    /// Number of runs (cases under configurations).
    pub runs: usize,
    /// Cases that are listed as pending and do not pass, as expected.
    pub pending: usize,
    /// Reports of cases that should pass but do not, and of listed cases that pass.
    pub failures: Vec<String>,
}

/// Every `.sql` under a folder, in order.
pub fn discover(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "sql") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Names in `pending.txt`: one a line, `#` starts a comment.
pub fn pending(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join("pending.txt")).unwrap_or_default();
    let lines = text.lines().map(|l| l.split('#').next().unwrap_or_default().trim());
    lines.filter(|l| !l.is_empty()).map(str::to_owned).collect()
}

/// Runs the corpus in `folder`; `only` picks the cases whose path contains it.
pub fn run(binary: &Path, folder: &Path, only: Option<&str>) -> Result<Summary, String> {
    let only = only.map(|o| o.trim_end_matches(".sql").trim_end_matches(".reference"));
    let only = only.map(|o| o.rsplit_once("tests/sql/").map_or(o, |(_, rest)| rest));
    let mut cases = Vec::new();
    for path in discover(folder)? {
        let case = Case::read(folder, &path)?;
        if only.is_none_or(|o| case.name.contains(o)) {
            cases.push(case);
        }
    }
    if cases.is_empty() {
        return Err(format!("no case matches {}", only.unwrap_or("anything")));
    }
    let listed = pending(folder);
    let configs = covering();
    let next = AtomicUsize::new(0);
    let summary = Mutex::new(Summary { cases: cases.len(), ..Summary::default() });
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (runs, failure) = run_case(binary, case, &configs);
                    let is_pending = listed.contains(&case.name);
                    let mut summary = summary.lock().unwrap_or_else(|e| e.into_inner());
                    summary.runs += runs;
                    note(&mut summary, case, is_pending, only.is_some(), failure);
                }
            });
        }
    });
    let mut summary = summary.into_inner().unwrap_or_else(|e| e.into_inner());
    if only.is_none() {
        let names: BTreeSet<&str> = cases.iter().map(|c| c.name.as_str()).collect();
        for name in listed.iter().filter(|n| !names.contains(n.as_str())) {
            summary.failures.push(format!("--- {name}: in pending.txt, but there is no such case"));
        }
    }
    summary.failures.sort();
    Ok(summary)
}

/// Runs one case until a configuration fails.
fn run_case(binary: &Path, case: &Case, configs: &[Config]) -> (usize, Option<String>) {
    let mut runs = 0;
    for config in case.configs(configs) {
        runs += 1;
        if let Err(report) = case.run(binary, &config) {
            return (runs, Some(format!("[{config}]\n{report}")));
        }
    }
    (runs, None)
}

fn note(
    summary: &mut Summary,
    case: &Case,
    pending: bool,
    asked_for: bool,
    failure: Option<String>,
) {
    let name = &case.name;
    match failure {
        Some(_) if pending && !asked_for => summary.pending += 1,
        Some(report) => summary
            .failures
            .push(format!("--- tests/sql/{name}.sql {report}(again: make test-sql CASE={name})\n")),
        None if pending => summary
            .failures
            .push(format!("--- {name} passes now: delete its line from tests/sql/pending.txt")),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::binary::Scratch;

    /// A folder with cases and a fake binary that prints the case's text.
    fn folder(cases: &[(&str, &str, &str)], pending: &str) -> (Scratch, PathBuf) {
        let scratch = Scratch::new().unwrap();
        for (name, text, reference) in cases {
            let path = scratch.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path.with_extension("sql"), text).unwrap();
            std::fs::write(path.with_extension("reference"), reference).unwrap();
        }
        std::fs::write(scratch.path().join("pending.txt"), pending).unwrap();
        let fake = scratch.path().join("fake");
        std::fs::write(&fake, "#!/bin/sh\nexec cat \"$4\"\n").unwrap();
        std::fs::set_permissions(&fake, PermissionsExt::from_mode(0o755)).unwrap();
        (scratch, fake)
    }

    #[test]
    fn good_bad_and_pending_cases() {
        let cases = [("a/good", "1\n", "1\n"), ("a/bad", "1\n", "2\n"), ("b/later", "1\n", "2\n")];
        let (scratch, fake) = folder(&cases, "# not yet\nb/later # a reason\n");
        let summary = run(&fake, scratch.path(), None).unwrap();
        assert_eq!((summary.cases, summary.pending, summary.failures.len()), (3, 1, 1));
        assert!(summary.failures[0].contains("a/bad"), "{:?}", summary.failures);
        assert!(summary.runs > 3);
        let one = run(&fake, scratch.path(), Some("tests/sql/b/later.sql")).unwrap();
        assert_eq!((one.cases, one.failures.len()), (1, 1));
        assert!(run(&fake, scratch.path(), Some("nothing")).is_err());
    }

    #[test]
    fn a_pending_case_that_passes_is_reported() {
        let (scratch, fake) = folder(&[("good", "1\n", "1\n")], "good\ngone\n");
        let summary = run(&fake, scratch.path(), None).unwrap();
        let text = summary.failures.join("\n");
        assert!(text.contains("good passes now") && text.contains("gone: in pending"), "{text}");
    }
}
