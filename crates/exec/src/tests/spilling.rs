//! Operators under thresholds of a byte and of more must answer what they answer in memory, and a
//! disk that fails must be an error.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use entasis_base::clock::Rng;
use entasis_column::Chunk;
use entasis_column::compare::SortOrder;
use entasis_disk::{Fault, FaultDisk, MemoryDisk};
use entasis_expr::ColumnId;
use entasis_function::Arg;
use entasis_function::registry::{bind_aggregate, find_window};
use entasis_function::window::{Frame, FrameBound, FrameUnit, WindowArgs};
use entasis_pipeline::Sink;
use entasis_plan::{OverWindow, Plan, SortKey, Window, WindowCall, physical};
use entasis_types::DataType;

use crate::aggregate::tests::NoContext;
use crate::testing::{
    KINDS, column, context, nothing_left, query, rows, run_with, runtime, scan, sorted_rows, spill,
    type_of,
};
use crate::{CollectSink, Runtime, execute};

/// Random rows; the last column is their number.
fn random_rows(rng: &mut Rng, keys: usize, count: usize, spread: u64) -> Chunk {
    let mut columns: Vec<_> = (0..keys)
        .map(|_| {
            let kind = rng.below(KINDS);
            column(rng, kind, count, spread)
        })
        .collect();
    columns.push((0..count as u64).collect::<Vec<_>>().into());
    Chunk::new(columns, count)
}

fn ids(count: usize) -> Vec<ColumnId> {
    (0..count as u32).map(ColumnId).collect()
}

fn scan_of(chunk: &Chunk, columns: usize) -> Box<Plan> {
    Box::new(scan(chunk, &(0..columns as u32).collect::<Vec<_>>()))
}

/// Random sizes: rows, threads, rows per block, and bytes of the threshold.
fn sizes(rng: &mut Rng) -> (usize, usize, usize, u64) {
    let (count, block) =
        [(0, 1), (50, 1), (700, 7), (5000, 64), (20_000, 8192)][rng.below(5) as usize];
    (count, 1 + rng.below(4) as usize, block, [1, 50_000, 400_000][rng.below(3) as usize])
}

/// What a plan answers in memory, and what with a threshold. Something is written if the threshold
/// is a byte and `must_write`.
fn both(
    plan: &dyn Fn() -> Plan,
    threads: usize,
    block: usize,
    bytes: u64,
    must_write: bool,
) -> (Chunk, Chunk) {
    let in_memory = run_with(plan(), &context(threads, block), &runtime(3));
    let rules = spill(bytes, Arc::new(MemoryDisk::new()));
    let with = Runtime { spill: Arc::clone(&rules), ..runtime(3) };
    let context = context(threads, block);
    let on_disk = run_with(plan(), &context, &with);
    assert!(rules.written.load(Relaxed) > 0 || bytes > 1 || !must_write);
    (in_memory, on_disk)
}

#[test]
fn distinct_rows_on_disk() {
    let mut rng = Rng::new(71);
    for _ in 0..60 {
        let (count, threads, block, bytes) = sizes(&mut rng);
        let (keys, spread) = (1 + rng.below(3) as usize, 1 + rng.below(count as u64 + 1));
        let chunk = random_rows(&mut rng, keys, count, spread);
        let limit = [None, None, Some(rng.below(300))][rng.below(3) as usize];
        let twice = rng.below(2) == 0;
        let plan = || {
            let mut input = scan_of(&chunk, keys);
            if twice {
                let types = chunk.columns[..keys].iter().map(type_of);
                let columns = ids(keys).into_iter().zip(types).collect();
                let inputs = vec![*scan_of(&chunk, keys), *input];
                input = Box::new(Plan::Union(physical::Union { inputs, columns }));
            }
            Plan::Distinct(physical::Distinct { input, limit })
        };
        let (in_memory, on_disk) = both(&plan, threads, block, bytes, false);
        let (wanted, got) = (sorted_rows(&in_memory), sorted_rows(&on_disk));
        match limit {
            None => assert_eq!(wanted, got),
            Some(_) => {
                let different: HashSet<&String> = got.iter().collect();
                assert_eq!((got.len(), different.len()), (wanted.len(), wanted.len()));
            }
        }
    }
}

#[test]
fn a_distinct_writes_what_has_passed_and_what_has_not() {
    let mut rng = Rng::new(72);
    let numbers: Vec<u64> = (0..60_000).map(|_| rng.below(40_000)).collect();
    let different: HashSet<u64> = numbers.iter().copied().collect();
    let chunk = Chunk::new(vec![numbers.into()], 60_000);
    for threads in [1, 3] {
        let plan = || Plan::Distinct(physical::Distinct { input: scan_of(&chunk, 1), limit: None });
        let (in_memory, on_disk) = both(&plan, threads, 500, 1, true);
        assert_eq!(on_disk.rows, different.len());
        assert_eq!(sorted_rows(&in_memory), sorted_rows(&on_disk));
    }
}

