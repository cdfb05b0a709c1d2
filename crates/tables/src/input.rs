//! Rows of a format's reader as a table that is read once: the data of an INSERT, standard input.

use std::sync::{Arc, Mutex, PoisonError};

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Header};
use entasis_format::InputFormat;
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table::{ScanSpec, Schema, Snapshot, Table};

use crate::raw::{self, RawReader, RawRows};

type Shared = Arc<Mutex<State>>;

struct State {
    input: Option<Box<dyn InputFormat>>,
    next: u64,
}

/// A table over a reader. The second scan finds it empty-handed and says so.
pub struct InputTable {
    format: String,
    schema: Arc<Schema>,
    state: Shared,
}

impl InputTable {
    /// A table of the header's columns, read from `input`.
    pub fn new(format: &str, header: Header, input: Box<dyn InputFormat>) -> Arc<Self> {
        let state = Arc::new(Mutex::new(State { input: Some(input), next: 0 }));
        Arc::new(Self { format: format.to_string(), schema: Schema::of_fields(&header), state })
    }
}

impl Table for InputTable {
    fn engine(&self) -> &str {
        &self.format
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Rows { format: self.format.clone(), state: Arc::clone(&self.state) }))
    }
}

#[derive(Clone)]
struct Rows {
    format: String,
    state: Shared,
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
    fn name(&self) -> String {
        self.format.clone()
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let (state, columns) = (Arc::clone(&self.state), columns.to_vec());
        Ok(Box::new(RowsReader { state, columns, max_rows }))
    }
}

struct RowsReader {
    state: Shared,
    columns: Vec<usize>,
    max_rows: usize,
}

impl RawReader for RowsReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = state.next;
        state.next += 1;
        let Some(input) = state.input.as_mut() else {
            if sequence > 0 {
                return Ok(None);
            }
            return Err(Error::logical("input is read twice"));
        };
        let chunk = match input.next(self.max_rows) {
            Ok(chunk) => chunk,
            Err(error) => {
                state.input = None;
                return Err(error);
            }
        };
        let Some(chunk) = chunk else {
            state.input = None;
            return Ok(None);
        };
        let columns = self.columns.iter().map(|&c| chunk.columns[c].clone()).collect();
        Ok(Some(Morsel { sequence, chunk: Chunk::new(columns, chunk.rows) }))
    }
}
