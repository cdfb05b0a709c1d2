//! A column as a writer sees it: its type and layout are combined once per chunk, and each value
//! needs only one match.

use entasis_base::{Error, Result, scope};
use entasis_column::{Bitmap, Chunk, Column, Header, VariantColumn, variant};
use entasis_types::text::{
    write_date, write_datetime, write_f32, write_f64, write_i64, write_i128, write_i256, write_u64,
    write_u128, write_u256,
};
use entasis_types::text_type::power_of_ten;
use entasis_types::{CastTo, DataType, EnumType, TextType, TimeZone, i256, u256};

use crate::contract::{FormatOptions, Times};
use crate::escape;
use crate::options::BoolWords;

/// The values of one full column, with what is needed to print them.
pub(crate) enum Cell<'a> {
    Nothing,
    UInt8(&'a [u8]),
    UInt16(&'a [u16]),
    UInt32(&'a [u32]),
    UInt64(&'a [u64]),
    UInt128(&'a [u128]),
    UInt256(&'a [u256]),
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    Int128(&'a [i128]),
    Int256(&'a [i256]),
    Float32(&'a [f32]),
    Float64(&'a [f64]),
    Bool(&'a [u8], &'a BoolWords),
    Date(&'a [u16]),
    DateTime(&'a [u32], TimeZone),
    /// Times that are written otherwise than their types are spelled: with so many decimals.
    Moment(&'a Column, u8, Times),
    String(&'a [u32], &'a [u8]),
    /// Width, bytes, and whether zero bytes at the end are left out.
    Fixed(usize, &'a [u8], bool),
    Nullable(&'a Bitmap, Box<Self>),
    Array(&'a [u32], Box<Self>),
    Tuple(Vec<Self>, &'a DataType),
    /// Types whose text is not their layout's.
    TextType(&'a Column, TextType),
    /// Discriminators and offsets, and the values of each alternative.
    Variant(&'a VariantColumn, Vec<Self>),
    /// Decimals with all digits of their scale.
    Decimal(&'a Column, u8),
    /// Offsets, keys and values.
    Map(&'a [u32], Box<Self>, Box<Self>),
}

/// How a text format writes what differs between formats.
pub(crate) trait Style {
    /// A string or fixed string.
    fn string(out: &mut Vec<u8>, text: &[u8]);
    /// NULL.
    const NULL: &'static [u8];
    /// What stands before and after a date or a time.
    const DATE_QUOTE: &'static [u8];
    /// Whether settings choose the words for true and false.
    const BOOL_WORDS: bool = true;
}

/// TSV.
pub(crate) struct Escaped;
impl Style for Escaped {
    const NULL: &'static [u8] = b"\\N";
    const DATE_QUOTE: &'static [u8] = b"";
    #[inline]
    fn string(out: &mut Vec<u8>, text: &[u8]) {
        escape::write_escaped(out, text);
    }
}

/// TSVRaw.
pub(crate) struct Raw;
impl Style for Raw {
    const NULL: &'static [u8] = b"\\N";
    const DATE_QUOTE: &'static [u8] = b"";
    fn string(out: &mut Vec<u8>, text: &[u8]) {
        out.extend_from_slice(text);
    }
}

/// Pretty and Vertical.
pub(crate) struct Shown;
impl Style for Shown {
    const NULL: &'static [u8] = "ᴺᵁᴸᴸ".as_bytes();
    const DATE_QUOTE: &'static [u8] = b"";
    fn string(out: &mut Vec<u8>, text: &[u8]) {
        out.extend_from_slice(text);
    }
}

/// Values, and the inside of arrays and tuples.
pub(crate) struct Quoted;
impl Style for Quoted {
    const BOOL_WORDS: bool = false;
    const NULL: &'static [u8] = b"NULL";
    const DATE_QUOTE: &'static [u8] = b"'";
    fn string(out: &mut Vec<u8>, text: &[u8]) {
        escape::write_quoted(out, text);
    }
}

/// CSV; arrays are put in quotes by the caller.
pub(crate) struct Csv;
impl Style for Csv {
    const NULL: &'static [u8] = b"\\N";
    const DATE_QUOTE: &'static [u8] = b"\"";
    fn string(out: &mut Vec<u8>, text: &[u8]) {
        escape::write_csv(out, text);
    }
}

impl<'a> Cell<'a> {
    /// Joins a type and a full column. Fails if the column does not have the type's layout.
    pub(crate) fn of(
        ty: &'a DataType,
        column: &'a Column,
        look: &'a FormatOptions,
    ) -> Result<Self> {
        let (zone, times) = (look.time_zone, look.times);
        if let (Some((key, value)), Column::Array(a)) = (ty.as_map(), column) {
            let Column::Tuple(pair) = &a.values else {
                return Err(Error::logical("the entries of a map are no pairs"));
            };
            let keys = Self::of(key, &pair.columns[0], look)?;
            let values = Self::of(value, &pair.columns[1], look)?;
            return Ok(Self::Map(&a.offsets, Box::new(keys), Box::new(values)));
        }
        Ok(match (ty.storage(), column) {
            (DataType::Nullable(inner), Column::Nullable(n)) => {
                Self::Nullable(&n.validity, Box::new(Self::of(inner, &n.values, look)?))
            }
            (DataType::Nullable(inner), plain) => Self::of(inner, plain, look)?,
            (DataType::Array(inner), Column::Array(a)) => {
                Self::Array(&a.offsets, Box::new(Self::of(inner, &a.values, look)?))
            }
            (DataType::Tuple(tuple), Column::Tuple(t)) => {
                let parts = tuple.types.iter().zip(&t.columns);
                let cells: Result<_> = parts.map(|(ty, c)| Self::of(ty, c, look)).collect();
                Self::Tuple(cells?, ty)
            }
            (DataType::Variant(types), Column::Variant(v)) => {
                let parts = types.iter().zip(v.variants.iter());
                let cells: Result<_> = parts.map(|(ty, c)| Self::of(ty, c, look)).collect();
                Self::Variant(v, cells?)
            }
            (DataType::Bool, Column::UInt8(v)) => Self::Bool(v, &look.text.bool_words),
            (DataType::Date, Column::UInt16(v)) => Self::Date(v),
            (DataType::DateTime(_), Column::UInt32(_)) if times != Times::Simple => {
                Self::Moment(column, 0, times)
            }
            (DataType::DateTime64(scale, _), Column::Int64(_)) if times != Times::Simple => {
                Self::Moment(column, *scale, times)
            }
            (DataType::DateTime(own), Column::UInt32(v)) => Self::DateTime(v, own.unwrap_or(zone)),
            (_, Column::Nothing(_)) => Self::Nothing,
            (DataType::Decimal(_, scale), column)
                if look.text.decimal_trailing_zeros && ty.physical() == column.physical() =>
            {
                Self::Decimal(column, *scale)
            }
            (ty, column) if ty.physical() != column.physical() => {
                let message = format!("A column of type {ty} holds {:?}", column.physical());
                return Err(Error::logical(message));
            }
            (
                DataType::Enum(_)
                | DataType::Uuid
                | DataType::Ipv4
                | DataType::Ipv6
                | DataType::Date32
                | DataType::DateTime64(..)
                | DataType::Decimal(..),
                column,
            ) => Self::spelled(ty, column, zone)?,
            (ty, column) => Self::plain(ty, column, look)?,
        })
    }

    /// Cells of a type whose values are written as their layout has them.
    fn plain(ty: &DataType, column: &'a Column, look: &'a FormatOptions) -> Result<Self> {
        Ok(match (ty, column) {
            (_, Column::UInt8(v)) => Self::UInt8(v),
            (_, Column::UInt16(v)) => Self::UInt16(v),
            (_, Column::UInt32(v)) => Self::UInt32(v),
            (_, Column::UInt64(v)) => Self::UInt64(v),
            (_, Column::UInt128(v)) => Self::UInt128(v),
            (_, Column::UInt256(v)) => Self::UInt256(v),
            (_, Column::Int8(v)) => Self::Int8(v),
            (_, Column::Int16(v)) => Self::Int16(v),
            (_, Column::Int32(v)) => Self::Int32(v),
            (_, Column::Int64(v)) => Self::Int64(v),
            (_, Column::Int128(v)) => Self::Int128(v),
            (_, Column::Int256(v)) => Self::Int256(v),
            (_, Column::Float32(v)) => Self::Float32(v),
            (_, Column::Float64(v)) => Self::Float64(v),
            (_, Column::String(s)) => Self::String(s.offsets(), s.data()),
            (_, Column::Fixed(f)) => Self::Fixed(f.width, &f.data, look.text.trim_fixed_string),
            (ty, _) => return Err(Error::logical(format!("Cannot print a column of type {ty}"))),
        })
    }

    fn spelled(ty: &DataType, column: &'a Column, zone: TimeZone) -> Result<Self> {
        match TextType::of(ty.storage(), zone) {
            Some(spelled) => Ok(Self::TextType(column, spelled)),
            None => Err(Error::logical(format!("{ty} is not spelled"))),
        }
    }

    /// Whether row `i` is NULL.
    #[inline]
    pub(crate) fn is_null(&self, i: usize) -> bool {
        match self {
            Self::Nullable(bits, _) => !bits.get(i),
            Self::Variant(v, _) => v.discriminators[i] == variant::NULL,
            Self::Nothing => true,
            _ => false,
        }
    }

    /// Of a Variant, the cell that holds row `i` and the row there; `None` for NULL and for what is
    /// no Variant.
    #[inline]
    pub(crate) fn alternative(&self, i: usize) -> Option<(&Self, usize)> {
        let Self::Variant(v, cells) = self else { return None };
        let cell = cells.get(usize::from(v.discriminators[i]))?;
        Some((cell, v.offsets[i] as usize))
    }

    /// The bytes of row `i` of a string column.
    #[inline]
    pub(crate) fn text(&self, i: usize) -> Option<&'a [u8]> {
        match self {
            Self::String(offsets, data) => {
                Some(&data[offsets[i] as usize..offsets[i + 1] as usize])
            }
            Self::Fixed(width, data, trim) => Some(fixed(&data[i * width..(i + 1) * width], *trim)),
            Self::Nullable(bits, inner) if bits.get(i) => inner.text(i),
            _ => None,
        }
    }

    /// A number's value, for number tips; `None` for NULL and for what is no number.
    pub(crate) fn number(&self, i: usize) -> Option<f64> {
        Some(match self {
            Self::UInt8(v) => v[i].into(),
            Self::UInt16(v) => v[i].into(),
            Self::UInt32(v) => v[i].into(),
            Self::UInt64(v) => v[i] as f64,
            Self::UInt128(v) => v[i] as f64,
            Self::UInt256(v) => v[i].cast_to(),
            Self::Int8(v) => v[i].into(),
            Self::Int16(v) => v[i].into(),
            Self::Int32(v) => v[i].into(),
            Self::Int64(v) => v[i] as f64,
            Self::Int128(v) => v[i] as f64,
            Self::Int256(v) => v[i].cast_to(),
            Self::Float32(v) => v[i].into(),
            Self::Float64(v) => v[i],
            Self::TextType(column, TextType::Decimal(_, scale)) | Self::Decimal(column, scale) => {
                column.bits(i) as f64 / power_of_ten(*scale) as f64
            }
            Self::Nullable(bits, inner) if bits.get(i) => return inner.number(i),
            Self::Variant(..) => {
                let (cell, row) = self.alternative(i)?;
                return cell.number(row);
            }
            _ => return None,
        })
    }

    /// Appends row `i`.
    #[inline]
    pub(crate) fn write<S: Style>(&self, i: usize, out: &mut Vec<u8>) {
        match self {
            Self::Int16(v) => write_i64(out, v[i].into()),
            Self::String(offsets, data) => {
                S::string(out, &data[offsets[i] as usize..offsets[i + 1] as usize]);
            }
            Self::Int32(v) => write_i64(out, v[i].into()),
            Self::Int64(v) => write_i64(out, v[i]),
            Self::UInt64(v) => write_u64(out, v[i]),
            _ => self.write_rest::<S>(i, out),
        }
    }

    fn write_rest<S: Style>(&self, i: usize, out: &mut Vec<u8>) {
        match self {
            Self::Nothing => out.extend_from_slice(S::NULL),
            Self::Bool(v, words) => write_bool::<S>(words, v[i] != 0, out),
            Self::Date(v) => {
                out.extend_from_slice(S::DATE_QUOTE);
                write_date(out, v[i].into());
                out.extend_from_slice(S::DATE_QUOTE);
            }
            Self::DateTime(v, zone) => {
                out.extend_from_slice(S::DATE_QUOTE);
                write_datetime(out, v[i].into(), *zone);
                out.extend_from_slice(S::DATE_QUOTE);
            }
            Self::Moment(column, scale, times) => {
                out.extend_from_slice(S::DATE_QUOTE);
                write_moment(out, ticks_of(column, i), *scale, *times);
                out.extend_from_slice(S::DATE_QUOTE);
            }
            Self::Fixed(..) => S::string(out, self.text(i).unwrap_or_default()),
            Self::Decimal(column, scale) => write_decimal(out, column.bits(i), *scale),
            Self::TextType(column, TextType::Enum(names)) => {
                write_enum::<S>(names, column.bits(i), out);
            }
            Self::TextType(column, spelled) => {
                let quote = if spelled.is_quoted() { S::DATE_QUOTE } else { b"" };
                out.extend_from_slice(quote);
                spelled.write(out, column.bits(i));
                out.extend_from_slice(quote);
            }
            Self::Map(offsets, keys, values) => {
                let range = offsets[i] as usize..offsets[i + 1] as usize;
                write_map(keys, values, range, out);
            }
            Self::Nullable(bits, inner) => {
                if bits.get(i) {
                    inner.write::<S>(i, out);
                } else {
                    out.extend_from_slice(S::NULL);
                }
            }
            Self::Variant(..) => match self.alternative(i) {
                Some((cell, row)) => cell.write::<S>(row, out),
                None => out.extend_from_slice(S::NULL),
            },
            Self::Array(offsets, inner) => {
                out.push(b'[');
                for k in scope::steps(offsets[i] as usize..offsets[i + 1] as usize) {
                    if k > offsets[i] as usize {
                        out.push(b',');
                    }
                    inner.write::<Quoted>(k, out);
                }
                out.push(b']');
            }
            Self::Tuple(cells, _) => {
                out.push(b'(');
                for (k, cell) in cells.iter().enumerate() {
                    if k > 0 {
                        out.push(b',');
                    }
                    cell.write::<Quoted>(i, out);
                }
                out.push(b')');
            }
            _ => self.write_number::<S>(i, out),
        }
    }

    fn write_number<S: Style>(&self, i: usize, out: &mut Vec<u8>) {
        match self {
            Self::UInt8(v) => write_u64(out, v[i].into()),
            Self::UInt16(v) => write_u64(out, v[i].into()),
            Self::UInt32(v) => write_u64(out, v[i].into()),
            Self::Int8(v) => write_i64(out, v[i].into()),
            Self::UInt128(v) => write_u128(out, v[i]),
            Self::UInt256(v) => write_u256(out, v[i]),
            Self::Int128(v) => write_i128(out, v[i]),
            Self::Int256(v) => write_i256(out, v[i]),
            Self::Float32(v) => write_f32(out, v[i]),
            Self::Float64(v) => write_f64(out, v[i]),
            _ => self.write::<S>(i, out),
        }
    }
}

/// A Bool, by the words that settings choose where the style has them.
fn write_bool<S: Style>(words: &BoolWords, value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(match (S::BOOL_WORDS, value) {
        (true, value) => words.of(value),
        (false, true) => b"true",
        (false, false) => b"false",
    });
}

/// The name of an enum's number, or the number where it has none.
fn write_enum<S: Style>(names: &EnumType, bits: i128, out: &mut Vec<u8>) {
    match names.name_of(bits as i16) {
        Some(name) => S::string(out, name.as_bytes()),
        None => write_i64(out, bits as i64),
    }
}

/// The bytes of a FixedString, without the zero bytes at its end if those are to be trimmed.
fn fixed(bytes: &[u8], trim: bool) -> &[u8] {
    let len = bytes.iter().rposition(|b| *b != 0 || !trim).map_or(0, |last| last + 1);
    &bytes[..len]
}

/// A decimal with all digits of its scale.
fn write_decimal(out: &mut Vec<u8>, bits: i128, scale: u8) {
    let unit = power_of_ten(scale) as u128;
    let (whole, rest) = (bits.unsigned_abs() / unit, bits.unsigned_abs() % unit);
    out.extend_from_slice(if bits < 0 { b"-" } else { b"" });
    out.extend_from_slice(whole.to_string().as_bytes());
    if scale > 0 {
        let digits = format!(".{rest:0width$}", width = usize::from(scale));
        out.extend_from_slice(digits.as_bytes());
    }
}

/// Ticks of a DateTime or a DateTime64 since 1970.
fn ticks_of(column: &Column, i: usize) -> i64 {
    match column {
        Column::UInt32(seconds) => seconds[i].into(),
        other => other.bits(i) as i64,
    }
}

/// A time as an instant: in UTC by ISO 8601, or as seconds since 1970.
fn write_moment(out: &mut Vec<u8>, ticks: i64, scale: u8, times: Times) {
    if times == Times::Iso {
        let at = out.len();
        TextType::DateTime64(scale, TimeZone::utc()).write(out, ticks.into());
        if let Some(space) = out[at..].iter().position(|b| *b == b' ') {
            out[at + space] = b'T';
        }
        out.push(b'Z');
        return;
    }
    if scale == 0 {
        return write_i64(out, ticks);
    }
    let unit = power_of_ten(scale) as u64;
    let (whole, rest) = (ticks.unsigned_abs() / unit, ticks.unsigned_abs() % unit);
    out.extend_from_slice(if ticks < 0 { b"-" } else { b"" });
    write_u64(out, whole);
    out.push(b'.');
    let digits = (unit + rest).to_string();
    out.extend_from_slice(&digits.as_bytes()[1..]);
}

/// `{key:value,...}`.
fn write_map(keys: &Cell<'_>, values: &Cell<'_>, range: std::ops::Range<usize>, out: &mut Vec<u8>) {
    out.push(b'{');
    let first = range.start;
    for k in scope::steps(range) {
        if k > first {
            out.push(b',');
        }
        keys.write::<Quoted>(k, out);
        out.push(b':');
        values.write::<Quoted>(k, out);
    }
    out.push(b'}');
}

/// A chunk's columns in full form, ready to be seen as cells.
pub(crate) struct FullChunk {
    columns: Vec<Column>,
}

impl FullChunk {
    pub(crate) fn new(chunk: &Chunk) -> Self {
        Self { columns: chunk.columns.iter().map(Column::full).collect() }
    }

    pub(crate) fn cells<'a>(
        &'a self,
        header: &'a Header,
        options: &'a FormatOptions,
    ) -> Result<Vec<Cell<'a>>> {
        if self.columns.len() != header.len() {
            let (got, want) = (self.columns.len(), header.len());
            return Err(Error::logical(format!("A chunk of {got} columns where {want} belong")));
        }
        let fields = header.iter().zip(&self.columns);
        fields.map(|(field, column)| Cell::of(&field.ty, column, options)).collect()
    }
}

/// Whether a column's values and name stand at the right: numbers, dates and times.
pub(crate) fn aligned_right(ty: &DataType) -> bool {
    let plain = ty.without_nullable();
    plain.is_any_integer() || plain.is_float() || plain.is_decimal() || plain.is_date_or_time()
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_types::Value;

    #[test]
    fn nested_values_are_quoted() {
        let options = FormatOptions::default();
        let ty = DataType::parse("Tuple(Array(Nullable(String)), Date, Bool)").unwrap();
        let items = Value::Array([Value::from("a'b"), Value::Null].into());
        let value = Value::Tuple([items, Value::UInt(0), Value::UInt(1)].into());
        let column = Column::from_value(&ty, &value, 2).full();
        let cell = Cell::of(&ty, &column, &options).unwrap();
        let mut out = Vec::new();
        cell.write::<Escaped>(1, &mut out);
        assert_eq!(out, b"(['a\\'b',NULL],'1970-01-01',true)");
    }

    #[test]
    fn a_wrong_layout_is_an_error() {
        let column = Column::from(vec![1u8]);
        assert!(Cell::of(&DataType::Int64, &column, &FormatOptions::default()).is_err());
        assert!(Cell::of(&DataType::String, &column, &FormatOptions::default()).is_err());
    }
}
