//! `--flamegraph FILE`: runs statements with the profiler, and writes the flame graph of the last
//! one.

use entasis_base::{Error, Result, codes};
use entasis_engine::ProfileKind;

use crate::args::{Args, Known};
use crate::report;

/// The options of the commands that support it.
pub const OPTIONS: [Known; 2] = [
    Known::value(
        "flamegraph",
        &[],
        "file to which a flame graph of the last query is written (HTML)",
    ),
    Known::value(
        "flamegraph-type",
        &[],
        "what the flame graph shows: CPU (default), Real (elapsed time) or Memory",
    ),
];

/// What is drawn, and the file to which it is written.
pub struct Picture {
    file: String,
    /// The quantity by which stacks are weighted.
    pub kind: ProfileKind,
}

impl Picture {
    /// The flame graph that the options ask for.
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

    /// The setting that makes the profiler record stacks, unless the command line sets it.
    pub fn setting(&self, given: &[(String, String)]) -> Option<(String, String)> {
        let name = self.kind.setting();
        let is_given = given.iter().any(|(n, _)| n == name);
        (!is_given).then(|| (name.to_string(), self.kind.fine().to_string()))
    }

    /// Writes the flame graph of a statement, if there was one.
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

/// The error for a shell, which has no last query.
pub fn needs_query() -> Error {
    report::bad_arguments("--flamegraph draws what -q or --queries-file runs: give one")
}
