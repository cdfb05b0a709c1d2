//! Finds where partitions, runs of equal rows and frames begin and end within sorted rows.
//!
//! All bounds are row numbers. The bounds of partitions and runs begin with 0 and end with the
//! number of rows; a frame is two numbers per row, see [`Frames`].

use std::ops::Range;

use entasis_base::scope::Ticker;
use entasis_base::{Error, Result};
use entasis_column::compare::{SortOrder, compare_values};
use entasis_column::{Bitmap, Chunk, Column, match_native};
use entasis_function::window::{Frame, FrameBound, FrameUnit, Frames};
use entasis_types::CastTo;

/// The bounds of runs of rows that are equal in `columns` and do not cross a bound of `outer`.
pub fn runs(chunk: &Chunk, columns: &[usize], outer: &[u32]) -> Vec<u32> {
    let rows = chunk.rows;
    let mut first = vec![false; rows + 1];
    for &bound in outer {
        first[bound as usize] = true;
    }
    first[rows] = false;
    for &column in columns {
        mark(&chunk.columns[column].full(), &mut first[..rows]);
    }
    first[rows] = true;
    if rows > 0 {
        first[0] = true;
    }
    first.iter().zip(0..).filter(|(first, _)| **first).map(|(_, row)| row).collect()
}

/// Marks the rows whose value differs from that of the row before. NULLs are equal to each other,
/// and so are NaNs.
fn mark(column: &Column, first: &mut [bool]) {
    if let (Some(valid), values) = column.split_nullable() {
        let mut changes = vec![false; first.len()];
        mark(values, &mut changes);
        for i in 1..first.len() {
            let (now, before) = (valid.get(i), valid.get(i - 1));
            first[i] |= now != before || (now && changes[i]);
        }
        return;
    }
    let by_value = |first: &mut [bool]| {
        for (i, first) in first.iter_mut().enumerate().skip(1) {
            *first = *first || compare_values(column, i, column, i - 1).is_ne();
        }
    };
    match column {
        Column::Float32(_) | Column::Float64(_) => by_value(first),
        Column::String(strings) => {
            for (i, first) in first.iter_mut().enumerate().skip(1) {
                *first = *first || strings.get(i) != strings.get(i - 1);
            }
        }
        numbers => match_native!(numbers,
        values => {
            for (pair, first) in values.windows(2).zip(first.iter_mut().skip(1)) {
                *first |= pair[0] != pair[1];
            }
        },
        _ => by_value(first)),
    }
}

/// The frames of all rows, from the bounds of partitions and of peers (rows equal in ORDER BY).
/// `key` is the only ORDER BY column, which a RANGE with an offset needs.
pub fn frames(
    frame: &Frame,
    partitions: &[u32],
    peers: &[u32],
    key: Option<(&Column, SortOrder)>,
) -> Result<Frames> {
    let rows = partitions.last().map_or(0, |rows| *rows as usize);
    let mut starts = vec![0u32; rows];
    let mut ends = vec![0u32; rows];
    for (bound, out, is_end) in [(frame.start, &mut starts, false), (frame.end, &mut ends, true)] {
        match (frame.unit, bound) {
            (_, FrameBound::Unbounded) => whole(partitions, is_end, out),
            (FrameUnit::Rows, _) => by_rows(partitions, offset(bound), is_end, out),
            (FrameUnit::Range, FrameBound::Preceding(_) | FrameBound::Following(_)) => {
                let (column, order) = key.ok_or_else(no_key)?;
                by_values(column, order, partitions, offset(bound), is_end, out)?;
            }
            _ => by_peers(partitions, peers, offset(bound), is_end, out),
        }
    }
    // A frame whose start lies after its end is empty.
    for (start, end) in starts.iter().zip(&mut ends) {
        *end = (*end).max(*start);
    }
    Ok(Frames { starts, ends })
}

#[cold]
fn no_key() -> Error {
    Error::logical("a RANGE frame with an offset without a column to count in")
}

/// The offset of a bound from the current row, in units of the frame; negative for PRECEDING.
fn offset(bound: FrameBound) -> i64 {
    match bound {
        FrameBound::Preceding(n) => -i64::from(n),
        FrameBound::Following(n) => i64::from(n),
        FrameBound::CurrentRow | FrameBound::Unbounded => 0,
    }
}

fn ranges(bounds: &[u32]) -> impl Iterator<Item = Range<usize>> + '_ {
    bounds.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
}

fn whole(partitions: &[u32], is_end: bool, out: &mut [u32]) {
    for range in ranges(partitions) {
        let bound = if is_end { range.end } else { range.start };
        out[range].fill(bound as u32);
    }
}

