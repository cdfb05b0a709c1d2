//! Reads string arguments in any representation and builds string results, for every family that
//! works row by row.

use std::borrow::Cow;

use entasis_base::scope::{self, Ticker};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, FixedStrings, Strings, StringsBuilder};
use entasis_types::DataType;

use crate::kernel::illegal_type;
use entasis_function::Arg;

/// A string argument: `String` or `FixedString`, full or Const.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    /// The same bytes in every row.
    One(&'a [u8]),
    /// Strings of any length.
    Many(&'a Strings),
    /// Strings of one length, with their padding.
    Fixed(&'a FixedStrings),
}

impl<'a> Text<'a> {
    /// Reads a column that the binder has checked to be of strings.
    pub fn of(column: &'a Column) -> Result<Self> {
        match column {
            Column::String(strings) => Ok(Self::Many(strings)),
            Column::Fixed(fixed) => Ok(Self::Fixed(fixed)),
            Column::Const(c) => match &c.value {
                Column::String(strings) => Ok(Self::One(strings.get(0))),
                Column::Fixed(fixed) => Ok(Self::One(fixed.get(0))),
                _ => Err(Error::logical("not a string column")),
            },
            // An argument of type Nothing under NULL.
            Column::Nothing(_) => Ok(Self::One(b"")),
            _ => Err(Error::logical("not a string column")),
        }
    }

    /// The bytes of row `i`.
    #[inline]
    pub fn get(self, i: usize) -> &'a [u8] {
        match self {
            Self::One(bytes) => bytes,
            Self::Many(strings) => strings.get(i),
            Self::Fixed(fixed) => fixed.get(i),
        }
    }

    /// Bytes of `rows` rows together: how much room a result may need.
    pub fn bytes(self, rows: usize) -> usize {
        match self {
            Self::One(bytes) => (bytes.len() * rows).min(1 << 24),
            Self::Many(strings) => strings.bytes().len(),
            Self::Fixed(fixed) => fixed.data.len(),
        }
    }
}

/// Where the strings of an argument lie, for functions that put whole strings together.
pub struct Pieces<'a> {
    data: Cow<'a, [u8]>,
    places: Places<'a>,
}

enum Places<'a> {
    Offsets(&'a [u32]),
    /// Strings of one width, a stride apart; the stride of a constant is 0.
    Steps(usize, usize),
}

impl<'a> Pieces<'a> {
    /// Of an argument. A constant is copied with room behind it, which makes its copies fast.
    pub fn of(text: Text<'a>) -> Self {
        match text {
            Text::One(bytes) => Self::constant(bytes),
            Text::Many(strings) => Self {
                data: Cow::Borrowed(strings.data()),
                places: Places::Offsets(strings.offsets()),
            },
            Text::Fixed(fixed) => Self {
                data: Cow::Borrowed(&fixed.data),
                places: Places::Steps(fixed.width, fixed.width),
            },
        }
    }

    /// The same string in every row.
    pub fn constant(bytes: &[u8]) -> Self {
        let data = [bytes, &[0; 32]].concat();
        Self { data: Cow::Owned(data), places: Places::Steps(bytes.len(), 0) }
    }

    /// Appends the string of row `i`.
    #[inline]
    pub fn append(&self, i: usize, out: &mut Vec<u8>) {
        let place = match self.places {
            Places::Offsets(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Places::Steps(width, stride) => i * stride..i * stride + width,
        };
        entasis_simd::copy::append(&self.data, place, out);
    }
}

/// Fails unless the argument is a string.
pub fn expect_string(function: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_string() { Ok(()) } else { Err(illegal_type(function, &arg.ty)) }
}

/// Fails unless the argument is an integer of at most 64 bits.
pub fn expect_integer(function: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_native_integer() || arg.ty == DataType::Bool {
        Ok(())
    } else {
        Err(illegal_type(function, &arg.ty))
    }
}

/// Fails unless the argument is an integer of any width.
pub fn expect_any_integer(function: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_wide_integer() { Ok(()) } else { expect_integer(function, arg) }
}

/// The bytes of a constant string argument; the error the reference gives for a column.
pub fn constant_string<'a>(function: &str, arg: &'a Arg, what: &str) -> Result<&'a [u8]> {
    expect_string(function, arg)?;
    arg.constant.as_ref().and_then(|v| v.as_bytes()).ok_or_else(|| {
        let message = format!("{what} of function {function} must be a constant string");
        Error::new(codes::ILLEGAL_COLUMN, message)
    })
}

/// The strings as a column. Fails if their bytes outgrew the offsets.
pub fn finish(builder: StringsBuilder) -> Result<Column> {
    builder.check_room(0)?;
    Ok(builder.finish().into())
}

/// Checks the query every mebibyte while one string grows far beyond its arguments, so that it
/// stops at the memory limit and at the limit of 32-bit offsets.
#[derive(Default)]
pub struct LongString(Ticker);

