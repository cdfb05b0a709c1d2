//! Which ranges of values can hold a row that passes: what lets storage skip parts and granules.
//!
//! A condition answers two questions about a box of values: may it be true for some row, may it be
//! false for some row. NULL is neither. Everything that is not understood answers "both", so the
//! analysis is conservative: it never says no where a row could match.
//!
//! Tested against brute force over random rows in `range/tests.rs`.

mod build;
mod interval;

use entasis_types::Value;

use crate::{ColumnId, Expr};
use build::Condition;
use interval::Interval;

/// Least and greatest value of a column that are not NULL (`Value::Null` where there is no bound)
/// and whether there may be NULLs.
pub type Bounds = (Value, Value, bool);

/// Whether something may hold, and may fail to hold, for some row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Truth {
    may_true: bool,
    may_false: bool,
}

impl Truth {
    const UNKNOWN: Self = Self { may_true: true, may_false: true };
}

/// Conjuncts prepared for asking about ranges. Built when a scan starts, after sets were filled.
#[derive(Debug)]
pub struct RangeAnalysis {
    condition: Condition,
    key: Vec<ColumnId>,
}

impl RangeAnalysis {
    /// Prepares `conjuncts`. `key`: the columns of the sort key, most significant first, for
    /// [`Self::may_match_key`]; all ascending, NULLs last.
    pub fn new(conjuncts: &[Expr], key: &[ColumnId]) -> Self {
        Self { condition: Condition::all(conjuncts), key: key.to_vec() }
    }

    /// Whether nothing was understood, so that every question is answered with yes.
    pub fn is_useless(&self) -> bool {
        self.condition.is_unknown()
    }

    /// Columns whose bounds may change an answer.
    pub fn columns(&self) -> Vec<ColumnId> {
        let mut out = Vec::new();
        self.condition.columns(&mut out);
        out
    }

    /// Whether the sort key's columns can rule anything out.
    pub fn uses_key(&self) -> bool {
        self.columns().iter().any(|c| self.key.contains(c))
    }

    /// Whether rows within `bounds` may match; `None` for a column of unknown bounds.
    pub fn may_match(&self, bounds: &dyn Fn(ColumnId) -> Option<Bounds>) -> bool {
        self.truth(bounds).may_true
    }

    /// Whether every row within `bounds` matches, for sure.
    pub fn must_match(&self, bounds: &dyn Fn(ColumnId) -> Option<Bounds>) -> bool {
        let no_nulls =
            self.columns().iter().all(|c| bounds(*c).is_some_and(|(_, _, has_null)| !has_null));
        no_nulls && !self.truth(bounds).may_false
    }

    fn truth(&self, bounds: &dyn Fn(ColumnId) -> Option<Bounds>) -> Truth {
        self.condition.truth(&|id| {
            bounds(id).map(|(min, max, has_null)| Interval::closed(min, max, has_null))
        })
    }

    /// Whether rows whose keys lie between the tuples `left` and `right`, both included, in
    /// lexicographic order, may match. Either may be a prefix of the key; an empty one means that
    /// there is no bound on that side.
    pub fn may_match_key(&self, left: &[Value], right: &[Value]) -> bool {
        let mut boxes = vec![Interval::universe(); self.key.len()];
        let (has_left, has_right) = (!left.is_empty(), !right.is_empty());
        self.any_box((left, has_left), (right, has_right), &mut boxes, 0)
    }

    /// Cuts the lexicographic range into boxes: a common prefix of points, then one range, then
    /// anything; and asks for each.
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
