//! How often statements have failed, by error code.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use entasis_base::Error;
use entasis_base::clock::{Clock, SystemClock};
use entasis_base::sync::lock;

/// Count of the errors of one code, and the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub name: &'static str,
    pub code: u16,
    pub count: u64,
    /// Time of the last one since 1970; its message and its statement's id follow.
    pub last: Duration,
    pub message: String,
    pub query_id: String,
}

/// All errors since the engine was opened.
#[derive(Debug, Default)]
pub(crate) struct Errors(Mutex<BTreeMap<u16, Seen>>);

impl Errors {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u16, Seen>> {
        lock(&self.0)
    }

    /// All errors that have occurred, by code.
    pub(crate) fn list(&self) -> Vec<Seen> {
        self.lock().values().cloned().collect()
    }

    /// Counts an error; `query_id` is empty if it is not from a statement.
    pub(crate) fn add(&self, error: &Error, query_id: &str) {
        let code = error.code();
        let mut seen = self.lock();
        let count = seen.get(&code.0).map_or(0, |seen| seen.count) + 1;
        seen.insert(
            code.0,
            Seen {
                name: code.name(),
                code: code.0,
                count,
                last: SystemClock.now(),
                message: entasis_sql::mask_secrets(error.message()).into_owned(),
                query_id: query_id.to_string(),
            },
        );
    }
}
