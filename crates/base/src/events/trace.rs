//! Which events of a statement are traced, and the hook that is called for each increment of a
//! traced event. The profiler installs the hook; without one, traced events are only counted.

use std::sync::OnceLock;

use super::{COUNT, EVENTS, Event};
use crate::{Error, Result, codes};

/// A set of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask(pub(super) [u64; Mask::WORDS]);

impl Mask {
    pub(super) const WORDS: usize = COUNT.div_ceil(64);

    /// All events.
    pub fn all() -> Self {
        Self([u64::MAX; Self::WORDS])
    }

    /// The events of a list of names with commas between them.
    pub fn parse(list: &str) -> Result<Self> {
        let mut mask = Self([0; Self::WORDS]);
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let Some(at) = EVENTS.iter().position(|e| e.name == name) else {
                let message = format!("Unknown profile event `{name}`: names are in system.events");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            };
            mask.0[at / 64] |= 1 << (at % 64);
        }
        Ok(mask)
    }

    /// Whether no event is in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

static HOOK: OnceLock<fn(Event, u64)> = OnceLock::new();

/// Installs the hook, which is called for every increment of a traced event on the thread that
/// counts it. Later calls have no effect. The hook may allocate and count, but not wait for
/// statements.
pub fn install_hook(hook: fn(Event, u64)) {
    let _ = HOOK.set(hook);
}

pub(super) fn call(event: Event, amount: u64) {
    if let Some(hook) = HOOK.get() {
        hook(event, amount);
    }
}
