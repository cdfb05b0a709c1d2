//! Plans as text beside their queries (`tests/plans.sql`; `UPDATE_PLANS=1` fills them), and the
//! cost of planning.

use std::sync::Arc;

use entasis_analyze::{AnalyzeSettings, analyze};
use entasis_base::{Error, Result, codes};
use entasis_column::Field;
use entasis_pipeline::{QueryContext, Source};
use entasis_table::{Catalog, ScanSpec, Schema, Snapshot, Table};
use entasis_types::Value;

use super::*;

mod suite;
use crate::aggregates::NoFacts;

struct Fake {
    schema: Arc<Schema>,
    rows: u64,
}

impl Table for Fake {
    fn engine(&self) -> &'static str {
        "Fake"
    }
    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Fake { schema: Arc::clone(&self.schema), rows: self.rows }))
    }
}

impl Snapshot for Fake {
    fn row_count(&self) -> Option<u64> {
        Some(self.rows)
    }
    fn scan(&self, _: &ScanSpec, _: &QueryContext) -> Result<Arc<dyn Source>> {
        Err(Error::not_implemented("a fake table"))
    }
}

struct Tables {
    hits: Arc<Schema>,
}

impl Tables {
    fn new() -> Self {
        let mut fields = vec![
            ("WatchID", "Int64"),
            ("UserID", "Int64"),
            ("CounterID", "Int32"),
            ("RegionID", "Int32"),
            ("EventDate", "Date"),
            ("EventTime", "DateTime"),
            ("URL", "String"),
            ("SearchPhrase", "String"),
            ("ResolutionWidth", "Int16"),
            ("Tags", "Array(String)"),
        ];
        let more: Vec<String> = (0..95).map(|i| format!("c{i}")).collect();
        fields.extend(more.iter().map(|n| (n.as_str(), "Int16")));
        let ty = |t: &str| DataType::parse(t).unwrap();
        let fields: Vec<Field> = fields.into_iter().map(|(n, t)| Field::new(n, ty(t))).collect();
        Self { hits: Schema::of_fields(&fields) }
    }
}

impl Catalog for Tables {
    fn table(&self, _: Option<&str>, table: &str) -> Result<Arc<dyn Table>> {
        match table {
            "hits" => Ok(Arc::new(Fake { schema: Arc::clone(&self.hits), rows: 10_000_000 })),
            "small" => {
                let ty = |t: &str| DataType::parse(t).unwrap();
                let fields = [Field::new("id", ty("Int32")), Field::new("name", ty("String"))];
                Ok(Arc::new(Fake { schema: Schema::of_fields(&fields), rows: 100 }))
            }
            _ => Err(Error::new(codes::UNKNOWN_TABLE, "Unknown table")),
        }
    }

    fn table_function(&self, _: &str, _: &[Value]) -> Result<Arc<dyn Table>> {
        Err(Error::new(codes::UNKNOWN_FUNCTION, "Unknown table function"))
    }
}

fn planned(text: &str, optimize: bool) -> Result<String> {
    let tables = Tables::new();
    let ast = entasis_sql::parse_query(text)?;
    let query = analyze(&ast, &tables, &NoFacts, &AnalyzeSettings::default())?;
    let plan =
        plan(&query, &PlanSettings { enable_optimizations: optimize, ..PlanSettings::default() })?;
    check_outputs(&plan.root);
    explain(&plan, &query)
}

