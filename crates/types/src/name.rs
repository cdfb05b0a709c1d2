//! Type names: printing them and reading them back.

use std::fmt::{self, Write};
use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::{AggregateType, DataType, EnumType, IntervalKind, TimeZone, TupleType, Value};

/// Types without arguments, under the name they are printed with.
const SIMPLE: &[(&str, DataType)] = &[
    ("Nothing", DataType::Nothing),
    ("UInt8", DataType::UInt8),
    ("UInt16", DataType::UInt16),
    ("UInt32", DataType::UInt32),
    ("UInt64", DataType::UInt64),
    ("Int8", DataType::Int8),
    ("Int16", DataType::Int16),
    ("Int32", DataType::Int32),
    ("Int64", DataType::Int64),
    ("Float32", DataType::Float32),
    ("Float64", DataType::Float64),
    ("Bool", DataType::Bool),
    ("String", DataType::String),
    ("Date", DataType::Date),
    ("DateTime", DataType::DateTime(None)),
    ("Date32", DataType::Date32),
    ("UUID", DataType::Uuid),
    ("IntervalNanosecond", DataType::Interval(IntervalKind::Nanosecond)),
    ("IntervalMicrosecond", DataType::Interval(IntervalKind::Microsecond)),
    ("IntervalMillisecond", DataType::Interval(IntervalKind::Millisecond)),
    ("IntervalSecond", DataType::Interval(IntervalKind::Second)),
    ("IntervalMinute", DataType::Interval(IntervalKind::Minute)),
    ("IntervalHour", DataType::Interval(IntervalKind::Hour)),
    ("IntervalDay", DataType::Interval(IntervalKind::Day)),
    ("IntervalWeek", DataType::Interval(IntervalKind::Week)),
    ("IntervalMonth", DataType::Interval(IntervalKind::Month)),
    ("IntervalQuarter", DataType::Interval(IntervalKind::Quarter)),
    ("IntervalYear", DataType::Interval(IntervalKind::Year)),
];

/// SQL-standard names and what they stand for; matched without regard to case.
const ALIASES: &[(&str, DataType)] = &[
    ("TINYINT", DataType::Int8),
    ("BYTE", DataType::Int8),
    ("SMALLINT", DataType::Int16),
    ("INT", DataType::Int32),
    ("INTEGER", DataType::Int32),
    ("BIGINT", DataType::Int64),
    ("FLOAT", DataType::Float32),
    ("REAL", DataType::Float32),
    ("DOUBLE", DataType::Float64),
    ("BOOLEAN", DataType::Bool),
    ("BOOL", DataType::Bool),
    ("TEXT", DataType::String),
    ("VARCHAR", DataType::String),
    ("CHAR", DataType::String),
    ("BLOB", DataType::String),
    ("BYTEA", DataType::String),
    ("TIMESTAMP", DataType::DateTime(None)),
    ("DATE", DataType::Date),
    ("DATETIME", DataType::DateTime(None)),
];

/// Names of the reference that are not types here yet.
const PLANNED: &[&str] = &[
    "Int128",
    "Int256",
    "UInt128",
    "UInt256",
    "BFloat16",
    "Decimal256",
    "Time",
    "Time64",
    "IPv4",
    "IPv6",
    "Nested",
    "SimpleAggregateFunction",
    "Variant",
    "Dynamic",
    "JSON",
    "Object",
    "Point",
    "Ring",
    "Polygon",
    "MultiPolygon",
    "QBit",
];

pub(crate) fn write_type_name(f: &mut fmt::Formatter<'_>, ty: &DataType) -> fmt::Result {
    match ty {
        DataType::FixedString(width) => write!(f, "FixedString({width})"),
        DataType::DateTime(Some(zone)) => write!(f, "DateTime('{}')", zone.name()),
        DataType::DateTime64(scale, None) => write!(f, "DateTime64({scale})"),
        DataType::DateTime64(scale, Some(zone)) => {
            write!(f, "DateTime64({scale}, '{}')", zone.name())
        }
        DataType::Decimal(precision, scale) => write!(f, "Decimal({precision}, {scale})"),
        DataType::Enum(names) => write_enum(f, names),
        DataType::LowCardinality(inner) => write!(f, "LowCardinality({inner})"),
        DataType::Map(_) => match ty.as_map() {
            Some((key, value)) => write!(f, "Map({key}, {value})"),
            None => f.write_str("Map"),
        },
        DataType::Nullable(inner) => write!(f, "Nullable({inner})"),
        DataType::Array(inner) => {
            f.write_str("Array(")?;
            write_type_name(f, inner)?;
            f.write_char(')')
        }
        DataType::Tuple(tuple) => write_tuple(f, tuple),
        DataType::AggregateFunction(aggregate) => write_aggregate(f, aggregate),
        simple => {
            let name = SIMPLE.iter().find(|(_, t)| t == simple).map_or("Nothing", |(n, _)| n);
            f.write_str(name)
        }
    }
}

