//! The file in which the shell keeps its history: in the user's folder for program state, readable
//! by that user only.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Statements kept.
pub const CAPACITY: usize = 10_000;

/// The file: the one that was asked for, or `$XDG_STATE_HOME/entasis/history`, or
/// `~/.local/state/entasis/history`; `None` if there is no place for it.
pub fn file(asked: Option<&str>) -> Option<PathBuf> {
    let path = match asked {
        Some(path) => PathBuf::from(path),
        None => default_file(
            std::env::var_os("XDG_STATE_HOME").map(PathBuf::from),
            std::env::var_os("HOME").map(PathBuf::from),
        )?,
    };
    create(&path).ok()?;
    Some(path)
}

fn default_file(state: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let state = state.filter(|p| p.is_absolute());
    let state = state.or_else(|| home.map(|home| home.join(".local/state")))?;
    Some(state.join("entasis/history"))
}

/// The file is private, because statements may contain secrets.
fn create(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_is_the_users() {
        let path = |s: &str| Some(PathBuf::from(s));
        assert_eq!(default_file(path("/s"), path("/h")), path("/s/entasis/history"));
        let home = path("/h/.local/state/entasis/history");
        assert_eq!(default_file(None, path("/h")), home);
        assert_eq!(default_file(path("relative"), path("/h")), home);
        assert_eq!(default_file(None, None), None);
    }
}