#[test]
fn limit_by_on_disk_keeps_the_order_of_the_source() {
    let mut rng = Rng::new(73);
    for _ in 0..60 {
        let (count, threads, block, bytes) = sizes(&mut rng);
        let (keys, spread) = (1 + rng.below(3) as usize, 1 + rng.below(60));
        let chunk = random_rows(&mut rng, keys, count, spread);
        let (offset, limit) = (rng.below(3), 1 + rng.below(4));
        let plan = || {
            let (input, keys) = (scan_of(&chunk, keys + 1), ids(keys));
            Plan::LimitBy(physical::LimitBy { input, keys, offset, limit })
        };
        let (in_memory, on_disk) = both(&plan, threads, block, bytes, count > 0);
        assert_eq!(rows(&in_memory), rows(&on_disk));
    }
}

fn key(column: usize, rng: &mut Rng) -> SortKey {
    let order = SortOrder { descending: rng.below(2) == 0, nulls_first: rng.below(2) == 0 };
    SortKey { column: ColumnId(column as u32), order }
}

/// Calls of `row_number()`, and of the sum of the rows' numbers over a frame.
fn window_calls(order: usize, argument: usize, frame: Frame) -> Vec<WindowCall> {
    entasis_functions::register();
    let whole = WindowArgs { name: "", params: &[], args: &[], frame: &frame, is_ordered: true };
    let number = Arc::from((find_window("row_number").unwrap().bind)(whole).unwrap());
    let sum = bind_aggregate("sum", &[], &[DataType::UInt64], &NoContext).unwrap();
    let call = |id, name: &str, function, args| WindowCall {
        id: ColumnId(id),
        name: name.into(),
        function,
        args,
        order,
        frame,
    };
    vec![
        call(90, "row_number", OverWindow::Function(number), vec![]),
        call(91, "sum", OverWindow::Aggregate(sum), vec![ColumnId(argument as u32)]),
    ]
}

#[test]
fn windows_on_disk() {
    let mut rng = Rng::new(74);
    for _ in 0..60 {
        let (count, threads, block, bytes) = sizes(&mut rng);
        let (parts, orders) = (rng.below(3) as usize, rng.below(3) as usize);
        let spread = 1 + rng.below(200);
        let chunk = random_rows(&mut rng, parts + orders, count, spread);
        let order: Vec<SortKey> = (parts..parts + orders).map(|at| key(at, &mut rng)).collect();
        let unit = [FrameUnit::Rows, FrameUnit::Groups][rng.below(2) as usize];
        let (start, end) = (FrameBound::Preceding(2), FrameBound::CurrentRow);
        // Groups of rows without ORDER BY are whole partitions.
        let unit = if orders == 0 { FrameUnit::Rows } else { unit };
        let frame = Frame { unit, start, end, is_default: false };
        let plan = || {
            Plan::Window(Box::new(Window {
                input: *scan_of(&chunk, parts + orders + 1),
                partition: ids(parts),
                order: order.clone(),
                calls: window_calls(orders, parts + orders, frame),
            }))
        };
        let (in_memory, on_disk) = both(&plan, threads, block, bytes, count > 0);
        assert_eq!(sorted_rows(&in_memory), sorted_rows(&on_disk));
    }
}

/// Calls that do not need whole partitions, some of them at random.
fn calls_of_parts(rng: &mut Rng, orders: usize, argument: usize) -> Vec<WindowCall> {
    let bound = |rng: &mut Rng, back: bool| match (rng.below(3), back) {
        (0, true) => FrameBound::Preceding(rng.below(9) as u32),
        (0, false) => FrameBound::Following(rng.below(9) as u32),
        _ => FrameBound::CurrentRow,
    };
    let rows = |start, end| Frame { unit: FrameUnit::Rows, start, end, is_default: false };
    let around = rows(bound(rng, true), bound(rng, false));
    let running = rows(FrameBound::Unbounded, FrameBound::CurrentRow);
    let function = |name: &str| {
        let args = [Arg { ty: DataType::UInt64, constant: None, is_lambda: false }];
        let args = if name.starts_with("la") || name.starts_with("le") { &args[..] } else { &[] };
        let frame = &Frame::DEFAULT;
        let call = WindowArgs { name: "", params: &[], args, frame, is_ordered: true };
        OverWindow::Function(Arc::from((find_window(name).unwrap().bind)(call).unwrap()))
    };
    let aggregate = |name| {
        let bound = bind_aggregate(name, &[], &[DataType::UInt64], &NoContext);
        OverWindow::Aggregate(bound.unwrap())
    };
    let all = [
        (function("row_number"), Frame::DEFAULT),
        (function("rank"), Frame::DEFAULT),
        (function("denseRank"), Frame::DEFAULT),
        (function("lag"), Frame::DEFAULT),
        (function("lead"), Frame::DEFAULT),
        (function("lagInFrame"), Frame::DEFAULT),
        (aggregate("sum"), Frame::DEFAULT),
        (aggregate("groupArray"), around),
        (aggregate("uniqExact"), running),
        (aggregate("max"), running),
    ];
    let mut calls = Vec::new();
    for (function, frame) in all {
        if rng.below(3) > 0 {
            continue;
        }
        let takes = !is_rank(&function);
        calls.push(WindowCall {
            id: ColumnId(90 + calls.len() as u32),
            name: "".into(),
            args: if takes { vec![ColumnId(argument as u32)] } else { Vec::new() },
            function,
            order: rng.below(1 + orders as u64) as usize,
            frame,
        });
    }
    calls
}

