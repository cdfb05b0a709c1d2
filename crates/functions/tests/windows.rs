//! Aggregates over random frames against a fresh state per frame, for functions with and without a
//! way of their own; functions of places and neighbours by hand.
#![allow(clippy::unwrap_used, clippy::panic)]

use entasis_base::clock::Rng;
use entasis_column::{Bitmap, Column, Strings};
use entasis_types::{DataType, Value};

use entasis_function::registry::find_window;
use entasis_function::window::{Frame, Frames, Rows, WindowArgs, over_frames};
use entasis_function::{Aggregate, Arg};

mod common;

use common::{NoContext, bind_aggregate};

/// Frames whose bounds never go back: sliding, growing, repeated, empty, jumping.
fn random_frames(rng: &mut Rng, rows: u32) -> Frames {
    let mut frames = Frames::default();
    let (mut start, mut end) = (0u32, 0u32);
    let most = 1 + rng.below(9) as u32;
    for _ in 0..rows {
        if rng.below(3) > 0 {
            start += rng.below(u64::from(most)) as u32;
        }
        end += rng.below(u64::from(most) + 1) as u32;
        if rng.below(40) == 0 {
            (start, end) = (start + 60, end + 90);
        }
        (start, end) = (start.min(rows), end.clamp(start.min(rows), rows));
        frames.starts.push(start);
        frames.ends.push(end);
    }
    frames
}

