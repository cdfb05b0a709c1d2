//! Prints type names; `parse` reads them.

mod alias;
mod check;
mod parse;

use std::fmt::{self, Write};

use crate::{AggregateType, DataType, EnumType, IntervalKind, TupleType, Value};

use alias::{ALIASES, DECIMALS};
pub use check::{check_map_key, check_scale, enum_type, simple_aggregate};

/// Types without arguments, under the name they are printed with.
const SIMPLE: &[(&str, DataType)] = &[
    ("Nothing", DataType::Nothing),
    ("UInt8", DataType::UInt8),
    ("UInt16", DataType::UInt16),
    ("UInt32", DataType::UInt32),
    ("UInt64", DataType::UInt64),
    ("UInt128", DataType::UInt128),
    ("UInt256", DataType::UInt256),
    ("Int8", DataType::Int8),
    ("Int16", DataType::Int16),
    ("Int32", DataType::Int32),
    ("Int64", DataType::Int64),
    ("Int128", DataType::Int128),
    ("Int256", DataType::Int256),
    ("Float32", DataType::Float32),
    ("Float64", DataType::Float64),
    ("Bool", DataType::Bool),
    ("String", DataType::String),
    ("Date", DataType::Date),
    ("DateTime", DataType::DateTime(None)),
    ("Date32", DataType::Date32),
    ("UUID", DataType::Uuid),
    ("IPv4", DataType::Ipv4),
    ("IPv6", DataType::Ipv6),
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

/// Names of types that have arguments in parentheses.
const WITH_ARGUMENTS: [&str; 13] = [
    "AggregateFunction",
    "Array",
    "DateTime64",
    "Enum",
    "Enum8",
    "Enum16",
    "FixedString",
    "LowCardinality",
    "Map",
    "Nested",
    "Nullable",
    "Tuple",
    "Variant",
];

/// The names of all types, sorted, each with the type for which it is an alias. Aliases match in
/// upper and lower case.
pub fn families() -> Vec<(&'static str, String)> {
    let simple = SIMPLE.iter().map(|(name, _)| *name).chain(WITH_ARGUMENTS);
    let mut all: Vec<_> = simple.map(|name| (name, String::new())).collect();
    let known = |name: &str| SIMPLE.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    let aliases = ALIASES.iter().filter(|(name, _)| !known(name) || *name == "BOOL");
    all.extend(aliases.map(|(name, ty)| (*name, ty.to_string())));
    let decimal = |name: &str| if name.starts_with("Decimal") { "" } else { "Decimal" };
    all.extend(DECIMALS.iter().map(|(name, _)| (*name, decimal(name).to_string())));
    all.sort_unstable();
    all
}

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
        DataType::Nested(_) => write_nested(f, ty),
        DataType::Variant(types) => write_variant(f, types),
        DataType::AggregateFunction(aggregate) => {
            write_aggregate(f, "AggregateFunction", aggregate)
        }
        DataType::SimpleAggregateFunction(aggregate) => {
            write_aggregate(f, "SimpleAggregateFunction", aggregate)
        }
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
        // `{:#}` puts named elements on lines of their own; the width is the depth of indentation.
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

fn write_nested(f: &mut fmt::Formatter<'_>, ty: &DataType) -> fmt::Result {
    f.write_str("Nested(")?;
    for (i, (name, ty)) in ty.as_nested().into_iter().flatten().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        write_identifier(f, name)?;
        write!(f, " {ty}")?;
    }
    f.write_char(')')
}

fn write_variant(f: &mut fmt::Formatter<'_>, types: &[DataType]) -> fmt::Result {
    f.write_str("Variant(")?;
    for (i, ty) in types.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        write_type_name(f, ty)?;
    }
    f.write_char(')')
}

fn write_identifier(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { f.write_str(name) } else { write!(f, "`{}`", name.replace('`', "\\`")) }
}

fn write_aggregate(
    f: &mut fmt::Formatter<'_>,
    family: &str,
    aggregate: &AggregateType,
) -> fmt::Result {
    write!(f, "{family}({}", aggregate.name)?;
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
        Value::Huge(v) => v.to_string(),
        Value::Float(v) if v.is_nan() => "nan".into(),
        Value::Float(v) if v.is_infinite() => if *v > 0.0 { "inf" } else { "-inf" }.into(),
        Value::Float(v) if v.fract() == 0.0 && v.abs() < 1e21 => format!("{v:.0}."),
        Value::Float(v) => v.to_string(),
        Value::String(bytes) => quote(bytes),
        Value::Variant(_, value) => literal(value),
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

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::codes;

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
            "Nested(a UInt8, `b c` Array(Nested(x Nullable(String))))",
            "LowCardinality(Nullable(String))",
            "DateTime64(6, 'UTC')",
            "Decimal(18, 4)",
            "Variant(Array(String), Tuple(a UInt8), UInt64)",
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
        assert_eq!(code("Nested"), codes::EMPTY_DATA_PASSED);
        assert_eq!(code("Nested()"), codes::EMPTY_DATA_PASSED);
        assert_eq!(code("Nested(a UInt8, String)"), codes::SYNTAX_ERROR);
        assert_eq!(code("Nested(a UInt8, a String)"), codes::DUPLICATE_COLUMN);
        assert_eq!(code("Nullable(Nested(a UInt8))"), codes::ILLEGAL_TYPE_OF_ARGUMENT);
        assert_eq!(code("Nullable(Array(UInt8))"), codes::ILLEGAL_TYPE_OF_ARGUMENT);
        assert_eq!(code(&"Array(".repeat(10_000)), codes::TOO_DEEP_RECURSION);
    }
}
