//! Engines behind a small program that reads a line of JSON and answers with one.
//!
//! The protocol is that of the benchmark (`benches/hits/README.md`): `{"query": ..., "text": ...}`
//! in, `{"seconds", "rows", "tsv_base64", "error"}` out. `scripts/bench_driver.py` implements it
//! for chdb and DuckDB, and `entasis local --bench-driver` for Entasis.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use base64::Engine as _;
use entasis_base::{Error, Result, codes};
use serde_json::{Value, json};

use super::group::Group;
use super::process::beside;
use super::{Answer, Ask, Rows, Session, Setting, Took};

/// How long a driver may take until it answers at all: Python has to load an engine.
const START: Duration = Duration::from_mins(2);

/// The driver of both engines, handed to Python from here, so that nobody has to install it.
const SCRIPT: &str = include_str!("../../../../scripts/bench_driver.py");

/// ClickHouse in a Python process; wants the package `chdb`.
pub const CHDB: &str = "python3 {driver} chdb {path} {threads}";
/// DuckDB in a Python process; wants the package `duckdb`.
pub const DUCKDB: &str = "python3 {driver} duckdb {path} {threads}";

/// A driver, and a process of it. One that is lost (it hung, it ended) is followed by another on
/// the same folder with the next question.
pub struct Driver {
    words: Vec<String>,
    running: Option<Running>,
    database: String,
    /// What the process has been told to SET.
    set: Vec<Setting>,
    restarts: u32,
}

impl Driver {
    /// Starts a program and waits until it answers; `{path}`, `{driver}` and `{threads}` in its
    /// words are filled in.
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
        let running = Some(Running::start(&words)?);
        Ok(Self { words, running, database: String::new(), set: Vec::new(), restarts: 0 })
    }

    fn ask(&mut self, query: &str, text: bool, limit: Duration) -> Result<Value> {
        let running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.words)?,
        };
        // A process that did not answer is not put back: it ends here.
        let line = running.exchange(query, text, limit).inspect_err(|_| {
            self.restarts += 1;
            self.database.clear();
            self.set.clear();
        })?;
        self.running = Some(running);
        let answer: Value = serde_json::from_slice(&line).map_err(|e| {
            let shown: String = String::from_utf8_lossy(&line).chars().take(100).collect();
            let name = self.words.join(" ");
            let message = format!("The driver `{name}` answered no JSON: `{shown}`");
            Error::new(codes::CANNOT_PARSE_TEXT, message).with_cause(e)
        })?;
        match answer["error"].as_str() {
            Some(error) => Err(Error::new(codes::UNKNOWN_PACKET_FROM_SERVER, error)),
            None => Ok(answer),
        }
    }

    /// The driver's state lasts, so that a database is chosen once, and settings are set once. What
    /// the engine does not know of these has no effect.
    fn enter(&mut self, ask: &Ask<'_>) -> Result<()> {
        if ask.settings != self.set {
            let gone = self.set.iter().filter(|old| ask.settings.iter().all(|new| new.0 != old.0));
            let gone = gone.map(|(name, _)| format!("SET {name} = DEFAULT"));
            let fresh = ask.settings.iter().filter(|one| !self.set.contains(one));
            let fresh = fresh.map(|(name, value)| format!("SET {name} = '{}'", quoted(value)));
            for statement in gone.chain(fresh).collect::<Vec<_>>() {
                // One that killed the process is an error; one that the engine refused is not.
                if self.ask(&statement, false, ask.limit).is_err() && self.running.is_none() {
                    return Err(Error::logical("the driver has ended at a setting"));
                }
            }
            self.set = ask.settings.to_vec();
        }
        if ask.database != self.database && !ask.database.is_empty() {
            self.ask(&format!("USE {}", ask.database), false, ask.limit)?;
            ask.database.clone_into(&mut self.database);
        }
        Ok(())
    }
}

/// A process of a driver, killed when this is dropped with all that it has started: the protocol
/// ends it with the end of its input, but one that hangs is not waited for. A thread writes to it
/// and reads from it, as neither can be given up once it has begun.
struct Running {
    _group: Group,
    name: String,
    requests: Sender<String>,
    answers: Receiver<std::io::Result<Vec<u8>>>,
}

