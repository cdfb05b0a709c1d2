//! Conversion between any two types: the one implementation behind CAST, `toUInt8`, common types
//! of `if` and arrays, UNION ALL and INSERT.
//!
//! A [`Cast`] is bound to a pair of types once and then runs over columns, full or Const (a Const
//! stays one). Nested types convert their elements. The rules and error codes are the reference's.

mod addresses;
pub mod best_effort;
pub mod bits;
pub mod nested;
pub mod numbers;
pub mod parse;
pub mod print;
mod tuple;
mod variant;

use std::sync::Arc;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Bitmap, Buffer, Column, FixedStrings, StringsBuilder, match_physical};
use entasis_types::{DataType, Physical, TextType, TimeZone};

use entasis_function_kernel::kernel::{bytes_at, illegal_type};
use entasis_function_kernel::layout::number_like;
use parse::Parse;

pub use entasis_function::cast::{Cast, Mode, Session};

/// The conversion from one type to another, [`Mode::Wrap`].
pub fn bind(from: &DataType, to: &DataType, session: Session) -> Result<Cast> {
    bind_mode(from, to, session, Mode::Wrap)
}

/// The conversion of a branch of `if` and its kin to the common type. Other than CAST it keeps the
/// zero bytes at the end of a FixedString that becomes a String.
pub fn bind_branch(from: &DataType, to: &DataType, session: Session) -> Result<Cast> {
    let session = Session { infers_variants: false, ..session };
    let is_fixed = matches!(from.without_nullable(), DataType::FixedString(_));
    if !is_fixed || *to.without_nullable() != DataType::String {
        return bind(from, to, session);
    }
    let nullable = to.is_nullable();
    Ok(Arc::new(move |column| Ok(with_padding(column, nullable))))
}

fn with_padding(column: &Column, nullable: bool) -> Column {
    match column {
        Column::Const(c) => Column::constant(with_padding(&c.value, nullable), c.len),
        Column::Dict(_) => with_padding(&column.full(), nullable),
        Column::Nullable(n) => Column::nullable(with_padding(&n.values, false), n.validity.clone()),
        Column::Fixed(fixed) => {
            let mut out = StringsBuilder::with_capacity(column.len(), fixed.data.len());
            (0..column.len()).for_each(|i| out.push(fixed.get(i)));
            all_valid(out.finish().into(), nullable)
        }
        other => other.clone(),
    }
}

/// The conversion from one type to another.
pub fn bind_mode(from: &DataType, to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    let (from, to) = (from.without_low_cardinality(), to.without_low_cardinality());
    let full = bind_full(&from, &to, session, mode)?;
    Ok(Arc::new(move |column| match column {
        Column::Const(c) => Ok(Column::constant(full(&c.value)?.full(), c.len)),
        Column::Dict(_) => full(&column.full()),
        column => full(column),
    }))
}

fn bind_full(from: &DataType, to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    if from == to && mode != Mode::OrNull {
        return Ok(Arc::new(|column| Ok(column.clone())));
    }
    match (from, to) {
        (DataType::Map(x), DataType::Map(_) | DataType::Array(_)) => {
            bind_full(x, to.storage(), session, mode)
        }
        (_, DataType::Variant(types)) => variant::to_variant(from, to, types, session),
        (DataType::Variant(types), _) => variant::from_variant(types, to, session, mode),
        (_, DataType::Nullable(inner)) => to_nullable(from, inner, session, mode),
        (DataType::Nullable(inner), _) => {
            if from.is_null_literal() && mode != Mode::OrNull {
                let message = "Cannot convert NULL to a non-nullable type";
                return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
            }
            match mode {
                Mode::OrNull => to_nullable(from, to, session, mode),
                _ => from_nullable(inner, to, session, mode),
            }
        }
        (DataType::Nothing, _) => {
            let to = to.clone();
            Ok(Arc::new(move |column| Ok(Column::default_of(&to, column.len()))))
        }
        (DataType::Array(x), DataType::Array(y)) => {
            let element = bind_full(x, y, session, elementwise(mode))?;
            Ok(Arc::new(move |column| match column {
                Column::Array(array) => {
                    let (offsets, values) = array.flat();
                    Ok(Column::array(offsets, element(&values)?))
                }
                other => Ok(other.clone()),
            }))
        }
        (DataType::Tuple(x), DataType::Tuple(y)) => {
            let sources = tuple::sources(x, y).ok_or_else(|| not_nested(from, to))?;
            tuple::bind(x, y, &sources, &|x, y| bind_full(x, y, session, elementwise(mode)))
        }
        (
            DataType::String | DataType::FixedString(_),
            DataType::Array(_) | DataType::Tuple(_) | DataType::Map(_),
        ) => {
            let to = to.clone();
            Ok(Arc::new(move |column| match column {
                Column::String(strings) => nested::parse(strings, &to, session),
                other => Err(Error::logical(format!("not strings: {:?}", other.physical()))),
            }))
        }
        (_, DataType::Map(stored)) => to_map(from, to, stored, session, mode),
        (_, DataType::Tuple(_) | DataType::Array(_)) => Err(not_nested(from, to)),
        _ => bind_plain(from, to, session, mode),
    }
}

