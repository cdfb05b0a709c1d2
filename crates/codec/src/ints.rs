//! Light encodings of integers: small, and faster to decode than memory can be read.
//!
//! Payloads, little-endian; `W` is the width of the type in bytes, `n` is known from outside, and
//! "packed" is the layout of `entasis_simd::bitpack`:
//!
//! | tag | encoding | payload |
//! |---|---|---|
//! | 0 | plain | `n * W` bytes |
//! | 1 | constant | value (W) |
//! | 2 | frame of reference | minimum (W), width (u8), packed `value - minimum` |
//! | 3 | delta | first (W), least delta (W), width (u8), packed `delta - least` (n - 1 of them) |
//! | 4 | run length | runs (u32), nested values, nested lengths (u32) |
//! | 5 | sparse | default (W), count (u32), nested positions (u32), nested values |
//! | 6 | dictionary | size (u32), nested values, width (u8), packed codes |
//! | 7 | double delta | first (W), first delta (W), least (W), width (u8), packed (n - 2 of them) |
//! | 8 | xor | first (W), stream of bits (`ints/xor.rs`) for the others |
//!
//! "Nested" is tag (u8), length (u32) and payload of another encoding, one of tags 0 to 3.
//! Differences wrap in the type's width and are compared as signed numbers.

mod choose;
mod xor;

pub use choose::{Stats, choose};

use crate::input::{Input, corrupted, put_int};
use entasis_base::Result;
use entasis_simd::bitpack::{Packable, pack, packed_len, unpack_add, width_for};
use entasis_simd::cast::{Number, as_bytes, as_bytes_mut};
use entasis_simd::sum::{Bounded, min_max};

/// An integer of 1 to 8 bytes.
pub trait Int: Packable + Number + Bounded + Ord + Default + std::fmt::Debug {
    /// The bit pattern, zero-extended.
    fn to_bits(self) -> u64;
    /// The value of the low bits.
    fn from_bits(bits: u64) -> Self;
    /// Wrapping sum.
    fn add(self, other: Self) -> Self;
    /// Wrapping difference.
    fn sub(self, other: Self) -> Self;
    /// The bit pattern as a signed number.
    fn signed(self) -> i64;
}

macro_rules! int {
    ($($t:ty, $u:ty, $i:ty;)*) => { $(impl Int for $t {
        #[inline(always)]
        fn to_bits(self) -> u64 { self as $u as u64 }
        #[inline(always)]
        fn from_bits(bits: u64) -> Self { bits as $t }
        #[inline(always)]
        fn add(self, other: Self) -> Self { self.wrapping_add(other) }
        #[inline(always)]
        fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
        #[inline(always)]
        fn signed(self) -> i64 { self as $i as i64 }
    })* };
}
int! {
    u8, u8, i8;
    u16, u16, i16;
    u32, u32, i32;
    u64, u64, i64;
    i8, u8, i8;
    i16, u16, i16;
    i32, u32, i32;
    i64, u64, i64;
}

/// A light encoding; the discriminant is the stored tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Encoding {
    /// The values.
    Plain = 0,
    /// One value for all rows.
    Constant = 1,
    /// Bit-packed distances from the minimum.
    FrameOfReference = 2,
    /// Bit-packed differences.
    Delta = 3,
    /// Values and lengths of runs.
    RunLength = 4,
    /// The most common value, and positions and values of the others.
    Sparse = 5,
    /// Distinct values and bit-packed codes.
    Dictionary = 6,
    /// Bit-packed differences of differences.
    DoubleDelta = 7,
    /// The bits that change from value to value.
    Xor = 8,
}

impl Encoding {
    /// All encodings, by tag.
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Constant,
        Self::FrameOfReference,
        Self::Delta,
        Self::RunLength,
        Self::Sparse,
        Self::Dictionary,
        Self::DoubleDelta,
        Self::Xor,
    ];

    /// The encoding of a stored tag.
    pub fn from_tag(tag: u8) -> Result<Self> {
        Self::ALL.get(tag as usize).copied().ok_or_else(|| corrupted("unknown integer encoding"))
    }
}

/// The largest dictionary.
const MAX_DICTIONARY: usize = 4096;

/// Appends the payload of `values` in `wanted` and answers the encoding that was used: `Plain`
/// where the wanted one cannot express the values (a constant that is none, too many distinct).
pub fn encode<T: Int>(values: &[T], wanted: Encoding, out: &mut Vec<u8>) -> Encoding {
    let done = match wanted {
        Encoding::Plain => false,
        Encoding::Constant => encode_constant(values, out),
        Encoding::FrameOfReference => encode_for(values, out),
        Encoding::Delta => encode_delta(values, out),
        Encoding::RunLength => encode_runs(values, out),
        Encoding::Sparse => encode_sparse(values, out),
        Encoding::Dictionary => encode_dictionary(values, out),
        Encoding::DoubleDelta => encode_double_delta(values, out),
        Encoding::Xor => encode_xor(values, out),
    };
    if done {
        return wanted;
    }
    out.extend_from_slice(as_bytes(values));
    Encoding::Plain
}

