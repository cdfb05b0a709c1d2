//! The operators of a statement that can spill, and who of them is to do so.
//!
//! All of them see the same threshold of the statement. An operator that holds much less than
//! another waits for that one, whose workers see the same at their next chunk. Nobody blocks: the
//! wait ends when the statement's use comes close to its limit ([`super::Spiller::excess`]), or
//! when the other operator has no workers left that could spill ([`Member::close`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use entasis_base::MemoryAccount;
use entasis_base::sync::lock;

/// The operators of one statement.
#[derive(Debug, Default)]
pub struct Budget {
    members: Mutex<Vec<Weak<Member>>>,
}

/// An operator that can spill.
#[derive(Debug)]
pub struct Member {
    account: Arc<MemoryAccount>,
    closed: AtomicBool,
}

impl Member {
    /// Says that the operator has no workers any more that could spill.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn holds(&self) -> u64 {
        if self.closed.load(Ordering::Relaxed) { 0 } else { self.account.used() }
    }
}

impl Budget {
    /// Adds an operator that counts on `account`; it leaves when it is dropped.
    pub fn join(&self, account: &Arc<MemoryAccount>) -> Arc<Member> {
        let account = Arc::clone(account);
        let member = Arc::new(Member { account, closed: AtomicBool::new(false) });
        let mut members = lock(&self.members);
        members.retain(|other| other.strong_count() > 0);
        members.push(Arc::downgrade(&member));
        member
    }

    /// Whether another operator holds so much more that it is to spill before this one.
    pub fn waits(&self, member: &Member) -> bool {
        let own = member.account.used();
        let members = lock(&self.members);
        members.iter().filter_map(Weak::upgrade).any(|other| other.holds() / 2 > own)
    }
}