fn by_rows(partitions: &[u32], offset: i64, is_end: bool, out: &mut [u32]) {
    for range in ranges(partitions) {
        let (first, last) = (range.start as i64, range.end as i64);
        let shift = offset + i64::from(is_end);
        for row in range {
            out[row] = (row as i64 + shift).clamp(first, last) as u32;
        }
    }
}

/// Bounds of a GROUPS frame, or of a RANGE at the current row: counts runs of equal rows.
fn by_peers(partitions: &[u32], peers: &[u32], offset: i64, is_end: bool, out: &mut [u32]) {
    let mut from = 0;
    for range in ranges(partitions) {
        // The runs of the partition have the bounds `from ..= to`.
        let runs = peers[from..].iter().take_while(|bound| (**bound as usize) < range.end).count();
        let to = from + runs;
        let shift = offset + i64::from(is_end);
        for run in from..to {
            let at = (run as i64 + shift).clamp(from as i64, to as i64) as usize;
            out[peers[run] as usize..peers[run + 1] as usize].fill(peers[at]);
        }
        from = to;
    }
}

/// An ORDER BY key with an offset added; a greater key comes later. As in the reference, NULL is
/// less than all numbers in ascending order and greater in descending order, regardless of NULLS
/// FIRST.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Key<T> {
    NullAscending,
    Value(T),
    NullDescending,
}

/// A number to which an offset can be added.
trait Shifted: Copy + PartialOrd {
    fn shifted(self, offset: i64) -> Self;
}

impl Shifted for i128 {
    fn shifted(self, offset: i64) -> Self {
        self.saturating_add(i128::from(offset))
    }
}

impl Shifted for f64 {
    fn shifted(self, offset: i64) -> Self {
        self + offset as Self
    }
}

/// Bounds of a RANGE frame with an offset: compares values of the only ORDER BY column.
fn by_values(
    column: &Column,
    order: SortOrder,
    partitions: &[u32],
    offset: i64,
    is_end: bool,
    out: &mut [u32],
) -> Result<()> {
    let column = column.full();
    let (valid, values) = column.split_nullable();
    let sign = if order.descending { -1 } else { 1 };
    match values {
        Column::Float32(_) | Column::Float64(_) => {
            let floats = values.to_f64().ok_or_else(no_key)?;
            let list: Vec<f64> = floats.iter().map(|v| v * f64::from(sign)).collect();
            walk(&keys(&list, valid, order), partitions, offset, is_end, out)
        }
        numbers => {
            if matches!(numbers, Column::UInt128(_) | Column::UInt256(_) | Column::Int256(_)) {
                return Err(no_key());
            }
            let number = |v: i128| v.saturating_mul(sign.into());
            let list: Vec<i128> = match_native!(numbers,
                v => v.iter().map(|&v| number(v.cast_to())).collect(),
                _ => return Err(no_key()));
            walk(&keys(&list, valid, order), partitions, offset, is_end, out)
        }
    }
}

fn keys<T: Copy>(values: &[T], valid: Option<&Bitmap>, order: SortOrder) -> Vec<Key<T>> {
    let null = if order.descending { Key::NullDescending } else { Key::NullAscending };
    let key = |(i, value): (usize, &T)| match valid {
        Some(valid) if !valid.get(i) => null,
        _ => Key::Value(*value),
    };
    values.iter().enumerate().map(key).collect()
}

