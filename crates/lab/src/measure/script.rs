//! Shell queries: a script that asks the server of its side in its own way.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};

use crate::target::Group;

const POLL: Duration = Duration::from_millis(1);
/// Bytes of what a script said that its error has.
const MOST_SAID: u64 = 500;

/// Runs a script with `bash -e -o pipefail` and answers its seconds. What it leaves running ends
/// with it, and all of it after `limit`. The error of one that fails has the end of what it said on
/// standard error.
pub fn run(script: &str, environment: &[(String, String)], limit: Duration) -> Result<f64> {
    let said = nameless(&std::env::temp_dir())?;
    let started = Instant::now();
    let mut command = Command::new("bash");
    command
        .args(["-e", "-o", "pipefail", "-c", script])
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?);
    let mut group = Group::start(&mut command)?;
    loop {
        if group.has_ended() {
            let seconds = started.elapsed().as_secs_f64();
            let status = group.end();
            if status.success() {
                return Ok(seconds);
            }
            let message = format!("the script failed: {status}: {}", end_of(said));
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if started.elapsed() > limit {
            group.end();
            let message = format!("the script took longer than {limit:?}");
            return Err(Error::new(codes::TIMEOUT_EXCEEDED, message));
        }
        std::thread::sleep(POLL);
    }
}

/// A file that goes with its last user. A pipe would have to be read while the script runs.
fn nameless(folder: &Path) -> Result<File> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut options = File::options();
    // What is there already, a link too, is somebody else's.
    options.read(true).append(true).create_new(true);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("entasis-script-{}-{number}", std::process::id());
        let path = folder.join(name);
        match options.open(&path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            opened => {
                let file = opened?;
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
        }
    }
}

/// The last characters of a file, as far as they can be read.
fn end_of(mut file: File) -> String {
    let mut bytes = Vec::new();
    let length = file.seek(SeekFrom::End(0)).unwrap_or_default();
    let found = file.seek(SeekFrom::Start(length.saturating_sub(MOST_SAID)));
    // What cannot be read is not said.
    let _ = found.and_then(|_| file.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_succeed_fail_and_end() {
        let env = [("X".to_owned(), "a b".to_owned())];
        let second = Duration::from_secs(20);
        assert!(run("test \"$X\" = 'a b'", &env, second).unwrap() > 0.0);
        let failed = run("false | true", &env, second).unwrap_err().to_string();
        assert!(failed.contains("failed"), "{failed}");
        let failed = run("echo no such table >&2; exit 3", &env, second).unwrap_err().to_string();
        assert!(failed.contains("exit status: 3: no such table"), "{failed}");
        let long = run("sleep 100 & sleep 100", &env, Duration::from_millis(50)).unwrap_err();
        assert_eq!(long.code(), codes::TIMEOUT_EXCEEDED);
    }

    #[test]
    fn what_a_script_leaves_ends_with_it() {
        let path = std::env::temp_dir().join(format!("entasis-left-{}", std::process::id()));
        let env = [("LEFT".to_owned(), path.to_str().unwrap().to_owned())];
        run("sleep 1000 & echo $! > $LEFT", &env, Duration::from_mins(1)).unwrap();
        let left = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let line = format!("/proc/{}/cmdline", left.trim());
        // One that is gone and that nobody has asked for has no command line.
        let runs = || std::fs::read(&line).is_ok_and(|words| words.starts_with(b"sleep\0"));
        for _ in 0..2000 {
            if runs() {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        assert!(!runs(), "{left}");
    }

    #[test]
    fn what_scripts_say_goes_to_no_file_of_others() {
        let folder = std::env::temp_dir().join(format!("entasis-links-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // As somebody may guess the names.
        for number in 0..1000 {
            let name = folder.join(format!("entasis-script-{}-{number}", std::process::id()));
            std::os::unix::fs::symlink(folder.join("theirs"), name).unwrap();
        }
        drop(nameless(&folder).unwrap());
        let made = folder.join("theirs").exists();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(!made);
    }
}
