//! One case: its two files, the hints in its first line, and how it is run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::binary::{self, Scratch};
use crate::config::{Config, Storage};
use crate::diff;

/// The text that the runner may replace by another engine.
const MEMORY: &str = "ENGINE = Memory";
const MERGETREE: &str = "ENGINE = MergeTree ORDER BY tuple()";

/// No statement of the cases is slow, so a run that takes this long hangs.
const LIMIT: Duration = Duration::from_mins(2);

/// A pair of files.
#[derive(Clone, Debug)]
pub struct Case {
    /// Path of the statements.
    pub sql: PathBuf,
    /// The name of the case: its path under `tests/sql` without the ending.
    pub name: String,
    /// The statements.
    text: String,
    /// The expected output.
    reference: Vec<u8>,
}

impl Case {
    /// Reads a case; `folder` is `tests/sql`.
    pub fn read(folder: &Path, sql: &Path) -> Result<Self, String> {
        let relative = sql.strip_prefix(folder).unwrap_or(sql).with_extension("");
        let name = relative.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(sql).map_err(|e| format!("{}: {e}", sql.display()))?;
        let reference = std::fs::read(sql.with_extension("reference"))
            .map_err(|e| format!("{name}: no expected output ({e}): fill it with `make oracle`"))?;
        Ok(Self { sql: sql.to_path_buf(), name, text, reference })
    }

    /// The configurations that the hints in the first line allow.
    pub fn configs(&self, all: &[Config]) -> Vec<Config> {
        let first = self.text.lines().next().unwrap_or_default();
        if first.contains("configs: default") {
            return vec![Config::DEFAULT];
        }
        let fixed = first.contains("fixedEngine") || !self.text.contains("CREATE ");
        let large = first.contains("largeBlocks");
        let restrict = |c: &Config| {
            let c = if fixed { c.as_written() } else { *c };
            if large { Config { block: 0, ..c } } else { c }
        };
        let unique: BTreeSet<Config> = all.iter().map(restrict).collect();
        let mut unique: Vec<Config> = unique.into_iter().collect();
        unique.sort_by_key(|c| *c != Config::DEFAULT); // the simplest failure first
        unique
    }

    /// Runs the case under one configuration: `Ok`, or a readable report.
    pub fn run(&self, binary: &Path, config: &Config) -> Result<(), String> {
        let scratch = Scratch::new()?;
        let (text, reference) = self.rewritten(config);
        let file = scratch.path().join("case.sql");
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut args: Vec<OsString> =
            vec!["local".into(), "--test-hints".into(), "--queries-file".into(), file.into()];
        args.extend(config.args(&scratch.path().join("data")));
        let output = binary::run(binary, &args, scratch.path(), LIMIT)?;
        let mut report = match output.status {
            None => format!("took more than {} s\n", LIMIT.as_secs()),
            Some(status) if !status.success() => format!("{status}\n"),
            Some(_) if output.stdout == reference => return Ok(()),
            Some(_) => String::new(),
        };
        if !output.stderr.trim().is_empty() {
            report += &format!("stderr: {}\n", output.stderr.trim());
        }
        if output.stdout != reference {
            report += &diff::lines(&reference, &output.stdout);
        }
        Err(report)
    }

    fn rewritten(&self, config: &Config) -> (String, Vec<u8>) {
        if config.storage == Storage::AsWritten {
            return (self.text.clone(), self.reference.clone());
        }
        let reference = replace(&self.reference, MEMORY.as_bytes(), MERGETREE.as_bytes());
        (self.text.replace(MEMORY, MERGETREE), reference)
    }
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(from) {
            out.extend_from_slice(to);
            at += from.len();
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::covering;

    fn case(text: &str, reference: &str) -> Case {
        Case {
            sql: PathBuf::new(),
            name: "x".into(),
            text: text.into(),
            reference: reference.into(),
        }
    }

    #[test]
    fn first_lines_restrict_configurations() {
        let all = covering();
        let create = "CREATE TABLE t (a UInt8) ENGINE = Memory;";
        assert_eq!(case(create, "").configs(&all).len(), all.len());
        let only = case("-- { configs: default }\nSELECT 1;", "").configs(&all);
        assert_eq!(only, [Config::DEFAULT]);
        let fixed = case(&format!("-- {{ fixedEngine }}\n{create}"), "").configs(&all);
        assert!(fixed.iter().all(|c| c.storage == Storage::AsWritten));
        assert_eq!(fixed[0], Config::DEFAULT);
        let large = case(&format!("-- {{ largeBlocks }}\n{create}"), "").configs(&all);
        assert!(large.len() > 5 && large.iter().all(|c| c.block == 0));
    }

    #[test]
    fn engines_are_rewritten_in_both_files() {
        let case = case("a ENGINE = Memory; b", "x ENGINE = Memory;\n");
        let config = Config { storage: Storage::MergeTree, ..Config::DEFAULT };
        let (text, reference) = case.rewritten(&config);
        assert_eq!(text, "a ENGINE = MergeTree ORDER BY tuple(); b");
        assert_eq!(reference, b"x ENGINE = MergeTree ORDER BY tuple();\n");
        assert_eq!(case.rewritten(&Config::DEFAULT).0, case.text);
    }

    #[test]
    fn output_status_and_errors_decide() {
        let shell = |script: &str| {
            let scratch = Scratch::new().unwrap();
            let path = scratch.path().join("fake");
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, mode).unwrap();
            (path, scratch)
        };
        let case = case("SELECT 1;", "1\n");
        let (good, _keep) = shell("echo 1");
        assert_eq!(case.run(&good, &Config::DEFAULT), Ok(()));
        let (wrong, _keep) = shell("echo 2");
        assert!(case.run(&wrong, &Config::DEFAULT).unwrap_err().contains("+2"));
        let (failing, _keep) = shell("echo 1; echo 'Code: 62. no' >&2; exit 1");
        assert!(case.run(&failing, &Config::DEFAULT).unwrap_err().contains("Code: 62"));
    }
}
