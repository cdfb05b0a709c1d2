//! Size limits as a ratchet: files and functions that were larger when the limit was introduced may
//! stay, but may only shrink.
//!
//! `ratchet.toml` lists the exceptions with their sizes. `xtask ratchet` lowers or removes entries
//! according to the present sizes; it never raises one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::Problem;

/// Lines of a file, without its tests.
pub const FILE_LINES: usize = 500;
/// Lines of a function.
pub const FUNCTION_LINES: usize = 70;

/// Sizes by `path` (files) or `path:name` (functions).
pub type Sizes = BTreeMap<String, usize>;

/// The exceptions.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ratchet {
    /// Files over [`FILE_LINES`].
    pub files: Sizes,
    /// Functions over [`FUNCTION_LINES`].
    pub functions: Sizes,
}

/// Where the exceptions are kept.
pub fn path(root: &Path) -> PathBuf {
    root.join("crates/xtask/ratchet.toml")
}

impl Ratchet {
    /// Parses `ratchet.toml`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|e| format!("ratchet.toml: {e}"))?;
        let sizes = |key: &str| -> Sizes {
            let section = table.get(key).and_then(toml::Value::as_table);
            let entries = section.into_iter().flatten();
            entries
                .filter_map(|(k, v)| Some((k.clone(), usize::try_from(v.as_integer()?).ok()?)))
                .collect()
        };
        Ok(Self { files: sizes("files"), functions: sizes("functions") })
    }

    /// The text of `ratchet.toml`.
    pub fn print(&self) -> String {
        let mut text = String::from(
            "# What was over a limit when the limit came: 500 lines a file (without tests), 70 a\n\
             # function. Numbers only go down: `make fmt` lowers them, nothing raises them.\n",
        );
        for (name, sizes) in [("files", &self.files), ("functions", &self.functions)] {
            let _ = writeln!(text, "\n[{name}]");
            for (key, size) in sizes {
                let _ = writeln!(text, "\"{key}\" = {size}");
            }
        }
        text
    }

    /// Files and functions that exceed their limit without an exception or have grown, and
    /// exceptions that are not needed.
    pub fn check(&self, files: &Sizes, functions: &Sizes) -> Vec<Problem> {
        let mut problems = Vec::new();
        let advice = "split it by responsibility (one file, one noun)";
        hold(&mut problems, "file", &self.files, files, FILE_LINES, advice);
        let advice = "name its steps as functions: push `if`s up and `for`s down";
        hold(&mut problems, "function", &self.functions, functions, FUNCTION_LINES, advice);
        problems
    }

    /// Lowers entries to the present sizes and drops those that are no longer needed.
    #[must_use]
    pub fn lowered(&self, files: &Sizes, functions: &Sizes) -> Self {
        let lower = |old: &Sizes, now: &Sizes, limit: usize| -> Sizes {
            old.iter()
                .filter_map(|(k, &v)| Some((k.clone(), v.min(*now.get(k)?))))
                .filter(|&(_, v)| v > limit)
                .collect()
        };
        Self {
            files: lower(&self.files, files, FILE_LINES),
            functions: lower(&self.functions, functions, FUNCTION_LINES),
        }
    }
}

fn hold(
    problems: &mut Vec<Problem>,
    what: &str,
    excused: &Sizes,
    now: &Sizes,
    limit: usize,
    advice: &str,
) {
    for (key, &size) in now.iter().filter(|&(_, &size)| size > limit) {
        let message = match excused.get(key) {
            None => format!("a {what} of {size} lines, the limit is {limit}: {advice}"),
            Some(&old) if size > old => {
                format!("this long {what} grew from {old} to {size} lines: {advice}")
            }
            Some(_) => continue,
        };
        problems.push(Problem::new(key, 0, message));
    }
    for key in excused.keys().filter(|&k| now.get(k).is_none_or(|&size| size <= limit)) {
        let message = format!("this {what} needs no excuse any more: run `make fmt` to drop it");
        problems.push(Problem::new(key, 0, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(entries: &[(&str, usize)]) -> Sizes {
        entries.iter().map(|&(k, v)| (k.to_owned(), v)).collect()
    }

    #[test]
    fn numbers_only_go_down() {
        let ratchet =
            Ratchet { files: sizes(&[("a", 600), ("b", 700)]), functions: Sizes::default() };
        let now = sizes(&[("a", 590), ("b", 701), ("c", 501), ("d", 500)]);
        let text = crate::report(&ratchet.check(&now, &Sizes::default()));
        assert!(text.contains("b: this long file grew from 700 to 701"), "{text}");
        assert!(text.contains("c: a file of 501 lines") && !text.contains("\na:"), "{text}");
        assert_eq!(ratchet.lowered(&now, &now).files, sizes(&[("a", 590), ("b", 700)]));
    }

    #[test]
    fn an_entry_that_is_not_needed_is_reported() {
        let ratchet = Ratchet { files: sizes(&[("a", 600)]), functions: Sizes::default() };
        for now in [sizes(&[("a", 400)]), Sizes::default()] {
            let problems = ratchet.check(&now, &Sizes::default());
            assert!(crate::report(&problems).contains("needs no excuse"));
            assert_eq!(ratchet.lowered(&now, &Sizes::default()).files, Sizes::default());
        }
    }

    #[test]
    fn text_round_trips() {
        let ratchet =
            Ratchet { files: sizes(&[("a/b.rs", 600)]), functions: sizes(&[("c:d", 80)]) };
        assert_eq!(Ratchet::parse(&ratchet.print()).unwrap(), ratchet);
    }
}
