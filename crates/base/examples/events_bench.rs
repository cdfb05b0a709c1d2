//! What an increment of a profile event costs, beside a chain of four nested atomic counters as the
//! reference has it, in turns within one run:
//! `cargo run --release --workspace --example events_bench`.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use entasis_base::events::{self, Counters, Event, Mask};
use entasis_base::{CancelToken, MemoryAccount, Scope};

const CALLS: u32 = 4_000_000;
const ROUNDS: usize = 25;

/// Thread, query, user, server: each counts and asks the next.
struct Level {
    count: AtomicU64,
    parent: Option<Arc<Level>>,
}

fn chain() -> Arc<Level> {
    (0..3).fold(Arc::new(Level { count: AtomicU64::new(0), parent: None }), |parent, _| {
        Arc::new(Level { count: AtomicU64::new(0), parent: Some(parent) })
    })
}

#[inline(never)]
fn nested(level: &Level, amount: u64) {
    let mut next = Some(level);
    while let Some(level) = next {
        level.count.fetch_add(amount, Ordering::Relaxed);
        next = level.parent.as_deref();
    }
}

/// As it would be called from elsewhere: not merged with the loop round it.
#[inline(never)]
fn event(amount: u64) {
    events::add(Event::SelectedRows, amount);
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
    println!("{name:<34} {:>6.2} ns ({low:.2} .. {high:.2})", times[times.len() / 2]);
}

fn main() {
    let chain = chain();
    let account = MemoryAccount::root("query", 0);
    let scope = |counters: &Arc<Counters>| Scope::new(&CancelToken::new(), &account, counters);
    let (plain, traced) = (Counters::start("bench"), Counters::start("bench"));
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
    println!(
        "median of {ROUNDS} rounds of {CALLS} calls (quartiles), a call and its loop included"
    );
    let [call, event, nested, tracing, attach] = times;
    say("an empty call", call);
    say("events::add", event);
    say("chain of four fetch_add", nested);
    say("events::add, others are traced", tracing);
    say("attach and detach a statement", attach);
}
