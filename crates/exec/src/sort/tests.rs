use entasis_plan::physical;
use std::time::{Duration, Instant};

use entasis_base::clock::Rng;
use entasis_column::compare::compare_rows;
use entasis_column::{Chunk, Column};
use entasis_disk::{Fault, FaultDisk, MemoryDisk};
use entasis_expr::ColumnId;
use entasis_plan::{Plan, SortKey};

use super::*;
use crate::Runtime;
use crate::testing::{
    KINDS, column, context, nothing_left, query, rows, run, run_with, runtime, scan, spill,
};

fn random_order(rng: &mut Rng) -> SortOrder {
    SortOrder { descending: rng.below(2) == 0, nulls_first: rng.below(2) == 0 }
}

fn naive(chunk: &Chunk, keys: &[(usize, SortOrder)]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..chunk.rows as u32).collect();
    order.sort_by(|a, b| {
        let each = keys.iter().map(|(at, order)| {
            let c = &chunk.columns[*at];
            compare_rows(c, *a as usize, c, *b as usize, *order)
        });
        each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    order
}

fn case(rng: &mut Rng, count: usize, block: usize, limit: Option<u64>, threads: usize) {
    case_spilled(rng, count, (block, limit, threads), &Spill::never());
}

/// [`case`] with a sort that may spill.
fn case_spilled(
    rng: &mut Rng,
    count: usize,
    (block, limit, threads): (usize, Option<u64>, usize),
    spill: &Arc<Spill>,
) {
    let width = 1 + rng.below(3) as usize;
    let mut columns: Vec<Column> = (0..width)
        .map(|_| {
            let (kind, spread) = (rng.below(KINDS), 1 + rng.below(200));
            column(rng, kind, count, spread)
        })
        .collect();
    // The last column identifies the row.
    columns.push(Column::from((0..count as u32).collect::<Vec<_>>()));
    let chunk = Chunk::new(columns, count);
    let keys: Vec<(usize, SortOrder)> = (0..width).map(|i| (i, random_order(rng))).collect();
    let sort_keys = keys
        .iter()
        .map(|(at, order)| SortKey { column: ColumnId(*at as u32), order: *order })
        .collect();
    let ids: Vec<u32> = (0..=width as u32).collect();
    let filter = RuntimeFilter::new(ColumnId(0), keys[0].1);
    let input = Box::new(scan(&chunk, &ids));
    let threshold = Some(Arc::clone(&filter));
    let plan = Plan::Sort(physical::Sort { input, keys: sort_keys, limit, threshold });
    let with = Runtime { spill: Arc::clone(spill), ..runtime(3) };
    let got = run_with(plan, &context(threads, block), &with);
    let order = naive(&chunk, &keys);
    let want = chunk.take(&order[..order.len().min(limit.unwrap_or(u64::MAX) as usize)]);
    let key_part = |c: &Chunk| Chunk::new(c.columns[..width.min(c.columns.len())].to_vec(), c.rows);
    assert_eq!(rows(&key_part(&got)), rows(&key_part(&want)), "{keys:?} {limit:?} {threads}");
    // Every row is one of the input's rows, and none comes twice.
    let numbers = |c: &Chunk| -> Vec<u32> {
        match c.columns.get(width).map(Column::full) {
            Some(Column::UInt32(v)) => v.to_vec(),
            _ => vec![],
        }
    };
    let numbers = numbers(&got);
    assert_eq!(rows(&chunk.take(&numbers)), rows(&got));
    let mut once = numbers.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), numbers.len());
    if threads == 1 && !keys.is_empty() && got.rows > 0 {
        let want_numbers: Vec<u32> = order[..numbers.len()].to_vec();
        if limit.is_none() {
            assert_eq!(numbers, want_numbers, "stable with one worker");
        }
    }
    if let Some(bound) = filter.bound() {
        let last = limit.unwrap() as usize - 1;
        let past = compare_rows(&bound, 0, &want.columns[0], last, keys[0].1);
        assert!(past.is_ge(), "bound cuts off wanted rows");
    }
}

