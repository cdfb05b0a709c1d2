//! Totals of the server and its users: counts of ended statements and threads, and the list of
//! running ones.
//!
//! Lock order: the registry, then a statement's state, then the pool of blocks. Counts move into
//! the totals under the registry's lock, so that readers find every count exactly once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::block::Block;
use super::query::Inner;
use super::{Counts, Event, FAST};
use crate::sync::lock;

/// Totals and running statements; see the module.
#[derive(Default)]
struct Registry {
    server: Counts,
    users: HashMap<Arc<str>, Counts>,
    live: Vec<Arc<Inner>>,
    threads: Vec<&'static Block>,
}

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: OnceLock<Mutex<Registry>> = OnceLock::new();
    lock(REGISTRY.get_or_init(Mutex::default))
}

/// The counts of the process since it began, including running statements.
pub fn of_server() -> Counts {
    super::sample();
    let registry = registry();
    let mut counts = registry.server.clone();
    registry.threads.iter().for_each(|block| block.read(&mut counts));
    registry.live.iter().for_each(|inner| inner.read_live(&mut counts));
    counts
}

/// The counts of a user's statements, including running ones.
pub fn of_user(user: &str) -> Counts {
    let registry = registry();
    let mut counts = registry.users.get(user).cloned().unwrap_or_default();
    let own = registry.live.iter().filter(|inner| &*inner.user == user);
    own.for_each(|inner| inner.read_live(&mut counts));
    counts
}

/// The threads that work for statements now, by the kernel's numbers, each with its statement's id.
/// If a thread works for nested statements, the inner one usually comes last.
pub fn at_work() -> Vec<(u32, Arc<str>)> {
    let registry = registry();
    let of = |inner: &Arc<Inner>| {
        let id = Arc::clone(&inner.query_id);
        inner.at_work().into_iter().map(move |thread| (thread, Arc::clone(&id)))
    };
    registry.live.iter().flat_map(of).collect()
}

pub(super) fn enter(inner: &Arc<Inner>) {
    if !cfg!(feature = "no-events") {
        registry().live.push(Arc::clone(inner));
    }
}

/// Adds the counts that nobody changes any more to the totals. The statement stays in the list of
/// running ones while a thread still works for it.
pub(super) fn end(inner: &Arc<Inner>) {
    let mut registry = registry();
    let Registry { server, users, live, .. } = &mut *registry;
    let Some(at) = live.iter().position(|live| Arc::ptr_eq(live, inner)) else { return };
    let user = users.entry(Arc::clone(&inner.user)).or_default();
    if inner.fold(server, user) {
        live.swap_remove(at);
    }
}

/// Counts an event for a thread whose own block was already returned.
pub(super) fn stray(event: Event, amount: u64) {
    registry().server.add(event, amount);
}

/// The block of a thread outside of statements.
pub(super) struct OwnBlock(&'static Block);

impl OwnBlock {
    pub fn take() -> Self {
        let block = Block::take();
        registry().threads.push(block);
        Self(block)
    }

    pub fn block(&self) -> &'static Block {
        self.0
    }
}

impl Drop for OwnBlock {
    fn drop(&mut self) {
        FAST.set(None);
        let mut registry = registry();
        registry.threads.retain(|block| !std::ptr::eq(*block, self.0));
        self.0.give_back(&mut [&mut registry.server]);
    }
}