/// Every column that a node reads is given by its input.
fn check_outputs(plan: &Plan) {
    let reads = |input: &Plan, exprs: &[&entasis_expr::Expr]| {
        let given = input.outputs();
        let mut ids = Vec::new();
        exprs.iter().for_each(|e| e.columns(&mut ids));
        assert!(ids.iter().all(|id| given.contains(id)), "reads what is not there: {ids:?}");
    };
    match plan {
        Plan::Values { columns, chunk } => assert_eq!(columns.len(), chunk.columns.len()),
        Plan::Scan { spec, .. } => {
            let read: Vec<ColumnId> = spec.columns.iter().map(|(id, _)| *id).collect();
            assert!(spec.outputs.iter().all(|id| read.contains(id)));
        }
        Plan::Filter { input, predicates } => {
            reads(input, &predicates.iter().collect::<Vec<_>>());
            check_outputs(input);
        }
        Plan::Project { input, exprs } => {
            reads(input, &exprs.iter().map(|(_, e)| e).collect::<Vec<_>>());
            check_outputs(input);
        }
        Plan::Aggregate { input, keys, calls, .. } => {
            let given = input.outputs();
            assert!(keys.iter().all(|(id, _)| given.contains(id)));
            assert!(calls.iter().flat_map(|c| &c.args).all(|id| given.contains(id)));
            check_outputs(input);
        }
        Plan::Distinct { input, types, .. } => {
            assert_eq!(input.outputs().len(), types.len());
            check_outputs(input);
        }
        Plan::Sort { input, keys, .. } => {
            let given = input.outputs();
            assert!(keys.iter().all(|k| given.contains(&k.column)));
            check_outputs(input);
        }
        Plan::Rows { .. } => {}
        Plan::Window(window) => {
            let given = window.input.outputs();
            assert!(window.partition.iter().all(|(id, _)| given.contains(id)));
            assert!(window.order.iter().all(|k| given.contains(&k.column)));
            assert!(window.calls.iter().flat_map(|c| &c.args).all(|id| given.contains(id)));
            assert!(window.calls.iter().all(|c| c.order <= window.order.len()));
            check_outputs(&window.input);
        }
        Plan::Recursive(recursive) => {
            let width = recursive.columns.len();
            assert!([&recursive.base, &recursive.step].iter().all(|p| p.outputs().len() == width));
            check_outputs(&recursive.base);
            check_outputs(&recursive.step);
        }
        Plan::LimitTies { input, keys, .. } => {
            let given = input.outputs();
            assert!(keys.iter().all(|k| given.contains(k)));
            check_outputs(input);
        }
        Plan::Limit { input, .. }
        | Plan::Bound { input, .. }
        | Plan::Totals { input, .. }
        | Plan::ArrayJoin { input, .. } => check_outputs(input),
        Plan::LimitBy { input, keys, .. } => {
            let given = input.outputs();
            assert!(keys.iter().all(|(id, _)| given.contains(id)));
            check_outputs(input);
        }
        Plan::Union { inputs, columns } => {
            assert!(inputs.iter().all(|i| i.outputs().len() == columns.len()));
            inputs.iter().for_each(check_outputs);
        }
        Plan::Join(join) => {
            let (left, right) = (join.left.outputs(), join.right.outputs());
            assert!(join.keys.iter().all(|(l, r, _)| left.contains(l) && right.contains(r)));
            assert!(join.left_outputs.iter().all(|(id, _)| left.contains(id)));
            assert!(join.right_outputs.iter().all(|(id, _)| right.contains(id)));
            check_outputs(&join.left);
            check_outputs(&join.right);
        }
    }
}

#[test]
fn plans_are_as_written() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/plans.sql");
    let text = std::fs::read_to_string(path).unwrap();
    let mut filled = String::new();
    for case in text.split("\n\n").map(str::trim).filter(|c| !c.is_empty()) {
        let query: Vec<&str> = case.lines().filter(|l| !l.starts_with("--")).collect();
        let query = query.join("\n");
        filled.push_str(&query);
        filled.push('\n');
        let plan = planned(query.trim_end_matches(';'), true).unwrap_or_else(|e| format!("{e}\n"));
        assert!(planned(query.trim_end_matches(';'), false).is_ok() || plan.starts_with("Code"));
        for line in plan.lines() {
            filled.push_str(&format!("-- {line}\n"));
        }
        filled.push('\n');
    }
    let filled = filled.trim_end().to_string() + "\n";
    if std::env::var_os("UPDATE_PLANS").is_some() {
        std::fs::write(path, filled).unwrap();
        return;
    }
    for (got, expected) in filled.lines().zip(text.lines()) {
        assert_eq!(got, expected);
    }
    assert_eq!(filled.lines().count(), text.lines().count());
}

#[test]
fn planning_is_cheap() {
    let tables = Tables::new();
    let text = "SELECT count() FROM hits";
    let ast = entasis_sql::parse_query(text).unwrap();
    let settings = AnalyzeSettings::default();
    let started = std::time::Instant::now();
    let rounds = 2000u32;
    for _ in 0..rounds {
        let query = analyze(&ast, &tables, &NoFacts, &settings).unwrap();
        plan(&query, &PlanSettings::default()).unwrap();
    }
    let each = started.elapsed() / rounds;
    eprintln!("analysis and planning: {each:?}");
    assert!(each.as_micros() < 500, "{each:?}");
}
