//! Joins that write rows to disk give the same rows as those in memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entasis_base::clock::Rng;
use entasis_column::{Chunk, Column};
use entasis_disk::MemoryDisk;
use entasis_expr::ColumnId;
use entasis_plan::{AsofKey, Inequality, JoinKind, Plan, Strictness};

use super::{Case, check_with, plan, side};
use crate::Runtime;
use crate::spill::{JoinLimits, Spill};
use crate::testing::{context, nothing_left, rows, run_with, runtime, sorted_rows, spill};

/// A runtime whose joins may hold so many bytes of their right sides.
fn spilling(bytes: u64) -> (Runtime, Arc<Spill>, Arc<MemoryDisk>) {
    let disk = Arc::new(MemoryDisk::new());
    let spill = spill(bytes, disk.clone());
    (Runtime { spill: Arc::clone(&spill), ..runtime(3) }, spill, disk)
}

fn case(left: Chunk, right: Chunk, kind: JoinKind, strictness: Strictness) -> Case {
    Case { left, right, keys: 1, kind, strictness, residual: false, use_nulls: true }
}

const RULES: [(JoinKind, Strictness); 9] = [
    (JoinKind::Inner, Strictness::All),
    (JoinKind::Left, Strictness::All),
    (JoinKind::Right, Strictness::All),
    (JoinKind::Full, Strictness::All),
    (JoinKind::Cross, Strictness::All),
    (JoinKind::Left, Strictness::Any),
    (JoinKind::Left, Strictness::Semi),
    (JoinKind::Left, Strictness::Anti),
    (JoinKind::Right, Strictness::Anti),
];

/// Rules with a single right answer, and the others with the order of one worker.
const ALL_RULES: [(JoinKind, Strictness); 13] = [
    RULES[0],
    RULES[1],
    RULES[2],
    RULES[3],
    RULES[4],
    RULES[5],
    RULES[6],
    RULES[7],
    RULES[8],
    (JoinKind::Right, Strictness::Any),
    (JoinKind::Right, Strictness::Semi),
    (JoinKind::Inner, Strictness::Any),
    (JoinKind::Full, Strictness::Any),
];

#[test]
fn joins_that_spill_agree_with_nested_loops() {
    let mut rng = Rng::new(31);
    let key_kinds: [&[u64]; 8] = [&[0], &[1], &[3], &[4], &[5], &[0, 3], &[4, 4], &[8]];
    let mut written = 0;
    for round in 0..300 {
        let (kind, strictness) = RULES[round % RULES.len()];
        let kinds = key_kinds[rng.below(8) as usize];
        let spread = 1 + rng.below(if round % 4 == 0 { 3 } else { 200 });
        let (n, m) = (rng.below(90) as usize, rng.below(200) as usize);
        let left = side(&mut rng, kinds, spread, n);
        let right = side(&mut rng, kinds, spread, m);
        let mut case = case(left, right, kind, strictness);
        case.keys = if kind == JoinKind::Cross { 0 } else { kinds.len() };
        case.residual = rng.below(2) == 0;
        case.use_nulls = rng.below(2) == 0;
        if kind == JoinKind::Cross {
            for chunk in [&mut case.left, &mut case.right] {
                chunk.columns.drain(..kinds.len());
            }
        }
        let bytes = [1, 1, 2_000, 10_000][rng.below(4) as usize];
        let (runtime, spill, disk) = spilling(bytes);
        check_with(&case, [1, 2, 4][round % 3], [1, 7, 8192][rng.below(3) as usize], &runtime);
        nothing_left(&*disk);
        written += u64::from(spill.written.load(Ordering::Relaxed) > 0);
    }
    assert!(written > 150, "{written}");
}

/// With one worker every rule has one answer, whether rows were written or not.
#[test]
fn the_order_of_rows_decides_as_in_memory() {
    let mut rng = Rng::new(32);
    for round in 0..260 {
        let (kind, strictness) = ALL_RULES[round % ALL_RULES.len()];
        let spread = [1, 3, 50][rng.below(3) as usize];
        let kinds: &[u64] = if kind == JoinKind::Cross { &[] } else { &[[0, 1, 4][round % 3]] };
        let left = side(&mut rng, kinds, spread, 60);
        let right = side(&mut rng, kinds, spread, 300);
        let mut case = case(left, right, kind, strictness);
        case.keys = kinds.len();
        case.residual = rng.below(2) == 0;
        let mut join = plan(&case);
        join.takes_last = rng.below(2) == 0;
        let about = (kind, strictness, case.residual, join.takes_last, spread);
        let want = run_with(Plan::Join(Box::new(join.clone())), &context(1, 7), &runtime(1));
        let (runtime, spill, _disk) = spilling([1, 9_000][round % 2]);
        let got = run_with(Plan::Join(Box::new(join)), &context(1, 7), &runtime);
        assert!(spill.written.load(Ordering::Relaxed) > 0);
        assert_eq!(sorted_rows(&got), sorted_rows(&want), "{about:?}");
    }
}

