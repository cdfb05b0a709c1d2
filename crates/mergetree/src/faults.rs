//! What is damaged: files that could not be read as what they were written as, by path.
//!
//! A damaged file does not stop the store: who reads it gets the error, everybody else goes on, and
//! merges leave it alone. This list is what `system.warnings` shows.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::sync::lock;
use entasis_base::{Error, ErrorCode, codes, message};

/// Files that are damaged, with what is wrong about them.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Whether there are any: asked often.
    some: AtomicBool,
    list: Mutex<BTreeMap<String, String>>,
}

/// Errors that are a file's and not a moment's.
const LASTING: [ErrorCode; 6] = [
    codes::CORRUPTED_DATA,
    codes::CHECKSUM_DOESNT_MATCH,
    codes::CANNOT_READ_ALL_DATA,
    codes::UNKNOWN_COMPRESSION_METHOD,
    codes::CANNOT_DECOMPRESS,
    codes::FILE_DOESNT_EXIST,
];

impl Faults {
    /// Notes what an error says of a file, if it is of a kind that stays.
    pub(crate) fn note(&self, path: &str, error: &Error) {
        if LASTING.contains(&error.code()) {
            self.add(path, error.message());
        }
    }

    /// Notes what is wrong about a file; the first thing said stays.
    pub(crate) fn add(&self, path: &str, what: &str) {
        let mut list = lock(&self.list);
        if !list.contains_key(path) {
            message!(Error, "Store", "A file of a table is damaged: `{}`: {}", path, what);
            list.insert(path.to_owned(), what.to_owned());
            self.some.store(true, Ordering::Release);
        }
    }

    /// Whether a file is known to be damaged.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.some.load(Ordering::Acquire) && lock(&self.list).contains_key(path)
    }

    /// A file is no longer of interest.
    pub(crate) fn forget(&self, path: &str) {
        if self.some.load(Ordering::Acquire) {
            lock(&self.list).remove(path);
        }
    }

    /// All of them: path, and what is wrong.
    pub(crate) fn list(&self) -> Vec<(String, String)> {
        lock(&self.list).iter().map(|(path, what)| (path.clone(), what.clone())).collect()
    }
}
