//! `entasis local`: queries over files and tables, in this process.

use std::io::{BufReader, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_engine::{Engine, EngineConfig, Session};

use crate::args::{self, Args, Known};
use crate::{bench_driver, hints, render, terminal};

const KNOWN: &[Known] = &[
    Known {
        long: "query",
        short: &['q'],
        takes_value: true,
        help: "queries to run; may be repeated",
    },
    Known { long: "queries-file", short: &[], takes_value: true, help: "file of queries to run" },
    Known {
        long: "path",
        short: &[],
        takes_value: true,
        help: "folder of tables; in memory without it",
    },
    Known {
        long: "structure",
        short: &['S'],
        takes_value: true,
        help: "columns of the input: 'a UInt8, b String'",
    },
    Known {
        long: "table",
        short: &['N'],
        takes_value: true,
        help: "name of the input's table (default: table)",
    },
    Known {
        long: "file",
        short: &[],
        takes_value: true,
        help: "file of input; - for standard input",
    },
    Known { long: "input-format", short: &[], takes_value: true, help: "format of the input" },
    Known { long: "output-format", short: &['f'], takes_value: true, help: "format of results" },
    Known { long: "format", short: &[], takes_value: true, help: "as --output-format" },
    Known { long: "database", short: &['d'], takes_value: true, help: "current database" },
    Known {
        long: "time",
        short: &['t'],
        takes_value: false,
        help: "print each query's seconds to stderr",
    },
    Known {
        long: "echo",
        short: &[],
        takes_value: false,
        help: "print each query before its result",
    },
    Known {
        long: "multiquery",
        short: &['n'],
        takes_value: false,
        help: "accepted; several queries are always allowed",
    },
    Known {
        long: "ignore-error",
        short: &[],
        takes_value: false,
        help: "go on after a failed query",
    },
    Known {
        long: "test-hints",
        short: &[],
        takes_value: false,
        help: "obey -- { serverError NAME } and -- { echoOn }",
    },
    Known {
        long: "reopen-between-statements",
        short: &[],
        takes_value: false,
        help: "close and open --path between queries, for tests",
    },
    Known {
        long: "bench-driver",
        short: &[],
        takes_value: false,
        help: "speak the bench's protocol on stdin and stdout",
    },
    Known { long: "help", short: &['h'], takes_value: false, help: "this text" },
];

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, KNOWN)?;
    if args.has("help") {
        terminal::say(&args::help("entasis local: run queries in this process", KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    let mut local = Local::open(args)?;
    if local.args.has("bench-driver") {
        bench_driver::run(&mut local.session)?;
        return Ok(ExitCode::SUCCESS);
    }
    let script = local.script()?;
    local.add_input(&script)?;
    local.run_script(&script)
}

struct Local {
    args: Args,
    session: Session,
    format: String,
    echo: bool,
}

impl Local {
    fn open(args: Args) -> Result<Self> {
        let session = open_session(&args)?;
        let default = if terminal::stdout_is_terminal() { "PrettyCompact" } else { "TSV" };
        let format = args.value("output-format").or(args.value("format")).unwrap_or(default);
        let (format, echo) = (format.to_string(), args.has("echo"));
        Ok(Self { args, session, format, echo })
    }

    fn script(&self) -> Result<String> {
        let mut script = self.args.values("query").collect::<Vec<_>>().join(";\n");
        for file in self.args.values("queries-file") {
            script.push_str(&std::fs::read_to_string(file).map_err(|e| {
                Error::new(codes::CANNOT_OPEN_FILE, format!("Cannot read {file}")).with_cause(e)
            })?);
        }
        for word in &self.args.words {
            script.push_str(word);
        }
        if !script.trim().is_empty() {
            return Ok(script);
        }
        if terminal::stdin_is_terminal() {
            let message = "Nothing to run: give -q 'SELECT ...' or --queries-file FILE";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        std::io::stdin().read_to_string(&mut script)?;
        Ok(script)
    }

    /// Standard input or --file as a table, where the options or the script ask for it.
    fn add_input(&mut self, script: &str) -> Result<()> {
        let name = self.args.value("table").unwrap_or("table");
        let asked = ["structure", "input-format", "file", "table"].iter().any(|o| self.args.has(o));
        let inserts = script.to_ascii_lowercase().contains("insert");
        if !asked || inserts {
            return Ok(());
        }
        let path = self.args.value("file").filter(|f| *f != "-" && *f != "stdin");
        let by_name = path.and_then(entasis_format::format_by_extension);
        let format = self.args.value("input-format").or(by_name).unwrap_or("TSV").to_string();
        let reader: Box<dyn Read + Send> = match path {
            None => Box::new(BufReader::new(std::io::stdin())),
            Some(path) => Box::new(std::fs::File::open(path).map_err(|e| {
                Error::new(codes::CANNOT_OPEN_FILE, format!("Cannot open {path}")).with_cause(e)
            })?),
        };
        if format.eq_ignore_ascii_case("Parquet") {
            return Err(Error::not_implemented("Parquet as --file: use FROM file('...')"));
        }
        let structure = self.args.value("structure");
        self.session.add_input(name, &format, structure, reader)
    }

    fn run_script(&mut self, script: &str) -> Result<ExitCode> {
        let hints_on = self.args.has("test-hints");
        let (mut offset, mut status) = (0, ExitCode::SUCCESS);
        loop {
            let before = offset;
            let parsed = match self.session.parse(script, offset) {
                Ok(Some(parsed)) => parsed,
                Ok(None) => break,
                Err(error) => {
                    let Some(next) = self.failed_parse(script, offset, &error, hints_on) else {
                        self.report(script, &error);
                        return Ok(ExitCode::from(error.code().0 as u8));
                    };
                    offset = next;
                    continue;
                }
            };
            offset = parsed.next;
            let mut expected = hints::Hints::default();
            if hints_on {
                self.switch_echo(&script[before..parsed.range.start]);
                let line_end =
                    script[parsed.next..].find('\n').map_or(script.len(), |i| parsed.next + i);
                expected = hints::read(&script[parsed.range.end..line_end]);
            }
            if self.echo {
                let text = &script[parsed.range.clone()];
                terminal::say(&format!("{};", text.trim_end()));
            }
            let outcome = self.run_one(script, &parsed);
            match outcome {
                Ok(()) if expected.errors.is_empty() => {}
                Ok(()) => {
                    let message = format!("Expected an error {:?}, got none", expected.errors);
                    terminal::complain(&message);
                    return Ok(ExitCode::from(1));
                }
                Err(error) if is_expected(&error, &expected) => {}
                Err(error) => {
                    self.report(script, &error);
                    status = ExitCode::from((error.code().0 % 256).max(1) as u8);
                    if !self.args.has("ignore-error") {
                        return Ok(status);
                    }
                }
            }
            if self.args.has("reopen-between-statements") {
                self.reopen()?;
            }
        }
        Ok(status)
    }

    fn switch_echo(&mut self, between: &str) {
        if let Some(echo) = hints::read(between).echo {
            self.echo = echo;
        }
    }

    /// A statement that does not parse may be meant not to: where to go on if so.
    fn failed_parse(
        &mut self,
        script: &str,
        offset: usize,
        error: &Error,
        hints_on: bool,
    ) -> Option<usize> {
        let tokens = entasis_engine::lex(&script[offset..]);
        let is_end = |t: &&entasis_engine::Token| t.kind == entasis_engine::TokenKind::Semicolon;
        let end = tokens.iter().find(is_end).map_or(script.len(), |t| offset + t.end as usize);
        let line_end = script[end..].find('\n').map_or(script.len(), |i| end + i);
        let expected = hints::read(&script[end..line_end]);
        if !hints_on || !is_expected(error, &expected) {
            return None;
        }
        let start = offset + tokens.first()?.start as usize;
        if self.echo {
            terminal::say(&script[start..end]);
        }
        Some(end)
    }

    fn run_one(&mut self, script: &str, parsed: &entasis_engine::Parsed) -> Result<()> {
        let started = Instant::now();
        let options = entasis_engine::QueryOptions {
            input: parsed.data.is_some().then(stdin_if_piped).flatten(),
            ..entasis_engine::QueryOptions::default()
        };
        let result = self.session.run(script, parsed, options)?;
        let mut stdout = std::io::stdout().lock();
        let is_terminal = terminal::stdout_is_terminal();
        render::write(result, &self.session, &self.format, is_terminal, &mut stdout)?;
        stdout.flush()?;
        if self.args.has("time") {
            terminal::complain(&format!("{:.3}", started.elapsed().as_secs_f64()));
        }
        Ok(())
    }

    fn report(&self, script: &str, error: &Error) {
        terminal::complain(&error.to_string());
        if let Some(position) = error.position() {
            let (line, column) = position.line_column(script);
            if let Some(text) = script.lines().nth(line - 1) {
                let shown: String = text.chars().take(160).collect();
                terminal::complain(&format!("  line {line}: {shown}"));
                if column <= 160 {
                    let indent = " ".repeat(column - 1 + format!("  line {line}: ").len());
                    terminal::complain(&format!("{indent}^"));
                }
            }
        }
    }

    fn reopen(&mut self) -> Result<()> {
        let database = self.session.database().to_string();
        // The old engine must be gone before its folder can be locked again.
        let settings = self.session.settings().clone();
        let placeholder = Engine::open(EngineConfig::local(None)?)?.session();
        drop(std::mem::replace(&mut self.session, placeholder));
        self.session = open_session(&self.args)?;
        self.session.restore(settings);
        self.session.use_database(&database)
    }
}

fn is_expected(error: &Error, hints: &hints::Hints) -> bool {
    let code = error.code();
    hints.errors.iter().any(|e| e == code.name() || *e == code.0.to_string())
}

fn stdin_if_piped() -> Option<Box<dyn Read + Send>> {
    (!terminal::stdin_is_terminal()).then(|| Box::new(std::io::stdin()) as Box<dyn Read + Send>)
}

/// A session as the options say: folder, database, settings.
pub fn open_session(args: &Args) -> Result<Session> {
    let mut session = Engine::open(EngineConfig::local(args.value("path"))?)?.session();
    for (name, value) in &args.settings {
        if let Some(parameter) = name.strip_prefix("param_") {
            session.parameters.push((parameter.to_string(), value.clone()));
        } else {
            session.set_text(name, value)?;
        }
    }
    if let Some(database) = args.value("database") {
        session.use_database(database)?;
    }
    Ok(session)
}
