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
    entasis_base::meter::install(Meter { thread, process, details });
}

fn thread() -> i64 {
    let read = |counter: &'static LocalKey<Counter>| {
        counter.try_with(|c| c.map_or(0, ThreadLocal::get)).unwrap_or(0)
    };
    read(&ALLOCATED).wrapping_sub(read(&FREED)) as i64
}

fn details() -> Vec<(&'static str, u64)> {
    let _ = epoch::advance();
    let figures = [
        ("allocated", stats::allocated::read()),
        ("active", stats::active::read()),
        ("metadata", stats::metadata::read()),
        ("resident", stats::resident::read()),
        ("mapped", stats::mapped::read()),
        ("retained", stats::retained::read()),
    ];
    let known = figures.into_iter().filter_map(|(name, value)| Some((name, value.ok()? as u64)));
    known.collect()
}

fn process() -> u64 {
    let _ = epoch::advance();
    stats::allocated::read().map_or(0, |bytes| bytes as u64)
}
