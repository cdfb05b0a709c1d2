//! Settings that limit how many rows a step may produce: more rows are an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Operator, OperatorState, Output};
use entasis_plan::Bounded;

#[derive(Clone)]
struct Bound {
    most: u64,
    what: Bounded,
    seen: Arc<AtomicU64>,
}

/// An operator that passes all rows through and fails once there are more than `most`.
pub fn create(most: u64, what: Bounded) -> Arc<dyn Operator> {
    Arc::new(Bound { most, what, seen: Arc::default() })
}

impl Operator for Bound {
    fn name(&self) -> String {
        format!("Bound{:?}", self.what)
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(self.clone()))
    }
}

impl OperatorState for Bound {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let rows = chunk.rows as u64;
        let seen = self.seen.fetch_add(rows, Ordering::Relaxed) + rows;
        if seen > self.most {
            return Err(self.error(seen));
        }
        out.push(chunk)
    }
}

impl Bound {
    #[cold]
    fn error(&self, seen: u64) -> Error {
        let (code, what, setting) = match self.what {
            Bounded::Groups => (codes::TOO_MANY_ROWS, "rows to GROUP BY", "max_rows_to_group_by"),
            Bounded::Distinct => {
                (codes::SET_SIZE_LIMIT_EXCEEDED, "DISTINCT", "max_rows_in_distinct")
            }
            Bounded::Result => (codes::TOO_MANY_ROWS_OR_BYTES, "result", "max_result_rows"),
        };
        let most = self.most;
        let message = format!(
            "Limit for {what} exceeded: at least {seen} rows, at most {most} are allowed by the \
             setting {setting}"
        );
        Error::new(code, message)
    }
}
