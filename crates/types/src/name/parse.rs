//! Parses type names.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use super::SIMPLE;
use super::alias::{ALIASES, DECIMALS};
use super::check::{check_map_key, check_scale, enum_type, simple_aggregate};
use crate::{AggregateType, DataType, TimeZone, TupleType, Value};

/// Types of the reference that are not implemented and whose names are matched without regard to
/// case.
const PLANNED_IN_ANY_CASE: &[&str] =
    &["Decimal256", "Time", "Time64", "JSON", "INET4", "INET6", "GEOMETRY"];

/// Other types of the reference that are not implemented.
const PLANNED: &[&str] = &[
    "BFloat16",
    "IPv4",
    "IPv6",
    "Dynamic",
    "Object",
    "Point",
    "Ring",
    "Polygon",
    "MultiPolygon",
    "QBit",
];

/// The families of Enum types.
const ENUMS: [&str; 3] = ["Enum", "Enum8", "Enum16"];

impl DataType {
    /// Parses a type name. Fails with UNKNOWN_TYPE or SYNTAX_ERROR, or with NOT_IMPLEMENTED for a
    /// type of the reference that is not implemented.
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
        let first = self.word()?;
        let name = self.further_words(first);
        let ty = self.with_arguments(&name)?;
        self.depth -= 1;
        Ok(ty)
    }

    /// Takes the remaining words of a name such as `DOUBLE PRECISION`.
    fn further_words(&mut self, mut name: String) -> String {
        loop {
            let start = self.at;
            self.skip_space();
            let word = self.rest().split(|c: char| !c.is_ascii_alphabetic()).next();
            let longer = format!("{name} {}", word.unwrap_or_default());
            let begins = |alias: &str| {
                let head = alias.get(..longer.len());
                head.is_some_and(|head| head.eq_ignore_ascii_case(&longer))
                    && matches!(alias.as_bytes().get(longer.len()), None | Some(b' '))
            };
            if self.at == start || !ALIASES.iter().any(|(alias, _)| begins(alias)) {
                self.at = start;
                return name;
            }
            self.at += longer.len() - name.len() - 1;
            name = longer;
        }
    }

    fn with_arguments(&mut self, name: &str) -> Result<DataType> {
        if let Some(family) = ENUMS.iter().find(|family| family.eq_ignore_ascii_case(name)) {
            return self.enumeration(family, name);
        }
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
            "Tuple" => self.tuple(),
            "Variant" => self.variant(),
            "Nested" => self.nested(),
            "AggregateFunction" => Ok(DataType::AggregateFunction(Arc::new(self.aggregate()?))),
            "SimpleAggregateFunction" => simple_aggregate(self.aggregate()?),
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
            _ if name.eq_ignore_ascii_case("DateTime64") => self.datetime64(),
            _ if name.eq_ignore_ascii_case("DateTime32") => self.datetime(),
            _ if name == "DateTime" => self.datetime(),
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

    /// `DateTime`, `DateTime('UTC')`, and `DATETIME(6)`, which has fractions of a second.
    fn datetime(&mut self) -> Result<DataType> {
        if !self.accept('(') {
            return Ok(DataType::DateTime(None));
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            let scale = self.number()?;
            self.expect(')')?;
            return Ok(DataType::DateTime64(check_scale(scale)?, None));
        }
        let zone = self.quoted()?;
        self.expect(')')?;
        Ok(DataType::DateTime(Some(TimeZone::get(&zone)?)))
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

    /// `fixed` is the precision; 0 if it is written in the parentheses.
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

    /// `'a' = 1, 'b'`: a name without a number gets the previous number plus 1, and the first one
    /// gets 1. `written` is the family in the letter case of the text. As in the reference, `ENUM8`
    /// and `ENUM16` in another case than their own need all numbers.
    fn enumeration(&mut self, family: &str, written: &str) -> Result<DataType> {
        let mut values: Vec<(i16, Arc<str>)> = Vec::new();
        let (mut next, mut numbered, mut first_is_numbered) = (1i64, 0, false);
        if self.accept('(') {
            while !self.accept(')') {
                if !values.is_empty() {
                    self.expect(',')?;
                }
                let name = self.quoted()?;
                if self.accept('=') {
                    let sign = if self.accept('-') { -1 } else { 1 };
                    next = sign * self.number()?.min(1 << 40) as i64;
                    numbered += 1;
                    first_is_numbered |= values.is_empty();
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
        if family != "Enum" && family != written && (numbered < values.len() || numbered == 0) {
            return Err(unknown(written));
        }
        let is_mixed = numbered > 0 && numbered < values.len();
        if is_mixed && numbered != if first_is_numbered { 1 } else { values.len() - 1 } {
            let message = "All elements of Enum data type must be of form: 'name' = number or \
                           'name': if some have no number, either the first has one and no other \
                           has, or all others have one";
            return Err(Error::new(codes::UNEXPECTED_AST_STRUCTURE, message));
        }
        let wide = family == "Enum16" || values.iter().any(|(n, _)| i8::try_from(*n).is_err());
        enum_type(wide, values)
    }

    fn simple(&mut self, name: &str) -> Result<DataType> {
        let exact = SIMPLE.iter().find(|(n, _)| *n == name);
        let alias = || ALIASES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        match exact.or_else(alias) {
            Some((_, DataType::DateTime(None))) => return self.datetime(),
            Some((_, ty)) => {
                let is_text = exact.is_none() && *ty == DataType::String;
                if is_text || ty.is_any_integer() || ty.is_float() {
                    self.skip_width()?;
                }
                return Ok(ty.clone());
            }
            None => {}
        }
        let any_case = || PLANNED_IN_ANY_CASE.iter().any(|n| n.eq_ignore_ascii_case(name));
        if PLANNED.contains(&name) || any_case() {
            return Err(Error::not_implemented(format!("Data type {name}")));
        }
        Err(unknown(name))
    }

    /// Skips the widths of SQL's types, as in `VARCHAR(10)`, `INT(11)` and `DOUBLE(10, 2)`. As in
    /// the reference they have no effect.
    fn skip_width(&mut self) -> Result<()> {
        if self.accept('(') {
            self.number()?;
            if self.accept(',') {
                self.number()?;
            }
            self.expect(')')?;
        }
        Ok(())
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
        self.list(|parser| {
            let start = parser.at;
            let first = parser.word()?;
            parser.skip_space();
            if parser.rest().starts_with([',', ')', '(']) {
                parser.at = start;
            } else {
                names.push(first.into());
            }
            types.push(parser.data_type()?);
            Ok(())
        })?;
        if !names.is_empty() && names.len() != types.len() {
            let message = "Names are specified not for all elements of Tuple type";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let names = (!names.is_empty()).then_some(names);
        Ok(DataType::Tuple(Arc::new(TupleType { types, names })))
    }

    fn nested(&mut self) -> Result<DataType> {
        let (mut types, mut names) = (Vec::new(), Vec::new());
        if self.accept('(') {
            self.list(|parser| {
                names.push(parser.word()?.into());
                types.push(parser.data_type()?);
                Ok(())
            })?;
        }
        DataType::nested(names, types)
    }

    fn variant(&mut self) -> Result<DataType> {
        let mut types = Vec::new();
        if self.accept('(') {
            self.list(|parser| {
                types.push(parser.data_type()?);
                Ok(())
            })?;
        }
        DataType::variant(types)
    }

    fn aggregate(&mut self) -> Result<AggregateType> {
        self.expect('(')?;
        let name = self.word()?;
        let mut params = Vec::new();
        if self.accept('(') {
            self.list(|parser| {
                params.push(parser.param()?);
                Ok(())
            })?;
        }
        let mut args = Vec::new();
        while self.accept(',') {
            args.push(self.data_type()?);
        }
        self.expect(')')?;
        Ok(AggregateType { name: name.into(), params, args })
    }

    /// Takes items with commas between them, and the closing parenthesis.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let mut first = true;
        while !self.accept(')') {
            if !std::mem::take(&mut first) {
                self.expect(',')?;
            }
            item(self)?;
        }
        Ok(())
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

#[cold]
fn unknown(name: &str) -> Error {
    let known = SIMPLE.iter().map(|(name, _)| *name).chain(ENUMS);
    let near = known.into_iter().find(|known| known.eq_ignore_ascii_case(name));
    let hint = near.map_or(String::new(), |known| format!(". Maybe you meant: ['{known}']"));
    let message = format!("Unknown data type family: {name}{hint}");
    Error::new(codes::UNKNOWN_TYPE, message)
}
