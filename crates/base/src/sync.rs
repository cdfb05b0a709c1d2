//! Locks that outlive a panic.
//!
//! A panic ends one statement and not the server, so nobody may be refused a lock because somebody
//! else panicked with it: what a lock guards here is whole between any two of its holder's steps.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

/// Locks a mutex.
#[inline]
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading.
#[inline]
pub fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for writing.
#[inline]
pub fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// A condition variable whose notifications are free while nobody waits. The standard library's
/// enters the kernel for each.
///
/// Whoever notifies has changed, with the mutex held, what others wait for. A thread that waits is
/// counted before it lets go of the mutex, so that a change is either seen by it or notified.
#[derive(Debug, Default)]
pub struct Signal {
    changed: Condvar,
    waiting: AtomicUsize,
}

impl Signal {
    /// Nobody waits.
    pub const fn new() -> Self {
        Self { changed: Condvar::new(), waiting: AtomicUsize::new(0) }
    }

    /// Wakes all that wait.
    #[inline]
    pub fn notify_all(&self) {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.changed.notify_all();
        }
    }

    /// Lets go of a mutex until somebody notifies, or for a time at most; may come back earlier.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> MutexGuard<'a, T> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let guard = wait_timeout(&self.changed, guard, time);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        guard
    }
}

/// Lets go of a mutex until somebody notifies; may come back without.
pub fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// The same, for a time at most.
pub fn wait_timeout<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    time: Duration,
) -> MutexGuard<'a, T> {
    changed.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}

/// The same, for as long as `condition` holds.
pub fn wait_timeout_while<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    time: Duration,
    condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    let waited = changed.wait_timeout_while(guard, time, condition);
    waited.unwrap_or_else(PoisonError::into_inner).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_does_not_keep_others_out() {
        let (mutex, shared) = (Mutex::new(1), RwLock::new(1));
        std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _both = (lock(&mutex), write(&shared));
                std::panic::resume_unwind(Box::new("as it must"));
            });
            assert!(panics.join().is_err());
        });
        *lock(&mutex) += 1;
        assert_eq!((*lock(&mutex), *read(&shared)), (2, 1));
        let guard = wait_timeout(&Condvar::new(), lock(&mutex), Duration::from_millis(1));
        assert_eq!(*guard, 2);
    }
}
