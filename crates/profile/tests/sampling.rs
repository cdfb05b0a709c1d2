//! Timers, stacks and rings together: who is sampled, what the stacks say, what is lost.
//!
//! All samples of a process come out of one place, so the tests of this file run one at a time.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::sync::lock;
use entasis_profile::usage::Usage;
use entasis_profile::{
    AttachOptions, Kind, Lost, MAX_FRAMES, attach, drain, is_attached, record, symbol,
};

const MS: u64 = 1_000_000;

/// A sample that was kept.
#[derive(Debug)]
struct Seen {
    kind: Kind,
    query: u64,
    thread: u64,
    time: u64,
    weight: i64,
    what: u64,
    frames: Vec<u64>,
}

fn alone() -> MutexGuard<'static, ()> {
    static TESTS: Mutex<()> = Mutex::new(());
    let guard = lock(&TESTS);
    collect();
    guard
}

fn collect() -> (Vec<Seen>, Lost) {
    let mut seen = Vec::new();
    let lost = drain(&mut |sample| {
        seen.push(Seen {
            kind: sample.kind,
            query: sample.query,
            thread: sample.thread_id,
            time: sample.time,
            weight: sample.weight,
            what: sample.what,
            frames: sample.frames.to_vec(),
        });
    });
    (seen, lost)
}

fn timers(query: u64, cpu_period_ns: u64, real_period_ns: u64) -> AttachOptions {
    AttachOptions { query, cpu_period_ns, real_period_ns, record: false }
}

fn recording(query: u64) -> AttachOptions {
    AttachOptions { query, record: true, ..AttachOptions::default() }
}

/// The functions of a sample, innermost first.
fn functions(sample: &Seen) -> Vec<String> {
    let name = |&frame: &u64| {
        symbol::symbol(frame).map(|name| entasis_profile::demangle(&name).into_owned())
    };
    sample.frames.iter().filter_map(name).collect()
}

#[inline(never)]
fn burn(until: impl Fn() -> bool) -> u64 {
    let mut state = 1u64;
    while !until() {
        state = black_box(burn_a_little(state));
    }
    state
}

#[inline(never)]
fn burn_a_little(mut state: u64) -> u64 {
    for _ in 0..20_000 {
        state = black_box(state.wrapping_mul(6364136223846793005).wrapping_add(1));
    }
    state
}

/// CPU time of this thread since `start`.
fn spent(start: &Usage) -> Duration {
    let usage = Usage::of_this_thread().since(start);
    usage.user + usage.system
}

#[inline(never)]
fn outer_function(weight: i64) {
    middle_function(weight);
    black_box(());
}

#[inline(never)]
fn middle_function(weight: i64) {
    inner_function(weight);
    black_box(());
}

#[inline(never)]
fn inner_function(weight: i64) {
    record(Kind::ProfileEvent, weight, 77);
    black_box(());
}

#[test]
fn a_recorded_stack_names_its_functions() {
    let _alone = alone();
    record(Kind::Memory, 1, 1);
    {
        let _attached = attach(&recording(5));
        outer_function(-42);
    }
    record(Kind::Memory, 2, 2);
    let (seen, lost) = collect();
    assert_eq!((seen.len(), lost), (1, Lost::default()), "{seen:?}");
    let sample = &seen[0];
    assert_eq!(
        (sample.kind, sample.query, sample.weight, sample.what),
        (Kind::ProfileEvent, 5, -42, 77)
    );
    assert!(sample.thread > 0 && sample.time > 1_700_000_000 * 1000 * MS);
    let names = functions(sample);
    for (name, expected) in
        names.iter().zip(["inner_function", "middle_function", "outer_function"])
    {
        assert!(name.ends_with(expected), "{names:?}");
    }
    assert!(names.len() > 6, "the walk goes through std to the thread's start: {names:?}");
}

#[test]
fn a_busy_thread_is_sampled_where_it_is_busy() {
    let _alone = alone();
    let start = Usage::of_this_thread();
    {
        let _attached = attach(&timers(6, MS, 0));
        burn(|| spent(&start) > Duration::from_millis(300));
    }
    let ms = spent(&start).as_millis() as i64;
    let (seen, _) = collect();
    assert!(seen.iter().all(|sample| (sample.kind, sample.query) == (Kind::Cpu, 6)));
    let weight: i64 = seen.iter().map(|sample| sample.weight).sum();
    assert!(weight > ms / 4 && weight < ms * 4, "{weight} samples in {ms} ms");
    let busy =
        seen.iter().filter(|s| functions(s).iter().any(|n| n.ends_with("::burn_a_little"))).count();
    assert!(busy * 2 > seen.len(), "{busy} of {}", seen.len());
}

#[test]
fn a_sleeping_thread_spends_time_but_no_cpu() {
    let _alone = alone();
    {
        let _attached = attach(&timers(7, 5 * MS, 5 * MS));
        std::thread::sleep(Duration::from_millis(200));
    }
    let (seen, _) = collect();
    let count = |kind| seen.iter().filter(|s| s.kind == kind).map(|s| s.weight).sum::<i64>();
    assert!(count(Kind::Real) >= 5, "{seen:?}");
    assert!(count(Kind::Cpu) <= 2, "{seen:?}");
}

