//! Scripts: statement by statement, up to the first error.

use std::process::ExitCode;

use entasis_base::{Error, Result, codes};

use crate::args::{Args, Known};
use crate::backend::{self, Ask, Backend};
use crate::{hints, report, terminal};

/// How a script runs.
pub struct Script {
    /// Whether each statement is printed before its result.
    pub echo: bool,
    /// Whether the seconds of each statement are printed to stderr.
    pub time: bool,
    /// Whether the script continues after an error.
    pub ignore_error: bool,
    /// Whether hints in comments are obeyed.
    pub hints: bool,
}

/// Options of every command that runs scripts.
pub const OPTIONS: [Known; 12] = [
    Known::value("query", &['q'], "SQL to run; the option may be repeated"),
    Known::value("queries-file", &[], "file with SQL to run; the option may be repeated"),
    Known::value(
        "output-format",
        &['f'],
        "format of results (default: PrettyCompact on a terminal, otherwise TSV)",
    ),
    Known::value("format", &[], "the same as --output-format"),
    Known::flag("vertical", &['E'], "the same as --output-format Vertical"),
    Known::flag("time", &['t'], "print the seconds that each query took to stderr"),
    Known::flag("echo", &[], "print each query before its result"),
    Known::flag("ignore-error", &[], "go on after a failed query"),
    Known::flag("multiline", &[], "accepted; a query may always have several lines"),
    Known::flag("verbose", &[], "accepted; it changes nothing"),
    Known::flag("stacktrace", &[], "accepted; errors show where in the statement they are"),
    Known::value("progress", &[], "`off` shows no progress bar; it is only shown on a terminal"),
];

/// The format of results without FORMAT.
pub fn format_of(args: &Args) -> String {
    let default = if terminal::stdout_is_terminal() { "PrettyCompact" } else { "TSV" };
    let default = if args.has("vertical") { "Vertical" } else { default };
    args.value("output-format").or(args.value("format")).unwrap_or(default).to_string()
}

/// The scripts of the options; `None` if there are none and a user may type statements.
pub fn texts_of(args: &Args) -> Result<Option<Vec<String>>> {
    let mut scripts: Vec<String> = args.values("query").map(str::to_string).collect();
    for file in args.values("queries-file") {
        scripts.push(std::fs::read_to_string(file).map_err(|e| {
            Error::new(codes::CANNOT_OPEN_FILE, format!("Cannot read {file}")).with_cause(e)
        })?);
    }
    if !args.words.is_empty() {
        scripts.push(args.words.join(" "));
    }
    if !scripts.is_empty() {
        return Ok(Some(scripts));
    }
    if terminal::is_interactive() {
        return Ok(None);
    }
    if terminal::stdin_is_terminal() {
        let message = "There is nothing to run: use -q 'SELECT ...' or --queries-file FILE";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let mut script = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin(), &mut script)?;
    let script = String::from_utf8(script).map_err(|e| {
        let message = "The queries on standard input are not UTF-8: for data, name the table \
                       with -q 'INSERT INTO ... FORMAT ...'";
        Error::new(codes::BAD_ARGUMENTS, message).with_cause(e)
    })?;
    Ok(Some(vec![script]))
}

impl Script {
    /// As the options say.
    pub fn of(args: &Args) -> Self {
        Self {
            echo: args.has("echo"),
            time: args.has("time"),
            ignore_error: args.has("ignore-error"),
            hints: args.has("test-hints"),
        }
    }

    /// Runs scripts one after the other; returns the exit code of the last error.
    pub fn run_all(&mut self, backend: &mut dyn Backend, scripts: &[String]) -> Result<ExitCode> {
        let mut status = ExitCode::SUCCESS;
        for script in scripts {
            let ended = self.run(backend, script)?;
            if ended != ExitCode::SUCCESS {
                status = ended;
                if !self.ignore_error {
                    break;
                }
            }
        }
        Ok(status)
    }

    /// Runs all statements of a script.
    fn run(&mut self, backend: &mut dyn Backend, script: &str) -> Result<ExitCode> {
        let (mut offset, mut status) = (0, ExitCode::SUCCESS);
        loop {
            let before = offset;
            let parsed = match backend::next(backend, script, offset) {
                Ok(Some(parsed)) => parsed,
                Ok(None) => break,
                Err(error) => {
                    let Some(next) = self.failed_parse(script, offset, &error) else {
                        report::error(script, &error);
                        return Ok(report::exit_code(&error));
                    };
                    offset = next;
                    continue;
                }
            };
            offset = parsed.next;
            let expected = self.hints_around(script, before, &parsed);
            let ask = Ask { script, parsed: &parsed, format: None, in_shell: false };
            if self.echo {
                terminal::say(&format!("{};", ask.text().trim_end()));
            }
            match backend.run(ask) {
                Ok(outcome) if expected.errors.is_empty() => {
                    if self.time {
                        terminal::complain(&format!("{:.3}", outcome.elapsed.as_secs_f64()));
                    }
                }
                Ok(_) => {
                    let message = format!("Expected an error {:?}, got none", expected.errors);
                    terminal::complain(&message);
                    return Ok(ExitCode::from(1));
                }
                Err(error) if is_expected(&error, &expected) => {}
                Err(error) => {
                    report::error(script, &error);
                    status = report::exit_code(&error);
                    if !self.ignore_error {
                        return Ok(status);
                    }
                }
            }
            backend.between()?;
        }
        Ok(status)
    }

    fn hints_around(
        &mut self,
        script: &str,
        before: usize,
        parsed: &entasis_engine::Parsed,
    ) -> hints::Hints {
        if !self.hints {
            return hints::Hints::default();
        }
        if let Some(echo) = hints::read(&script[before..parsed.range.start]).echo {
            self.echo = echo;
        }
        let line_end = script[parsed.next..].find('\n').map_or(script.len(), |i| parsed.next + i);
        hints::read(&script[parsed.range.end..line_end])
    }

    /// A statement that does not parse may have a hint that expects this. Returns where the script
    /// continues then.
    fn failed_parse(&mut self, script: &str, offset: usize, error: &Error) -> Option<usize> {
        let tokens = entasis_engine::lex(&script[offset..]);
        let is_end = |t: &&entasis_engine::Token| t.kind == entasis_engine::TokenKind::Semicolon;
        let end = tokens.iter().find(is_end).map_or(script.len(), |t| offset + t.end as usize);
        let line_end = script[end..].find('\n').map_or(script.len(), |i| end + i);
        let expected = hints::read(&script[end..line_end]);
        if !self.hints || !is_expected(error, &expected) {
            return None;
        }
        let is_text = |t: &&entasis_engine::Token| {
            use entasis_engine::TokenKind as Kind;
            !matches!(t.kind, Kind::Whitespace | Kind::Comment)
        };
        let start = offset + tokens.iter().find(is_text)?.start as usize;
        if self.echo {
            terminal::say(&script[start..end]);
        }
        Some(end)
    }
}

fn is_expected(error: &Error, hints: &hints::Hints) -> bool {
    let code = error.code();
    hints.errors.iter().any(|e| e == code.name() || *e == code.0.to_string())
}
