//! `xtask tidy | layers | licences` prints violations of the house rules. `xtask ratchet` lowers
//! the list of exceptions to the present sizes.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use entasis_xtask::layers::Layers;
use entasis_xtask::ratchet::{self, Ratchet};
use entasis_xtask::{Problem, licences, metadata, report, tidy, tree};

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let lines = match run(&task) {
        Ok(problems) if problems.is_empty() => return ExitCode::SUCCESS,
        Ok(problems) => report(&problems) + "\n",
        Err(message) => format!("xtask: {message}\n"),
    };
    let _ = std::io::stderr().write_all(lines.as_bytes());
    ExitCode::FAILURE
}

fn run(task: &str) -> Result<Vec<Problem>, String> {
    let root = metadata::root();
    match task {
        "tidy" => {
            say_ratchet(&root);
            tidy::check(&root)
        }
        "layers" => {
            let layers = Layers::load(&root)?;
            let mut problems = layers.check(&metadata::workspace(&root)?);
            problems.extend(layers.check_rooms(&tree::sources(&tree::read(&root)?)));
            Ok(problems)
        }
        "licences" => Ok(licences::check(&metadata::everything(&root)?)),
        "ratchet" => {
            let (files, functions) = tidy::sizes(&tree::sources(&tree::read(&root)?));
            let path = ratchet::path(&root);
            let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
            let lowered = Ratchet::parse(&text)?.lowered(&files, &functions);
            std::fs::write(&path, lowered.print()).map_err(|e| e.to_string())?;
            Ok(Vec::new())
        }
        _ => Err("tasks: tidy, layers, licences, ratchet".into()),
    }
}

/// Prints the number of exceptions, so that everybody sees whether it shrinks.
fn say_ratchet(root: &Path) {
    let text = std::fs::read_to_string(ratchet::path(root)).unwrap_or_default();
    if let Ok(Ratchet { files, functions }) = Ratchet::parse(&text) {
        let (files, functions) = (files.len(), functions.len());
        let mut err = std::io::stderr();
        let _ = writeln!(err, "over a limit, still: {files} files, {functions} functions");
    }
}
