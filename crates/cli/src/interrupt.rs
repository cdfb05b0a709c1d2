//! Ctrl-C: ends the statement that runs, not the program.

use std::sync::Mutex;

use entasis_base::Result;
use entasis_base::sync::lock;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What the next Ctrl-C does. One statement runs at a time.
static ACTION: Mutex<Option<Action>> = Mutex::new(None);

type Action = Box<dyn FnOnce() + Send>;

/// Takes Ctrl-C over for the rest of the program's life. Where no statement runs, a shell does not
/// hear of it (the line editor does), and a script ends.
pub fn install(is_shell: bool) -> Result<()> {
    listen(&[SIGINT], is_shell, || {})
}

/// The same for a program that has started processes, which `end` ends before it leaves at once.
/// What else asks it to end (a closed terminal, `kill`, `timeout`) is taken like Ctrl-C.
pub fn install_with_processes(end: fn()) -> Result<()> {
    listen(&[SIGINT, SIGTERM, SIGHUP], false, end)
}

fn listen(signals: &[i32], is_shell: bool, end: fn()) -> Result<()> {
    // Whoever sends Ctrl-C means it, from a script in the background, too, where shells ignore it.
    let heard = |signal: &&i32| **signal != SIGHUP || !is_ignored(SIGHUP);
    let mut signals = Signals::new(signals.iter().filter(heard))?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let action = lock(&ACTION).take();
            match action {
                Some(action) => action(),
                None if is_shell => {}
                None => {
                    end();
                    std::process::exit(128 + signal);
                }
            }
        }
    })?;
    Ok(())
}

/// Whether whoever started this program wants a signal to pass it by, as `nohup` does. No where
/// there is no `/proc`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// While it lives, Ctrl-C does something.
pub struct Guard;

/// Sets what Ctrl-C does until the guard is dropped. Runs at most once, on a thread of its own.
pub fn during(action: impl FnOnce() + Send + 'static) -> Guard {
    *lock(&ACTION) = Some(Box::new(action));
    Guard
}

impl Drop for Guard {
    fn drop(&mut self) {
        lock(&ACTION).take();
    }
}