fn write_enum(f: &mut fmt::Formatter<'_>, names: &EnumType) -> fmt::Result {
    f.write_str(if names.wide { "Enum16(" } else { "Enum8(" })?;
    for (i, (number, name)) in names.values.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(f, "{comma}{} = {number}", quote(name.as_bytes()))?;
    }
    f.write_char(')')
}

fn write_tuple(f: &mut fmt::Formatter<'_>, tuple: &TupleType) -> fmt::Result {
    f.write_str("Tuple(")?;
    for (i, ty) in tuple.types.iter().enumerate() {
        if i > 0 {
            f.write_char(',')?;
        }
        // `{:#}` puts named elements on lines of their own; the width is the depth.
        let depth = f.width().unwrap_or(0);
        let lines = f.alternate() && tuple.names.is_some();
        if lines {
            write!(f, "\n{:1$}", "", 4 * (depth + 1))?;
        } else if i > 0 {
            f.write_char(' ')?;
        }
        if let Some(names) = &tuple.names {
            write_identifier(f, &names[i])?;
            f.write_char(' ')?;
        }
        match f.alternate() {
            true => write!(f, "{ty:#0$}", depth + usize::from(lines))?,
            false => write!(f, "{ty}")?,
        }
    }
    f.write_char(')')
}

fn write_identifier(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { f.write_str(name) } else { write!(f, "`{}`", name.replace('`', "\\`")) }
}

fn write_aggregate(f: &mut fmt::Formatter<'_>, aggregate: &AggregateType) -> fmt::Result {
    write!(f, "AggregateFunction({}", aggregate.name)?;
    if !aggregate.params.is_empty() {
        let params: Vec<String> = aggregate.params.iter().map(literal).collect();
        write!(f, "({})", params.join(", "))?;
    }
    for ty in &aggregate.args {
        write!(f, ", {ty}")?;
    }
    f.write_char(')')
}

/// A value as a SQL literal: `1`, `0.5`, `'a'`, `[1, 2]`, `(1, 'a')`, `NULL`.
pub fn literal(value: &Value) -> String {
    let list = |items: &[Value]| items.iter().map(literal).collect::<Vec<_>>().join(", ");
    match value {
        Value::Null => "NULL".into(),
        Value::UInt(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Wide(v) => v.to_string(),
        Value::Float(v) if v.is_nan() => "nan".into(),
        Value::Float(v) if v.is_infinite() => if *v > 0.0 { "inf" } else { "-inf" }.into(),
        Value::Float(v) if v.fract() == 0.0 && v.abs() < 1e21 => format!("{v:.0}."),
        Value::Float(v) => v.to_string(),
        Value::String(bytes) => quote(bytes),
        Value::Array(items) => format!("[{}]", list(items)),
        Value::Tuple(items) if items.len() == 1 => format!("tuple({})", list(items)),
        Value::Tuple(items) => format!("({})", list(items)),
    }
}

/// A string as a quoted SQL literal; bytes that are not UTF-8 are shown as `\xHH`.
pub fn quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('\'');
    for piece in bytes.utf8_chunks() {
        for c in piece.valid().chars() {
            match c {
                '\'' => out.push_str("\\'"),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\0' => out.push_str("\\0"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c => out.push(c),
            }
        }
        for byte in piece.invalid() {
            out.push_str(&format!("\\x{byte:02X}"));
        }
    }
    out.push('\'');
    out
}

impl DataType {
    /// Reads a type name. Fails with UNKNOWN_TYPE, SYNTAX_ERROR, or NOT_IMPLEMENTED for a type of
    /// the reference that is not here yet.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let ty = parser.data_type()?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.fail("end of the type name"));
        }
        Ok(ty)
    }
}

/// Names of Decimal and the precision that each stands for; 0: it is written.
const DECIMALS: [(&str, u8); 7] = [
    ("Decimal", 0),
    ("DEC", 0),
    ("NUMERIC", 0),
    ("FIXED", 0),
    ("Decimal32", 9),
    ("Decimal64", 18),
    ("Decimal128", 38),
];