#[cold]
fn not_nested(from: &DataType, to: &DataType) -> Error {
    let message = match to {
        DataType::Array(_) => "CAST AS Array can only be performed between same-dimensional \
                               Array, Map or String types"
            .to_string(),
        _ => format!(
            "CAST AS Tuple can only be performed between tuple types with the same number of \
             elements or from String. Left type: {from}, right type: {to}"
        ),
    };
    Error::new(codes::TYPE_MISMATCH, message)
}

/// To a Map, stored as `stored`, from what is none.
fn to_map(
    from: &DataType,
    to: &DataType,
    stored: &DataType,
    session: Session,
    mode: Mode,
) -> Result<Cast> {
    match from {
        DataType::Array(_) => bind_full(from, stored, session, mode),
        DataType::Tuple(pair) => nested::map_of_arrays(from, pair, stored, session, mode),
        _ => {
            let message =
                format!("Unsupported types to CAST AS Map. Left type: {from}, right type: {to}");
            Err(Error::new(codes::TYPE_MISMATCH, message))
        }
    }
}

/// Elements of nested types cannot become NULL one by one unless their type says so.
fn elementwise(mode: Mode) -> Mode {
    if mode == Mode::OrNull { Mode::Accurate } else { mode }
}

/// `inner` is the type under the target's Nullable.
fn to_nullable(from: &DataType, inner: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    if from.is_null_literal() {
        let to = DataType::nullable(inner.clone());
        return Ok(Arc::new(move |column| Ok(Column::default_of(&to, column.len()))));
    }
    let plain = from.without_nullable();
    // Text that does not parse becomes NULL where the target can hold it; so do addresses of
    // version 6 that stand for none of version 4.
    let is_text = plain.is_string() && !inner.is_string();
    let is_address = (plain, inner) == (&DataType::Ipv6, &DataType::Ipv4);
    let mode = if is_text || is_address { Mode::OrNull } else { mode };
    let values = bind_full(plain, inner, session, mode)?;
    let inner = inner.clone();
    Ok(Arc::new(move |column| {
        let (validity, plain) = column.split_nullable();
        match validity {
            None => {
                let validity = Bitmap::constant(true, plain.len());
                Ok(Column::nullable(values(plain)?, validity))
            }
            Some(validity) if validity.all() => {
                Ok(Column::nullable(values(plain)?, validity.clone()))
            }
            Some(validity) => {
                let some = values(&plain.filter(validity))?.full();
                let (known, some) = some.split_nullable();
                let scattered = entasis_function::bound::scatter(some, validity, &inner);
                let validity = match known {
                    Some(known) => known.spread(validity),
                    None => validity.clone(),
                };
                Ok(Column::nullable(scattered, validity))
            }
        }
    }))
}

fn from_nullable(inner: &DataType, to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    let values = bind_full(inner, to, session, mode)?;
    Ok(Arc::new(move |column| {
        let (validity, plain) = column.split_nullable();
        if validity.is_some_and(|v| !v.all()) {
            return Err(Error::new(
                codes::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN,
                "Cannot convert NULL value to non-Nullable type",
            ));
        }
        values(plain)
    }))
}

