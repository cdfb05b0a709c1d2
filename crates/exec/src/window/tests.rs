//! Random rows, windows and frames, compared with the definition: a frame is all rows of the
//! partition that lie between its bounds, in order.

use std::cmp::Ordering;

use entasis_base::clock::Rng;
use entasis_column::Column;
use entasis_column::compare::{compare_rows, compare_values};
use entasis_expr::ColumnId;
use entasis_function::registry::{bind_aggregate, find_window};
use entasis_function::window::{FrameBound, FrameUnit, WindowArgs};
use entasis_plan::{Plan, SortKey, Window, WindowCall};
use entasis_types::{DataType, Value};

use super::*;
use crate::aggregate::tests::NoContext;
use crate::testing::{column, context, run, scan};

const ASCENDING: SortOrder = SortOrder { descending: false, nulls_first: false };

/// A random frame that is valid; `by_values` allows a RANGE with offsets.
fn random_frame(rng: &mut Rng, by_values: bool) -> Frame {
    let unit = [FrameUnit::Rows, FrameUnit::Groups, FrameUnit::Range][rng.below(3) as usize];
    let offsets = unit != FrameUnit::Range || by_values;
    loop {
        let mut bound = || match rng.below(4) {
            0 => FrameBound::Unbounded,
            1 if offsets => FrameBound::Preceding(rng.below(6) as u32),
            2 if offsets => FrameBound::Following(rng.below(6) as u32),
            _ => FrameBound::CurrentRow,
        };
        let (start, end) = (bound(), bound());
        // The position of a bound, in units of the frame from the current row on.
        let at = |bound, unbounded| match bound {
            FrameBound::Unbounded => unbounded,
            FrameBound::Preceding(n) => -i64::from(n),
            FrameBound::CurrentRow => 0,
            FrameBound::Following(n) => i64::from(n),
        };
        if at(start, i64::MIN) <= at(end, i64::MAX) {
            return Frame { unit, start, end, is_default: false };
        }
    }
}

/// Whether row `other` lies within the frame of row `row`. Both are positions among the partition's
/// sorted rows; `group` numbers the runs of rows equal in ORDER BY, and `value` is its column.
fn is_inside(
    frame: &Frame,
    (row, other): (i64, i64),
    group: &[i64],
    value: &dyn Fn(i64) -> i64,
) -> bool {
    let distance = |bound: FrameBound| match (frame.unit, bound) {
        (FrameUnit::Rows, _) => other - row,
        (FrameUnit::Range, FrameBound::Preceding(_) | FrameBound::Following(_)) => {
            value(other) - value(row)
        }
        _ => group[other as usize] - group[row as usize],
    };
    let after_start = match frame.start {
        FrameBound::Unbounded => true,
        FrameBound::Preceding(n) => distance(frame.start) >= -i64::from(n),
        FrameBound::CurrentRow => distance(frame.start) >= 0,
        FrameBound::Following(n) => distance(frame.start) >= i64::from(n),
    };
    let before_end = match frame.end {
        FrameBound::Unbounded => true,
        FrameBound::Preceding(n) => distance(frame.end) <= -i64::from(n),
        FrameBound::CurrentRow => distance(frame.end) <= 0,
        FrameBound::Following(n) => distance(frame.end) <= i64::from(n),
    };
    after_start && before_end
}

/// For each row of the chunk, by its number: the numbers of its frame's rows, and its
/// `row_number()`.
fn naive(
    chunk: &Chunk,
    parts: usize,
    order: &[(usize, SortOrder)],
    frame: &Frame,
) -> Vec<(Vec<u64>, u64)> {
    let compare = |keys: &[(usize, SortOrder)], a: u32, b: u32| {
        let each = keys.iter().map(|(at, order)| {
            let c = &chunk.columns[*at];
            compare_rows(c, a as usize, c, b as usize, *order)
        });
        each.fold(Ordering::Equal, Ordering::then)
    };
    let partition: Vec<(usize, SortOrder)> = (0..parts).map(|at| (at, ASCENDING)).collect();
    let mut sorted: Vec<u32> = (0..chunk.rows as u32).collect();
    sorted.sort_by(|&a, &b| compare(&partition, a, b).then(compare(order, a, b)));
    let mut out = vec![(Vec::new(), 0); chunk.rows];
    for rows in sorted.chunk_by(|a, b| compare(&partition, *a, *b).is_eq()) {
        let mut groups = vec![0];
        for pair in rows.windows(2) {
            let last = groups[groups.len() - 1];
            groups.push(last + i64::from(compare(order, pair[0], pair[1]).is_ne()));
        }
        let value = |place: i64| {
            let (at, order) = order[0];
            let value = match chunk.columns[at].full().value(rows[place as usize] as usize) {
                Value::Int(v) => v,
                Value::UInt(v) => v as i64,
                other => unreachable!("{other:?}"),
            };
            if order.descending { -value } else { value }
        };
        for (place, &row) in (0i64..).zip(rows) {
            let inside = |other: &i64| is_inside(frame, (place, *other), &groups, &value);
            let frame = (0..rows.len() as i64).filter(inside);
            let numbers = frame.map(|other| u64::from(rows[other as usize])).collect();
            out[row as usize] = (numbers, place as u64 + 1);
        }
    }
    out
}

