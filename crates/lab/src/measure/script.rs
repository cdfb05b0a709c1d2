//! Shell queries: a script that asks the side's server in its own way.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use rustix::process::{Pid, Signal, kill_process_group};

const POLL: Duration = Duration::from_millis(1);

/// Runs a script with `bash -e -o pipefail` and answers its seconds. Ends its whole process group
/// after `limit`.
pub fn run(script: &str, environment: &[(String, String)], limit: Duration) -> Result<f64> {
    let started = Instant::now();
    let mut child = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", script])
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        if let Some(status) = child.try_wait()? {
            let seconds = started.elapsed().as_secs_f64();
            if status.success() {
                return Ok(seconds);
            }
            let message = format!("the script failed: {status}");
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
        let long = run("sleep 100 & sleep 100", &env, Duration::from_millis(50)).unwrap_err();
        assert_eq!(long.code(), codes::TIMEOUT_EXCEEDED);
    }
}
