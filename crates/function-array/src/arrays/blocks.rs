//! Moving the elements of short lists: a block of a constant number of elements is read and
//! written for each list, and the next list overwrites what was too much. Lists are short, and a
//! call of `memmove` or a loop for each of them would cost more than the copy.

use std::ops::Range;

use entasis_base::scope::{self, Ticker};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, Strings, StringsBuilder, match_native};

use super::lists::{Flat, Lists};

/// Elements that are moved at once.
pub const BLOCK: usize = 16;

/// Room for so many elements, and for a block that begins at the last of them.
pub fn room<T: Native>(count: usize) -> Vec<T> {
    scope::zeroed(count + BLOCK)
}

/// A list of elements that grow by a constant step: what is added to the first one, per place.
pub struct Steps<T> {
    places: [T; BLOCK],
}

impl<T: Native> Steps<T> {
    /// The elements at the first places if the first one is 0.
    pub fn of(place: impl Fn(u64) -> T) -> Self {
        Self { places: std::array::from_fn(|k| place(k as u64)) }
    }

    /// Writes the elements of a list into a range of `out`, which has [`room`]: `first` says what
    /// is at a place.
    #[inline(always)]
    pub fn write(
        &self,
        out: &mut [T],
        range: Range<usize>,
        first: impl Fn(u64) -> T,
        add: impl Fn(T, T) -> T,
    ) {
        let mut at = range.start;
        while at < range.end {
            let base = first((at - range.start) as u64);
            let Some(block) = out[at..].first_chunk_mut::<BLOCK>() else { return };
            for (value, place) in block.iter_mut().zip(&self.places) {
                *value = add(base, *place);
            }
            at += BLOCK;
        }
    }
}

/// Lists with these ends that count up from a first number.
#[inline(always)]
pub fn counted<T: Native>(
    ends: &[u32],
    first: u64,
    to: impl Fn(u64) -> T,
    add: impl Fn(T, T) -> T,
) -> Result<Vec<T>> {
    let total = ends[ends.len() - 1] as usize;
    let (mut out, mut ticker) = (room::<T>(total), Ticker::default());
    let places: [T; BLOCK] = std::array::from_fn(|k| to(first + k as u64));
    let more = to(BLOCK as u64);
    for list in ends.windows(2) {
        let (mut at, end) = (list[0] as usize, list[1] as usize);
        let mut block = places;
        while at < end {
            if let Some(out) = out.get_mut(at..).and_then(|out| out.first_chunk_mut::<BLOCK>()) {
                *out = block;
            }
            block = block.map(|number| add(number, more));
            at += BLOCK;
            ticker.tick(BLOCK)?;
        }
    }
    out.truncate(total);
    Ok(out)
}

/// A part of each row's list, as a column of lists. `part` gets the row and the length of its list
/// and answers the first element and the number of elements.
#[inline(always)]
pub fn parts(
    lists: &Lists,
    rows: usize,
    part: impl Fn(usize, usize) -> (usize, usize),
) -> Result<Column> {
    let (mut starts, mut ends) = (vec![0; rows], vec![0; rows + 1]);
    let mut total = 0;
    let mut own = |i: usize, (list, len): (u32, usize), start_and_end: (&mut u32, &mut u32)| {
        let (start, count) = part(i, len);
        total += count;
        *start_and_end.0 = list + start as u32;
        *start_and_end.1 = total as u32;
    };
    let places = starts.iter_mut().zip(&mut ends[1..]);
    if lists.is_constant() {
        let list = lists.range(0);
        let list = (list.start as u32, list.len());
        places.enumerate().for_each(|(i, place)| own(i, list, place));
    } else {
        for ((i, place), list) in places.enumerate().zip(lists.array.offsets.windows(2)) {
            own(i, (list[0], (list[1] - list[0]) as usize), place);
        }
    }
    if u32::try_from(total).is_err() {
        let message = "More than 2^32 elements of arrays in one column of a chunk: lower \
                       max_block_size";
        return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
    }
    let values = match lists.values() {
        Column::String(strings) => string_parts(strings, &starts, &ends)?,
        values => match_native!(values, v => Column::from(native_parts(v, &starts, &ends)),
            other => other.take(&indices(&starts, &ends))),
    };
    Ok(Column::array(ends.into(), values))
}

fn native_parts<T: Native>(values: &[T], starts: &[u32], ends: &[u32]) -> Vec<T> {
    let total = ends[starts.len()] as usize;
    let mut out = room::<T>(total);
    for (&start, ends) in starts.iter().zip(ends.windows(2)) {
        let (start, to, end) = (start as usize, ends[0] as usize, ends[1] as usize);
        let from = values.get(start..).and_then(|values| values.first_chunk::<BLOCK>());
        let block = from.zip(out.get_mut(to..).and_then(|out| out.first_chunk_mut::<BLOCK>()));
        match block {
            Some((from, to)) if end - ends[0] as usize <= BLOCK => *to = *from,
            _ => out[to..end].copy_from_slice(&values[start..start + (end - to)]),
        }
    }
    out.truncate(total);
    out
}

fn string_parts(strings: &Strings, starts: &[u32], ends: &[u32]) -> Result<Column> {
    let (offsets, data) = (strings.offsets(), strings.data());
    let bytes = |(&start, ends): (&u32, &[u32])| {
        let (start, end) = (start as usize, (start + (ends[1] - ends[0])) as usize);
        (start..end, offsets[start] as usize..offsets[end] as usize)
    };
    let total = starts.iter().zip(ends.windows(2)).map(|part| bytes(part).1.len()).sum();
    StringsBuilder::default().check_room(total)?;
    let mut out = StringsBuilder::with_capacity(ends[starts.len()] as usize, total);
    for part in starts.iter().zip(ends.windows(2)) {
        let (strings, bytes) = bytes(part);
        let moved = (out.data.len() as u32).wrapping_sub(bytes.start as u32);
        let ends = &offsets[strings.start + 1..=strings.end];
        out.offsets.extend(ends.iter().map(|end| end.wrapping_add(moved)));
        entasis_simd::copy::append(data, bytes, &mut out.data);
        out.pace();
    }
    Ok(out.finish().into())
}

