//! Tidiness of texts: line rules for every file, more for Rust sources. Messages say what to do
//! instead; sizes go to the ratchet.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Problem;
use crate::events;
use crate::ratchet::{self, Ratchet, Sizes};
use crate::source::{Source, word};
use crate::tree::{self, Files};

/// Files that may contain `unsafe`, each block with a SAFETY line. All other crates forbid it.
const UNSAFE_ROOMS: &[&str] = &[
    "crates/simd/src/",
    "crates/column/src/buffer",
    "crates/column/src/hash",
    "crates/column/src/arena",
    "crates/base/src/alloc",
    "crates/profile/src/signal",
    "crates/profile/src/perf",
    "crates/profile/src/unwind",
    "crates/profile/src/map",
    "crates/python/src/",
];

/// Files that may depend on the processor: intrinsics, and the names of a stopped thread's
/// registers.
const PROCESSOR_ROOMS: &[&str] = &["crates/simd/", "crates/profile/src/unwind"];

/// Greatest distance in lines between a SAFETY line and its `unsafe` block.
const SAFETY_DISTANCE: usize = 6;

const COLUMNS: usize = 100;
/// Longest line that contains a string, such as a row of a table of settings, examples or queries.
const COLUMNS_WITH_TEXT: usize = 140;

/// Everything that `xtask tidy` checks, on the repository at `root`.
pub fn check(root: &Path) -> Result<Vec<Problem>, String> {
    let files = tree::read(root)?;
    let sources = tree::sources(&files);
    let mut problems = lines(&files);
    let test_files = tree::test_files(&sources);
    for (path, source) in &sources {
        problems.extend(rust(path, source, is_test(path) || test_files.contains(path)));
    }
    problems.extend(tree::check(&sources));
    let product = sources.iter().filter(|(path, _)| !is_test(path) && !test_files.contains(*path));
    problems.extend(events::check(&product.collect()));
    let ratchet = std::fs::read_to_string(ratchet::path(root)).unwrap_or_default();
    let (long_files, long_functions) = sizes(&sources);
    problems.extend(Ratchet::parse(&ratchet)?.check(&long_files, &long_functions));
    Ok(problems)
}

/// Sizes of all files and functions outside tests.
pub fn sizes(sources: &BTreeMap<String, Source>) -> (Sizes, Sizes) {
    let (mut files, mut functions) = (Sizes::new(), Sizes::new());
    let test_files = tree::test_files(sources);
    let product = |path: &str| !is_test(path) && !test_files.contains(path);
    for (path, source) in sources.iter().filter(|(path, _)| product(path)) {
        files.insert(path.clone(), source.length());
        for function in source.functions() {
            let size = functions.entry(format!("{path}:{}", function.name)).or_default();
            *size = function.length.max(*size);
        }
    }
    (files, functions)
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs")
        || ["/tests/", "/benches/", "/examples/"].iter().any(|folder| path.contains(folder))
}

/// Rules for every text file.
fn lines(files: &Files) -> Vec<Problem> {
    // The text is written in pieces, so that this file passes its own rule.
    let hosts =
        [concat!("index.crates", ".io"), concat!("artifact", "ory"), concat!("pypi", ".org")];
    let mut problems = Vec::new();
    for (path, text) in files {
        let mut add = |line: usize, message: &str| problems.push(Problem::new(path, line, message));
        for (at, line) in text.lines().enumerate() {
            if hosts.iter().any(|host| line.contains(host)) {
                add(at + 1, "names a registry's host: leave it to the user's configuration");
            }
            if ["sql", "lock"].contains(&tree::kind(path)) {
                continue;
            }
            if line.contains('\t') && !path.ends_with("Makefile") {
                add(at + 1, "a tab: use spaces (in a string: \\t)");
            }
            if line.ends_with(' ') {
                add(at + 1, "white space at the end of the line: `make fmt`, or delete it");
            }
        }
        if !text.is_empty() && !text.ends_with('\n') && tree::kind(path) != "sql" {
            add(0, "does not end with a line feed");
        }
    }
    problems
}

/// Rules for one Rust source.
fn rust(path: &str, source: &Source, test: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |line: usize, message: &str| problems.push(Problem::new(path, line, message));
    let opened = source.lines.first().is_some_and(|line| line.starts_with("//!"));
    if !opened && !path.ends_with("/tests.rs") {
        add(1, "open with `//!`: what this module is, why it is here, its invariants");
    }
    if let Some(rest) = path.strip_prefix("crates/")
        && rest.split_once('/').is_some_and(|(_, file)| file == "src/lib.rs")
        && !source.code.iter().any(|l| l.contains("(unsafe_code)"))
    {
        add(1, "say `#![forbid(unsafe_code)]` (or `deny`, in a crate with a room for unsafe)");
    }
    for (at, line) in source.lines.iter().enumerate() {
        let text = source.code[at].trim_start() != line.trim_start() && line.contains('"');
        let limit = if text { COLUMNS_WITH_TEXT } else { COLUMNS };
        if line.chars().count() > limit && !line.contains("://") {
            add(at + 1, "longer than 100 columns (140 with a string): `make fmt`, break texts");
        }
        // In pieces, as above.
        for note in [concat!("FIX", "ME"), concat!("HA", "CK")] {
            if word(line, note).is_some() {
                add(at + 1, "a note to self: do it now, or open an issue and say nothing here");
            }
        }
    }
    for at in 0..source.code.len() {
        for message in code_line(path, source, at, test || source.test[at]) {
            add(at + 1, message);
        }
    }
    problems
}

