//! Records for which statement the calling thread works.
//!
//! A worker attaches for every morsel, so this must cost almost nothing: one load and one branch if
//! nothing is asked for, a few plain stores if the periods are the same as last time, and system
//! calls only if a timer must be set.

use std::marker::PhantomData;

use crate::thread::{self, Slot};

/// For whom a thread works, and what is to be seen of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttachOptions {
    /// The caller's number for the query; it comes back in each sample. 0 is nobody.
    pub query: u64,
    /// Nanoseconds of the thread's CPU time between samples; 0 for none. Raised to
    /// [`crate::MIN_PERIOD_NS`] if it is shorter.
    pub cpu_period_ns: u64,
    /// Nanoseconds of time between samples; 0 for none. Raised likewise.
    pub real_period_ns: u64,
    /// Whether [`crate::record`] is to keep stacks although both periods are 0.
    pub record: bool,
}

impl AttachOptions {
    #[inline]
    fn is_off(&self) -> bool {
        self.query == 0 || (self.cpu_period_ns | self.real_period_ns == 0 && !self.record)
    }
}

/// While it lives, samples of this thread are the query's. Dropping it puts back what was before:
/// attachments nest, the last one made is to be dropped first.
#[derive(Debug)]
#[must_use = "dropping it detaches the thread"]
pub struct Attachment {
    before: Option<Before>,
    /// Its drop is for the thread that made it.
    _thread: PhantomData<*const ()>,
}

#[derive(Debug)]
struct Before {
    slot: &'static Slot,
    query: u64,
    periods: [u64; 2],
}

/// Attaches the calling thread to a query until the answer is dropped. Never fails: what cannot be
/// had (a timer, room for another thread) is counted in [`crate::Lost`].
#[inline]
pub fn attach(options: &AttachOptions) -> Attachment {
    let slot = thread::current();
    if options.is_off() && slot.is_none_or(|slot| slot.query() == 0) {
        return Attachment { before: None, _thread: PhantomData };
    }
    Attachment { before: switch(slot, options), _thread: PhantomData }
}

/// Whether the calling thread is attached to a query that is looked at: what [`crate::record`]
/// would ask first. Never allocates.
#[inline]
pub fn is_attached() -> bool {
    thread::current().is_some_and(|slot| slot.query() != 0)
}

fn switch(slot: Option<&'static Slot>, options: &AttachOptions) -> Option<Before> {
    let slot = slot.or_else(thread::own)?;
    let before = Before { slot, query: slot.query(), periods: slot.periods() };
    if options.is_off() {
        slot.switch(0, [0, 0]);
    } else {
        slot.switch(options.query, [options.cpu_period_ns, options.real_period_ns]);
    }
    Some(before)
}

impl Drop for Attachment {
    #[inline]
    fn drop(&mut self) {
        // At the thread's end the slot may have gone to another thread already.
        if let Some(Before { slot, query, periods }) = self.before.take()
            && thread::current().is_some_and(|current| std::ptr::eq(current, slot))
        {
            slot.switch(query, periods);
        }
    }
}
