//! Tests of plan steps whose modules have no tests of their own.

mod spilling;

use entasis_plan::physical;
use std::sync::{Arc, OnceLock};

use entasis_base::clock::Rng;
use entasis_base::codes;
use entasis_column::{Chunk, Column, Strings};
use entasis_expr::{ColumnId, Expr, ScalarSlot, SetSlot};
use entasis_pipeline::Sink;
use entasis_plan::{Plan, Subquery};
use entasis_types::{DataType, Value};

use crate::testing::{context, query, rows, run, runtime, scan};
use crate::{CollectSink, execute, stream};

fn numbers(count: usize) -> Chunk {
    let flags: Vec<u8> = (0..count).map(|i| u8::from(i % 7 == 3)).collect();
    Chunk::new(
        vec![Column::from((0..count as u64).collect::<Vec<_>>()), Column::from(flags)],
        count,
    )
}

fn flag() -> Expr {
    Expr::column(ColumnId(1), DataType::UInt8)
}

fn first_column(chunk: &Chunk) -> Vec<u64> {
    (0..chunk.rows).map(|i| chunk.columns[0].value(i).as_u64().unwrap()).collect()
}

fn filtered(count: usize) -> Plan {
    Plan::Filter(physical::Filter {
        input: Box::new(scan(&numbers(count), &[0, 1])),
        predicates: vec![flag()],
    })
}

#[test]
fn filters_keep_source_order_and_drop_columns_that_nobody_reads() {
    for (threads, block) in [(1, 1), (2, 7), (3, 100), (4, 8192)] {
        let want: Vec<u64> = (0..1000).filter(|i| i % 7 == 3).collect();
        assert_eq!(first_column(&run(filtered(1000), &context(threads, block))), want);
        let only = vec![(ColumnId(9), Expr::column(ColumnId(0), DataType::UInt64))];
        let plan =
            Plan::Project(physical::Project { input: Box::new(filtered(1000)), exprs: only });
        let got = run(plan, &context(threads, block));
        assert_eq!((got.columns.len(), first_column(&got)), (1, want));
    }
}

#[test]
fn limits_cut_in_source_order() {
    for (threads, block) in [(1, 3), (2, 10), (4, 100), (3, 8192)] {
        for (offset, limit) in [(0, Some(5)), (7, Some(20)), (0, Some(0)), (990, None), (5, None)] {
            let input = Box::new(scan(&numbers(1000), &[0, 1]));
            let got = run(
                Plan::Limit(physical::Limit { input, offset, limit }),
                &context(threads, block),
            );
            let all: Vec<u64> = (0..1000).skip(offset as usize).collect();
            let want = &all[..all.len().min(limit.unwrap_or(u64::MAX) as usize)];
            assert_eq!(first_column(&got), want, "{threads} {block} {offset} {limit:?}");
        }
        // With a filter below, LIMIT may return any of the rows.
        let plan = Plan::Limit(physical::Limit {
            input: Box::new(filtered(10_000)),
            offset: 3,
            limit: Some(20),
        });
        let got = first_column(&run(plan, &context(threads, block)));
        assert_eq!(got.len(), 20);
        assert!(got.iter().all(|v| v % 7 == 3) && got.is_sorted());
    }
}

#[test]
fn unions_come_one_after_the_other() {
    for (threads, block) in [(1, 10), (3, 7), (4, 100)] {
        let inputs = vec![scan(&numbers(100), &[0, 1]), filtered(100), scan(&numbers(3), &[0, 1])];
        let plan = Plan::Union(physical::Union {
            inputs,
            columns: vec![(ColumnId(20), DataType::UInt64), (ColumnId(21), DataType::UInt8)],
        });
        let mut want: Vec<u64> = (0..100).collect();
        want.extend((0..100).filter(|i| i % 7 == 3));
        want.extend(0..3);
        assert_eq!(first_column(&run(plan.clone(), &context(threads, block))), want);
        let limited =
            Plan::Limit(physical::Limit { input: Box::new(plan), offset: 0, limit: Some(50) });
        assert_eq!(run(limited, &context(threads, block)).rows, 50);
    }
}

#[test]
fn limit_by_counts_per_key_in_source_order() {
    let mut rng = Rng::new(4);
    for (threads, block) in [(1, 10), (3, 7), (2, 8192)] {
        let keys: Vec<u16> = (0..500).map(|_| rng.below(20) as u16).collect();
        let count = keys.len();
        let chunk = Chunk::new(
            vec![Column::from((0..count as u64).collect::<Vec<_>>()), Column::from(keys.clone())],
            count,
        );
        let input = Box::new(scan(&chunk, &[0, 1]));
        let by = vec![ColumnId(1)];
        let plan = Plan::LimitBy(physical::LimitBy { input, keys: by, offset: 1, limit: 2 });
        let mut seen = [0; 20];
        let want: Vec<u64> = (0..count as u64)
            .filter(|i| {
                let n = &mut seen[keys[*i as usize] as usize];
                *n += 1;
                (2..=3).contains(n)
            })
            .collect();
        assert_eq!(first_column(&run(plan, &context(threads, block))), want);
    }
}

