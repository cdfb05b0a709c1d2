//! An allocator that records each allocation, also those that the profiler itself makes.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::{AttachOptions, Kind, attach, drain, record};

struct Recording;

#[global_allocator]
static ALLOCATOR: Recording = Recording;

// SAFETY: the system's allocator does the work; recording neither allocates nor unwinds.
unsafe impl GlobalAlloc for Recording {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(Kind::MemorySample, layout.size() as i64, 0);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        record(Kind::MemorySample, -(layout.size() as i64), 0);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[test]
fn an_allocator_may_record() {
    let options = AttachOptions {
        query: 0xA110C,
        cpu_period_ns: 1_000_000,
        real_period_ns: 1_000_000,
        record: true,
    };
    let work = move || {
        let _attached = attach(&options);
        for _ in 0..20 {
            drop(std::hint::black_box(vec![1u8; 12_345]));
        }
        // Within a recording query, attaching and draining allocate too.
        let _again = attach(&AttachOptions { query: 0xA110D, ..options });
        drain(&mut |sample| drop(std::hint::black_box(sample.frames.to_vec())));
    };
    let mut kept = Vec::new();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(work)).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    std::thread::spawn(move || {
        let _attached = attach(&options);
        (0..20).for_each(|_| drop(std::hint::black_box(vec![1u8; 12_345])));
    })
    .join()
    .unwrap();
    // No other test of this process drains.
    drain(&mut |sample| kept.push((sample.query, sample.weight)));
    let count = |weight| kept.iter().filter(|&&kept| kept == (0xA110C, weight)).count();
    let (allocated, released) = (count(12_345), count(-12_345));
    assert!(allocated >= 20 && released >= 20, "{allocated} {released}");
}
