//! Encodes a column of any type as a run of blocks, and decodes it.
//!
//! The type decides the streams and their order. Numbers, strings and fixed strings are one block.
//! Nullable is a block of bits, then the blocks of the inner type. Array is a block of lengths,
//! then the blocks of the elements. Tuple is the blocks of its elements in order. Variant is a
//! block of discriminators, then the blocks of each alternative that occurs, over its values.
//! Nothing has no block. Each block records its own length.

use std::sync::Arc;

use entasis_base::Result;
use entasis_codec::{Ciphers, EncodeOptions, Light, bitmap, block, strings, wide};
use entasis_column::{
    Bitmap, Column, Dictionary, FixedStrings, Native, Strings, VariantColumn, match_native,
    match_physical,
};
use entasis_simd::cast::{Number, as_bytes, as_bytes_mut};
use entasis_types::{CastTo, DataType, Physical, i256, u256};

use crate::bytes::corrupted;

/// Appends the blocks of `column` (any representation, of type `ty`) to `out`.
pub(crate) fn encode(
    ty: &DataType,
    column: &Column,
    options: EncodeOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    let column = column.full();
    match (ty.storage(), &column) {
        (_, Column::Nothing(_)) => Ok(()),
        (DataType::Nullable(inner), Column::Nullable(n)) => {
            bitmap::encode_bits(n.validity.words(), n.validity.len(), options, out)?;
            encode(inner, &n.values, options, out)
        }
        (DataType::Array(inner), Column::Array(array)) => {
            let (offsets, elements) = array.flat();
            let lengths: Vec<u32> = offsets.windows(2).map(|w| w[1] - w[0]).collect();
            let lengths_options = EncodeOptions { light: Light::Auto, ..options };
            block::encode_ints(&lengths, lengths_options, out)?;
            encode(inner, &elements, options, out)
        }
        (DataType::Tuple(tuple), Column::Tuple(t)) => {
            for (ty, column) in tuple.types.iter().zip(&t.columns) {
                encode(ty, column, options, out)?;
            }
            Ok(())
        }
        (DataType::Variant(types), Column::Variant(variant)) => {
            let variant = variant.dense();
            let light = EncodeOptions { light: Light::Auto, ..options };
            block::encode_ints(&variant.discriminators, light, out)?;
            for (ty, values) in types.iter().zip(variant.variants.iter()) {
                if !values.is_empty() {
                    encode(ty, values, options, out)?;
                }
            }
            Ok(())
        }
        (_, Column::String(s)) => strings::encode_strings(s.offsets(), s.data(), options, out),
        (_, Column::Fixed(f)) => wide::encode_wide(&f.data, f.width, options, out),
        (_, Column::UInt128(v)) => wide::encode_wide(as_bytes(v), 16, options, out),
        (_, Column::Int128(v)) => wide::encode_wide(as_bytes(v), 16, options, out),
        (_, Column::UInt256(v)) => wide::encode_wide(as_bytes(v), 32, options, out),
        (_, Column::Int256(v)) => wide::encode_wide(as_bytes(v), 32, options, out),
        (_, Column::Float32(v)) => block::encode_floats(v, options, out),
        (_, Column::Float64(v)) => block::encode_floats(v, options, out),
        (_, Column::UInt8(v)) => block::encode_ints(v, options, out),
        (_, Column::UInt16(v)) => block::encode_ints(v, options, out),
        (_, Column::UInt32(v)) => block::encode_ints(v, options, out),
        (_, Column::UInt64(v)) => block::encode_ints(v, options, out),
        (_, Column::Int8(v)) => block::encode_ints(v, options, out),
        (_, Column::Int16(v)) => block::encode_ints(v, options, out),
        (_, Column::Int32(v)) => block::encode_ints(v, options, out),
        (_, Column::Int64(v)) => block::encode_ints(v, options, out),
        _ => Err(entasis_base::Error::logical(format!("A column is not of its type {ty}"))),
    }
}

/// A sequence of blocks to decode from.
pub(crate) trait Blocks<'a> {
    /// The next block.
    fn next_block(&mut self) -> Result<&'a [u8]>;
}

/// Adjacent blocks.
impl<'a> Blocks<'a> for &'a [u8] {
    fn next_block(&mut self) -> Result<&'a [u8]> {
        let (head, rest) = block::split(self)?;
        *self = rest;
        Ok(head)
    }
}

