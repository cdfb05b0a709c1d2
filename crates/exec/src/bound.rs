//! Settings that limit how many rows or bytes a step may take: more of them are an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Operator, OperatorState, Output};
use entasis_plan::{Bounded, Most};

#[derive(Clone)]
struct RowLimit {
    most: Most,
    what: Bounded,
    rows: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
}

/// An operator that passes all rows through and fails once there is more than `most`.
pub fn create(most: Most, what: Bounded) -> Arc<dyn Operator> {
    Arc::new(RowLimit { most, what, rows: Arc::default(), bytes: Arc::default() })
}

impl Operator for RowLimit {
    fn name(&self) -> String {
        format!("Bound{:?}", self.what)
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(self.clone()))
    }
}

impl OperatorState for RowLimit {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        self.check(&self.rows, chunk.rows as u64, self.most.rows, "rows")?;
        if self.most.bytes > 0 {
            self.check(&self.bytes, chunk.byte_size() as u64, self.most.bytes, "bytes")?;
        }
        out.push(chunk)
    }
}

impl RowLimit {
    fn check(&self, seen: &AtomicU64, more: u64, most: u64, unit: &str) -> Result<()> {
        let seen = seen.fetch_add(more, Ordering::Relaxed) + more;
        match most > 0 && seen > most {
            true => Err(self.error(seen, most, unit)),
            false => Ok(()),
        }
    }

    #[cold]
    fn error(&self, seen: u64, most: u64, unit: &str) -> Error {
        let (code, what, setting) = self.named(unit);
        let message = format!(
            "Limit for {what} exceeded: at least {seen} {unit}, at most {most} are allowed by the \
             setting {setting}"
        );
        Error::new(code, message)
    }

    /// The code of the error, what is limited, and the setting that limits it.
    fn named(&self, unit: &str) -> (ErrorCode, &'static str, String) {
        let (code, what, place) = match self.what {
            Bounded::Groups => (codes::TOO_MANY_ROWS, "GROUP BY", "to_group_by"),
            Bounded::Distinct => (codes::SET_SIZE_LIMIT_EXCEEDED, "DISTINCT", "in_distinct"),
            Bounded::Sort => (codes::TOO_MANY_ROWS_OR_BYTES, "ORDER BY", "to_sort"),
            Bounded::Join => (codes::SET_SIZE_LIMIT_EXCEEDED, "JOIN", "in_join"),
            Bounded::Set => (codes::SET_SIZE_LIMIT_EXCEEDED, "the set of IN", "in_set"),
            Bounded::Result => {
                let setting = format!("max_result_{unit}");
                return (codes::TOO_MANY_ROWS_OR_BYTES, "the result", setting);
            }
        };
        (code, what, format!("max_{unit}_{place}"))
    }
}
