//! Memory accounts: where a limit is enforced.
//!
//! Every place that grows memory on purpose (hash tables, sort runs, join builds, result buffers)
//! holds a [`Reservation`] on its operator's account. Accounts form a tree operator -> query ->
//! user -> server; a reservation counts on every level and fails on the first level whose limit it
//! would exceed, with an error that names the operator. Callers batch: they reserve in steps of 64
//! KB or more.
//!
//! Besides what operators reserve, a query's account knows what its threads have allocated
//! ([`crate::scope`]), and the root account knows what the process holds. The larger figure counts.
//! So operators fail before they grow, and memory that nobody reserved (temporary columns, arrays,
//! buffers) counts too.
//!
//! The server's account also checks how much memory is left on the machine, as other programs may
//! use it. If little is left, statements that hold much fail; otherwise the system would end the
//! whole process.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

use crate::events::{self, Event};
use crate::{Error, MachineMemory, Result, codes, meter};

mod pressure;

use pressure::Pressure;

/// Microseconds after which the memory of the process is read again.
const STALE: u64 = 5_000;

/// One level of the tree. Limit 0 means unlimited. All sizes in bytes.
#[derive(Debug)]
pub struct MemoryAccount {
    name: String,
    parent: Option<Arc<MemoryAccount>>,
    /// Bytes that were reserved.
    used: AtomicI64,
    /// Bytes that were allocated, as far as is known.
    measured: AtomicI64,
    peak: AtomicI64,
    limit: AtomicI64,
    /// When the account was created, and the microseconds from then until the last reading of the
    /// process's memory (0: never read).
    began: Instant,
    looked: AtomicU64,
    /// How much memory is left on the machine; only in the server's account.
    pressure: Option<Pressure>,
}

impl MemoryAccount {
    /// A root account (the server, or the whole process in `entasis local`).
    pub fn root(name: impl Into<String>, limit: u64) -> Arc<Self> {
        Arc::new(Self::new(name.into(), None, limit))
    }

    /// The root account of a server, which knows the machine that it runs on.
    pub fn server(limit: u64, machine: MachineMemory) -> Arc<Self> {
        let mut account = Self::new("server".into(), None, limit);
        account.pressure = Some(Pressure::new(machine));
        Arc::new(account)
    }

    /// A child account: a query of the server, an operator of a query.
    pub fn child(self: &Arc<Self>, name: impl Into<String>, limit: u64) -> Arc<Self> {
        Arc::new(Self::new(name.into(), Some(Arc::clone(self)), limit))
    }

    fn new(name: String, parent: Option<Arc<Self>>, limit: u64) -> Self {
        Self {
            name,
            parent,
            used: AtomicI64::new(0),
            measured: AtomicI64::new(0),
            peak: AtomicI64::new(0),
            limit: AtomicI64::new(bounded(limit)),
            began: Instant::now(),
            looked: AtomicU64::new(0),
            pressure: None,
        }
    }

    /// The next account up the tree; `None` for the root.
    pub fn parent(&self) -> Option<&Arc<Self>> {
        self.parent.as_ref()
    }

    /// Changes the limit; 0 means unlimited.
    pub fn set_limit(&self, limit: u64) {
        self.limit.store(bounded(limit), Ordering::Relaxed);
    }

    /// The smallest limit of this account and those above it; `None` if all are unlimited.
    pub fn least_limit(&self) -> Option<u64> {
        let of_parent = self.parent.as_ref().and_then(|parent| parent.least_limit());
        let own = self.limit.load(Ordering::Relaxed).max(0) as u64;
        [Some(own).filter(|limit| *limit > 0), of_parent].into_iter().flatten().min()
    }

    /// The most bytes that this account may use, given what others use below the limits of the
    /// accounts above it; `None` if all are unlimited.
    pub fn room(&self) -> Option<u64> {
        let own = self.used();
        let mut least = None;
        let mut level = Some(self);
        while let Some(account) = level {
            let limit = account.limit.load(Ordering::Relaxed).max(0) as u64;
            if limit > 0 {
                let others = account.used().saturating_sub(own);
                let left = limit.saturating_sub(others);
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
            level = account.parent.as_deref();
        }
        least
    }

    /// Bytes in use now, children included: the larger of the reserved and the allocated bytes.
    pub fn used(&self) -> u64 {
        let reserved = self.used.load(Ordering::Relaxed);
        reserved.max(self.measured.load(Ordering::Relaxed)).max(0) as u64
    }

    /// Bytes that are allocated now, children included, as far as is known.
    pub fn allocated(&self) -> u64 {
        self.measured.load(Ordering::Relaxed).max(0) as u64
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
            let limit = account.limit.load(Ordering::Relaxed);
            if limit > 0 && now > limit {
                self.undo(bytes, account);
                return Err(self.exceeded(bytes, account, now));
            }
            account.peak.fetch_max(now, Ordering::Relaxed);
            level = account.parent.as_deref();
        }
        Ok(())
    }

