//! Compares plans as text with those beside their queries (`tests/plans.sql`; `UPDATE_PLANS=1`
//! writes them), and measures the cost of planning.

use crate::physical::{Aggregate, Filter, Project, Union};
use std::sync::Arc;
use std::time::Duration;

use entasis_analyze::{AnalyzeSettings, analyze};
use entasis_base::{Error, Result, codes};
use entasis_column::Field;
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{Addresses, Catalog, ScanSpec, Schema, Snapshot, Table};
use entasis_types::{DataType, TimeZone, Value};

use super::*;

mod orders;
mod suite;

/// A context without a session, in UTC.
pub(crate) struct NoContext;

impl FunctionContext for NoContext {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
    fn time_zone(&self) -> TimeZone {
        TimeZone::utc()
    }
    fn database(&self) -> &'static str {
        ""
    }
    fn user(&self) -> &'static str {
        ""
    }
    fn seed(&self) -> u64 {
        0
    }
    fn setting(&self, _: &str) -> Option<Value> {
        None
    }
}

struct Fake {
    schema: Arc<Schema>,
    rows: u64,
    /// The number of distinct values of each column, if they are known.
    distinct: Vec<u64>,
    /// The columns of the sorting key.
    sorted: Vec<usize>,
}

impl Fake {
    fn of(schema: Arc<Schema>, rows: u64) -> Arc<Self> {
        Arc::new(Self { schema, rows, distinct: Vec::new(), sorted: Vec::new() })
    }

    /// A table with columns of type Int64, each with its number of distinct values.
    fn with_distinct(rows: u64, columns: &[(&str, u64)]) -> Arc<Self> {
        let fields: Vec<Field> =
            columns.iter().map(|(name, _)| Field::new(*name, DataType::Int64)).collect();
        let distinct = columns.iter().map(|(_, distinct)| *distinct).collect();
        Arc::new(Self { schema: Schema::of_fields(&fields), rows, distinct, sorted: Vec::new() })
    }

    /// A table that is sorted by its first columns.
    fn sorted(rows: u64, columns: &[(&str, &str)], key: usize) -> Arc<Self> {
        let ty = |t: &str| DataType::parse(t).unwrap();
        let fields: Vec<Field> = columns.iter().map(|(name, t)| Field::new(*name, ty(t))).collect();
        let (schema, sorted) = (Schema::of_fields(&fields), (0..key).collect());
        Arc::new(Self { schema, rows, distinct: Vec::new(), sorted })
    }
}

impl Table for Fake {
    fn engine(&self) -> &'static str {
        "Fake"
    }
    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (schema, distinct) = (Arc::clone(&self.schema), self.distinct.clone());
        Ok(Arc::new(Fake { schema, rows: self.rows, distinct, sorted: self.sorted.clone() }))
    }
}