fn code_line(path: &str, source: &Source, at: usize, test: bool) -> Vec<&'static str> {
    let mut messages = Vec::new();
    let line = &source.code[at];
    for name in ["todo", "unimplemented"] {
        if word(line, name).is_some_and(|c| line[c + name.len()..].starts_with('!')) {
            messages.push("answer `Error::not_implemented(\"...\")` for what is missing");
        }
    }
    if line.contains("dbg!(") {
        messages.push("left from debugging: delete it");
    }
    if !test && line.contains(".unwrap()") {
        messages.push("`unwrap` outside tests: answer an Error; or `expect(\"why it cannot be\")`");
    }
    if word(line, "target_arch").is_some()
        && !PROCESSOR_ROOMS.iter().any(|room| path.starts_with(room))
    {
        messages.push("`target_arch` belongs to crates/simd: add a portable call there");
    }
    if word(line, "unsafe").is_some() {
        if !UNSAFE_ROOMS.iter().any(|room| path.starts_with(room)) {
            messages.push(
                "`unsafe` outside its rooms (ARCHITECTURE.md): use a safe call of simd or column, \
                 or argue for a new room in docs/adr/",
            );
        } else if needs_safety(line) && !has_safety(source, at) {
            messages.push("say why it is sound in a `// SAFETY:` line right above");
        }
    }
    messages
}

/// Blocks and impls need a SAFETY line. `unsafe fn` needs a section `# Safety`, which clippy
/// checks.
fn needs_safety(line: &str) -> bool {
    let rest = word(line, "unsafe").map_or("", |at| line[at + "unsafe".len()..].trim_start());
    rest.starts_with('{') || rest.starts_with("impl") || rest.is_empty()
}

fn has_safety(source: &Source, at: usize) -> bool {
    source.lines[at.saturating_sub(SAFETY_DISTANCE)..=at].iter().any(|l| l.contains("SAFETY:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(path: &str, text: &str) -> String {
        crate::report(&rust(path, &Source::new(text), false))
    }

    #[test]
    fn a_tidy_file_passes() {
        let text = "//! Doc.\n//! More.\nfn f() -> &'static str {\n    \"todo!() dbg!(1)\"\n\
                    }\n\
                    #[cfg(test)]\nmod tests {\n    fn g() {\n        x.unwrap();\n    }\n}\n";
        assert_eq!(run("crates/a/src/b.rs", text), "");
    }

    #[test]
    fn each_rule_fires() {
        let long = "x".repeat(101);
        let cases = [
            ("fn f() {}\n", "open with"),
            ("//! D.\nfn f() { todo!() }\n", "not_implemented"),
            ("//! D.\nfn f() { dbg!(1); }\n", "debugging"),
            ("//! D.\nfn f() { x.unwrap(); }\n", "outside tests"),
            ("//! D.\n#[cfg(target_arch = \"x\")]\n", "crates/simd"),
            ("//! D.\nfn f() { unsafe { g() } }\n", "outside its rooms"),
            (concat!("//! D.\n// FIX", "ME later\n"), "open an issue"),
        ];
        for (text, expected) in cases {
            let found = run("crates/a/src/b.rs", text);
            assert!(found.contains(expected), "{text}: {found}");
        }
        assert!(run("crates/a/src/b.rs", &format!("//! {long}\n")).contains("100 columns"));
        assert!(run("crates/a/src/lib.rs", "//! D.\n").contains("forbid(unsafe_code)"));
    }

    #[test]
    fn unsafe_rooms_need_a_reason() {
        let bare = "//! D.\nfn f() {\n    unsafe { g() }\n}\n";
        let said = "//! D.\nfn f() {\n    // SAFETY: checked above.\n    unsafe { g() }\n}\n";
        assert!(run("crates/simd/src/a.rs", bare).contains("SAFETY"));
        assert_eq!(run("crates/simd/src/a.rs", said), "");
        assert_eq!(run("crates/column/src/hash.rs", "//! D.\npub unsafe fn f() {}\n"), "");
    }

    #[test]
    fn lines_of_every_file() {
        let files: Files = [
            ("a.md".to_owned(), "x \n\ty\n".to_owned()),
            ("b.toml".to_owned(), format!("url = \"https://{}\"", concat!("index.crates", ".io"))),
        ]
        .into();
        let text = crate::report(&lines(&files));
        for expected in
            ["a.md:1: white", "a.md:2: a tab", "b.toml:1: names", "b.toml: does not end"]
        {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
