//! Parses a whole string as one value: what conversions from String accept, and their errors.

use entasis_base::{Error, Result, codes};
use entasis_column::Native;
use entasis_types::text::{read_date, read_f64, read_i64, read_i256, read_u64};
use entasis_types::text_type::ticks_of;
use entasis_types::{CastTo, DataType, TextType, TimeZone, i256, u256};

use super::Session;
use super::best_effort::{self, Order};

/// Numbers that can be read from text.
pub trait Parse: Native {
    /// The whole of `text`; integers wrap on overflow. Fails with the reference's codes.
    fn strict(text: &[u8], ty: &DataType) -> Result<Self>;
    /// The whole of `text`, if it is a number that fits.
    fn checked(text: &[u8]) -> Option<Self>;
}

/// [`Parse::checked`] as a function.
pub fn checked<T: Parse>(text: &[u8]) -> Option<T> {
    T::checked(text)
}

macro_rules! parse_integers {
    ($($ty:ty, $signed:expr);*) => {$(
        impl Parse for $ty {
            fn strict(text: &[u8], ty: &DataType) -> Result<Self> {
                let mut rest = text;
                let value = if $signed { read_i64(&mut rest) } else { read_plus(&mut rest) };
                match value {
                    Some(v) if rest.is_empty() => Ok(v as $ty),
                    Some(_) => Err(trailing(text, rest, ty)),
                    None => Err(no_integer(text, ty, $signed)),
                }
            }

            fn checked(text: &[u8]) -> Option<Self> {
                let (negative, digits) = match text {
                    [b'-', digits @ ..] if $signed => (true, digits),
                    [b'+', digits @ ..] => (false, digits),
                    digits => (false, digits),
                };
                if digits.is_empty() || digits.len() > 30 || !digits.iter().all(u8::is_ascii_digit)
                {
                    return None;
                }
                let value = digits.iter().fold(0i128, |v, d| v * 10 + i128::from(d - b'0'));
                <$ty>::try_from(if negative { -value } else { value }).ok()
            }
        }
    )*};
}

parse_integers!(u8, false; u16, false; u32, false; u64, false;
    i8, true; i16, true; i32, true; i64, true);

macro_rules! parse_wide_integers {
    ($($ty:ty, $signed:expr);*) => {$(
        impl Parse for $ty {
            fn strict(text: &[u8], ty: &DataType) -> Result<Self> {
                let mut rest = text;
                match read_wide(&mut rest, $signed) {
                    Some(v) if rest.is_empty() => Ok(v.cast_to()),
                    Some(_) => Err(trailing(text, rest, ty)),
                    None => Err(no_integer(text, ty, $signed)),
                }
            }

            // Wraps too, as in the reference.
            fn checked(text: &[u8]) -> Option<Self> {
                let mut rest = text;
                let value = read_wide(&mut rest, $signed)?;
                rest.is_empty().then(|| value.cast_to())
            }
        }
    )*};
}

parse_wide_integers!(u128, false; u256, false; i128, true; i256, true);

/// Digits behind a sign; behind `-` only if the type is signed.
fn read_wide(rest: &mut &[u8], signed: bool) -> Option<i256> {
    if !signed && rest.first() == Some(&b'-') {
        return None;
    }
    read_i256(rest)
}

fn read_plus(rest: &mut &[u8]) -> Option<i64> {
    let mut after = rest.strip_prefix(b"+").unwrap_or(rest);
    let value = read_u64(&mut after)?;
    *rest = after;
    Some(value as i64)
}

macro_rules! parse_floats {
    ($($ty:ty),*) => {$(
        impl Parse for $ty {
            fn strict(text: &[u8], ty: &DataType) -> Result<Self> {
                let mut rest = text;
                match read_f64(&mut rest) {
                    Some(v) if rest.is_empty() => Ok(v as $ty),
                    Some(_) => Err(trailing(text, rest, ty)),
                    None => Err(no_float(text, ty)),
                }
            }

            fn checked(text: &[u8]) -> Option<Self> {
                let mut rest = text;
                let value = read_f64(&mut rest)?;
                rest.is_empty().then_some(value as $ty)
            }
        }
    )*};
}

parse_floats!(f32, f64);

fn show(text: &[u8]) -> String {
    entasis_types::name::quote(&text[..text.len().min(100)])
}

#[cold]
fn trailing(text: &[u8], rest: &[u8], ty: &DataType) -> Error {
    let parsed = text.len() - rest.len();
    Error::new(
        codes::CANNOT_PARSE_TEXT,
        format!(
            "Cannot parse string {} as {ty}: syntax error at position {parsed} (parsed just {})",
            show(text),
            show(&text[..parsed]),
        ),
    )
    .append(or_null_hint(ty))
}

