//! How many rows arrive at the limits of a result, which formats show beside it.
//!
//! The outermost limits count: where the result is a UNION, those of all its branches. A sort that
//! keeps only its first rows is a limit. Queries without a limit have no counter.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Operator, OperatorState, Output, Progress, QueryContext};

/// An operator that counts the rows that pass through it as rows before the limit.
#[derive(Clone)]
struct BeforeLimit(Arc<Progress>);

/// Makes the operator, and says that the result has a limit.
pub fn create(context: &QueryContext) -> Arc<dyn Operator> {
    context.progress.expect_limit();
    Arc::new(BeforeLimit(Arc::clone(&context.progress)))
}

impl Operator for BeforeLimit {
    fn name(&self) -> String {
        "RowsBeforeLimit".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(self.clone()))
    }
}

impl OperatorState for BeforeLimit {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        self.0.add_before_limit(chunk.rows as u64);
        out.push(chunk)
    }
}
