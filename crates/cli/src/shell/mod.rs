//! The interactive shell of `entasis local` and `entasis client`.
//!
//! `editor` reads statements (lines until `;` or `\G`) and `complete` offers names. The statements
//! run on the [`Backend`]. Results go to stdout, everything else to stderr.

mod complete;
mod editor;
mod history;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Result, codes};
use entasis_engine::StatementClass;

use crate::backend::{self, Ask, Backend, Outcome};
use crate::{human, interrupt, report, terminal};
use editor::{Editor, Input};

/// Where statements run, shared with completion.
type Shared = Arc<Mutex<Box<dyn Backend>>>;

const HELP: &str = "\
A statement may have several lines; it runs once it ends with ; (with \\G: one value a line).

  help, ?            this text                  \\l              databases
  exit, quit, \\q     leave (also Ctrl-D)        \\d              tables of the current database
  Ctrl-C             end the running statement  \\d TABLE        columns of a table
  Tab                complete names             USE NAME;       change the database
  Up, Ctrl-R         earlier statements         SET NAME = 1;   change a setting
  Alt-Enter          a new line in any case

  SELECT * FROM file('events.parquet') LIMIT 10;       ask a file where it lies
  SHOW FUNCTIONS;  SHOW SETTINGS;                      what there is";

/// The meaning of a line that is not SQL.
#[derive(Debug, PartialEq)]
enum Command<'a> {
    Help,
    Exit,
    /// SQL that it stands for.
    Sql(String),
    /// SQL as it is, and whether it ended with `\G`.
    Script(&'a str, bool),
}

/// Runs the shell until its end.
pub fn run(backend: Box<dyn Backend>, greeting: &str, history: Option<&str>) -> Result<ExitCode> {
    interrupt::install(true)?;
    terminal::complain(&format!("Entasis {}. {greeting}", env!("CARGO_PKG_VERSION")));
    terminal::complain("End a statement with ; and leave with exit. More: help\n");
    let backend: Shared = Arc::new(Mutex::new(backend));
    let mut editor = Editor::new(&backend, history)?;
    loop {
        let database = lock(&backend).database().to_string();
        let text = match editor.read(&database)? {
            Input::Text(text) => text,
            Input::Interrupted => continue,
            Input::End => break,
        };
        match command(&text) {
            Command::Help => terminal::complain(HELP),
            Command::Exit => break,
            Command::Sql(sql) => run_script(&mut **lock(&backend), &sql, false),
            Command::Script(script, vertical) => {
                run_script(&mut **lock(&backend), script, vertical);
            }
        }
        editor.forget_names();
    }
    terminal::complain("Bye.");
    Ok(ExitCode::SUCCESS)
}

fn command(text: &str) -> Command<'_> {
    let word = text.trim().trim_end_matches(';').trim_end();
    let rest = |prefix| word.strip_prefix(prefix).map(str::trim).filter(|r| !r.is_empty());
    match word.to_ascii_lowercase().as_str() {
        "help" | "?" | "\\h" | "\\?" => return Command::Help,
        "exit" | "quit" | "logout" | "\\q" | ":q" | "q" => return Command::Exit,
        "\\l" => return Command::Sql("SHOW DATABASES".into()),
        "\\d" | "\\dt" => return Command::Sql("SHOW TABLES".into()),
        _ => {}
    }
    if let Some(table) = rest("\\d ") {
        return Command::Sql(format!("DESCRIBE TABLE {table}"));
    }
    match word.strip_suffix("\\G").or_else(|| word.strip_suffix("\\g")) {
        Some(script) => Command::Script(script, true),
        None => Command::Script(text, false),
    }
}

/// Whether a line is complete, so that Enter runs it.
fn is_whole(text: &str) -> bool {
    let trimmed = text.trim();
    trimmed.is_empty()
        || !matches!(command(text), Command::Script(_, false))
        || entasis_engine::is_complete(text)
}

