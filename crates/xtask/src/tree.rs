//! The files of the repository, and rules about files: none is dead, and every family of functions
//! is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Problem;
use crate::source::{Source, word};

/// Folders that hold no sources: build output, environments, data, histories.
const SKIP: &[&str] =
    &[".git", ".venv", "target", "data", "demo-data", "bench-results", "__pycache__"];
/// Endings of the names of text files that are read.
const TEXT: &[&str] = &["rs", "toml", "md", "py", "sh", "sql", "lock", "html", "js", "css"];
/// Text files without such an end.
const TEXT_NAMES: &[&str] = &["Makefile", "run", ".gitignore"];

/// Every text file of the repository: path from the root with `/`, and its text.
pub type Files = BTreeMap<String, String>;

/// Reads the repository.
pub fn read(root: &Path) -> Result<Files, String> {
    let mut files = Files::new();
    walk(root, "", &mut files).map_err(|e| format!("cannot read the repository: {e}"))?;
    Ok(files)
}

fn walk(folder: &Path, prefix: &str, files: &mut Files) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIP.contains(&name.as_str()) {
            walk(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() && is_text(&name) {
            let bytes = std::fs::read(entry.path())?;
            files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(())
}

fn is_text(name: &str) -> bool {
    TEXT.contains(&kind(name)) || TEXT_NAMES.contains(&name)
}

/// What follows the last dot of a path.
pub fn kind(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, end)| end)
}

/// Rust sources of the crates, by path.
pub fn sources(files: &Files) -> BTreeMap<String, Source> {
    let rust = files.iter().filter(|(path, _)| kind(path) == "rs");
    rust.map(|(path, text)| (path.clone(), Source::new(text))).collect()
}

/// Files under `src/` that no `mod` line names, and tables of functions that are not listed.
pub fn check(sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, source) in sources {
        let Some((parents, name)) = parents(path) else { continue };
        let Some((parent, listing)) =
            parents.iter().find_map(|p| sources.get_key_value(p.as_str()))
        else {
            problems.push(Problem::new(path, 0, "has no parent module: add one, or delete it"));
            continue;
        };
        if !listing.code.iter().any(|line| declares(line, &name)) {
            let message = format!("is dead: {parent} has no `mod {name};`. List it or delete it");
            problems.push(Problem::new(path, 0, message));
        }
        for table in tables(path, source) {
            let reference = format!("{name}::{table}");
            let lists = |s: &Source| s.code.iter().any(|line| word(line, &reference).is_some());
            // A family of several files may be listed by the folder above its own, or by the crate.
            let above = |p: &str| {
                let folder = p.strip_suffix("mod.rs").or_else(|| p.strip_suffix("lib.rs"));
                folder.is_some_and(|folder| path.starts_with(folder))
            };
            if !lists(listing) && !sources.iter().any(|(p, s)| above(p) && lists(s)) {
                let message =
                    format!("`{table}` is not registered: list `{reference}` in {parent}");
                problems.push(Problem::new(path, 0, message));
            }
        }
    }
    problems
}

/// The files that may declare this one as a module, and the module's name. `None` for roots.
fn parents(path: &str) -> Option<(Vec<String>, String)> {
    let (root, inside) = path.split_once("/src/")?;
    if !root.starts_with("crates/") || inside.starts_with("bin/") {
        return None;
    }
    let module = inside.strip_suffix("/mod.rs").or_else(|| inside.strip_suffix(".rs"))?;
    match module.rsplit_once('/') {
        None if module == "lib" || module == "main" => None,
        None => {
            Some((vec![format!("{root}/src/lib.rs"), format!("{root}/src/main.rs")], module.into()))
        }
        Some((folder, name)) => {
            let folder = format!("{root}/src/{folder}");
            Some((vec![format!("{folder}/mod.rs"), format!("{folder}.rs")], name.into()))
        }
    }
}

fn declares(line: &str, name: &str) -> bool {
    word(line, "mod").is_some_and(|at| {
        line[at + 3..].trim_start().strip_prefix(name).is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with(';') || rest.starts_with('{')
        })
    })
}

/// Sources that their parent declares under `#[cfg(test)]`.
pub fn test_files(sources: &BTreeMap<String, Source>) -> BTreeSet<String> {
    let is_test = |path: &String| {
        let (parents, name) = parents(path)?;
        let listing = parents.iter().find_map(|p| sources.get(p.as_str()))?;
        let mut lines = listing.code.iter().zip(&listing.test);
        lines.find(|(line, _)| declares(line, &name)).map(|(_, &test)| test)
    };
    sources.keys().filter(|path| is_test(path) == Some(true)).cloned().collect()
}

/// Names of a family's const tables of definitions (`pub const X: &[FunctionDef]` and the like).
fn tables(path: &str, source: &Source) -> Vec<String> {
    if !path.starts_with("crates/function-") {
        return Vec::new();
    }
    let names = source.code.iter().filter_map(|line| {
        let rest = line.strip_prefix("pub const ").or_else(|| line.strip_prefix("pub static "))?;
        let (name, of) = rest.split_once(": &[")?;
        let definition = of.split(']').next()?.trim_start_matches("&'static ");
        (definition.ends_with("Def") && !definition.contains('[')).then(|| name.to_owned())
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(files: &[(&str, &str)]) -> String {
        let files: Files = files.iter().map(|&(p, t)| (p.to_owned(), t.to_owned())).collect();
        crate::report(&check(&sources(&files)))
    }

    #[test]
    fn an_unlisted_file_is_dead() {
        let text = run(&[
            ("crates/a/src/lib.rs", "mod b;\npub mod c { }\n"),
            ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests;\n"),
            ("crates/a/src/b/tests.rs", ""),
            ("crates/a/src/c/mod.rs", "// mod d;\n"),
            ("crates/a/src/c/d.rs", ""),
            ("crates/a/src/bin/x.rs", ""),
            ("crates/a/tests/y.rs", ""),
        ]);
        assert_eq!(text.matches("dead").count(), 1, "{text}");
        assert!(text.contains("crates/a/src/c/d.rs: is dead: crates/a/src/c/mod.rs"), "{text}");
    }

    #[test]
    fn a_table_must_be_registered() {
        let table = "pub const FUNCTIONS: &[FunctionDef] = &[];\n";
        let listed = "mod x;\nconst ALL: &[&[FunctionDef]] = &[x::FUNCTIONS];\n";
        let file = ("crates/function-date/src/x.rs", table);
        let place = "crates/function-date/src/lib.rs";
        assert_eq!(run(&[(place, listed), file]), "");
        let text = run(&[(place, "mod x;\n"), file]);
        assert!(text.contains("list `x::FUNCTIONS`"), "{text}");
        let above = "mod y;\nconst ALL: &[&[FunctionDef]] = &[y::x::FUNCTIONS];\n";
        let file = ("crates/function-date/src/y/x.rs", table);
        let folder = ("crates/function-date/src/y/mod.rs", "pub mod x;\n");
        assert_eq!(run(&[(place, above), folder, file]), "");
    }
}
