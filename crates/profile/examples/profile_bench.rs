//! What the profiler costs: attaching, one sample, the overhead of timers, loading symbols.
//!
//!     cargo run --release --example profile_bench
#![allow(clippy::print_stdout)] // a program that says what it measured

use std::hint::black_box;
use std::time::{Duration, Instant};

use entasis_profile::counters::{ALL, Counters};
use entasis_profile::usage::Usage;
use entasis_profile::{AttachOptions, Kind, attach, drain, record, symbol};

/// The fastest of several rounds, in nanoseconds per call.
fn per_call(calls: u32, mut work: impl FnMut()) -> f64 {
    let mut round = || {
        let start = Instant::now();
        (0..calls).for_each(|_| work());
        start.elapsed().as_nanos() as f64 / f64::from(calls)
    };
    (0..15).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn timers(cpu_period_ns: u64, real_period_ns: u64) -> AttachOptions {
    AttachOptions { query: 1, cpu_period_ns, real_period_ns, record: false }
}

#[inline(never)]
fn at_depth<T>(depth: u32, work: &mut dyn FnMut() -> T) -> T {
    let result = if depth == 0 { work() } else { at_depth(depth - 1, work) };
    black_box(());
    result
}

#[inline(never)]
fn work(steps: u64) -> u64 {
    (0..steps).fold(1u64, |state, i| black_box(state.wrapping_mul(6364136223846793005) ^ i))
}

fn attaching() {
    let off = AttachOptions { query: 1, ..AttachOptions::default() };
    let never = per_call(1_000_000, || drop(black_box(attach(black_box(&off)))));
    println!("attach + detach, off, thread never profiled   {never:8.2} ns");
    // Long periods: what is measured is attaching, not being interrupted.
    let (same, other) = (timers(10_000_000_000, 10_000_000_000), timers(20_000_000_000, 0));
    let start = Instant::now();
    drop(attach(&same));
    println!(
        "first attach of a thread                      {:8.1} us",
        start.elapsed().as_nanos() as f64 / 1e3
    );
    let ns = per_call(1_000_000, || drop(black_box(attach(black_box(&off)))));
    println!("attach + detach, off, thread once profiled    {ns:8.2} ns");
    let ns = per_call(1_000_000, || drop(black_box(attach(black_box(&same)))));
    println!("attach + detach, periods unchanged            {ns:8.2} ns");
    let mut turn = false;
    let ns = per_call(10_000, || {
        turn = !turn;
        drop(attach(if turn { &same } else { &other }));
    });
    println!("attach + detach, periods changed              {ns:8.1} ns");
}

fn samples() {
    let _attached = attach(&AttachOptions { query: 1, record: true, ..AttachOptions::default() });
    for depth in [0, 20, 50] {
        let mut fastest = f64::INFINITY;
        let mut frames = 0;
        for _ in 0..200 {
            at_depth(depth, &mut || {
                let start = Instant::now();
                (0..100).for_each(|_| record(Kind::Memory, 1, 0));
                fastest = fastest.min(start.elapsed().as_nanos() as f64 / 100.0);
            });
            drain(&mut |sample| frames = sample.frames.len());
        }
        println!("record, {frames:3} frames                            {fastest:8.1} ns");
    }
}

/// CPU time that work takes with timers, beyond what it takes without.
fn overhead() {
    let time = |options: &AttachOptions| {
        let before = Usage::of_this_thread();
        at_depth(30, &mut || {
            for _ in 0..400 {
                let attached = attach(options);
                black_box(work(400_000));
                drop(attached);
            }
        });
        let spent = Usage::of_this_thread().since(&before);
        let mut count = 0i64;
        drain(&mut |sample| count += sample.weight);
        ((spent.user + spent.system).as_nanos() as f64, count)
    };
    let off = timers(0, 0);
    for period in [10_000_000, 1_000_000, 200_000] {
        let on = timers(period, period);
        let (mut plain, mut sampled, mut count) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..7 {
            plain = plain.min(time(&off).0);
            let (spent, samples) = time(&on);
            sampled = sampled.min(spent);
            count = samples;
        }
        let more = 100.0 * (sampled / plain - 1.0);
        println!(
            "both timers at {:6} us                       {more:+8.2} % CPU ({count} samples)",
            period / 1000
        );
    }
}

fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default()
    };
    line("RssAnon:") / 1024.0
}

fn symbols() {
    let address = symbols as *const () as u64;
    let mut last = resident();
    let mut say = |what: &str, start: Instant| {
        let time = start.elapsed().as_micros() as f64 / 1e3;
        let now = resident();
        println!("{what:45} {time:8.2} ms, {:+.1} MiB", now - last);
        last = now;
    };
    let start = Instant::now();
    black_box(symbol::symbol(address));
    say("first symbol (table of names)", start);
    let start = Instant::now();
    let line = symbol::line(address);
    say("first line (units of the line tables)", start);
    let addresses: Vec<u64> = (0..20_000).map(|i| address.wrapping_add(i * 64) - 640_000).collect();
    let start = Instant::now();
    let found = addresses.iter().filter(|&&address| symbol::line(address).is_some()).count();
    say(&format!("{found} lines all over the code"), start);
    let ns = per_call(1000, || drop(black_box(symbol::places(address))));
    println!("a line and its inlined frames again           {:8.2} us", ns / 1e3);
    let ns = per_call(10_000, || drop(black_box(symbol::symbol(address))));
    println!("a symbol again                                {:8.2} us", ns / 1e3);
    println!("    ({})", line.unwrap_or_else(|| "no line tables".to_owned()));
}

fn main() {
    attaching();
    samples();
    overhead();
    symbols();
    let ns = per_call(1000, || _ = black_box(Usage::of_this_thread()));
    println!("usage of the thread                           {ns:8.1} ns");
    let mut counters = Counters::open(ALL);
    counters.start();
    std::thread::sleep(Duration::from_millis(1));
    let ns = per_call(1000, || drop(black_box(counters.take())));
    println!("{:2} counters, read                             {ns:8.1} ns", counters.take().len());
    println!("{} are missing", counters.missing().len());
}
