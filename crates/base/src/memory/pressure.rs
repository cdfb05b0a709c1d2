//! How much memory is left on the machine. Other programs, or several servers, may share it, and
//! the system ends a process once nothing is left.
//!
//! The figure is read again sooner the less was left: once a second while there are gigabytes,
//! every few milliseconds near the end. Only a statement that grows triggers a reading, so a
//! statement that does not grow pays nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{MachineMemory, meter};

/// One part in this many of the memory is to stay free.
const RESERVE_PART: u64 = 64;
/// The bounds, in bytes, of what is to stay free.
const RESERVE: [u64; 2] = [64 << 20, 512 << 20];
/// A statement that holds less than this fraction of the reserve may still grow while the reserve
/// is touched, but not once half of the reserve is gone.
const SMALL_PART: u64 = 8;
/// Bytes that all programs of a machine together allocate per microsecond, as a rough upper bound.
const PACE: u64 = 20_000;
/// The bounds of the microseconds between two readings.
const WAIT: [u64; 2] = [5_000, 1_000_000];

/// The machine's free memory as of the last reading; see the module.
#[derive(Debug)]
pub(super) struct Pressure {
    machine: MachineMemory,
    reserve: u64,
    /// Bytes that were left at the last reading.
    left: AtomicU64,
    /// When to read again, in microseconds since the account was created.
    next: AtomicU64,
}

impl Pressure {
    pub fn new(machine: MachineMemory) -> Self {
        let total = machine.total().unwrap_or(0);
        let reserve = (total / RESERVE_PART).clamp(RESERVE[0], RESERVE[1]).min(total / 4);
        Self { machine, reserve, left: AtomicU64::new(u64::MAX), next: AtomicU64::new(0) }
    }

    /// The bytes left on the machine if a statement that holds `held` bytes must not grow, else
    /// `None`.
    pub fn short(&self, now: u64, held: u64) -> Option<u64> {
        let next = self.next.load(Relaxed);
        if now >= next && self.next.compare_exchange(next, now + WAIT[0], Relaxed, Relaxed).is_ok()
        {
            self.look(now);
        }
        let left = self.left.load(Relaxed);
        let spared = held < self.reserve / SMALL_PART && left > self.reserve / 2;
        (left < self.reserve && !spared).then_some(left)
    }

    #[cold]
    fn look(&self, now: u64) {
        let ask = || self.machine.available().unwrap_or(u64::MAX);
        let mut left = ask();
        if left < self.reserve {
            // First let the allocator return pages that it keeps for later.
            meter::trim(0);
            left = ask();
        }
        self.left.store(left, Relaxed);
        let wait = (left.saturating_sub(self.reserve) / PACE).clamp(WAIT[0], WAIT[1]);
        self.next.store(now + wait, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryAccount, codes};

    fn machine(root: &std::path::Path, available_mib: u64) -> MachineMemory {
        std::fs::create_dir_all(root.join("proc")).unwrap();
        let text = format!("MemTotal: 8388608 kB\nMemAvailable: {} kB\n", available_mib << 10);
        std::fs::write(root.join("proc/meminfo"), text).unwrap();
        MachineMemory::beneath(root)
    }

    #[test]
    fn statements_that_hold_much_fail_when_the_machine_is_full() {
        let name = format!("entasis-pressure-{}", std::process::id());
        let root = std::env::temp_dir().join(name);
        // The reserve is 128 MiB of 8 GiB.
        let server = MemoryAccount::server(0, machine(&root, 100));
        let statement = |held: usize| server.child("query", 0).fits(held << 20);
        assert!(statement(15).is_ok());
        let error = statement(16).unwrap_err();
        assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED);
        assert!(error.message().contains("100.00 MiB are left on the machine"), "{error}");
        let server = MemoryAccount::server(0, machine(&root, 63));
        assert!(server.child("query", 0).fits(1).is_err(), "half of the reserve is gone");
        let pressure = Pressure::new(machine(&root, 300));
        assert_eq!(pressure.short(1, 1 << 40), None);
        // The next reading is due after (300 - 128) MiB at the pace at which programs allocate.
        machine(&root, 10);
        assert_eq!(pressure.short(9_000, 1 << 40), None);
        assert_eq!(pressure.short(9_100, 1 << 40), Some(10 << 20));
        let _ = std::fs::remove_dir_all(&root);
    }
}
