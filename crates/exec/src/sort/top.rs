//! The first rows under a limit. Each worker collects candidates that beat the threshold and now
//! and then cuts them back to the best `limit` rows; the last of these becomes the next threshold.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_column::compare::{SortOrder, compare_rows};
use entasis_column::{Bitmap, Chunk, Column, Mask, Native, match_native};
use entasis_simd::compare::{CompareOp, mask_compare};
use entasis_table_api::RuntimeFilter;

use super::run::{Run, prefix};
use entasis_base::sync::lock;

/// Candidates are cut back once there are this many more than twice the limit.
const SLACK: usize = 1 << 11;

/// The tightest bound on the first key that any worker has found: rows past it are not wanted.
pub struct Threshold {
    version: AtomicU64,
    bound: Mutex<Option<Column>>,
    filter: Option<Arc<RuntimeFilter>>,
}

impl Threshold {
    pub fn new(filter: Option<Arc<RuntimeFilter>>) -> Self {
        Self { version: AtomicU64::new(0), bound: Mutex::default(), filter }
    }

    /// Offers a bound, which is a full column of one row.
    fn tighten(&self, bound: &Column, order: SortOrder) {
        let mut current = lock(&self.bound);
        let tighter = current
            .as_ref()
            .is_none_or(|current| compare_rows(bound, 0, current, 0, order).is_lt());
        if !tighter {
            return;
        }
        if let Some(filter) = &self.filter
            && !bound.is_null(0)
            && !is_nan(bound)
        {
            filter.tighten(bound.clone());
        }
        events::one(Event::SortBoundsTightened);
        *current = Some(bound.clone());
        self.version.fetch_add(1, Memory::Release);
    }
}

fn is_nan(bound: &Column) -> bool {
    match bound.split_nullable().1 {
        Column::Float32(v) => v[0].is_nan(),
        Column::Float64(v) => v[0].is_nan(),
        _ => false,
    }
}

/// One worker's candidates for the first rows.
pub struct Top {
    keys: Vec<(usize, SortOrder)>,
    limit: usize,
    chunks: Vec<Chunk>,
    rows: usize,
    bytes: usize,
    /// Number of rows at which candidates are cut back.
    cut_at: usize,
    /// The threshold as this worker last saw it, and its version.
    bound: Option<Column>,
    seen: u64,
}

impl Top {
    pub fn new(keys: Vec<(usize, SortOrder)>, limit: usize) -> Self {
        let cut_at = limit * 2 + SLACK;
        Self { keys, limit, chunks: Vec::new(), rows: 0, bytes: 0, cut_at, bound: None, seen: 0 }
    }

    /// Bytes of the candidates.
    pub fn byte_size(&self) -> usize {
        self.bytes
    }

    /// Whether there are fewer candidates than rows are wanted, so that nothing bounds them.
    pub fn is_short(&self) -> bool {
        self.rows < self.limit
    }

    /// Takes the candidates out as they came.
    pub fn take_chunks(&mut self) -> Vec<Chunk> {
        (self.rows, self.bytes) = (0, 0);
        std::mem::take(&mut self.chunks)
    }

    /// Keeps the rows of a chunk that may be among the first.
    pub fn push(&mut self, chunk: Chunk, threshold: &Threshold) {
        let Some(chunk) = self.wanted(chunk, threshold) else { return };
        self.rows += chunk.rows;
        self.bytes += chunk.byte_size();
        self.chunks.push(chunk);
        if self.rows >= self.cut_at {
            self.cut(threshold);
        }
    }

    /// The rows of a chunk that may be among the first, if there are any.
    pub fn wanted(&mut self, chunk: Chunk, threshold: &Threshold) -> Option<Chunk> {
        if self.limit == 0 {
            return None;
        }
        let version = threshold.version.load(Memory::Acquire);
        if version != self.seen {
            (self.seen, self.bound) = (version, lock(&threshold.bound).clone());
        }
        let (first, order) = self.keys[0];
        let chunk = match &self.bound {
            Some(bound) => {
                // The row of the bound is itself among the rows kept, so with a single key an equal
                // row is not needed.
                let (column, bound, is_part) = leading(&chunk.columns[first], bound);
                let equal = is_part || self.keys.len() > 1;
                let mask = not_past(column, bound, order, equal);
                let past = chunk.rows - mask.count_ones();
                events::add(Event::SortRowsPastBound, past as u64);
                if mask.none() {
                    return None;
                }
                chunk.filter(&mask)
            }
            None => chunk,
        };
        Some(chunk)
    }

    fn cut(&mut self, threshold: &Threshold) {
        let chunk = Chunk::concat(&std::mem::take(&mut self.chunks));
        let best = Run::best(&chunk, &self.keys, self.limit);
        if best.rows == self.limit {
            let (first, order) = self.keys[0];
            threshold.tighten(&best.columns[first].slice(best.rows - 1, 1).full(), order);
        }
        (self.rows, self.bytes) = (best.rows, best.byte_size());
        self.chunks.push(best);
    }

