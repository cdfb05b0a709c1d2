//! Prints all that performance tests expand to, for `scripts/lab_reference.py`.
//!
//!     cargo run -p entasis-lab --example facts -- FILE...

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use entasis_lab::spec::{self, Options, TestFile};

fn main() -> std::io::Result<ExitCode> {
    let paths: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let loaded = spec::load(&paths, &Options::default());
    let mut messages = std::io::stderr().lock();
    for error in &loaded.errors {
        writeln!(messages, "error: {error}")?;
    }
    let mut out = std::io::stdout().lock();
    loaded.files.iter().try_for_each(|file| all(file, &mut out))?;
    Ok(ExitCode::from(u8::from(!loaded.errors.is_empty())))
}

/// A line per fact: test, kind, number, text with Rust's escapes for what is not printable.
fn all(file: &TestFile, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = |kind: &str, number: usize, text: &str| {
        let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
        writeln!(out, "{}\t{kind}\t{number}\t{text}", file.name)
    };
    for (at, (name, value)) in file.settings.iter().enumerate() {
        line("setting", at, &format!("{name}={value}"))?;
    }
    for (at, setup) in file.setup.iter().enumerate() {
        line("setup", at, &setup.text)?;
    }
    for query in &file.queries {
        line("query", query.index, &query.text())?;
        line("name", query.index, &query.display_name())?;
        line("short", query.index, if query.short { "1" } else { "0" })?;
    }
    for (at, text) in file.teardown.iter().enumerate() {
        line("teardown", at, text)?;
    }
    for (at, tag) in file.tags.iter().enumerate() {
        line("tag", at, tag)?;
    }
    Ok(())
}
