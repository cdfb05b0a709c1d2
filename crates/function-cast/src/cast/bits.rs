//! Conversions from and to enums, 64-bit times, 32-bit dates and decimals, row by row over whole
//! numbers of 128 bits. Each pair of types is one small step that may fail.

use std::ops::RangeInclusive;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Buffer, Column, ColumnBuilder};
use entasis_types::text_type::{enum_number, overflow, power_of_ten};
use entasis_types::{CastTo, DataType, EnumType, TimeZone, i256};

use super::{Cast, Mode, Session, all_valid, numbers};
use entasis_function_kernel::kernel::Number;
use entasis_function_kernel::ticks::rescale;

const DAY: i64 = 86_400;

type Step = Box<dyn Fn(i128) -> Result<i128> + Send + Sync>;

/// First and last second that the reference's 64-bit times hold: years 0 to 9999.
const SECONDS: (i128, i128) = (-62_167_219_200, 253_402_300_799);

/// The conversion between two plain types, if one of them is of this module's kind and the other a
/// number, a date or a time.
pub fn bind(from: &DataType, to: &DataType, session: Session, mode: Mode) -> Option<Result<Cast>> {
    let ours = |ty: &DataType| {
        matches!(ty, DataType::Enum(_) | DataType::Date32 | DataType::DateTime64(..))
            || ty.is_decimal()
    };
    let other = |ty: &DataType| ours(ty) || ty.is_any_number() || ty.is_date_or_time();
    if !(ours(from) || ours(to)) || !other(from) || !other(to) {
        return None;
    }
    if let Some(cast) = narrowed(from, to, mode) {
        return Some(Ok(cast));
    }
    if from.is_float() {
        return Some(from_float(to, session, mode));
    }
    if to.is_float() {
        return Some(to_float(from, to, mode));
    }
    let factor = factor(from, to);
    Some(step(from, to, session).map(|step| run(step, factor, to.clone(), mode)))
}

/// What whole numbers become where a conversion only multiplies or divides them, as long as the
/// results are in a range.
struct Factor {
    times: i64,
    over: i64,
    range: RangeInclusive<i64>,
}

/// The factor of a conversion that has one of 64 bits.
fn factor(from: &DataType, to: &DataType) -> Option<Factor> {
    use DataType::{DateTime, DateTime64, Decimal};
    let clock = |ty: &DataType| matches!(ty, DateTime(_) | DateTime64(..));
    let range = match to {
        Decimal(precision, _) => native_range(*precision),
        DateTime64(..) if clock(from) => i64::MIN.into()..=i64::MAX.into(),
        to if from.is_decimal() && to.is_any_integer() => range_of(to),
        _ => return None,
    };
    let number = from.is_any_integer() || from.is_decimal() || clock(from);
    let (scale, wanted) = (scale_of(from), scale_of(to));
    let power = i64::try_from(power_of_ten(scale.abs_diff(wanted))).ok().filter(|_| number)?;
    let limit = |bound: i128| bound.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let range = limit(*range.start())..=limit(*range.end());
    Some(match wanted >= scale {
        true => Factor { times: power, over: 1, range },
        false => Factor { times: 1, over: power, range },
    })
}

impl Factor {
    /// The converted values, if 64 bits hold all of them and they are in the range.
    fn apply(&self, column: &Column) -> Option<Column> {
        let narrow = match column {
            Column::UInt64(values) => values.iter().fold(0, |all, v| all | v) >> 63 == 0,
            Column::UInt128(_) | Column::UInt256(_) | Column::Int128(_) | Column::Int256(_) => {
                false
            }
            _ => true,
        };
        let values = i64::read(column).filter(|_| narrow)?;
        let (times, over) = (self.times, self.over);
        let (first, last) = (i64::MIN / times, i64::MAX / times);
        let (low, high) = (*self.range.start(), *self.range.end());
        if over == 1 {
            let (first, last) = (first.max(low / times), last.min(high / times));
            let fits = values.iter().fold(true, |fits, v| fits & (first <= *v) & (*v <= last));
            let product = move |&v: &i64| v.wrapping_mul(times);
            return fits.then(|| values.iter().map(product).collect::<Vec<_>>().into());
        }
        let out: Vec<i64> = values.iter().map(move |&v| v / over).collect();
        let fits = out.iter().fold(true, |fits, v| fits & (low <= *v) & (*v <= high));
        fits.then(|| out.into())
    }
}

