//! Measures the cost of an increment of a profile event, compared with a chain of four nested
//! atomic counters, which is how the reference counts. Both take turns within one run: `cargo run
//! --release -p entasis-base --example events_bench`.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use entasis_base::events::{self, Counters, Event, Mask};
use entasis_base::{CancelToken, MemoryAccount, Scope};

/// Few calls per round, so that most rounds are not interrupted on a busy machine.
const CALLS: u32 = 50_000;
/// Each call increments this many events, as the code for a granule or a chunk does.
const EVENTS: [Event; 4] =
    [Event::GranulesRead, Event::MergeTreeRowsRead, Event::MergeTreeBytesRead, Event::SelectedRows];
const ROUNDS: usize = 1001;

/// Thread, query, user, server: each level counts and passes the increment on to its parent.
struct Level {
    counts: [AtomicU64; EVENTS.len()],
    parent: Option<Arc<Level>>,
}

fn chain() -> Arc<Level> {
    let level = |parent| Arc::new(Level { counts: Default::default(), parent });
    (0..3).fold(level(None), |parent, _| level(Some(parent)))
}

#[inline(never)]
fn nested(level: &Level, amount: u64) {
    for event in 0..EVENTS.len() {
        let mut next = Some(level);
        while let Some(level) = next {
            level.counts[event].fetch_add(amount, Ordering::Relaxed);
            next = level.parent.as_deref();
        }
    }
}

/// Not inlined, as a call from another crate is not merged with the loop around it.
#[inline(never)]
fn event(amount: u64) {
    EVENTS.iter().for_each(|event| events::add(*event, amount));
}

#[inline(never)]
fn nothing(amount: u64) {
    black_box(amount);
}

fn nanoseconds(mut work: impl FnMut(u64)) -> f64 {
    let began = Instant::now();
    for i in 0..CALLS {
        work(black_box(u64::from(i)));
    }
    began.elapsed().as_nanos() as f64 / f64::from(CALLS)
}

fn say(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let (low, high) = (times[times.len() / 4], times[times.len() * 3 / 4]);
    println!("{name:<40} {:>6.2} ns ({low:.2} .. {high:.2})", times[times.len() / 2]);
}

fn main() {
    let chain = chain();
    let account = MemoryAccount::root("query", 0);
    let scope = |counters: &Arc<Counters>| Scope::new(&CancelToken::new(), &account, counters);
    let (plain, traced) = (Counters::start("bench", ""), Counters::start("bench", ""));
    traced.trace(Mask::parse("Query").unwrap_or_else(|_| Mask::all()));
    let mut times: [Vec<f64>; 5] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(nanoseconds(nothing));
        times[1].push(scope(&plain).run(|| nanoseconds(event)));
        times[2].push(nanoseconds(|n| nested(&chain, n)));
        times[3].push(scope(&traced).run(|| nanoseconds(event)));
        let mut one = scope(&plain);
        times[4].push(nanoseconds(|n| one.run(|| nothing(n))));
    }
    println!("median of {ROUNDS} rounds of {CALLS} calls (quartiles)");
    let [call, event, nested, tracing, attach] = times;
    let each = |times: Vec<f64>| times.iter().map(|t| t / EVENTS.len() as f64).collect();
    say("an empty call and its loop", call);
    say("one increment: events::add", each(event));
    say("one increment: chain of four fetch_add", each(nested));
    say("one increment, while others are traced", each(tracing));
    say("attach and detach a statement", attach);
}
