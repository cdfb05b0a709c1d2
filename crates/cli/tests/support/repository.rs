//! A git repository whose commits "build" to this binary with planted costs.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_entasis");

/// Runs git in a folder; its answer.
pub fn git(folder: &Path, line: &[&str]) -> String {
    let who = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
    let done = Command::new("git").args(who).args(line).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{line:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// "Builds" a commit of [`repository`].
pub const BUILD: &str = "mkdir -p $CARGO_TARGET_DIR/release && \
                     cp entasis $CARGO_TARGET_DIR/release/ && chmod +x $CARGO_TARGET_DIR/release/entasis";

/// A repository in a folder, a commit for each number: its "build" is this binary behind a script,
/// which plants so many percent of `what`: `time` or `allocation`.
pub fn repository(folder: &Path, what: &str, percents: &[u32]) -> PathBuf {
    let repository = folder.join("repository");
    std::fs::create_dir_all(&repository).unwrap();
    git(&repository, &["init", "--quiet"]);
    for (commit, percent) in percents.iter().enumerate() {
        let script = format!(
            "#!/bin/sh\n# {commit}\n\
             exec {BINARY} \"$@\" '--log_comment=cost injection: {what}={percent}'\n"
        );
        std::fs::write(repository.join("entasis"), script).unwrap();
        git(&repository, &["add", "entasis"]);
        git(&repository, &["commit", "--quiet", "-m", "change"]);
    }
    repository
}