/// Separate blocks, which were read one by one.
impl<'a> Blocks<'a> for std::slice::Iter<'_, &'a [u8]> {
    fn next_block(&mut self) -> Result<&'a [u8]> {
        self.next().copied().ok_or_else(|| corrupted("a block is missing"))
    }
}

/// Takes the next block of `input` and checks that it has `rows` rows before memory is allocated.
pub(crate) fn next_block<'a>(input: &mut impl Blocks<'a>, rows: usize) -> Result<&'a [u8]> {
    let head = input.next_block()?;
    if block::Header::read(head)?.rows as usize != rows {
        return Err(corrupted(format!("a block does not have {rows} rows")));
    }
    Ok(head)
}

fn ints<'a, T: Native + entasis_codec::Int>(
    input: &mut impl Blocks<'a>,
    rows: usize,
) -> Result<Column> {
    let mut out = Vec::new();
    block::decode_ints::<T>(next_block(input, rows)?, rows, &mut out)?;
    Ok(T::column(out.into()))
}

/// Decodes `rows` rows of type `ty` from the front of `input` into a full column.
pub(crate) fn decode<'a>(
    ty: &DataType,
    input: &mut impl Blocks<'a>,
    rows: usize,
) -> Result<Column> {
    match ty.storage() {
        DataType::Nullable(inner) => {
            let validity = validity(input, rows)?;
            Ok(Column::nullable(decode(inner, input, rows)?, validity))
        }
        DataType::Array(inner) => {
            let offsets = offsets(input, rows)?;
            let values = decode(inner, input, offsets[rows] as usize)?;
            Ok(Column::array(offsets.into(), values))
        }
        DataType::Tuple(tuple) => {
            let columns =
                tuple.types.iter().map(|t| decode(t, input, rows)).collect::<Result<_>>()?;
            Ok(Column::tuple(columns, rows))
        }
        DataType::Variant(types) => decode_variant(types, input, rows),
        other => decode_plain(other.physical(), input, rows),
    }
}

/// Decodes the next block as the bits of a Nullable: 1 means not NULL.
pub(crate) fn validity<'a>(input: &mut impl Blocks<'a>, rows: usize) -> Result<Bitmap> {
    let words = bitmap::decode_bits(next_block(input, rows)?, rows)?;
    Ok(Bitmap::from_words(words, rows))
}

/// Decodes the next block, the lengths of arrays, into `rows + 1` offsets.
pub(crate) fn offsets<'a>(input: &mut impl Blocks<'a>, rows: usize) -> Result<Vec<u32>> {
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0u32);
    block::decode_ints::<u32>(next_block(input, rows)?, rows, &mut offsets)?;
    let mut end = 0u64;
    for offset in &mut offsets {
        end += u64::from(*offset);
        *offset = end as u32;
    }
    if end > u64::from(u32::MAX) {
        return Err(corrupted("more than 4 billion elements in a granule"));
    }
    Ok(offsets)
}

/// Decodes the discriminators, then the values of each alternative that occurs.
fn decode_variant<'a>(
    types: &[DataType],
    input: &mut impl Blocks<'a>,
    rows: usize,
) -> Result<Column> {
    let mut discriminators = Vec::new();
    block::decode_ints::<u8>(next_block(input, rows)?, rows, &mut discriminators)?;
    let mut counts = [0usize; 256];
    discriminators.iter().for_each(|&d| counts[usize::from(d)] += 1);
    let of = |(ty, &count): (&DataType, &usize)| match count {
        0 => Ok(Column::default_of(ty, 0)),
        count => decode(ty, input, count),
    };
    let variants = types.iter().zip(&counts).map(of).collect::<Result<_>>()?;
    let column = VariantColumn::from_dense(discriminators.into(), variants);
    Ok(Column::variant(column.ok_or_else(|| corrupted("an alternative that a Variant lacks"))?))
}

