//! Rows of the right side that are found by inequalities: sorted by one column, so that the rows
//! for a left row are a range, whose ends are found by binary search.
//!
//! A second column of the right side may cut off the beginning of the range ([`Band::reach`]): of
//! all rows up to a place, the greatest value is known, and grows from place to place. Intervals
//! that hold a value are found quickly this way if no long interval lies before many short ones.

use std::cmp::Ordering;

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
    /// Numbers, as bits in the same order.
    Bits(Vec<u64>),
    /// The values of these rows.
    Rows(StoredColumn, Vec<u32>),
}

impl Values {
    /// The values of some rows of a column of `count` rows.
    fn of(column: &StoredColumn, count: usize, rows: Vec<u32>) -> Self {
        let whole = column.whole(count).map(|whole| whole.full());
        match whole.and_then(|whole| ordered_bits(&whole.split_nullable().1.take(&rows))) {
            Some(bits) => Self::Bits(bits),
            None => Self::Rows(column.clone(), rows),
        }
    }

    /// For each of `wanted`, how many of these values are less; with `or_equal`, how many are not
    /// greater.
    fn less(&self, wanted: &Column, or_equal: bool) -> Result<Vec<u32>> {
        match self {
            Self::Bits(values) => {
                let other = || Error::logical("a band whose sides have different types");
                let wanted = ordered_bits(wanted).ok_or_else(other)?;
                let up_to = |bits: &u64| match or_equal {
                    true => values.partition_point(|value| value <= bits),
                    false => values.partition_point(|value| value < bits),
                };
                Ok(wanted.iter().map(|bits| up_to(bits) as u32).collect())
            }
            Self::Rows(column, rows) => {
                let up_to = |wanted_row: usize| {
                    rows.partition_point(|row| {
                        let (values, at) = column.at(*row);
                        let found = compare_values(values, at, wanted, wanted_row);
                        found == Ordering::Less || or_equal && found == Ordering::Equal
                    })
                };
                Ok((0..wanted.len()).map(|row| up_to(row) as u32).collect())
            }
        }
    }

    fn byte_size(&self) -> usize {
        match self {
            Self::Bits(bits) => 8 * bits.len(),
            Self::Rows(column, rows) => column.byte_size() + 4 * rows.len(),
        }
    }
}

impl Band {
    /// Sorts the rows. Returns also their numbers in that order; rows with NULL are left out.
    pub fn build(
        spec: &BandSpec,
        stored: &[StoredColumn],
        rows: usize,
    ) -> Result<(Self, Vec<u32>)> {
        let by = stored[spec.by].clone().full();
        let reach = spec.reach.map(|(at, end)| (stored[at].clone().full(), end));
        let is_null = |column: &StoredColumn, row: u32| {
            let (values, at) = column.at(row);
            values.is_null(at)
        };
        let columns = || std::iter::once(&by).chain(reach.iter().map(|(column, _)| column));
        let has_all = |row: &u32| !columns().any(|column| is_null(column, *row));
        let order = in_order(&by, rows, (0..rows as u32).filter(has_all).collect())?;
        scope::check()?;
        let values = Values::of(&by, rows, order.clone());
        let reach = reach.map(|(column, end)| {
            let greatest = greatest(&column, &order);
            (Values::of(&column, rows, greatest), end)
        });
        Ok((Self { below: spec.below, above: spec.above, values, reach }, order))
    }

    /// The range of each row. `columns` are the left side's columns that the band reads.
    pub fn find(&self, columns: &[Column], rows: usize, found: &mut Found) -> Result<()> {
        let full: Vec<Column> = columns.iter().map(Column::full).collect();
        let (plain, valid) = split_keys(&full, None);
        let mut starts = vec![0; rows];
        let mut ends = vec![self.len() as u32; rows];
        let lower = self.above.iter().map(|end| (&self.values, end));
        for (values, end) in lower.chain(self.reach.iter().map(|(values, end)| (values, end))) {
            let places = values.less(&plain[end.at], !end.inclusive)?;
            starts.iter_mut().zip(places).for_each(|(start, place)| *start = place.max(*start));
        }
        if let Some(end) = &self.below {
            ends = self.values.less(&plain[end.at], end.inclusive)?;
        }
        found.begin(rows);
        for (row, (start, end)) in starts.into_iter().zip(ends).enumerate() {
            let there = valid.as_ref().is_none_or(|valid| valid.get(row)) && start < end;
            found.starts.push(if there { start } else { NONE });
            found.counts.push(if there { end - start } else { 0 });
        }
        Ok(())
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::Bits(bits) => bits.len(),
            Values::Rows(_, rows) => rows.len(),
        }
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

/// For each place, the row with the greatest value up to there.
fn greatest(column: &StoredColumn, rows: &[u32]) -> Vec<u32> {
    let mut best: Option<u32> = None;
    let rows = rows.iter().map(|row| {
        let is_greater = best.is_none_or(|best| {
            let ((a, i), (b, j)) = (column.at(*row), column.at(best));
            compare_values(a, i, b, j) == Ordering::Greater
        });
        if is_greater {
            best = Some(*row);
        }
        best.unwrap_or(*row)
    });
    rows.collect()
}