fn case(rng: &mut Rng, rows: usize, block: usize, threads: usize) {
    entasis_functions::register();
    let (parts, orders) = (rng.below(3) as usize, rng.below(3) as usize);
    let kinds: Vec<u64> = (0..parts + orders).map(|_| rng.below(9)).collect();
    let mut columns: Vec<Column> = Vec::new();
    for kind in &kinds {
        let spread = 1 + rng.below(30);
        columns.push(column(rng, *kind, rows, spread));
    }
    // The last column identifies the row.
    columns.push(Column::from((0..rows as u64).collect::<Vec<_>>()));
    let chunk = Chunk::new(columns, rows);
    let order: Vec<(usize, SortOrder)> = (parts..parts + orders)
        .map(|at| {
            let order = SortOrder { descending: rng.below(2) == 0, nulls_first: rng.below(2) == 0 };
            (at, order)
        })
        .collect();
    let number = ColumnId((parts + orders) as u32);
    let by_values = orders == 1 && matches!(kinds[parts], 0 | 7 | 8);
    // Two calls with different frames, the second with fewer ORDER BY keys.
    let frames =
        [(orders, random_frame(rng, by_values)), (orders.min(1), random_frame(rng, false))];
    let list = bind_aggregate("groupArray", &[], &[DataType::UInt64], &NoContext).unwrap();
    let def = find_window("row_number").unwrap();
    let call =
        WindowArgs { name: "", params: &[], args: &[], frame: &frames[0].1, is_ordered: true };
    let places = Arc::from((def.bind)(call).unwrap());
    let mut calls: Vec<WindowCall> = (0u32..)
        .zip(&frames)
        .map(|(i, (order, frame))| WindowCall {
            id: ColumnId(100 + i),
            name: "groupArray".into(),
            function: OverWindow::Aggregate(Arc::clone(&list)),
            args: vec![number],
            order: *order,
            frame: *frame,
        })
        .collect();
    let function = OverWindow::Function(places);
    calls.push(WindowCall { id: ColumnId(102), function, args: vec![], ..calls[0].clone() });
    let window = Window {
        input: scan(&chunk, &(0..=number.0).collect::<Vec<_>>()),
        partition: (0..parts).map(|i| ColumnId(i as u32)).collect(),
        order: order
            .iter()
            .map(|(at, order)| SortKey { column: ColumnId(*at as u32), order: *order })
            .collect(),
        calls,
    };
    let got = run(Plan::Window(Box::new(window)), &context(threads, block));
    assert_eq!(got.rows, rows);
    let wanted =
        [naive(&chunk, parts, &order, &frames[0].1), naive_less(&chunk, parts, &order, &frames[1])];
    let at = number.0 as usize;
    for i in 0..rows {
        let row = got.columns[at].value(i).as_u64().unwrap() as usize;
        for (call, wanted) in wanted.iter().enumerate() {
            let list = match got.columns[at + 1 + call].value(i) {
                Value::Array(list) => list.iter().filter_map(Value::as_u64).collect::<Vec<_>>(),
                other => unreachable!("{other:?}"),
            };
            assert_eq!(list, wanted[row].0, "{kinds:?} {order:?} {:?}", frames[call]);
        }
        assert_eq!(got.columns[at + 3].value(i).as_u64(), Some(wanted[0][row].1));
        for c in 0..at {
            assert!(compare_values(&got.columns[c], i, &chunk.columns[c], row).is_eq());
        }
    }
}

