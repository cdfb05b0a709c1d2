//! Prints the queries of performance tests, as `entasis lab queries` does.
//!
//!     cargo run -p entasis-lab --example queries -- [--strict] [--names] FILE...

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use entasis_lab::spec::{self, Listing, Options};

fn main() -> std::io::Result<ExitCode> {
    let mut options = Options::default();
    let mut listing = Listing::Text;
    let mut paths: Vec<PathBuf> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--strict" => options.strict = true,
            "--names" => listing = Listing::Name,
            path => paths.push(path.into()),
        }
    }
    let loaded = spec::load(&paths, &options);
    let mut messages = std::io::stderr().lock();
    for warning in &loaded.warnings {
        writeln!(messages, "warning: {warning}")?;
    }
    for error in &loaded.errors {
        writeln!(messages, "error: {error}")?;
    }
    spec::list(&loaded.files, listing, &mut std::io::stdout().lock())?;
    Ok(ExitCode::from(u8::from(!loaded.errors.is_empty())))
}
