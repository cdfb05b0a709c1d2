//! Compares results with maps over printed values, for key types, workers, chunk sizes, partitions.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use entasis_base::clock::Rng;
use entasis_base::{CancelToken, MemoryAccount, Reservation, codes};
use entasis_column::{Bitmap, Chunk, Column, Dictionary, Strings};
use entasis_disk::{Fault, FaultDisk, MemoryDisk};
use entasis_function::registry::bind_aggregate;
use entasis_function::{Aggregate, FunctionContext};
use entasis_pipeline::{Flow, Morsel, Output, Progress, QueryContext, Read, Sink, Source};
use entasis_types::{DataType, TimeZone, Value};

use super::local::MOST_SET_ASIDE;
use super::spilled::{OnDisk, Pass, SpilledPartition, Writer, absorb};
use super::table::Groups;
use super::{Spec, distinct_operator, hash_sink, result, single_sink};
use crate::spill::{Spill, Spiller, SpillingOperator};
use crate::testing::{nothing_left, spill};

pub(crate) struct NoContext;

impl FunctionContext for NoContext {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
    fn time_zone(&self) -> TimeZone {
        TimeZone::utc()
    }
    fn database(&self) -> &'static str {
        "default"
    }
    fn user(&self) -> &'static str {
        "default"
    }
    fn seed(&self) -> u64 {
        0
    }
    fn setting(&self, _: &str) -> Option<Value> {
        None
    }
}

fn context(threads: usize, memory: u64) -> QueryContext {
    QueryContext {
        events: entasis_base::events::Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("query", memory),
        max_threads: threads,
        max_block_size: 8192,
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        max_insert_partitions: 0,
        progress: Arc::new(Progress::default()),
        profile: None,
        hook: None,
    }
}

type Calls = Vec<(Arc<dyn Aggregate>, Vec<usize>)>;

fn call(name: &str, types: &[DataType], args: &[usize]) -> (Arc<dyn Aggregate>, Vec<usize>) {
    entasis_functions::register();
    (bind_aggregate(name, &[], types, &NoContext).unwrap(), args.to_vec())
}

/// Runs an aggregation. Chunks go to the workers in turn; each worker has its own thread.
fn run(
    rows: &Chunk,
    size: usize,
    keys: &[(usize, DataType)],
    calls: Calls,
    limit: Option<u64>,
    context: &QueryContext,
) -> entasis_base::Result<Chunk> {
    let ends = match keys.is_empty() {
        true => single_sink(calls, context),
        false => hash_sink(keys.to_vec(), calls, limit, false, context, &Spill::never()),
    };
    collect(ends, rows, size, context)
}

/// Fills a sink with `rows` and returns what its source yields.
fn collect(
    (sink, source): (Arc<dyn Sink>, Arc<dyn Source>),
    rows: &Chunk,
    size: usize,
    context: &QueryContext,
) -> entasis_base::Result<Chunk> {
    let threads = context.max_threads;
    let failed = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let sink = &sink;
                scope.spawn(move || {
                    let mut state = sink.open()?;
                    for (i, start) in (0..rows.rows).step_by(size).enumerate() {
                        if i % threads == worker {
                            let chunk = rows.slice(start, size.min(rows.rows - start));
                            state.push(Morsel { sequence: i as u64, chunk })?;
                        }
                    }
                    state.combine()
                })
            })
            .collect();
        workers.into_iter().find_map(|w| w.join().unwrap().err())
    });
    if let Some(error) = failed {
        return Err(error);
    }
    sink.finalize(context)?;
    let chunks = Mutex::new(vec![]);
    let failed = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> entasis_base::Result<()> {
                    let mut reader = source.reader()?;
                    while let Read::Chunk(morsel) = reader.next()? {
                        assert!((1..=8192).contains(&morsel.chunk.rows));
                        chunks.lock().unwrap().push(morsel.chunk);
                    }
                    Ok(())
                })
            })
            .collect();
        readers.into_iter().find_map(|r| r.join().unwrap().err())
    });
    failed.map_or_else(|| Ok(Chunk::concat(&chunks.into_inner().unwrap())), Err)
}

