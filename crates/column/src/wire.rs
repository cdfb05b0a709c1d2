//! The binary form of columns, for rows that are spilled to disk and for the files of Log tables.
//! `docs/format/log_engine.md` describes it; the meaning of a tag never changes.
//!
//! A column is a tag followed by its buffers as they lie in memory, little-endian. Strings and
//! arrays store lengths instead of offsets, because lengths compress better and a slice can start
//! anywhere. The number of rows is that of the chunk. `Const` is kept, and `Dict` is written in
//! full.
//!
//! Invariant: reading checks every length before it allocates memory or refers to anything, so
//! bytes that were not written by this module are an error. The caller does checksums and
//! compression.

use std::sync::Arc;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_simd::cast::{Number, as_bytes, extend_from_bytes};
use entasis_types::{i256, u256};

use crate::variant::NULL;
use crate::{
    Bitmap, Chunk, Column, ConstColumn, FixedStrings, Native, NullableColumn, Strings, TupleColumn,
    VariantColumn,
};

const NOTHING: u8 = 0;
const STRING: u8 = 12;
const FIXED: u8 = 13;
const NULLABLE: u8 = 14;
const ARRAY: u8 = 15;
const TUPLE: u8 = 16;
const CONST: u8 = 17;
const VARIANT: u8 = 24;

/// Appends a chunk: the number of columns, the number of rows, and the columns.
pub fn write_chunk(chunk: &Chunk, out: &mut Vec<u8>) {
    write_varint(out, chunk.columns.len() as u64);
    write_varint(out, chunk.rows as u64);
    for column in &chunk.columns {
        write(column, out);
    }
}

/// Reads a chunk that takes up all of `bytes`.
pub fn read_chunk(mut bytes: &[u8]) -> Result<Chunk> {
    let columns = read_varint(&mut bytes)? as usize;
    let rows = read_varint(&mut bytes)? as usize;
    // Each column has at least a tag.
    if columns > bytes.len() {
        return Err(corrupted("more columns than bytes"));
    }
    let columns = (0..columns).map(|_| read(&mut bytes, rows)).collect::<Result<_>>()?;
    if !bytes.is_empty() {
        return Err(corrupted("bytes are left over"));
    }
    Ok(Chunk { columns, rows })
}

#[cold]
fn corrupted(what: &str) -> Error {
    Error::new(codes::CORRUPTED_DATA, format!("Corrupted rows: {what}"))
}

macro_rules! numbers {
    ($($tag:literal => $variant:ident: $ty:ty),*) => {
        fn write(column: &Column, out: &mut Vec<u8>) {
            match column {
                $(Column::$variant(values) => {
                    out.push($tag);
                    out.extend_from_slice(as_bytes::<$ty>(values));
                })*
                other => write_other(other, out),
            }
        }

        fn read(input: &mut &[u8], rows: usize) -> Result<Column> {
            match take(input, 1, 1)?[0] {
                $($tag => read_numbers::<$ty>(input, rows),)*
                other => read_other(other, input, rows),
            }
        }
    };
}

numbers! {
    1 => UInt8: u8, 2 => UInt16: u16, 3 => UInt32: u32, 4 => UInt64: u64, 5 => Int8: i8,
    6 => Int16: i16, 7 => Int32: i32, 8 => Int64: i64, 9 => Int128: i128, 10 => Float32: f32,
    11 => Float64: f64, 19 => UInt128: u128, 20 => UInt256: u256, 21 => Int256: i256
}

