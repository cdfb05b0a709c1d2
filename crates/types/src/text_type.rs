//! Types whose text differs from that of their layout: enums, UUIDs, addresses, 64-bit times,
//! decimals. A value is a whole number of at most 128 bits, here called its bits. Only this module
//! writes and reads such values, for formats and conversions alike.
//!
//! The bits of a UUID are the 16 stored bytes, big-endian. Its second half comes first, because the
//! reference compares UUIDs in this order.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::ip;
use crate::text::{
    read_date_or, read_datetime_parts, write_civil, write_i64, write_time_of_day, write_u64,
};
use crate::{DataType, EnumType, TimeZone};

/// How values of a type are written as text.
#[derive(Clone, Debug)]
pub enum TextType {
    /// As a name.
    Enum(Arc<EnumType>),
    /// 32 hexadecimal digits in five groups.
    Uuid,
    /// As an address of version 4: four numbers.
    Ipv4,
    /// As an address of version 6 in its shortest form.
    Ipv6,
    /// `YYYY-MM-DD`, also before 1970.
    Date32,
    /// `YYYY-MM-DD hh:mm:ss.fff` with this many decimals, in this time zone.
    DateTime64(u8, TimeZone),
    /// Digits and a point, with this precision and scale.
    Decimal(u8, u8),
}

const DAY: i64 = 86_400;
/// 1900-01-01, the least day of a Date32, which is its default in a column.
pub const FIRST_DATE32: i32 = -25_567;

/// 10 to the power of `n`, which is at most 38.
#[inline]
pub fn power_of_ten(exponent: u8) -> i128 {
    static POWERS: [i128; 39] = {
        let mut powers = [1; 39];
        let mut i = 1;
        while i < 39 {
            powers[i] = powers[i - 1] * 10;
            i += 1;
        }
        powers
    };
    POWERS[usize::from(exponent.min(38))]
}

impl TextType {
    /// The spelling of a type without Nullable and LowCardinality; `None` if its text is that of
    /// its layout. `zone` is the time zone of the session.
    pub fn of(ty: &DataType, zone: TimeZone) -> Option<Self> {
        Some(match ty {
            DataType::Enum(names) => Self::Enum(Arc::clone(names)),
            DataType::Uuid => Self::Uuid,
            DataType::Ipv4 => Self::Ipv4,
            DataType::Ipv6 => Self::Ipv6,
            DataType::Date32 => Self::Date32,
            DataType::DateTime64(scale, own) => Self::DateTime64(*scale, own.unwrap_or(zone)),
            DataType::Decimal(precision, scale) => Self::Decimal(*precision, *scale),
            _ => return None,
        })
    }

    /// Whether values are quoted inside arrays and in JSON.
    pub fn is_quoted(&self) -> bool {
        !matches!(self, Self::Decimal(..))
    }

    /// The bits of the value that is used if none is given.
    pub fn default_bits(&self) -> i128 {
        match self {
            Self::Enum(names) => names.values.first().map_or(0, |v| v.0.into()),
            Self::Date32 => FIRST_DATE32.into(),
            _ => 0,
        }
    }

    /// Appends the text of a value.
    pub fn write(&self, out: &mut Vec<u8>, bits: i128) {
        match self {
            Self::Enum(names) => match names.name_of(bits as i16) {
                Some(name) => out.extend_from_slice(name.as_bytes()),
                None => write_i64(out, bits as i64),
            },
            Self::Uuid => write_uuid(out, bits as u128),
            Self::Ipv4 => ip::write_ipv4(out, bits as u32),
            Self::Ipv6 => ip::write_ipv6(out, bits as u128),
            Self::Date32 => write_civil(out, bits as i32),
            Self::DateTime64(scale, zone) => write_ticks(out, bits as i64, *scale, *zone),
            Self::Decimal(_, scale) => write_decimal(out, bits, *scale),
        }
    }

