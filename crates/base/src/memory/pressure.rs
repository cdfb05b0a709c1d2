//! What is left of the machine, asked for once in a while: several servers, or other programs, may
//! share it, and the system ends a process once nothing is left.
//!
//! How soon it is asked again depends on how much was left: with gigabytes to go once a second,
//! near the end every few milliseconds. Only growth of statements asks, so what does not grow pays
//! nothing.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{MachineMemory, meter};

/// Of so many parts of the memory, one is to stay free.
const RESERVE_PART: u64 = 64;
/// The least and the most bytes that are to stay free.
const RESERVE: [u64; 2] = [64 << 20, 512 << 20];
/// A statement that holds less than this part of the reserve may go on while it is touched, but not
/// once half of it is gone.
const SMALL_PART: u64 = 8;
/// Bytes that all programs of a machine may take in a microsecond, roughly and at most.
const PACE: u64 = 20_000;
/// Microseconds between two looks.
const WAIT: [u64; 2] = [5_000, 1_000_000];

/// See the module.
#[derive(Debug)]
pub(super) struct Pressure {
    machine: MachineMemory,
    reserve: u64,
    /// Bytes that were left at the last look.
    left: AtomicU64,
    /// When to look again, in microseconds of the account's life.
    next: AtomicU64,
}

impl Pressure {
    pub fn new(machine: MachineMemory) -> Self {
        let total = machine.total().unwrap_or(0);
        let reserve = (total / RESERVE_PART).clamp(RESERVE[0], RESERVE[1]).min(total / 4);
        Self { machine, reserve, left: AtomicU64::new(u64::MAX), next: AtomicU64::new(0) }
    }

    /// What is left of the machine, if a statement that holds so many bytes may have no more.
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
            // Pages that the allocator keeps for later are the first to go.
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
        // It is asked again after (300 - 128) MiB at the pace that memory can be taken with.
        machine(&root, 10);
        assert_eq!(pressure.short(9_000, 1 << 40), None);
        assert_eq!(pressure.short(9_100, 1 << 40), Some(10 << 20));
        let _ = std::fs::remove_dir_all(&root);
    }
}
