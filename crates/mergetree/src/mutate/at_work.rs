//! The running mutations, which `system.mutations` lists and KILL MUTATION cancels.

use std::sync::{Arc, Mutex};

use entasis_base::CancelToken;
use entasis_base::sync::lock;

use crate::log::record::TableId;

/// One running mutation.
#[derive(Debug)]
pub struct MutationAtWork {
    /// The table whose rows are changed.
    pub table: TableId,
    /// The number that the mutation gets if no INSERT commits before it.
    pub number: u64,
    /// The formatted commands.
    pub commands: Vec<String>,
    /// When it began, in seconds since 1970.
    pub created: u64,
    /// The names of the parts that it may change.
    pub parts: Vec<String>,
    cancel: CancelToken,
}

impl MutationAtWork {
    /// Cancels the statement.
    pub fn kill(&self) {
        self.cancel.cancel();
    }
}

/// The running mutations of a store.
#[derive(Debug, Default)]
pub(crate) struct Mutations(Mutex<Vec<Arc<MutationAtWork>>>);

impl Mutations {
    pub(crate) fn list(&self) -> Vec<Arc<MutationAtWork>> {
        lock(&self.0).clone()
    }

    pub(super) fn enter(&self, mutation: &Arc<MutationAtWork>) {
        lock(&self.0).push(Arc::clone(mutation));
    }

    pub(super) fn leave(&self, mutation: &Arc<MutationAtWork>) {
        lock(&self.0).retain(|known| !Arc::ptr_eq(known, mutation));
    }

    /// What a mutation enters, without its list.
    pub(super) fn entry(
        table: TableId,
        number: u64,
        commands: Vec<String>,
        created: u64,
        parts: Vec<String>,
        cancel: CancelToken,
    ) -> Arc<MutationAtWork> {
        Arc::new(MutationAtWork { table, number, commands, created, parts, cancel })
    }
}