    /// Takes back what `reserve` counted.
    pub fn release(&self, bytes: usize) {
        let mut level = Some(self);
        while let Some(account) = level {
            account.used.fetch_sub(bytes as i64, Ordering::Relaxed);
            level = account.parent.as_deref();
        }
    }

    /// Counts what a thread has allocated (or freed, if negative). Fails if that exceeds the limit
    /// of this account or of one above it.
    pub(crate) fn measure(&self, bytes: i64) -> Result<()> {
        self.shift(bytes);
        if bytes > 0 { self.fits(0) } else { Ok(()) }
    }

    /// [`Self::measure`] without a check of the limits.
    pub(crate) fn shift(&self, bytes: i64) {
        let mut level = Some(self);
        while let Some(account) = level {
            let now = account.measured.fetch_add(bytes, Ordering::Relaxed) + bytes;
            account.peak.fetch_max(now, Ordering::Relaxed);
            level = account.parent.as_deref();
        }
    }

    /// Runs work that frees memory of a statement on a thread outside of the statement's scope, and
    /// takes the freed bytes off the statement's account.
    pub fn counted<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = meter::thread();
        let done = work();
        self.shift(meter::thread() - before);
        done
    }

    /// Counts `bytes` that are about to be allocated. If they exceed a limit, fails and counts
    /// nothing.
    pub(crate) fn charge(&self, bytes: i64) -> Result<()> {
        let all = |bytes: i64| {
            let mut level = Some(self);
            while let Some(account) = level {
                account.measured.fetch_add(bytes, Ordering::Relaxed);
                level = account.parent.as_deref();
            }
        };
        all(bytes);
        let fits = self.fits(0);
        // Refused bytes do not count for the peak either.
        if fits.is_ok() {
            self.shift(0)
        } else {
            all(-bytes)
        }
        fits
    }

    /// Takes `bytes` off the account: the query's threads allocated them, but other code owns them
    /// now and will free them.
    pub fn hand_over(&self, bytes: usize) {
        self.shift(-(bytes as i64));
    }

    /// Fails if `more` bytes on top of what is allocated would exceed a limit.
    pub(crate) fn fits(&self, more: usize) -> Result<()> {
        let mut level = Some(self);
        while let Some(account) = level {
            let limit = account.limit.load(Ordering::Relaxed);
            if account.pressure.is_some() || (limit > 0 && account.parent.is_none()) {
                account.look(limit as u64);
            }
            if limit > 0 {
                let now = account.measured.load(Ordering::Relaxed).saturating_add(more as i64);
                if now > limit {
                    return Err(account.passed(now, limit));
                }
            }
            if let Some(pressure) = &account.pressure {
                let now = account.began.elapsed().as_micros() as u64;
                let held = self.measured.load(Ordering::Relaxed).max(0) as u64;
                if let Some(left) = pressure.short(now, held.saturating_add(more as u64)) {
                    return Err(account.short(left));
                }
            }
            level = account.parent.as_deref();
        }
        Ok(())
    }

    /// Fails if the account ever had more than its limit. For work whose memory is checked only now
    /// and then: called at its end, this finds what the checks missed.
    pub fn check_peak(&self) -> Result<()> {
        let (peak, limit) = (self.peak.load(Ordering::Relaxed), self.limit.load(Ordering::Relaxed));
        if limit > 0 && peak > limit { Err(self.passed(peak, limit)) } else { Ok(()) }
    }

    /// Reads the memory of the process if the last reading is too old, because what queries have
    /// allocated says nothing about tables in memory or about what other threads free. If the
    /// process would exceed its limit, the allocator returns the pages that it keeps for later.
    fn look(&self, limit: u64) {
        let now = self.began.elapsed().as_micros() as u64;
        let last = self.looked.load(Ordering::Relaxed);
        let stale = last == 0 || now.saturating_sub(last) > STALE;
        let order = Ordering::Relaxed;
        if stale
            && self.looked.compare_exchange(last, now.max(1), order, order).is_ok()
            && let Some(bytes) = meter::process()
        {
            self.measured.store(bytes as i64, order);
            self.peak.fetch_max(bytes as i64, order);
            if limit > 0 {
                meter::trim(limit);
            }
        }
    }

    /// Bytes in use now, after a new reading of the process's memory. For those who display
    /// figures: the last reading may date from when a statement last grew.
    pub fn used_now(&self) -> u64 {
        if let Some(bytes) = meter::process() {
            self.measured.store(bytes as i64, Ordering::Relaxed);
        }
        self.used()
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
        level.count_refusal();
        Error::new(
            codes::MEMORY_LIMIT_EXCEEDED,
            format!(
                "Memory limit ({}) exceeded: {} would use {}, maximum {}; \
                 {} asked for {} more. {}",
                level.name,
                level.name,
                readable(now as u64),
                readable(level.limit.load(Ordering::Relaxed) as u64),
                self.name,
                readable(bytes as u64),
                level.remedy(),
            ),
        )
    }

    #[cold]
    fn passed(&self, now: i64, limit: i64) -> Error {
        self.count_refusal();
        let (now, limit) = (readable(now as u64), readable(limit as u64));
        let message = format!(
            "Memory limit ({}) exceeded: {} would use {now}, maximum {limit}. {}",
            self.name,
            self.name,
            self.remedy()
        );
        Error::new(codes::MEMORY_LIMIT_EXCEEDED, message).nameless()
    }

    #[cold]
    fn short(&self, left: u64) -> Error {
        self.count_refusal();
        let message = format!(
            "Memory limit (machine) exceeded: {} are left on the machine, or in the process's \
             control group. End other programs or other queries, or let the query touch less data",
            readable(left)
        );
        Error::new(codes::MEMORY_LIMIT_EXCEEDED, message).nameless()
    }

    fn count_refusal(&self) {
        events::one(match &*self.name {
            "server" => Event::GlobalMemoryLimitExceeded,
            "user" => Event::UserMemoryLimitExceeded,
            _ => Event::QueryMemoryLimitExceeded,
        });
    }

    fn remedy(&self) -> &'static str {
        match &*self.name {
            "server" => "Raise max_server_memory_usage, end other queries, or empty Memory tables",
            "user" => "Raise max_memory_usage_for_user, or end other queries of the user",
            _ => "Raise max_memory_usage or let the query touch less data",
        }
    }
}

