//! Locks that stay usable after a panic.
//!
//! A panic ends one statement and not the server, so a lock must not stay poisoned because its
//! holder panicked. That is safe because the data behind these locks is consistent after every step
//! of a holder.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

/// Locks a mutex, poisoned or not.
#[inline]
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading, poisoned or not.
#[inline]
pub fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for writing, poisoned or not.
#[inline]
pub fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// A condition variable whose notifications are free while nobody waits. That of the standard
/// library enters the kernel for each notification.
///
/// Whoever notifies must have changed the awaited state with the mutex held. A waiting thread is
/// counted before it releases the mutex, so it either sees the change or is notified.
#[derive(Debug, Default)]
pub struct Signal {
    changed: Condvar,
    waiting: AtomicUsize,
}

impl Signal {
    /// A signal without waiting threads.
    pub const fn new() -> Self {
        Self { changed: Condvar::new(), waiting: AtomicUsize::new(0) }
    }

    /// Wakes all waiting threads.
    #[inline]
    pub fn notify_all(&self) {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.changed.notify_all();
        }
    }

    /// Releases the mutex until a notification comes or `time` has passed. May return earlier.
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

/// Releases the mutex until a notification comes. May return without one.
pub fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// The same, for at most `time`.
pub fn wait_timeout<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    time: Duration,
) -> MutexGuard<'a, T> {
    changed.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}

/// The same, for at most `time` and only while `condition` holds.
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