fn decode_plain<'a>(
    physical: Physical,
    input: &mut impl Blocks<'a>,
    rows: usize,
) -> Result<Column> {
    match physical {
        Physical::UInt8 => ints::<u8>(input, rows),
        Physical::UInt16 => ints::<u16>(input, rows),
        Physical::UInt32 => ints::<u32>(input, rows),
        Physical::UInt64 => ints::<u64>(input, rows),
        Physical::Int8 => ints::<i8>(input, rows),
        Physical::Int16 => ints::<i16>(input, rows),
        Physical::Int32 => ints::<i32>(input, rows),
        Physical::Int64 => ints::<i64>(input, rows),
        Physical::Float32 => {
            let mut out = Vec::new();
            block::decode_floats::<f32>(next_block(input, rows)?, rows, &mut out)?;
            Ok(out.into())
        }
        Physical::Float64 => {
            let mut out = Vec::new();
            block::decode_floats::<f64>(next_block(input, rows)?, rows, &mut out)?;
            Ok(out.into())
        }
        Physical::Fixed(width) => {
            let width = width as usize;
            let data = wide_bytes(input, width, rows)?;
            Ok(Column::Fixed(FixedStrings { width, data: data.into() }))
        }
        Physical::UInt128 => wide_ints::<u128>(input, rows),
        Physical::UInt256 => wide_ints::<u256>(input, rows),
        Physical::Int128 => wide_ints::<i128>(input, rows),
        Physical::Int256 => wide_ints::<i256>(input, rows),
        Physical::Nothing => Ok(Column::Nothing(rows)),
        _ => strings_column(next_block(input, rows)?, rows),
    }
}

fn wide_ints<'a, T: Native + Number>(input: &mut impl Blocks<'a>, rows: usize) -> Result<Column> {
    let block = next_block(input, rows)?;
    let mut values = vec![T::default(); rows];
    wide::decode_wide_into(block, size_of::<T>(), as_bytes_mut(&mut values))?;
    Ok(T::column(values.into()))
}

fn wide_bytes<'a>(input: &mut impl Blocks<'a>, width: usize, rows: usize) -> Result<Vec<u8>> {
    let block = next_block(input, rows)?;
    let mut data = vec![0; rows * width];
    wide::decode_wide_into(block, width, &mut data)?;
    Ok(data)
}

fn strings_column(block: &[u8], rows: usize) -> Result<Column> {
    let (mut offsets, mut data) = (Vec::with_capacity(rows + 1), Vec::new());
    strings::decode_strings(block, rows, &mut offsets, &mut data)?;
    if offsets.is_empty() {
        offsets.push(0);
    }
    Ok(Strings::new(offsets.into(), data.into()).into())
}

/// Decodes exactly `bytes` like [`decode`], but keeps the compact form of the blocks: a constant
/// block of numbers becomes a Const column, a block with its own dictionary becomes a Dict column.
pub(crate) fn decode_compact(ty: &DataType, bytes: &[u8], rows: usize) -> Result<Column> {
    const CONSTANT: u8 = 1;
    let mut input = bytes;
    let physical = ty.physical();
    let is_plain = !matches!(
        physical,
        Physical::Nullable | Physical::Array | Physical::Tuple | Physical::Variant
    );
    if is_plain && rows > 1 && physical != Physical::Nothing {
        let header = block::Header::read(bytes)?;
        if header.encoding == CONSTANT
            && matches!(header.kind, block::BlockKind::Ints | block::BlockKind::Floats)
            && header.rows as usize == rows
            && bytes.len() == header.block_len()
            && let Some(one) = one_value(physical, bytes)?
        {
            return Ok(Column::constant(one, rows));
        }
        if physical == Physical::String && header.encoding != 0 {
            let block = next_block(&mut input, rows)?;
            if let Some(dict) = strings::decode_strings_dict(block, rows)? {
                return Ok(from_block_dictionary(dict, rows));
            }
            input = bytes;
        }
    }
    let column = decode(ty, &mut input, rows)?;
    if !input.is_empty() {
        return Err(corrupted("bytes are left over behind a column's blocks"));
    }
    Ok(column)
}

fn from_block_dictionary(dict: strings::DictStrings, rows: usize) -> Column {
    let values: Column = Strings::new(dict.offsets.into(), dict.data.into()).into();
    if values.len() == 1 {
        return Column::constant(values, rows);
    }
    Column::dict(dict.codes.into(), Dictionary::new(values))
}

