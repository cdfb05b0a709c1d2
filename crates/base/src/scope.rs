//! The statement that a thread works for, and the checks by which deep code asks whether it may go
//! on.
//!
//! A worker enters a [`Scope`] with its query's cancel token, account and event counters; until it
//! leaves, the events that it counts go to these counters. [`check`] does two things wherever it is
//! called, at the price of a few loads. It fails once the query was asked to stop, and it moves
//! what the thread has allocated since the last check onto the query's account, which fails above
//! its limit. The pipeline checks at every chunk; a kernel that can work or grow for long within
//! one chunk checks with a [`Ticker`], which covers both cancellation and memory.
//!
//! Outside of every scope all checks pass. Code that cannot return an error (a comparison within a
//! sort, a column operation) uses [`check_or_unwind`], which unwinds with the error; [`caught`]
//! turns the unwinding back into an error, where workers catch panics anyway.

use std::any::Any;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::ThreadId;

use crate::events::{Attached, Counters, Sampling};
use crate::{CancelToken, Error, MemoryAccount, Result, meter};

/// Bytes of growth from which on a thread adds to the shared account.
const STEP: i64 = 128 << 10;

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

struct Current {
    cancel: CancelToken,
    memory: Arc<MemoryAccount>,
    events: Arc<Counters>,
    /// The value of the thread's meter at the last transfer to the account.
    last: std::cell::Cell<i64>,
}

impl Current {
    fn check(&self) -> Result<()> {
        self.cancel.check()?;
        let now = meter::thread();
        let grown = now - self.last.get();
        if grown.abs() < STEP {
            return Ok(());
        }
        self.last.set(now);
        self.memory.measure(grown)
    }

    /// Counts `bytes` before they are allocated. `last` is advanced by as much, so that the next
    /// check does not count them again, and takes those that were not allocated off the account.
    fn charge(&self, bytes: usize) -> Result<()> {
        self.check()?;
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).min(i64::MAX / 4);
        if bytes >= STEP {
            self.memory.charge(bytes)?;
            self.last.set(self.last.get() + bytes);
        }
        Ok(())
    }

    /// Moves all growth since the last transfer onto the account, without a check.
    fn settle(&self) {
        let now = meter::thread();
        self.memory.shift(now - self.last.replace(now));
    }
}

/// A handle by which one thread works for a statement; see the module.
#[derive(Debug)]
pub struct Scope {
    cancel: CancelToken,
    memory: Arc<MemoryAccount>,
    events: Arc<Counters>,
    /// The thread that last left the scope, and the value of its meter then.
    left: Option<(ThreadId, i64)>,
}

impl Scope {
    /// A scope of the query that the token, the account and the counters belong to.
    pub fn new(cancel: &CancelToken, memory: &Arc<MemoryAccount>, events: &Arc<Counters>) -> Self {
        let (memory, events) = (Arc::clone(memory), Arc::clone(events));
        Self { cancel: cancel.clone(), memory, events, left: None }
    }

    /// Counts memory from here on, including what the thread does before the next [`Self::run`].
    #[must_use]
    pub fn attached(mut self) -> Self {
        self.left = Some((std::thread::current().id(), meter::thread()));
        self
    }

    /// How the profiler is to sample the query's threads.
    pub fn sampling(&self) -> Sampling {
        self.events.sampling()
    }

    /// Runs `work` for the query. What the thread allocated or freed since it last left the scope
    /// counts too, if it is the same thread: a thread that reads the query's result and frees it
    /// between two calls thereby frees it on the query's account.
    pub fn run<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let here = std::thread::current().id();
        let _counting = Attached::to(&self.events, here);
        let now = meter::thread();
        let last = match self.left {
            Some((thread, last)) if thread == here => last,
            _ => now,
        };
        let current = Current {
            cancel: self.cancel.clone(),
            memory: Arc::clone(&self.memory),
            events: Arc::clone(&self.events),
            last: last.into(),
        };
        let outer = CURRENT.replace(Some(current));
        if let Some(outer) = &outer {
            outer.settle();
        }
        let _leave = Leave { outer, left: &mut self.left, here };
        work()
    }
}

/// Restores the outer scope, also when `work` unwinds.
struct Leave<'a> {
    outer: Option<Current>,
    left: &'a mut Option<(ThreadId, i64)>,
    here: ThreadId,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let outer = self.outer.take();
        if let Some(outer) = &outer {
            outer.last.set(meter::thread());
        }
        if let Some(inner) = CURRENT.replace(outer) {
            inner.settle();
            *self.left = Some((self.here, inner.last.get()));
        }
    }
}

/// A scope of the query that this thread works for, by which another thread can work for it.
pub fn another() -> Option<Scope> {
    CURRENT.with_borrow(|current| {
        let of = |current: &Current| Scope::new(&current.cancel, &current.memory, &current.events);
        current.as_ref().map(of)
    })
}