    /// Reads the whole of `text`.
    pub fn parse(&self, text: &[u8]) -> Result<i128> {
        match self {
            Self::Enum(names) => parse_enum(names, text),
            Self::Uuid => parse_uuid(text),
            Self::Ipv4 => ip::ipv4_of_text(text).map(i128::from),
            Self::Ipv6 => ip::ipv6_of_text(text).map(|address| address as i128),
            Self::Date32 => {
                let mut rest = text;
                match read_date_or(&mut rest, FIRST_DATE32) {
                    Some(days) if rest.is_empty() => Ok(days.into()),
                    _ => Err(Error::new(
                        codes::CANNOT_PARSE_DATE,
                        "Cannot parse date: expected a date in the YYYY-MM-DD or YYYYMMDD format",
                    )),
                }
            }
            Self::DateTime64(scale, zone) => parse_ticks(text, *scale, *zone).map(i128::from),
            Self::Decimal(precision, scale) => parse_decimal(text, *precision, *scale),
        }
    }

    /// A whole number as a value of the type, for numbers without quotes in text formats.
    pub fn of_number(&self, number: i128) -> Result<i128> {
        match self {
            Self::Enum(names) => enum_number(names, number),
            Self::DateTime64(scale, _) => checked(number.checked_mul(power_of_ten(*scale))),
            Self::Decimal(precision, scale) => {
                let bits = number.checked_mul(power_of_ten(*scale));
                match bits.filter(|b| b.abs() < power_of_ten(*precision)) {
                    Some(bits) => Ok(bits),
                    None => Err(too_big(number.to_string().as_bytes(), *precision, *scale)),
                }
            }
            Self::Date32 | Self::Uuid | Self::Ipv4 | Self::Ipv6 => Ok(number),
        }
    }
}

/// Fails where a number of ticks does not fit.
fn checked(ticks: Option<i128>) -> Result<i128> {
    ticks.filter(|t| i64::try_from(*t).is_ok()).ok_or_else(overflow)
}

/// The error for decimals and ticks that do not fit.
#[cold]
pub fn overflow() -> Error {
    Error::new(codes::DECIMAL_OVERFLOW, "Decimal math overflow")
}

/// The error for a number that no name of the enum has.
#[cold]
fn unknown_number(number: i128) -> Error {
    let message = format!("Unexpected value {number} in enum");
    Error::new(codes::UNKNOWN_ELEMENT_OF_ENUM, message)
}

/// A number, if an enum has a name for it.
pub fn enum_number(names: &EnumType, number: i128) -> Result<i128> {
    let known = i16::try_from(number).is_ok_and(|n| names.name_of(n).is_some());
    if known { Ok(number) } else { Err(unknown_number(number)) }
}

fn parse_enum(names: &EnumType, text: &[u8]) -> Result<i128> {
    if let Some(number) = names.number_of(text) {
        return Ok(number.into());
    }
    let number = std::str::from_utf8(text).ok().and_then(|t| t.parse::<i128>().ok());
    if let Some(number) = number {
        return enum_number(names, number);
    }
    let known: Vec<String> =
        names.values.iter().take(10).map(|(_, n)| crate::name::quote(n.as_bytes())).collect();
    let dots = if names.values.len() > 10 { ", ..." } else { "" };
    let message = format!(
        "Unknown element {} for enum; its elements are {}{dots}",
        crate::name::quote(text),
        known.join(", ")
    );
    Err(Error::new(codes::UNKNOWN_ELEMENT_OF_ENUM, message))
}

/// Converts the bits to the 16 bytes in the order in which a UUID is written, and back.
#[inline]
pub fn swap_uuid(bits: u128) -> u128 {
    bits.rotate_left(64)
}

/// Where the two digits of each byte of a UUID are in its text.
const UUID_PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// The digits of a number, all eight at once.
fn hexadecimal(number: u32) -> [u8; 8] {
    const ONES: u64 = u64::MAX / 255;
    let halves = u64::from(number.swap_bytes());
    // One byte of the number in every other byte, then half of one in each, the high half first.
    let pairs = (halves | halves << 16) & 0x0000_FFFF_0000_FFFF;
    let bytes = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF;
    let low = 0x000F_000F_000F_000F;
    let values = (bytes >> 4 & low) | (bytes & low) << 8;
    let is_letter = ((values + ONES * 6) >> 4) & ONES;
    let letters = is_letter * u64::from(b'a' - b'0' - 10);
    (values + ONES * u64::from(b'0') + letters).to_le_bytes()
}

