//! The latest INSERTs into a table, by their tokens. They must not be stored again.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// The INSERTs that a table remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    /// In the order of insertion, the oldest first.
    order: VecDeque<Arc<str>>,
    known: HashSet<Arc<str>>,
    window: u64,
}

impl Remembered {
    pub(crate) fn has(&self, token: &str) -> bool {
        self.known.contains(token)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Adds a token, and forgets the oldest beyond `window`. A known token keeps its place.
    pub(crate) fn add(&mut self, token: &str, window: u64) {
        self.window = window;
        if !self.has(token) {
            let token: Arc<str> = token.into();
            self.known.insert(Arc::clone(&token));
            self.order.push_back(token);
        }
        while self.order.len() as u64 > window {
            let Some(oldest) = self.order.pop_front() else { return };
            self.known.remove(&oldest);
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// All tokens, the oldest first, each with the number of tokens that are remembered.
    pub(crate) fn list(&self) -> impl Iterator<Item = (&str, u64)> {
        self.order.iter().map(|token| (&**token, self.window))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten() {
        let mut inserts = Remembered::default();
        for token in ["a", "b", "a", "c"] {
            inserts.add(token, 2);
        }
        assert!(!inserts.has("a") && inserts.has("b") && inserts.has("c"));
        assert_eq!(inserts.list().collect::<Vec<_>>(), [("b", 2), ("c", 2)]);
        inserts.clear();
        assert!(inserts.is_empty() && !inserts.has("b"));
    }
}
