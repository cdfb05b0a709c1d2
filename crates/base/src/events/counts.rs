//! Counts of all events at one moment.

use super::{COUNT, EVENTS, Event};

/// A number per event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(pub(super) Box<[u64; COUNT]>);

impl Default for Counts {
    fn default() -> Self {
        Self(Box::new([0; COUNT]))
    }
}

impl Counts {
    /// The count of one event.
    pub fn get(&self, event: Event) -> u64 {
        self.0[event as usize]
    }

    /// The counts of all events, in the order of [`EVENTS`].
    pub fn all(&self) -> &[u64] {
        &*self.0
    }

    /// Names and counts of the events whose count is not 0.
    pub fn nonzero(&self) -> impl Iterator<Item = (&'static str, u64)> {
        EVENTS.iter().zip(self.0.iter()).filter(|(_, n)| **n > 0).map(|(e, n)| (e.name, *n))
    }

    /// The difference from an earlier reading of the same counters.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut out = self.clone();
        out.0.iter_mut().zip(earlier.0.iter()).for_each(|(a, b)| *a = a.wrapping_sub(*b));
        out
    }

    pub(super) fn add(&mut self, event: Event, amount: u64) {
        let slot = &mut self.0[event as usize];
        *slot = slot.wrapping_add(amount);
    }
}
