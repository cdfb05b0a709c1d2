//! The filter of a scan by the keys of a join above it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_column::hash::KeySet;
use entasis_column::{Bitmap, Column};
use entasis_expr::ColumnId;
use entasis_types::Value;

/// Rows after which the filter is given up if too many of them pass.
const TRIAL: u64 = 1 << 16;

/// A filter that a join gives to the scan of its probe side once its build side is complete. Rows
/// that it drops have no match. It is a hint: the join tests the rows again.
#[derive(Debug)]
pub struct KeyFilter {
    /// The column whose values are looked up.
    pub column: ColumnId,
    keys: OnceLock<KeySet>,
    tested: AtomicU64,
    passed: AtomicU64,
}

impl KeyFilter {
    /// A filter that lets every row pass until the keys are known.
    pub fn new(column: ColumnId) -> Self {
        Self { column, keys: OnceLock::new(), tested: 0.into(), passed: 0.into() }
    }

    /// Sets the keys.
    pub fn set(&self, keys: KeySet) {
        let _ = self.keys.set(keys);
    }

    /// The least and the greatest key; `None` if the keys are not known.
    pub fn bounds(&self) -> Option<&(Value, Value)> {
        self.keys.get().map(KeySet::bounds)
    }

    /// Whether testing rows is worth its time: at most 70 % of them have passed so far.
    pub fn is_selective(&self) -> bool {
        let tested = self.tested.load(Ordering::Relaxed);
        let passed = self.passed.load(Ordering::Relaxed);
        self.keys.get().is_some() && (tested < TRIAL || passed * 10 <= tested * 7)
    }

    /// The rows of a column that may have a match; `None` if the filter does not apply to it.
    pub fn test(&self, column: &Column) -> Option<Bitmap> {
        let mask = self.keys.get()?.mask(column)?;
        self.tested.fetch_add(mask.len() as u64, Ordering::Relaxed);
        self.passed.fetch_add(mask.count_ones() as u64, Ordering::Relaxed);
        Some(mask)
    }
}
