//! Types of settings: how texts and literals are converted to values, and values to texts.

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_sql::ast::{ExprKind, Literal};
use entasis_types::{DataType, TimeZone, Value};

/// A type with a closed list of values.
#[derive(Debug)]
pub struct EnumDef {
    /// Name of the type in the reference.
    pub name: &'static str,
    /// Code of the error for a value outside the list.
    pub code: ErrorCode,
    /// The allowed values, sorted.
    pub values: Vec<&'static str>,
    /// Whether a setting may have several of the values, with commas between them.
    pub is_list: bool,
}

/// Which values a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number, not negative. In a text, a suffix such as `K` or `Gi` may follow.
    UInt64,
    /// As `UInt64`, but not 0.
    NonZeroUInt64,
    /// As `UInt64`, of 32 bits.
    UInt32,
    /// A whole number of 64 bits with a sign.
    Int64,
    /// As `Int64`, of 32 bits.
    Int32,
    /// A flag: 0, 1, false or true.
    Bool,
    /// As `Bool`, or `auto`.
    BoolAuto,
    /// As `UInt64`, or `auto`.
    UInt64Auto,
    /// As `Float`, or `auto`.
    FloatAuto,
    /// A number of threads: 0 and `auto` mean one per core.
    MaxThreads,
    /// A floating point number of 32 bits.
    Float,
    /// A floating point number of 64 bits.
    Double,
    /// Seconds, with a fraction down to microseconds.
    Seconds,
    /// Whole milliseconds.
    Milliseconds,
    /// Any text.
    String,
    /// Name of a time zone, or an empty text.
    Timezone,
    /// A single byte, or an empty text.
    Char,
    /// A map from texts to texts.
    Map,
    /// A value of a closed list.
    Enum(&'static EnumDef),
}

/// Number of cores of the machine.
pub fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u64)
}

const AUTO: &str = "auto";

impl Kind {
    /// The type of the setting's value in an expression.
    pub fn data_type(self, value: &Value) -> DataType {
        match (self, value) {
            (Self::Bool | Self::BoolAuto, Value::UInt(_)) => DataType::Bool,
            (_, Value::UInt(0..=0xFF)) => DataType::UInt8,
            (_, Value::UInt(0..=0xFFFF)) => DataType::UInt16,
            (_, Value::UInt(0..=0xFFFF_FFFF)) => DataType::UInt32,
            (_, Value::UInt(_)) => DataType::UInt64,
            (_, Value::Int(v)) => match v {
                -0x80..=0x7F => DataType::Int8,
                -0x8000..=0x7FFF => DataType::Int16,
                -0x8000_0000..=0x7FFF_FFFF => DataType::Int32,
                _ => DataType::Int64,
            },
            (_, Value::Float(_)) => DataType::Float64,
            _ => DataType::String,
        }
    }

    /// The setting's value in an expression: threads are resolved to a number.
    pub fn seen(self, value: &Value) -> Value {
        match (self, value) {
            (Self::MaxThreads, Value::UInt(0)) => Value::UInt(cores()),
            _ => value.clone(),
        }
    }