/// A scale of DateTime64, at most 9.
pub fn check_scale(scale: u64) -> Result<u8> {
    if scale <= 9 {
        return Ok(scale as u8);
    }
    let message =
        format!("Scale {scale} is too large for DateTime64. Maximum is up to nanoseconds (9)");
    Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message))
}

/// Fails for types that cannot be a Map's keys.
pub fn check_map_key(key: &DataType) -> Result<()> {
    let is_float = key.is_float();
    if key.is_nullable() || is_float || matches!(key, DataType::AggregateFunction(_)) {
        let message = format!("Map cannot have a key of type {key}");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(())
}

/// An Enum of these numbers and names, in any order.
pub fn enum_type(wide: bool, mut values: Vec<(i16, Arc<str>)>) -> Result<DataType> {
    if values.is_empty() {
        let message = "Enum data type cannot be empty";
        return Err(Error::new(codes::EMPTY_DATA_PASSED, message));
    }
    values.sort_by_key(|(number, _)| *number);
    let twice = values.windows(2).find(|w| w[0].0 == w[1].0);
    if let Some([(number, a), (_, b)]) = twice {
        let message = format!("Duplicate values in enum: '{b}' = {number} and '{a}'");
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    let mut names: Vec<&(i16, Arc<str>)> = values.iter().collect();
    names.sort_by(|a, b| a.1.cmp(&b.1));
    if let Some([a, b]) = names.windows(2).find(|w| w[0].1 == w[1].1) {
        let message = format!("Duplicate names in enum: '{}' = {} and {}", a.1, a.0, b.0);
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    Ok(DataType::Enum(Arc::new(EnumType { wide, values })))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn data_type(&mut self) -> Result<DataType> {
        self.depth += 1;
        if self.depth > 100 {
            return Err(Error::new(codes::TOO_DEEP_RECURSION, "Type name is nested too deeply"));
        }
        let name = self.word()?;
        let ty = self.with_arguments(&name)?;
        self.depth -= 1;
        Ok(ty)
    }

    fn with_arguments(&mut self, name: &str) -> Result<DataType> {
        match name {
            "Nullable" => {
                let inner = self.single_type()?;
                if inner.can_be_nullable() {
                    return Ok(DataType::Nullable(Arc::new(inner)));
                }
                let message = format!("Nested type {inner} cannot be inside Nullable type");
                Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
            }
            "Array" => Ok(DataType::array(self.single_type()?)),
            "Map" => self.map(),
            "LowCardinality" => self.low_cardinality(),
            "Enum" | "Enum8" | "Enum16" => self.enumeration(name),
            "DateTime64" => self.datetime64(),
            "Tuple" => self.tuple(),
            "AggregateFunction" => self.aggregate(),
            _ if name == "FixedString" || name.eq_ignore_ascii_case("BINARY") => {
                self.expect('(')?;
                let width = self.number()?;
                self.expect(')')?;
                match u32::try_from(width) {
                    Ok(width) if (1..=0xFF_FFFF).contains(&width) => {
                        Ok(DataType::FixedString(width))
                    }
                    _ => Err(Error::new(
                        codes::ARGUMENT_OUT_OF_BOUND,
                        "FixedString width must be between 1 and 16777215",
                    )),
                }
            }
            _ if name == "DateTime" || name == "DateTime32" => {
                let zone = if self.accept('(') {
                    let zone = self.quoted()?;
                    self.expect(')')?;
                    Some(TimeZone::get(&zone)?)
                } else {
                    None
                };
                Ok(DataType::DateTime(zone))
            }
            _ => match DECIMALS.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
                Some((_, precision)) => self.decimal(*precision),
                None => self.simple(name),
            },
        }
    }

    fn map(&mut self) -> Result<DataType> {
        self.expect('(')?;
        let key = self.data_type()?;
        self.expect(',')?;
        let value = self.data_type()?;
        self.expect(')')?;
        check_map_key(&key)?;
        Ok(DataType::map(key, value))
    }

    fn low_cardinality(&mut self) -> Result<DataType> {
        let inner = self.single_type()?;
        if inner.can_be_low_cardinality() {
            return Ok(DataType::LowCardinality(Arc::new(inner)));
        }
        let message = format!(
            "DataType LowCardinality is supported only for numbers, strings, Date or DateTime, but \
             got {inner}"
        );
        Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
    }

    fn datetime64(&mut self) -> Result<DataType> {
        let (mut scale, mut zone) = (3, None);
        if self.accept('(') {
            scale = self.number()?;
            if self.accept(',') {
                zone = Some(TimeZone::get(&self.quoted()?)?);
            }
            self.expect(')')?;
        }
        Ok(DataType::DateTime64(check_scale(scale)?, zone))
    }

    /// `precision`: 0 where it is written in the parentheses.
    fn decimal(&mut self, fixed: u8) -> Result<DataType> {
        let (mut precision, mut scale) = (u64::from(fixed), 0);
        if fixed > 0 {
            self.expect('(')?;
            scale = self.number()?;
            self.expect(')')?;
        } else if self.accept('(') {
            precision = self.number()?;
            if self.accept(',') {
                scale = self.number()?;
            }
            self.expect(')')?;
        } else {
            precision = 10;
        }
        if (39..=76).contains(&precision) {
            return Err(Error::not_implemented("Decimal of more than 38 digits"));
        }
        if !(1..=38).contains(&precision) || scale > precision {
            let message = format!(
                "Wrong precision or scale of Decimal({precision}, {scale}): it is between 1 and 76, \
                 and the scale between 0 and the precision"
            );
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        Ok(DataType::Decimal(precision as u8, scale as u8))
    }

    /// `'a' = 1, 'b'`: a name without a number gets the previous one plus 1, the first 1.
    fn enumeration(&mut self, family: &str) -> Result<DataType> {
        let mut values: Vec<(i16, Arc<str>)> = Vec::new();
        let mut next = 1i64;
        if self.accept('(') {
            while !self.accept(')') {
                if !values.is_empty() {
                    self.expect(',')?;
                }
                let name = self.quoted()?;
                if self.accept('=') {
                    let sign = if self.accept('-') { -1 } else { 1 };
                    next = sign * self.number()?.min(1 << 40) as i64;
                }
                let number = match (family, i16::try_from(next)) {
                    ("Enum8", Ok(n)) if i8::try_from(n).is_err() => None,
                    (_, number) => number.ok(),
                };
                let Some(number) = number else {
                    let message =
                        format!("Value {next} for element '{name}' exceeds range of {family}");
                    return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
                };
                values.push((number, name.into()));
                next += 1;
            }
        }
        let wide = family == "Enum16" || values.iter().any(|(n, _)| i8::try_from(*n).is_err());
        enum_type(wide, values)
    }

    fn simple(&mut self, name: &str) -> Result<DataType> {
        if let Some((_, ty)) = SIMPLE.iter().find(|(n, _)| *n == name) {
            return Ok(ty.clone());
        }
        if let Some((_, ty)) = ALIASES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
            if *ty == DataType::String && self.accept('(') {
                self.number()?; // VARCHAR(10): the length is not enforced, as in the reference
                self.expect(')')?;
            }
            return Ok(ty.clone());
        }
        if PLANNED.contains(&name) {
            return Err(Error::not_implemented(format!("Data type {name}")));
        }
        let near = SIMPLE.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        let hint = near.map_or(String::new(), |(n, _)| format!(". Maybe you meant: ['{n}']"));
        let message = format!("Unknown data type family: {name}{hint}");
        Err(Error::new(codes::UNKNOWN_TYPE, message))
    }

    fn single_type(&mut self) -> Result<DataType> {
        self.expect('(')?;
        let ty = self.data_type()?;
        self.expect(')')?;
        Ok(ty)
    }

    fn tuple(&mut self) -> Result<DataType> {
        let (mut types, mut names) = (Vec::new(), Vec::<Arc<str>>::new());
        self.expect('(')?;
        while !self.accept(')') {
            if !types.is_empty() {
                self.expect(',')?;
            }
            let start = self.at;
            let first = self.word()?;
            self.skip_space();
            if self.rest().starts_with([',', ')', '(']) {
                self.at = start;
            } else {
                names.push(first.into());
            }
            types.push(self.data_type()?);
        }
        if !names.is_empty() && names.len() != types.len() {
            let message = "Names are specified not for all elements of Tuple type";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let names = (!names.is_empty()).then_some(names);
        Ok(DataType::Tuple(Arc::new(TupleType { types, names })))
    }

    fn aggregate(&mut self) -> Result<DataType> {
        self.expect('(')?;
        let name = self.word()?;
        let mut params = Vec::new();
        if self.accept('(') {
            while !self.accept(')') {
                if !params.is_empty() {
                    self.expect(',')?;
                }
                params.push(self.param()?);
            }
        }
        let mut args = Vec::new();
        while self.accept(',') {
            args.push(self.data_type()?);
        }
        self.expect(')')?;
        let aggregate = AggregateType { name: name.into(), params, args };
        Ok(DataType::AggregateFunction(Arc::new(aggregate)))
    }

    fn param(&mut self) -> Result<Value> {
        self.skip_space();
        if self.rest().starts_with('\'') {
            return Ok(Value::from(self.quoted()?.as_str()));
        }
        let end = self.rest().find([',', ')', ' ']).unwrap_or(self.rest().len());
        let text = &self.rest()[..end];
        let value = if let Ok(v) = text.parse::<u64>() {
            Value::UInt(v)
        } else if let Ok(v) = text.parse::<i64>() {
            Value::Int(v)
        } else {
            Value::Float(text.parse().map_err(|_| self.fail("a parameter"))?)
        };
        self.at += end;
        Ok(value)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn accept(&mut self, c: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.accept(c) { Ok(()) } else { Err(self.fail(&format!("`{c}`"))) }
    }

    fn word(&mut self) -> Result<String> {
        self.skip_space();
        if let Some(quote) = self.rest().chars().next().filter(|c| "`\"".contains(*c)) {
            let body = &self.rest()[1..];
            let end = body.find(quote).ok_or_else(|| self.fail("a closing quote"))?;
            let word = body[..end].to_string();
            self.at += end + 2;
            return Ok(word);
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest().find(|c: char| !is_word(c)).unwrap_or(self.rest().len());
        if end == 0 {
            return Err(self.fail("a type name"));
        }
        let word = self.rest()[..end].to_string();
        self.at += end;
        Ok(word)
    }

    fn number(&mut self) -> Result<u64> {
        self.skip_space();
        let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let value = self.rest()[..digits].parse().map_err(|_| self.fail("a number"))?;
        self.at += digits;
        Ok(value)
    }

    fn quoted(&mut self) -> Result<String> {
        self.expect('\'')?;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\'' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('0') => text.push('\0'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some(other) => text.push(other),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(self.fail("a closing quote"))
    }

    fn fail(&self, expected: &str) -> Error {
        let found = self.rest().chars().take(20).collect::<String>();
        let place = if found.is_empty() { "its end".into() } else { format!("`{found}`") };
        let message = format!(
            "Cannot parse data type `{}`: expected {expected} at {place} (position {})",
            self.text,
            self.at + 1
        );
        Error::new(codes::SYNTAX_ERROR, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in [
            "UInt8",
            "Array(Nullable(String))",
            "Tuple(UInt8, DateTime('Europe/Moscow'))",
            "Tuple(a UInt8, b FixedString(3))",
            "AggregateFunction(quantiles(0.5, 0.9), UInt64)",
            "AggregateFunction(count)",
            "Enum8('a' = -1, 'it\\'s' = 5)",
            "Enum16('a' = 1, 'b' = 1000)",
            "Map(String, Array(UInt8))",
            "LowCardinality(Nullable(String))",
            "DateTime64(6, 'UTC')",
            "Decimal(18, 4)",
        ] {
            assert_eq!(DataType::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(DataType::parse("varchar(10)").unwrap(), DataType::String);
    }

    #[test]
    fn bad_names_say_why() {
        let code = |text: &str| DataType::parse(text).unwrap_err().code();
        assert_eq!(code("Uint8"), codes::UNKNOWN_TYPE);
        assert_eq!(code("Decimal(50, 2)"), codes::NOT_IMPLEMENTED);
        assert_eq!(code("Decimal(9, 10)"), codes::ARGUMENT_OUT_OF_BOUND);
        assert_eq!(code("DateTime64(10)"), codes::ARGUMENT_OUT_OF_BOUND);
        assert_eq!(code("Enum8('a' = 200)"), codes::ARGUMENT_OUT_OF_BOUND);
        assert_eq!(code("Enum('a', 'a')"), codes::SYNTAX_ERROR);
        assert_eq!(code("Enum()"), codes::EMPTY_DATA_PASSED);
        assert_eq!(code("LowCardinality(Array(UInt8))"), codes::ILLEGAL_TYPE_OF_ARGUMENT);
        assert_eq!(code("Array("), codes::SYNTAX_ERROR);
        assert_eq!(code("Nullable(Array(UInt8))"), codes::ILLEGAL_TYPE_OF_ARGUMENT);
        assert_eq!(code(&"Array(".repeat(10_000)), codes::TOO_DEEP_RECURSION);
    }
}
