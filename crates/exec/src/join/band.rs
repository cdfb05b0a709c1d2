//! Rows of the right side that are found by inequalities: sorted by one column, so that the rows
//! for a left row are a range, whose ends are found by binary search. If the join has keys as well,
//! the rows of each key are sorted, and the range is a part of them.
//!
//! A second column of the right side may cut off the beginning of the range ([`Band::reach`]): of
//! all rows up to a place, the greatest value is known, and grows from place to place. Intervals
//! that hold a value are found quickly this way if no long interval lies before many short ones.

use std::cmp::Ordering;
use std::ops::Range;

use entasis_base::{Error, Result, scope};
use entasis_column::compare::{SortOrder, compare_values};
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
use entasis_column::{Chunk, Column};
use entasis_expr::ColumnId;
use entasis_plan as plan;

use super::build::split_keys;
use super::stored::StoredColumn;
use crate::build::positions;
use crate::sort::{ordered_bits, sorted};

/// The parameters of a band, with positions instead of column ids.
pub struct BandSpec {
    /// The place of the column among those that are kept of the right side.
    by: usize,
    below: Option<End>,
    above: Option<End>,
    /// The place of the other column.
    reach: Option<(usize, End)>,
}

/// An end of the range.
#[derive(Clone, Copy)]
struct End {
    /// The place of the left side's column among the columns by which rows are looked up.
    at: usize,
    inclusive: bool,
}

impl BandSpec {
    /// The band of a join; `kept` are the columns that are kept of the right side.
    pub fn new(band: &plan::Band, kept: &[ColumnId]) -> Result<Self> {
        let at = |id: ColumnId| Ok::<_, Error>(positions(kept, &[id])?[0]);
        let mut next = 0;
        let mut end = |of: &plan::BandEnd| {
            next += 1;
            End { at: next - 1, inclusive: of.inclusive }
        };
        let below = band.below.as_ref().map(&mut end);
        let above = band.above.as_ref().map(&mut end);
        let reach = match &band.reach {
            Some((id, of)) => Some((at(*id)?, end(of))),
            None => None,
        };
        Ok(Self { by: at(band.by)?, below, above, reach })
    }
}

/// The sorted values of the right side.
pub struct Band {
    below: Option<End>,
    above: Option<End>,
    values: Values,
    /// For each place, the greatest value of the other column up to there.
    reach: Option<(Values, End)>,
}

/// Sorted values.
enum Values {
    /// Numbers, as bits in the same order; NULL comes last.
    Bits(Vec<u64>),
    /// The values of these rows.
    Rows(StoredColumn, Vec<u32>),
}

/// Values of the left side that are looked up.
enum Wanted {
    Bits(Vec<u64>),
    Column(Column),
}

impl Values {
    /// The values of some rows of a column of `count` rows.
    fn of(column: &StoredColumn, count: usize, rows: Vec<u32>) -> Self {
        let taken = column.whole(count).map(|whole| whole.full().take(&rows));
        let bits = taken.and_then(|taken| {
            let (valid, values) = taken.split_nullable();
            let mut bits = ordered_bits(values)?;
            if let Some(valid) = valid {
                let nulls = bits.iter_mut().enumerate().filter(|(row, _)| !valid.get(*row));
                nulls.for_each(|(_, bits)| *bits = u64::MAX);
            }
            Some(bits)
        });
        bits.map_or_else(|| Self::Rows(column.clone(), rows), Self::Bits)
    }

    /// The left side's values in the form in which these are.
    fn wanted(&self, column: &Column) -> Result<Wanted> {
        let other = || Error::logical("a band whose sides have different types");
        match self {
            Self::Bits(_) => ordered_bits(column).map(Wanted::Bits).ok_or_else(other),
            Self::Rows(..) => Ok(Wanted::Column(column.clone())),
        }
    }

    /// Where in a sorted range the values begin that are not less than the one that is wanted; with
    /// `or_equal`, those that are greater.
    #[inline]
    fn place(&self, range: Range<usize>, wanted: &Wanted, row: usize, or_equal: bool) -> usize {
        let start = range.start;
        let before = match (self, wanted) {
            (Self::Bits(values), Wanted::Bits(wanted)) => match (or_equal, wanted[row]) {
                (true, bits) => values[range].partition_point(|value| *value <= bits),
                (false, bits) => values[range].partition_point(|value| *value < bits),
            },
            (Self::Rows(column, rows), Wanted::Column(wanted)) => {
                rows[range].partition_point(|other| {
                    let (values, at) = column.at(*other);
                    let found = compare_values(values, at, wanted, row);
                    found == Ordering::Less || or_equal && found == Ordering::Equal
                })
            }
            _ => 0,
        };
        start + before
    }

    fn byte_size(&self) -> usize {
        match self {
            Self::Bits(bits) => 8 * bits.len(),
            Self::Rows(_, rows) => 4 * rows.len(),
        }
    }
}

