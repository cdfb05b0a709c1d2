//! Timings of joins with large sides in memory:
//! `cargo run --release --example join -- [millions of probe rows] [millions of build rows]`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Instant;

use entasis_base::clock::Rng;
use entasis_base::{CancelToken, MemoryAccount};
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_exec::{Runtime, Spill, execute};
use entasis_expr::ColumnId;
use entasis_pipeline::{Discard, QueryContext, Scheduler, Sink};
use entasis_plan::{Join, JoinAlgorithm, JoinKind, Plan, QueryPlan, Strictness, physical};
use entasis_types::DataType;

fn values(columns: Vec<Column>, first_id: u32) -> Plan {
    let rows = columns[0].len();
    let typed = |column: &Column| match column {
        Column::String(_) => DataType::String,
        _ => DataType::UInt64,
    };
    let types = (first_id..).map(ColumnId).zip(columns.iter().map(typed)).collect();
    Plan::Values(physical::Values { columns: types, chunk: Chunk::new(columns, rows) })
}

fn join(kind: JoinKind, strictness: Strictness, left: Plan, right: Plan) -> Plan {
    let (l, r) = (left.outputs()[0], right.outputs());
    let semi = strictness == Strictness::Semi;
    Plan::Join(Box::new(Join {
        left,
        right,
        kind,
        strictness,
        algorithm: JoinAlgorithm::Hash,
        filters_left: true,
        left_first: None,
        keys: vec![(l, r[0])],
        closest: None,
        residual: None,
        left_outputs: if semi { vec![l] } else { vec![] },
        right_outputs: if semi { vec![] } else { vec![r[1]] },
        takes_last: false,
        use_nulls: false,
    }))
}

fn time(name: &str, threads: usize, runtime: &Runtime, root: Plan) {
    let outputs = root.outputs();
    let fields = outputs.iter().map(|_| Field::new("c", DataType::UInt8)).collect();
    let plan =
        QueryPlan { root, header: Header::new(fields), outputs, subqueries: vec![], totals: None };
    for _ in 0..2 {
        let context = QueryContext {
            events: entasis_base::events::Counters::start("test", ""),
            cancel: CancelToken::new(),
            memory: MemoryAccount::root("query", 0),
            max_threads: threads,
            max_block_size: 8192,
            fold_inserts: true,
            derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
            max_insert_partitions: 0,
            progress: Arc::default(),
            profile: None,
            hook: None,
        };
        let started = Instant::now();
        execute(&plan, &context, runtime, Arc::new(Discard("Discard")) as Arc<dyn Sink>).unwrap();
        let peak = context.memory.peak() >> 20;
        println!("{name:32} {threads} threads {:8.1?}, {peak} MiB", started.elapsed());
    }
}

fn main() {
    let million = |at| {
        let given = std::env::args().nth(at).and_then(|arg| arg.parse::<f64>().ok());
        given.map(|n| (n * 1e6) as usize)
    };
    let (probe, build) = (million(1).unwrap_or(20_000_000), million(2).unwrap_or(2_000_000));
    let threads = std::env::args().nth(3).and_then(|arg| arg.parse().ok()).unwrap_or(2);
    let runtime = Runtime { scheduler: Scheduler::new(2), spill: Spill::never() };
    let mut rng = Rng::new(1);
    let picks: Vec<u64> = (0..probe).map(|_| rng.below(build as u64)).collect();
    let payload = Column::from((0..build as u64).collect::<Vec<_>>());
    let mut order: Vec<u64> = (0..build as u64).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    let spread = |k: &u64| k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (inner, all) = (JoinKind::Inner, Strictness::All);
    let run = |name: &str, kind, strictness, left: Column, right: Column| {
        let (left, right) = (values(vec![left], 0), values(vec![right, payload.clone()], 10));
        time(name, threads, &runtime, join(kind, strictness, left, right));
    };
    run("sorted dense keys", inner, all, picks.clone().into(), payload.clone());
    run("dense keys", inner, all, picks.clone().into(), order.clone().into());
    let sparse = |keys: &[u64]| Column::from(keys.iter().map(spread).collect::<Vec<_>>());
    run("sparse keys", inner, all, sparse(&picks), sparse(&order));
    run("semi of sparse keys", JoinKind::Left, Strictness::Semi, sparse(&picks), sparse(&order));
    let few: Vec<u64> = order.iter().map(|k| spread(&(k / 4))).collect();
    run("four rows a key", inner, all, sparse(&picks), few.into());
    let none: Vec<u64> = order.iter().map(|k| spread(&(k + build as u64))).collect();
    run("no matches", inner, all, sparse(&picks), none.into());
    let text = |keys: &[u64]| {
        let strings: Strings = keys.iter().map(|k| format!("http://x.com/{k}")).collect();
        Column::String(strings)
    };
    let some = &picks[..picks.len() / 4];
    run("strings (a quarter)", inner, all, text(some), text(&order));
}
