//! What jemalloc counts, for the memory accounts: bytes per thread for a few loads, and bytes of
//! the process for a tour of its arenas.

use std::thread::LocalKey;

use entasis_base::meter::Meter;
use tikv_jemalloc_ctl::thread::{ThreadLocal, allocatedp, deallocatedp};
use tikv_jemalloc_ctl::{epoch, stats};

type Counter = Option<ThreadLocal<u64>>;

thread_local! {
    static ALLOCATED: Counter = allocatedp::read().ok();
    static FREED: Counter = deallocatedp::read().ok();
}

/// From now on accounts know what is allocated.
pub(crate) fn install() {
    entasis_base::meter::install(Meter { thread, process });
}

fn thread() -> i64 {
    let read = |counter: &'static LocalKey<Counter>| {
        counter.try_with(|c| c.map_or(0, ThreadLocal::get)).unwrap_or(0)
    };
    read(&ALLOCATED).wrapping_sub(read(&FREED)) as i64
}

fn process() -> u64 {
    let _ = epoch::advance();
    stats::allocated::read().map_or(0, |bytes| bytes as u64)
}
