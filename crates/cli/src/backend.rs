//! Where statements run: in this process or on a server. The shell and scripts see this alone.

use std::io::{Read, Write};
use std::time::Duration;

use entasis_base::Result;
use entasis_engine::Parsed;

use crate::progress::{Bar, Reading};
use crate::terminal::{self, Results};

/// One statement of a script.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The whole script: positions count from its start.
    pub script: &'a str,
    /// The statement.
    pub parsed: &'a Parsed,
    /// The format of a result that names none, if not the usual one.
    pub format: Option<&'a str>,
    /// Whether somebody waits for figures behind the result.
    pub in_shell: bool,
}

impl Ask<'_> {
    /// The statement's text; of an INSERT with its data.
    pub fn text(&self) -> &str {
        &self.script[self.parsed.range.clone()]
    }

    /// Whether the rows of an INSERT come from standard input: where the text brings none.
    pub fn reads_stdin(&self) -> bool {
        let data = self.parsed.data.clone().map(|range| self.script[range].trim().is_empty());
        data == Some(true) && !terminal::stdin_is_terminal()
    }

    /// Rows that are piped in, unpacked if they are compressed: `< rows.csv.gz`.
    pub fn rows_from<'r>(&self, input: impl Read + Send + 'r) -> Result<Box<dyn Read + Send + 'r>> {
        if entasis_engine::takes_any_bytes(self.parsed) != Some(false) {
            return Ok(Box::new(input));
        }
        Ok(entasis_format::decompress_by_content(Box::new(input), u64::MAX)?.0)
    }
}

/// What is to be said about a statement that went well.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rows of the result; `None` if unknown.
    pub rows: Option<u64>,
    /// Rows read.
    pub read_rows: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// The most memory in use; 0 if unknown.
    pub peak_memory: u64,
    /// From asking to the last byte.
    pub elapsed: Duration,
}

/// Where statements run.
pub trait Backend: Send {
    /// The statement at or behind `offset`; `None` at the end.
    fn parse(&self, script: &str, offset: usize) -> Result<Option<Parsed>>;

    /// Runs a statement; its result goes to stdout, a progress bar to stderr. Ctrl-C ends it, where
    /// [`crate::interrupt`] was installed.
    fn run(&mut self, ask: Ask<'_>) -> Result<Outcome>;

    /// The answer to a short query as TSV: names for completion.
    fn list(&mut self, query: &str) -> Result<String>;

    /// The current database.
    fn database(&self) -> &str;

    /// Called between the statements of a script.
    fn between(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The statement at or behind `offset`. The `;` of `INSERT ... FORMAT CSV;` ends the statement like
/// any other: it is no data.
pub fn next(backend: &dyn Backend, script: &str, offset: usize) -> Result<Option<Parsed>> {
    let mut parsed = backend.parse(script, offset)?;
    if let Some(parsed) = &mut parsed
        && let Some(data) = &mut parsed.data
        && script[data.clone()].trim() == ";"
    {
        data.end = data.start;
        parsed.range.end = data.start;
    }
    Ok(parsed)
}

/// Stdout for a result, and the bar that has to go before the result comes.
pub struct Screen {
    bar: Option<Bar>,
    shared: bool,
}

impl Screen {
    /// Starts the bar, if it is wanted and would be seen.
    pub fn start(wanted: bool, read: impl FnMut() -> Reading + Send + 'static) -> Self {
        let bar = if wanted { Bar::start(read) } else { None };
        Self { bar, shared: terminal::stdout_is_terminal() }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.shared && !bytes.is_empty() {
            self.bar = None;
        }
        Results.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Results.flush()
    }
}
