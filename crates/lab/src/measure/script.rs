//! Shell queries: a script that asks the side's server in its own way.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use rustix::process::{Pid, Signal, kill_process_group};

const POLL: Duration = Duration::from_millis(1);
/// Bytes of what a script said that its error has.
const MOST_SAID: u64 = 500;

/// Runs a script with `bash -e -o pipefail` and answers its seconds. Ends its whole process group
/// after `limit`. The error of one that fails has the end of what it said on standard error.
pub fn run(script: &str, environment: &[(String, String)], limit: Duration) -> Result<f64> {
    let said = nameless()?;
    let started = Instant::now();
    let mut child = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", script])
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?)
        .process_group(0)
        .spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        if let Some(status) = child.try_wait()? {
            let seconds = started.elapsed().as_secs_f64();
            if status.success() {
                return Ok(seconds);
            }
            let message = format!("the script failed: {status}: {}", end_of(said));
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        if started.elapsed() > limit {
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = child.wait();
            let message = format!("the script took longer than {limit:?}");
            return Err(Error::new(codes::TIMEOUT_EXCEEDED, message));
        }
        std::thread::sleep(POLL);
    }
}

/// A file that goes with its last user. A pipe would have to be read while the script runs.
fn nameless() -> Result<File> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("entasis-script-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut options = File::options();
    let file = options.read(true).append(true).create(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
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
}