/// [`naive`] for a call that has fewer ORDER BY keys than its rows are sorted by: the order of rows
/// that are equal for this call is determined by the other keys.
fn naive_less(
    chunk: &Chunk,
    parts: usize,
    order: &[(usize, SortOrder)],
    (count, frame): &(usize, Frame),
) -> Vec<(Vec<u64>, u64)> {
    let partition = (0..parts).map(|at| (at, ASCENDING));
    let keys: Vec<(usize, SortOrder)> = partition.chain(order.iter().copied()).collect();
    let sorted = crate::sort::sorted(chunk.clone(), &keys);
    let number = sorted.columns.len() - 1;
    let row_of = |i: u64| sorted.columns[number].value(i as usize).as_u64().unwrap();
    let mut out = vec![(Vec::new(), 0); chunk.rows];
    let by_place = naive(&sorted, parts, &order[..*count], frame);
    for (place, (frame, number)) in by_place.into_iter().enumerate() {
        let frame = frame.into_iter().map(row_of).collect();
        out[row_of(place as u64) as usize] = (frame, number);
    }
    out
}

#[test]
fn windows_are_what_their_definition_says() {
    let mut rng = Rng::new(31);
    for round in 0..150 {
        let rows = [0, 1, 60, 200][round % 4];
        case(&mut rng, rows, [1, 7, 8192][round % 3], [1, 2, 4][round % 3]);
    }
}

#[test]
fn many_rows_are_dealt_to_buckets_and_stay_in_source_order() {
    entasis_functions::register();
    let rows = 150_000usize;
    let mut rng = Rng::new(32);
    let keys: Vec<u64> = (0..rows).map(|_| rng.below(1000)).collect();
    let numbers: Vec<u64> = (0..rows as u64).collect();
    let chunk = Chunk::new(vec![keys.clone().into(), numbers.into()], rows);
    let list = bind_aggregate("sum", &[], &[DataType::UInt64], &NoContext).unwrap();
    let mut first: Option<Chunk> = None;
    for threads in [1, 4] {
        let frame = Frame {
            unit: FrameUnit::Rows,
            start: FrameBound::Preceding(1),
            end: FrameBound::CurrentRow,
            is_default: false,
        };
        let call = WindowCall {
            id: ColumnId(9),
            name: "sum".into(),
            function: OverWindow::Aggregate(Arc::clone(&list)),
            args: vec![ColumnId(1)],
            order: 0,
            frame,
        };
        let window = Window {
            input: scan(&chunk, &[0, 1]),
            partition: vec![ColumnId(0)],
            order: vec![],
            calls: vec![call],
        };
        let got = run(Plan::Window(Box::new(window)), &context(threads, 1000));
        let mut last = vec![0u64; 1000];
        let of = |column: usize, row: usize| got.columns[column].value(row).as_u64().unwrap();
        let mut wanted = vec![0; rows];
        for (row, key) in keys.iter().enumerate() {
            let before = std::mem::replace(&mut last[*key as usize], row as u64);
            wanted[row] = row as u64 + before;
        }
        for row in 0..got.rows {
            assert_eq!(of(2, row), wanted[of(1, row) as usize]);
        }
        assert_eq!(got.rows, rows);
        let first = first.get_or_insert_with(|| got.clone());
        assert_eq!(crate::testing::sorted_rows(&got), crate::testing::sorted_rows(first));
    }
}

#[test]
fn too_little_memory_is_an_error() {
    entasis_functions::register();
    let chunk = Chunk::new(vec![Column::from((0..100_000u64).collect::<Vec<_>>())], 100_000);
    let window = Window {
        input: scan(&chunk, &[0]),
        partition: vec![],
        order: vec![SortKey { column: ColumnId(0), order: ASCENDING }],
        calls: vec![],
    };
    let plan = crate::testing::query(Plan::Window(Box::new(window)));
    let context =
        QueryContext { memory: MemoryAccount::root("query", 1 << 20), ..context(2, 1000) };
    let sink = crate::CollectSink::create(&context);
    let sink = Arc::clone(&sink) as Arc<dyn Sink>;
    let error = crate::execute(&plan, &context, &crate::testing::runtime(2), sink).unwrap_err();
    assert_eq!(error.code(), entasis_base::codes::MEMORY_LIMIT_EXCEEDED);
}
