//! Estimates beside the true numbers of rows, with the factor by which they may differ.

use std::sync::Arc;

use entasis_analyze::{AnalyzeSettings, QueryCatalog, analyze};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Field, Strings};
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{
    Catalog, ColumnStatistics, ScanSpec, Schema, Snapshot, Table, statistics::SummaryLimits,
};
use entasis_types::{DataType, Value};

use crate::tests::NoContext;
use crate::{PlanSettings, estimate, plan};

/// A table of which every row is sampled, or of which only the range of integers is known.
#[derive(Clone)]
struct Known {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    sampled: bool,
}

impl Known {
    fn of(columns: Vec<(&str, &str, Column)>, sampled: bool) -> Self {
        let ty = |t: &str| DataType::parse(t).unwrap();
        let fields: Vec<Field> = columns.iter().map(|(n, t, _)| Field::new(*n, ty(t))).collect();
        let columns = columns.into_iter().map(|(_, _, column)| column).collect();
        Self { schema: Schema::of_fields(&fields), columns, sampled }
    }
}

impl Table for Known {
    fn engine(&self) -> &'static str {
        "Known"
    }
    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(self.clone()))
    }
}

impl Snapshot for Known {
    fn row_count(&self) -> Option<u64> {
        Some(self.columns[0].len() as u64)
    }
    fn scan(&self, _: &ScanSpec, _: &QueryContext) -> Result<Arc<dyn Source>> {
        Err(Error::not_implemented("a known table"))
    }
    fn column_statistics(&self, position: usize) -> Option<Arc<ColumnStatistics>> {
        let limits = SummaryLimits { common: 24, buckets: 32 };
        let column = &self.columns[position];
        let of = |column| ColumnStatistics::of_sample(column, column.len() as u64, limits);
        self.sampled.then(|| Arc::new(of(column)))
    }
    fn column_range(&self, position: usize) -> Option<(Value, Value)> {
        let column = self.columns[position].full();
        let values: Vec<u64> = (0..column.len()).filter_map(|r| column.value(r).as_u64()).collect();
        Some((Value::UInt(*values.iter().min()?), Value::UInt(*values.iter().max()?)))
    }
    fn distinct_count(&self, _: usize) -> Option<u64> {
        None
    }
}

const ROWS: u64 = 20_000;
/// 1 January 2018.
const FIRST_DAY: u16 = 17_532;

/// The day of a row: ten rows a day, for 2,000 days.
fn day(row: u64) -> u16 {
    FIRST_DAY + (row / 10) as u16
}

/// A name of a row: `k` and a number that is mostly small.
fn name(row: u64) -> String {
    let v = row % 141;
    format!("k{}", v * v)
}

struct Tables {
    sampled: bool,
}

impl Catalog for Tables {
    fn table(&self, _: Option<&str>, table: &str) -> Result<Arc<dyn Table>> {
        let rows = || 0..ROWS;
        Ok(Arc::new(match table {
            "t" => Known::of(
                vec![
                    ("d", "Date", rows().map(day).collect::<Vec<u16>>().into()),
                    (
                        "m",
                        "DateTime",
                        rows().map(|r| u32::from(day(r)) * 86_400).collect::<Vec<u32>>().into(),
                    ),
                    ("x", "UInt64", rows().collect::<Vec<u64>>().into()),
                    ("k", "UInt64", rows().map(|r| r % 100).collect::<Vec<u64>>().into()),
                    ("s", "String", rows().map(name).collect::<Strings>().into()),
                ],
                self.sampled,
            ),
            "r" => Known::of(
                vec![
                    ("lo", "UInt64", (0..1000u64).map(|r| r * 20).collect::<Vec<_>>().into()),
                    ("hi", "UInt64", (0..1000u64).map(|r| r * 20 + 10).collect::<Vec<_>>().into()),
                    ("k", "UInt64", (0..1000u64).map(|r| r % 50).collect::<Vec<_>>().into()),
                ],
                self.sampled,
            ),
            _ => return Err(Error::new(codes::UNKNOWN_TABLE, "Unknown table")),
        }))
    }

    fn table_function(&self, _: &str, _: &[Value]) -> Result<Arc<dyn Table>> {
        Err(Error::new(codes::UNKNOWN_FUNCTION, "Unknown table function"))
    }
}