    /// The setting's value as `system.settings` shows it.
    pub fn text(self, value: &Value) -> String {
        match (self, value) {
            (Self::MaxThreads, Value::UInt(0)) => format!("auto({})", cores()),
            (Self::Float, Value::Float(v)) => (*v as f32).to_string(),
            (_, Value::Float(v)) => v.to_string(),
            (_, Value::String(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            (_, other) => entasis_types::name::literal(other),
        }
    }

    /// Converts a literal, which is a number or a text to parse, to a value of this type.
    pub fn convert(self, value: &Value) -> Result<Value> {
        if let Value::String(bytes) = value {
            return self.parse(&String::from_utf8_lossy(bytes));
        }
        match self {
            Self::String | Self::Timezone | Self::Char | Self::Enum(_) | Self::Map => {
                Err(no_text(value))
            }
            Self::Float | Self::FloatAuto => Ok(Value::Float(f64::from(number(value)? as f32))),
            Self::Double => Ok(Value::Float(number(value)?)),
            Self::Seconds => seconds(number(value)?),
            Self::Bool | Self::BoolAuto => match whole(value, "bool")? {
                _ if matches!(value, Value::Float(v) if v.fract() != 0.0) => {
                    let message =
                        "Cannot convert out of range floating point value to integer type";
                    Err(Error::new(codes::CANNOT_CONVERT_TYPE, message))
                }
                n @ (0 | 1) => Ok(Value::UInt(n as u64)),
                n => Err(out_of_range(&n.to_string(), "bool")),
            },
            Self::Int64 | Self::Int32 => {
                let name = if matches!(self, Self::Int32) { "int" } else { "long" };
                self.signed(whole(value, name)?)
            }
            _ => {
                let n = whole(value, "unsigned long")?;
                let n =
                    u64::try_from(n).map_err(|_| out_of_range(&n.to_string(), "unsigned long"))?;
                self.unsigned(n)
            }
        }
    }

    /// Parses a text as a value of this type.
    pub fn parse(self, text: &str) -> Result<Value> {
        match self {
            Self::UInt64Auto | Self::BoolAuto | Self::FloatAuto if text == AUTO => {
                Ok(Value::from(AUTO))
            }
            Self::UInt64
            | Self::NonZeroUInt64
            | Self::UInt32
            | Self::UInt64Auto
            | Self::Milliseconds => self.unsigned(unsigned(text, true)?),
            Self::MaxThreads => {
                let is_auto = text == AUTO || text.starts_with("auto(") && text.ends_with(')');
                Ok(Value::UInt(if is_auto { 0 } else { unsigned(text, false)? }))
            }
            Self::Int64 | Self::Int32 => self.signed(signed(text)?),
            Self::Bool | Self::BoolAuto => match &*text.to_ascii_lowercase() {
                "1" | "true" => Ok(Value::UInt(1)),
                "0" | "false" => Ok(Value::UInt(0)),
                _ => {
                    let message = format!(
                        "Cannot parse bool from string '{text}': write 0, 1, false or true"
                    );
                    Err(Error::new(codes::CANNOT_PARSE_BOOL, message))
                }
            },
            Self::Float | Self::FloatAuto => {
                Ok(Value::Float(f64::from(float(text, "floating point value")? as f32)))
            }
            Self::Double => Ok(Value::Float(float(text, "floating point value")?)),
            Self::Seconds => match float(text, "seconds") {
                Ok(v) => seconds(v),
                Err(_) => Err(left_over(after_number(text))),
            },
            Self::String => Ok(Value::from(text)),
            Self::Timezone if text.is_empty() => Ok(Value::from(text)),
            Self::Timezone => TimeZone::get(text).map(|_| Value::from(text)).map_err(|_| {
                Error::new(codes::BAD_ARGUMENTS, format!("Invalid time zone: {text}"))
            }),
            Self::Char if text.len() < 2 => Ok(Value::from(text)),
            Self::Char => {
                let message = format!("The value '{text}' has to be exactly one character long");
                Err(Error::new(codes::SIZE_OF_FIXED_STRING_DOESNT_MATCH, message))
            }
            Self::Map => map(text),
            Self::Enum(def) => def.parse(text),
        }
    }

    fn unsigned(self, n: u64) -> Result<Value> {
        match self {
            Self::NonZeroUInt64 if n == 0 => {
                let message = "A setting's value has to be greater than 0";
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
            Self::UInt32 if u32::try_from(n).is_err() => {
                Err(out_of_range(&n.to_string(), "unsigned int"))
            }
            _ => Ok(Value::UInt(n)),
        }
    }

    fn signed(self, n: i128) -> Result<Value> {
        let (fits, name) = match self {
            Self::Int32 => (i32::try_from(n).is_ok(), "int"),
            _ => (i64::try_from(n).is_ok(), "long"),
        };
        if fits { Ok(Value::Int(n as i64)) } else { Err(out_of_range(&n.to_string(), name)) }
    }
}

impl EnumDef {
    fn parse(&self, text: &str) -> Result<Value> {
        if !self.is_list {
            return self.item(text).map(Value::from);
        }
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        let items = items.map(|item| self.item(item)).collect::<Result<Vec<_>>>()?;
        Ok(Value::from(items.join(",").as_str()))
    }

    fn item(&self, text: &str) -> Result<&'static str> {
        self.values.iter().find(|v| **v == text).copied().ok_or_else(|| {
            let values: Vec<String> = self.values.iter().map(|v| format!("'{v}'")).collect();
            let message = format!(
                "Unexpected value of {}: '{text}'. Must be one of [{}]",
                self.name,
                values.join(", ")
            );
            Error::new(self.code, message)
        })
    }
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| null("a number"))
}

/// A number with its fraction cut off.
fn whole(value: &Value, wanted: &str) -> Result<i128> {
    match value {
        Value::UInt(v) => Ok(i128::from(*v)),
        Value::Int(v) => Ok(i128::from(*v)),
        Value::Wide(v) => i128::try_from(*v).map_err(|_| out_of_range(&v.to_string(), wanted)),
        Value::Huge(v) => Err(out_of_range(&v.to_string(), wanted)),
        Value::Float(v) if v.is_finite() && v.abs() < 1.8e19 => Ok(v.trunc() as i128),
        Value::Float(v) => Err(out_of_range(&v.to_string(), wanted)),
        _ => Err(null(wanted)),
    }
}

fn seconds(v: f64) -> Result<Value> {
    // The reference counts microseconds in 64 bits.
    if !v.is_finite() || v.abs() > i64::MAX as f64 / 1e6 {
        let message = format!("The setting's value in seconds is too big: {v:e}");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(Value::Float((v * 1e6).trunc() / 1e6))
}

/// Parses digits and, if allowed, a suffix: a power of 1000, or of 1024 with `i`.
fn unsigned(text: &str, suffixes: bool) -> Result<u64> {
    if text.is_empty() {
        let message = "Attempt to read after eof: the value of the setting is empty";
        return Err(Error::new(codes::ATTEMPT_TO_READ_AFTER_EOF, message));
    }
    if text.starts_with('-') {
        let message = "Unsigned type must not contain '-' symbol";
        return Err(Error::new(codes::CANNOT_PARSE_NUMBER, message));
    }
    let (digits, suffix) = parts(text.strip_prefix('+').unwrap_or(text));
    let factor = factor(suffix, suffixes).filter(|_| !digits.is_empty());
    let factor = factor.ok_or_else(|| left_over(if digits.is_empty() { text } else { suffix }))?;
    let n = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor));
    n.ok_or_else(|| out_of_range(text, "unsigned long"))
}

