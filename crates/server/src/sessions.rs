//! Sessions that outlive a request. They belong to a user and an id, run one statement at a time,
//! and end after a timeout.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_engine::Session;

/// Most sessions that are kept.
const MOST: usize = 10_000;
const DEFAULT_TIMEOUT: u64 = 60;

type Key = (String, String);

/// The session that a request asks for.
pub(crate) struct Wanted<'a> {
    pub user: &'a str,
    pub id: &'a str,
    pub timeout: Option<&'a str>,
    /// Whether the session must exist already.
    pub must_exist: bool,
    /// The session ends with the request.
    pub closes: bool,
}

struct Slot {
    /// `None` while a statement uses it.
    session: Option<Session>,
    expires: Instant,
}

/// All sessions with a name.
#[derive(Default)]
pub(crate) struct Sessions {
    slots: Mutex<HashMap<Key, Slot>>,
    longest: u64,
}

/// A session on loan; it goes back when this is dropped, unless it is to be closed.
pub(crate) struct Loan<'a> {
    sessions: &'a Sessions,
    key: Key,
    timeout: Duration,
    session: Option<Session>,
    closes: bool,
}

impl Sessions {
    /// With a longest timeout in seconds.
    pub fn new(longest: u64) -> Self {
        Self { slots: Mutex::default(), longest }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Slot>> {
        lock(&self.slots)
    }

    /// Takes a session, or a new one made by `make`.
    pub fn take(&self, wanted: &Wanted<'_>, make: impl FnOnce() -> Session) -> Result<Loan<'_>> {
        let timeout = self.timeout(wanted.timeout)?;
        let key = (wanted.user.to_string(), wanted.id.to_string());
        let now = Instant::now();
        let mut slots = self.lock();
        slots.retain(|_, slot| slot.session.is_none() || slot.expires > now);
        let count = slots.len();
        let session = match slots.get_mut(&key) {
            Some(slot) => slot.session.take().ok_or_else(|| {
                let message = format!("Session {} is locked by a concurrent client", wanted.id);
                Error::new(codes::SESSION_IS_LOCKED, message)
            })?,
            None if wanted.must_exist => {
                let message = format!("Session {} not found", wanted.id);
                return Err(Error::new(codes::SESSION_NOT_FOUND, message));
            }
            None if count >= MOST => {
                let message = format!("There are {MOST} sessions: let some of them time out");
                return Err(Error::new(codes::LIMIT_EXCEEDED, message));
            }
            None => {
                slots.insert(key.clone(), Slot { session: None, expires: now });
                make()
            }
        };
        Ok(Loan { sessions: self, key, timeout, session: Some(session), closes: wanted.closes })
    }

    fn timeout(&self, text: Option<&str>) -> Result<Duration> {
        let invalid = |why: String| Error::new(codes::INVALID_SESSION_TIMEOUT, why);
        let seconds = match text {
            None => DEFAULT_TIMEOUT.min(self.longest),
            Some(text) => {
                text.parse().map_err(|_| invalid(format!("Invalid session timeout: '{text}'")))?
            }
        };
        if seconds > self.longest {
            return Err(invalid(format!(
                "Session timeout '{seconds}' is larger than max_session_seconds: {}",
                self.longest
            )));
        }
        Ok(Duration::from_secs(seconds))
    }
}

impl Loan<'_> {
    /// The session.
    pub fn session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if self.closes {
            self.sessions.lock().remove(&self.key);
            return;
        }
        let expires = Instant::now() + self.timeout;
        let slot = Slot { session: self.session.take(), expires };
        self.sessions.lock().insert(self.key.clone(), slot);
    }
}