/// What every load of a Parquet file does: timestamps to DateTime, days to Date.
fn narrowed(from: &DataType, to: &DataType, mode: Mode) -> Option<Cast> {
    if mode != Mode::Wrap {
        return None;
    }
    match (from, to) {
        (DataType::DateTime64(scale, _), DataType::DateTime(_)) => {
            let unit = power_of_ten(*scale) as i64;
            Some(Arc::new(move |column| match column {
                Column::Int64(v) => {
                    Ok(v.iter().map(|t| t.div_euclid(unit) as u32).collect::<Vec<_>>().into())
                }
                _ => Err(Error::logical("ticks are no numbers")),
            }))
        }
        (DataType::Date32, DataType::Date) => Some(Arc::new(|column| match column {
            Column::Int32(v) => Ok(v.iter().map(|&d| d as u16).collect::<Vec<_>>().into()),
            _ => Err(Error::logical("days are no numbers")),
        })),
        _ => None,
    }
}

fn run(step: Step, factor: Option<Factor>, to: DataType, mode: Mode) -> Cast {
    Arc::new(move |column| {
        if let Some(column) = factor.as_ref().and_then(|factor| factor.apply(column)) {
            let column = numbers::convert(&column, to.physical(), true)?;
            return Ok(all_valid(column, mode == Mode::OrNull));
        }
        let values = read_bits(column)?;
        let mut out = Vec::with_capacity(values.len());
        let mut known = Vec::new();
        for &value in values.iter() {
            match step(value) {
                Err(e) if mode != Mode::OrNull => return Err(e),
                converted => {
                    known.push(u8::from(converted.is_ok()));
                    out.push(converted.unwrap_or_default());
                }
            }
        }
        finish(out, &to, known, mode)
    })
}

/// Whole numbers, as far as 128 bits hold them: what is beyond is out of range of every type of
/// this module.
fn read_bits(column: &Column) -> Result<Buffer<i128>> {
    Ok(match column {
        Column::UInt128(v) => v.iter().map(|&v| i128::try_from(v).unwrap_or(i128::MAX)).collect(),
        Column::UInt256(v) => v.iter().map(|&v| i128::try_from(v).unwrap_or(i128::MAX)).collect(),
        Column::Int256(v) => {
            let limit = |v: i256| if v < 0 { i128::MIN } else { i128::MAX };
            v.iter().map(|&v| i128::try_from(v).unwrap_or_else(|_| limit(v))).collect()
        }
        other => i128::read(other).ok_or_else(|| Error::logical("bits of no number"))?,
    })
}

/// Bits in the layout of their type.
fn finish(bits: Vec<i128>, to: &DataType, known: Vec<u8>, mode: Mode) -> Result<Column> {
    let column = numbers::convert(&bits.into(), to.physical(), true)?;
    Ok(match mode {
        Mode::OrNull => Column::nullable(column, Bitmap::from_bytes(&known)),
        _ => column,
    })
}

/// Bits that a column of the type was read into, one by one.
pub fn parsed(
    column: &Column,
    to: &DataType,
    mode: Mode,
    parse: impl Fn(&[u8]) -> Result<i128>,
) -> Result<Column> {
    let mut builder = ColumnBuilder::new(to, column.len());
    let mut known = Vec::new();
    for i in 0..column.len() {
        match parse(super::text_at(column, i)) {
            Err(e) if mode != Mode::OrNull => return Err(e),
            bits => {
                known.push(u8::from(bits.is_ok()));
                builder.push_bits(bits.unwrap_or_default())?;
            }
        }
    }
    Ok(match mode {
        Mode::OrNull => Column::nullable(builder.finish(), Bitmap::from_bytes(&known)),
        _ => builder.finish(),
    })
}

