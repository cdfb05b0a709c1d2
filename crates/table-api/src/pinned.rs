//! Pins the state of each store that a query reads.
//!
//! A commit may change several tables of a store. A query that took the current version of one
//! table after the other could see the commit in one table but not in another. It therefore pins
//! the store's state when it takes the first table, and takes all other tables from the same state.

use std::any::Any;
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;

type Shared = Arc<dyn Any + Send + Sync>;

/// The store states that one query reads. A new value has pinned none.
#[derive(Default)]
pub struct PinnedStores {
    /// Pairs of a store and its pinned state.
    pinned: Mutex<Vec<(Shared, Shared)>>,
}

impl PinnedStores {
    /// The state of `store` that the query reads: the result of `current` in the first call.
    pub fn state<Store, State>(
        &self,
        store: &Arc<Store>,
        current: impl FnOnce() -> Arc<State>,
    ) -> Arc<State>
    where
        Store: Any + Send + Sync,
        State: Any + Send + Sync,
    {
        let mut pinned = lock(&self.pinned);
        let same = |other: &Shared| std::ptr::addr_eq(Arc::as_ptr(other), Arc::as_ptr(store));
        let known = pinned.iter().find(|(other, _)| same(other)).map(|(_, state)| state.clone());
        if let Some(Ok(state)) = known.map(Arc::downcast::<State>) {
            return state;
        }
        let state = current();
        // Holding the store ensures that no other store gets its address meanwhile.
        pinned.push((Arc::clone(store) as Shared, Arc::clone(&state) as Shared));
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_state_of_each_store_stays() {
        let pinned = PinnedStores::default();
        let (a, b) = (Arc::new("a"), Arc::new("b"));
        let states: Vec<u32> = [(&a, 1), (&b, 2), (&a, 3), (&b, 4)]
            .map(|(store, now)| *pinned.state(store, || Arc::new(now)))
            .to_vec();
        assert_eq!(states, [1, 2, 1, 2]);
    }
}