#[test]
fn arrays_unfold_side_by_side() {
    let lists = Column::array(vec![0, 2, 2, 5].into(), Column::from(vec![1u8, 2, 3, 4, 5]));
    let words: Strings = ["a", "b", "c", "d", "e"].into_iter().collect();
    let other = Column::array(vec![0, 2, 2, 5].into(), Column::String(words));
    let chunk = Chunk::new(vec![lists, Column::from(vec![10u64, 20, 30]), other], 3);
    for block in [1, 2, 100] {
        let plan = |left| {
            Plan::ArrayJoin(physical::ArrayJoin {
                input: Box::new(scan(&chunk, &[0, 1, 2])),
                arrays: vec![(ColumnId(0), ColumnId(8)), (ColumnId(2), ColumnId(9))],
                left,
                unaligned: false,
            })
        };
        let got = run(plan(false), &context(2, block));
        assert_eq!(first_column(&got), [10, 10, 30, 30, 30]);
        assert_eq!(got.columns[1].value(2), Value::UInt(3));
        assert_eq!(got.columns[2].value(4), Value::from("e"));
        let got = run(plan(true), &context(2, block));
        assert_eq!(first_column(&got), [10, 10, 20, 30, 30, 30]);
        assert_eq!(
            (got.columns[1].value(2), got.columns[2].value(2)),
            (0u8.into_value(), "".into())
        );
    }
}

trait IntoValue {
    fn into_value(self) -> Value;
}

impl IntoValue for u8 {
    fn into_value(self) -> Value {
        Value::UInt(self.into())
    }
}

#[test]
fn subqueries_are_filled_before_the_main_plan_is_built() {
    let set = Arc::new(SetSlot { types: vec![DataType::UInt64], set: OnceLock::new() });
    let scalar = Arc::new(ScalarSlot { ty: DataType::UInt64, value: OnceLock::new() });
    let column = Expr::column(ColumnId(0), DataType::UInt64);
    let member = Expr::InSet {
        args: [column.clone()].into(),
        set: Arc::clone(&set),
        negated: false,
        ty: DataType::UInt8,
    };
    let input = Plan::Filter(physical::Filter {
        input: Box::new(scan(&numbers(100), &[0, 1])),
        predicates: vec![member],
    });
    let exprs = vec![(ColumnId(5), column), (ColumnId(6), Expr::Scalar(Arc::clone(&scalar)))];
    let mut plan = query(Plan::Project(physical::Project { input: Box::new(input), exprs }));
    let values = |list: Vec<u64>| {
        let rows = list.len();
        let chunk = Chunk::new(vec![Column::from(list)], rows);
        query(Plan::Values(physical::Values {
            columns: vec![(ColumnId(50), DataType::UInt64)],
            chunk,
        }))
    };
    plan.subqueries = vec![
        Subquery::Set(set, values(vec![3, 5, 1000, 5])),
        Subquery::Scalar(Arc::clone(&scalar), values(vec![77])),
    ];
    let runtime = runtime(2);
    let context = context(2, 10);
    let chunks: Vec<Chunk> =
        stream(&plan, &context, &runtime).unwrap().collect::<Result<_, _>>().unwrap();
    let got = Chunk::concat(&chunks);
    assert_eq!(rows(&got).len(), 2);
    assert_eq!(first_column(&got), [3, 5]);
    assert_eq!(got.columns[1].value(1), Value::UInt(77));

    let many = ScalarSlot { ty: DataType::UInt64, value: OnceLock::new() };
    plan.subqueries = vec![Subquery::Scalar(Arc::new(many), values(vec![1, 2]))];
    let sink: Arc<dyn Sink> = CollectSink::create(&context);
    let error = execute(&plan, &context, &runtime, sink).unwrap_err();
    assert_eq!(error.code(), codes::INCORRECT_RESULT_OF_SCALAR_SUBQUERY);
}

#[test]
fn streams_can_be_dropped_early_and_report_errors() {
    let runtime = runtime(2);
    for threads in [1, 3] {
        let context = context(threads, 10);
        let plan = query(scan(&numbers(100_000), &[0, 1]));
        let mut stream = stream(&plan, &context, &runtime).unwrap();
        for i in 0..50 {
            let chunk = stream.next().unwrap().unwrap();
            assert_eq!(first_column(&chunk)[0], i * 10);
        }
        drop(stream);
        let mut stream = crate::stream(&plan, &context, &runtime).unwrap();
        assert!(stream.next().unwrap().is_ok());
        context.cancel.cancel();
        let error = stream.find_map(Result::err).unwrap();
        assert_eq!(error.code(), codes::QUERY_WAS_CANCELLED);
        assert!(stream.next().is_none());
    }
}

#[test]
fn a_memory_limit_is_an_error_that_names_the_operator() {
    let mut context = context(2, 1000);
    context.memory = entasis_base::MemoryAccount::root("query", 200_000);
    let sink: Arc<dyn Sink> = CollectSink::create(&context);
    let plan = query(scan(&numbers(1_000_000), &[0, 1]));
    let error = execute(&plan, &context, &runtime(2), sink).unwrap_err();
    assert_eq!(error.code(), codes::MEMORY_LIMIT_EXCEEDED);
    assert!(error.message().contains("Result"), "{error}");
}