fn write_uuid(out: &mut Vec<u8>, bits: u128) {
    let bits = swap_uuid(bits);
    let mut digits = [0; 32];
    for (eight, shift) in digits.as_chunks_mut::<8>().0.iter_mut().zip([96, 64, 32, 0]) {
        *eight = hexadecimal((bits >> shift) as u32);
    }
    let mut text = *b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    text[..8].copy_from_slice(&digits[..8]);
    text[9..13].copy_from_slice(&digits[8..12]);
    text[14..18].copy_from_slice(&digits[12..16]);
    text[19..23].copy_from_slice(&digits[16..20]);
    text[24..].copy_from_slice(&digits[20..]);
    out.extend_from_slice(&text);
}

/// A UUID of 36 characters in the usual form.
fn plain_uuid(text: &[u8]) -> Option<u128> {
    let text = <&[u8; 36]>::try_from(text).ok()?;
    let mut all = 0;
    let bytes = UUID_PLACES.map(|place| {
        let (high, low) =
            (ip::HEXADECIMAL[text[place] as usize], ip::HEXADECIMAL[text[place + 1] as usize]);
        all |= high | low;
        high << 4 | low
    });
    let dashed = [8, 13, 18, 23].iter().all(|&place: &usize| text[place] == b'-');
    (dashed && all != ip::NO_DIGIT).then(|| u128::from_be_bytes(bytes))
}

fn parse_uuid(text: &[u8]) -> Result<i128> {
    if let Some(value) = plain_uuid(text) {
        return Ok(swap_uuid(value) as i128);
    }
    let dashed = text.len() == 36;
    let digit = |b: u8| (b as char).to_digit(16).map(u128::from);
    let mut value = 0u128;
    for (i, &byte) in text.iter().enumerate() {
        if dashed && matches!(i, 8 | 13 | 18 | 23) && byte == b'-' {
            continue;
        }
        match digit(byte) {
            Some(d) if dashed || text.len() == 32 => value = value << 4 | d,
            _ => return Err(no_uuid(text)),
        }
    }
    let dashes = text.iter().filter(|b| **b == b'-').count();
    if text.is_empty() || dashes != if dashed { 4 } else { 0 } {
        return Err(no_uuid(text));
    }
    Ok(swap_uuid(value) as i128)
}

#[cold]
fn no_uuid(text: &[u8]) -> Error {
    let text = String::from_utf8_lossy(&text[..text.len().min(60)]);
    let message = format!(
        "Cannot parse uuid {text}: expected 32 hexadecimal digits, with or without dashes at \
         positions 8, 13, 18, 23"
    );
    Error::new(codes::CANNOT_PARSE_UUID, message)
}

fn write_ticks(out: &mut Vec<u8>, ticks: i64, scale: u8, zone: TimeZone) {
    let unit = power_of_ten(scale) as i64;
    let local = zone.to_local(ticks.div_euclid(unit));
    write_civil(out, local.div_euclid(DAY) as i32);
    out.push(b' ');
    write_time_of_day(out, local.rem_euclid(DAY) as u32);
    if scale > 0 {
        out.push(b'.');
        write_padded(out, ticks.rem_euclid(unit) as u128, scale);
    }
}

/// Appends digits, with leading zeros up to a width.
fn write_padded(out: &mut Vec<u8>, value: u128, width: u8) {
    let digits = value.checked_ilog10().unwrap_or(0) as usize + 1;
    out.extend(std::iter::repeat_n(b'0', usize::from(width).saturating_sub(digits)));
    match u64::try_from(value) {
        Ok(value) => write_u64(out, value),
        Err(_) => out.extend_from_slice(value.to_string().as_bytes()),
    }
}

/// Converts seconds and the digits of their fraction to ticks.
pub fn ticks_of(second: i64, fraction: &[u8], scale: u8) -> Result<i64> {
    let mut part = 0i128;
    for i in 0..usize::from(scale) {
        part = part * 10 + fraction.get(i).map_or(0, |d| i128::from(d - b'0'));
    }
    let ticks = i128::from(second) * power_of_ten(scale) + part;
    i64::try_from(ticks).map_err(|_| overflow())
}