/// Decimals of a type whose values are whole numbers of 10 to the minus that many.
fn scale_of(ty: &DataType) -> u8 {
    match ty {
        DataType::Decimal(_, scale) | DataType::DateTime64(scale, _) => *scale,
        _ => 0,
    }
}

#[cold]
fn convert_overflow() -> Error {
    Error::new(codes::DECIMAL_OVERFLOW, "Convert overflow: the value does not fit the result type")
}

fn to_float(from: &DataType, to: &DataType, mode: Mode) -> Result<Cast> {
    let unit = power_of_ten(scale_of(from)) as f64;
    let physical = to.physical();
    Ok(Arc::new(move |column| {
        let floats: Vec<f64> = match column {
            Column::Int32(values) => values.iter().map(|&v| f64::from(v) / unit).collect(),
            Column::Int64(values) => values.iter().map(|&v| v as f64 / unit).collect(),
            _ => {
                let wide = i128::read(column).ok_or_else(|| Error::logical("bits of no number"))?;
                wide.iter().map(|&v| v as f64 / unit).collect()
            }
        };
        let converted = numbers::convert(&floats.into(), physical, true)?;
        Ok(all_valid(converted, mode == Mode::OrNull))
    }))
}

fn from_float(to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    let to = to.clone();
    let decimal = matches!(to, DataType::Decimal(..));
    let unit = power_of_ten(scale_of(&to));
    let whole: Box<dyn Fn(f64) -> Result<i128> + Send + Sync> = match &to {
        DataType::Decimal(precision, _) => {
            let range = native_range(*precision);
            Box::new(move |v| {
                let wide: i256 = v.cast_to();
                let bits = i128::try_from(wide).unwrap_or(i128::MAX);
                if v.is_finite() && range.contains(&bits) {
                    return Ok(bits);
                }
                let message = "Decimal convert overflow. Float is out of Decimal range";
                Err(Error::new(codes::DECIMAL_OVERFLOW, message))
            })
        }
        DataType::DateTime64(scale, _) => {
            let unit = power_of_ten(*scale);
            Box::new(move |v| {
                let seconds = v.clamp(SECONDS.0 as f64, SECONDS.1 as f64 + 0.999_999);
                fits_ticks((seconds * unit as f64) as i128)
            })
        }
        DataType::Enum(names) => {
            let names = Arc::clone(names);
            Box::new(move |v| enum_number(&names, v as i128))
        }
        DataType::Date32 => Box::new(move |v| Ok(day_or_second(v as i128, session.zone))),
        _ => Box::new(|v| Ok(v as i128)),
    };
    // Below it in size, a float is within range of the decimal's bits, and of 64 bits.
    let limit = if to.fixed_width() == Some(4) { 2f64.powi(31) } else { 2f64.powi(63) };
    Ok(Arc::new(move |column| {
        // A float is scaled in its own precision, as the reference does.
        let values: Buffer<f64> = match column {
            Column::Float32(v) if decimal => {
                v.iter().map(|&v| f64::from(v * unit as f32)).collect()
            }
            Column::Float64(v) if decimal => v.iter().map(|&v| v * unit as f64).collect(),
            other => f64::read(other).ok_or_else(|| Error::logical("bits of no number"))?,
        };
        if decimal && values.iter().fold(true, |fits, v| fits & (v.abs() < limit)) {
            let bits: Vec<i64> = values.iter().map(|&v| v as i64).collect();
            let column = numbers::convert(&bits.into(), to.physical(), true)?;
            return Ok(all_valid(column, mode == Mode::OrNull));
        }
        let mut out = Vec::with_capacity(values.len());
        let mut known = Vec::new();
        for &value in values.iter() {
            match whole(value) {
                Err(e) if mode != Mode::OrNull => return Err(e),
                bits => {
                    known.push(u8::from(bits.is_ok()));
                    out.push(bits.unwrap_or_default());
                }
            }
        }
        finish(out, &to, known, mode)
    }))
}

