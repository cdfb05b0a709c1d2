//! The list of damaged files, by path: files that could not be read as they were written.
//!
//! A damaged file does not stop the store: its readers get the error, other queries continue, and
//! merges skip the part. `system.warnings` shows this list.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::sync::lock;
use entasis_base::{Error, ErrorCode, codes, message};

/// The damaged files, with a description of the damage.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Whether there are any. A separate flag, because it is asked often.
    some: AtomicBool,
    list: Mutex<BTreeMap<String, String>>,
}

/// Errors that mean lasting damage of a file, unlike those of one failed operation.
const LASTING: [ErrorCode; 6] = [
    codes::CORRUPTED_DATA,
    codes::CHECKSUM_DOESNT_MATCH,
    codes::CANNOT_READ_ALL_DATA,
    codes::UNKNOWN_COMPRESSION_METHOD,
    codes::CANNOT_DECOMPRESS,
    codes::FILE_DOESNT_EXIST,
];

/// Whether an error means lasting damage of a file.
pub(crate) fn is_damage(error: &Error) -> bool {
    LASTING.contains(&error.code())
}

impl Faults {
    /// Adds a file to the list, if the error means lasting damage.
    pub(crate) fn note(&self, path: &str, error: &Error) {
        if is_damage(error) {
            self.add(path, error.message());
        }
    }

    /// Adds a file with a description of its damage. The first description is kept.
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

    /// Removes a file from the list.
    pub(crate) fn forget(&self, path: &str) {
        if self.some.load(Ordering::Acquire) {
            lock(&self.list).remove(path);
        }
    }

    /// All damaged files: path, and description of the damage.
    pub(crate) fn list(&self) -> Vec<(String, String)> {
        lock(&self.list).iter().map(|(path, what)| (path.clone(), what.clone())).collect()
    }
}
