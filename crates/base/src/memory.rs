//! Memory accounts: where a limit is enforced.
//!
//! Every place that grows memory on purpose (hash tables, sort runs, join builds, result buffers)
//! holds a [`Reservation`] on its operator's account. Accounts form a tree operator -> query ->
//! user -> server; a reservation counts on every level and fails on the first level whose limit it
//! would pass, naming the operator that asked. Callers batch: reserve in steps of 64 KB or more.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::{Error, Result, codes};

/// One level of the tree. Limit 0 means unlimited. All sizes in bytes.
#[derive(Debug)]
pub struct MemoryAccount {
    name: String,
    parent: Option<Arc<MemoryAccount>>,
    used: AtomicI64,
    peak: AtomicI64,
    limit: i64,
}

impl MemoryAccount {
    /// A root account (the server, or the whole process in `entasis local`).
    pub fn root(name: impl Into<String>, limit: u64) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            parent: None,
            used: AtomicI64::new(0),
            peak: AtomicI64::new(0),
            limit: limit.min(i64::MAX as u64) as i64,
        })
    }

    /// A child account: a query of the server, an operator of a query.
    pub fn child(self: &Arc<Self>, name: impl Into<String>, limit: u64) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            parent: Some(Arc::clone(self)),
            used: AtomicI64::new(0),
            peak: AtomicI64::new(0),
            limit: limit.min(i64::MAX as u64) as i64,
        })
    }

    /// Bytes reserved now, children included.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed).max(0) as u64
    }

    /// The highest value `used` has had.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed).max(0) as u64
    }

    /// Counts `bytes` on this account and all above it, or fails with MEMORY_LIMIT_EXCEEDED (241)
    /// and counts nothing.
    pub fn reserve(&self, bytes: usize) -> Result<()> {
        let mut level = Some(self);
        while let Some(account) = level {
            let now = account.used.fetch_add(bytes as i64, Ordering::Relaxed) + bytes as i64;
            if account.limit > 0 && now > account.limit {
                self.undo(bytes, account);
                return Err(self.exceeded(bytes, account, now));
            }
            account.peak.fetch_max(now, Ordering::Relaxed);
            level = account.parent.as_deref();
        }
        Ok(())
    }

    /// Gives back what `reserve` counted.
    pub fn release(&self, bytes: usize) {
        let mut level = Some(self);
        while let Some(account) = level {
            account.used.fetch_sub(bytes as i64, Ordering::Relaxed);
            level = account.parent.as_deref();
        }
    }

    fn undo(&self, bytes: usize, upto: &Self) {
        let mut level = Some(self);
        while let Some(account) = level {
            account.used.fetch_sub(bytes as i64, Ordering::Relaxed);
            if std::ptr::eq(account, upto) {
                break;
            }
            level = account.parent.as_deref();
        }
    }

    #[cold]
    fn exceeded(&self, bytes: usize, level: &Self, now: i64) -> Error {
        Error::new(
            codes::MEMORY_LIMIT_EXCEEDED,
            format!(
                "Memory limit ({}) exceeded: {} would use {}, maximum {}; \
                 {} asked for {} more. Raise max_memory_usage or let the query touch less data",
                level.name,
                level.name,
                readable(now as u64),
                readable(level.limit as u64),
                self.name,
                readable(bytes as u64),
            ),
        )
    }
}

/// `1.50 MiB`: the form sizes have in messages and progress lines.
pub fn readable(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.2} {}", UNITS[unit])
}

/// Bytes counted on an account, given back on drop.
#[derive(Debug)]
pub struct Reservation {
    account: Arc<MemoryAccount>,
    bytes: usize,
}

impl Reservation {
    /// Granularity of account traffic: growth below this is not worth an atomic addition.
    pub const STEP: usize = 64 << 10;

    /// An empty reservation on `account`.
    pub fn new(account: &Arc<MemoryAccount>) -> Self {
        Self { account: Arc::clone(account), bytes: 0 }
    }

    /// Makes the reservation cover at least `bytes`, growing in steps of [`Self::STEP`]. Cheap when
    /// nothing has grown. Never shrinks; use [`Self::set`] for that.
    #[inline]
    pub fn cover(&mut self, bytes: usize) -> Result<()> {
        if bytes <= self.bytes {
            return Ok(());
        }
        self.set(bytes.next_multiple_of(Self::STEP))
    }

    /// Makes the reservation exactly `bytes`.
    pub fn set(&mut self, bytes: usize) -> Result<()> {
        if bytes > self.bytes {
            self.account.reserve(bytes - self.bytes)?;
        } else {
            self.account.release(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Bytes counted now.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.account.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_above_names_the_operator_and_counts_nothing() {
        let query = MemoryAccount::root("query", 1 << 20);
        let operator = query.child("Aggregating", 0);
        let mut held = Reservation::new(&operator);
        held.cover(1000).unwrap();
        assert_eq!(query.used(), Reservation::STEP as u64);
        let e = held.cover(2 << 20).unwrap_err();
        assert_eq!(e.code(), codes::MEMORY_LIMIT_EXCEEDED);
        assert!(e.message().contains("Aggregating"), "{e}");
        assert_eq!(query.used(), Reservation::STEP as u64);
        drop(held);
        assert_eq!((query.used(), operator.used()), (0, 0));
        assert_eq!(query.peak(), Reservation::STEP as u64);
    }
}