impl QueryCatalog for Tables {}

fn estimated(query: &str, sampled: bool) -> f64 {
    entasis_functions::register();
    let ast = entasis_sql::parse_query(query).unwrap();
    let settings = AnalyzeSettings { join_use_nulls: true, ..AnalyzeSettings::default() };
    let query = analyze(&ast, &Tables { sampled }, &NoContext, &settings);
    let query = query.unwrap();
    estimate(&plan(&query, &PlanSettings::default(), &NoContext).unwrap().root)
}

fn assert_near(query: &str, sampled: bool, actual: f64, factor: f64) {
    let got = estimated(query, sampled);
    let off = (got / actual).max(actual / got);
    assert!(off <= factor, "{query}: {got} instead of {actual}, off by {off}");
}

fn rows_where(passes: impl Fn(u64) -> bool) -> f64 {
    (0..ROWS).filter(|row| passes(*row)).count() as f64
}

#[test]
fn conditions_on_one_table() {
    let in_2020 = rows_where(|row| (18_262..18_628).contains(&day(row)));
    let starts = |prefix: &'static str| rows_where(move |row| name(row).starts_with(prefix));
    for (condition, actual, factor) in [
        // Texts are dates where they are compared with dates.
        ("d >= '2020-01-01'", rows_where(|row| day(row) >= 18_262), 1.05),
        ("d >= '2020-03-01' AND d < '2020-03-11'", 100.0, 1.5),
        ("d = '2020-03-01'", 10.0, 1.5),
        ("m < '2018-03-02 00:00:00'", 600.0, 1.3),
        ("m BETWEEN '2019-01-01' AND '2019-02-01'", 320.0, 1.5),
        ("toYear(d) = 2020", in_2020, 1.2),
        ("toYear(d) IN (2020, 2021)", 2.0 * in_2020, 1.2),
        ("toYYYYMM(d) = 202003", 310.0, 2.5),
        ("x % 2 = 0", 10_000.0, 1.5),
        ("k IN (1, 2, 3, 500)", 600.0, 1.2),
        ("k NOT IN (1, 2, 3)", 19_400.0, 1.1),
        ("k = 1 OR k = 2", 400.0, 1.2),
        ("s LIKE 'k1%'", starts("k1"), 1.6),
        ("startsWith(s, 'k4')", starts("k4"), 1.6),
        ("length(s) = 2", rows_where(|row| name(row).len() == 2), 2.0),
    ] {
        assert_near(&format!("SELECT d FROM t WHERE {condition}"), true, actual, factor);
    }
    assert!(estimated("SELECT d FROM t WHERE s LIKE 'z%'", true) < 2.0);
    let without_sample = "SELECT d FROM t WHERE toYear(d) = 2020";
    assert_near(without_sample, false, in_2020, 1.2);
}

#[test]
fn conditions_between_tables() {
    for sampled in [true, false] {
        // Each of the 1,000 ranges has 11 values.
        let band = "SELECT x FROM t JOIN r ON x BETWEEN lo AND hi";
        assert_near(band, sampled, 11_000.0, 1.3);
        let comma = "SELECT x FROM t, r WHERE x >= lo AND x < hi";
        assert_near(comma, sampled, 10_000.0, 1.3);
        let above = "SELECT x FROM t JOIN r ON x >= lo";
        assert_near(above, sampled, 10_010_000.0, 1.1);
    }
    // Each branch has 1/100 of all pairs, or 1/20,000.
    let either = "SELECT x FROM t JOIN r ON t.k = r.k OR t.x = r.lo";
    assert_near(either, true, 201_000.0, 1.2);
    let in_where = "SELECT x FROM t, r WHERE t.k = r.k OR t.x = r.lo OR t.x = r.hi";
    assert_near(in_where, true, 202_000.0, 1.2);
    // Half of the rows of r have a partner in the first half of t.
    let left = "SELECT r.lo FROM r LEFT JOIN (SELECT x FROM t WHERE x < 10000) AS l ON l.x = r.lo \
                WHERE l.x IS NULL";
    assert_near(left, true, 500.0, 1.3);
    // Values that one of several candidates is enough for.
    let semi = "SELECT x FROM t SEMI JOIN r ON t.k = r.k AND t.x > r.lo";
    assert_near(semi, true, 10_000.0, 1.3);
}
