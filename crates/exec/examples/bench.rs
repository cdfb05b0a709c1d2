//! Timings of sort, top-N and join over numbers in memory: `cargo run --release --example bench`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use entasis_plan::physical;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::clock::Rng;
use entasis_base::{CancelToken, MemoryAccount};
use entasis_column::compare::SortOrder;
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_exec::{CollectSink, Runtime, Spill, execute};
use entasis_expr::ColumnId;
use entasis_pipeline::{QueryContext, Scheduler, Sink};
use entasis_plan::{Join, JoinAlgorithm, JoinKind, Plan, QueryPlan, SortKey, Strictness};
use entasis_types::DataType;

fn values(columns: Vec<Column>, first_id: u32) -> Plan {
    let rows = columns[0].len();
    let typed = |column: &Column| match column {
        Column::UInt32(_) => DataType::UInt32,
        Column::String(_) => DataType::String,
        _ => DataType::UInt64,
    };
    let ids = (first_id..).map(ColumnId);
    let types = ids.zip(columns.iter().map(typed)).collect();
    Plan::Values(physical::Values { columns: types, chunk: Chunk::new(columns, rows) })
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
        let sink = CollectSink::create(&context);
        execute(&plan, &context, runtime, Arc::clone(&sink) as Arc<dyn Sink>).unwrap();
        let rows: usize = sink.take().iter().map(|c| c.rows).sum();
        let peak = context.memory.peak() >> 20;
        println!("{name:32} {threads} threads {:8.1?} {rows} rows, {peak} MiB", started.elapsed());
    }
}

fn main() {
    let mut rng = Rng::new(1);
    let count = 4_000_000usize;
    let random: Vec<u64> = (0..count).map(|_| rng.next_u64()).collect();
    let small: Vec<u32> = random.iter().map(|v| (v >> 44) as u32).collect();
    let strings: Strings = random.iter().map(|v| format!("http://x.com/{}", v >> 40)).collect();
    let runtime = Runtime { scheduler: Scheduler::new(2), spill: Spill::never() };
    let key = |id| SortKey { column: ColumnId(id), order: SortOrder::DESCENDING };
    for threads in [1, 2] {
        let run = |name: &str, plan: Plan| time(name, threads, &runtime, plan);
        let sort = |columns: Vec<Column>, keys: Vec<SortKey>, limit| {
            let input = Box::new(values(columns, 0));
            Plan::Sort(physical::Sort { input, keys, limit, threshold: None })
        };
        let (a, b) = (Column::from(random.clone()), Column::from(small.clone()));
        let s = Column::String(strings.clone());
        run("sort u64", sort(vec![a.clone()], vec![key(0)], None));
        run("sort u32, u64", sort(vec![b.clone(), a.clone()], vec![key(0), key(1)], None));
        run("sort string", sort(vec![s.clone()], vec![key(0)], None));
        run("top 10 of u32, u64", sort(vec![b.clone(), a.clone()], vec![key(0), key(1)], Some(10)));
        run("top 10 of string", sort(vec![s.clone()], vec![key(0)], Some(10)));
        run("top 100000 of u64", sort(vec![a.clone()], vec![key(0)], Some(100_000)));
        let join = |left: Plan, right: Plan| {
            let (l, r) = (left.outputs()[0], right.outputs()[0]);
            Plan::Join(Box::new(Join {
                left,
                right,
                kind: JoinKind::Inner,
                strictness: Strictness::All,
                algorithm: JoinAlgorithm::Hash,
                filters_left: true,
                left_first: None,
                keys: vec![(l, r)],
                closest: None,
                residual: None,
                left_outputs: vec![l],
                right_outputs: vec![r],
                takes_last: false,
                use_nulls: false,
            }))
        };
        let few = Column::from((0..1000u32).collect::<Vec<_>>());
        run("join 4M u32 with 1000", join(values(vec![b], 0), values(vec![few], 10)));
        let same = values(vec![a.clone()], 10);
        run("join 4M u64 with 4M", join(values(vec![a], 0), same));
        let some = Column::String(strings.slice(0, 500_000));
        let plan = join(values(vec![s], 0), values(vec![some], 10));
        run("join 4M strings with 500000", plan);
    }
}
