//! Plans over tables with given rows, for this crate's tests.

use entasis_plan::physical;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use entasis_base::clock::Rng;
use entasis_base::{CancelToken, MemoryAccount, Result};
use entasis_codec::Compression;
use entasis_column::{Bitmap, Chunk, Column, Dictionary, Field, Header, Strings};
use entasis_disk::{Disk, Temporary};
use entasis_expr::{ColumnId, Program};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Scheduler, Sink, Source};
use entasis_plan::{Plan, QueryPlan};
use entasis_table_api::{KeyFilter, ScanColumn, ScanSpec, Snapshot};
use entasis_types::{DataType, Value};

use crate::spill::{Budget, JoinLimits};
use crate::{CollectSink, Runtime, Spill, Threshold, execute, stream};

pub fn context(threads: usize, block: usize) -> QueryContext {
    QueryContext {
        events: entasis_base::events::Counters::start("test", ""),
        cancel: CancelToken::new(),
        memory: MemoryAccount::root("query", 0),
        max_threads: threads,
        max_block_size: block,
        fold_inserts: true,
        derived_on_insert: entasis_pipeline::DerivedOnInsert::default(),
        max_insert_partitions: 0,
        progress: Arc::default(),
        profile: None,
        hook: None,
    }
}

pub fn runtime(threads: usize) -> Runtime {
    Runtime { scheduler: Scheduler::new(threads), spill: Spill::never() }
}

/// Rules by which operators that hold more than `bytes` spill to `disk`.
pub fn spill(bytes: u64, disk: Arc<dyn Disk>) -> Arc<Spill> {
    let threshold = Threshold { operator: bytes, statement: u64::MAX };
    Arc::new(Spill {
        temporary: Arc::new(Temporary::on(disk, "tmp")),
        compression: Compression::Auto,
        group_by: threshold,
        sort: threshold,
        distinct: threshold,
        budget: Budget::default(),
        join: JoinLimits { threshold, ..JoinLimits::NEVER },
        most_ways: 3,
        most: 0,
        keep_free: 0,
        written: AtomicU64::default(),
    })
}

/// Checks that a statement that met a single fault has left nothing on the disk of [`spill`].
pub fn nothing_left(disk: &dyn Disk) {
    let left = disk.list("tmp").unwrap_or_default();
    // If the removal of a name failed, an empty file with that name stays until the next start.
    assert!(left.len() <= 1 && left.iter().all(|file| file.len == 0), "{left:?}");
}

/// A table whose scan returns its rows in morsels of [`BLOCKS`] blocks.
pub struct Fixed {
    pub chunk: Chunk,
}

impl Snapshot for Fixed {
    fn row_count(&self) -> Option<u64> {
        Some(self.chunk.rows as u64)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let mut chunk = self.chunk.clone();
        for condition in &spec.filter {
            let ids: Vec<ColumnId> = spec.columns.iter().map(|column| column.id).collect();
            let at = |column: &ScanColumn| chunk.columns[column.position].clone();
            let columns: Vec<Column> = spec.columns.iter().map(at).collect();
            let program = Program::new(std::slice::from_ref(condition), &ids)?;
            chunk = chunk.filter(&program.mask(&columns, chunk.rows)?);
        }
        let columns = spec
            .outputs
            .iter()
            .map(|id| {
                let at = spec.whole_position(*id).unwrap();
                chunk.columns[at].clone()
            })
            .collect();
        let chunk = Chunk::new(columns, chunk.rows);
        let placed = |filter: &Arc<KeyFilter>| {
            let at = spec.outputs.iter().position(|id| *id == filter.column).unwrap();
            (at, Arc::clone(filter))
        };
        let keys = spec.keys.iter().map(placed).collect();
        let (block, next) = (context.max_block_size, Arc::default());
        Ok(Arc::new(FixedSource { chunk, keys, block, next }))
    }
}

#[derive(Clone)]
struct FixedSource {
    chunk: Chunk,
    /// Filters by the keys of joins, with the places of their columns.
    keys: Vec<(usize, Arc<KeyFilter>)>,
    block: usize,
    next: Arc<AtomicUsize>,
}

const BLOCKS: usize = 3;

impl Source for FixedSource {
    fn name(&self) -> String {
        "Fixed".into()
    }
    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(FixedReader { source: self.clone(), morsel: 0, block: BLOCKS }))
    }
    fn morsels(&self) -> Option<usize> {
        Some(self.chunk.rows.div_ceil(self.block * BLOCKS))
    }
}

struct FixedReader {
    source: FixedSource,
    morsel: usize,
    block: usize,
}

impl Reader for FixedReader {
    fn next(&mut self) -> Result<Read> {
        let source = &self.source;
        loop {
            if self.block == BLOCKS {
                self.morsel = source.next.fetch_add(1, Ordering::Relaxed);
                self.block = 0;
            }
            let start = (self.morsel * BLOCKS + self.block) * source.block;
            self.block += 1;
            if start < source.chunk.rows {
                let rows = source.block.min(source.chunk.rows - start);
                let mut chunk = source.chunk.slice(start, rows);
                for (at, filter) in &source.keys {
                    if let Some(mask) = filter.test(&chunk.columns[*at]) {
                        chunk = chunk.filter(&mask);
                    }
                }
                if chunk.is_empty() {
                    continue;
                }
                return Ok(Read::Chunk(Morsel { sequence: self.morsel as u64, chunk }));
            }
            if self.block == 1 {
                return Ok(Read::Done);
            }
            self.block = BLOCKS;
        }
    }
}

