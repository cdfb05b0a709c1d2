//! Values that an analysis creates and then borrows from until it ends: syntax trees of views, and
//! settings that change within a query.

use std::cell::OnceCell;

/// A list that only grows. A value never moves, so the analyser can borrow it like the statement's
/// own tree.
pub(crate) struct Kept<T> {
    first: OnceCell<Box<Node<T>>>,
}

struct Node<T> {
    value: T,
    next: OnceCell<Box<Node<T>>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { first: OnceCell::new() }
    }
}

impl<T> Kept<T> {
    /// Keeps `value`, unless the list already has one for which `is_same` holds.
    pub(crate) fn keep(&self, value: T, is_same: impl Fn(&T, &T) -> bool) -> &T {
        let mut slot = &self.first;
        while let Some(node) = slot.get() {
            if is_same(&node.value, &value) {
                return &node.value;
            }
            slot = &node.next;
        }
        &slot.get_or_init(|| Box::new(Node { value, next: OnceCell::new() })).value
    }
}

impl<T> Drop for Kept<T> {
    /// Frees one value after the other, so that a long chain does not need a deep stack.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut node) = next {
            next = node.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn values_are_kept_once_and_many_are_freed() {
        let kept = Kept::default();
        let values: Vec<Arc<u32>> = (0..50_000).map(Arc::new).collect();
        let first = kept.keep(Arc::clone(&values[0]), Arc::ptr_eq);
        let other = kept.keep(Arc::clone(&values[1]), Arc::ptr_eq);
        assert!(!std::ptr::eq(first, other));
        assert!(std::ptr::eq(first, kept.keep(Arc::clone(&values[0]), Arc::ptr_eq)));
        assert_eq!(Arc::strong_count(&values[0]), 2);
        // One behind the other, as many as a stack would not hold.
        let mut slot = &kept.first;
        while let Some(node) = slot.get() {
            slot = &node.next;
        }
        for value in &values[2..] {
            let node = Node { value: Arc::clone(value), next: OnceCell::new() };
            slot = &slot.get_or_init(|| Box::new(node)).next;
        }
        assert_eq!(Arc::strong_count(&values[49_999]), 2);
        drop(kept);
        assert!(values.iter().all(|value| Arc::strong_count(value) == 1));
    }
}