#[test]
fn blocking_calls_are_not_disturbed() {
    let _alone = alone();
    let (mut read, write) = std::io::pipe().unwrap();
    let reader = std::thread::spawn(move || {
        let _attached = attach(&timers(8, 0, MS));
        // `read` itself, not `read_exact`, which would try again.
        std::io::Read::read(&mut read, &mut [0u8; 4]).unwrap()
    });
    std::thread::sleep(Duration::from_millis(50));
    std::io::Write::write_all(&mut &write, b"word").unwrap();
    assert_eq!(reader.join().unwrap(), 4);
    let (seen, _) = collect();
    assert!(!seen.is_empty(), "samples of an ended thread are kept");
}

#[test]
fn attachments_nest_and_end() {
    let _alone = alone();
    assert!(!is_attached());
    let off = attach(&AttachOptions { query: 1, ..AttachOptions::default() });
    assert!(!is_attached());
    drop(off);
    {
        let _outer = attach(&recording(10));
        outer_function(1);
        {
            let _inner = attach(&recording(11));
            outer_function(2);
            let _nobody = attach(&AttachOptions::default());
            assert!(!is_attached());
            outer_function(3);
        }
        outer_function(4);
    }
    outer_function(5);
    let (seen, _) = collect();
    let found: Vec<(u64, i64)> = seen.iter().map(|s| (s.query, s.weight)).collect();
    assert_eq!(found, [(10, 1), (11, 2), (10, 4)]);
}

#[test]
fn nobody_is_sampled_after_detaching() {
    let _alone = alone();
    drop(attach(&timers(12, MS, MS)));
    collect();
    let start = Usage::of_this_thread();
    burn(|| spent(&start) > Duration::from_millis(50));
    assert_eq!(collect().0.len(), 0);
}

#[test]
fn short_morsels_are_sampled_too() {
    let _alone = alone();
    let start = Usage::of_this_thread();
    while spent(&start) < Duration::from_millis(400) {
        let _attached = attach(&timers(13, 10 * MS, 0));
        black_box(burn_a_little(1));
    }
    let weight: i64 = collect().0.iter().map(|s| s.weight).sum();
    assert!(weight >= 8, "{weight} samples in 400 ms, 10 ms each");
}

#[test]
fn a_full_ring_is_counted() {
    let _alone = alone();
    let total = 10_000;
    {
        let _attached = attach(&recording(14));
        (0..total).for_each(|_| inner_function(1));
    }
    let (seen, lost) = collect();
    assert!(!seen.is_empty() && lost.ring_full > 0, "{lost:?}");
    assert_eq!(seen.len() as u64 + lost.ring_full, total);
    assert_eq!(collect().1, Lost::default(), "counted once");
}

#[test]
fn deep_stacks_are_cut() {
    let _alone = alone();
    #[inline(never)]
    fn deeper(levels: u32) {
        if levels == 0 {
            inner_function(9);
        } else {
            deeper(levels - 1);
        }
        black_box(());
    }
    {
        let _attached = attach(&recording(15));
        deeper(1000);
    }
    let (seen, _) = collect();
    assert_eq!(seen[0].frames.len(), MAX_FRAMES);
    assert!(functions(&seen[0])[1].contains("deeper"));
}

/// Threads come and go, attach and detach, record, sleep and work, while one drains.
#[test]
fn many_threads_at_short_periods() {
    let _alone = alone();
    let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let (mut counted, mut kept, mut foreign, mut lost) = (0, 0u64, 0u64, 0);
    let until = Instant::now() + Duration::from_secs(3);
    let memory = resident_mib();
    std::thread::scope(|scope| {
        for worker in 0..8u64 {
            let (stop, written) = (&stop, &written);
            scope.spawn(move || {
                let mut round = 0u64;
                while !stop.load(Ordering::Relaxed) {
                    round += 1;
                    let short = std::thread::spawn(move || work(worker, round, 20));
                    let own = work(worker, round, 60);
                    let more = short.join().expect("a worker panicked");
                    written.fetch_add(own + more, Ordering::Relaxed);
                }
            });
        }
        while Instant::now() < until || !stop.swap(true, Ordering::Relaxed) {
            let (seen, gone) = collect();
            for sample in &seen {
                assert!(!sample.frames.is_empty() && sample.weight > 0);
                foreign += u64::from(sample.query < 100 || sample.query >= 108);
                counted += u64::from(sample.kind == Kind::ProfileEvent);
                kept += u64::from(sample.kind != Kind::ProfileEvent);
            }
            lost += gone.ring_full + gone.interrupted;
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let (seen, gone) = collect();
    counted += seen.iter().filter(|s| s.kind == Kind::ProfileEvent).count() as u64;
    lost += gone.ring_full + gone.interrupted;
    let grown = resident_mib().saturating_sub(memory);
    assert!(grown < 100, "{grown} MiB for rings of hundreds of threads, 16 at a time");
    let written = written.into_inner();
    assert_eq!(foreign, 0, "samples of nobody");
    assert!(kept > 100, "{kept} samples of timers");
    assert!(counted <= written && counted + lost >= written, "{counted} of {written}, lost {lost}");
}

fn resident_mib() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or_default() >> 8
}

/// Attaches `rounds` times; answers how many events it recorded.
fn work(worker: u64, round: u64, rounds: u64) -> u64 {
    for i in 0..rounds {
        let periods = [[200_000, 200_000], [0, 300_000], [200_000, 0]][(round + i) as usize % 3];
        let _attached = attach(&timers(100 + worker, periods[0], periods[1]));
        inner_function(1);
        black_box(burn_a_little(i));
        if i % 16 == 0 {
            std::thread::sleep(Duration::from_micros(300));
        }
    }
    rounds
}