/// Runs all statements of a text, up to the first error.
fn run_script(backend: &mut dyn Backend, script: &str, vertical: bool) {
    let mut offset = 0;
    loop {
        let parsed = match backend::next(backend, script, offset) {
            Ok(Some(parsed)) => parsed,
            Ok(None) => return,
            Err(error) => {
                report::error(script, &error);
                terminal::complain("");
                return;
            }
        };
        offset = parsed.next;
        let format = vertical.then_some("Vertical");
        let ask = Ask { script, parsed: &parsed, format, in_shell: true };
        match backend.run(ask) {
            Ok(outcome) => {
                let class = entasis_engine::statement_kind(ask.text());
                terminal::complain(&format!("\n{}\n", footer(class, &outcome)));
            }
            Err(error) if error.code() == codes::QUERY_WAS_CANCELLED => {
                terminal::complain("Query was cancelled.\n");
                return;
            }
            Err(error) => {
                report::error(script, &error);
                terminal::complain("");
                return;
            }
        }
    }
}

/// The line that the reference's client prints after a result.
fn footer(class: StatementClass, outcome: &Outcome) -> String {
    use StatementClass::{Describe, Explain, Query};
    let mut text = match outcome.rows {
        Some(rows) if rows > 0 || matches!(class, Query | Describe | Explain) => {
            format!("{rows} row{} in set. ", if rows == 1 { "" } else { "s" })
        }
        None if matches!(class, Query | Describe | Explain) => String::new(),
        _ => "Ok. ".to_string(),
    };
    let seconds = outcome.elapsed.as_secs_f64();
    text.push_str(&format!("Elapsed: {seconds:.3} sec."));
    if outcome.read_rows > 0 {
        let rate = |value: u64| value as f64 / seconds.max(1e-9);
        text.push_str(&format!(
            " Processed {} rows, {} ({} rows/s., {}/s.)",
            human::quantity(outcome.read_rows as f64),
            human::bytes(outcome.read_bytes as f64),
            human::quantity(rate(outcome.read_rows)),
            human::bytes(rate(outcome.read_bytes)),
        ));
    }
    if outcome.peak_memory > 0 {
        let peak = entasis_base::memory::readable(outcome.peak_memory);
        text.push_str(&format!("\nPeak memory usage: {peak}."));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn commands_and_sql() {
        assert_eq!(command(" exit;\n"), Command::Exit);
        assert_eq!(command("\\q"), Command::Exit);
        assert_eq!(command("HELP"), Command::Help);
        assert_eq!(command("\\d db.t;"), Command::Sql("DESCRIBE TABLE db.t".into()));
        assert_eq!(command("SELECT 1 \\G"), Command::Script("SELECT 1 ", true));
        assert_eq!(command("SELECT 1;"), Command::Script("SELECT 1;", false));
    }

    #[test]
    fn enter_runs_what_is_whole() {
        for whole in
            ["", "  ", "exit", "help", "SELECT 1;", "SELECT 1\\G", "SELECT\n1; -- x", "\\d t"]
        {
            assert!(is_whole(whole), "{whole:?}");
        }
        for open in ["SELECT 1", "SELECT ';", "SELECT 1 -- ;", "SELECT (1\n"] {
            assert!(!is_whole(open), "{open:?}");
        }
    }

    #[test]
    fn figures_behind_results() {
        let outcome = Outcome {
            rows: Some(3),
            read_rows: 2_000_000,
            read_bytes: 16_000_000,
            peak_memory: 1 << 20,
            elapsed: Duration::from_millis(500),
        };
        let expected = "3 rows in set. Elapsed: 0.500 sec. Processed 2.00 million rows, 16.00 MB \
                        (4.00 million rows/s., 32.00 MB/s.)\nPeak memory usage: 1.00 MiB.";
        assert_eq!(footer(StatementClass::Query, &outcome), expected);
        let nothing = Outcome { rows: Some(0), ..Outcome::default() };
        assert_eq!(footer(StatementClass::Ddl, &nothing), "Ok. Elapsed: 0.000 sec.");
        assert_eq!(footer(StatementClass::Query, &nothing), "0 rows in set. Elapsed: 0.000 sec.");
        let unknown = Outcome::default();
        assert_eq!(footer(StatementClass::Query, &unknown), "Elapsed: 0.000 sec.");
    }
}
