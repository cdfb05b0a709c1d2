//! Totals of the server and its users: what ended statements and threads left, and who is live.
//!
//! Lock order: the registry, then a statement's state, then the pool. A fold happens under the
//! registry's lock, so that readers find every count exactly once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::block::Block;
use super::query::Inner;
use super::{Counts, Event, FAST};
use crate::sync::lock;

/// See the module.
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

/// What the process has done since it began, statements that run included.
pub fn of_server() -> Counts {
    super::sample();
    let registry = registry();
    let mut counts = registry.server.clone();
    registry.threads.iter().for_each(|block| block.read(&mut counts));
    registry.live.iter().for_each(|inner| inner.read_live(&mut counts));
    counts
}

/// What statements of a user have done, those that run included.
pub fn of_user(user: &str) -> Counts {
    let registry = registry();
    let mut counts = registry.users.get(user).cloned().unwrap_or_default();
    let own = registry.live.iter().filter(|inner| &*inner.user == user);
    own.for_each(|inner| inner.read_live(&mut counts));
    counts
}

/// The threads that work for statements now, by the kernel's numbers, each with its statement's id;
/// of statements within one another, the inner one last.
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

/// Folds what nobody writes any more; the statement stays among the live while somebody does.
pub(super) fn end(inner: &Arc<Inner>) {
    let mut registry = registry();
    let Registry { server, users, live, .. } = &mut *registry;
    let Some(at) = live.iter().position(|live| Arc::ptr_eq(live, inner)) else { return };
    let user = users.entry(Arc::clone(&inner.user)).or_default();
    if inner.fold(server, user) {
        live.swap_remove(at);
    }
}

/// Counts for a thread that has no block any more.
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