fn or_null_hint(ty: &DataType) -> String {
    if !ty.is_any_number() {
        return String::new();
    }
    format!(
        ". Note: there are to{ty}OrZero and to{ty}OrNull functions, which return zero or NULL \
         instead of throwing an exception"
    )
}

#[cold]
fn no_integer(text: &[u8], ty: &DataType, signed: bool) -> Error {
    match text {
        [] => Error::new(
            codes::ATTEMPT_TO_READ_AFTER_EOF,
            format!(
                "Attempt to read after eof: Cannot parse {ty} from String, \
                 because value is too short"
            ),
        ),
        [b'-', ..] if !signed => Error::new(
            codes::CANNOT_PARSE_NUMBER,
            format!("Unsigned type must not contain '-' symbol: Cannot parse {ty} from String"),
        ),
        [b'-' | b'+'] => Error::new(
            codes::CANNOT_PARSE_NUMBER,
            format!("Cannot parse number without any digits: Cannot parse {ty} from String"),
        ),
        _ => Error::new(
            codes::CANNOT_PARSE_TEXT,
            format!("Cannot parse string {} as {ty}: syntax error at begin of string", show(text)),
        )
        .append(or_null_hint(ty)),
    }
}

#[cold]
fn no_float(text: &[u8], ty: &DataType) -> Error {
    let text = String::from_utf8_lossy(text);
    Error::new(
        codes::CANNOT_PARSE_NUMBER,
        format!("Cannot read floating point value here: {text}: Cannot parse {ty} from String"),
    )
}

/// The error for text that starts with no date.
#[cold]
pub fn not_a_date() -> Error {
    Error::new(
        codes::CANNOT_PARSE_DATE,
        "Cannot parse date: expected a date in the YYYY-MM-DD or YYYYMMDD format",
    )
}

/// A date, clamped to what Date holds; a time of day may follow (`2020-01-02 03:04:05`) and is
/// dropped.
pub fn date(text: &[u8]) -> Result<u16> {
    let mut rest = text;
    let Some(days) = read_date(&mut rest) else {
        return Err(not_a_date().append(": Cannot parse Date from String"));
    };
    match rest {
        [] => {}
        [b' ' | b'T', ..] if text.len() == 19 => {}
        _ => return Err(trailing(text, rest, &DataType::Date)),
    }
    Ok(days.clamp(0, i32::from(u16::MAX)) as u16)
}

/// A point in time in any of the forms that the best-effort reader knows; UTC seconds, clamped.
pub fn datetime(text: &[u8], zone: TimeZone, session: Session) -> Result<u32> {
    best_effort::read(text, zone, session, Order::DayFirst).map(clamp_second)
}

/// The bits of a value of a type that is spelled; 64-bit times in any form, as DateTime.
pub fn spelled(text: &[u8], how: &TextType, ty: &DataType, session: Session) -> Result<i128> {
    let read = match how {
        TextType::DateTime64(scale, zone) => {
            best_effort::read_parts(text, *zone, session, Order::DayFirst)
                .and_then(|(second, fraction)| ticks_of(second, fraction, *scale).map(i128::from))
        }
        how => how.parse(text),
    };
    read.map_err(|e| match ty {
        DataType::Enum(_) | DataType::Decimal(..) => e,
        ty => e.append(format!(": Cannot parse {ty} from String")),
    })
}

/// A UTC second as a DateTime holds it.
#[inline]
pub fn clamp_second(second: i64) -> u32 {
    second.clamp(0, i64::from(u32::MAX)) as u32
}

/// The error for text behind a time.
#[cold]
pub fn trailing_datetime(text: &[u8], rest: &[u8]) -> Error {
    trailing(text, rest, &DataType::DateTime(None))
}

/// A truth value: `true`, `f`, `Yes`, `on`, `1`, ... in any case.
pub fn bool(text: &[u8]) -> Result<bool> {
    let is = |words: &[&str]| words.iter().any(|w| w.as_bytes().eq_ignore_ascii_case(text));
    if is(&["true", "t", "yes", "y", "on", "1", "enable", "enabled"]) {
        return Ok(true);
    }
    if is(&["false", "f", "no", "n", "off", "0", "disable", "disabled"]) {
        return Ok(false);
    }
    let message = match text {
        [] => "Expected boolean value but get EOF".to_string(),
        _ => {
            format!("Cannot parse boolean value here: {}, should be 'true' or 'false'", show(text))
        }
    };
    Err(Error::new(codes::CANNOT_PARSE_BOOL, message))
}
