//! Servers whose laboratory was killed. A file beside a server's data folder says which process it
//! is and which one started it, so that the next laboratory in the same place can end it: an
//! orphan would hold the store, or take processor time from what is measured.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use rustix::process::{Pid, Signal, kill_process};

use super::process::{POLL, beside};

/// How long a killed process may take to be gone.
const GONE: Duration = Duration::from_secs(10);

/// The file of a data folder's server.
fn file(data: &Path) -> PathBuf {
    beside(data, "pid")
}

/// Notes who serves a folder.
pub(super) fn note(data: &Path, server: u32) -> Result<()> {
    std::fs::write(file(data), format!("{server} {}\n", std::process::id())).map_err(|e| {
        let message = format!("Cannot write {}", file(data).display());
        Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
    })
}

/// Its server has ended.
pub(super) fn forget(data: &Path) {
    let _ = std::fs::remove_file(file(data));
}

/// Ends a folder's server if the laboratory that started it is gone.
pub(super) fn end(data: &Path) {
    let Ok(text) = std::fs::read_to_string(file(data)) else { return };
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
    let (Some(server), Some(laboratory)) = (numbers.next(), numbers.next()) else { return };
    if has_word(laboratory, |word| word == b"lab") {
        return;
    }
    // The number may be another process's by now: that one does not name this folder.
    let pid = i32::try_from(server).ok().and_then(Pid::from_raw);
    // An option may stand before the folder: `--path=FOLDER`.
    let serves = || has_word(server, |word| word.ends_with(data.as_os_str().as_encoded_bytes()));
    if let Some(pid) = pid.filter(|_| serves()) {
        let _ = kill_process(pid, Signal::KILL);
        let began = Instant::now();
        while serves() && began.elapsed() < GONE {
            std::thread::sleep(POLL);
        }
    }
    forget(data);
}

/// Ends what killed laboratories left in a folder of work, one folder for each run, and removes
/// these. Where there is no `/proc`, runs cannot be told from killed ones and all is left.
pub fn clear(work: &Path) {
    if !Path::new("/proc/self").exists() {
        return;
    }
    for run in entries(work) {
        let files = entries(&run);
        let servers = files.iter().filter(|file| file.extension().is_some_and(|e| e == "pid"));
        let mut left = false;
        for data in servers.map(|file| file.with_extension("")) {
            end(&data);
            left |= !file(&data).exists();
        }
        if left {
            let _ = std::fs::remove_dir_all(&run);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Whether a process is there and has such a word in its command line.
fn has_word(process: u32, is_meant: impl Fn(&[u8]) -> bool) -> bool {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).any(is_meant)
}