fn encode_constant<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    let Some((&first, rest)) = values.split_first() else { return false };
    let constant = rest.iter().all(|&v| v == first);
    if constant {
        put_int(first, out);
    }
    constant
}

fn encode_for<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    let Some((min, max)) = min_max(values) else { return false };
    let width = width_for(max.offset_from(min));
    put_int(min, out);
    out.push(width as u8);
    pack(values, min, width, out);
    true
}

/// Least and width of signed differences.
fn pack_signed<T: Int>(deltas: &[T], out: &mut Vec<u8>) {
    let low = deltas.iter().map(|d| d.signed()).min().unwrap_or(0);
    let high = deltas.iter().map(|d| d.signed()).max().unwrap_or(0);
    let width = width_for(high.wrapping_sub(low) as u64);
    let base = T::from_bits(low as u64);
    put_int(base, out);
    out.push(width as u8);
    pack(deltas, base, width, out);
}

fn differences<T: Int>(values: &[T]) -> Vec<T> {
    values.iter().skip(1).zip(values).map(|(&b, &a)| b.sub(a)).collect()
}

fn encode_delta<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    let Some(&first) = values.first() else { return false };
    put_int(first, out);
    pack_signed(&differences(values), out);
    true
}

fn encode_double_delta<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    let &[first, second, ..] = values else { return false };
    put_int(first, out);
    put_int(second.sub(first), out);
    pack_signed(&differences(&differences(values)), out);
    true
}

fn encode_xor<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    let Some((&first, rest)) = values.split_first() else { return false };
    let start = out.len();
    put_int(first, out);
    let done = xor::encode(first, rest, out);
    if !done {
        out.truncate(start);
    }
    done
}

fn encode_runs<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    if values.is_empty() || values.len() > u32::MAX as usize {
        return false;
    }
    let (mut heads, mut lengths) = (vec![], vec![]);
    for run in values.chunk_by(|a, b| a == b) {
        heads.push(run[0]);
        lengths.push(run.len() as u32);
    }
    put_int(heads.len() as u32, out);
    put_nested(&heads, out);
    put_nested(&lengths, out);
    true
}

fn encode_sparse<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    if values.is_empty() || values.len() > u32::MAX as usize {
        return false;
    }
    let default = choose::most_common(values);
    let (mut positions, mut others) = (vec![], vec![]);
    for (i, &v) in values.iter().enumerate() {
        if v != default {
            positions.push(i as u32);
            others.push(v);
        }
    }
    put_int(default, out);
    put_int(positions.len() as u32, out);
    put_nested(&positions, out);
    put_nested(&others, out);
    true
}

fn encode_dictionary<T: Int>(values: &[T], out: &mut Vec<u8>) -> bool {
    let mut distinct = choose::Distinct::new(MAX_DICTIONARY);
    let mut codes = Vec::with_capacity(values.len());
    for &v in values {
        match distinct.code(v) {
            Some(code) => codes.push(code),
            None => return false,
        }
    }
    if distinct.values.is_empty() {
        return false;
    }
    put_int(distinct.values.len() as u32, out);
    put_nested(&distinct.values, out);
    let width = width_for(distinct.values.len() as u64 - 1);
    out.push(width as u8);
    pack(&codes, 0, width, out);
    true
}

/// Tag, length and payload, in the smallest of the encodings 0 to 3.
pub(crate) fn put_nested<T: Int>(values: &[T], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 5]);
    let used = encode(values, choose::choose_simple(values), out);
    let len = (out.len() - start - 5) as u32;
    out[start] = used as u8;
    out[start + 1..start + 5].copy_from_slice(&len.to_le_bytes());
}

/// Decodes exactly `out.len()` values from the whole of `payload`.
pub fn decode_into<T: Int>(encoding: Encoding, payload: &[u8], out: &mut [T]) -> Result<()> {
    let mut input = Input(payload);
    match encoding {
        Encoding::Plain => {
            let plain = input.take(size_of_val(out))?;
            as_bytes_mut(out).copy_from_slice(plain);
        }
        Encoding::Constant => out.fill(input.int()?),
        Encoding::FrameOfReference => {
            let base = input.int()?;
            take_packed(&mut input, base, out)?;
        }
        Encoding::Delta => decode_delta(&mut input, out)?,
        Encoding::DoubleDelta => decode_double_delta(&mut input, out)?,
        Encoding::Xor => decode_xor(&mut input, out)?,
        Encoding::RunLength => decode_runs(&mut input, out)?,
        Encoding::Sparse => decode_sparse(&mut input, out)?,
        Encoding::Dictionary => decode_dictionary(&mut input, out)?,
    }
    input.finish()
}

