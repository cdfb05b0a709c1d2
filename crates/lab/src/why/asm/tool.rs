//! Programs of the machine: finds them, and runs them with limits.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};

/// Bytes of output that are read at most.
const MOST_OUTPUT: u64 = 1 << 30;
/// A tool that takes longer is stopped.
const PATIENCE: Duration = Duration::from_mins(2);
/// Debian adds the version to names: `llvm-mca-19`.
const VERSIONS: std::ops::RangeInclusive<u32> = 11..=30;

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tool(PathBuf);

/// What a program answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub success: bool,
}

impl Tool {
    /// The first program of these names in the folders of `path` (as in `PATH`); of each name also
    /// the newest with a version behind it. An error names the Debian package.
    pub fn find(names: &[&str], package: &str, path: &OsStr) -> Result<Self> {
        let spelled = names.iter().flat_map(|name| {
            let numbered = VERSIONS.rev().map(move |version| format!("{name}-{version}"));
            std::iter::once((*name).to_owned()).chain(numbered)
        });
        for name in spelled {
            let here = std::env::split_paths(path).map(|folder| folder.join(&name));
            if let Some(found) = here.into_iter().find(|file| is_program(file)) {
                return Ok(Self(found));
            }
        }
        Err(Error::new(
            codes::SUPPORT_IS_DISABLED,
            format!("{} is not installed: install the package `{package}`", names.join(" or ")),
        ))
    }

    /// Runs it with text on its standard input. An answer that is no success is not an error, but
    /// one that takes two minutes or a gigabyte is.
    pub fn run(&self, args: &[&OsStr], input: &str) -> Result<Answer> {
        let failed = |what: &str, e: std::io::Error| {
            Error::from(e).context(format_args!("Cannot {what} {}", self.0.display()))
        };
        let mut command = Command::new(&self.0);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| failed("run", e))?;
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends early says why on stderr.
            let _ = stdin.write_all(input.as_bytes());
        }
        let success = self.wait(&mut child)?;
        let text = |thread: std::thread::JoinHandle<std::io::Result<Vec<u8>>>| {
            let bytes = thread.join().unwrap_or_else(|_| Ok(Vec::new()));
            let bytes = bytes.map_err(|e| failed("read from", e))?;
            if bytes.len() as u64 >= MOST_OUTPUT {
                let message = format!("{} wrote more than 1 GiB: it was stopped", self.0.display());
                return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
            }
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Answer { stdout: text(stdout)?, stderr: text(stderr)?, success })
    }

    fn wait(&self, child: &mut Child) -> Result<bool> {
        let start = Instant::now();
        loop {
            let state = child.try_wait();
            if let Ok(Some(status)) = state {
                return Ok(status.success());
            }
            if state.is_err() || start.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                let message = format!("{} took more than 120 s: it was stopped", self.0.display());
                return Err(Error::new(codes::TIMEOUT_EXCEEDED, message));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Reads to the end, or to the limit; dropping the pipe then ends the writer.
fn collect(
    from: Option<impl Read + Send + 'static>,
) -> std::thread::JoinHandle<std::io::Result<Vec<u8>>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            from.take(MOST_OUTPUT).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_and_run() {
        let cat =
            Tool::find(&["no-such-tool", "cat"], "coreutils", OsStr::new("/bin:/usr/bin")).unwrap();
        let answer = cat.run(&[], "hello").unwrap();
        assert_eq!((answer.stdout.as_str(), answer.success), ("hello", true));
        let answer = cat.run(&[OsStr::new("/no/such/file")], "").unwrap();
        assert!(!answer.success && answer.stderr.contains("/no/such/file"));
    }

    #[test]
    fn a_missing_program_names_its_package() {
        let error = Tool::find(&["llvm-mca"], "llvm", OsStr::new("/no/such/folder")).unwrap_err();
        assert_eq!(error.message(), "llvm-mca is not installed: install the package `llvm`");
    }
}
