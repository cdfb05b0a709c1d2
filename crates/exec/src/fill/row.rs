//! The next row of WITH FILL: an odometer over the filled columns.
//!
//! The values of the current row may be missing: a column without FROM has none until a row of the
//! input gives it one. A missing value is shown as the default of its type and never counted on.
//! The grid does not begin anew at the rows of the input.

use entasis_plan::{FillRule, FillValue};
use entasis_types::DataType;

use super::step;

/// The values of the filled columns in one row.
pub type Values = Vec<Option<FillValue>>;

/// A filled column.
#[derive(Clone, Debug)]
pub struct Column {
    pub rule: FillRule,
    pub ty: DataType,
}

impl Column {
    fn is_before(&self, a: FillValue, b: FillValue) -> bool {
        a.is_before(b, self.rule.descending)
    }

    fn next(&self, value: FillValue) -> FillValue {
        step::add(value, self.rule.step, &self.ty, self.rule.zone)
    }

    /// The value that comes first; a missing value comes after all others.
    fn least(&self, a: Option<FillValue>, b: Option<FillValue>) -> Option<FillValue> {
        match (a, b) {
            (Some(x), Some(y)) => Some(if self.is_before(y, x) { y } else { x }),
            (x, y) => x.or(y),
        }
    }
}

/// The row that was made last, and the borders that new rows do not reach.
pub struct Row {
    pub columns: Vec<Column>,
    pub values: Values,
    borders: Values,
    /// Whether the row of these values was given out.
    pub is_made: bool,
}

impl Row {
    pub fn new(columns: Vec<Column>) -> Self {
        let borders = columns.iter().map(|c| c.rule.to).collect();
        let values = columns.iter().map(|c| c.rule.from).collect();
        Self { columns, values, borders, is_made: false }
    }

    /// Sets the columns from `at` on to their first values.
    pub fn restart(&mut self, at: usize) {
        for (value, column) in self.values.iter_mut().zip(&self.columns).skip(at) {
            *value = column.rule.from;
        }
    }

    /// Begins a group whose first row has the values `first`. Returns whether a row with the first
    /// values comes before it.
    pub fn begin(&mut self, first: &Values) -> bool {
        self.borders = self.columns.iter().map(|c| c.rule.to).collect();
        self.is_made = false;
        for (at, value) in first.iter().enumerate() {
            let column = &self.columns[at];
            match column.rule.from {
                Some(from) if *value != Some(from) => {
                    let before = value.is_some_and(|value| column.is_before(from, value));
                    self.restart(at);
                    return before;
                }
                _ => self.values[at] = *value,
            }
        }
        false
    }

    /// Whether `a` comes before `b` in the first column in which both have a value and differ.
    pub fn is_before(&self, a: &Values, b: &Values) -> bool {
        for ((a, b), column) in a.iter().zip(b).zip(&self.columns) {
            match (a, b) {
                (Some(a), Some(b)) if a != b => return column.is_before(*a, *b),
                _ => {}
            }
        }
        false
    }

    /// After a row of the input: rows follow only as far as STALENESS allows. A grid that lies
    /// behind the row moves up to it.
    pub fn pass(&mut self, input: &Values) {
        let mut stale = false;
        for (at, column) in self.columns.iter().enumerate() {
            if let (Some(staleness), Some(value)) = (column.rule.staleness, input[at]) {
                let border = step::add(value, staleness, &column.ty, column.rule.zone);
                self.borders[at] = column.least(column.rule.to, Some(border));
                stale = true;
            }
        }
        let differs = |at: &usize| match (self.values[*at], input[*at]) {
            (Some(value), Some(input)) => value != input,
            _ => false,
        };
        let first = (0..self.columns.len()).find(differs).filter(|_| stale);
        let Some((at, start, value)) =
            first.and_then(|at| Some((at, self.values[at]?, input[at]?)))
        else {
            return;
        };
        let column = &self.columns[at];
        if !column.is_before(start, value) {
            return;
        }
        let mut current = step::jump(start, value, column.rule.step).unwrap_or(start);
        let mut next = column.next(current);
        while !column.is_before(value, next) && next != current {
            current = next;
            next = column.next(current);
        }
        if current == start {
            self.restart(at + 1);
            return;
        }
        self.values[at] = Some(current);
        self.is_made = false;
        if current != value {
            self.restart(at + 1);
            return;
        }
        for later in at + 1..self.columns.len() {
            self.values[later] = self.columns[later].rule.from.or(input[later]);
        }
    }

    /// Whether the current row lies before the borders; without any it does if `open`.
    pub fn is_inside(&self, open: bool) -> bool {
        for ((value, border), column) in self.values.iter().zip(&self.borders).zip(&self.columns) {
            if let (Some(value), Some(border)) = (value, border) {
                return column.is_before(*value, *border);
            }
        }
        let some = |values: &Values| values.iter().any(Option::is_some);
        open || some(&self.borders) && some(&self.values)
    }

    /// Whether the value of a column lies before its border, or there is none of them.
    fn fits(&self, at: usize) -> bool {
        match (self.values[at], self.borders[at]) {
            (Some(value), Some(border)) => self.columns[at].is_before(value, border),
            _ => true,
        }
    }

    /// Moves to the next row before `input`; returns whether there is one.
    pub fn advance(&mut self, input: &Values) -> bool {
        let mut found = None;
        for (at, column) in self.columns.iter().enumerate() {
            let least = column.least(input[at], self.borders[at]);
            if let (Some(value), Some(least)) = (self.values[at], least)
                && value != least
            {
                if column.is_before(least, value) {
                    return false;
                }
                found = Some((at, value));
                break;
            }
        }
        let Some((at, value)) = found else { return false };
        for later in (at + 1..self.columns.len()).rev() {
            let (Some(value), Some(border)) = (self.values[later], self.borders[later]) else {
                continue;
            };
            let next = self.columns[later].next(value);
            if self.columns[later].is_before(next, border) {
                self.values[later] = Some(next);
                self.restart(later + 1);
                return true;
            }
        }
        let column = &self.columns[at];
        let next = column.next(value);
        // Floats too large for the step, and times past the last month that can be written.
        if !column.is_before(value, next) {
            return false;
        }
        if input[at].is_some_and(|input| column.is_before(input, next))
            || self.borders[at].is_some_and(|border| !column.is_before(next, border))
        {
            return false;
        }
        self.values[at] = Some(next);
        self.is_made = false;
        if input[at] != Some(next) {
            self.restart(at + 1);
            return true;
        }
        let mut before = false;
        for later in at + 1..self.columns.len() {
            let column = &self.columns[later];
            let value = column.rule.from.or(input[later]);
            self.values[later] = value;
            before |= self.fits(later)
                && match (value, input[later]) {
                    (Some(value), Some(input)) => column.is_before(value, input),
                    (_, input) => input.is_none(),
                };
        }
        before
    }
}