impl Snapshot for Fake {
    fn row_count(&self) -> Option<u64> {
        Some(self.rows)
    }
    fn scan(&self, _: &ScanSpec, _: &QueryContext) -> Result<Arc<dyn Source>> {
        Err(Error::not_implemented("a fake table"))
    }
    fn addresses(&self, _: &ScanSpec) -> Option<Addresses> {
        let columns = self.schema.columns.len();
        Some(Addresses { position: columns, columns, of_file: false, rows_at_once: 8192 })
    }
    fn sorted_by(&self) -> Vec<usize> {
        self.sorted.clone()
    }
    fn cuts(&self, pieces: usize) -> Vec<Value> {
        (1..pieces.min(3)).map(|at| Value::Int(at as i64 * 1_000)).collect()
    }
    fn distinct_count(&self, position: usize) -> Option<u64> {
        self.distinct.get(position).copied()
    }
    fn column_range(&self, position: usize) -> Option<(Value, Value)> {
        // As many values as there are distinct ones, from 0 on.
        let distinct = *self.distinct.get(position)?;
        Some((Value::Int(0), Value::Int(distinct as i64 - 1)))
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
            ("Age", "Nullable(UInt8)"),
            ("Place", "Tuple(city String, at Array(Float64))"),
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
            "hits" => Ok(Fake::of(Arc::clone(&self.hits), 10_000_000)),
            "small" => {
                let ty = |t: &str| DataType::parse(t).unwrap();
                let fields = [Field::new("id", ty("Int32")), Field::new("name", ty("String"))];
                Ok(Fake::of(Schema::of_fields(&fields), 100))
            }
            "sales" => Ok(Fake::with_distinct(
                1_000_000,
                &[("part", 2_000), ("customer", 10_000), ("day", 1_000), ("amount", 500)],
            )),
            "parts" => Ok(Fake::with_distinct(2_000, &[("part", 2_000), ("brand", 20)])),
            "customers" => {
                let columns = [("customer", 10_000), ("nation", 25), ("age", 90)];
                Ok(Fake::with_distinct(10_000, &columns))
            }
            "nations" => Ok(Fake::with_distinct(25, &[("nation", 25), ("region", 5)])),
            "names" => {
                let ty = |t: &str| DataType::parse(t).unwrap();
                let fields = [Field::new("nr", ty("Int64")), Field::new("name", ty("String"))];
                let schema = Schema::of_fields(&fields);
                let (distinct, sorted) = (vec![10_000, 5_000], Vec::new());
                Ok(Arc::new(Fake { schema, rows: 10_000, distinct, sorted }))
            }
            // A page has an address and a text; a view of it has a note.
            "pages" | "views" => {
                let fields = [
                    ("page", "Int64"),
                    ("site", "Int64"),
                    ("url", "String"),
                    ("text", "Array(String)"),
                ];
                let ty = |t: &str| DataType::parse(t).unwrap();
                let fields = fields.map(|(name, t)| Field::new(name, ty(t)));
                let rows = if table == "pages" { 1_000_000 } else { 2_000_000 };
                let schema = Schema::of_fields(&fields);
                let (distinct, sorted) = (vec![rows, 100_000], Vec::new());
                Ok(Arc::new(Fake { schema, rows, distinct, sorted }))
            }
            "days" => Ok(Fake::with_distinct(1_000, &[("day", 1_000), ("year", 3)])),
            "visits" => {
                let columns = [("user", "Int64"), ("day", "Date"), ("pages", "Int64")];
                Ok(Fake::sorted(50_000_000, &columns, 2))
            }
            "orders" => {
                let columns = [("user", "Int32"), ("day", "Date"), ("price", "Int64")];
                Ok(Fake::sorted(30_000_000, &columns, 2))
            }
            "users" => {
                let columns = [("user", "Nullable(Int64)"), ("name", "String")];
                Ok(Fake::sorted(1_000_000, &columns, 1))
            }
            _ => Err(Error::new(codes::UNKNOWN_TABLE, "Unknown table")),
        }
    }

    fn table_function(&self, _: &str, _: &[Value]) -> Result<Arc<dyn Table>> {
        Err(Error::new(codes::UNKNOWN_FUNCTION, "Unknown table function"))
    }
}

impl entasis_analyze::QueryCatalog for Tables {}

fn planned(text: &str, optimize: bool) -> Result<String> {
    entasis_functions::register();
    let tables = Tables::new();
    let ast = entasis_sql::parse_query(text)?;
    let query = analyze(&ast, &tables, &NoContext, &AnalyzeSettings::default())?;
    let settings = PlanSettings { enable_optimizations: optimize, ..PlanSettings::default() };
    let plan = plan(&query, &settings, &NoContext)?;
    explain(&plan, &query)
}

