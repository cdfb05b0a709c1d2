//! The SQL cases and the hits suite, against the binary that `make test` has built.
//!
//! `CASE=path` runs the cases whose path contains it (`make test-sql CASE=select/joins`).
#![allow(clippy::print_stdout, clippy::panic)] // a test says what it ran, and fails by panic

use entasis_sqltest::{binary, corpus, hits, indices, memory, seeds};

/// The binary, or `None` when the tests may be skipped.
fn binary_or_skip() -> Option<std::path::PathBuf> {
    let found = binary::find().unwrap_or_else(|message| panic!("{message}"));
    if found.is_none() {
        println!("skipped: no binary, and ENTASIS_BIN_OPTIONAL=1");
    }
    found
}

#[test]
fn sql_cases() {
    let Some(binary) = binary_or_skip() else { return };
    let folder = binary::root().join("tests/sql");
    let only = std::env::var("CASE").ok().filter(|case| !case.is_empty());
    let summary = corpus::run(&binary, &folder, only.as_deref()).unwrap_or_else(|e| panic!("{e}"));
    println!(
        "{} cases in {} runs, {} of them pending, {} failed",
        summary.cases,
        summary.runs,
        summary.pending,
        summary.failures.len()
    );
    assert!(summary.failures.is_empty(), "\n{}", summary.failures.join("\n"));
}

#[test]
fn threads_count_what_the_allocator_gives_out() {
    if std::env::var("CASE").is_ok_and(|case| !case.is_empty()) {
        return;
    }
    let Some(binary) = binary_or_skip() else { return };
    let folder = binary::root().join("tests/sql");
    let figures = memory::figures(&binary, &folder).unwrap_or_else(|e| panic!("{e}"));
    assert!(figures.len() >= 100, "only {} files ran", figures.len());
    let gap: i64 = figures.iter().map(|(counted, given)| (counted - given).abs()).sum();
    let all: i64 = figures.iter().map(|(_, given)| given).sum();
    let percent = 100.0 * gap as f64 / all as f64;
    println!("{} files, {percent:.2} % between count and allocator", figures.len());
    assert!(percent <= 2.0, "{percent:.2} %: {figures:?}");
}

#[test]
fn indices_lose_no_row() {
    if std::env::var("CASE").is_ok_and(|case| !case.is_empty()) {
        return;
    }
    let Some(binary) = binary_or_skip() else { return };
    for seed in 0..5 {
        let name = format!("entasis-indices-{}-{seed}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let checked = match seed {
            0 => indices::check_explain(&binary, &folder),
            seed => indices::check(&binary, &folder, seed),
        };
        let _ = std::fs::remove_dir_all(&folder);
        checked.unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn hits_suite() {
    if std::env::var("CASE").is_ok_and(|case| !case.is_empty()) {
        return;
    }
    let Some(binary) = binary_or_skip() else { return };
    let suite = binary::root().join("benches/hits");
    let answers = suite.join("reference/gen1m");
    let queries = hits::queries(&suite, &answers).unwrap_or_else(|e| panic!("{e}"));
    assert!(queries.len() >= 45, "only {} answers in {}", queries.len(), answers.display());
    let failures = hits::run(&binary, &suite, &queries).unwrap_or_else(|e| panic!("{e}"));
    println!("{} queries over hits, {} differ", queries.len(), failures.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn seeds_run_as_their_hints_say() {
    let Some(binary) = binary_or_skip() else { return };
    let root = binary::root();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap_or_default();
    let files = seeds::files(&root.join("tests/seeds")).unwrap_or_else(|e| panic!("{e}"));
    let mut failures = Vec::new();
    for file in files {
        let seed = seeds::read(&file).unwrap_or_else(|e| panic!("{e}"));
        println!("{}: {} run", seed.name, seed.running);
        for (statement, error) in &seed.missing {
            println!("  {error}: {statement}");
        }
        failures.extend(seeds::run(&binary, &file).err());
        if !readme.contains(&seeds::line(&seed)) {
            failures.push(format!("README.md lacks the line {}", seeds::line(&seed)));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