impl LongString {
    /// So many bytes more were appended to `out`. Unwinds as [`scope::check_or_unwind`] does.
    #[inline]
    pub fn grew(&mut self, out: &[u8], bytes: usize) {
        // A unit of the ticker stands for 16 bytes.
        self.0.check_or_unwind(bytes / 16 + 1);
        if out.len() > u32::MAX as usize {
            scope::stop(too_long());
        }
    }
}

#[cold]
fn too_long() -> Error {
    let message = "A function would make a string of more than 4 GiB";
    Error::new(codes::TOO_LARGE_STRING_SIZE, message)
}

/// A string for every row: `f` appends its bytes.
pub fn map_text(
    column: &Column,
    rows: usize,
    mut f: impl FnMut(&[u8], &mut Vec<u8>),
) -> Result<Column> {
    let text = Text::of(column)?;
    let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
    match text {
        Text::Many(strings) => {
            for s in strings.iter() {
                f(s, &mut out.data);
                out.close();
            }
        }
        other => {
            for i in 0..rows {
                f(other.get(i), &mut out.data);
                out.close();
            }
        }
    }
    finish(out)
}

/// A part of every row's string.
pub fn map_part(
    column: &Column,
    rows: usize,
    part: impl for<'a> Fn(&'a [u8]) -> &'a [u8],
) -> Result<Column> {
    parts_of(Text::of(column)?, rows, |_, s| part(s))
}

/// A part of every row's string, which may depend on the row.
#[inline(always)]
pub fn parts_of(
    text: Text<'_>,
    rows: usize,
    part: impl for<'a> Fn(usize, &'a [u8]) -> &'a [u8],
) -> Result<Column> {
    let Text::Many(strings) = text else {
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        (0..rows).for_each(|i| out.push(part(i, text.get(i))));
        return finish(out);
    };
    let data = strings.data();
    let ranges = strings.offsets().windows(2).enumerate().map(|(i, w)| {
        let start = w[0] as usize;
        let part = part(i, &data[start..w[1] as usize]);
        let start =
            if part.is_empty() { start } else { part.as_ptr().addr() - data.as_ptr().addr() };
        start..start + part.len()
    });
    let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows).min(rows * 32));
    entasis_simd::copy::append_parts(data, ranges, &mut out.data, &mut out.offsets);
    finish(out)
}

/// A number for every row.
pub fn map_number<T: entasis_column::Native>(
    column: &Column,
    rows: usize,
    mut f: impl FnMut(&[u8]) -> T,
) -> Result<Column> {
    let text = Text::of(column)?;
    Ok(T::column(match text {
        Text::Many(strings) => strings.iter().map(&mut f).collect(),
        other => (0..rows).map(|i| f(other.get(i))).collect(),
    }))
}

/// Strings of a full or Const column as `Strings`; fixed strings are copied with their padding.
pub fn to_strings(column: &Column, rows: usize) -> Result<Strings> {
    match Text::of(column)? {
        Text::Many(strings) => Ok(strings.clone()),
        text => {
            let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
            for i in 0..rows {
                out.push(text.get(i));
            }
            out.check_room(0)?;
            Ok(out.finish())
        }
    }
}

/// Visits the first hit of a search in every row that has one, by sweeping the contiguous bytes.
/// `find` searches forward in a slice and answers start and length of the leftmost hit; `hit` gets
/// the row and the hit's place in the row. A hit across two rows is searched again in its row.
#[inline(always)]
pub fn sweep(
    strings: &Strings,
    find: impl Fn(&[u8]) -> Option<(usize, usize)>,
    mut hit: impl FnMut(usize, usize),
) {
    let (offsets, data, rows) = (strings.offsets(), strings.data(), strings.len());
    let end = offsets[rows] as usize;
    let (mut at, mut row) = (offsets[0] as usize, 0);
    while at < end {
        let Some((start, len)) = find(&data[at..end]) else { return };
        let start = at + start;
        row = row_of(offsets, row, start as u32);
        let (row_start, row_end) = (offsets[row] as usize, offsets[row + 1] as usize);
        if start + len <= row_end {
            hit(row, start - row_start);
        } else if let Some((again, _)) = find(&data[start..row_end]) {
            hit(row, start + again - row_start);
        }
        row += 1;
        if row >= rows {
            return;
        }
        at = row_end;
    }
}

/// The row at or after `row` that holds byte `at`: gallops, since hits are often far apart.
#[inline]
pub fn row_of(offsets: &[u32], row: usize, at: u32) -> usize {
    if offsets[row + 1] > at {
        return row;
    }
    let (mut low, mut step) = (row + 1, 1);
    while low + step < offsets.len() && offsets[low + step] <= at {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(offsets.len() - 1);
    low + offsets[low + 1..=high].partition_point(|&o| o <= at)
}

/// Length in bytes of the character that begins with `first`, as the reference counts: by the lead
/// byte alone; a continuation byte counts as a character of its own.
#[inline]
pub fn char_len(first: u8) -> usize {
    match first {
        0xF0..=0xF7 => 4,
        0xE0..=0xEF => 3,
        0xC0..=0xDF => 2,
        _ => 1,
    }
}
