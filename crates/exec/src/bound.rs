//! Settings that limit how many rows or bytes a step may take: more of them are an error, or end
//! the step's input. With `break` the chunk that exceeds the limit still counts, as in the
//! reference, so an answer depends on the sizes of chunks.

use entasis_plan::physical;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Operator, OperatorState, Output};
use entasis_plan::{Bounded, Most, Overflow, Plan};

use crate::aggregate;
use crate::build::{Builder, Stream, add, misplaced, typed_positions};
use crate::gather::{Gather, GatherSink, Wanted, cut_behind};

#[derive(Clone)]
struct RowLimit {
    most: Most,
    what: Bounded,
    rows: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
}

/// The streams of a [`Plan::Bound`].
pub fn streams(builder: &mut Builder<'_>, plan: &Plan, ordered: bool) -> Result<Vec<Stream>> {
    let Plan::Bound(physical::Bound { input, most, what, keys }) = plan else {
        return Err(misplaced());
    };
    let mut streams = builder.streams(input, ordered)?;
    if !keys.is_empty() {
        let keys = typed_positions(&input.header()?, keys)?;
        add(&mut streams, &aggregate::bound_operator(keys, *most, builder.context));
        streams.iter_mut().for_each(|s| s.selective = true);
        return Ok(streams);
    }
    if *what != Bounded::Result || most.overflow == Overflow::Throw || most.rows == 0 {
        add(&mut streams, &create(*most, *what));
        return Ok(streams);
    }
    // A result ends with its first rows, in their order.
    if most.bytes > 0 {
        add(&mut streams, &create(Most { rows: 0, ..*most }, *what));
    }
    let rows = most.rows;
    let strict = !streams.iter().any(|s| s.selective);
    let wanted = Some(Wanted { whole: true, ..Wanted::first(rows, strict) });
    let then = Box::new(move |chunks| Ok(cut_behind(chunks, rows)));
    let (sink, source) = Gather::create(wanted, builder.context, then);
    Ok(builder.break_at(streams, Arc::new(GatherSink(sink)), source, true))
}

/// An operator that passes all rows through until there is more than `most`.
fn create(most: Most, what: Bounded) -> Arc<dyn Operator> {
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
        let Most { rows, bytes, overflow } = self.most;
        let size = if bytes > 0 { chunk.byte_size() as u64 } else { 0 };
        let seen = [
            (add_to(&self.rows, chunk.rows as u64), chunk.rows as u64, rows, "rows"),
            (add_to(&self.bytes, size), size, bytes, "bytes"),
        ];
        // As in the reference, a chunk that only reaches the limit ends the input, too.
        let past = |seen: u64, most: u64| match overflow {
            Overflow::Throw => seen > most,
            _ => seen >= most,
        };
        let is_past = |(seen, _, most, _): &(u64, u64, u64, &str)| *most > 0 && past(*seen, *most);
        let Some((seen, more, most, unit)) = seen.into_iter().find(is_past) else {
            return out.push(chunk);
        };
        if overflow == Overflow::Throw {
            return Err(self.error(seen, most, unit));
        }
        if !past(seen - more, most) {
            out.push(chunk)?;
        }
        Ok(Flow::Enough)
    }
}

/// Adds to a counter and answers the sum.
fn add_to(counter: &AtomicU64, more: u64) -> u64 {
    counter.fetch_add(more, Ordering::Relaxed) + more
}

impl RowLimit {
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
