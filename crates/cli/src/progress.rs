//! The progress bar: one line on stderr while a statement runs, after its first second and only if
//! stderr is a terminal. It is erased before anything else is printed.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use entasis_base::memory::readable;
use entasis_base::sync::{Signal, lock};

use crate::{human, terminal};

/// Statements that take less time show no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is drawn.
const INTERVAL: Duration = Duration::from_millis(100);
/// Widest bar.
const WIDEST: usize = 40;
/// Narrowest bar that is useful.
const NARROWEST: usize = 8;

/// The progress of a running statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Rows read.
    pub rows: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Rows that will be read, if known.
    pub total: u64,
    /// Bytes of memory in use, if known.
    pub memory: u64,
    /// Bytes of an INSERT's data sent to a server.
    pub sent: u64,
}

/// The bar of one statement; dropping it erases the line.
pub struct Bar {
    stop: Arc<(Mutex<bool>, Signal)>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Watches a statement; `None` if stderr is not a terminal.
    pub fn start(mut read: impl FnMut() -> Reading + Send + 'static) -> Option<Self> {
        if !terminal::stderr_is_terminal() {
            return None;
        }
        let stop: Arc<(Mutex<bool>, Signal)> = Arc::default();
        let watched = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("progress".into());
        let thread = thread.spawn(move || watch(&watched, &mut read)).ok();
        Some(Self { stop, thread })
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        *lock(&self.stop.0) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // A failure of the bar does not fail the statement.
            let _ = thread.join();
        }
    }
}

fn watch(stop: &(Mutex<bool>, Signal), read: &mut dyn FnMut() -> Reading) {
    let started = Instant::now();
    let mut wait = PATIENCE;
    let mut shown = false;
    loop {
        if *stop.1.wait_timeout_while(lock(&stop.0), wait, |stopped| !*stopped) {
            break;
        }
        wait = INTERVAL;
        let text = line(&read(), started.elapsed(), terminal::width());
        terminal::show(&format!("\r{text}\x1b[K"));
        shown = true;
    }
    if shown {
        terminal::show("\r\x1b[K");
    }
}

/// The line, at most `width` characters wide.
pub fn line(reading: &Reading, elapsed: Duration, width: usize) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let rate = |value: u64| value as f64 / seconds;
    let mut text = if reading.sent > reading.bytes {
        let sent = human::bytes(reading.sent as f64);
        format!("Sent {sent} ({}/s)", human::bytes(rate(reading.sent)))
    } else {
        format!(
            "Read {} rows, {} ({} rows/s, {}/s)",
            human::quantity(reading.rows as f64),
            human::bytes(reading.bytes as f64),
            human::quantity(rate(reading.rows)),
            human::bytes(rate(reading.bytes)),
        )
    };
    if reading.memory > 0 {
        text.push_str(&format!(", {} of memory", readable(reading.memory)));
    }
    text.push_str(&format!(", {seconds:.1} s"));
    if reading.total > 0 {
        let share = (reading.rows as f64 / reading.total as f64).min(1.0);
        let percent = format!(" {:.0}%", (share * 100.0).floor());
        let room = width.saturating_sub(text.chars().count() + percent.chars().count() + 4);
        if room >= NARROWEST {
            text.push_str(&format!(" {}", bar(share, room.min(WIDEST))));
        }
        text.push_str(&percent);
    }
    // A line that wraps could not be erased, and `^C` may be printed after it.
    text.chars().take(width.saturating_sub(3)).collect()
}

/// A bar of `width` characters, filled to the eighth of one.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0) as usize;
    let mut text = "█".repeat(eighths / 8);
    if eighths < width * 8 {
        text.push(EIGHTHS[eighths % 8]);
        text.push_str(&" ".repeat(width - eighths / 8 - 1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known() {
        let reading = Reading {
            rows: 5_000_000,
            bytes: 40_000_000,
            total: 10_000_000,
            memory: 1 << 20,
            sent: 0,
        };
        let text = line(&reading, Duration::from_secs(2), 200);
        let expected = "Read 5.00 million rows, 40.00 MB (2.50 million rows/s, 20.00 MB/s), \
                        1.00 MiB of memory, 2.0 s ████████████████████                     50%";
        assert_eq!(text, expected);
        let unknown = Reading { total: 0, memory: 0, ..reading };
        assert!(line(&unknown, Duration::from_secs(2), 200).ends_with("MB/s), 2.0 s"));
        let sends = Reading { sent: 3_000_000, ..Reading::default() };
        assert_eq!(line(&sends, Duration::from_secs(3), 80), "Sent 3.00 MB (1.00 MB/s), 3.0 s");
    }

    #[test]
    fn it_fits_the_terminal() {
        let reading = Reading { rows: 1, total: 3, ..Reading::default() };
        for width in [1, 10, 40, 60, 80, 300] {
            let text = line(&reading, Duration::from_millis(1), width);
            assert!(text.chars().count() < width, "{width}: {text}");
        }
    }

    #[test]
    fn bars_fill_by_eighths() {
        assert_eq!(bar(0.0, 4), "    ");
        assert_eq!(bar(0.5, 4), "██  ");
        assert_eq!(bar(0.53125, 4), "██▏ ");
        assert_eq!(bar(1.0, 4), "████");
    }
}