/// Whether a function has no arguments.
fn is_rank(function: &OverWindow) -> bool {
    use entasis_function::window::Needs;
    let OverWindow::Function(function) = function else { return false };
    matches!(function.needs(), Needs::RowsBefore { .. } | Needs::RunsBefore)
}

#[test]
fn parts_of_partitions_on_disk() {
    entasis_functions::register();
    let mut rng = Rng::new(79);
    for _ in 0..150 {
        let (count, threads, block, bytes) = sizes(&mut rng);
        let count = count.min(700);
        let (parts, orders) = (rng.below(2) as usize, rng.below(3) as usize);
        let spread = 1 + rng.below(40);
        let chunk = random_rows(&mut rng, parts + orders, count, spread);
        let order: Vec<SortKey> = (parts..parts + orders).map(|at| key(at, &mut rng)).collect();
        let calls = calls_of_parts(&mut rng, orders, parts + orders);
        let plan = || {
            Plan::Window(Box::new(Window {
                input: *scan_of(&chunk, parts + orders + 1),
                partition: ids(parts),
                order: order.clone(),
                calls: calls.clone(),
            }))
        };
        let (in_memory, on_disk) = both(&plan, threads, block, bytes, count > 0);
        assert_eq!(sorted_rows(&in_memory), sorted_rows(&on_disk));
    }
}

#[test]
fn limits_of_sorted_rows_on_disk() {
    let mut rng = Rng::new(75);
    for round in 0..60 {
        let (count, threads, block, bytes) = sizes(&mut rng);
        let spread = 1 + rng.below(100);
        let chunk = random_rows(&mut rng, 2, count, spread);
        let (offset, limit) = (rng.below(count as u64 + 1), rng.below(count as u64 + 1));
        let keys = vec![key(0, &mut rng), key(1, &mut rng), key(2, &mut rng)];
        let sorts_all = round % 2 == 0;
        let plan = || {
            let (input, keys) = (scan_of(&chunk, 3), keys.clone());
            let most = (!sorts_all).then_some(offset + limit);
            let sort = physical::Sort { input, keys, limit: most, threshold: None };
            let (input, limit) = (Box::new(Plan::Sort(sort)), Some(limit));
            Plan::Limit(physical::Limit { input, offset, limit })
        };
        let writes = count > 0 && (sorts_all || offset + limit > 0);
        let (in_memory, on_disk) = both(&plan, threads, block, bytes, writes);
        assert_eq!(rows(&in_memory), rows(&on_disk));
    }
}

/// Runs a plan on a disk that fails at each call in turn, with several kinds of faults.
fn fails_well(plan: &dyn Fn() -> Plan, step: usize) {
    for fault in [Fault::NoSpace, Fault::ShortWrite, Fault::ReadFails, Fault::Error] {
        for call in (0..).step_by(step) {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(call, fault);
            let runtime = Runtime { spill: spill(1, disk.clone()), ..runtime(2) };
            let context = context(2, 100);
            let sink = CollectSink::create(&context);
            let into = Arc::clone(&sink) as Arc<dyn Sink>;
            if let Err(error) = execute(&query(plan()), &context, &runtime, into) {
                assert!(error.message().contains("tmp"), "{error}");
                assert!(disk.faults_struck());
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

#[test]
fn a_disk_that_fails_is_an_error_of_every_operator() {
    let mut rng = Rng::new(76);
    let numbers: Vec<u64> = (0..1000).map(|_| rng.below(500)).collect();
    let chunk = Chunk::new(vec![numbers.into(), (0..1000u64).collect::<Vec<_>>().into()], 1000);
    let input = || scan_of(&chunk, 2);
    let order = SortKey { column: ColumnId(0), order: SortOrder::ASCENDING };
    let frame = Frame {
        unit: FrameUnit::Rows,
        start: FrameBound::Unbounded,
        end: FrameBound::CurrentRow,
        is_default: false,
    };
    fails_well(&|| Plan::Distinct(physical::Distinct { input: input(), limit: None }), 301);
    let (offset, limit) = (0, 1);
    fails_well(
        &|| {
            let keys = ids(1);
            Plan::LimitBy(physical::LimitBy { input: input(), keys, offset, limit })
        },
        31,
    );
    fails_well(
        &|| {
            Plan::Window(Box::new(Window {
                input: *input(),
                partition: ids(1),
                order: vec![order.clone()],
                calls: window_calls(1, 1, frame)[..1].to_vec(),
            }))
        },
        31,
    );
    fails_well(
        &|| {
            let (keys, limit) = (vec![order.clone()], Some(800));
            let sort = physical::Sort { input: input(), keys, limit, threshold: None };
            Plan::Limit(physical::Limit { input: Box::new(Plan::Sort(sort)), offset, limit })
        },
        31,
    );
}