#[test]
fn columns_of_another_type_are_refused() {
    let tables = Tables::new();
    let ast = entasis_sql::parse_query("SELECT DISTINCT CounterID FROM hits").unwrap();
    let query = analyze(&ast, &tables, &NoContext, &AnalyzeSettings::default()).unwrap();
    let mut made = plan(&query, &PlanSettings::default(), &NoContext).unwrap();
    header::verify(&made).unwrap();
    let read = |id, ty: DataType| {
        let expr = Expr::column(id, ty);
        move |input| Plan::Project(Project { input: Box::new(input), exprs: vec![(id, expr)] })
    };
    let (root, id) = (made.root.clone(), made.outputs[0]);
    let mut refused = |root| {
        made.root = root;
        let error = header::verify(&made).unwrap_err();
        assert_eq!(error.code(), codes::LOGICAL_ERROR, "{error}");
        error.to_string()
    };
    let wrong = refused(read(id, DataType::UInt8)(root.clone()));
    assert!(wrong.contains("read as UInt8 where a plan node gives Int32"), "{wrong}");
    let absent = refused(read(ColumnId(77), DataType::Int32)(root.clone()));
    assert!(absent.contains("not among a plan node's inputs"), "{absent}");
    let columns = vec![(id, DataType::Int64)];
    refused(Plan::Union(Union { inputs: vec![root], columns }));
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

/// Collects the kinds of the joins in a plan, from the top.
fn joins(plan: &Plan, kinds: &mut Vec<JoinKind>) {
    match plan {
        Plan::Project(Project { input, .. })
        | Plan::Filter(Filter { input, .. })
        | Plan::Aggregate(Aggregate { input, .. }) => {
            joins(input, kinds);
        }
        Plan::Join(join) => {
            kinds.push(join.kind);
            joins(&join.left, kinds);
            joins(&join.right, kinds);
        }
        _ => {}
    }
}

#[test]
fn tables_of_a_list_are_joined_where_something_connects_them() {
    use JoinKind::{Cross, Inner};
    entasis_functions::register();
    let tables = Tables::new();
    for (list, expected) in [
        (
            "hits a, small b, hits c WHERE a.UserID = c.UserID AND b.id = c.CounterID",
            vec![Inner; 2],
        ),
        (
            "hits a, small b, small d, hits c \
             WHERE a.UserID = c.UserID AND b.id = c.CounterID AND toString(d.id) = b.name",
            vec![Inner; 3],
        ),
        // The first table is connected with no other, so it is crossed with their join.
        ("hits a, small b, hits c WHERE b.id = c.CounterID", vec![Cross, Inner]),
        ("hits a, small b, hits c", vec![Cross; 2]),
        // What every branch of an OR says connects them, too.
        (
            "hits a, small b WHERE (a.CounterID = b.id AND b.name = 'x' AND a.RegionID < 3) \
             OR (a.RegionID > 7 AND b.id = a.CounterID AND a.CounterID = b.id AND b.name = 'y')",
            vec![Inner],
        ),
        (
            "hits a JOIN small b ON (a.CounterID = b.id AND b.name = 'x') \
             OR (a.CounterID = b.id AND b.name = 'y')",
            vec![Inner],
        ),
        // Each branch has a hash table of its own.
        ("hits a, small b WHERE a.CounterID = b.id OR a.RegionID = b.id", vec![Inner]),
    ] {
        let ast = entasis_sql::parse_query(&format!("SELECT count() FROM {list}")).unwrap();
        let query = analyze(&ast, &tables, &NoContext, &AnalyzeSettings::default()).unwrap();
        let plan = plan(&query, &PlanSettings::default(), &NoContext).unwrap();
        let mut kinds = Vec::new();
        joins(&plan.root, &mut kinds);
        assert_eq!(kinds, expected, "{list}");
    }
}

#[test]
fn large_sets_become_joins() {
    entasis_functions::register();
    let of = |text: &str, rows: u64| {
        let tables = Tables::new();
        let ast = entasis_sql::parse_query(text).unwrap();
        let query = analyze(&ast, &tables, &NoContext, &AnalyzeSettings::default()).unwrap();
        let set_joins = SetJoins { rows, ..SetJoins::default() };
        let settings = PlanSettings { set_joins, ..PlanSettings::default() };
        explain(&plan(&query, &settings, &NoContext).unwrap(), &query).unwrap()
    };
    let once = "SELECT UserID FROM hits WHERE UserID IN (SELECT UserID FROM hits)";
    assert!(of(once, 1 << 40).contains("Set 1"));
    let joined = of(once, 1);
    assert!(joined.contains("Semi") && !joined.contains("Set 1"), "{joined}");
    let mark = "SELECT UserID NOT IN (SELECT UserID FROM hits) OR RegionID = 1 FROM hits";
    let mark = of(mark, 1);
    assert!(mark.contains("Left Any") && !mark.contains("Set 1"), "{mark}");
    // A set that something else reads as well is not joined besides.
    let twice = "SELECT UserID IN (SELECT UserID FROM hits) AS found FROM hits WHERE found";
    let twice = of(twice, 1);
    assert!(twice.contains("Set 1") && !twice.contains("Join"), "{twice}");
}
