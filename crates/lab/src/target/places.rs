//! Where revisions are checked out and built.
//!
//! Outside of the repository: Cargo reads the configuration of every folder above the one that it
//! builds, so flags of today's checkout, committed or not, would be each revision's. One laboratory
//! at a time builds there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use entasis_base::{Error, Result, codes};
use xxhash_rust::xxh3::xxh3_64;

use super::build::git;

/// The folders of the working directory's repository, this laboratory's alone as long as it has
/// this.
pub(super) struct Places {
    /// All of it.
    pub folder: PathBuf,
    /// The sources.
    pub tree: PathBuf,
    /// What Cargo makes of them.
    pub target: PathBuf,
    /// The repository's own files, which all of its worktrees share.
    common: PathBuf,
    _lock: File,
}

impl Places {
    /// Waits until no other laboratory builds revisions of this repository.
    pub fn own() -> Result<Self> {
        let common = common(Path::new("."))?;
        let folder =
            cache().join(format!("{:016x}", xxh3_64(common.as_os_str().as_encoded_bytes())));
        let failed = |e| {
            let message = format!("Cannot build in {}", folder.display());
            Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        let folder = fs::canonicalize(&folder).map_err(failed)?;
        let (tree, target) = (folder.join("worktree"), folder.join("target"));
        if let Some(file) = config_above(&tree, cargo_home().as_deref()) {
            let message = format!(
                "Cargo would read {} for every revision that is built in {}: have XDG_CACHE_HOME \
                 name a folder without such a file above it",
                file.display(),
                tree.display()
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Self { folder, tree, target, common, _lock: lock })
    }

    /// Has the worktree show a commit.
    pub fn check_out(&self, commit: &str) -> Result<()> {
        // A folder without that file may be in another repository.
        let there = self.tree.join(".git").exists();
        if there && common(&self.tree).is_ok_and(|common| common == self.common) {
            return git(&self.tree, &["checkout", "--quiet", "--force", "--detach", commit])
                .map(drop);
        }
        if self.tree.exists() {
            // Of a repository that was in this place before.
            fs::remove_dir_all(&self.tree)?;
        }
        let (here, tree) = (Path::new("."), self.tree.to_string_lossy());
        git(here, &["worktree", "prune"])?;
        git(here, &["worktree", "add", "--quiet", "--detach", &tree, commit]).map(drop)
    }

    /// The commit that the worktree shows.
    pub fn head(&self) -> Result<String> {
        git(&self.tree, &["rev-parse", "HEAD"])
    }
}

/// The folder of a repository's own files, whichever of its worktrees asks.
fn common(folder: &Path) -> Result<PathBuf> {
    let named = git(folder, &["rev-parse", "--git-common-dir"])?;
    Ok(fs::canonicalize(folder.join(named))?)
}

/// Where programs keep what they can make again.
fn cache() -> PathBuf {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let root = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    root.unwrap_or_else(std::env::temp_dir).join("entasis-lab")
}

/// Where Cargo's configuration is that counts for all this user builds.
fn cargo_home() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from);
    set("CARGO_HOME").or_else(|| Some(set("HOME")?.join(".cargo")))
}

/// A configuration of Cargo above a folder, but the user's own.
fn config_above(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let home = home.and_then(|home| fs::canonicalize(home).ok());
    let above = folder.ancestors().skip(1).map(|folder| folder.join(".cargo"));
    let others = above.filter(|cargo| home.is_none() || fs::canonicalize(cargo).ok() != home);
    let mut files = others.flat_map(|cargo| ["config.toml", "config"].map(|name| cargo.join(name)));
    files.find(|file| file.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_above_is_found_but_the_users_own() {
        let folder = std::env::temp_dir().join(format!("entasis-above-{}", std::process::id()));
        let (tree, cargo) = (folder.join("a/b/tree"), folder.join("a/.cargo"));
        for folder in [&tree.join(".cargo"), &cargo] {
            fs::create_dir_all(folder).unwrap();
        }
        // The revision's own.
        fs::write(tree.join(".cargo/config.toml"), "").unwrap();
        assert_eq!(config_above(&tree, None), None);
        for name in ["config", "config.toml"] {
            fs::write(cargo.join(name), "").unwrap();
            assert_eq!(config_above(&tree, None), Some(cargo.join(name)));
        }
        assert_eq!(config_above(&tree, Some(&folder)), Some(cargo.join("config.toml")));
        assert_eq!(config_above(&tree, Some(&cargo)), None);
        fs::remove_dir_all(folder).unwrap();
    }
}
