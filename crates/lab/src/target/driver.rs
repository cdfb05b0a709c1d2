//! Engines behind a small program that takes a line of JSON and answers one.
//!
//! The protocol is the bench's (`benches/hits/README.md`): `{"query": ..., "text": ...}` in,
//! `{"seconds", "rows", "tsv_base64", "error"}` out. `scripts/bench_driver.py` speaks it for chdb and
//! DuckDB, `entasis local --bench-driver` for Entasis.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use entasis_base::{Error, Result, codes};
use serde_json::{Value, json};

use super::process::beside;
use super::{Ask, Session, Took};

/// The driver of both engines, handed to Python from here, so that nobody has to install it.
const SCRIPT: &str = include_str!("../../../../scripts/bench_driver.py");

/// ClickHouse in a Python process; wants the package `chdb`.
pub const CHDB: &str = "python3 {driver} chdb {path} {threads}";
/// DuckDB in a Python process; wants the package `duckdb`.
pub const DUCKDB: &str = "python3 {driver} duckdb {path} {threads}";

/// A driver at work.
pub struct Driver {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    name: String,
    database: String,
}

impl Driver {
    /// Starts a program; `{path}`, `{driver}` and `{threads}` in its words are filled in.
    pub fn start(command: &[String], data: &Path) -> Result<Self> {
        if let Some(folder) = data.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let script = beside(data, "py");
        let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        let fill = |word: &String| {
            word.replace("{path}", &data.to_string_lossy())
                .replace("{driver}", &script.to_string_lossy())
                .replace("{threads}", &threads)
        };
        if command.iter().any(|word| word.contains("{driver}")) {
            std::fs::write(&script, SCRIPT)?;
        }
        let words: Vec<String> = command.iter().map(fill).collect();
        let name = words.join(" ");
        let failed = |e| {
            let message = format!("Cannot start the driver `{name}`");
            Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
        };
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or_else(|| Error::logical("a child without pipes"))?;
        Ok(Self { child, to, from: BufReader::new(from), name, database: String::new() })
    }

    fn ask(&mut self, query: &str, text: bool) -> Result<Value> {
        let lost = |name: &str| {
            let message = format!("The driver `{name}` has ended; see what it said above");
            Error::new(codes::NETWORK_ERROR, message)
        };
        let line = json!({"query": query, "text": text}).to_string() + "\n";
        let sent = self.to.write_all(line.as_bytes()).and_then(|()| self.to.flush());
        sent.map_err(|e| lost(&self.name).with_cause(e))?;
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(lost(&self.name));
        }
        let answer: Value = serde_json::from_str(&line).map_err(|e| {
            let shown: String = line.chars().take(100).collect();
            let message = format!("The driver `{}` answered no JSON: `{shown}`", self.name);
            Error::new(codes::CANNOT_PARSE_TEXT, message).with_cause(e)
        })?;
        match answer["error"].as_str() {
            Some(error) => Err(Error::new(codes::UNKNOWN_PACKET_FROM_SERVER, error)),
            None => Ok(answer),
        }
    }

    /// The driver's state lasts, so that a database is chosen once.
    fn enter(&mut self, database: &str) -> Result<()> {
        if database != self.database && !database.is_empty() {
            self.ask(&format!("USE {database}"), false)?;
            database.clone_into(&mut self.database);
        }
        Ok(())
    }
}

impl Session for Driver {
    /// Settings are not the driver's: what the test sets has no effect here.
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        self.enter(ask.database)?;
        let answer = self.ask(ask.text, false)?;
        let seconds = answer["seconds"].as_f64().unwrap_or(0.0);
        Ok(Took { client: seconds, server: None })
    }

    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        self.enter(ask.database)?;
        let answer = self.ask(ask.text, true)?;
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(answer["tsv_base64"].as_str().unwrap_or_default())
            .unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn has_system_tables(&self) -> bool {
        false
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The protocol ends it with the end of its input; one that hangs is not waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ask(text: &str) -> Ask<'_> {
        Ask { text, database: "", settings: &[], id: "", limit: Duration::from_secs(1) }
    }

    #[test]
    fn lines_of_json() {
        // Answers as a driver would, whatever it is asked.
        let script = r#"while read line; do case "$line" in
            *bad*) echo '{"error": "Code: 1. no"}';;
            *) echo '{"seconds": 0.25, "rows": 1, "tsv_base64": "MQo="}';; esac; done"#;
        let command = ["sh", "-c", script].map(str::to_owned);
        let mut driver = Driver::start(&command, Path::new("/nonexistent-but-unused/x"))
            .or_else(|_| Driver::start(&command, &std::env::temp_dir().join("x")))
            .unwrap();
        assert_eq!(driver.run(&ask("q")).unwrap().client, 0.25);
        assert_eq!(driver.text(&ask("q")).unwrap(), "1\n");
        assert!(driver.run(&ask("bad")).unwrap_err().to_string().contains("Code: 1. no"));
    }
}
