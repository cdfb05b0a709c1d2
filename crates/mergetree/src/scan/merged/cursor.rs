//! Where a reader in key order stands in each part of its range.

use entasis_column::Column;

use crate::merge::order::Order;
use crate::scan::reader::Ahead;

/// The rows of one granule that passed, by place in `spec.columns`.
#[derive(Clone, Default)]
pub(super) struct Batch {
    pub(super) columns: Vec<Option<Column>>,
    pub(super) rows: usize,
}

impl Batch {
    pub(super) fn slice(&mut self, start: usize, end: usize) {
        if (start, end) != (0, self.rows) {
            for column in self.columns.iter_mut().flatten() {
                *column = column.slice(start, end - start);
            }
            self.rows = end - start;
        }
    }
}

/// One part within a range.
pub(super) struct Cursor {
    pub(super) part: usize,
    /// Whether its rows need not be searched for equal keys.
    pub(super) is_unique: bool,
    pub(super) left: std::ops::Range<usize>,
    pub(super) cache: Vec<Option<Column>>,
    pub(super) ahead: Vec<Ahead>,
    pub(super) batch: Batch,
    /// The index of `batch` among the reader's sources, once rows were taken from it.
    pub(super) slot: Option<usize>,
}

/// A range that a reader works on.
pub(super) struct Work {
    /// The index of its area, and its number there.
    pub(super) number: (usize, usize),
    pub(super) sequence: u64,
    pub(super) cursors: Vec<Cursor>,
    /// The order of the parts' rows; `None` if the range has only one part.
    pub(super) order: Option<Order>,
}
