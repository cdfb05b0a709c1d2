//! A disk that fails and crashes when told to: deterministic, so that a test can go through every
//! call and every crash point of a workload by number.
//!
//! Every call is counted, by kind. `fail_at(n, fault)` makes the n-th call fail (SQLite's way of
//! testing: run the workload for n = 0, 1, 2, ... until it ends without a failure). `crash_at(n)`
//! stops the world at the n-th call that changes something: that call and every later one fail,
//! also on open handles, until `restart(seed)` yields the disk as the next process finds it:
//!
//! - what was synced is there (bytes by `sync`, names by `sync_dir`);
//! - of a file's un-synced changes a random prefix is there, the last of it torn: cut at a sector,
//!   or with its tail zeroed, or with garbage for a tail;
//! - of the un-synced changes of names a random subset is there that keeps the order within each
//!   directory; a rename is one change, also across directories.
//!
//! Stricter than most file systems on purpose: `sync` of a file does not make its name durable,
//! and `sync_dir` says nothing about the directory's own name.

mod crash;
mod disk;

use std::sync::{Mutex, MutexGuard};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};

use crate::failure::{Op, failed};

pub use disk::FaultDisk;

/// The kinds of calls that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum OpKind {
    Open,
    /// `create`, and `append` to a file that is new or not.
    Create,
    /// One per range.
    Read,
    Write,
    Sync,
    SyncDir,
    Truncate,
    Rename,
    /// `remove` and `remove_dir_all`.
    Remove,
    CreateDir,
    /// `list`, `exists` and `free_space`.
    Look,
    Lock,
}

impl OpKind {
    const COUNT: usize = Self::Lock as usize + 1;

    fn changes(self) -> bool {
        !matches!(self, Self::Open | Self::Read | Self::Look | Self::Lock)
    }

    fn op(self) -> Op {
        match self {
            Self::Open => Op::Open,
            Self::Create => Op::Create,
            Self::Read => Op::Read,
            Self::Write => Op::Write,
            Self::Sync | Self::SyncDir => Op::Sync,
            Self::Truncate => Op::Truncate,
            Self::Rename => Op::Rename,
            Self::Remove => Op::Remove,
            Self::CreateDir => Op::CreateDir,
            Self::Look => Op::List,
            Self::Lock => Op::Lock,
        }
    }
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call fails with an I/O error and does nothing. On a sync this is `SyncFails`.
    Error,
    /// The disk is full: for writes and new names.
    NoSpace,
    /// A write leaves half of its bytes, then fails.
    ShortWrite,
    /// A sync fails, and what it should have made durable never will be, though it is still seen.
    SyncFails,
    /// A read fails: for what is reached only after much was written, by a number of calls that
    /// depends on how threads took turns.
    ReadFails,
}

impl Fault {
    fn applies_to(self, kind: OpKind) -> bool {
        match self {
            Self::Error => true,
            Self::NoSpace => matches!(kind, OpKind::Write | OpKind::Create | OpKind::CreateDir),
            Self::ShortWrite => kind == OpKind::Write,
            Self::SyncFails => matches!(kind, OpKind::Sync | OpKind::SyncDir),
            Self::ReadFails => kind == OpKind::Read,
        }
    }

    fn error(self, kind: OpKind, path: &str) -> Error {
        use std::io::ErrorKind;
        match self {
            Self::NoSpace => failed(kind.op(), path, ErrorKind::StorageFull, "injected: disk full"),
            _ => failed(kind.op(), path, ErrorKind::Other, "injected failure"),
        }
    }
}

/// How often each kind of call was made, including those that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpCounts([u64; OpKind::COUNT]);

impl OpCounts {
    /// Calls of one kind.
    pub fn of(&self, kind: OpKind) -> u64 {
        self.0[kind as usize]
    }

    /// `sync` and `sync_dir` together: what an insert costs on a real device.
    pub fn syncs(&self) -> u64 {
        self.of(OpKind::Sync) + self.of(OpKind::SyncDir)
    }

    /// What was added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - earlier.0[i]))
    }
}

#[derive(Debug, Default)]
struct State {
    counts: OpCounts,
    calls: u64,
    changes: u64,
    read_bytes: u64,
    plan: Vec<(u64, Fault)>,
    crash_at: Option<u64>,
    crashed: bool,
}

/// Counters and plan, shared by a disk and its open files.
#[derive(Debug, Default)]
struct Control(Mutex<State>);

impl Control {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Counts a call and says whether it fails. `Err` is a crash; `Ok(Some)` a planned fault.
    fn enter(&self, kind: OpKind, path: &str) -> Result<Option<Fault>> {
        let mut state = self.state();
        let number = state.calls;
        state.calls += 1;
        state.counts.0[kind as usize] += 1;
        if kind.changes() {
            if state.crash_at.is_some_and(|at| state.changes >= at) {
                state.crashed = true;
            }
            state.changes += 1;
        }
        if state.crashed {
            return Err(Error::new(
                codes::ABORTED,
                format!("The disk has crashed: {kind:?} of `{path}`"),
            ));
        }
        let due = state.plan.iter().position(|(at, f)| *at <= number && f.applies_to(kind));
        Ok(due.map(|i| state.plan.swap_remove(i).1))
    }

    /// As `enter`, for calls that do nothing when they fail.
    fn pass(&self, kind: OpKind, path: &str) -> Result<()> {
        match self.enter(kind, path)? {
            Some(fault) => Err(fault.error(kind, path)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