/// A scan of `chunk` whose columns are `ids`.
pub fn scan(chunk: &Chunk, ids: &[u32]) -> Plan {
    let spec = ScanSpec::of_columns(ids.iter().map(|i| ColumnId(*i)).zip(0..));
    let types = ids.iter().map(|i| ColumnId(*i)).zip(chunk.columns.iter().map(type_of)).collect();
    Plan::Scan(physical::Scan {
        table: Arc::new(Fixed { chunk: chunk.clone() }),
        name: "fixed".into(),
        types,
        spec,
    })
}

/// A type whose values have the memory layout of the column.
pub fn type_of(column: &Column) -> DataType {
    match column {
        Column::Nullable(n) => DataType::nullable(type_of(&n.values)),
        Column::Dict(d) => type_of(&d.dictionary.values),
        Column::Const(c) => type_of(&c.value),
        Column::Int64(_) => DataType::Int64,
        Column::UInt64(_) => DataType::UInt64,
        Column::UInt16(_) => DataType::UInt16,
        Column::UInt32(_) => DataType::UInt32,
        Column::UInt8(_) => DataType::UInt8,
        Column::Int8(_) => DataType::Int8,
        Column::Float64(_) => DataType::Float64,
        Column::String(_) => DataType::String,
        Column::Array(a) => DataType::array(type_of(&a.flat().1)),
        other => panic!("{other:?}"),
    }
}

pub fn query(root: Plan) -> QueryPlan {
    let outputs = root.outputs();
    let fields = outputs.iter().map(|_| Field::new("c", DataType::UInt8)).collect();
    QueryPlan { root, header: Header::new(fields), outputs, subqueries: vec![], totals: None }
}

/// Runs a plan and returns all its rows; every other call streams them.
pub fn run(root: Plan, context: &QueryContext) -> Chunk {
    run_with(root, context, &runtime(3))
}

/// [`run`] with a runtime that may spill.
pub fn run_with(root: Plan, context: &QueryContext, runtime: &Runtime) -> Chunk {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let plan = query(root);
    let chunks = if CALLS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
        let sink = CollectSink::create(context);
        execute(&plan, context, runtime, Arc::clone(&sink) as Arc<dyn Sink>).unwrap();
        sink.take()
    } else {
        stream(&plan, context, runtime).unwrap().collect::<Result<Vec<_>>>().unwrap()
    };
    let width = plan.outputs.len();
    assert!(chunks.iter().all(|c| c.columns.len() == width && c.rows > 0));
    assert!(
        chunks
            .iter()
            .flat_map(|c| c.columns.iter().map(|x| (x.len(), c.rows)))
            .all(|(a, b)| a == b)
    );
    Chunk::concat(&chunks)
}

/// Rows as text, for comparisons.
pub fn rows(chunk: &Chunk) -> Vec<String> {
    (0..chunk.rows)
        .map(|i| {
            let values: Vec<Value> = chunk.columns.iter().map(|c| c.value(i)).collect();
            format!("{values:?}")
        })
        .collect()
}

pub fn sorted_rows(chunk: &Chunk) -> Vec<String> {
    let mut out = rows(chunk);
    out.sort();
    out
}

/// A random column with repetitions; `kind` selects its type.
pub fn column(rng: &mut Rng, kind: u64, count: usize, spread: u64) -> Column {
    let ints = |rng: &mut Rng| -> Vec<i64> {
        (0..count).map(|_| rng.below(spread) as i64 - spread as i64 / 2).collect()
    };
    match kind {
        0 => Column::from(ints(rng)),
        1 => Column::from(ints(rng).iter().map(|v| *v as u16).collect::<Vec<_>>()),
        2 => Column::from(
            ints(rng)
                .iter()
                .map(|v| if *v == 3 { f64::NAN } else { *v as f64 / 2.0 })
                .collect::<Vec<_>>(),
        ),
        3 => {
            let text = |v: &i64| match v % 4 {
                0 => format!("{v}"),
                1 => format!("long common prefix {v}"),
                2 => format!("a\0{}", v % 7),
                _ => "a".repeat((*v % 9).unsigned_abs() as usize),
            };
            Column::String(ints(rng).iter().map(text).collect::<Strings>())
        }
        4 | 5 => {
            let inner = column(rng, if kind == 4 { 0 } else { 3 }, count, spread);
            let valid = Bitmap::from_fn(count, |_| rng.below(5) != 0);
            Column::nullable(inner, valid)
        }
        6 => {
            let values = column(rng, 3, 20, 50);
            let codes = (0..count).map(|_| rng.below(20) as u32).collect();
            Column::dict(codes, Dictionary::new(values))
        }
        7 => Column::constant(column(rng, 0, 1, spread), count),
        8 => Column::from(ints(rng).iter().map(|v| *v as i8).collect::<Vec<_>>()),
        _ => {
            let lengths: Vec<u32> = (0..count).map(|_| rng.below(4) as u32).collect();
            let mut offsets = vec![0];
            for l in &lengths {
                offsets.push(offsets[offsets.len() - 1] + l);
            }
            let total = offsets[count] as usize;
            Column::array(offsets.into(), column(rng, 0, total, spread))
        }
    }
}

pub const KINDS: u64 = 10;