fn signed(text: &str) -> Result<i128> {
    match text.strip_prefix('-') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            Ok(-i128::from(unsigned(rest, true)?))
        }
        Some(_) => Err(left_over(text)),
        None => Ok(i128::from(unsigned(text, true)?)),
    }
}

fn parts(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn factor(suffix: &str, allowed: bool) -> Option<u64> {
    let (letter, base) = match suffix.strip_suffix('i') {
        Some(letter) if !letter.is_empty() => (letter, 1024u64),
        _ => (suffix, 1000),
    };
    let power = match letter {
        "" => return Some(1),
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    allowed.then(|| base.pow(power))
}

fn float(text: &str, what: &str) -> Result<f64> {
    text.parse().map_err(|_| {
        let message = format!("Cannot read {what} here: {text}");
        Error::new(codes::CANNOT_PARSE_NUMBER, message)
    })
}

/// The rest of a text behind the number at its start.
fn after_number(text: &str) -> &str {
    let signless = text.trim_start_matches(['-', '+']);
    signless.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Parses `{'key':'value',...}` and writes it in canonical form.
fn map(text: &str) -> Result<Value> {
    let wrong = || {
        let message = format!(
            "Cannot parse input: expected a map of texts such as {{'a':'b'}} before: '{text}'"
        );
        Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message)
    };
    let text_in_braces = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    let mut rest = text_in_braces.ok_or_else(wrong)?.trim_start();
    let mut out = String::from("{");
    while !rest.is_empty() {
        let (key, after) = quoted(rest).ok_or_else(wrong)?;
        let after = after.trim_start().strip_prefix(':').ok_or_else(wrong)?.trim_start();
        let (value, after) = quoted(after).ok_or_else(wrong)?;
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&format!("{key}:{value}"));
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after.is_empty() => after,
            None => return Err(wrong()),
        };
    }
    out.push('}');
    Ok(Value::from(out.as_str()))
}

/// The pairs of a map's text.
pub(super) fn map_entries(map: &str) -> Result<Vec<(String, String)>> {
    let mut rest = map.strip_prefix('{').unwrap_or(map);
    let mut entries = Vec::new();
    while let Some((key, after)) = quoted(rest) {
        let Some((value, after)) = quoted(after.trim_start_matches(':')) else { break };
        entries.push((unquoted(key)?, unquoted(value)?));
        rest = after.trim_start_matches(',');
    }
    Ok(entries)
}

/// The text that a literal stands for.
fn unquoted(literal: &str) -> Result<String> {
    match entasis_sql::parse_expression(literal)?.kind {
        ExprKind::Literal(Literal::String(text)) => Ok(String::from_utf8_lossy(&text).into_owned()),
        _ => Err(left_over(literal)),
    }
}

/// The quoted text at the start, with its quotes, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (i, c) in text.strip_prefix('\'')?.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return Some(text.split_at(i + 2)),
            _ => {}
        }
    }
    None
}

#[cold]
fn left_over(rest: &str) -> Error {
    let message = format!("Cannot parse input: expected 'eof' before: '{rest}'");
    Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message)
}

