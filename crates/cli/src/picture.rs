//! `--flamegraph FILE`: the last statement ran with the profiler on, and becomes a page.

use entasis_base::{Error, Result, codes};
use entasis_engine::ProfileKind;

use crate::args::{Args, Known};
use crate::report;

/// Options of the commands that can.
pub const OPTIONS: [Known; 2] = [
    Known::value("flamegraph", &[], "write a flame graph of the last query to this file (HTML)"),
    Known::value("flamegraph-type", &[], "of CPU (default), Real (time) or Memory"),
];

/// What is to be drawn, and where to.
pub struct Picture {
    file: String,
    /// What stacks are counted by.
    pub kind: ProfileKind,
}

impl Picture {
    /// What the options ask for.
    pub fn of(args: &Args) -> Result<Option<Self>> {
        let Some(file) = args.value("flamegraph") else {
            return match args.has("flamegraph-type") {
                true => Err(report::bad_arguments("--flamegraph-type needs --flamegraph FILE")),
                false => Ok(None),
            };
        };
        let kind = ProfileKind::parse(args.value("flamegraph-type").unwrap_or("CPU"))?;
        Ok(Some(Self { file: file.to_string(), kind }))
    }

    /// The setting that makes stacks, unless the command line has it.
    pub fn setting(&self, given: &[(String, String)]) -> Option<(String, String)> {
        let name = self.kind.setting();
        let is_given = given.iter().any(|(n, _)| n == name);
        (!is_given).then(|| (name.to_string(), self.kind.fine().to_string()))
    }

    /// Writes the page of a statement; there may have been none.
    pub fn write(
        &self,
        query_id: &str,
        page: impl FnOnce(&str, ProfileKind) -> Result<Vec<u8>>,
    ) -> Result<()> {
        if query_id.is_empty() {
            return Err(report::bad_arguments("--flamegraph: there was no query to draw"));
        }
        std::fs::write(&self.file, page(query_id, self.kind)?).map_err(|e| {
            let message = format!("Cannot write the flame graph to {}", self.file);
            Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
        })
    }
}

/// A shell has no last query.
pub fn needs_query() -> Error {
    report::bad_arguments("--flamegraph draws what -q or --queries-file runs: give one")
}
