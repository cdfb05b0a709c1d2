//! Prints the messages of the process on stderr, or appends them to a file.
//!
//! The thread that sends a message puts it into a queue, and another thread prints it. A stopped
//! terminal or a full disk therefore blocks no other thread. Messages that find the queue full are
//! lost and counted.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::log::{self, Level, Listener, Message};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result, codes};
use entasis_types::TimeZone;
use entasis_types::text::write_datetime;

use crate::config::Config;

/// Most messages in the queue.
const MOST: usize = 10_000;
/// How long the process waits at its end for queued messages to be printed.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Signal,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Arc<Message>>,
    closed: bool,
    /// Whether the thread has printed everything and ended.
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn push(&self, message: &Arc<Message>) {
        let mut state = self.lock();
        if state.queue.len() >= MOST {
            events::one(Event::SystemLogRowsLost);
            return;
        }
        state.queue.push_back(Arc::clone(message));
        drop(state);
        self.changed.notify_all();
    }

    /// The work of the printing thread.
    fn print(&self, target: &mut dyn Write, zone: TimeZone) {
        loop {
            let mut state = self.lock();
            while state.queue.is_empty() && !state.closed {
                state = self.changed.wait(state);
            }
            let messages = std::mem::take(&mut state.queue);
            let last = state.closed && messages.is_empty();
            state.ended = last;
            drop(state);
            if last {
                self.changed.notify_all();
                return;
            }
            let mut text = Vec::new();
            messages.iter().for_each(|message| write_line(&mut text, message, zone));
            // If this write fails, there is no way to report it.
            let _ = target.write_all(&text).and_then(|()| target.flush());
        }
    }
}

/// `2026.11.22 01:02:03.000004 [ 5 ] {id} <Error> logger: text`, as the reference has it.
fn write_line(out: &mut Vec<u8>, message: &Message, zone: TimeZone) {
    let date = out.len();
    write_datetime(out, message.at.as_secs() as i64, zone);
    out[date..date + 10].iter_mut().filter(|b| **b == b'-').for_each(|b| *b = b'.');
    let id = message.query_id.as_deref().unwrap_or_default();
    let Message { thread, level, logger, text, .. } = message;
    let (micros, level) = (message.at.subsec_micros(), level.name());
    // Writing into memory does not fail.
    let _ = writeln!(out, ".{micros:06} [ {thread} ] {{{id}}} <{level}> {logger}: {text}");
}

/// Prints messages until it is dropped.
pub struct Printer {
    shared: Arc<Shared>,
    level: Option<Level>,
    listener: Option<Listener>,
}

impl Printer {
    /// Makes a printer for a configuration. It prints nothing before [`Self::listen`]. Fails if the
    /// file cannot be opened.
    pub fn open(config: &Config) -> Result<Self> {
        let shared = Arc::<Shared>::default();
        let printer = Self { shared, level: config.log_level.0, listener: None };
        if printer.level.is_none() {
            return Ok(printer);
        }
        let zone = TimeZone::get(&config.time_zone).map_err(|e| e.context("time_zone"))?;
        let mut target: Box<dyn Write + Send> = match config.log_file.as_os_str().is_empty() {
            true => Box::new(std::io::stderr()),
            false => Box::new(append(&config.log_file)?),
        };
        let of_thread = Arc::clone(&printer.shared);
        std::thread::Builder::new()
            .name("printer".into())
            .spawn(move || of_thread.print(&mut *target, zone))
            .map_err(|e| {
                Error::new(codes::CANNOT_SCHEDULE_TASK, "Cannot start a thread").with_cause(e)
            })?;
        Ok(printer)
    }

    /// Starts printing messages.
    pub fn listen(&mut self) {
        let shared = Arc::clone(&self.shared);
        let take = move |message: &Arc<Message>| shared.push(message);
        self.listener = self.level.map(|level| log::listen(level, Arc::new(take)));
    }
}

fn append(path: &Path) -> Result<File> {
    File::options().append(true).create(true).open(path).map_err(|e| {
        let message = format!("Cannot write messages to {}: check log_file", path.display());
        Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
    })
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.listener = None;
        if self.level.is_none() {
            return;
        }
        let until = Instant::now() + PATIENCE;
        let mut state = self.shared.lock();
        state.closed = true;
        self.shared.changed.notify_all();
        // A thread that is stuck in a write is abandoned.
        while !state.ended && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            state = self.shared.changed.wait_timeout(state, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use entasis_base::message;

    use super::*;

    #[test]
    fn messages_are_lines_of_a_file() {
        let name = format!("entasis-printer-test-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let text = format!("log_level = 'warning'\nlog_file = '{}'", path.display());
        let config = Config::parse(&text).unwrap();
        for round in 0..2 {
            let mut printer = Printer::open(&config).unwrap();
            printer.listen();
            message!(Warning, "PrinterTest", "round {}", round);
            message!(Information, "PrinterTest", "not grave");
            drop(printer);
        }
        let all = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<&str> = all.lines().filter(|line| line.contains("PrinterTest")).collect();
        assert_eq!(lines.len(), 2, "{all}");
        assert!(lines[0].ends_with(" {} <Warning> PrinterTest: round 0"), "{all}");
        assert_eq!((&lines[0][4..5], &lines[0][7..8], &lines[0][19..20]), (".", ".", "."), "{all}");
        let wrong = Config { log_file: "/no/such/folder/x".into(), ..config };
        assert!(Printer::open(&wrong).is_err());
    }
}
