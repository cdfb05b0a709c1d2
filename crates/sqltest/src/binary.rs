//! The program under test: finds it, and runs it as a child process with a time limit.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a child printed.
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error, as text.
    pub stderr: String,
    /// Exit status; `None` if it was killed because it took too long.
    pub status: Option<ExitStatus>,
}

/// The workspace root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The `entasis` binary: `ENTASIS_BIN`, or the release binary beside the running test. `None` if
/// there is none and `ENTASIS_BIN_OPTIONAL=1` allows that.
pub fn find() -> Result<Option<PathBuf>, String> {
    if let Some(path) = std::env::var_os("ENTASIS_BIN") {
        let path = std::path::absolute(path).map_err(|e| e.to_string())?;
        return if path.is_file() {
            Ok(Some(path))
        } else {
            Err(format!("ENTASIS_BIN={} is not a file", path.display()))
        };
    }
    // The path of the test is <target>/<profile>/deps/<name>.
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let target = exe.ancestors().nth(3).unwrap_or(Path::new("target"));
    let path = target.join("release/entasis");
    if path.is_file() {
        Ok(Some(path))
    } else if std::env::var_os("ENTASIS_BIN_OPTIONAL").is_some_and(|v| v == "1") {
        Ok(None)
    } else {
        Err(format!(
            "no binary at {}: `make test` builds it first; or set ENTASIS_BIN; or set \
             ENTASIS_BIN_OPTIONAL=1 to go without these tests",
            path.display()
        ))
    }
}

/// Runs the binary in the folder `scratch`, so that files that statements write do not stay. Its
/// output goes through files in that folder, so that no pipe can fill up.
pub fn run<S: AsRef<OsStr>>(
    binary: &Path,
    args: &[S],
    scratch: &Path,
    limit: Duration,
) -> Result<Output, String> {
    let fail = |what: &str, e: std::io::Error| format!("{what}: {e}");
    let (out_path, err_path) = (scratch.join("stdout"), scratch.join("stderr"));
    let out = File::create(&out_path).map_err(|e| fail("cannot write output", e))?;
    let err = File::create(&err_path).map_err(|e| fail("cannot write output", e))?;
    let mut child = Command::new(binary)
        .args(args)
        .current_dir(scratch)
        .env("TZ", "UTC")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(|e| fail(&format!("cannot run {}", binary.display()), e))?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        match child.try_wait().map_err(|e| fail("cannot wait", e))? {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let read = |path: &Path| std::fs::read(path).map_err(|e| fail("cannot read output", e));
    let stderr = String::from_utf8_lossy(&read(&err_path)?).into_owned();
    Ok(Output { stdout: read(&out_path)?, stderr, status })
}

/// A folder that is removed when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes an empty folder under the system's temporary folder.
    pub fn new() -> Result<Self, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("entasis-sqltest-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self(path))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_read_and_a_hanging_one_is_killed() {
        let scratch = Scratch::new().unwrap();
        let shell = Path::new("/bin/sh");
        let second = Duration::from_secs(5);
        let output =
            run(shell, &["-c", "echo out; echo err >&2; exit 3"], scratch.path(), second).unwrap();
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], "err\n"));
        assert_eq!(output.status.and_then(|s| s.code()), Some(3));
        let limit = Duration::from_millis(50);
        let output = run(shell, &["-c", "exec sleep 60"], scratch.path(), limit).unwrap();
        assert!(output.status.is_none());
    }
}