/// As [`decode_into`], `n` values to the end of `out`. The caller vouches for `n`: a constant of a
/// few bytes may stand for any number of rows.
pub fn decode_append<T: Int>(
    encoding: Encoding,
    payload: &[u8],
    n: usize,
    out: &mut Vec<T>,
) -> Result<()> {
    if encoding == Encoding::Plain {
        // The one encoding whose size tells `n`; appended without zeroing first.
        if payload.len() != n.saturating_mul(size_of::<T>()) {
            return Err(corrupted("length of plain values"));
        }
        let fits = entasis_simd::cast::extend_from_bytes(payload, out);
        return if fits { Ok(()) } else { Err(corrupted("length of plain values")) };
    }
    let start = out.len();
    out.resize(start + n, T::default());
    let result = decode_into(encoding, payload, &mut out[start..]);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

fn take_packed<T: Int>(input: &mut Input<'_>, base: T, out: &mut [T]) -> Result<()> {
    let width = u32::from(input.byte()?);
    if width > T::BITS {
        return Err(corrupted("bit width"));
    }
    let packed = input.take(packed_len(out.len(), width))?;
    if unpack_add(packed, width, base, out) { Ok(()) } else { Err(corrupted("packed values")) }
}

fn decode_delta<T: Int>(input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let (first, base) = (input.int::<T>()?, input.int()?);
    let Some((head, rest)) = out.split_first_mut() else {
        return Err(corrupted("deltas of no rows"));
    };
    take_packed(input, base, rest)?;
    *head = first;
    let mut value = first;
    for v in rest {
        value = value.add(*v);
        *v = value;
    }
    Ok(())
}

fn decode_double_delta<T: Int>(input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let (first, mut delta, base) = (input.int::<T>()?, input.int::<T>()?, input.int()?);
    let [a, b, rest @ ..] = out else { return Err(corrupted("double deltas of no rows")) };
    take_packed(input, base, rest)?;
    *a = first;
    let mut value = first.add(delta);
    *b = value;
    for v in rest {
        delta = delta.add(*v);
        value = value.add(delta);
        *v = value;
    }
    Ok(())
}

fn decode_xor<T: Int>(input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let first = input.int::<T>()?;
    let Some((head, rest)) = out.split_first_mut() else {
        return Err(corrupted("changes of no rows"));
    };
    *head = first;
    xor::decode(first, input, rest)
}

/// Decodes nested values; `n` must have been checked against what is plausible.
pub(crate) fn take_nested<T: Int>(input: &mut Input<'_>, n: usize) -> Result<Vec<T>> {
    let encoding = Encoding::from_tag(input.byte()?)?;
    if encoding as u8 > Encoding::Delta as u8 {
        return Err(corrupted("nested encoding"));
    }
    let len = input.u32()? as usize;
    let mut out = Vec::new();
    decode_append(encoding, input.take(len)?, n, &mut out)?;
    Ok(out)
}

/// Values that a run is written with at once.
const SHORT_RUN: usize = 16;

fn decode_runs<T: Int>(input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let runs = input.u32()? as usize;
    if runs > out.len() {
        return Err(corrupted("more runs than rows"));
    }
    let heads = take_nested::<T>(input, runs)?;
    let lengths = take_nested::<u32>(input, runs)?;
    let total = out.len();
    let mut at = 0usize;
    for (&value, &len) in heads.iter().zip(&lengths) {
        let len = len as usize;
        if len > total - at {
            return Err(corrupted("runs are longer than the block"));
        }
        // Most runs are short and of changing length: a store of fixed size that may reach into
        // the next run is cheaper than a loop whose end is mispredicted.
        match out[at..].first_chunk_mut::<SHORT_RUN>() {
            Some(short) => {
                *short = [value; SHORT_RUN];
                if len > SHORT_RUN {
                    out[at + SHORT_RUN..at + len].fill(value);
                }
            }
            None => out[at..at + len].fill(value),
        }
        at += len;
    }
    if at == total { Ok(()) } else { Err(corrupted("runs are shorter than the block")) }
}

fn decode_sparse<T: Int>(input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let (default, count) = (input.int()?, input.u32()? as usize);
    if count > out.len() {
        return Err(corrupted("more sparse values than rows"));
    }
    let positions = take_nested::<u32>(input, count)?;
    let others = take_nested::<T>(input, count)?;
    out.fill(default);
    for (&at, &v) in positions.iter().zip(&others) {
        *out.get_mut(at as usize).ok_or_else(|| corrupted("sparse position"))? = v;
    }
    Ok(())
}

fn decode_dictionary<T: Int>(input: &mut Input<'_>, out: &mut [T]) -> Result<()> {
    let size = input.u32()? as usize;
    if size == 0 || size > MAX_DICTIONARY {
        return Err(corrupted("dictionary size"));
    }
    let mut values = take_nested::<T>(input, size)?;
    // Padded to every code that the width can express: no code is out of bounds.
    let width = u32::from(input.byte()?);
    if width > width_for(size as u64 - 1) {
        return Err(corrupted("width of dictionary codes"));
    }
    values.resize(1 << width_for(size as u64 - 1), values[0]);
    let packed = input.take(packed_len(out.len(), width))?;
    let mut codes = vec![0u16; out.len()];
    if !unpack_add(packed, width, 0, &mut codes) {
        return Err(corrupted("dictionary codes"));
    }
    for (o, &code) in out.iter_mut().zip(&codes) {
        *o = values[code as usize & (values.len() - 1)];
    }
    Ok(())
}

#[cfg(test)]
mod tests;