/// Fails if the query that this thread works for is to stop, or uses more memory than its limit.
pub fn check() -> Result<()> {
    CURRENT.with_borrow(|current| current.as_ref().map_or(Ok(()), Current::check))
}

/// Moves all that this thread has allocated onto its statement's account, however little it is.
pub fn settle() {
    CURRENT.with_borrow(|current| current.iter().for_each(Current::settle));
}

/// The id of the statement that this thread works for. `None` if there is no statement or it has no
/// id, or while the thread is just entering or leaving it.
pub fn query_id() -> Option<Arc<str>> {
    CURRENT.with(|current| {
        let current = current.try_borrow().ok()?;
        let id = current.as_ref()?.events.query_id();
        (!id.is_empty()).then(|| Arc::clone(id))
    })
}

/// Like [`check`], before `bytes` more are allocated at once. The bytes count from now on, so that
/// several threads cannot be granted the same bytes.
pub fn ask(bytes: usize) -> Result<()> {
    CURRENT.with_borrow(|current| current.as_ref().map_or(Ok(()), |current| current.charge(bytes)))
}

/// Like [`ask`], for code that cannot return an error: unwinds with it. Use it only beneath a
/// caller that has [`caught`] or [`guard`], as all work on queries has.
pub fn check_or_unwind(bytes: usize) {
    if let Err(error) = ask(bytes) {
        stop(error);
    }
}

/// Unwinds with an error, like [`check_or_unwind`].
pub fn stop(error: Error) -> ! {
    resume_unwind(Box::new(error))
}

/// The list in chunks. If the list is long, checks the query (with [`check_or_unwind`]) before each
/// chunk.
pub fn parts<T>(list: &[T]) -> impl Iterator<Item = &[T]> {
    let long = list.len() > Ticker::EVERY;
    list.chunks(4 * Ticker::EVERY).inspect(move |_| {
        if long {
            check_or_unwind(0);
        }
    })
}

/// The numbers of a range, with a check of the query (with [`check_or_unwind`]) at every [`Ticker`]
/// interval.
pub fn steps(range: Range<usize>) -> impl Iterator<Item = usize> {
    let first = range.start;
    range.inspect(move |i| {
        if (i - first) % Ticker::EVERY == Ticker::EVERY - 1 {
            check_or_unwind(0);
        }
    })
}

/// A list of `len` times `value`, such as a hash table's slots. Its bytes are counted before they
/// are allocated. For zeros, [`zeroed`] leaves the work to the allocator.
pub fn filled<T: Clone>(value: T, len: usize) -> Vec<T> {
    if len <= Ticker::EVERY {
        return vec![value; len];
    }
    check_or_unwind(len * size_of::<T>());
    let mut list = Vec::with_capacity(len);
    while list.len() < len {
        check_or_unwind(0);
        list.resize(len.min(list.len() + 4 * Ticker::EVERY), value.clone());
    }
    list
}

/// A list of default values whose bytes are zeros. Its bytes are counted before they are allocated.
pub fn zeroed<T: Clone + Default>(len: usize) -> Vec<T> {
    if len > Ticker::EVERY {
        check_or_unwind(len * size_of::<T>());
    }
    vec![T::default(); len]
}

/// Wraps a comparison so that it checks the query now and then: for sorts of very many elements,
/// which could not be cancelled otherwise.
pub fn checked<T>(mut compare: impl FnMut(&T, &T) -> Ordering) -> impl FnMut(&T, &T) -> Ordering {
    let mut ticker = Ticker::default();
    move |a, b| {
        ticker.check_or_unwind(1);
        compare(a, b)
    }
}

/// Turns an error that [`check_or_unwind`] unwinds with within `work` into an `Err`. Other panics
/// go on.
pub fn guard<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| match panic.downcast::<Error>() {
        Ok(error) => Err(*error),
        Err(panic) => resume_unwind(panic),
    })
}

/// The error that [`check_or_unwind`] unwound with; for any other panic, an error that reports a
/// bug.
pub fn caught(panic: Box<dyn Any + Send>) -> Error {
    match panic.downcast::<Error>() {
        Ok(error) => *error,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let text = text.unwrap_or("unknown cause");
            Error::logical(format!("Internal error, please report it: {text}"))
        }
    }
}

/// Spreads checks over a long loop: one check per `Ticker::EVERY` units of work.
#[derive(Debug, Default)]
pub struct Ticker(usize);

impl Ticker {
    /// Units of work (rows, elements, 16 bytes of text) between checks; they take about a
    /// millisecond.
    const EVERY: usize = 1 << 16;

    /// Counts `units` and checks once enough have accumulated.
    #[inline]
    pub fn tick(&mut self, units: usize) -> Result<()> {
        self.0 += units;
        if self.0 < Self::EVERY {
            return Ok(());
        }
        self.0 = 0;
        check()
    }

