use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;
use crate::scope::Scope;
use crate::{CancelToken, MemoryAccount};

fn scope(counters: &Arc<Counters>) -> Scope {
    Scope::new(&CancelToken::new(), &MemoryAccount::root("query", 0), counters)
}

/// Events that nothing else in these tests counts, one per test: the totals are the process's.
const OF: [Event; 6] = [
    Event::SelectedRows,
    Event::SelectedBytes,
    Event::ResultRows,
    Event::ResultBytes,
    Event::QueriesKilled,
    Event::TableFunctionExecute,
];

#[test]
fn the_table_is_in_order() {
    for (at, definition) in EVENTS.iter().enumerate() {
        assert_eq!(definition.event as usize, at);
        assert!(definition.description.ends_with('.'), "{}", definition.name);
        let suffix = match definition.unit {
            Unit::Microseconds => "Microseconds",
            Unit::Milliseconds => "Milliseconds",
            Unit::Bytes => "Bytes",
            Unit::Number => "",
        };
        assert!(definition.name.contains(suffix), "{}", definition.name);
    }
}

#[test]
fn counts_go_to_the_statement_its_user_and_the_server_once() {
    let event = OF[0];
    let before = of_server();
    let counters = Counters::start("ann", "");
    let (rounds, threads) = (2_000, 8);
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        // A reader that reads all the time sees the sum grow and never fall.
        let reader = s.spawn(|| {
            let mut last = 0;
            while !done.load(Ordering::Relaxed) {
                let now = of_server().get(event);
                assert!(now >= last, "{now} after {last}");
                last = now;
            }
        });
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                s.spawn(|| {
                    for round in 0..rounds {
                        scope(&counters).run(|| one(event));
                        if round % 100 == 0 {
                            // A short statement of another user, on the same thread.
                            let other = Counters::start("bob", "");
                            scope(&other).run(|| add(event, 3));
                            assert_eq!(other.end().get(event), 3);
                        }
                    }
                })
            })
            .collect();
        workers.into_iter().for_each(|w| w.join().unwrap());
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    let (own, others) = (rounds * threads, rounds * threads / 100 * 3);
    assert_eq!(counters.counts().get(event), own);
    let work = counters.threads();
    assert_eq!(work.len() as u64, threads);
    assert!(work.iter().all(|w| w.id > 0 && w.began <= w.left));
    let (ids, peak) = counters.thread_ids();
    assert_eq!(ids, work.iter().map(|w| w.id).collect::<Vec<_>>());
    assert!((1..=threads as usize).contains(&peak), "{peak}");
    assert_eq!(of_user("ann").get(event), own);
    assert_eq!(counters.end().get(event), own);
    assert_eq!(counters.end().get(event), own, "a second end changes nothing");
    drop(counters);
    assert_eq!((of_user("ann").get(event), of_user("bob").get(event)), (own, others));
    assert_eq!(of_server().since(&before).get(event), own + others);
}

#[test]
fn recycled_blocks_are_zero_and_late_counts_stay_where_they_belong() {
    let event = OF[1];
    let first = Counters::start("late", "");
    scope(&first).run(|| {
        add(event, 5);
        // The statement ends while this thread still works for it.
        assert_eq!(first.end().get(event), 5);
        assert_eq!(of_user("late").get(event), 5);
        let second = Counters::start("later", "");
        scope(&second).run(|| {
            assert_eq!(second.counts().get(event), 0, "a block starts at zero");
            one(event);
        });
        assert_eq!(second.end().get(event), 1);
        add(event, 2);
    });
    assert_eq!(first.counts().get(event), 7);
    assert_eq!((of_user("late").get(event), of_user("later").get(event)), (7, 1));
    // Work after the end counts for its thread, not for another statement.
    scope(&first).run(|| one(event));
    assert_eq!(first.counts().get(event), 7);
    let third = Counters::start("last", "");
    scope(&third).run(|| assert_eq!(third.counts(), Counts::default()));
}

#[test]
fn threads_outside_of_statements_count_and_leave_their_block() {
    let event = OF[2];
    for _ in 0..50 {
        thread::spawn(move || {
            one(event);
            let counters = Counters::start("within", "");
            let mut outer = scope(&counters);
            // Nested scopes of the same statement count as one.
            outer.run(|| scope(&counters).run(|| add(event, 10)));
            one(event);
        })
        .join()
        .unwrap();
    }
    assert_eq!(of_user("within").get(event), 500);
    assert_eq!(of_server().get(event), 600);
}

static SEEN: Mutex<Vec<(Event, u64)>> = Mutex::new(Vec::new());

/// The orders of events in which tracing easily fails: it begins after a thread was attached, a
/// thread stays traced after the statement, or a reader finds the mark of tracing among the counts.
#[test]
fn tracing_begins_with_the_next_morsel_and_ends_with_the_statement() {
    install_hook(|event, amount| {
        if [OF[3], OF[4], OF[5]].contains(&event) {
            one(event); // counted, and not traced again
            SEEN.lock().unwrap().push((event, amount));
        }
    });
    let take = || std::mem::take(&mut *SEEN.lock().unwrap());
    let counters = Counters::start("traced", "");
    let mut outer = scope(&counters);
    outer.run(|| {
        one(OF[3]);
        counters.trace(Mask::parse("ResultBytes, QueriesKilled").unwrap());
        one(OF[3]);
        assert_eq!(take(), [], "not before the next morsel");
        thread::scope(|s| {
            s.spawn(|| scope(&counters).run(|| add(OF[4], 4)));
        });
        assert_eq!(take(), [(OF[4], 4)], "threads that come later");
        scope(&counters).run(|| {
            add(OF[3], 9);
            one(OF[5]);
            let other = Counters::start("untraced", "");
            scope(&other).run(|| add(OF[3], 7));
            assert_eq!(other.end().get(OF[3]), 7);
        });
        assert_eq!(take(), [(OF[3], 9)], "this thread too, neither other events nor statements");
    });
    // Tracing does not change counts: 2 before, 9 and one by the hook; 4 and one by the hook.
    let counts = counters.counts();
    assert_eq!([OF[3], OF[4], OF[5]].map(|e| counts.get(e)), [12, 5, 1]);
    assert!(of_server().get(OF[4]) < 1 << 32);
    outer.run(|| {
        counters.end();
        scope(&counters).run(|| one(OF[4]));
    });
    take();
    let next = Counters::start("next", "");
    scope(&next).run(|| add(OF[4], 2));
    one(OF[4]);
    assert_eq!(take(), [], "over with the statement, also on recycled blocks");
    assert_eq!(next.end().get(OF[4]), 2);
    assert!(Mask::parse("NoSuchEvent").is_err() && Mask::parse(" ").unwrap().is_empty());
}