fn parse_ticks(text: &[u8], scale: u8, zone: TimeZone) -> Result<i64> {
    let mut rest = text;
    match read_datetime_parts(&mut rest, zone) {
        Some((second, fraction)) if rest.is_empty() => ticks_of(second, fraction, scale),
        _ => {
            let message = "Cannot read DateTime: neither Date nor Time was parsed successfully";
            Err(Error::new(codes::CANNOT_PARSE_DATETIME, message))
        }
    }
}

/// Appends a decimal without zeros behind its last digit.
pub fn write_decimal(out: &mut Vec<u8>, bits: i128, scale: u8) {
    if bits < 0 {
        out.push(b'-');
    }
    let bits = bits.unsigned_abs();
    // A 128-bit division is a function call, and printing 128 bits allocates. Most values need
    // neither.
    match (u64::try_from(bits), 10u64.checked_pow(u32::from(scale))) {
        (Ok(bits), Some(unit)) => write_short(out, bits, unit, scale),
        _ => write_long(out, bits, scale),
    }
}

fn write_short(out: &mut Vec<u8>, bits: u64, unit: u64, scale: u8) {
    write_u64(out, bits / unit);
    let (mut rest, mut width) = (bits % unit, u32::from(scale));
    if rest != 0 {
        while rest.is_multiple_of(10) {
            rest /= 10;
            width -= 1;
        }
        out.push(b'.');
        let zeros = width - 1 - rest.ilog10();
        out.extend(std::iter::repeat_n(b'0', zeros as usize));
        write_u64(out, rest);
    }
}

fn write_long(out: &mut Vec<u8>, bits: u128, scale: u8) {
    let unit = power_of_ten(scale).unsigned_abs();
    out.extend_from_slice((bits / unit).to_string().as_bytes());
    if bits % unit != 0 {
        out.push(b'.');
        write_padded(out, bits % unit, scale);
        let zeros = out.iter().rev().take_while(|b| **b == b'0').count();
        out.truncate(out.len() - zeros);
    }
}

#[cold]
fn too_big(text: &[u8], precision: u8, scale: u8) -> Error {
    let text = String::from_utf8_lossy(&text[..text.len().min(60)]);
    let message = format!(
        "Decimal value is too big: {text}. Expected a decimal with scale {scale} and precision \
         {precision}"
    );
    Error::new(codes::ARGUMENT_OUT_OF_BOUND, message)
}

/// A decimal without an exponent that fits 18 digits; `None` for what is longer or wrong.
#[inline]
fn plain_decimal(text: &[u8], precision: u8, scale: u8) -> Option<i128> {
    let (negative, body) = match text {
        [b'-', body @ ..] => (true, body),
        [b'+', body @ ..] => (false, body),
        body => (false, body),
    };
    if body.len() > 19 {
        return None;
    }
    let (mut bits, mut digits) = (0u64, 0);
    // Digits of the fraction that are still missing.
    let mut missing = None;
    for &byte in body {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            if byte != b'.' || missing.is_some() {
                return None;
            }
            missing = Some(scale);
            continue;
        }
        digits += 1;
        match &mut missing {
            Some(0) => continue,
            Some(missing) => *missing -= 1,
            None => {}
        }
        bits = bits * 10 + u64::from(digit);
    }
    let missing = missing.unwrap_or(scale);
    if digits == 0 || digits + u32::from(missing) > 18 {
        return None;
    }
    let bits = i128::from(bits * 10u64.pow(missing.into()));
    (bits < power_of_ten(precision)).then_some(if negative { -bits } else { bits })
}

