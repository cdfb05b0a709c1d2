//! Commits of a store: many side by side, or one while all others wait.

use std::sync::{Arc, RwLockWriteGuard, Weak};
use std::time::Instant;

use entasis_base::{Result, sync};

use super::{Committed, StoreCore};
use crate::log::record::Op;
use crate::log::state::State;
use crate::log::{CommitError, Origin, Publisher};
use crate::part::TableDir;
use crate::version::TableVersion;

impl StoreCore {
    /// Commits the result of work that began at `began`.
    pub(crate) fn commit(
        &self,
        began: Instant,
        prepare: impl FnOnce(&State) -> Result<Vec<Op>>,
    ) -> Result<(), CommitError> {
        self.commit_of(Origin::since(began), prepare)
    }

    /// The same, for work of which more is known than when it began.
    pub(crate) fn commit_of(
        &self,
        origin: Origin,
        prepare: impl FnOnce(&State) -> Result<Vec<Op>>,
    ) -> Result<(), CommitError> {
        let _one_of_many = sync::read(&self.commits);
        self.log.commit(self, origin, prepare)
    }

    /// Waits for the commits that have begun, and lets later ones wait. Whoever holds this commits
    /// with [`Self::commit_alone`].
    pub(crate) fn hold_commits(&self) -> RwLockWriteGuard<'_, ()> {
        sync::write(&self.commits)
    }

    /// Commits while all other commits wait.
    pub(crate) fn commit_alone(
        &self,
        _held: &RwLockWriteGuard<'_, ()>,
        prepare: impl FnOnce(&State) -> Result<Vec<Op>>,
    ) -> Result<(), CommitError> {
        self.log.commit(self, Origin::since(Instant::now()), prepare)
    }
}

impl Publisher for StoreCore {
    fn publish(&self, ops: &[Op], origin: &Origin) {
        for op in ops {
            if let Op::DropTable { id } = op
                && let Some(table) = self.attached().get(id).and_then(Weak::upgrade)
            {
                table.keep_last_version();
            }
        }
        let removed = self.tables.apply(ops, |id| {
            TableVersion::empty(TableDir::new(Arc::clone(&self.disk), id, &self.faults))
        });
        if let Some(observer) = self.observer.get() {
            let (query_id, took) = (origin.query_id.as_ref(), origin.began.elapsed());
            let reason = origin.reason;
            observer(&Committed { ops, removed: &removed, query_id, took, reason });
        }
    }
}
