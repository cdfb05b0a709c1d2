//! Binaries of revisions.
//!
//! One worktree and one target folder serve all revisions ([`Places`]): what two of them have in
//! common is compiled once. A built binary is kept under its commit and what made it, so that each
//! is built once.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use entasis_base::{Error, Result, codes};

use super::places::Places;

/// Builds revisions of the repository in the working directory.
#[derive(Clone, Debug)]
pub struct Builder {
    /// Where binaries are kept.
    pub folder: PathBuf,
    /// The shell command that builds, run in the worktree with CARGO_TARGET_DIR set.
    pub command: String,
    /// The binary, relative to the target folder.
    pub binary: String,
}

/// A built revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The binary.
    pub binary: PathBuf,
    /// The full name of the commit.
    pub commit: String,
}

impl Builder {
    /// Of a workspace as Entasis's own.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            command: "cargo build --release --locked --workspace --bin entasis".into(),
            binary: "release/entasis".into(),
        }
    }

    /// The commit that a revision names.
    pub fn commit(revision: &str) -> Result<String> {
        git(
            Path::new("."),
            &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")],
        )
        .map_err(|_| {
            let message = format!("git knows no revision `{revision}` here");
            Error::new(codes::BAD_ARGUMENTS, message)
        })
    }

    /// Where two commits' histories parted.
    pub fn base(one: &str, other: &str) -> Result<String> {
        git(Path::new("."), &["merge-base", one, other])
    }

    /// The difference between two commits, as `git apply` takes it; empty if there is none.
    pub fn diff(old: &str, new: &str) -> Result<String> {
        diff_in(Path::new("."), old, new)
    }

    /// The revision's binary, built if it is not there yet. What the build says goes to standard
    /// error as it comes. Takes minutes, and waits for other laboratories that build.
    pub fn build(&self, revision: &str) -> Result<Built> {
        let commit = Self::commit(revision)?;
        let built = Built { binary: self.folder.join(self.name(&commit)), commit };
        if built.binary.is_file() {
            return Ok(built);
        }
        let places = Places::own()?;
        // It may have been built while this one waited.
        if !built.binary.is_file() {
            places.check_out(&built.commit)?;
            self.forget_shuffled(&places)?;
            self.make(&places, &[])?;
            self.keep(&places, &built.commit, &built.binary)?;
        }
        Ok(built)
    }

    /// What a commit's binary is kept under: what another command, compiler or flag builds is
    /// another one.
    fn name(&self, commit: &str) -> String {
        let mut how = vec![self.command.clone(), self.binary.clone(), compiler()];
        how.extend(flags());
        let hash = xxhash_rust::xxh3::xxh3_64(how.join("\0").as_bytes()) as u32;
        format!("{commit}-{hash:08x}")
    }

    /// Runs the build, with these variables as well.
    pub(super) fn make(&self, places: &Places, variables: &[(&str, &str)]) -> Result<()> {
        // What another commit left is not taken for this one's.
        let _ = std::fs::remove_file(places.target.join(&self.binary));
        let status = Command::new("sh")
            .args(["-c", &self.command])
            .current_dir(&places.tree)
            .env("CARGO_TARGET_DIR", &places.target)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .status()?;
        if status.success() {
            return Ok(());
        }
        let message = format!("`{}` failed for {}: {status}", self.command, places.head()?);
        Err(Error::new(codes::CANNOT_OPEN_FILE, message))
    }

    /// Copies what was built of a commit; under its name only once it is whole.
    pub(super) fn keep(&self, places: &Places, commit: &str, kept: &Path) -> Result<()> {
        let head = places.head()?;
        if head != commit {
            let tree = places.tree.display();
            let message =
                format!("{tree} shows {head} after the build of {commit}: nothing of it is kept");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let built = places.target.join(&self.binary);
        let part = kept.with_extension("part");
        let copied = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::copy(&built, &part))
            .and_then(|_| std::fs::rename(&part, kept));
        copied.map_err(|e| {
            let message = format!("The build left no {}", built.display());
            Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
        })
    }
}

/// What the compiler says it is; nothing without one, as a build may have its own.
fn compiler() -> String {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    // Not here: which toolchain today's checkout wants is not the revision's.
    let done = Command::new(program).arg("-vV").current_dir("/").stderr(Stdio::null()).output();
    done.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default()
}

/// Variables by which the compiler gets other flags, in order.
fn flags() -> Vec<String> {
    let of_flags = |name: &str| name.ends_with("RUSTFLAGS") || name.starts_with("CARGO_PROFILE_");
    let all = std::env::vars_os().map(|(name, value)| (text(&name), text(&value)));
    let mut all: Vec<String> = all
        .filter(|(name, _)| of_flags(name))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    all.sort_unstable();
    all
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

/// Whatever the user's settings make of a diff for people, this one is for `git apply`.
const FOR_APPLY: [&str; 6] = [
    "--no-color",
    "--binary",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Not trimmed: a hunk may end with an empty line of context, which is a space and a line feed.
fn diff_in(folder: &Path, old: &str, new: &str) -> Result<String> {
    said(folder, &[&["diff"][..], &FOR_APPLY, &[old, new]].concat())
}

/// What git says, without the line feed at its end.
pub(super) fn git(folder: &Path, words: &[&str]) -> Result<String> {
    said(folder, words).map(|text| text.trim().to_owned())
}

fn said(folder: &Path, words: &[&str]) -> Result<String> {
    let done = Command::new("git").args(words).current_dir(folder).output()?;
    if !done.status.success() {
        let complaint = String::from_utf8_lossy(&done.stderr);
        let message = format!("git {}: {}", words.join(" "), complaint.trim());
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folder's files as a commit.
    fn commit(folder: &Path) {
        git(folder, &["add", "."]).unwrap();
        let who = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
        git(folder, &[&who[..], &["commit", "--quiet", "-m", "change"]].concat()).unwrap();
    }

    #[test]
    fn a_diff_applies() {
        let folder = std::env::temp_dir().join(format!("entasis-diff-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        git(&folder, &["init", "--quiet"]).unwrap();
        // As a user may have it.
        git(&folder, &["config", "diff.noprefix", "true"]).unwrap();
        let write = |text: &str, bytes: &[u8]| {
            std::fs::write(folder.join("text"), text).unwrap();
            std::fs::write(folder.join("image"), bytes).unwrap();
            commit(&folder);
        };
        write("one\ntwo\nthree\nfour\n\nfive\n", &[0, 1, 2]);
        write("one\n2\nthree\nfour\n\nfive\n", &[0, 3, 4]);
        let diff = diff_in(&folder, "HEAD~1", "HEAD").unwrap();
        // The third line of context is empty.
        assert!(diff.ends_with("\n three\n four\n \n"), "{diff:?}");
        assert_eq!(diff_in(&folder, "HEAD", "HEAD").unwrap(), "");
        git(&folder, &["checkout", "--quiet", "--detach", "HEAD~1"]).unwrap();
        std::fs::write(folder.join("change.diff"), diff).unwrap();
        git(&folder, &["apply", "--check", "change.diff"]).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }
}