/// What threads allocated for this account and never took off it is removed from the accounts
/// above, as nobody can take it off them afterwards.
impl Drop for MemoryAccount {
    fn drop(&mut self) {
        if let Some(parent) = self.parent.take() {
            parent.shift(-self.measured.load(Ordering::Relaxed));
        }
    }
}

fn bounded(limit: u64) -> i64 {
    limit.min(i64::MAX as u64) as i64
}

/// Bytes in the form that messages and progress lines use, such as `1.50 MiB`.
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

/// Bytes counted on an account; dropping the reservation takes them off.
#[derive(Debug)]
pub struct Reservation {
    account: Arc<MemoryAccount>,
    bytes: usize,
}

impl Reservation {
    /// Growth is counted in steps of this many bytes: less is not worth an atomic addition.
    pub const STEP: usize = 64 << 10;

    /// An empty reservation on `account`.
    pub fn new(account: &Arc<MemoryAccount>) -> Self {
        Self { account: Arc::clone(account), bytes: 0 }
    }

    /// Another reservation on the same account, of nothing.
    pub fn empty(&self) -> Self {
        Self::new(&self.account)
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

    /// Bytes that the reservation counts now.
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

    #[test]
    fn the_room_of_an_account_is_what_others_leave_of_each_limit() {
        let server = MemoryAccount::root("server", 0);
        let (user, other) = (server.child("user", 0), server.child("user", 0));
        let query = user.child("query", 0);
        assert_eq!(query.room(), None);
        server.set_limit(1000);
        query.reserve(100).unwrap();
        other.reserve(300).unwrap();
        assert_eq!(query.room(), Some(700));
        user.set_limit(650);
        assert_eq!(query.room(), Some(650));
        user.child("query", 0).reserve(200).unwrap();
        assert_eq!((query.room(), user.room(), other.room()), (Some(450), Some(650), Some(700)));
        query.set_limit(50);
        assert_eq!(query.room(), Some(50));
    }

    #[test]
    fn a_peak_above_the_limit_is_an_error_afterwards() {
        let account = MemoryAccount::root("query", 0);
        account.reserve(6).unwrap();
        account.release(6);
        assert!(account.check_peak().is_ok());
        account.set_limit(6);
        assert!(account.check_peak().is_ok());
        account.set_limit(5);
        assert_eq!(account.check_peak().unwrap_err().code(), codes::MEMORY_LIMIT_EXCEEDED);
    }
}
