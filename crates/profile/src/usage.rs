//! The resources that the kernel counted for the calling thread.

use std::time::Duration;

/// Totals since the thread began; subtract two to know a stretch of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in the program.
    pub user: Duration,
    /// CPU time in the kernel.
    pub system: Duration,
    /// Page faults that needed no disk.
    pub soft_page_faults: u64,
    /// Page faults that waited for a disk.
    pub hard_page_faults: u64,
    /// Times that the thread gave the processor away to wait.
    pub voluntary_context_switches: u64,
    /// Times that the processor was taken from it.
    pub involuntary_context_switches: u64,
}

impl Usage {
    /// Of the calling thread. One system call; never fails.
    pub fn of_this_thread() -> Self {
        crate::perf::thread_usage()
    }

    /// What came since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            soft_page_faults: self.soft_page_faults.saturating_sub(earlier.soft_page_faults),
            hard_page_faults: self.hard_page_faults.saturating_sub(earlier.hard_page_faults),
            voluntary_context_switches: self
                .voluntary_context_switches
                .saturating_sub(earlier.voluntary_context_switches),
            involuntary_context_switches: self
                .involuntary_context_switches
                .saturating_sub(earlier.involuntary_context_switches),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let before = Usage::of_this_thread();
        let pages: Vec<u8> = std::iter::repeat_n(1, 64 << 20).collect();
        let mut sum = 0u64;
        while sum == 0 || Usage::of_this_thread().since(&before).user.is_zero() {
            sum += pages.iter().map(|&byte| u64::from(byte)).sum::<u64>();
        }
        std::thread::sleep(Duration::from_millis(1));
        let spent = Usage::of_this_thread().since(&before);
        assert!(spent.soft_page_faults > 0, "{spent:?}");
        assert!(spent.voluntary_context_switches > 0, "{spent:?}");
    }
}
