//! Converts numbers to numbers, dates and times, with the rounding and wrapping of the reference's
//! machine code.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask, Native, match_native, match_number, match_physical};
use entasis_types::{CastTo, Physical, TimeZone, i256, u256};

use super::parse::clamp_second;
use entasis_function_kernel::kernel::Number;

/// Last day that a number is taken for a day number; larger ones are seconds.
const MAX_DAY: i64 = 65_535;

/// Floats to integers: truncated, wrapped where 32 bits hold the value, "indefinite" outside.
trait Truncate: Native {
    fn truncate(value: f64) -> Self;
}

#[inline]
fn to_i32(value: f64) -> i32 {
    if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value as i32 } else { i32::MIN }
}

#[inline]
fn to_i64(value: f64) -> i64 {
    if value < 9_223_372_036_854_775_808.0 { value as i64 } else { i64::MIN }
}

#[inline]
fn to_u64(value: f64) -> u64 {
    match value {
        v if v < 9_223_372_036_854_775_808.0 => to_i64(v) as u64,
        v if v < 18_446_744_073_709_551_616.0 => v as u64,
        _ => 1 << 63,
    }
}

fn to_i256(value: f64) -> i256 {
    value.cast_to()
}

macro_rules! truncate {
    ($($ty:ty => $via:expr),*) => {$(
        impl Truncate for $ty {
            #[inline]
            fn truncate(value: f64) -> Self {
                let via: fn(f64) -> _ = $via;
                via(value).cast_to()
            }
        }
    )*};
}

truncate!(i8 => to_i32, i16 => to_i32, i32 => to_i32, u8 => to_i32, u16 => to_i32,
    u32 => to_i64, i64 => to_i64,
    u64 => to_u64,
    i128 => to_i256, u128 => to_i256, i256 => to_i256, u256 => to_i256,
    f32 => |v| v, f64 => |v| v);

fn truncated<T: Truncate>(values: &[f64]) -> Column {
    T::column(values.iter().map(|&v| T::truncate(v)).collect())
}

/// A full numeric column as another numeric layout. NaN and infinity become integers only where
/// `lossy`, else the conversion fails.
pub fn convert(column: &Column, to: Physical, lossy: bool) -> Result<Column> {
    if column.physical() == to {
        return Ok(column.clone());
    }
    let from_float = matches!(column, Column::Float32(_) | Column::Float64(_));
    if from_float && !matches!(to, Physical::Float32 | Physical::Float64) {
        let values = f64::read(column).unwrap_or_default();
        if !lossy {
            refuse_infinite(column)?;
        }
        return match_physical!(to, T => Ok(truncated::<T>(&values)), _ => Err(no_number()));
    }
    match_physical!(to, T => {
        T::read(column).map(T::column).ok_or_else(no_number)
    }, _ => Err(no_number()))
}

/// Fails for a column of floats with NaN or infinity in it.
pub fn refuse_infinite(column: &Column) -> Result<()> {
    let infinite = match column {
        Column::Float32(values) => values.iter().fold(false, |bad, v| bad | !v.is_finite()),
        Column::Float64(values) => values.iter().fold(false, |bad, v| bad | !v.is_finite()),
        _ => false,
    };
    if infinite {
        let message = "Unexpected inf or nan to integer conversion";
        return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
    }
    Ok(())
}

#[cold]
fn no_number() -> Error {
    Error::logical("conversion of what is no number")
}

/// Any number as a Bool: whether it is not zero.
pub fn to_bool(column: &Column) -> Column {
    match_native!(column, values => {
        Column::from(values.iter().map(|&v| u8::from(!v.is_zero())).collect::<Vec<u8>>())
    }, other => Column::from(vec![0u8; other.len()]))
}

/// Any number as a Date: small ones are days, large ones seconds, negative ones 1970-01-01.
pub fn to_date(column: &Column, zone: TimeZone) -> Result<Column> {
    if let Column::UInt16(_) = column {
        return Ok(column.clone());
    }
    let day = |v: i64| match v {
        ..0 => 0,
        0..=MAX_DAY => v as u16,
        _ => day_of_second(clamp_second(v), zone),
    };
    Ok(match column {
        Column::UInt64(v) => {
            let values: Vec<u16> =
                v.iter().map(|&v| day(i64::try_from(v).unwrap_or(i64::MAX))).collect();
            values.into()
        }
        other => {
            let values = convert(other, Physical::Int64, true)?;
            let values = i64::read(&saturated(other, values)).unwrap_or_default();
            values.iter().map(|&v| day(v)).collect::<Vec<u16>>().into()
        }
    })
}

/// Numbers past 64 bits saturate before they are clamped.
fn saturated(original: &Column, converted: Column) -> Column {
    match original {
        Column::Float32(v) => v.iter().map(|&v| v as i64).collect::<Vec<_>>().into(),
        Column::Float64(v) => v.iter().map(|&v| v as i64).collect::<Vec<_>>().into(),
        word => match_number!(word, _words => converted, wide => {
            match_native!(wide, v => v.iter().map(|&v| moment(v)).collect::<Vec<_>>().into(),
                _ => converted)
        }),
    }
}

/// Any number as a DateTime: clamped to what it holds.
pub fn to_datetime(column: &Column) -> Column {
    match_number!(column, values => {
        #[allow(clippy::unnecessary_cast)]
        let second = |v: i128| v.clamp(0, i128::from(u32::MAX)) as u32;
        let seconds: Vec<u32> = values.iter().map(|&v| second(v as i128)).collect();
        seconds.into()
    }, wide => match_native!(wide, values => {
        let seconds: Vec<u32> = values.iter().map(|&v| clamp_second(moment(v))).collect();
        seconds.into()
    }, other => Column::from(vec![0u32; other.len()])))
}

/// A wide integer as a day or a second: exact as far as any date reaches, and saturating beyond.
fn moment(number: impl CastTo<f64>) -> i64 {
    number.cast_to() as i64
}

#[inline]
fn day_of_second(second: u32, zone: TimeZone) -> u16 {
    (zone.to_local(i64::from(second)).max(0) / 86_400) as u16
}

/// DateTime to Date.
pub fn date_of_datetime(column: &Column, zone: TimeZone) -> Result<Column> {
    let seconds = u32::read(column).ok_or_else(no_number)?;
    let days: Vec<u16> = match zone.fixed_offset() {
        Some(0) => seconds.iter().map(|&s| (s / 86_400) as u16).collect(),
        _ => seconds.iter().map(|&s| day_of_second(s, zone)).collect(),
    };
    Ok(days.into())
}

/// Date to DateTime: midnight in the zone, wrapping past 2106.
pub fn datetime_of_date(column: &Column, zone: TimeZone) -> Result<Column> {
    let days = u16::read(column).ok_or_else(no_number)?;
    let seconds: Vec<u32> = match zone.fixed_offset() {
        Some(0) => days.iter().map(|&d| u32::from(d).wrapping_mul(86_400)).collect(),
        _ => days.iter().map(|&d| zone.from_local(i64::from(d) * 86_400) as u32).collect(),
    };
    Ok(seconds.into())
}

/// Rows of a full numeric column whose value the converted column holds exactly.
pub fn exact(original: &Column, converted: &Column) -> Result<Mask> {
    entasis_function::cast::equal(original, converted)
}