fn bind_plain(from: &DataType, to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    use DataType::{Bool, Date, DateTime, FixedString, Interval, String};
    let zone_of = |zone: &Option<TimeZone>| zone.unwrap_or(session.zone);
    if let Some(cast) = bits::bind(from, to, session, mode) {
        return cast;
    }
    if let Some(cast) = addresses::bind(from, to, mode) {
        return cast;
    }
    match (from, to) {
        (DataType::AggregateFunction(_), _) | (_, DataType::AggregateFunction(_)) => {
            let message = format!("Conversion from {from} to {to} is not supported");
            Err(Error::new(codes::CANNOT_CONVERT_TYPE, message))
        }
        (String | FixedString(_), FixedString(width)) => Ok(to_fixed(*width as usize, mode)),
        (_, FixedString(_)) => Err(Error::new(
            codes::NOT_IMPLEMENTED,
            "CAST AS FixedString is only implemented for types String and FixedString",
        )),
        (_, String) => {
            let (from, zone) = (from.clone(), session.zone);
            let or_null = mode == Mode::OrNull;
            Ok(Arc::new(move |column| {
                Ok(all_valid(print::strings(column, &from, zone).into(), or_null))
            }))
        }
        (String | FixedString(_), _) => bind_text(to, session, mode),
        (Interval(x), Interval(y)) if x != y => convert_interval(*x, *y),
        (DateTime(_), DateTime(_)) | (Interval(_), Interval(_)) => same(mode),
        (Date, DateTime(zone)) => {
            let zone = zone_of(zone);
            plain(mode, move |column| numbers::datetime_of_date(column, zone))
        }
        (DateTime(zone), Date) => {
            let zone = zone_of(zone);
            plain(mode, move |column| numbers::date_of_datetime(column, zone))
        }
        (from, Date) if from.is_any_number() => {
            let zone = session.zone;
            bind_moment(from, to, mode, move |column| numbers::to_date(column, zone))
        }
        (from, DateTime(_)) if from.is_any_number() => {
            bind_moment(from, to, mode, |column| Ok(numbers::to_datetime(column)))
        }
        (Bool, to) if to.is_any_number() => bind_numbers(from, to, Mode::Wrap, mode),
        (from, Bool) if number_like(from) => plain(mode, |column| Ok(numbers::to_bool(column))),
        (from, to) if number_like(from) && (to.is_any_number() || matches!(to, Interval(_))) => {
            bind_numbers(from, to, mode, mode)
        }
        _ => Err(illegal_type(&format!("to{to}"), from)),
    }
}

/// With `or_null`, a Nullable column without NULLs.
fn all_valid(column: Column, or_null: bool) -> Column {
    let rows = column.len();
    if or_null { Column::nullable(column, Bitmap::constant(true, rows)) } else { column }
}

fn plain(
    mode: Mode,
    run: impl Fn(&Column) -> Result<Column> + Send + Sync + 'static,
) -> Result<Cast> {
    Ok(Arc::new(move |column| Ok(all_valid(run(column)?, mode == Mode::OrNull))))
}

fn same(mode: Mode) -> Result<Cast> {
    plain(mode, |column| Ok(column.clone()))
}

/// Numbers as days or seconds. Exact conversions take whole seconds from 1970 to 2106 alone; other
/// ones clamp, but refuse NaN and infinity.
fn bind_moment(
    from: &DataType,
    to: &DataType,
    mode: Mode,
    run: impl Fn(&Column) -> Result<Column> + Send + Sync + 'static,
) -> Result<Cast> {
    let (from, to) = (from.clone(), to.clone());
    Ok(Arc::new(move |column| {
        if mode == Mode::Wrap {
            numbers::refuse_infinite(column)?;
            return run(column);
        }
        let fits = numbers::exact(column, &numbers::convert(column, Physical::UInt32, true)?)?;
        if mode == Mode::OrNull {
            return Ok(Column::nullable(run(column)?, fits));
        }
        match fits.all() {
            true => run(column),
            false => Err(unsafe_value(&from, &to)),
        }
    }))
}

#[cold]
fn unsafe_value(from: &DataType, to: &DataType) -> Error {
    let message = format!("Value in column {from} cannot be safely converted into type {to}");
    Error::new(codes::CANNOT_CONVERT_TYPE, message)
}

fn bind_numbers(from: &DataType, to: &DataType, mode: Mode, outer: Mode) -> Result<Cast> {
    let physical = to.physical();
    if mode == Mode::Wrap {
        return plain(outer, move |column| numbers::convert(column, physical, false));
    }
    let (from, to) = (from.clone(), to.clone());
    Ok(Arc::new(move |column| {
        let converted = numbers::convert(column, physical, true)?;
        let fits = numbers::exact(column, &converted)?;
        if mode == Mode::OrNull {
            return Ok(Column::nullable(converted, fits));
        }
        if !fits.all() {
            return Err(unsafe_value(&from, &to));
        }
        Ok(converted)
    }))
}

