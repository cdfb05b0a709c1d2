//! The rows of a format's reader as a table that is read once: the data of an INSERT, or standard
//! input.

use std::sync::{Arc, Mutex};

use entasis_base::Event;
use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column, Header, Mask};
use entasis_expr::{ColumnId, Expr, Program};
use entasis_format::{InputFormat, Omitted};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{ScanSpec, Schema, Snapshot, Table};

use crate::raw::{self, RawReader, RawRows};

type Shared = Arc<Mutex<State>>;

/// Bytes of an input that are worth a thread.
const BYTES_PER_THREAD: u64 = 64 << 10;

/// The default of a column, for cells without a value in the input.
struct Default {
    column: usize,
    program: Program,
    /// The columns that the program reads.
    inputs: Vec<usize>,
}

struct State {
    input: Option<Box<dyn InputFormat>>,
    next: u64,
}

/// A table over a reader. The rows can be read once; a second scan fails.
pub struct InputTable {
    format: String,
    schema: Arc<Schema>,
    state: Shared,
    defaults: Arc<[Default]>,
    bytes: Option<u64>,
}

impl InputTable {
    /// A table of the header's columns, read from `input`. `defaults` are for cells without a value
    /// in the input: the column's position, and an expression over other columns, whose ids are
    /// their positions. No expression reads a column whose default comes later in the list. `bytes`
    /// is the size of the input, if it is known: a small one does not occupy several threads.
    pub fn new(
        format: &str,
        header: &Header,
        input: Box<dyn InputFormat>,
        defaults: Vec<(usize, Expr)>,
        bytes: Option<u64>,
    ) -> Result<Arc<Self>> {
        let state = Arc::new(Mutex::new(State { input: Some(input), next: 0 }));
        let (format, schema) = (format.to_string(), Schema::of_fields(header));
        let defaults = defaults.into_iter().map(Default::new).collect::<Result<_>>()?;
        Ok(Arc::new(Self { format, schema, state, defaults, bytes }))
    }
}

impl Default {
    fn new((column, expr): (usize, Expr)) -> Result<Self> {
        let mut ids: Vec<ColumnId> = Vec::new();
        expr.columns(&mut ids);
        let program = Program::new(&[expr], &ids)?;
        Ok(Self { column, program, inputs: ids.iter().map(|id| id.0 as usize).collect() })
    }

    /// The column, with its cells in `omitted` computed.
    fn fill(&self, chunk: &Chunk, omitted: &Mask) -> Result<Column> {
        let of = |&i: &usize| chunk.columns[i].filter(omitted);
        let inputs: Vec<Column> = self.inputs.iter().map(of).collect();
        let count = omitted.count_ones();
        let values = self.program.run_columns(&inputs, count)?.swap_remove(0).full();
        if count == chunk.rows {
            return Ok(values);
        }
        let mut indices: Vec<u32> = (0..chunk.rows as u32).collect();
        for (row, value) in omitted.ones().zip(chunk.rows as u32..) {
            indices[row] = value;
        }
        Ok(Column::concat(&[&chunk.columns[self.column].full(), &values]).take(&indices))
    }
}

/// Computes the omitted cells of all columns.
fn fill(defaults: &[Default], chunk: &mut Chunk, omitted: &Omitted) -> Result<()> {
    for default in defaults {
        if let Some((_, mask)) = omitted.iter().find(|(column, _)| *column == default.column) {
            chunk.columns[default.column] = default.fill(chunk, mask)?;
        }
    }
    Ok(())
}

impl Table for InputTable {
    fn engine(&self) -> &str {
        &self.format
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (format, state) = (self.format.clone(), Arc::clone(&self.state));
        let defaults = Arc::clone(&self.defaults);
        Ok(Arc::new(Rows { format, state, defaults, bytes: self.bytes }))
    }
}

#[derive(Clone)]
struct Rows {
    format: String,
    state: Shared,
    defaults: Arc<[Default]>,
    bytes: Option<u64>,
}

impl Snapshot for Rows {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        raw::scan(Arc::new(self.clone()), spec, context)
    }
}

impl RawRows for Rows {
    fn event(&self) -> Event {
        Event::InputRowsRead
    }

    fn name(&self) -> String {
        self.format.clone()
    }

    fn morsels(&self) -> Option<usize> {
        self.bytes.map(|bytes| bytes.div_ceil(BYTES_PER_THREAD).max(1) as usize)
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let (state, defaults) = (Arc::clone(&self.state), Arc::clone(&self.defaults));
        Ok(Box::new(RowsReader { state, defaults, columns: columns.to_vec(), max_rows }))
    }
}

struct RowsReader {
    state: Shared,
    defaults: Arc<[Default]>,
    columns: Vec<usize>,
    max_rows: usize,
}

impl RawReader for RowsReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let mut state = lock(&self.state);
        let sequence = state.next;
        state.next += 1;
        let Some(input) = state.input.as_mut() else {
            if sequence > 0 {
                return Ok(None);
            }
            return Err(Error::logical("input is read twice"));
        };
        let (mut chunk, omitted) = match input.next(self.max_rows) {
            Ok(Some(chunk)) => (chunk, input.omitted()),
            Ok(None) => {
                state.input = None;
                return Ok(None);
            }
            Err(error) => {
                state.input = None;
                return Err(error);
            }
        };
        drop(state);
        fill(&self.defaults, &mut chunk, &omitted)?;
        let columns = self.columns.iter().map(|&c| chunk.columns[c].clone()).collect();
        Ok(Some(Morsel { sequence, chunk: Chunk::new(columns, chunk.rows) }))
    }
}
