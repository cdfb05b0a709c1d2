//! The one place where paths below a disk's root are checked and taken apart.

use entasis_base::{Error, Result, codes};

/// Whether `path` may name a file: relative, `/` between components, none of them empty, `.` or
/// `..`, no NUL. Everything else is `INCORRECT_FILE_NAME`.
pub fn check_path(path: &str) -> Result<()> {
    let bad = path.split('/').any(|part| matches!(part, "" | "." | "..")) || path.contains('\0');
    if bad {
        return Err(Error::new(
            codes::INCORRECT_FILE_NAME,
            format!("`{}` is not a path below a disk's root", path.escape_debug()),
        ));
    }
    Ok(())
}

/// As [`check_path`], for a directory: `""`, the root, is one.
pub(crate) fn check_dir(path: &str) -> Result<()> {
    if path.is_empty() { Ok(()) } else { check_path(path) }
}

/// The directory that holds `path`; `""` for a name in the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The last component of `path`.
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `name` in directory `dir`, where `dir` may be the root.
pub fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_path() {
        for good in ["a", "a/b", "a b/ä", "..a", "a..", ".hidden"] {
            assert!(check_path(good).is_ok(), "{good}");
        }
        for bad in ["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "./a", "a\0b"] {
            let code = check_path(bad).unwrap_err().code();
            assert_eq!(code, codes::INCORRECT_FILE_NAME, "{bad:?}");
        }
        assert!(check_dir("").is_ok());
        assert!(check_dir("..").is_err());
    }

    #[test]
    fn taking_apart() {
        assert_eq!((parent("a/b/c"), file_name("a/b/c")), ("a/b", "c"));
        assert_eq!((parent("a"), file_name("a")), ("", "a"));
        assert_eq!(join("", "a"), "a");
        assert_eq!(join("a", "b"), "a/b");
    }
}
