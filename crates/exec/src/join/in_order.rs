//! The rows of each key of a join in the order of a column: for the closest row (ASOF), and for the
//! rows of a range.

use std::cmp::Ordering;

use entasis_base::scope;
use entasis_column::Column;
use entasis_column::compare::compare_values;
use entasis_plan::Inequality;

use super::band::{Band, BandSpec};
use super::built::Built;
use super::stored::StoredColumn;
use super::table::Table;

impl Built {
    /// Calls `act` for the rows of each key with several rows.
    pub fn each_list(&mut self, mut act: impl FnMut(&mut [u32])) {
        let mut order = std::mem::take(&mut self.order);
        if !order.is_empty() {
            self.table.each_key(|start, count| {
                if count > 1 {
                    act(&mut order[start as usize..(start + count) as usize]);
                }
            });
            if let Table::Cross = self.table {
                act(&mut order);
            }
        }
        self.order = order;
    }

    /// Sorts the rows of each key by the column by which the closest row is chosen.
    pub fn sort_by_closest(&mut self) {
        let Some(closest) = self.closest.clone() else { return };
        self.each_list(|rows| {
            rows.sort_by(scope::checked(|a: &u32, b: &u32| {
                let ((a, i), (b, j)) = (closest.at(*a), closest.at(*b));
                compare_values(a, i, b, j)
            }));
        });
    }

    /// Sorts the rows of each key for the ranges that are looked up.
    pub fn sort_for_band(&mut self, of: &BandSpec, stored: &[StoredColumn]) {
        self.each_list(|rows| {
            rows.sort_by(scope::checked(|a: &u32, b: &u32| Band::compare(of, stored, *a, *b)));
        });
        let mut lists = Vec::new();
        self.table.each_key(|start, count| lists.push(start as usize..(start + count) as usize));
        if !self.order.is_empty() {
            self.band = Some(Band::of(of, stored, self.rows, &self.order, lists.into_iter()));
        }
    }

    /// Of the rows of a key, the one that is closest to the value at `row` of `column`.
    pub fn closest_of(
        &self,
        rows: &[u32],
        column: &Column,
        row: usize,
        inequality: Inequality,
    ) -> Option<u32> {
        let closest = self.closest.as_ref()?;
        if column.is_null(row) {
            return None;
        }
        let before = |r: &u32, ordering| {
            let (values, at) = closest.at(*r);
            let found = compare_values(values, at, column, row);
            found == Ordering::Less || found == ordering
        };
        let up_to = |ordering| rows.partition_point(|r| before(r, ordering));
        match inequality {
            Inequality::GreaterOrEquals => up_to(Ordering::Equal).checked_sub(1).map(|i| rows[i]),
            Inequality::Greater => up_to(Ordering::Less).checked_sub(1).map(|i| rows[i]),
            Inequality::LessOrEquals => rows.get(up_to(Ordering::Less)).copied(),
            Inequality::Less => rows.get(up_to(Ordering::Equal)).copied(),
        }
    }
}