/// A number as a Date32. As for Date, small numbers are days and large ones are seconds. Those past
/// its first and its last day become that day.
fn day_or_second(v: i128, zone: TimeZone) -> i128 {
    const DAYS: RangeInclusive<i128> = -719_528..=2_932_896;
    if v.unsigned_abs() <= DAYS.end().unsigned_abs() {
        return v.max(*DAYS.start());
    }
    let second = v.clamp((DAYS.start() - 1) * i128::from(DAY), (DAYS.end() + 1) * i128::from(DAY));
    local_day(second as i64, zone).clamp(*DAYS.start(), *DAYS.end())
}

fn fits_ticks(ticks: i128) -> Result<i128> {
    if i64::try_from(ticks).is_ok() { Ok(ticks) } else { Err(overflow()) }
}

fn step(from: &DataType, to: &DataType, session: Session) -> Result<Step> {
    use DataType::{Date, Date32, DateTime, DateTime64, Enum};
    let zone = |ty: &DataType| ty.own_zone().unwrap_or(session.zone);
    Ok(match (from, to) {
        (Enum(x), Enum(y)) => return same_names(x, y),
        (_, Enum(names)) => {
            let names = Arc::clone(names);
            Box::new(move |v| enum_number(&names, v))
        }
        (_, DataType::Bool) => Box::new(|v| Ok(i128::from(v != 0))),
        (Enum(_), _) => Box::new(Ok),
        _ if from.is_decimal() || to.is_decimal() => return decimal_step(from, to),
        (from, to) if from.is_date() && to.is_date() => Box::new(Ok),
        (from, DateTime64(scale, _)) if from.is_date() => {
            let (zone, unit) = (zone(to), power_of_ten(*scale));
            Box::new(move |v| fits_ticks(i128::from(zone.from_local(v as i64 * DAY)) * unit))
        }
        (Date32, DateTime(_)) => {
            let zone = zone(to);
            Box::new(move |v| Ok(i128::from(zone.from_local(v as i64 * DAY))))
        }
        (DateTime(_), Date32) => {
            let zone = zone(from);
            Box::new(move |v| Ok(local_day(v as i64, zone)))
        }
        (DateTime(_), DateTime64(scale, _)) => {
            let unit = power_of_ten(*scale);
            Box::new(move |v| Ok(v * unit))
        }
        (DateTime64(x, _), DateTime64(y, _)) => {
            let (x, y) = (*x, *y);
            Box::new(move |v| rescale(v, x, y).ok_or_else(overflow).and_then(fits_ticks))
        }
        (DateTime64(scale, _), Date) => {
            // As the reference: seconds towards zero.
            let (unit, zone) = (power_of_ten(*scale), zone(from));
            Box::new(move |v| Ok(local_day((v / unit) as i64, zone)))
        }
        (DateTime64(scale, _), Date32) => {
            let (unit, zone) = (power_of_ten(*scale), zone(from));
            Box::new(move |v| Ok(local_day(v.div_euclid(unit) as i64, zone)))
        }
        (DateTime64(scale, _), DateTime(_)) => {
            let unit = power_of_ten(*scale);
            Box::new(move |v| Ok(v.div_euclid(unit) & 0xFFFF_FFFF))
        }
        (DateTime64(scale, _), to) => {
            let unit = power_of_ten(*scale);
            let range = if to.is_any_integer() { range_of(to) } else { i128::MIN..=i128::MAX };
            Box::new(move |v| {
                let whole = v / unit;
                if range.contains(&whole) { Ok(whole) } else { Err(convert_overflow()) }
            })
        }
        (from, DateTime64(scale, _)) if from.is_any_number() => {
            let unit = power_of_ten(*scale);
            Box::new(move |v| fits_ticks(v.clamp(SECONDS.0, SECONDS.1) * unit))
        }
        (from, Date32) if from.is_any_number() => {
            let zone = session.zone;
            Box::new(move |v| Ok(day_or_second(v, zone)))
        }
        (Date32, to) if to.is_any_number() => Box::new(Ok),
        _ => return Err(super::illegal_type(&format!("to{to}"), from)),
    })
}