impl Band {
    /// Sorts the rows of a join without keys. Returns also their numbers in that order; rows with
    /// NULL are left out.
    pub fn build(
        spec: &BandSpec,
        stored: &[StoredColumn],
        rows: usize,
    ) -> Result<(Self, Vec<u32>)> {
        let of_reach = spec.reach.iter().map(|(at, _)| *at);
        let columns: Vec<StoredColumn> =
            std::iter::once(spec.by).chain(of_reach).map(|at| stored[at].clone().full()).collect();
        let is_null = |column: &StoredColumn, row: u32| {
            let (values, at) = column.at(row);
            values.is_null(at)
        };
        let has_all = |row: &u32| !columns.iter().any(|column| is_null(column, *row));
        let order = in_order(&columns[0], rows, (0..rows as u32).filter(has_all).collect())?;
        scope::check()?;
        let whole = std::iter::once(0..order.len());
        Ok((Self::of(spec, stored, rows, &order, whole), order))
    }

    /// Compares two rows, for the order of the rows of a key.
    pub fn compare(spec: &BandSpec, stored: &[StoredColumn], a: u32, b: u32) -> Ordering {
        let ((a, i), (b, j)) = (stored[spec.by].at(a), stored[spec.by].at(b));
        compare_values(a, i, b, j)
    }

    /// The values of rows that are sorted within each list.
    pub fn of(
        spec: &BandSpec,
        stored: &[StoredColumn],
        rows: usize,
        order: &[u32],
        lists: impl Iterator<Item = Range<usize>>,
    ) -> Self {
        let column = |at: usize| stored[at].clone().full();
        let values = Values::of(&column(spec.by), rows, order.to_vec());
        let reach = spec.reach.map(|(at, end)| {
            let (column, mut greatest) = (column(at), order.to_vec());
            lists.for_each(|list| grow(&column, &mut greatest[list]));
            (Values::of(&column, rows, greatest), end)
        });
        Self { below: spec.below, above: spec.above, values, reach }
    }

    /// Narrows the rows that were found for each left row to its range. `columns` are the left
    /// side's columns that the band reads.
    pub fn narrow(&self, columns: &[Column], found: &mut Found) -> Result<()> {
        let full: Vec<Column> = columns.iter().map(Column::full).collect();
        let (plain, valid) = split_keys(&full, None);
        let ready = |values: &Values, end: &End| values.wanted(&plain[end.at]);
        let own = |end: &Option<End>| -> Result<Option<(Wanted, End)>> {
            end.as_ref().map(|end| Ok((ready(&self.values, end)?, *end))).transpose()
        };
        let (above, below) = (own(&self.above)?, own(&self.below)?);
        let reach = match &self.reach {
            Some((of, end)) => Some((of, ready(of, end)?, end)),
            None => None,
        };
        for (row, (start, count)) in found.starts.iter_mut().zip(&mut found.counts).enumerate() {
            if *start == NONE {
                continue;
            }
            let all = *start as usize..(*start + *count) as usize;
            let (mut first, mut end) = (all.start, all.end);
            if let Some((wanted, of)) = &above {
                first = self.values.place(all.clone(), wanted, row, !of.inclusive);
            }
            if let Some((values, wanted, of)) = &reach {
                first = first.max(values.place(all.clone(), wanted, row, !of.inclusive));
            }
            if let Some((wanted, of)) = &below {
                end = self.values.place(all, wanted, row, of.inclusive);
            }
            let there = valid.as_ref().is_none_or(|valid| valid.get(row)) && first < end;
            let range = if there { (first as u32, (end - first) as u32) } else { (NONE, 0) };
            (*start, *count) = range;
        }
        Ok(())
    }

    pub fn byte_size(&self) -> usize {
        self.values.byte_size() + self.reach.as_ref().map_or(0, |(values, _)| values.byte_size())
    }
}

/// Some rows of a column of `count` rows, in the order of its values.
fn in_order(column: &StoredColumn, count: usize, mut rows: Vec<u32>) -> Result<Vec<u32>> {
    let Some(whole) = column.whole(count) else {
        rows.sort_by(scope::checked(|a: &u32, b: &u32| {
            let ((a, i), (b, j)) = (column.at(*a), column.at(*b));
            compare_values(a, i, b, j)
        }));
        return Ok(rows);
    };
    let picked = rows.len();
    let columns = vec![whole.split_nullable().1.take(&rows), Column::from(rows)];
    let chunk = sorted(Chunk::new(columns, picked), &[(0, SortOrder::ASCENDING)]);
    match chunk.columns.last() {
        Some(Column::UInt32(numbers)) => Ok(numbers.to_vec()),
        _ => Err(Error::logical("row numbers of another type")),
    }
}

/// Replaces each row by the one with the greatest value up to there. NULL is the greatest.
fn grow(column: &StoredColumn, rows: &mut [u32]) {
    let mut best: Option<u32> = None;
    for row in rows {
        let is_greater = best.is_none_or(|best| {
            let ((a, i), (b, j)) = (column.at(*row), column.at(best));
            compare_values(a, i, b, j) == Ordering::Greater
        });
        if is_greater {
            best = Some(*row);
        }
        *row = best.unwrap_or(*row);
    }
}
