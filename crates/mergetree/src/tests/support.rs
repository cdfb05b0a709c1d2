//! Helpers for the tests: contexts, inserting and collecting rows, building comparisons.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use entasis_base::clock::{FixedClock, Rng};
use entasis_base::{CancelToken, MemoryAccount, Result};
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Chunk, Column, VariantColumn};
use entasis_disk::{Disk, MemoryDisk};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{
    Arg, BoundFunction, BoundKernel, Comparison, FunctionContext, FunctionDef, Properties,
};
use entasis_pipeline::{QueryContext, Read};
use entasis_table_api::{ColumnDef, ScanSpec, Schema, Snapshot, Table, insert_chunks};
use entasis_types::{DataType, TimeZone, Value};

use crate::index::{BloomFilter, IndexDef, MinMax, Set, SkipIndex};
use crate::{MergeTreeTable, Store, StoreOptions, TableConfig, TableId};

pub fn context() -> QueryContext {
    QueryContext {
        events: entasis_base::events::Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("test", 0),
        max_threads: 2,
        max_block_size: 8192,
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        max_insert_partitions: 100,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

/// Options without background merges, and with a fixed time.
pub fn options() -> StoreOptions {
    StoreOptions {
        merge: false,
        sync_copy: false,
        clock: Arc::new(FixedClock(Duration::from_secs(1_700_000_000))),
        ..StoreOptions::default()
    }
}

/// The configuration with indices of three types for every column.
pub fn indexed(config: TableConfig) -> TableConfig {
    let kinds: [(&str, Arc<dyn SkipIndex>); 3] = [
        ("minmax", Arc::new(MinMax)),
        ("set", Arc::new(Set(0))),
        ("bloom_filter", Arc::new(BloomFilter(0.05))),
    ];
    let columns = config.schema.columns.iter().enumerate();
    let indices = columns.flat_map(|(at, column)| {
        let expr = Expr::column(ColumnId(at as u32), column.ty.clone());
        kinds.iter().zip(1..).map(move |((name, kind), granularity)| IndexDef {
            name: format!("{name} {at}"),
            type_text: (*name).to_owned(),
            exprs: vec![expr.clone()],
            granularity,
            kind: Arc::clone(kind),
            zone: TimeZone::utc(),
        })
    });
    TableConfig { indices: indices.collect(), ..config }
}

/// The configuration with one index, for tests that try every point of a crash.
pub fn indexed_once(config: TableConfig) -> TableConfig {
    let TableConfig { indices, .. } = indexed(config.clone());
    TableConfig { indices: indices[4..5].into(), ..config }
}

pub fn schema(columns: &[(&str, &str)]) -> Arc<Schema> {
    Schema::new(
        columns.iter().map(|(n, t)| ColumnDef::new(*n, DataType::parse(t).unwrap())).collect(),
    )
}

/// A store in memory with one table, and the table.
pub fn table(config: TableConfig) -> (Store, TableId, Arc<MergeTreeTable>) {
    let store = Store::open_with(Arc::new(MemoryDisk::new()), options()).unwrap();
    let (id, table) = create(&store, config);
    (store, id, table)
}

pub fn create(store: &Store, config: TableConfig) -> (TableId, Arc<MergeTreeTable>) {
    if store.databases().is_empty() {
        store.create_database("default", "").unwrap();
    }
    let id = store.create_table("default", "t", "CREATE TABLE t").unwrap();
    let table = store.attach(id, config).unwrap();
    (id, table)
}

pub fn reopen(disk: &Arc<dyn Disk>, config: TableConfig) -> (Store, Arc<MergeTreeTable>) {
    let store = Store::open_with(Arc::clone(disk), options()).unwrap();
    let id = store.tables()[0].id;
    let table = store.attach(id, config).unwrap();
    (store, table)
}

pub fn insert(table: &MergeTreeTable, chunks: &[Chunk]) -> Result<()> {
    let context = context();
    let sink = table.insert(&context)?;
    insert_chunks(&sink, chunks.to_vec(), &context)
}

/// A scan of all columns of the schema, with ids that differ from the positions.
pub fn spec_of(table: &MergeTreeTable) -> ScanSpec {
    let columns = 0..table.schema().columns.len();
    ScanSpec::of_columns(columns.map(|i| (ColumnId(100 + i as u32), i)))
}

/// The rows of a scan, in source order.
pub fn collect(snapshot: &dyn Snapshot, spec: &ScanSpec, context: &QueryContext) -> Result<Chunk> {
    let source = snapshot.scan(spec, context)?;
    let mut morsels = Vec::new();
    // Two readers take turns, as two workers would.
    let mut readers = vec![source.reader()?, source.reader()?];
    while !readers.is_empty() {
        let mut i = 0;
        while i < readers.len() {
            match readers[i].next()? {
                Read::Chunk(morsel) => {
                    assert!(morsel.chunk.rows > 0 && morsel.chunk.rows <= context.max_block_size);
                    morsels.push(morsel);
                    i += 1;
                }
                Read::Done => drop(readers.remove(i)),
                Read::Pending(_) => panic!("a scan never waits"),
            }
        }
    }
    morsels.sort_by_key(|m| m.sequence);
    let chunks: Vec<Chunk> = morsels.into_iter().map(|m| m.chunk).collect();
    Ok(Chunk::concat(&chunks))
}

pub fn read_all(table: &MergeTreeTable) -> Chunk {
    collect(&*table.snapshot().unwrap(), &spec_of(table), &context()).unwrap()
}

/// The rows as sorted texts, to compare results whose order is undefined.
pub fn rows_sorted(chunk: &Chunk) -> Vec<String> {
    let mut rows = rows_of(chunk);
    rows.sort_unstable();
    rows
}

pub fn rows_of(chunk: &Chunk) -> Vec<String> {
    let row = |i: usize| {
        let values: Vec<String> =
            chunk.columns.iter().map(|c| format!("{:?}", c.value(i))).collect();
        values.join("|")
    };
    (0..chunk.rows).map(row).collect()
}

/// Compares, and reports only the first difference.
pub fn assert_same(got: &[String], wanted: &[String], what: &str) {
    assert_eq!(got.len(), wanted.len(), "{what}: number of rows");
    if let Some(i) = (0..got.len()).find(|&i| got[i] != wanted[i]) {
        panic!("{what}: row {i}\n got    {}\n wanted {}", got[i], wanted[i]);
    }
}

pub struct NoContext;

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

macro_rules! comparison {
    ($name:literal, $comparison:ident, $holds:expr) => {
        FunctionDef {
            name: $name,
            properties: Properties::comparison(Comparison::$comparison),
            arity: (2, 2),
            bind: |_, _| {
                Ok(BoundKernel::predicate(|args, rows| {
                    let holds: fn(Ordering) -> bool = $holds;
                    Ok(Bitmap::from_fn(rows, |i| holds(compare_values(&args[0], i, &args[1], i))))
                }))
            },
            ..FunctionDef::DEFAULT
        }
    };
}

static FUNCTIONS: &[FunctionDef] = &[
    comparison!("less", Less, Ordering::is_lt),
    comparison!("lessOrEquals", LessOrEquals, Ordering::is_le),
    comparison!("greater", Greater, Ordering::is_gt),
    comparison!("greaterOrEquals", GreaterOrEquals, Ordering::is_ge),
    comparison!("equals", Equals, Ordering::is_eq),
    comparison!("notEquals", NotEquals, Ordering::is_ne),
];

pub const COMPARISONS: [&str; 6] =
    ["less", "lessOrEquals", "greater", "greaterOrEquals", "equals", "notEquals"];

/// The expression `column <name> value`.
pub fn compare(name: &str, id: ColumnId, ty: &DataType, value: Value) -> Expr {
    let def = FUNCTIONS.iter().find(|f| f.name == name).unwrap();
    let plain = ty.without_nullable().clone();
    let args = [Arg::column(ty.clone()), Arg::constant(plain.clone(), value.clone())];
    let function = BoundFunction::bind(def, &args, &NoContext).unwrap();
    Expr::call(function, vec![Expr::column(id, ty.clone()), Expr::literal(value, plain)])
}

/// Random values of some shape: few or many distinct, runs, mostly default.
pub fn random_column(rng: &mut Rng, ty: &DataType, rows: usize) -> Column {
    let shape = rng.below(5);
    let mut number = {
        let mut rng = Rng::new(rng.next_u64());
        let mut last = 0;
        move |i: usize| match shape {
            0 => rng.next_u64(),
            1 => rng.below(5),
            2 if rng.below(20) > 0 => 0,
            3 => {
                last += rng.below(3);
                last
            }
            4 => (i / 50) as u64,
            _ => rng.below(1000),
        }
    };
    match ty {
        DataType::Nullable(inner) => {
            let values = random_column(rng, inner, rows);
            let all = rng.below(4) == 0;
            let valid = Bitmap::from_fn(rows, |_| all || rng.below(3) > 0);
            Column::nullable(values, valid)
        }
        DataType::Array(inner) => {
            let mut offsets = vec![0u32];
            for i in 0..rows {
                offsets.push(offsets[i] + rng.below(4) as u32);
            }
            let total = offsets[rows] as usize;
            Column::array(offsets.into(), random_column(rng, inner, total))
        }
        DataType::Tuple(tuple) => {
            let parts = tuple.types.iter().map(|t| random_column(rng, t, rows)).collect();
            Column::tuple(parts, rows)
        }
        DataType::Variant(types) => {
            let null = u64::from(u8::MAX);
            let pick = |n: u64| if n == 0 { null } else { n - 1 };
            let count = types.len() as u64 + 1;
            let rows = (0..rows).map(|i| pick(number(i) % count) as u8).collect::<Vec<u8>>();
            let of = |d: usize| rows.iter().filter(|x| usize::from(**x) == d).count();
            let counts: Vec<usize> = (0..types.len()).map(of).collect();
            let parts = types.iter().zip(counts).map(|(t, n)| random_column(rng, t, n)).collect();
            Column::variant(VariantColumn::from_dense(rows.into(), parts).unwrap())
        }
        DataType::Nothing => Column::Nothing(rows),
        DataType::Float32 | DataType::Float64 => {
            let mut one = |i: usize| match number(i) % 50 {
                0 => f64::NAN,
                1 => -0.0,
                n => n as f64 / 4.0 - 3.0,
            };
            if *ty == DataType::Float32 {
                (0..rows).map(|i| one(i) as f32).collect::<Vec<_>>().into()
            } else {
                (0..rows).map(one).collect::<Vec<_>>().into()
            }
        }
        _ => {
            let mut builder = entasis_column::ColumnBuilder::new(ty, rows);
            for i in 0..rows {
                let n = number(i);
                let value = match ty {
                    DataType::String | DataType::AggregateFunction(_) if n == 0 => Value::from(""),
                    DataType::String | DataType::AggregateFunction(_) => {
                        Value::from(&*format!("text {}", n % 3000))
                    }
                    DataType::FixedString(w) => Value::string(&n.to_le_bytes()[..*w as usize % 9]),
                    DataType::Bool => Value::UInt(n & 1),
                    _ => Value::UInt(n),
                };
                builder.push_value(ty, &value);
            }
            builder.finish()
        }
    }
}

/// Stores without data of other engines.
pub struct NoOwnData;

impl crate::OwnData for NoOwnData {
    fn check(
        &self,
        _: &crate::TableRecord,
        _: &str,
        _: &mut dyn FnMut(&str, &str),
    ) -> Result<crate::OwnReport> {
        Ok(crate::OwnReport::default())
    }

    fn repair(&self, _: &crate::TableRecord, _: &str, _: crate::OwnRepair<'_>) -> Result<()> {
        Ok(())
    }
}
