//! Turns key columns into values that compare by one instruction or one `memcmp`.
//!
//! Fixed-width keys are packed into a number of 8 or 16 bytes, most significant first. Each key is
//! mapped so that unsigned order is the wanted order: signs are flipped, the bits of floats are
//! adjusted for sign and magnitude, and descending keys are complemented. A Nullable key has a flag
//! bit in front; NaN takes the end of the float's range, where no number is. Keys with a string
//! become bytes: strings are escaped (0 becomes 0 255, the end is 0 0). A single plain ascending
//! string is used as it is. Tuples are keys of their elements. All other keys (arrays) are compared
//! as columns.

use entasis_column::compare::SortOrder;
use entasis_column::{Bitmap, Chunk, Column, Native, Strings, StringsBuilder, match_number};
use entasis_types::Physical;

/// The sort keys of a chunk's rows.
#[derive(Debug)]
pub enum SortKeys {
    /// Keys of up to 32 bits in the upper half, and the row's number in the lower one.
    Short(Vec<u64>),
    /// Keys of up to 64 bits.
    U64(Vec<u64>),
    /// Keys of up to 128 bits.
    Wide(Vec<u128>),
    /// Byte strings that compare as the rows do.
    Bytes(Strings),
    /// The key columns themselves.
    Columns(Vec<(Column, SortOrder)>),
}

/// A number that can be mapped to bits whose unsigned order is the number's order.
pub trait Ordered: Native {
    const BITS: u32;
    /// The bits for ascending order; `None` for NaN.
    fn ordered(self) -> Option<u64>;
}

macro_rules! ordered {
    ($($t:ty as $u:ty, $flip:expr;)*) => {$(impl Ordered for $t {
        const BITS: u32 = <$u>::BITS;
        #[inline(always)]
        fn ordered(self) -> Option<u64> {
            Some(u64::from(self as $u ^ $flip))
        }
    })*};
}

ordered! {
    u8 as u8, 0; u16 as u16, 0; u32 as u32, 0; u64 as u64, 0;
    i8 as u8, 1 << 7; i16 as u16, 1 << 15; i32 as u32, 1 << 31; i64 as u64, 1 << 63;
}

impl Ordered for f32 {
    const BITS: u32 = 32;
    #[inline(always)]
    fn ordered(self) -> Option<u64> {
        let bits = (self + 0.0).to_bits();
        let mask = ((bits as i32) >> 31) as u32 | 1 << 31;
        (!self.is_nan()).then_some((bits ^ mask).into())
    }
}

impl Ordered for f64 {
    const BITS: u32 = 64;
    #[inline(always)]
    fn ordered(self) -> Option<u64> {
        let bits = (self + 0.0).to_bits();
        let mask = ((bits as i64) >> 63) as u64 | 1 << 63;
        (!self.is_nan()).then_some(bits ^ mask)
    }
}

/// Numbers of up to 64 bits as bits in the same order, NaN last; `None` for other columns.
pub fn ordered_bits(column: &Column) -> Option<Vec<u64>> {
    match_number!(
        column,
        values => Some(values.iter().map(|value| value.ordered().unwrap_or(u64::MAX)).collect()),
        _ => None
    )
}

/// How one key column is encoded.
enum Part {
    /// As this many bits, including the flag for NULL.
    Bits(u32),
    String,
    Other,
}

fn part(column: &Column) -> Part {
    match column {
        Column::Nullable(n) => match part(&n.values) {
            Part::Bits(bits) => Part::Bits(bits + 1),
            other => other,
        },
        Column::Nothing(_) => Part::Bits(0),
        other => match other.physical() {
            Physical::UInt8 | Physical::Int8 => Part::Bits(8),
            Physical::UInt16 | Physical::Int16 => Part::Bits(16),
            Physical::UInt32 | Physical::Int32 | Physical::Float32 => Part::Bits(32),
            Physical::UInt64 | Physical::Int64 | Physical::Float64 => Part::Bits(64),
            Physical::String | Physical::Fixed(_) => Part::String,
            _ => Part::Other,
        },
    }
}

/// Adds a key column: a tuple as its elements, and integers of more than 64 bits as their halves.
fn push_parts(column: &Column, order: SortOrder, out: &mut Vec<(Column, SortOrder)>) {
    let mut push = |column: Column| out.push((column, order));
    match column {
        Column::Tuple(tuple) => {
            tuple.columns.iter().for_each(|part| push_parts(&part.full(), order, out));
        }
        Column::UInt128(values) => {
            push(values.iter().map(|v| (v >> 64) as u64).collect::<Vec<_>>().into());
            push(values.iter().map(|v| *v as u64).collect::<Vec<_>>().into());
        }
        Column::Int128(values) => {
            push(values.iter().map(|v| (v >> 64) as i64).collect::<Vec<_>>().into());
            push(values.iter().map(|v| *v as u64).collect::<Vec<_>>().into());
        }
        Column::Nullable(nullable) => match &nullable.values {
            Column::UInt128(_) | Column::Int128(_) => {
                let mut parts = Vec::new();
                push_parts(&nullable.values, order, &mut parts);
                for (part, _) in parts {
                    push(Column::nullable(part, nullable.validity.clone()));
                }
            }
            _ => push(column.clone()),
        },
        other => push(other.clone()),
    }
}