#[cold]
fn out_of_range(value: &str, name: &str) -> Error {
    let message = format!("Field value {value} is out of range of {name} type");
    Error::new(codes::CANNOT_CONVERT_TYPE, message)
}

#[cold]
fn null(wanted: &str) -> Error {
    let message = format!("Invalid value NULL of the setting, which needs {wanted}");
    Error::new(codes::CANNOT_CONVERT_TYPE, message)
}

#[cold]
fn no_text(value: &Value) -> Error {
    let has = match value {
        Value::UInt(_) => "UInt64",
        Value::Int(_) => "Int64",
        Value::Float(_) => "Float64",
        Value::Null => "Null",
        _ => "a value of another type",
    };
    let message = format!("Bad get: has {has}, requested String: write the value in quotes");
    Error::new(codes::BAD_GET, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: Kind, text: &str) -> std::result::Result<String, i32> {
        kind.parse(text).map(|v| kind.text(&v)).map_err(|e| i32::from(e.code().0))
    }

    #[test]
    fn numbers_with_suffixes() {
        let sizes = [
            ("1G", Ok("1000000000")),
            ("10Ki", Ok("10240")),
            ("1k", Ok("1000")),
            ("+5", Ok("5")),
            ("007", Ok("7")),
            ("1g", Err(27)),
            ("1GiB", Err(27)),
            ("1.5G", Err(27)),
            ("Ki", Err(27)),
            ("", Err(32)),
            ("-1", Err(72)),
            ("99999999999T", Err(70)),
        ];
        for (text, wanted) in sizes {
            assert_eq!(parse(Kind::UInt64, text), wanted.map(str::to_string), "{text}");
        }
        assert_eq!(parse(Kind::Int64, "-1K"), Ok("-1000".into()));
        assert_eq!(parse(Kind::Int64, "--1"), Err(27));
        assert_eq!(parse(Kind::NonZeroUInt64, "0"), Err(36));
        assert_eq!(parse(Kind::MaxThreads, "1K"), Err(27));
        assert_eq!(parse(Kind::MaxThreads, "auto(7)"), Ok(format!("auto({})", cores())));
    }

    #[test]
    fn durations_maps_and_others() {
        assert_eq!(parse(Kind::Seconds, "1.5"), Ok("1.5".into()));
        assert_eq!(parse(Kind::Seconds, "5s"), Err(27));
        assert_eq!(parse(Kind::Seconds, "1e30"), Err(36));
        assert_eq!(parse(Kind::Milliseconds, "100.5"), Err(27));
        assert_eq!(parse(Kind::Float, "0.1"), Ok("0.1".into()));
        assert_eq!(parse(Kind::Float, "x"), Err(72));
        assert_eq!(parse(Kind::Char, "ab"), Err(19));
        assert_eq!(parse(Kind::Bool, "TRUE"), Ok("1".into()));
        assert_eq!(parse(Kind::Bool, "yes"), Err(467));
        assert_eq!(parse(Kind::Timezone, "Nowhere/x"), Err(36));
        assert_eq!(parse(Kind::UInt64Auto, "auto"), Ok("auto".into()));
        assert_eq!(
            parse(Kind::Map, r"{ 'a' : 'b\'c', 'd':'e' }"),
            Ok(r"{'a':'b\'c','d':'e'}".into())
        );
        for wrong in ["zz", "{", "{'a'}", "{'a':}", "{'a':'b' 'c':'d'}", "{'a':'b}"] {
            assert_eq!(parse(Kind::Map, wrong), Err(27), "{wrong}");
        }
    }

    #[test]
    fn literals_are_checked() {
        let code = |kind: Kind, value: Value| kind.convert(&value).map_err(|e| e.code());
        assert_eq!(code(Kind::UInt64, Value::Float(1e9)), Ok(Value::UInt(1_000_000_000)));
        assert_eq!(code(Kind::UInt64, Value::Int(-1)), Err(codes::CANNOT_CONVERT_TYPE));
        assert_eq!(code(Kind::UInt64, Value::Null), Err(codes::CANNOT_CONVERT_TYPE));
        assert_eq!(code(Kind::Bool, Value::UInt(2)), Err(codes::CANNOT_CONVERT_TYPE));
        assert_eq!(code(Kind::Bool, Value::Float(1.5)), Err(codes::CANNOT_CONVERT_TYPE));
        assert_eq!(code(Kind::Bool, Value::Float(0.0)), Ok(Value::UInt(0)));
        assert_eq!(code(Kind::String, Value::UInt(1)), Err(codes::BAD_GET));
        assert_eq!(code(Kind::Int32, Value::UInt(1 << 40)), Err(codes::CANNOT_CONVERT_TYPE));
    }
}