fn text(value: &Value) -> String {
    match value {
        Value::Float(v) if v.is_nan() => "nan".into(),
        Value::Float(v) => format!("{v:?}"),
        Value::UInt(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        other => format!("{other:?}"),
    }
}

/// Key columns of many types, with `n` rows and about `distinct` different values each.
fn key_columns(n: usize, distinct: u64, seed: u64) -> Vec<(DataType, Column)> {
    let mut rng = Rng::new(seed);
    let mut draw = || -> Vec<u64> { (0..n).map(|_| rng.below(distinct)).collect() };
    let strings = |v: &[u64]| -> Strings {
        let of = |i: &u64| match i % 4 {
            0 => format!("{i}"),
            1 => format!("a-rather-long-key-{i}-of-more-than-thirty-two-bytes"),
            _ => format!("key{i}"),
        };
        v.iter().map(|i| if *i == 0 { String::new() } else { of(i) }).collect()
    };
    let i64s: Column = draw().iter().map(|&v| v as i64 - 5).collect::<Vec<_>>().into();
    let validity = draw();
    let validity = Bitmap::from_fn(n, |i| validity[i] % 3 != 0);
    let codes: Vec<u32> = draw().iter().map(|&v| (v % 50) as u32).collect();
    let dictionary = Dictionary::new(strings(&(0..50).collect::<Vec<_>>()).into());
    let few: Vec<u32> = draw().iter().map(|&v| (v % 3) as u32).collect();
    let numbers = Dictionary::new(vec![-1i64, 1 << 40, 0].into());
    let floats: Vec<f64> =
        draw().iter().map(|&v| if v % 7 == 0 { f64::NAN } else { v as f64 / 2.0 }).collect();
    let ends = (0..=n as u32).map(|i| i * 2).collect::<Vec<_>>();
    let halves: Vec<u16> = draw().iter().chain(&draw()).map(|&v| (v % 20) as u16).collect();
    vec![
        (DataType::UInt64, draw().into()),
        (DataType::Int64, i64s.clone()),
        (DataType::UInt8, draw().iter().map(|&v| v as u8).collect::<Vec<_>>().into()),
        (DataType::Int16, draw().iter().map(|&v| v as i16).collect::<Vec<_>>().into()),
        (DataType::Int32, draw().iter().map(|&v| -(v as i32)).collect::<Vec<_>>().into()),
        (DataType::Float64, floats.into()),
        (DataType::String, strings(&draw()).into()),
        (DataType::String, Column::dict(codes.into(), dictionary)),
        (DataType::nullable(DataType::Int64), Column::nullable(i64s, validity.clone())),
        (DataType::nullable(DataType::String), Column::nullable(strings(&draw()).into(), validity)),
        (DataType::array(DataType::UInt16), Column::array(ends.into(), halves.into())),
        (DataType::UInt32, Column::constant(vec![7u32].into(), n)),
        (DataType::Int64, Column::dict(few.into(), numbers)),
    ]
}

fn row_text(columns: &[Column], i: usize) -> String {
    columns.iter().map(|c| text(&c.value(i))).collect::<Vec<_>>().join("|")
}

/// Compares count, sum, min and the set of keys with a map.
fn check(picked: &[usize], n: usize, distinct: u64, (threads, size): (usize, usize), aside: usize) {
    check_spilled(picked, (n, distinct), (threads, size), aside, &Spill::never());
}

/// [`check`] with an aggregation that may spill.
fn check_spilled(
    picked: &[usize],
    (n, distinct): (usize, u64),
    (threads, size): (usize, usize),
    aside: usize,
    spill: &Arc<Spill>,
) {
    let all = key_columns(n, distinct, 1 + n as u64);
    let mut columns: Vec<Column> = picked.iter().map(|&i| all[i].1.clone()).collect();
    let values: Vec<i32> = (0..n).map(|i| (i as i32).wrapping_mul(7919) % 1000).collect();
    let names: Strings = values.iter().map(|v| format!("v{v}")).collect();
    let keys: Vec<(usize, DataType)> =
        picked.iter().enumerate().map(|(at, &i)| (at, all[i].0.clone())).collect();
    let k = keys.len();
    let mut naive: BTreeMap<String, (u64, i64, String)> = BTreeMap::new();
    for i in 0..n {
        let entry = naive.entry(row_text(&columns, i)).or_default();
        let name = format!("v{}", values[i]);
        if entry.0 == 0 || name < entry.2 {
            entry.2 = name;
        }
        entry.0 += 1;
        entry.1 += i64::from(values[i]);
    }
    columns.push(values.into());
    columns.push(names.into());
    let calls = vec![
        call("count", &[], &[]),
        call("sum", &[DataType::Int32], &[k]),
        call("min", &[DataType::String], &[k + 1]),
    ];
    let rows = Chunk::new(columns, n);
    let context = context(threads, 0);
    let spec = Spec::new(keys, calls, None, &context);
    let spiller =
        Spiller::new(spill, SpillingOperator::Aggregation, &spec.account, threads).map(Arc::new);
    let ends = result::create(Spec { most_set_aside: aside, spiller, ..spec });
    let result = collect(ends, &rows, size, &context).unwrap();
    assert_eq!(result.rows, naive.len(), "{picked:?} {n} {distinct} {threads} {size}");
    for i in 0..result.rows {
        let (count, sum, min) = &naive[&row_text(&result.columns[..k], i)];
        assert_eq!(result.columns[k].value(i), Value::UInt(*count));
        assert_eq!(result.columns[k + 1].value(i), Value::Int(*sum));
        assert_eq!(result.columns[k + 2].value(i), Value::string(min.as_bytes()));
    }
    assert_eq!(context.memory.used(), 0);
}

#[test]
fn every_kind_of_key() {
    for key in 0..13 {
        for (threads, size) in [(1, 1), (2, 7), (3, 8192)] {
            check(&[key], 500, 40, (threads, size), MOST_SET_ASIDE);
        }
    }
    for keys in [
        &[2, 3][..],
        &[0, 2],
        &[1, 4, 8],
        &[0, 6],
        &[7, 9, 5],
        &[0, 1, 4, 5],
        &[10, 6],
        &[11, 2],
        &[7, 12],
    ] {
        check(keys, 700, 6, (2, 100), MOST_SET_ASIDE);
    }
    check(&[0, 1, 8, 4, 5, 11], 700, 2, (2, 100), MOST_SET_ASIDE);
}

#[test]
fn tables_that_are_split() {
    for (threads, aside) in [(1, MOST_SET_ASIDE), (2, MOST_SET_ASIDE), (1, 1), (3, 1 << 17)] {
        for keys in [&[0][..], &[6], &[0, 4], &[0, 6], &[8], &[0, 1, 8]] {
            check(keys, 60_000, 40_000, (threads, 8192), aside);
        }
        check(&[0], 300_000, 30_000, (threads, 8192), aside);
    }
}

#[test]
fn nothing_in() {
    let rows = Chunk::new(vec![Column::from(Vec::<u64>::new())], 0);
    let calls = || vec![call("count", &[], &[]), call("sum", &[DataType::UInt64], &[0])];
    let result = run(&rows, 1, &[(0, DataType::UInt64)], calls(), None, &context(2, 0)).unwrap();
    assert_eq!(result.rows, 0);
    let result = run(&rows, 1, &[], calls(), None, &context(2, 0)).unwrap();
    assert_eq!((result.rows, result.columns[1].value(0)), (1, Value::UInt(0)));
}

#[test]
fn without_keys() {
    let n = 20_000;
    let values: Vec<u64> = (0..n).collect();
    let rows = Chunk::new(vec![values.into()], n as usize);
    let calls = ["sum", "min", "max", "avg", "any"].map(|f| call(f, &[DataType::UInt64], &[0]));
    let result = run(&rows, 999, &[], calls.to_vec(), None, &context(2, 0)).unwrap();
    let row = row_text(&result.columns[..4], 0);
    assert_eq!(row, format!("{}|0|{}|{:?}", n * (n - 1) / 2, n - 1, (n - 1) as f64 / 2.0));
}

#[test]
fn limits() {
    for (distinct, threads) in [(100, 1), (100, 2), (50_000, 2)] {
        let mut rng = Rng::new(3);
        let values: Vec<u64> = (0..100_000).map(|_| rng.below(distinct)).collect();
        let mut counts = BTreeMap::new();
        values.iter().for_each(|v| *counts.entry(*v).or_insert(0u64) += 1);
        let rows = Chunk::new(vec![values.into()], 100_000);
        let calls = vec![call("count", &[], &[])];
        let context = context(threads, 0);
        let result = run(&rows, 1000, &[(0, DataType::UInt64)], calls, Some(10), &context).unwrap();
        assert_eq!(result.rows, 10);
        for i in 0..10 {
            let key = result.columns[0].value(i).as_u64().unwrap();
            assert_eq!(result.columns[1].value(i).as_u64(), counts.get(&key).copied());
        }
    }
}

#[test]
fn memory_is_limited() {
    let rows = Chunk::new(vec![(0..1u64 << 20).collect::<Vec<_>>().into()], 1 << 20);
    let calls = vec![call("count", &[], &[])];
    let context = context(2, 4 << 20);
    let failure = run(&rows, 8192, &[(0, DataType::UInt64)], calls, None, &context).unwrap_err();
    assert_eq!(failure.code(), codes::MEMORY_LIMIT_EXCEEDED);
    assert!(failure.message().contains("Aggregating"), "{failure}");
}

struct Collect(Vec<Chunk>);

impl Output for Collect {
    fn push(&mut self, chunk: Chunk) -> entasis_base::Result<Flow> {
        self.0.push(chunk);
        Ok(Flow::More)
    }
}

#[test]
fn distinct_rows() {
    for (threads, limit) in [(1, None), (2, None), (2, Some(30)), (1, Some(1))] {
        for keys in [&[0][..], &[3], &[6], &[7, 0], &[10]] {
            let all = key_columns(5000, 300, 9);
            let types: Vec<DataType> = keys.iter().map(|&i| all[i].0.clone()).collect();
            let columns: Vec<Column> = keys.iter().map(|&i| all[i].1.clone()).collect();
            let wanted: HashSet<String> = (0..5000).map(|i| row_text(&columns, i)).collect();
            let rows = Chunk::new(columns, 5000);
            let (context, never) = (context(threads, 0), Spill::never());
            let (operator, _) = distinct_operator(&types, limit, threads == 1, &context, &never);
            let out = Mutex::new(vec![]);
            std::thread::scope(|scope| {
                for worker in 0..threads {
                    let (operator, rows, out) = (&operator, &rows, &out);
                    scope.spawn(move || {
                        let mut state = operator.open().unwrap();
                        let mut collect = Collect(vec![]);
                        for start in (worker * 100..5000).step_by(threads * 100) {
                            state.push(rows.slice(start, 100), &mut collect).unwrap();
                        }
                        state.finish(&mut collect).unwrap();
                        out.lock().unwrap().append(&mut collect.0);
                    });
                }
            });
            let out = Chunk::concat(&out.into_inner().unwrap());
            let got: Vec<String> = (0..out.rows).map(|i| row_text(&out.columns, i)).collect();
            let unique: HashSet<String> = got.iter().cloned().collect();
            assert_eq!(unique.len(), got.len());
            assert!(unique.is_subset(&wanted));
            assert_eq!(got.len(), wanted.len().min(limit.unwrap_or(u64::MAX) as usize));
        }
    }
}

#[test]
fn groups_on_disk() {
    let mut rng = Rng::new(5);
    for round in 0..40 {
        let picked: Vec<usize> = match round % 4 {
            0 => vec![rng.below(12) as usize],
            1 => vec![2],
            _ => (0..=rng.below(4)).map(|_| rng.below(12) as usize).collect(),
        };
        let n = [50, 3000, 40_000][rng.below(3) as usize];
        let distinct = 1 + rng.below(n as u64);
        let workers = (1 + rng.below(3) as usize, [7, 1000, 8192][rng.below(3) as usize]);
        let workers = (workers.0, if n > 3000 { 8192 } else { workers.1 });
        let aside = [1, 1 << 16, MOST_SET_ASIDE][rng.below(3) as usize];
        let bytes = [1, 200_000, 1 << 20][rng.below(3) as usize];
        let disk = Arc::new(MemoryDisk::new());
        let spill = spill(bytes, disk);
        check_spilled(&picked, (n, distinct), workers, aside, &spill);
        assert!(bytes > 1 || spill.written.load(Relaxed) > 0, "{picked:?} {n} {workers:?}");
    }
}

#[test]
fn partitions_that_are_read_several_times() {
    let passes = |bytes| {
        let first = Pass::first(bytes, 0);
        std::iter::successors(Some(first), |pass| pass.next()).collect::<Vec<_>>()
    };
    let counts = [0, 1, 256 << 10, 257 << 10, 2 << 20, usize::MAX].map(|b| passes(b).len());
    assert_eq!(counts, [1, 1, 1, 2, 8, 64]);
    for key in [0, 2, 6, 10] {
        let (ty, column) = key_columns(5000, 3000, 8).swap_remove(key);
        let context = context(1, 0);
        let spec = Spec::new(vec![(0, ty)], vec![call("count", &[], &[])], None, &context);
        let spill = spill(1, Arc::new(MemoryDisk::new()));
        let spiller =
            Spiller::new(&spill, SpillingOperator::Aggregation, &spec.account, 1).map(Arc::new);
        let (mut writer, to) = (Writer::new(&spiller.unwrap()), OnDisk::default());
        let keys = spec.layout.encode(&[column], 5000).unwrap();
        let (mut hashes, mut ids) = (Vec::new(), Vec::new());
        keys.spread(&mut hashes);
        let mut whole = Groups::new(&spec, 0);
        for _ in 0..2 {
            let mut groups = Groups::new(&spec, 0);
            for groups in [&mut groups, &mut whole] {
                groups.add(&keys, &hashes, &|_| Vec::new(), &mut ids).unwrap();
            }
            writer.write(&to, 0, Some(groups), None).unwrap();
        }
        writer.end_part().unwrap();
        let stored: Vec<SpilledPartition> =
            to.take().into_iter().map(|(_, stored)| stored).collect();
        let lines = |groups: &mut Groups| -> Vec<String> {
            let count = groups.table.len();
            let mut columns = spec.layout.decode(&groups.table.key_range(0, count).unwrap());
            let counts = groups.states[0].finish(0..count).unwrap();
            columns.iter_mut().for_each(|c| c.push(counts.clone()));
            (0..count).map(|i| row_text(columns.as_ref().unwrap(), i)).collect()
        };
        let mut got = Vec::new();
        for pass in passes(2 << 20) {
            let mut groups = Groups::new(&spec, 0);
            let mut held = Reservation::new(&spec.account);
            absorb(&mut groups, &spec, &stored, pass, &mut held).unwrap();
            got.extend(lines(&mut groups));
        }
        let mut wanted = lines(&mut whole);
        got.sort();
        wanted.sort();
        assert_eq!(got, wanted);
    }
}

#[test]
fn order_within_groups_survives_the_disk() {
    let n = 30_000;
    let keys: Vec<u64> = (0..n as u64).map(|i| i % 20_011).collect();
    let rows = Chunk::new(vec![keys.into(), (0..n as u64).collect::<Vec<_>>().into()], n);
    let calls =
        || ["groupArray", "any", "anyLast"].map(|f| call(f, &[DataType::UInt64], &[1])).to_vec();
    for (aside, bytes) in [(1, 1), (1 << 14, 1), (1 << 14, 1 << 19), (MOST_SET_ASIDE, 1 << 19)] {
        let context = context(1, 0);
        let spec = Spec::new(vec![(0, DataType::UInt64)], calls(), None, &context);
        let spill = spill(bytes, Arc::new(MemoryDisk::new()));
        let spiller =
            Spiller::new(&spill, SpillingOperator::Aggregation, &spec.account, 1).map(Arc::new);
        let ends = result::create(Spec { most_set_aside: aside, spiller, ..spec });
        let result = collect(ends, &rows, 500, &context).unwrap();
        assert!(spill.written.load(Relaxed) > 0);
        for i in 0..result.rows {
            let key = result.columns[0].value(i).as_u64().unwrap();
            let wanted: Vec<u64> = (key..n as u64).step_by(20_011).collect();
            let last = wanted[wanted.len() - 1];
            let list = wanted.iter().map(|v| Value::UInt(*v)).collect();
            assert_eq!(result.columns[1].value(i), Value::Array(list));
            assert_eq!(result.columns[2].value(i), Value::UInt(key));
            assert_eq!(result.columns[3].value(i), Value::UInt(last));
        }
    }
}

#[test]
fn a_disk_that_fails_is_an_error_and_leaves_nothing() {
    let n = 40_000;
    let rows = Chunk::new(vec![(0..n as u64).collect::<Vec<_>>().into()], n);
    let keys = || vec![(0, DataType::UInt64)];
    let mut codes_seen = HashSet::new();
    for fault in [Fault::NoSpace, Fault::ShortWrite, Fault::ReadFails, Fault::Error] {
        for call_number in (0..).step_by(41) {
            let disk = Arc::new(FaultDisk::new());
            disk.fail_at(call_number, fault);
            let context = context(2, 0);
            let calls = vec![call("count", &[], &[])];
            let spill = spill(1 << 18, disk.clone());
            let ends = hash_sink(keys(), calls, None, false, &context, &spill);
            let result = collect(ends, &rows, 2000, &context);
            assert_eq!(context.memory.used(), 0);
            nothing_left(&*disk);
            match result {
                Ok(result) => assert_eq!(result.rows, n),
                Err(error) => {
                    assert!(error.message().contains("tmp"), "{error}");
                    codes_seen.insert(error.code());
                }
            }
            if !disk.faults_struck() {
                break;
            }
        }
    }
    assert!(codes_seen.contains(&codes::NOT_ENOUGH_SPACE), "{codes_seen:?}");
    assert!(codes_seen.contains(&codes::CANNOT_READ_FROM_FILE_DESCRIPTOR), "{codes_seen:?}");
}
