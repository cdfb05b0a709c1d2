//! Progress of a run, and Ctrl-C: the first one ends it in order, with what was measured so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use entasis_lab::measure::Watch;

use crate::interrupt::{self, Guard};
use crate::{progress, terminal};

/// Without a terminal a line is written this often.
const LINES: Duration = Duration::from_secs(30);
const REDRAW: Duration = Duration::from_millis(100);
const BAR: usize = 20;

/// A line on a terminal, or lines now and then.
pub struct Screen {
    started: Instant,
    budget: Option<Duration>,
    shown: Option<Instant>,
    phase: String,
    stopped: Arc<AtomicBool>,
    _guard: Guard,
}

impl Screen {
    /// Takes Ctrl-C over until it is dropped.
    pub fn start(budget: Option<Duration>) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&stopped);
        let guard = interrupt::during(move || {
            set.store(true, Ordering::Relaxed);
            terminal::complain("\nStopping after this query; once more ends it at once");
        });
        let started = Instant::now();
        Self { started, budget, shown: None, phase: String::new(), stopped, _guard: guard }
    }

    fn line(&self, what: &str, done: usize, of: usize) -> String {
        let share = if of == 0 { 0.0 } else { done as f64 / of as f64 };
        let elapsed = self.started.elapsed();
        let mut line =
            format!("{what} {} {done}/{of}, {}", progress::bar(share, BAR), clock(elapsed));
        if let Some(budget) = self.budget {
            line.push_str(&format!(", {} left", clock(budget.saturating_sub(elapsed))));
        }
        line
    }

    fn erase(&mut self) {
        if self.shown.take().is_some() && terminal::stderr_is_terminal() {
            terminal::show("\r\x1b[K");
        }
    }
}

impl Watch for Screen {
    fn progress(&mut self, what: &str, done: usize, of: usize) {
        let on_terminal = terminal::stderr_is_terminal();
        let pause = if on_terminal { REDRAW } else { LINES };
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= pause);
        let new_phase = self.phase != what;
        if !due && !new_phase {
            return;
        }
        what.clone_into(&mut self.phase);
        self.shown = Some(Instant::now());
        let line = self.line(what, done, of);
        if on_terminal {
            let line: String = line.chars().take(terminal::width().saturating_sub(3)).collect();
            terminal::show(&format!("\r{line}\x1b[K"));
        } else {
            terminal::complain(&line);
        }
    }

    fn say(&mut self, line: &str) {
        self.erase();
        terminal::complain(line);
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.erase();
    }
}

/// `1:02:03` or `2:03`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}