#[test]
fn sort_agrees_with_a_naive_sort() {
    let mut rng = Rng::new(11);
    for round in 0..120 {
        let threads = [1, 2, 4][round % 3];
        case(&mut rng, 300, [1, 7, 8192][round % 3], None, threads);
    }
    for _ in 0..4 {
        case(&mut rng, 40_000, 8192, None, 3);
        case(&mut rng, 30_000, 64, None, 2);
    }
}

#[test]
fn top_n_agrees_with_a_naive_sort() {
    let mut rng = Rng::new(12);
    for round in 0..120 {
        let limit = [0, 1, 3, 10, 299, 300, 1000][round % 7];
        case(&mut rng, 300, [1, 7, 8192][round % 3], Some(limit), [1, 2, 4][round % 3]);
    }
    for round in 0..12 {
        let limit = [1, 10, 5000, 1 << 21][round % 4];
        case(&mut rng, 60_000, 1000, Some(limit), [1, 3][round % 2]);
    }
}

#[test]
fn nothing_sorted_is_nothing() {
    let chunk = Chunk::new(vec![Column::from(Vec::<i64>::new())], 0);
    let key = SortKey { column: ColumnId(0), order: SortOrder::ASCENDING };
    for limit in [None, Some(5)] {
        let input = Box::new(scan(&chunk, &[0]));
        let plan =
            Plan::Sort(physical::Sort { input, keys: vec![key.clone()], limit, threshold: None });
        assert_eq!(run(plan, &context(2, 10)).rows, 0);
    }
}

#[test]
fn memory_is_accounted_and_given_back() {
    let chunk = Chunk::new(vec![Column::from((0..100_000i64).collect::<Vec<_>>())], 100_000);
    let key = SortKey { column: ColumnId(0), order: SortOrder::DESCENDING };
    let input = Box::new(scan(&chunk, &[0]));
    let plan = Plan::Sort(physical::Sort { input, keys: vec![key], limit: None, threshold: None });
    let context = context(2, 1000);
    run(plan, &context);
    assert!(context.memory.peak() > 1_600_000, "{}", context.memory.peak());
    assert_eq!(context.memory.used(), 0);
}

#[test]
fn runs_on_disk() {
    let mut rng = Rng::new(13);
    for round in 0..60 {
        let bytes = [1, 20_000, 400_000][round % 3];
        let (count, block) = [(300, 1), (300, 7), (5000, 64), (30_000, 8192)][round % 4];
        let limit = [None, Some(1 << 21), Some(200), Some(10), Some(3000)][round % 5];
        let spill = spill(bytes, Arc::new(MemoryDisk::new()));
        case_spilled(&mut rng, count, (block, limit, [1, 2, 4][round % 3]), &spill);
        let written = spill.written.load(std::sync::atomic::Ordering::Relaxed);
        assert!(written > 0 || bytes > 1);
    }
}

#[test]
fn a_disk_that_fails_is_an_error_and_leaves_nothing() {
    let count = 4000;
    let chunk = Chunk::new(vec![Column::from((0..count as i64).collect::<Vec<_>>())], count);
    let key = SortKey { column: ColumnId(0), order: SortOrder::DESCENDING };
    for fault in [Fault::NoSpace, Fault::ShortWrite, Fault::Error] {
        for call in (0..).step_by(17) {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(call, fault);
            let runtime = Runtime { spill: spill(1, disk.clone()), ..runtime(2) };
            let input = Box::new(scan(&chunk, &[0]));
            let plan = Plan::Sort(physical::Sort {
                input,
                keys: vec![key.clone()],
                limit: None,
                threshold: None,
            });
            let context = context(2, 10);
            let sink = crate::CollectSink::create(&context);
            let into = Arc::clone(&sink) as Arc<dyn Sink>;
            let done = crate::execute(&query(plan), &context, &runtime, into);
            assert_eq!(done.is_err(), disk.faults_struck());
            if let Err(error) = done {
                assert!(error.message().contains("tmp"), "{error}");
            }
            nothing_left(&*disk);
            drop(sink);
            // Another thread drops what workers of the failed query held.
            let until = Instant::now() + Duration::from_mins(1);
            while context.memory.used() > 0 {
                assert!(Instant::now() < until, "{} bytes are left", context.memory.used());
                std::thread::yield_now();
            }
            if !disk.faults_struck() {
                break;
            }
        }
    }
}
