use std::alloc::System;
use std::cell::RefCell;

use super::*;

#[global_allocator]
static ALLOCATOR: Watched<System> = Watched(System);

thread_local! {
    static SEEN: RefCell<Vec<Found>> = const { RefCell::new(Vec::new()) };
}

/// The reports that the hook gets during `work`. The hook itself allocates.
fn seen(settings: MemorySettings, work: impl FnOnce()) -> Vec<Found> {
    install_hook(|found| SEEN.with_borrow_mut(|seen| seen.push(found)));
    let watch = MemoryWatch::take(&settings, 7);
    SEEN.take();
    {
        let _watching = super::watch(Some(watch));
        work();
    }
    drop(std::hint::black_box(vec![0u8; 100 << 20]));
    watch.give_back();
    SEEN.take()
}

fn step(step: u64) -> MemorySettings {
    MemorySettings { step, ..MemorySettings::default() }
}

fn block(bytes: usize) -> Vec<u8> {
    std::hint::black_box(vec![0u8; bytes])
}

const MB: usize = 1 << 20;

#[test]
fn a_stack_is_taken_at_each_step() {
    let found = seen(step(MB as u64), || {
        let held: Vec<Vec<u8>> = (0..10).map(|_| block(MB)).collect();
        drop(held);
        // While the statement holds less than it has held before, nothing is reported.
        drop(block(9 * MB));
        drop(block(12 * MB));
    });
    let bytes: Vec<i64> = found
        .iter()
        .map(|found| match found {
            Found::Step(bytes) => *bytes,
            other @ Found::Sample(..) => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(bytes.len(), 11, "{bytes:?}");
    let sum: i64 = bytes.iter().sum();
    assert!(sum >= 12 * MB as i64 && sum < 13 * MB as i64, "{bytes:?}");
}

#[test]
fn what_is_done_for_nobody_is_not_counted() {
    let found = seen(step(MB as u64), || {
        for _ in 0..100 {
            let _nobody = watch(None);
            drop(block(4 * MB));
        }
        let held = block(MB / 2);
        std::thread::spawn(move || drop(held)).join().unwrap();
    });
    assert_eq!(found, []);
}

#[test]
fn releases_are_sampled_as_their_allocations_are() {
    let all =
        MemorySettings { probability: 1.0, sizes: [1000, 100_000], ..MemorySettings::default() };
    let found = seen(all, || {
        drop((block(999), block(1000)));
        drop(block(100_001));
        let mut grows = block(5000);
        grows.reserve_exact(20_000);
        drop(grows);
    });
    let sizes: Vec<i64> = found.iter().map(|found| size(*found)).collect();
    assert_eq!(sizes, [1000, -1000, 5000, -5000, 25_000, -25_000], "{found:?}");
    let addresses: Vec<usize> = found.iter().map(|found| address(*found)).collect();
    assert!(addresses.chunks(2).all(|pair| pair[0] == pair[1]), "{addresses:x?}");

    let some = MemorySettings { probability: 0.25, ..all };
    let found = seen(some, || drop((0..1000).map(|_| block(2000)).collect::<Vec<_>>()));
    let taken = found.iter().filter(|found| size(**found) > 0).count();
    assert!((150..350).contains(&taken), "{taken} of 1000");
    assert_eq!(found.iter().map(|found| size(*found)).sum::<i64>(), 0, "all were freed");
}

fn size(found: Found) -> i64 {
    match found {
        Found::Sample(size, _) => size,
        Found::Step(_) => 0,
    }
}

fn address(found: Found) -> usize {
    match found {
        Found::Sample(_, address) => address,
        Found::Step(_) => 0,
    }
}

#[test]
fn nothing_is_asked_for_by_default() {
    assert!(MemorySettings::default().is_off());
    assert!(!step(1).is_off());
    let nan = MemorySettings { probability: f64::NAN, ..MemorySettings::default() };
    assert!(nan.is_off());
    let sampled = MemorySettings { probability: 2.0, ..MemorySettings::default() };
    assert!(MemoryWatch::take(&sampled, 1).samples(usize::MAX, 1));
}