/// Pairs of which one is a Decimal.
fn decimal_step(from: &DataType, to: &DataType) -> Result<Step> {
    use DataType::{DateTime, DateTime64, Decimal};
    Ok(match (from, to) {
        (Decimal(_, scale), Decimal(precision, wanted)) => {
            let (scale, wanted, range) = (*scale, *wanted, native_range(*precision));
            Box::new(move |v| {
                let bits = rescale(v, scale, wanted).filter(|b| range.contains(b));
                bits.ok_or_else(decimal_overflow)
            })
        }
        (Decimal(_, scale), DateTime64(ticks, _)) => {
            let (scale, ticks) = (*scale, *ticks);
            Box::new(move |v| rescale(v, scale, ticks).ok_or_else(overflow).and_then(fits_ticks))
        }
        (Decimal(_, scale), to) if to.is_any_integer() || matches!(to, DateTime(_)) => {
            let (unit, range) = (power_of_ten(*scale), range_of(to));
            Box::new(move |v| {
                let whole = v / unit;
                if range.contains(&whole) { Ok(whole) } else { Err(convert_overflow()) }
            })
        }
        (DateTime64(ticks, _), Decimal(precision, scale)) => {
            let (ticks, scale, range) = (*ticks, *scale, native_range(*precision));
            Box::new(move |v| {
                rescale(v, ticks, scale).filter(|b| range.contains(b)).ok_or_else(decimal_overflow)
            })
        }
        (from, Decimal(precision, scale))
            if from.is_any_number() || matches!(from, DateTime(_)) =>
        {
            let (unit, range) = (power_of_ten(*scale), native_range(*precision));
            Box::new(move |v| {
                v.checked_mul(unit).filter(|b| range.contains(b)).ok_or_else(decimal_overflow)
            })
        }
        _ => return Err(super::illegal_type(&format!("to{to}"), from)),
    })
}

/// What a Decimal made of a number may hold: more than its precision says, as the reference has
/// it.
fn native_range(precision: u8) -> RangeInclusive<i128> {
    match precision {
        0..=9 => i32::MIN.into()..=i32::MAX.into(),
        10..=18 => i64::MIN.into()..=i64::MAX.into(),
        _ => i128::MIN + 1..=i128::MAX - 1,
    }
}

#[cold]
fn decimal_overflow() -> Error {
    Error::new(codes::DECIMAL_OVERFLOW, "Decimal convert overflow")
}

fn local_day(second: i64, zone: TimeZone) -> i128 {
    i128::from(zone.to_local(second).div_euclid(DAY))
}

fn range_of(ty: &DataType) -> RangeInclusive<i128> {
    let bits = ty.fixed_width().unwrap_or(8) as u32 * 8;
    match (bits, ty.is_signed()) {
        (128.., false) => return 0..=i128::MAX,
        (128.., true) => return i128::MIN..=i128::MAX,
        _ => {}
    }
    if ty.is_signed() {
        return -(1 << (bits - 1))..=(1 << (bits - 1)) - 1;
    }
    0..=(1 << bits) - 1
}

/// Names that both enums have must stand for the same number; others are checked value by value.
fn same_names(from: &EnumType, to: &Arc<EnumType>) -> Result<Step> {
    for (number, name) in &from.values {
        match to.number_of(name.as_bytes()) {
            Some(other) if other != *number => {
                let message = format!(
                    "Enum conversion changes value for element '{name}' from {number} to {other}"
                );
                return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
            }
            _ => {}
        }
    }
    let to = Arc::clone(to);
    Ok(Box::new(move |v| enum_number(&to, v)))
}