fn indices(starts: &[u32], ends: &[u32]) -> Vec<u32> {
    let total = ends[starts.len()] as usize;
    scope::check_or_unwind(total * size_of::<u32>());
    let mut indices = Vec::with_capacity(total);
    for (&start, ends) in starts.iter().zip(ends.windows(2)) {
        indices.extend(start..start + (ends[1] - ends[0]));
    }
    indices
}

/// The elements of every list in reverse order; `None` if they are not numbers.
pub fn reversed(flat: &Flat) -> Option<Column> {
    let values = &flat.values[0];
    Some(flat.with(match_native!(values, v => Column::from(reversed_natives(flat, v)),
        _ => return None)))
}

fn reversed_natives<T: Native>(flat: &Flat, values: &[T]) -> Vec<T> {
    let mut out = room::<T>(flat.count());
    for range in flat.ranges() {
        let (mut to, mut end) = (range.start, range.end);
        while to < range.end {
            let from = values[..end].last_chunk::<BLOCK>();
            let block = from.zip(out[to..].first_chunk_mut::<BLOCK>());
            let Some((from, out)) = block else {
                let left = values[range.start..end].iter().rev();
                out[to..range.end].iter_mut().zip(left).for_each(|(out, value)| *out = *value);
                break;
            };
            for (out, value) in out.iter_mut().zip(from.iter().rev()) {
                *out = *value;
            }
            to += BLOCK;
            end = end.saturating_sub(BLOCK);
        }
    }
    out.truncate(flat.count());
    out
}

/// The rows of some columns one after the other: those of the first row, of the second row and so
/// on. `None` if the columns are not all of this layout.
pub fn interleaved<T: Native>(columns: &[Column], rows: usize) -> Option<Vec<T>> {
    let full: Vec<Column> = columns.iter().map(Column::full).collect();
    let sides = full.iter().map(|c| T::values(c)?.get(..rows)).collect::<Option<Vec<&[T]>>>()?;
    scope::check_or_unwind(rows * columns.len() * size_of::<T>());
    Some(match sides[..] {
        [a, b] => rows_of([a, b], rows),
        [a, b, c] => rows_of([a, b, c], rows),
        [a, b, c, d] => rows_of([a, b, c, d], rows),
        ref sides => rows_of_many(sides, rows),
    })
}

fn rows_of<T: Native, const N: usize>(sides: [&[T]; N], rows: usize) -> Vec<T> {
    let sides = sides.map(|side| &side[..rows]);
    let all: Vec<[T; N]> = (0..rows).map(|i| sides.map(|side| side[i])).collect();
    all.into_flattened()
}

fn rows_of_many<T: Native>(sides: &[&[T]], rows: usize) -> Vec<T> {
    /// Rows that are written side by side: they stay in the first-level cache.
    const AT_ONCE: usize = 64;
    let width = sides.len();
    let mut out = vec![T::default(); rows * width];
    for (out, start) in out.chunks_mut(AT_ONCE * width).zip((0..).step_by(AT_ONCE)) {
        for (k, side) in sides.iter().enumerate() {
            for (row, value) in out.chunks_exact_mut(width).zip(&side[start..]) {
                row[k] = *value;
            }
        }
    }
    out
}

/// A constant array as a column of lists that holds the elements of every row; `None` if they are
/// neither numbers nor strings, or too many.
pub fn repeated(list: &Column, rows: usize) -> Option<Column> {
    let Column::Array(array) = list else { return None };
    let (_, values) = array.flat();
    let total = values.len() * rows;
    u32::try_from(total).ok()?;
    let elements = match &values {
        Column::String(strings) => repeated_strings(strings, rows)?,
        values => match_native!(values, v => {
            scope::check_or_unwind(size_of_val(&v[..]) * rows);
            Column::from(v.repeat(rows))
        }, _ => return None),
    };
    let ends: Vec<u32> = (0..=rows).map(|i| (i * values.len()) as u32).collect();
    Some(Column::array(ends.into(), elements))
}

fn repeated_strings(strings: &Strings, rows: usize) -> Option<Column> {
    /// So many ends are written as one block, so that the loop is one of vectors.
    const ENDS: usize = 256;
    let bytes = strings.bytes();
    let total = u32::try_from(bytes.len() * rows).ok()?;
    scope::check_or_unwind(total as usize + strings.len() * rows * size_of::<u32>());
    let first = strings.offsets()[0];
    let (mut block, times) = (Vec::new(), (ENDS / strings.len().max(1)).clamp(1, rows.max(1)));
    for time in 0..times {
        let base = (time * bytes.len()) as u32;
        block.extend(strings.offsets()[1..].iter().map(|end| end - first + base));
    }
    let mut ends = Vec::with_capacity(strings.len() * rows + 1);
    ends.push(0);
    for start in (0..rows).step_by(times) {
        let base = (start * bytes.len()) as u32;
        let count = times.min(rows - start) * strings.len();
        ends.extend(block[..count].iter().map(|end| end + base));
    }
    Some(Column::String(Strings::new(ends.into(), bytes.repeat(rows).into())))
}
