//! Messages: what the process reports about its work, for people.
//!
//! [`message!`](crate::message) makes a message if somebody listens at its level, and passes it to
//! all [`Listener`]s on the calling thread; a listener must not wait. If nobody listens, it costs
//! one load and one branch, and the text is not made. Other crates decide whether messages are kept
//! in a file or a table.

use std::fmt::Display;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, RwLock, RwLockWriteGuard};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::sync;
use crate::{scope, thread};

/// The severity of a message; the numbers are the reference's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Level {
    Fatal = 1,
    Critical,
    Error,
    Warning,
    Notice,
    Information,
    Debug,
    Trace,
}

impl Level {
    /// All levels, most severe first.
    pub const ALL: [Self; 8] = [
        Self::Fatal,
        Self::Critical,
        Self::Error,
        Self::Warning,
        Self::Notice,
        Self::Information,
        Self::Debug,
        Self::Trace,
    ];

    /// The name as in lists and files, such as `Error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fatal => "Fatal",
            Self::Critical => "Critical",
            Self::Error => "Error",
            Self::Warning => "Warning",
            Self::Notice => "Notice",
            Self::Information => "Information",
            Self::Debug => "Debug",
            Self::Trace => "Trace",
        }
    }

    /// Finds a level by its name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(name))
    }
}

/// A message that listeners receive.
#[derive(Clone, Debug)]
pub struct Message {
    /// Time since 1970.
    pub at: Duration,
    /// The severity.
    pub level: Level,
    /// The part of the program that reports it.
    pub logger: &'static str,
    /// The whole text.
    pub text: String,
    /// The format string of the text, with `{}` for each value.
    pub format: &'static str,
    /// The values that stand for the `{}`.
    pub values: Vec<String>,
    /// The statement that the thread works for, if any.
    pub query_id: Option<Arc<str>>,
    /// The kernel's number of the thread.
    pub thread: u32,
    /// The thread's name; empty if it has none.
    pub thread_name: String,
    /// File and line of the source.
    pub source: (&'static str, u32),
}

/// Receives a message. Runs on the thread that reports it, so it must not wait.
pub type Take = dyn Fn(&Arc<Message>) + Send + Sync;

struct Listening {
    number: u64,
    level: Level,
    take: Arc<Take>,
}

static ALL: RwLock<Vec<Listening>> = RwLock::new(Vec::new());
/// The least severe level that any listener wants; 0 without listeners.
static LEAST: AtomicU8 = AtomicU8::new(0);

/// A registered listener; dropping it ends the registration.
#[derive(Debug)]
#[must_use = "nobody listens any more once it is dropped"]
pub struct Listener(u64);

/// Registers `take` for messages of a level and of all more severe ones.
pub fn listen(level: Level, take: Arc<Take>) -> Listener {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    change(|all| all.push(Listening { number, level, take }));
    Listener(number)
}

impl Drop for Listener {
    fn drop(&mut self) {
        change(|all| all.retain(|listening| listening.number != self.0));
    }
}

fn change(f: impl FnOnce(&mut RwLockWriteGuard<'_, Vec<Listening>>)) {
    let mut all = sync::write(&ALL);
    f(&mut all);
    let least = all.iter().map(|listening| listening.level as u8).max();
    LEAST.store(least.unwrap_or(0), Ordering::Relaxed);
}

/// Whether somebody listens at a level.
#[inline]
pub fn wanted(level: Level) -> bool {
    level as u8 <= LEAST.load(Ordering::Relaxed)
}

/// What [`message!`](crate::message) calls if somebody listens.
#[cold]
pub fn say(
    level: Level,
    logger: &'static str,
    format: &'static str,
    values: &[&dyn Display],
    source: (&'static str, u32),
) {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    let message = Arc::new(Message {
        at: SystemClock.now(),
        level,
        logger,
        text: filled(format, &values),
        format,
        values,
        query_id: scope::query_id(),
        thread: thread::id(),
        thread_name: thread::name(),
        source,
    });
    // Called outside of the lock, as a receiver may itself register a listener or report a message.
    let takers: Vec<Arc<Take>> = {
        let all = sync::read(&ALL);
        let these = all.iter().filter(|listening| level <= listening.level);
        these.map(|listening| Arc::clone(&listening.take)).collect()
    };
    takers.iter().for_each(|take| take(&message));
}

/// Puts each value in the place of one `{}`; a `{}` within a value stays as it is.
pub fn filled<T: AsRef<str>>(format: &str, values: &[T]) -> String {
    let mut values = values.iter().map(AsRef::as_ref);
    let mut pieces = format.split("{}");
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        text.push_str(values.next().unwrap_or("{}"));
        text.push_str(piece);
    }
    text
}

/// Reports a message: `message!(Information, "Application", "Listening on {}", address)`. Each `{}`
/// stands for one value; the message keeps the values separately too.
#[macro_export]
macro_rules! message {
    ($level:ident, $logger:expr, $format:literal $(, $value:expr)* $(,)?) => {
        if $crate::log::wanted($crate::log::Level::$level) {
            $crate::log::say(
                $crate::log::Level::$level,
                $logger,
                $format,
                &[$(&$value as &dyn std::fmt::Display),*],
                (file!(), line!()),
            );
        }
    };
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn messages_reach_those_who_listen_at_their_level() {
        let mut made = 0;
        let mut make = || {
            made += 1;
            made
        };
        message!(Debug, "test", "nobody {}", make());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&heard);
        let take = move |m: &Arc<Message>| into.lock().unwrap().push(Arc::clone(m));
        let listener = listen(Level::Warning, Arc::new(take));
        message!(Information, "test", "not grave {}", make());
        message!(Warning, "test", "{} of {}", make(), "x");
        message!(Fatal, "test", "the end");
        drop(listener);
        message!(Fatal, "test", "gone {}", make());
        let heard = heard.lock().unwrap();
        let texts: Vec<_> = heard.iter().map(|m| (m.level.name(), m.text.as_str())).collect();
        assert_eq!(texts, [("Warning", "1 of x"), ("Fatal", "the end")]);
        assert_eq!(
            (heard[0].format, heard[0].values.as_slice()),
            ("{} of {}", &["1".to_string(), "x".into()][..])
        );
        assert_eq!(heard[0].thread, thread::id());
        assert!(heard[0].source.0.ends_with("log.rs") && heard[0].query_id.is_none());
        assert_eq!(Level::parse("warning"), Some(Level::Warning));
        assert_eq!(Level::parse("loud"), None);
    }
}