/// Moves one pointer through each partition. For a start it stops at the first key that is not
/// before the wanted one, for an end at the first key after it. The frame of a NaN is bounded by
/// its own row.
fn walk<T: Shifted>(
    keys: &[Key<T>],
    partitions: &[u32],
    offset: i64,
    is_end: bool,
    out: &mut [u32],
) -> Result<()> {
    let mut ticker = Ticker::default();
    for range in ranges(partitions) {
        ticker.tick(range.len())?;
        let mut at = range.start;
        for row in range.clone() {
            let wanted = match keys[row] {
                Key::Value(value) => Key::Value(value.shifted(offset)),
                null => null,
            };
            if wanted.partial_cmp(&wanted).is_none() {
                at = at.max(row + usize::from(is_end));
            }
            while at < range.end && (keys[at] < wanted || (is_end && keys[at] == wanted)) {
                at += 1;
            }
            out[row] = at as u32;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(unit: FrameUnit, start: FrameBound, end: FrameBound) -> Frame {
        Frame { unit, start, end, is_default: false }
    }

    #[test]
    fn runs_end_where_values_or_partitions_do() {
        let numbers = Column::from(vec![1u8, 1, 1, 2, 2, 2]);
        let floats = Column::from(vec![0.5, f64::NAN, f64::NAN, f64::NAN, 7.0, 7.0]);
        let bits = Bitmap::from_fn(6, |i| i < 2);
        let nullable = Column::nullable(Column::from((0..6u64).collect::<Vec<_>>()), bits);
        let chunk = Chunk::new(vec![numbers, floats, nullable], 6);
        assert_eq!(runs(&chunk, &[], &[0, 6]), [0, 6]);
        assert_eq!(runs(&chunk, &[0], &[0, 6]), [0, 3, 6]);
        assert_eq!(runs(&chunk, &[1], &[0, 6]), [0, 1, 4, 6]);
        assert_eq!(runs(&chunk, &[2], &[0, 6]), [0, 1, 2, 6]);
        assert_eq!(runs(&chunk, &[1], &[0, 2, 6]), [0, 1, 2, 4, 6]);
        assert_eq!(runs(&Chunk::new(vec![], 0), &[], &[0]), [0]);
    }

    #[test]
    fn bounds_stay_within_partitions() {
        use FrameBound::{CurrentRow, Following, Preceding, Unbounded};
        let (partitions, peers) = ([0, 3, 5], [0, 2, 3, 4, 5]);
        let of = |unit, start, end| {
            let f = frames(&frame(unit, start, end), &partitions, &peers, None).unwrap();
            f.starts.into_iter().zip(f.ends).collect::<Vec<_>>()
        };
        let rows = |start, end| of(FrameUnit::Rows, start, end);
        assert_eq!(rows(Preceding(1), CurrentRow), [(0, 1), (0, 2), (1, 3), (3, 4), (3, 5)]);
        assert_eq!(rows(Following(1), Following(9)), [(1, 3), (2, 3), (3, 3), (4, 5), (5, 5)]);
        assert_eq!(rows(Preceding(9), Preceding(2)), [(0, 0), (0, 0), (0, 1), (3, 3), (3, 3)]);
        assert_eq!(rows(CurrentRow, Unbounded), [(0, 3), (1, 3), (2, 3), (3, 5), (4, 5)]);
        let range = of(FrameUnit::Range, Unbounded, CurrentRow);
        assert_eq!(range, [(0, 2), (0, 2), (0, 3), (3, 4), (3, 5)]);
        let groups = of(FrameUnit::Groups, Preceding(1), Preceding(1));
        assert_eq!(groups, [(0, 0), (0, 0), (0, 2), (3, 3), (3, 4)]);
        let ahead = of(FrameUnit::Groups, Following(1), Unbounded);
        assert_eq!(ahead, [(2, 3), (2, 3), (3, 3), (4, 5), (5, 5)]);
    }

    #[test]
    fn values_are_counted_from_the_current_one() {
        use FrameBound::{CurrentRow, Following, Preceding};
        let of = |column: &Column, order, start, end| {
            let rows = column.len() as u32;
            let peers: Vec<u32> = (0..=rows).collect();
            let f = frame(FrameUnit::Range, start, end);
            let f = frames(&f, &[0, rows], &peers, Some((column, order))).unwrap();
            f.starts.into_iter().zip(f.ends).collect::<Vec<_>>()
        };
        let up = SortOrder { descending: false, nulls_first: false };
        let down = SortOrder { descending: true, nulls_first: false };
        let ascending = Column::from(vec![1u8, 2, 4, 255]);
        assert_eq!(of(&ascending, up, Preceding(2), CurrentRow), [(0, 1), (0, 2), (1, 3), (3, 4)]);
        assert_eq!(
            of(&ascending, up, Following(1), Following(9)),
            [(1, 3), (2, 3), (3, 3), (4, 4)]
        );
        let descending = Column::from(vec![i64::MAX, 3, 2, i64::MIN]);
        let got = of(&descending, down, Preceding(1), Following(1));
        assert_eq!(got, [(0, 1), (1, 3), (1, 3), (3, 4)]);
        let floats = Column::from(vec![f64::NEG_INFINITY, 1.0, 1.5, f64::INFINITY, f64::NAN]);
        let got = of(&floats, up, Preceding(1), Following(1));
        assert_eq!(got, [(0, 1), (1, 3), (1, 3), (3, 4), (4, 5)]);
        let bits = Bitmap::from_fn(3, |i| i < 2);
        let nullable = Column::nullable(Column::from(vec![5u8, 1, 0]), bits);
        assert_eq!(of(&nullable, down, Preceding(1), CurrentRow), [(0, 1), (1, 2), (2, 3)]);
    }
}
