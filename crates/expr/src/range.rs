//! Range analysis: decides whether rows with values in given ranges can pass a condition. Storage
//! uses it to skip parts and granules.
//!
//! For a box of values, a condition answers two questions: may it be true for some row, and may it
//! be false for some row? NULL is neither. For expressions that the analysis does not understand,
//! both answers are yes, so it never skips a row that could match.
//!
//! `range/tests.rs` compares it with brute force over random rows.

mod build;
mod describe;
mod instant;
mod interval;

use entasis_types::Value;

use crate::{ColumnId, Expr};
use build::Condition;
pub use describe::KeyCondition;
use interval::Interval;

/// The least and the greatest value of a column that are not NULL (`Value::Null` if there is no
/// bound), and whether there may be NULLs.
pub type Bounds = (Value, Value, bool);

/// Whether a condition may be true, and whether it may be false, for some row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Truth {
    may_true: bool,
    may_false: bool,
}

impl Truth {
    const UNKNOWN: Self = Self { may_true: true, may_false: true };
}

/// Conjuncts that are prepared for range analysis. They are built when a scan starts, after sets
/// have been filled.
#[derive(Debug)]
pub struct RangeAnalysis {
    condition: Condition,
    key: Vec<ColumnId>,
}

impl RangeAnalysis {
    /// Prepares `conjuncts`. `key` contains the columns of the sorting key, the most significant
    /// first, for [`Self::may_match_key`]; all of them are ascending with NULLs last.
    pub fn new(conjuncts: &[Expr], key: &[ColumnId]) -> Self {
        Self { condition: Condition::all(conjuncts), key: key.to_vec() }
    }

    /// Whether no conjunct was understood, so that all ranges may match.
    pub fn is_useless(&self) -> bool {
        self.condition.is_unknown()
    }

    /// The columns whose bounds may exclude rows.
    pub fn columns(&self) -> Vec<ColumnId> {
        let mut out = Vec::new();
        self.condition.columns(&mut out);
        out
    }

    /// Whether the columns of the sorting key can exclude rows.
    pub fn uses_key(&self) -> bool {
        self.columns().iter().any(|c| self.key.contains(c))
    }

    /// Whether rows within `bounds` may match; `bounds` returns `None` for a column whose bounds
    /// are unknown.
    pub fn may_match(&self, bounds: &dyn Fn(ColumnId) -> Option<Bounds>) -> bool {
        self.truth(bounds).may_true
    }

    /// Whether all rows within `bounds` certainly match.
    pub fn must_match(&self, bounds: &dyn Fn(ColumnId) -> Option<Bounds>) -> bool {
        let no_nulls =
            self.columns().iter().all(|c| bounds(*c).is_some_and(|(_, _, has_null)| !has_null));
        no_nulls && !self.condition.has_null() && !self.truth(bounds).may_false
    }

    fn truth(&self, bounds: &dyn Fn(ColumnId) -> Option<Bounds>) -> Truth {
        self.condition.truth(&|id| {
            bounds(id).map(|(min, max, has_null)| Interval::closed(min, max, has_null))
        })
    }

    /// Whether rows whose keys are between the tuples `left` and `right` (inclusive, in
    /// lexicographic order) may match. Both may be a prefix of the key. An empty tuple means that
    /// there is no bound on that side.
    pub fn may_match_key(&self, left: &[Value], right: &[Value]) -> bool {
        let mut boxes = vec![Interval::universe(); self.key.len()];
        let (has_left, has_right) = (!left.is_empty(), !right.is_empty());
        self.any_box((left, has_left), (right, has_right), &mut boxes, 0)
    }

    /// Splits the lexicographic range into boxes (a common prefix of single values, then one range,
    /// then any values), and tests each box.
    fn any_box(
        &self,
        (left, has_left): (&[Value], bool),
        (right, has_right): (&[Value], bool),
        boxes: &mut [Interval],
        mut at: usize,
    ) -> bool {
        let (has_left, has_right) = (has_left && at < left.len(), has_right && at < right.len());
        while has_left && has_right && at < left.len().min(right.len()).min(boxes.len()) {
            if !interval::same(&left[at], &right[at]) {
                break;
            }
            boxes[at] = Interval::point(left[at].clone());
            at += 1;
        }
        let has_left = has_left && at < left.len();
        let has_right = has_right && at < right.len();
        let universe = |boxes: &mut [Interval], from: usize| {
            for b in &mut boxes[from..] {
                *b = Interval::universe();
            }
        };
        if at >= boxes.len() || (!has_left && !has_right) {
            universe(boxes, at.min(boxes.len()));
            return self.box_may_match(boxes);
        }
        universe(boxes, at + 1);
        let low = has_left.then(|| left[at].clone());
        let high = has_right.then(|| right[at].clone());
        if at + 1 == boxes.len() {
            boxes[at] = Interval::key(low, high, true);
            return self.box_may_match(boxes);
        }
        boxes[at] = Interval::key(low.clone(), high.clone(), false);
        if !boxes[at].is_empty() && self.box_may_match(boxes) {
            return true;
        }
        if let Some(low) = low {
            boxes[at] = Interval::point(low);
            if self.any_box((left, true), (right, false), boxes, at + 1) {
                return true;
            }
        }
        if let Some(high) = high {
            boxes[at] = Interval::point(high);
            return self.any_box((left, false), (right, true), boxes, at + 1);
        }
        false
    }

    fn box_may_match(&self, boxes: &[Interval]) -> bool {
        let of = |id| self.key.iter().position(|k| *k == id).map(|i| boxes[i].clone());
        self.condition.truth(&of).may_true
    }
}

#[cfg(test)]
mod tests;