#[test]
fn the_closest_row_is_found_on_disk() {
    let mut rng = Rng::new(33);
    let inequalities = [
        Inequality::GreaterOrEquals,
        Inequality::Greater,
        Inequality::LessOrEquals,
        Inequality::Less,
    ];
    for round in 0..24 {
        let left = side(&mut rng, &[0], [1, 40][round % 2], 70);
        let right = side(&mut rng, &[0], [1, 40][round % 2], 400);
        let kind = [JoinKind::Inner, JoinKind::Left][round / 2 % 2];
        let mut join = plan(&case(left, right, kind, Strictness::Asof));
        let inequality = inequalities[round / 4 % 4];
        join.closest = Some(AsofKey { left: ColumnId(1), right: ColumnId(101), inequality });
        let want = run_with(Plan::Join(Box::new(join.clone())), &context(1, 7), &runtime(1));
        let (runtime, ..) = spilling(1);
        let got = run_with(Plan::Join(Box::new(join)), &context(3, 7), &runtime);
        assert_eq!(sorted_rows(&got), sorted_rows(&want), "{kind:?} {inequality:?}");
    }
}

/// Rows with a key, its square and their number.
fn numbered(keys: Vec<i64>) -> Chunk {
    let count = keys.len();
    let squares: Vec<i64> = keys.iter().map(|key| key.wrapping_mul(*key)).collect();
    let numbers: Vec<u8> = (0..count).map(|i| (i % 2) as u8).collect();
    Chunk::new(vec![Column::from(keys), Column::from(squares), Column::from(numbers)], count)
}

#[test]
fn partitions_that_are_too_large_are_divided_again() {
    let count = 20_000;
    let left = numbered((0..count).map(|i| i * 3).collect());
    let right = numbered((0..count).rev().collect());
    for (kind, threads) in [(JoinKind::Inner, 1), (JoinKind::Left, 3), (JoinKind::Full, 3)] {
        let join = plan(&case(left.clone(), right.clone(), kind, Strictness::All));
        let context = context(threads, 1000);
        let (runtime, ..) = spilling(1);
        let got = run_with(Plan::Join(Box::new(join.clone())), &context, &runtime);
        let divided =
            context.events.counts().get(entasis_base::events::Event::ExternalJoinRepartition);
        assert!(divided > 10, "{divided}");
        let want = run_with(Plan::Join(Box::new(join)), &context, &super::runtime(3));
        assert_eq!(sorted_rows(&got), sorted_rows(&want));
    }
}

#[test]
fn one_key_may_have_more_rows_than_fit() {
    let mut keys = vec![7; 3000];
    keys.extend(0..500);
    let right = numbered(keys);
    let left = numbered((0..20).collect());
    for (kind, strictness) in ALL_RULES.into_iter().filter(|(kind, _)| *kind != JoinKind::Cross) {
        for residual in [false, true] {
            let mut case = case(left.clone(), right.clone(), kind, strictness);
            case.residual = residual;
            let join = plan(&case);
            let (runtime, ..) = spilling(1);
            let got = run_with(Plan::Join(Box::new(join.clone())), &context(1, 100), &runtime);
            let want = run_with(Plan::Join(Box::new(join)), &context(1, 100), &super::runtime(1));
            assert_eq!(sorted_rows(&got), sorted_rows(&want), "{kind:?} {strictness:?} {residual}");
        }
    }
}

#[test]
fn a_table_has_no_more_rows_than_its_numbers_allow() {
    // Here a table may have 10,000 rows.
    let right = numbered((0..50_000).collect());
    let left = numbered((0..100).map(|i| i * 400).collect());
    let join = plan(&case(left, right, JoinKind::Left, Strictness::All));
    let (mut runtime, ..) = spilling(1);
    let mut never = Arc::into_inner(spill(1, Arc::new(MemoryDisk::new()))).unwrap();
    never.join = JoinLimits::NEVER;
    runtime.spill = Arc::new(never);
    let got = run_with(Plan::Join(Box::new(join)), &context(2, 100), &runtime);
    assert_eq!(got.rows, 100);
    assert!(rows(&got).iter().all(|row| !row.contains("Null")));
    assert!(runtime.spill.written.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_full_disk_ends_a_join_with_an_error() {
    let right = numbered((0..2000).collect());
    let join = plan(&case(right.clone(), right, JoinKind::Inner, Strictness::All));
    let (mut runtime, ..) = spilling(1);
    let disk = Arc::new(MemoryDisk::new());
    let mut small = Arc::into_inner(spill(1, disk.clone())).unwrap();
    small.most = 5000;
    runtime.spill = Arc::new(small);
    let context = context(2, 100);
    let query = crate::testing::query(Plan::Join(Box::new(join)));
    let sink = crate::CollectSink::create(&context);
    let error = crate::execute(&query, &context, &runtime, sink).unwrap_err();
    assert_eq!(error.code(), entasis_base::codes::TOO_MANY_ROWS_OR_BYTES);
    nothing_left(&*disk);
}