fn write_other(column: &Column, out: &mut Vec<u8>) {
    match column {
        Column::String(strings) => {
            out.push(STRING);
            write_lengths(strings.offsets(), out);
            out.extend_from_slice(strings.bytes());
        }
        Column::Fixed(fixed) => {
            out.push(FIXED);
            write_varint(out, fixed.width as u64);
            out.extend_from_slice(&fixed.data);
        }
        Column::Nullable(nullable) => {
            out.push(NULLABLE);
            out.extend_from_slice(as_bytes(nullable.validity.words()));
            write(&nullable.values, out);
        }
        Column::Array(array) => {
            let (offsets, values) = array.flat();
            out.push(ARRAY);
            write_lengths(&offsets, out);
            write(&values, out);
        }
        Column::Tuple(tuple) => {
            out.push(TUPLE);
            write_varint(out, tuple.columns.len() as u64);
            tuple.columns.iter().for_each(|column| write(column, out));
        }
        Column::Variant(variant) => {
            let variant = variant.dense();
            out.push(VARIANT);
            write_varint(out, variant.variants.len() as u64);
            out.extend_from_slice(&variant.discriminators);
            variant.variants.iter().for_each(|column| write(column, out));
        }
        Column::Const(constant) => {
            out.push(CONST);
            write(&constant.value, out);
        }
        Column::Dict(_) => write(&column.full(), out),
        // Numbers are written above.
        _ => out.push(NOTHING),
    }
}

fn read_other(tag: u8, input: &mut &[u8], rows: usize) -> Result<Column> {
    Ok(match tag {
        NOTHING => Column::Nothing(rows),
        STRING => {
            let offsets = read_offsets(input, rows)?;
            let data = take(input, offsets[rows] as usize, 1)?.to_vec();
            Strings::new(offsets.into(), data.into()).into()
        }
        FIXED => {
            let width = read_varint(input)? as usize;
            if width == 0 {
                return Err(corrupted("strings of width 0"));
            }
            let data = take(input, rows, width)?.to_vec().into();
            Column::Fixed(FixedStrings { width, data })
        }
        NULLABLE => {
            let words = read_vec::<u64>(input, rows.div_ceil(64))?;
            let validity = Bitmap::from_words(words, rows);
            let values = read_full(input, rows)?;
            Column::Nullable(Arc::new(NullableColumn { validity, values }))
        }
        ARRAY => {
            let offsets = read_offsets(input, rows)?;
            let values = read_full(input, offsets[rows] as usize)?;
            Column::array(offsets.into(), values)
        }
        TUPLE => {
            let count = read_varint(input)? as usize;
            if count > input.len() {
                return Err(corrupted("more columns than bytes"));
            }
            let columns = (0..count).map(|_| read_full(input, rows)).collect::<Result<_>>()?;
            Column::Tuple(Arc::new(TupleColumn { columns, len: rows }))
        }
        VARIANT => {
            let count = read_varint(input)? as usize;
            let discriminators = take(input, rows, 1)?.to_vec();
            if count > usize::from(NULL) {
                return Err(corrupted("more alternatives than discriminators"));
            }
            let rows_of =
                |d: usize| discriminators.iter().filter(|x| usize::from(**x) == d).count();
            let variants =
                (0..count).map(|d| read_full(input, rows_of(d))).collect::<Result<_>>()?;
            let column = VariantColumn::from_dense(discriminators.into(), variants);
            Column::variant(column.ok_or_else(|| corrupted("an unknown alternative"))?)
        }
        CONST => {
            let value = read_full(input, 1)?;
            Column::Const(Arc::new(ConstColumn { value, len: rows }))
        }
        _ => return Err(corrupted("unknown kind of column")),
    })
}

/// Reads a column inside another one, which is never constant.
fn read_full(input: &mut &[u8], rows: usize) -> Result<Column> {
    let column = read(input, rows)?;
    if column.is_const() { Err(corrupted("a constant within a column")) } else { Ok(column) }
}

fn write_lengths(offsets: &[u32], out: &mut Vec<u8>) {
    let lengths: Vec<u32> = offsets.windows(2).map(|w| w[1] - w[0]).collect();
    out.extend_from_slice(as_bytes(&lengths));
}

fn read_offsets(input: &mut &[u8], rows: usize) -> Result<Vec<u32>> {
    let bytes = take(input, rows, size_of::<u32>())?;
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut end = 0u32;
    for length in bytes.as_chunks::<4>().0 {
        end = end
            .checked_add(u32::from_le_bytes(*length))
            .ok_or_else(|| corrupted("lengths beyond 4 GiB"))?;
        offsets.push(end);
    }
    Ok(offsets)
}

fn read_numbers<T: Native + Number>(input: &mut &[u8], rows: usize) -> Result<Column> {
    Ok(T::column(read_vec(input, rows)?.into()))
}

