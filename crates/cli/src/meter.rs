//! Reads jemalloc's counters for the memory accounts: the bytes of a thread for a few loads, and
//! the bytes of the process for a walk over its arenas.

use std::thread::LocalKey;

use entasis_base::meter::Meter;
use tikv_jemalloc_ctl::stats_print::{Options, stats_print};
use tikv_jemalloc_ctl::thread::{ThreadLocal, allocatedp, deallocatedp};
use tikv_jemalloc_ctl::{Access, AsName, arenas, epoch, stats};

type Counter = Option<ThreadLocal<u64>>;

thread_local! {
    static ALLOCATED: Counter = allocatedp::read().ok();
    static FREED: Counter = deallocatedp::read().ok();
}

/// Makes accounts use jemalloc's counters from now on.
pub(crate) fn install() {
    entasis_base::meter::install(Meter { thread, process, trim, details });
}

fn thread() -> (u64, u64) {
    let read = |counter: &'static LocalKey<Counter>| {
        counter.try_with(|c| c.map_or(0, ThreadLocal::get)).unwrap_or(0)
    };
    (read(&ALLOCATED), read(&FREED))
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
    known.chain(reported()).collect()
}

/// Parts of what arenas have handed out: bytes in the caches of threads, and bytes that jemalloc
/// uses for itself. Only jemalloc's report contains them.
fn reported() -> Vec<(&'static str, u64)> {
    let mut options = Options::default();
    options.json_format = true;
    options.skip_constants = true;
    options.skip_per_arena = true;
    options.skip_bin_size_classes = true;
    options.skip_large_size_classes = true;
    options.skip_mutex_statistics = true;
    let mut report = Vec::new();
    if stats_print(&mut report, options).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&report);
    let figure = |key: &str| {
        let digits = text.split_once(&format!("\"{key}\":"))?.1.trim_start();
        digits[..digits.find(|c: char| !c.is_ascii_digit())?].parse().ok()
    };
    let both = [("tcache", figure("tcache_bytes")), ("internal", figure("internal"))];
    both.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn process() -> u64 {
    let _ = epoch::advance();
    stats::allocated::read().map_or(0, |bytes| bytes as u64)
}

/// If the freed pages are less than this share of the limit (1 / `WORTH`), a walk over the arenas
/// is not worth its time.
const WORTH: u64 = 16;

/// jemalloc keeps freed pages for some seconds, which can be as much memory as is in use.
fn trim(limit: u64) {
    let (Ok(resident), Ok(active)) = (stats::resident::read(), stats::active::read()) else {
        return;
    };
    let (resident, active) = (resident as u64, active as u64);
    if resident > limit && resident.saturating_sub(active) > limit / WORTH {
        let count = arenas::narenas::read().unwrap_or(0);
        (0..count).for_each(purge);
    }
}

/// A decay time of 0 returns all freed pages of the arena at once.
fn purge(arena: u32) {
    for kind in ["dirty", "muzzy"] {
        let name = format!("arena.{arena}.{kind}_decay_ms\0");
        let name = name.as_bytes().name();
        let before: Result<isize, _> = name.read();
        if let Ok(before) = before
            && before != 0
            && name.write(0isize).is_ok()
        {
            let _ = name.write(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident() -> usize {
        epoch::advance().unwrap();
        stats::resident::read().unwrap()
    }

    #[test]
    fn freed_pages_go_back_to_the_system() {
        let blocks: Vec<Vec<u8>> = (0..200).map(|_| vec![1; 1 << 20]).collect();
        let full = resident();
        drop(blocks);
        resident();
        trim(u64::MAX);
        trim(1);
        let left = resident();
        assert!(left + (150 << 20) < full, "{left} of {full} bytes are still resident");
    }
}
