//! Rows of the right side that are found by inequalities: sorted by one column, so that the rows
//! for a left row are a range, whose ends are found by binary search.
//!
//! A second column of the right side may cut off the beginning of the range ([`Band::reach`]): of
//! all rows up to a place, the greatest value is known, and grows from place to place. Intervals
//! that hold a value are found quickly this way if no long interval lies before many short ones.

use std::cmp::Ordering;

use entasis_base::{Error, Result, codes, scope};
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

/// Values that are compared.
enum Values {
    /// Numbers, as bits in the same order.
    Bits(Vec<u64>),
    Column(Column),
}

impl Values {
    fn of(column: &Column) -> Self {
        ordered_bits(column).map_or_else(|| Self::Column(column.clone()), Self::Bits)
    }

    /// For each of `wanted`, how many of these sorted values are less; with `or_equal`, how many
    /// are not greater.
    fn less(&self, wanted: &Self, or_equal: bool) -> Result<Vec<u32>> {
        match (self, wanted) {
            (Self::Bits(values), Self::Bits(wanted)) => {
                let up_to = |bits: &u64| match or_equal {
                    true => values.partition_point(|value| value <= bits),
                    false => values.partition_point(|value| value < bits),
                };
                Ok(wanted.iter().map(|bits| up_to(bits) as u32).collect())
            }
            (Self::Column(values), Self::Column(wanted)) => {
                let places: Vec<u32> = (0..values.len() as u32).collect();
                let up_to = |row: usize| {
                    places.partition_point(|at| {
                        let found = compare_values(values, *at as usize, wanted, row);
                        found == Ordering::Less || or_equal && found == Ordering::Equal
                    })
                };
                Ok((0..wanted.len()).map(|row| up_to(row) as u32).collect())
            }
            _ => Err(Error::logical("a band whose sides have different types")),
        }
    }

    fn byte_size(&self) -> usize {
        match self {
            Self::Bits(bits) => 8 * bits.len(),
            Self::Column(column) => column.byte_size(),
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
        let of_reach = spec.reach.iter().map(|(at, _)| *at);
        let whole = |at: usize| {
            let column = stored[at].whole(rows).ok_or_else(too_large)?;
            Ok(column.full())
        };
        let columns: Vec<Column> =
            std::iter::once(spec.by).chain(of_reach).map(whole).collect::<Result<_>>()?;
        let (mut plain, valid) = split_keys(&columns, None);
        let picked = valid.map_or_else(|| (0..rows as u32).collect(), |valid| valid.indices());
        plain = plain.iter().map(|column| column.take(&picked)).collect();
        let count = picked.len();
        plain.push(Column::from(picked));
        let chunk = sorted(Chunk::new(plain, count), &[(0, SortOrder::ASCENDING)]);
        scope::check()?;
        let order = match chunk.columns.last() {
            Some(Column::UInt32(numbers)) => numbers.to_vec(),
            _ => return Err(Error::logical("row numbers of another type")),
        };
        let reach = spec.reach.map(|(_, end)| (Values::of(&greatest(&chunk.columns[1])), end));
        let values = Values::of(&chunk.columns[0]);
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
            let places = values.less(&Values::of(&plain[end.at]), !end.inclusive)?;
            starts.iter_mut().zip(places).for_each(|(start, place)| *start = place.max(*start));
        }
        if let Some(end) = &self.below {
            ends = self.values.less(&Values::of(&plain[end.at]), end.inclusive)?;
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
            Values::Column(column) => column.len(),
        }
    }

    pub fn byte_size(&self) -> usize {
        self.values.byte_size() + self.reach.as_ref().map_or(0, |(values, _)| values.byte_size())
    }
}

/// For each place, the greatest value up to there.
fn greatest(column: &Column) -> Column {
    let mut best = 0;
    let rows = (0..column.len()).map(|at| {
        if compare_values(column, at, column, best) == Ordering::Greater {
            best = at;
        }
        best as u32
    });
    column.take(&rows.collect::<Vec<u32>>())
}

#[cold]
fn too_large() -> Error {
    let message = "The column of an inequality of JOIN has more than 2 GiB: exchange the tables, or \
                   let the condition read a shorter column";
    Error::new(codes::LIMIT_EXCEEDED, message)
}