    /// Takes all candidates out, as a run, with less memory than [`Self::take`]; `None` if there
    /// are none.
    pub fn take_all(&mut self, threshold: &Threshold) -> Option<Run> {
        if self.chunks.is_empty() {
            return None;
        }
        (self.rows, self.bytes) = (0, 0);
        let run = Run::sort(Chunk::concat(&std::mem::take(&mut self.chunks)), &self.keys);
        if run.chunk.rows >= self.limit {
            let (first, order) = self.keys[0];
            let last = run.entries.row(self.limit - 1) as usize;
            threshold.tighten(&run.chunk.columns[first].slice(last, 1).full(), order);
        }
        Some(run)
    }

    /// Takes the first rows out, as a run; `None` if there are none.
    pub fn take(&mut self, threshold: &Threshold) -> Option<Run> {
        if self.chunks.is_empty() {
            return None;
        }
        self.cut(threshold);
        (self.rows, self.bytes) = (0, 0);
        self.chunks.pop().map(|best| Run::sort(best, &self.keys))
    }
}

/// The first elements of tuples, which are compared at once for many rows, and whether there are
/// others; other columns as they are.
fn leading<'a>(column: &'a Column, bound: &'a Column) -> (&'a Column, &'a Column, bool) {
    match (column, bound) {
        (Column::Tuple(tuple), Column::Tuple(of_bound)) => {
            match (tuple.columns.first(), of_bound.columns.first()) {
                (Some(column), Some(bound)) => {
                    let (column, bound, is_part) = leading(column, bound);
                    (column, bound, is_part || tuple.columns.len() > 1)
                }
                _ => (column, bound, false),
            }
        }
        _ => (column, bound, false),
    }
}

/// The rows before the bound; with `equal`, also those equal to it.
fn not_past(column: &Column, bound: &Column, order: SortOrder, equal: bool) -> Mask {
    let wanted = if order.descending { Ordering::Greater } else { Ordering::Less };
    let wanted = (wanted, equal);
    let by_row = |column: &Column| {
        Bitmap::from_fn(column.len(), |i| {
            let o = compare_rows(column, i, bound, 0, order);
            o.is_lt() || (equal && o.is_eq())
        })
    };
    match column {
        Column::Const(c) => Bitmap::constant(not_past(&c.value, bound, order, equal).get(0), c.len),
        Column::Dict(d) if d.dictionary.values.len() <= d.codes.len() => {
            let values = not_past(&d.dictionary.values, bound, order, equal);
            Bitmap::from_fn(d.codes.len(), |i| values.get(d.codes[i] as usize))
        }
        Column::Dict(_) => by_row(column),
        _ if bound.is_null(0) || is_nan(bound) => by_row(column),
        Column::Nullable(n) => {
            let inner = bound.split_nullable().1;
            let values = not_past(&n.values, inner, order, equal);
            if order.nulls_first { values.or(&n.validity.not()) } else { values.and(&n.validity) }
        }
        Column::String(strings) => match bound.strings() {
            Some(bound) => texts_not_past(strings.len(), |i| strings.get(i), bound.get(0), wanted),
            None => by_row(column),
        },
        Column::Fixed(fixed) => match bound {
            Column::Fixed(bound) => {
                texts_not_past(column.len(), |i| fixed.get(i), bound.get(0), wanted)
            }
            _ => by_row(column),
        },
        other => match_native!(other,
            values => numbers_not_past(values, bound, order, equal)
                .unwrap_or_else(|| by_row(column)),
            _ => by_row(column)),
    }
}

/// The texts with this order to the bound; with the flag, also those equal to it. Most differ in
/// the first eight bytes.
#[inline(always)]
fn texts_not_past<'a>(
    rows: usize,
    text: impl Fn(usize) -> &'a [u8],
    bound: &[u8],
    (wanted, equal): (Ordering, bool),
) -> Mask {
    let key = prefix(bound);
    Bitmap::from_fn(rows, |i| {
        let text = text(i);
        let order = prefix(text).cmp(&key).then_with(|| text.cmp(bound));
        order == wanted || (equal && order.is_eq())
    })
}

fn numbers_not_past<T: Native>(
    values: &[T],
    bound: &Column,
    order: SortOrder,
    equal: bool,
) -> Option<Mask> {
    let bound = *T::values(bound)?.first()?;
    let op = match (order.descending, equal) {
        (false, false) => CompareOp::Lt,
        (false, true) => CompareOp::Le,
        (true, false) => CompareOp::Gt,
        (true, true) => CompareOp::Ge,
    };
    let mut words = vec![0; values.len().div_ceil(64)];
    mask_compare(op, values, bound, &mut words);
    let mask = Bitmap::from_words(words, values.len());
    let floats =
        matches!(T::PHYSICAL, entasis_types::Physical::Float32 | entasis_types::Physical::Float64);
    if floats && order.nulls_first {
        // NaN comes first, and is the only value that is not equal to itself.
        return Some(
            mask.or(&Bitmap::from_fn(values.len(), |i| {
                values[i].partial_cmp(&values[i]).is_none()
            })),
        );
    }
    Some(mask)
}