/// One row's frame by its definition.
fn naive(function: &dyn Aggregate, args: &[Column], start: usize, end: usize) -> Value {
    let mut states = function.states();
    states.resize(1);
    for row in start..end {
        let one: Vec<Column> = args.iter().map(|arg| arg.slice(row, 1)).collect();
        states.update(&one, &[0]).unwrap();
    }
    states.finish(0..1).unwrap().full().value(0)
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || a == b,
        (Value::Array(a), Value::Array(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

fn column(rng: &mut Rng, ty: &str, rows: usize) -> Column {
    let mut below = |n: u64| rng.below(n);
    match ty {
        "UInt64" => (0..rows).map(|_| u64::MAX - below(50)).collect::<Vec<_>>().into(),
        "UInt8" => (0..rows).map(|_| below(2) as u8).collect::<Vec<_>>().into(),
        "Int32" => (0..rows).map(|_| below(90) as i32 - 40).collect::<Vec<_>>().into(),
        "Float64" => (0..rows)
            .map(|_| if below(9) == 0 { f64::NAN } else { below(1000) as f64 / 7.0 })
            .collect::<Vec<_>>()
            .into(),
        "String" => (0..rows).map(|_| "ab".repeat(below(4) as usize)).collect::<Strings>().into(),
        "Decimal(9, 2)" => (0..rows).map(|_| below(900) as i32).collect::<Vec<_>>().into(),
        "Array(UInt8)" => {
            let values = (0..2 * rows).map(|_| below(5) as u8).collect::<Vec<_>>();
            Column::array((0..=rows as u32).map(|i| 2 * i).collect(), values.into())
        }
        nullable => {
            let inner = nullable.trim_start_matches("Nullable(").trim_end_matches(')');
            let valid: Vec<bool> = (0..rows).map(|_| below(3) > 0).collect();
            let values = column(rng, inner, rows);
            Column::nullable(values, Bitmap::from_fn(rows, |i| valid[i]))
        }
    }
}

const CALLS: &[(&str, &[f64], &[&str])] = &[
    ("count", &[], &[]),
    ("count", &[], &["Nullable(Int32)"]),
    ("sum", &[], &["UInt64"]),
    ("sum", &[], &["Float64"]),
    ("sum", &[], &["Nullable(Int32)"]),
    ("sum", &[], &["Decimal(9, 2)"]),
    ("sumIf", &[], &["Int32", "UInt8"]),
    ("sumOrNull", &[], &["Int32"]),
    ("sumOrDefaultIf", &[], &["Nullable(Int32)", "UInt8"]),
    ("sumDistinct", &[], &["Int32"]),
    ("sumForEach", &[], &["Array(UInt8)"]),
    ("avg", &[], &["Int32"]),
    ("avg", &[], &["Nullable(Float64)"]),
    ("avg", &[], &["Decimal(9, 2)"]),
    ("min", &[], &["Float64"]),
    ("max", &[], &["Float64"]),
    ("max", &[], &["Nullable(Int32)"]),
    ("min", &[], &["String"]),
    ("any", &[], &["String"]),
    ("any", &[], &["Nullable(String)"]),
    ("anyLast", &[], &["Nullable(Int32)"]),
    ("any_respect_nulls", &[], &["Nullable(Int32)"]),
    ("anyLast_respect_nulls", &[], &["Nullable(Int32)"]),
    ("argMax", &[], &["String", "Int32"]),
    ("quantile", &[0.3], &["Float64"]),
    ("quantiles", &[0.0, 0.5, 0.9], &["Int32"]),
    ("median", &[], &["Nullable(Int32)"]),
    ("quantileExact", &[0.95], &["Float64"]),
    ("quantileExact", &[], &["Int32"]),
    ("quantilesExactLow", &[0.5, 0.1], &["Int32"]),
    ("quantileExactHigh", &[], &["Int32"]),
    ("quantileExactInclusive", &[0.3], &["Float64"]),
    ("quantileExactExclusive", &[0.3], &["Int32"]),
    ("quantileExactWeighted", &[0.3], &["Int32", "UInt8"]),
    ("quantileTDigest", &[0.3], &["Float64"]),
    ("quantileTiming", &[0.3], &["Int32"]),
    ("uniq", &[], &["String"]),
    ("uniqExact", &[], &["Int32"]),
    ("groupArray", &[], &["Int32"]),
    ("groupArray", &[2.0], &["String"]),
    ("groupArraySorted", &[3.0], &["Int32"]),
    ("groupUniqArray", &[], &["UInt8"]),
    ("topK", &[3.0], &["Int32"]),
    ("stddevPop", &[], &["Int32"]),
    ("corr", &[], &["Int32", "Float64"]),
    ("deltaSum", &[], &["Int32"]),
    ("groupBitXor", &[], &["UInt64"]),
    ("sumMap", &[], &["Array(UInt8)", "Array(UInt8)"]),
    ("sumState", &[], &["Int32"]),
    ("entropy", &[], &["Int32"]),
    ("simpleLinearRegression", &[], &["Int32", "Int32"]),
];

#[test]
fn frames_are_what_a_fresh_state_says() {
    let mut rng = Rng::new(77);
    for (name, params, types) in CALLS {
        let params: Vec<Value> = params
            .iter()
            .map(|&p| if p >= 1.0 { Value::UInt(p as u64) } else { Value::Float(p) })
            .collect();
        let bound: Vec<DataType> = types.iter().map(|t| DataType::parse(t).unwrap()).collect();
        let function = bind_aggregate(name, &params, &bound, &NoContext).unwrap();
        for case in 0..6 {
            let rows = [0, 1, 40, 90, 160, 300][case];
            let args: Vec<Column> = types.iter().map(|t| column(&mut rng, t, rows)).collect();
            let frames = match case {
                4 => Frames { starts: vec![0; rows], ends: (1..=rows as u32).collect() },
                _ => random_frames(&mut rng, rows as u32),
            };
            // `count()` has no argument to tell the number of rows by: its frames do.
            let got = over_frames(&*function, &args, &frames).unwrap().full();
            assert_eq!(got.len(), rows, "{name}");
            for (row, (start, end)) in frames.iter().enumerate() {
                let want = if args.is_empty() {
                    Value::UInt((end - start) as u64)
                } else {
                    naive(&*function, &args, start, end)
                };
                let got = got.value(row);
                assert!(
                    same(&got, &want),
                    "{name}{types:?} case {case} row {row} {start}..{end}: {got:?} {want:?}"
                );
            }
        }
    }
}

#[test]
fn frames_that_repeat_are_found() {
    let frames = Frames { starts: vec![0, 0, 2, 2], ends: vec![2, 2, 2, 4] };
    let (distinct, of_row) = frames.distinct();
    assert_eq!(distinct, Frames { starts: vec![0, 2, 2], ends: vec![2, 2, 4] });
    assert_eq!(of_row, Some(vec![0, 0, 1, 2]));
    assert_eq!(distinct.distinct().1, None);
    let kept = Bitmap::from_fn(4, |i| i != 1);
    assert_eq!(frames.among(&kept), Frames { starts: vec![0, 0, 1, 1], ends: vec![1, 1, 1, 3] });
}

fn run(name: &str, args: &[(Arg, Column)], rows: Rows<'_>) -> Column {
    entasis_functions::register();
    let def = find_window(name).unwrap();
    let types: Vec<Arg> = args.iter().map(|(arg, _)| arg.clone()).collect();
    let frame = Frame::DEFAULT;
    let call =
        WindowArgs { name: def.name, params: &[], args: &types, frame: &frame, is_ordered: true };
    let columns: Vec<Column> = args.iter().map(|(_, column)| column.clone()).collect();
    (def.bind)(call).unwrap().run(&columns, rows).unwrap()
}

#[test]
fn places_and_neighbours() {
    // Partitions of 4 rows and of 3; rows 0-1 and 5-6 are equal in ORDER BY.
    let (partitions, peers) = (vec![0, 4, 7], vec![0, 2, 3, 4, 5, 7]);
    let frames = Frames { starts: vec![0, 0, 0, 0, 4, 4, 4], ends: vec![2, 2, 3, 4, 5, 7, 7] };
    let rows = Rows { partitions: &partitions, peers: &peers, frames: &frames };
    let places = |name: &str| run(name, &[], rows).native::<u64>().unwrap().to_vec();
    assert_eq!(places("ROW_NUMBER"), [1, 2, 3, 4, 1, 2, 3]);
    assert_eq!(places("rank"), [1, 1, 3, 4, 1, 2, 2]);
    assert_eq!(places("dense_rank"), [1, 1, 2, 3, 1, 2, 2]);
    let shares = |name: &str| run(name, &[], rows).native::<f64>().unwrap().to_vec();
    assert_eq!(shares("percent_rank"), [0.0, 0.0, 2.0 / 3.0, 1.0, 0.0, 0.5, 0.5]);
    assert_eq!(shares("cume_dist"), [0.5, 0.5, 0.75, 1.0, 1.0 / 3.0, 1.0, 1.0]);
    let parts = (Arg::constant(DataType::UInt8, Value::UInt(3)), Column::from(vec![3u8; 7]));
    let got = run("ntile", &[parts], rows);
    assert_eq!(got.native::<u64>().unwrap().to_vec(), [1, 1, 2, 3, 1, 2, 3]);
    let value = (Arg::column(DataType::UInt64), Column::from((10..17u64).collect::<Vec<_>>()));
    let of = |name: &str, args: &[(Arg, Column)]| {
        run(name, args, rows).native::<u64>().unwrap().to_vec()
    };
    assert_eq!(of("lag", std::slice::from_ref(&value)), [0, 10, 11, 12, 0, 14, 15]);
    assert_eq!(of("lead", std::slice::from_ref(&value)), [11, 12, 13, 0, 15, 16, 0]);
    let two = (Arg::column(DataType::Int64), Column::from(vec![2i64; 7]));
    assert_eq!(of("leadInFrame", &[value.clone(), two.clone()]), [0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(of("lagInFrame", &[value.clone(), two.clone()]), [0, 0, 10, 11, 0, 0, 14]);
    assert_eq!(of("nth_value", &[value, two]), [11, 11, 11, 11, 0, 15, 15]);
    assert!(find_window("CUME_DIST").is_none());
}

#[test]
fn a_counter_grows_by_the_time_that_passed() {
    let (partitions, peers) = (vec![0, 4, 6], vec![0, 1, 2, 3, 4, 5, 6]);
    let frames = Frames { starts: vec![0; 6], ends: vec![6; 6] };
    let rows = Rows { partitions: &partitions, peers: &peers, frames: &frames };
    let counter =
        (Arg::column(DataType::Float64), Column::from(vec![1.0, 3.0, 2.0, 9.0, 5.0, 6.0]));
    let time = |ty: &str| {
        let ty = DataType::parse(ty).unwrap();
        let wide = matches!(ty, DataType::DateTime64(..));
        let column = if wide {
            Column::from(vec![0i64, 2, 5, 6, 7, 7])
        } else {
            Column::from(vec![0u32, 2, 5, 6, 7, 7])
        };
        (Arg::column(ty), column)
    };
    let rates = |args: &[(Arg, Column)]| {
        run("nonNegativeDerivative", args, rows).native::<f64>().unwrap().to_vec()
    };
    let seconds = [counter.clone(), time("DateTime")];
    assert_eq!(rates(&seconds), [0.0, 1.0, 0.0, 7.0, 0.0, 0.0]);
    let hour = DataType::parse("IntervalHour").unwrap();
    let per_hour =
        (Arg::constant(hour, Value::Int(2)), Column::constant(Column::from(vec![2i64]), 6));
    let [a, b] = seconds;
    assert_eq!(rates(&[a, b, per_hour]), [0.0, 7200.0, 0.0, 50400.0, 0.0, 0.0]);
    let tenths = rates(&[counter, time("DateTime64(1)")]);
    assert_eq!(tenths, [0.0, 10.0, 0.0, 70.0, 0.0, 0.0]);
}