fn convert_interval(
    from: entasis_types::IntervalKind,
    to: entasis_types::IntervalKind,
) -> Result<Cast> {
    use entasis_types::IntervalKind as K;
    // (family, size): within a family, units convert by their sizes.
    let unit = |kind| match kind {
        K::Nanosecond => (0, 1i64),
        K::Microsecond => (0, 1_000),
        K::Millisecond => (0, 1_000_000),
        K::Second => (0, 1_000_000_000),
        K::Minute => (0, 60_000_000_000),
        K::Hour => (0, 3_600_000_000_000),
        K::Day => (0, 86_400_000_000_000),
        K::Week => (0, 604_800_000_000_000),
        K::Month => (1, 1),
        K::Quarter => (1, 3),
        K::Year => (1, 12),
    };
    let ((family, a), (other, b)) = (unit(from), unit(to));
    if family != other {
        let message = format!("Cannot convert interval {} to {}", from.name(), to.name());
        return Err(Error::new(codes::CANNOT_CONVERT_TYPE, message));
    }
    Ok(Arc::new(move |column| {
        let values = column.native::<i64>().map(|v| v.to_vec()).unwrap_or_default();
        let convert = |v: &i64| (i128::from(*v) * i128::from(a) / i128::from(b)) as i64;
        Ok(Column::from(values.iter().map(convert).collect::<Vec<i64>>()))
    }))
}

fn to_fixed(width: usize, mode: Mode) -> Cast {
    Arc::new(move |column| {
        let rows = column.len();
        scope::ask(rows * width)?;
        let mut data = Vec::with_capacity(rows * width);
        let mut fits = Vec::new();
        for i in 0..rows {
            let bytes = bytes_at(column, i);
            let ok = bytes.len() <= width;
            if !ok && mode != Mode::OrNull {
                let message = format!("String too long for type FixedString({width})");
                return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
            }
            data.extend_from_slice(if ok { bytes } else { b"" });
            data.resize((i + 1) * width, 0);
            fits.push(u8::from(ok));
        }
        let fixed = Column::Fixed(FixedStrings { width, data: data.into() });
        Ok(match mode {
            Mode::OrNull => Column::nullable(fixed, Bitmap::from_bytes(&fits)),
            _ => fixed,
        })
    })
}

/// From String or FixedString to a plain type that is no string.
fn bind_text(to: &DataType, session: Session, mode: Mode) -> Result<Cast> {
    let to = to.clone();
    if let Some(spelled) = TextType::of(&to, session.zone) {
        return Ok(Arc::new(move |column| {
            bits::parsed(column, &to, mode, |text| parse::spelled(text, &spelled, &to, session))
        }));
    }
    Ok(Arc::new(move |column| match &to {
        DataType::Date => by_text(column, mode, &to, parse::date, |t| parse::date(t).ok()),
        DataType::DateTime(own) => {
            let zone = own.unwrap_or(session.zone);
            let strict = |t: &[u8]| match parse::datetime(t, zone, session) {
                Err(e) => Err(e.append(format!(": Cannot parse {to} from String"))),
                ok => ok,
            };
            by_text(column, mode, &to, strict, |t| parse::datetime(t, zone, session).ok())
        }
        DataType::Bool => {
            let strict = |t: &[u8]| parse::bool(t).map(u8::from);
            by_text(column, mode, &to, strict, |t| strict(t).ok())
        }
        number => {
            match_physical!(number.physical(), T => {
                by_text(column, mode, &to, |t| T::strict(t, &to), T::checked)
            }, _ => Err(illegal_type(&format!("to{to}"), &DataType::String)))
        }
    }))
}

/// Row `i` of a string column, Const or full, without the zero bytes that pad a FixedString.
pub fn text_at(column: &Column, i: usize) -> &[u8] {
    match column {
        Column::Fixed(fixed) => print::without_padding(fixed.get(i)),
        Column::Const(constant) => text_at(&constant.value, 0),
        other => bytes_at(other, i),
    }
}

fn by_text<T: entasis_column::Native>(
    column: &Column,
    mode: Mode,
    to: &DataType,
    strict: impl Fn(&[u8]) -> Result<T>,
    checked: impl Fn(&[u8]) -> Option<T>,
) -> Result<Column> {
    let rows = column.len();
    let text = |i: usize| text_at(column, i);
    let mut values = Vec::with_capacity(rows);
    match mode {
        Mode::Wrap => {
            for i in 0..rows {
                values.push(strict(text(i))?);
            }
        }
        Mode::Accurate => {
            for i in 0..rows {
                let Some(value) = checked(text(i)) else {
                    let message = format!("Cannot parse string to type {to}");
                    return Err(Error::new(codes::CANNOT_PARSE_TEXT, message));
                };
                values.push(value);
            }
        }
        Mode::OrNull => {
            let validity = Bitmap::from_fn(rows, |i| {
                let value = checked(text(i));
                values.push(value.unwrap_or_default());
                value.is_some()
            });
            return Ok(Column::nullable(T::column(values.into()), validity));
        }
    }
    Ok(T::column(Buffer::from(values)))
}