fn read_vec<T: Number>(input: &mut &[u8], count: usize) -> Result<Vec<T>> {
    let mut out = Vec::new();
    match extend_from_bytes(take(input, count, size_of::<T>())?, &mut out) {
        true => Ok(out),
        false => Err(corrupted("a part of a number")),
    }
}

/// Takes the next `count` pieces of `width` bytes.
fn take<'a>(input: &mut &'a [u8], count: usize, width: usize) -> Result<&'a [u8]> {
    let bytes = count.checked_mul(width).and_then(|n| input.split_at_checked(n));
    let (head, rest) = bytes.ok_or_else(|| corrupted("they end early"))?;
    *input = rest;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use entasis_base::clock::Rng;

    use super::*;
    use crate::Dictionary;

    fn variant() -> Column {
        let variants =
            vec![Column::from(vec![5u64, 6]), ["a", ""].iter().collect::<Strings>().into()];
        let column = VariantColumn::from_dense(vec![1, NULL, 0, 0, 1].into(), variants).unwrap();
        Column::variant(column).take(&[4, 1, 2, 0, 3])
    }

    fn sample() -> Chunk {
        let strings: Strings = ["", "a", "long enough", "b\0", "zz"].iter().collect();
        let halves: Column = (0..9u16).collect::<Vec<_>>().into();
        let valid = Bitmap::from_fn(5, |i| i != 3);
        let codes: Vec<u32> = vec![1, 0, 2, 2, 4];
        let array = Column::array(vec![0, 2, 2, 5, 6, 9].into(), halves.clone());
        let fixed = FixedStrings { width: 2, data: b"aabbccddee".to_vec().into() };
        let columns = vec![
            halves.slice(1, 5),
            Column::from(vec![1i128, -1, i128::MAX, i128::MIN, 0]),
            Column::from(vec![1u128, 0, u128::MAX, 7, 0]),
            Column::from(vec![i256::MINUS_ONE, i256::MIN, i256::MAX, i256::ONE, i256::ZERO]),
            Column::from(vec![u256::ONE, u256::MIN, u256::MAX, u256::ONE, u256::ZERO]),
            Column::from(vec![f64::NAN, -0.0, 1.5, f64::INFINITY, 0.0]),
            Column::from(strings.clone()),
            Column::from(strings.clone()).slice(0, 5),
            Column::Fixed(fixed),
            Column::nullable(strings.clone().into(), valid),
            array.clone(),
            Column::tuple(vec![array, strings.clone().into()], 5),
            Column::constant(vec![7u8].into(), 5),
            Column::dict(codes.into(), Dictionary::new(strings.into())),
            Column::Nothing(5),
            variant(),
        ];
        Chunk::new(columns, 5)
    }

    fn values(chunk: &Chunk) -> String {
        let row = |i| chunk.columns.iter().map(|c| c.value(i)).collect::<Vec<_>>();
        format!("{:?}", (0..chunk.rows).map(row).collect::<Vec<_>>())
    }

    #[test]
    fn chunks_come_back() {
        for (start, len) in [(0, 5), (1, 3), (2, 0)] {
            let chunk = sample().slice(start, len);
            let mut bytes = Vec::new();
            write_chunk(&chunk, &mut bytes);
            let back = read_chunk(&bytes).unwrap();
            assert!(back.columns.iter().all(|c| c.len() == len));
            assert_eq!(values(&back), values(&chunk));
        }
    }

    #[test]
    fn damage_is_an_error_or_other_rows_but_no_panic() {
        let mut rng = Rng::new(3);
        let mut bytes = Vec::new();
        write_chunk(&sample(), &mut bytes);
        for _ in 0..3000 {
            let mut bad = bytes.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bad.len() as u64) as usize;
                bad[at] = rng.next_u64() as u8;
            }
            bad.truncate(bytes.len() - (rng.below(3) * rng.below(40)) as usize);
            if let Ok(chunk) = read_chunk(&bad) {
                values(&chunk);
            }
        }
        for len in 0..bytes.len() {
            assert!(read_chunk(&bytes[..len]).is_err());
        }
    }
}
