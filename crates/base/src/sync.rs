//! Locks that stay usable after a panic.
//!
//! A panic ends one statement and not the server, so a lock must not stay poisoned because its
//! holder panicked. That is safe because the data behind these locks is consistent after every step
//! of a holder.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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

/// Sets a flag when it is dropped, also by a panic, so that threads which run until the flag is set
/// end in every case.
#[derive(Debug)]
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A condition variable whose notifications are free while nobody waits. That of the standard
/// library enters the kernel for each notification. It is the one way in which threads wait for a
/// change of what a mutex holds.
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

    fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Wakes all waiting threads.
    #[inline]
    pub fn notify_all(&self) {
        if self.is_awaited() {
            self.changed.notify_all();
        }
    }

    /// Wakes one waiting thread.
    #[inline]
    pub fn notify_one(&self) {
        if self.is_awaited() {
            self.changed.notify_one();
        }
    }

    /// Releases the mutex until a notification comes. May return without one.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.counted(|changed| changed.wait(guard).unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, for at most `time`.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> MutexGuard<'a, T> {
        self.counted(|changed| {
            changed.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
        })
    }

    /// Waits while `condition` holds, for at most `time`.
    pub fn wait_timeout_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
        condition: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        self.counted(|changed| {
            let waited = changed.wait_timeout_while(guard, time, condition);
            waited.unwrap_or_else(PoisonError::into_inner).0
        })
    }

    /// Counts the thread as a waiting one while `wait` runs.
    fn counted<R>(&self, wait: impl FnOnce(&Condvar) -> R) -> R {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let result = wait(&self.changed);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        result
    }
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
        let guard = Signal::new().wait_timeout(lock(&mutex), Duration::from_millis(1));
        assert_eq!(*guard, 2);
    }

    #[test]
    fn each_notification_reaches_a_thread_that_waits() {
        let (count, changed) = (Mutex::new(0), Signal::new());
        let wait_for = |wanted: i32| {
            let mut guard = lock(&count);
            while *guard < wanted {
                guard = changed.wait(guard);
            }
        };
        std::thread::scope(|scope| {
            let waiting = [1, 2, 3].map(|wanted| scope.spawn(move || wait_for(wanted)));
            for _ in 0..3 {
                *lock(&count) += 1;
                changed.notify_all();
            }
            assert!(waiting.into_iter().all(|thread| thread.join().is_ok()));
        });
        // `notify_one` is enough where only one thread waits.
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| wait_for(4));
            *lock(&count) += 1;
            changed.notify_one();
            assert!(waits.join().is_ok());
        });
        let guard = changed.wait_timeout_while(lock(&count), Duration::from_hours(1), |n| *n < 4);
        assert_eq!(*guard, 4);
    }
}