    /// Like [`Self::tick`], for code that cannot return an error: unwinds with it, like
    /// [`check_or_unwind`].
    #[inline]
    pub fn check_or_unwind(&mut self, units: usize) {
        if let Err(error) = self.tick(units) {
            stop(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::codes;

    thread_local! {
        static BYTES: Cell<i64> = const { Cell::new(0) };
    }

    fn allocate(bytes: i64) {
        BYTES.set(BYTES.get() + bytes);
    }

    fn enter(cancel: &CancelToken, memory: &Arc<MemoryAccount>) -> Scope {
        Scope::new(cancel, memory, &Counters::start("test", "id of a test"))
    }

    fn metered() {
        let thread = || (BYTES.get() as u64, 0);
        meter::install(meter::Meter { thread, process: || 0, trim: |_| (), details: Vec::new });
    }

    #[test]
    fn what_a_thread_allocates_counts_until_it_is_too_much() {
        metered();
        let account = MemoryAccount::root("server", 0).child("query", 10 << 20);
        let mut scope = enter(&CancelToken::new(), &account);
        allocate(1 << 30);
        assert_eq!(query_id(), None);
        let inner = scope.run(|| {
            assert_eq!(query_id().as_deref(), Some("id of a test"));
            allocate(8 << 20);
            check()?;
            assert_eq!(account.used(), 8 << 20);
            assert_eq!(ask(4 << 20).unwrap_err().code(), codes::MEMORY_LIMIT_EXCEEDED);
            allocate(4 << 20);
            check()
        });
        let error = inner.unwrap_err().during("Sorting");
        assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED);
        assert!(error.message().ends_with(": while executing Sorting"), "{error}");
        assert_eq!(error.message(), error.duplicate().during("Joining").message());
        assert_eq!(account.peak(), 12 << 20);
    }

    #[test]
    fn what_is_asked_for_counts_at_once_and_only_once() {
        metered();
        let account = MemoryAccount::root("server", 0).child("query", 10 << 20);
        let mut scope = enter(&CancelToken::new(), &account);
        scope.run(|| {
            ask(6 << 20).unwrap();
            assert_eq!(account.used(), 6 << 20, "another thread cannot have it");
            allocate(6 << 20);
            check().unwrap();
            assert_eq!(account.used(), 6 << 20);
            // What was asked for and not allocated is taken off the account by the next check.
            ask(3 << 20).unwrap();
            check().unwrap();
            assert_eq!((account.used(), account.peak()), (6 << 20, 9 << 20));
            assert!(ask(usize::MAX).is_err());
            assert_eq!((account.used(), account.peak()), (6 << 20, 9 << 20));
        });
        allocate(-(6 << 20));
    }

    #[test]
    fn an_account_that_ends_leaves_nothing_on_those_above() {
        metered();
        let server = MemoryAccount::root("server", 0);
        let query = server.child("query", 0);
        enter(&CancelToken::new(), &query).run(|| allocate(5 << 20));
        assert_eq!(server.used(), 5 << 20);
        query.counted(|| allocate(-(2 << 20)));
        assert_eq!((server.used(), query.used()), (3 << 20, 3 << 20));
        // A thread outside of the scope frees the rest.
        allocate(-(3 << 20));
        drop(query);
        assert_eq!(server.used(), 0);
    }

    #[test]
    fn a_scope_goes_on_where_it_was_left() {
        metered();
        let (query, other) = (MemoryAccount::root("a", 0), MemoryAccount::root("b", 0));
        let mut scope = enter(&CancelToken::new(), &query).attached();
        let mut nested = enter(&CancelToken::new(), &other);
        scope.run(|| {
            allocate(5 << 20);
            nested.run(|| allocate(3 << 20));
            allocate(1 << 20);
        });
        assert_eq!((query.used(), other.used()), (6 << 20, 3 << 20));
        allocate(-(2 << 20));
        scope.run(|| ());
        assert_eq!(query.used(), 4 << 20);
    }

    #[test]
    fn unwinding_brings_the_error_back() {
        metered();
        let cancel = CancelToken::new();
        cancel.cancel();
        let mut scope = enter(&cancel, &MemoryAccount::root("query", 0));
        let panic =
            catch_unwind(AssertUnwindSafe(|| scope.run(|| check_or_unwind(0)))).unwrap_err();
        assert_eq!(caught(panic).code(), codes::QUERY_WAS_CANCELLED);
        let error = scope.run(|| guard(|| -> Result<()> { stop(Error::logical("x")) }));
        assert_eq!(error.unwrap_err().code(), codes::LOGICAL_ERROR);
        assert!(check().is_ok(), "the scope was left");
    }

    #[test]
    fn a_ticker_checks_once_in_a_while() {
        let cancel = CancelToken::with_fuse(100);
        let mut scope = enter(&cancel, &MemoryAccount::root("query", 0));
        scope.run(|| {
            let mut ticker = Ticker::default();
            (0..1000).for_each(|_| ticker.tick(Ticker::EVERY / 100).unwrap());
        });
        assert_eq!(cancel.fuse_left(), Some(91));
    }
}