/// The keys of all rows of `chunk`. Chunks with the same columns get keys of the same variant.
pub fn encode(chunk: &Chunk, keys: &[(usize, SortOrder)]) -> SortKeys {
    let mut columns: Vec<(Column, SortOrder)> = Vec::with_capacity(keys.len());
    for (at, order) in keys {
        push_parts(&chunk.columns[*at].full(), *order, &mut columns);
    }
    let parts: Vec<Part> = columns.iter().map(|(c, _)| part(c)).collect();
    if parts.iter().any(|p| matches!(p, Part::Other)) {
        return SortKeys::Columns(columns);
    }
    if let [(Column::String(strings), SortOrder { descending: false, .. })] = &columns[..] {
        return SortKeys::Bytes(strings.clone());
    }
    let bits = parts.iter().try_fold(0, |sum, p| match p {
        Part::Bits(bits) => Some(sum + bits),
        _ => None,
    });
    match bits {
        Some(0..=32) => {
            let mut keys: Vec<u64> = numbers(&columns, chunk.rows);
            keys.iter_mut().zip(0..).for_each(|(key, row)| *key = *key << 32 | row);
            SortKeys::Short(keys)
        }
        Some(33..=64) => SortKeys::U64(numbers(&columns, chunk.rows)),
        Some(65..=128) => SortKeys::Wide(numbers(&columns, chunk.rows)),
        _ => SortKeys::Bytes(rows_of_bytes(&columns, chunk.rows)),
    }
}

/// A number that keys are shifted into from the right.
trait Packed: Copy + Default {
    fn shift_in(self, bits: u64, width: u32) -> Self;
}

impl Packed for u64 {
    #[inline(always)]
    fn shift_in(self, bits: u64, width: u32) -> Self {
        self.checked_shl(width).unwrap_or(0) | bits
    }
}

impl Packed for u128 {
    #[inline(always)]
    fn shift_in(self, bits: u64, width: u32) -> Self {
        self.checked_shl(width).unwrap_or(0) | Self::from(bits)
    }
}

fn numbers<P: Packed>(columns: &[(Column, SortOrder)], rows: usize) -> Vec<P> {
    let mut out = vec![P::default(); rows];
    for (column, order) in columns {
        let (valid, values) = column.split_nullable();
        if let Some(valid) = valid {
            for (i, o) in out.iter_mut().enumerate() {
                *o = o.shift_in((valid.get(i) == order.nulls_first).into(), 1);
            }
        }
        match_number!(values, values => shift_in(&mut out, values, valid, *order), _ => {});
    }
    out
}

#[inline(always)]
fn bits_of<T: Ordered>(value: T, order: SortOrder) -> u64 {
    let all = u64::MAX >> (64 - T::BITS);
    match value.ordered() {
        Some(bits) if order.descending => !bits & all,
        Some(bits) => bits,
        None if order.nulls_first => 0,
        None => all,
    }
}

fn shift_in<T: Ordered, P: Packed>(
    out: &mut [P],
    values: &[T],
    valid: Option<&Bitmap>,
    order: SortOrder,
) {
    match valid {
        None => {
            for (o, v) in out.iter_mut().zip(values) {
                *o = o.shift_in(bits_of(*v, order), T::BITS);
            }
        }
        Some(valid) => {
            for (i, (o, v)) in out.iter_mut().zip(values).enumerate() {
                let bits = if valid.get(i) { bits_of(*v, order) } else { 0 };
                *o = o.shift_in(bits, T::BITS);
            }
        }
    }
}

/// Writes the bytes of one key column and one row.
type Write<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

fn rows_of_bytes(columns: &[(Column, SortOrder)], rows: usize) -> Strings {
    let writers: Vec<Write<'_>> =
        columns.iter().map(|(column, order)| writer(column, *order)).collect();
    let mut out = StringsBuilder::with_capacity(rows, rows * 16);
    for row in 0..rows {
        for write in &writers {
            write(row, &mut out.data);
        }
        out.close();
    }
    out.finish()
}

fn writer(column: &Column, order: SortOrder) -> Write<'_> {
    fn number<T: Ordered>(values: &[T], order: SortOrder) -> Write<'_> {
        Box::new(move |row, out| {
            let bytes = bits_of(values[row], order).to_be_bytes();
            out.extend_from_slice(&bytes[8 - T::BITS as usize / 8..]);
        })
    }
    match column {
        Column::Nullable(n) => {
            let inner = writer(&n.values, order);
            Box::new(move |row, out| {
                let valid = n.validity.get(row);
                out.push((valid == order.nulls_first).into());
                if valid {
                    inner(row, out);
                }
            })
        }
        Column::String(strings) => {
            Box::new(move |row, out| escape(strings.get(row), order.descending, out))
        }
        Column::Fixed(fixed) => {
            Box::new(move |row, out| escape(fixed.get(row), order.descending, out))
        }
        other => match_number!(other, values => number(values, order), _ => Box::new(|_, _| {})),
    }
}

/// Appends a string so that `memcmp` recognises its end; complemented if descending.
fn escape(s: &[u8], descending: bool, out: &mut Vec<u8>) {
    let start = out.len();
    for part in s.split_inclusive(|b| *b == 0) {
        out.extend_from_slice(part);
        if part.last() == Some(&0) {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 0]);
    if descending {
        for b in &mut out[start..] {
            *b = !*b;
        }
    }
}