impl Running {
    fn start(words: &[String]) -> Result<Self> {
        let name = words.join(" ");
        let failed = |e: std::io::Error| {
            let message = format!("Cannot start the driver `{}`", words.join(" "));
            Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // The script lets this binary make the rows of table functions that only it has.
        if let Ok(binary) = std::env::current_exe() {
            command.env("ENTASIS_BIN", binary);
        }
        let mut group = Group::start(&mut command).map_err(failed)?;
        let (to, from) = group.pipes().ok_or_else(|| Error::logical("a child without pipes"))?;
        let (requests, received) = channel();
        let (answer, answers) = channel();
        let running = Self { _group: group, name, requests, answers };
        let work = move || talk(to, from, &received, &answer);
        std::thread::Builder::new().name("driver".into()).spawn(work).map_err(failed)?;
        // Whatever it says to that, it is there; its start is in no statement's limit.
        running.exchange("SELECT 1", false, START)?;
        Ok(running)
    }

    /// A line to it and a line back. After an error it is of no use: it may answer late.
    fn exchange(&self, query: &str, text: bool, limit: Duration) -> Result<Vec<u8>> {
        let name = &self.name;
        let ended = || {
            let message = format!("The driver `{name}` has ended; see what it said above");
            Error::new(codes::NETWORK_ERROR, message)
        };
        let line = json!({"query": query, "text": text}).to_string() + "\n";
        self.requests.send(line).map_err(|_| ended())?;
        match self.answers.recv_timeout(limit) {
            Ok(Ok(line)) if !line.is_empty() => Ok(line),
            Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => Err(ended()),
            Ok(Err(e)) => Err(ended().with_cause(e)),
            Err(RecvTimeoutError::Timeout) => {
                let message =
                    format!("The driver `{name}` did not answer within {limit:?} and is killed");
                Err(Error::new(codes::TIMEOUT_EXCEEDED, message))
            }
        }
    }
}

/// Hands out a process's answers until nobody asks any more; an empty one is the end of its output.
fn talk(
    mut to: ChildStdin,
    from: ChildStdout,
    requests: &Receiver<String>,
    answers: &Sender<std::io::Result<Vec<u8>>>,
) {
    let mut from = BufReader::new(from);
    let mut ask = |request: String| -> std::io::Result<Vec<u8>> {
        to.write_all(request.as_bytes())?;
        to.flush()?;
        let mut answer = Vec::new();
        from.read_until(b'\n', &mut answer)?;
        Ok(answer)
    };
    for request in requests {
        if answers.send(ask(request)).is_err() {
            return;
        }
    }
}

impl Driver {
    fn bytes(&mut self, ask: &Ask<'_>) -> Result<Vec<u8>> {
        self.enter(ask)?;
        let answer = self.ask(ask.text, true, ask.limit)?;
        let text = answer["tsv_base64"].as_str().unwrap_or_default();
        let decoded = base64::engine::general_purpose::STANDARD.decode(text);
        decoded.map_err(|e| {
            let message = format!("the driver's rows are not Base64: {e}");
            Error::new(codes::CANNOT_PARSE_TEXT, message)
        })
    }
}

/// A value within quotes.
fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\'', "\\'")
}

impl Session for Driver {
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        self.enter(ask)?;
        let answer = self.ask(ask.text, false, ask.limit)?;
        let seconds = answer["seconds"].as_f64().unwrap_or(0.0);
        Ok(Took { client: seconds, server: None })
    }

    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        self.bytes(ask).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer> {
        self.bytes(ask).map(|bytes| Rows::of(&bytes))
    }

    fn has_system_tables(&self) -> bool {
        false
    }

    fn restarts(&self) -> u32 {
        self.restarts
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LIMIT: Duration = Duration::from_mins(1);

    fn ask(text: &str, limit: Duration) -> Ask<'_> {
        Ask { text, database: "", settings: &[], id: "", limit }
    }

    /// A shell as a driver: what it does with each line.
    fn driver(cases: &str) -> Result<Driver> {
        let script = format!("while read line; do case \"$line\" in {cases} esac; done");
        let command = ["sh", "-c", script.as_str()].map(str::to_owned);
        Driver::start(&command, &std::env::temp_dir().join("unused"))
    }

    #[test]
    fn lines_of_json() {
        let mut driver = driver(
            r#"*bad*) echo '{"error": "Code: 1. no"}';;
            *) echo '{"seconds": 0.25, "rows": 1, "tsv_base64": "MQo="}';;"#,
        )
        .unwrap();
        assert_eq!(driver.run(&ask("q", LIMIT)).unwrap().client, 0.25);
        assert_eq!(driver.text(&ask("q", LIMIT)).unwrap(), "1\n");
        let error = driver.run(&ask("bad", LIMIT)).unwrap_err();
        assert!(error.to_string().contains("Code: 1. no"));
        assert_eq!(driver.restarts(), 0);
    }

    #[test]
    fn settings_are_set_once_and_taken_back() {
        // It answers how often it was told to SET anything, and refuses one setting.
        let mut driver = driver(
            r#"*'SET a'*) n=$((n+1)); echo '{"error": "Code: 115. no"}';;
            *'SET '*) n=$((n+1)); echo '{"seconds": 0}';;
            *) echo "{\"seconds\": ${n:-0}}";;"#,
        )
        .unwrap();
        let all = [("a", "1"), ("b", "it's")].map(|(name, value)| (name.into(), value.into()));
        let mut told =
            |settings: &[Setting]| driver.run(&Ask { settings, ..ask("q", LIMIT) }).unwrap().client;
        assert_eq!(told(&all), 2.0);
        assert_eq!(told(&all), 2.0);
        assert_eq!(told(&all[1..]), 3.0);
        assert_eq!(told(&[]), 4.0);
    }

    #[test]
    fn one_that_hangs_or_ends_is_followed_by_another() {
        let cases = "*hang*) sleep 100;; *end*) exit;; *) echo '{\"seconds\": 0.25}';;";
        let mut driver = driver(cases).unwrap();
        let (short, began) = (Duration::from_millis(200), Instant::now());
        let error = driver.run(&ask("hang", short)).unwrap_err();
        assert_eq!(error.code(), codes::TIMEOUT_EXCEEDED, "{error}");
        assert!(began.elapsed() >= short && began.elapsed() < Duration::from_secs(50));
        assert_eq!(driver.restarts(), 1);
        assert_eq!(driver.run(&ask("q", LIMIT)).unwrap().client, 0.25);
        let error = driver.run(&ask("end", LIMIT)).unwrap_err();
        assert_eq!(error.code(), codes::NETWORK_ERROR, "{error}");
        assert_eq!(driver.run(&ask("q", LIMIT)).unwrap().client, 0.25);
        assert_eq!(driver.restarts(), 2);
    }

    #[test]
    fn one_that_never_answers_is_an_error_at_once() {
        let error = driver("*) exit 1;;").err().unwrap();
        assert!(error.to_string().contains("has ended"), "{error}");
    }
}