/// The value of a constant block of numbers, as a column of one row; `None` for other blocks.
fn one_value(physical: Physical, block: &[u8]) -> Result<Option<Column>> {
    let (header, payload) = block::verify(block)?;
    if header.method != entasis_codec::Method::None {
        return Ok(None);
    }
    let mut bits = [0u8; 8];
    let width = payload.len().min(8);
    bits[..width].copy_from_slice(&payload[..width]);
    let bits = u64::from_le_bytes(bits);
    let column = match physical {
        Physical::Float32 if width == 4 => vec![f32::from_bits(bits as u32)].into(),
        Physical::Float64 if width == 8 => vec![f64::from_bits(bits)].into(),
        Physical::Float32 | Physical::Float64 => return Ok(None),
        other => match_physical!(other, T => {
            if width != size_of::<T>() {
                return Ok(None);
            }
            Column::from(vec![CastTo::<T>::cast_to(bits)])
        }, _ => return Ok(None)),
    };
    Ok(Some(column))
}

/// Encodes codes of a dictionary as a block.
pub(crate) fn encode_codes(codes: &[u32], ciphers: Ciphers, out: &mut Vec<u8>) -> Result<()> {
    let options = EncodeOptions { ciphers, ..EncodeOptions::default() };
    block::encode_ints(codes, options, out)
}

/// Decodes the next block as codes of a dictionary.
pub(crate) fn codes<'a>(input: &mut impl Blocks<'a>, rows: usize) -> Result<Vec<u32>> {
    let mut codes = Vec::new();
    block::decode_ints::<u32>(next_block(input, rows)?, rows, &mut codes)?;
    Ok(codes)
}

/// Decodes a granule of codes. They refer to the values that follow, or to the segment's dictionary
/// if nothing follows.
pub(crate) fn decode_dict(
    ty: &DataType,
    bytes: &[u8],
    rows: usize,
    dictionary: Option<&Arc<Dictionary>>,
) -> Result<Column> {
    let mut input = bytes;
    let codes = codes(&mut input, rows)?;
    let most = codes.iter().fold(0, |most, &c| most.max(c)) as usize;
    let dictionary = if input.is_empty() {
        let segment = dictionary.ok_or_else(|| corrupted("codes without a dictionary"))?;
        Arc::clone(segment)
    } else {
        // A granule's own dictionary has no unused values, so the greatest code gives its size.
        let values = decode(ty, &mut input, most + 1)?;
        if !input.is_empty() {
            return Err(corrupted("bytes are left over behind a column's blocks"));
        }
        Dictionary::new(values)
    };
    if most >= dictionary.values.len().max(1) {
        return Err(corrupted("a dictionary code is out of bounds"));
    }
    Ok(Column::dict(codes.into(), dictionary))
}

/// Whether the first block of a granule of strings holds codes rather than strings.
pub(crate) fn holds_codes(bytes: &[u8]) -> Result<bool> {
    Ok(block::Header::read(bytes)?.kind == block::BlockKind::Ints)
}

/// The value that all rows share, as a column of one row; `None` where they differ.
pub(crate) fn uniform(column: &Column) -> Option<Column> {
    if column.is_empty() {
        return None;
    }
    let first = || Some(column.slice(0, 1).full());
    // Compares bits, because 0 and -0 are different values to store.
    match column {
        Column::Float32(v) => {
            return v.iter().all(|x| x.to_bits() == v[0].to_bits()).then(first)?;
        }
        Column::Float64(v) => {
            return v.iter().all(|x| x.to_bits() == v[0].to_bits()).then(first)?;
        }
        _ => {}
    }
    match_native!(column, v => is_uniform(v).then(first)?, other => match other {
        Column::Const(c) => Some(c.value.clone()),
        Column::Dict(d) => is_uniform(&d.codes).then(first)?,
        Column::String(s) => {
            let (bytes, width) = (s.bytes(), s.get(0).len());
            // The strings have equal lengths, so equal strings are bytes that repeat with that
            // period.
            let same = bytes.len() == width * s.len()
                && bytes[width..] == bytes[..bytes.len() - width]
                && s.offsets().windows(2).all(|w| (w[1] - w[0]) as usize == width);
            same.then(first)?
        }
        Column::Fixed(f) => {
            f.data.chunks_exact(f.width).all(|v| v == f.get(0)).then(first)?
        }
        Column::Variant(v) if v.validity().none() => first(),
        Column::Nullable(n) if n.validity.none() => first(),
        Column::Nullable(n) if n.validity.all() => {
            uniform(&n.values).map(|one| Column::nullable(one, Bitmap::constant(true, 1)))
        }
        _ => None,
    })
}

fn is_uniform<T: PartialEq>(values: &[T]) -> bool {
    values.iter().all(|v| *v == values[0])
}