/// As in the reference, digits beyond the scale are dropped.
fn parse_decimal(text: &[u8], precision: u8, scale: u8) -> Result<i128> {
    if let Some(bits) = plain_decimal(text, precision, scale) {
        return Ok(bits);
    }
    let fail = || {
        let message = format!(
            "Cannot parse string {} as Decimal({precision}, {scale})",
            crate::name::quote(&text[..text.len().min(60)])
        );
        Error::new(codes::CANNOT_PARSE_TEXT, message)
    };
    let (negative, body) = match text {
        [b'-', body @ ..] => (true, body),
        [b'+', body @ ..] => (false, body),
        body => (false, body),
    };
    let end = body.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(body.len());
    let exponent = match &body[end..] {
        [] => 0,
        [_, digits @ ..] => {
            let digits = std::str::from_utf8(digits).map_err(|_| fail())?;
            digits.parse::<i32>().map_err(|_| fail())?.clamp(-1000, 1000)
        }
    };
    let mantissa = &body[..end];
    let point = mantissa.iter().position(|b| *b == b'.').unwrap_or(mantissa.len());
    let digits: Vec<u8> = mantissa.iter().copied().filter(|b| *b != b'.').collect();
    let points = mantissa.len() - digits.len();
    if digits.is_empty() || points > 1 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(fail());
    }
    // The number of digits that belong to the value in units of the scale.
    let wanted = (point as i32 + exponent + i32::from(scale)).max(0) as usize;
    let mut bits = 0i128;
    for i in 0..wanted {
        let digit = digits.get(i).map_or(0, |d| i128::from(d - b'0'));
        bits = bits.checked_mul(10).and_then(|b| b.checked_add(digit)).unwrap_or(i128::MAX);
        if bits >= power_of_ten(precision) {
            return Err(too_big(text, precision, scale));
        }
        if bits == 0 && i > digits.len() {
            break;
        }
    }
    Ok(if negative { -bits } else { bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(ty: &str, text: &str) -> String {
        let spelled = TextType::of(&DataType::parse(ty).unwrap(), TimeZone::utc()).unwrap();
        match spelled.parse(text.as_bytes()) {
            Err(e) => e.code().name().to_string(),
            Ok(bits) => {
                let mut out = Vec::new();
                spelled.write(&mut out, bits);
                String::from_utf8(out).unwrap()
            }
        }
    }

    #[test]
    fn decimals_are_written_the_same_on_both_ways() {
        for scale in 0..=19u8 {
            for bits in [0, 1, 7, 10, 999, 1_000, 1_001, 120_300, u64::MAX - 1, u64::MAX] {
                let (mut short, mut long) = (Vec::new(), Vec::new());
                write_short(&mut short, bits, 10u64.pow(u32::from(scale)), scale);
                write_long(&mut long, u128::from(bits), scale);
                assert_eq!(short, long, "{bits} with scale {scale}");
            }
        }
    }

    #[test]
    fn text_reads_back() {
        for (ty, text) in [
            ("Enum8('a' = -1, 'b' = 5)", "b"),
            ("UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"),
            ("Date32", "1925-03-01"),
            ("DateTime64(3)", "1960-01-01 00:00:00.250"),
            ("DateTime64(9)", "2020-02-29 23:59:59.000000001"),
            ("DateTime64(0)", "1901-01-01 00:00:00"),
            ("Decimal(9, 2)", "-1234567.89"),
            ("Decimal(38, 10)", "1234567890123456789012345678.0123456789"),
        ] {
            assert_eq!(round(ty, text), text, "{ty}");
        }
    }

    #[test]
    fn edges() {
        assert_eq!(round("Enum8('a' = -1, 'b' = 5)", "-1"), "a");
        assert_eq!(round("Enum8('a' = -1, 'b' = 5)", "c"), "UNKNOWN_ELEMENT_OF_ENUM");
        assert_eq!(
            round("UUID", "61F0C4045CB311E7907BA6006AD3DBA0"),
            "61f0c404-5cb3-11e7-907b-a6006ad3dba0"
        );
        assert_eq!(round("UUID", "61f0c404"), "CANNOT_PARSE_UUID");
        assert_eq!(round("UUID", "-1f0c404-5cb3-11e7-907b-a6006ad3dba0"), "CANNOT_PARSE_UUID");
        assert_eq!(round("Decimal(9, 2)", "1.239"), "1.23");
        assert_eq!(round("Decimal(9, 2)", "1e2"), "100");
        assert_eq!(round("Decimal(9, 2)", ".5"), "0.5");
        assert_eq!(round("Decimal(9, 2)", "1e-1"), "0.1");
        assert_eq!(round("Decimal(9, 2)", "12345678.9"), "ARGUMENT_OUT_OF_BOUND");
        assert_eq!(round("Decimal(9, 2)", "."), "CANNOT_PARSE_TEXT");
    }
}
