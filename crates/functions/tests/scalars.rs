//! Evaluates expressions of literals and functions, so that every definition's examples run as
//! tests without the rest of the system.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::HashMap;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, TimeZone, Value, common_type};

use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundFunction, Determinism, FunctionContext, registry};

/// Fixed surroundings: UTC, 2026-11-21 00:00:00.
pub struct TestContext;

impl FunctionContext for TestContext {
    fn now(&self) -> Duration {
        Duration::from_hours(498_672)
    }
    fn time_zone(&self) -> TimeZone {
        TimeZone::utc()
    }
    fn database(&self) -> &str {
        "default"
    }
    fn user(&self) -> &str {
        "default"
    }
    fn seed(&self) -> u64 {
        1
    }
    fn setting(&self, name: &str) -> Option<Value> {
        (name == "max_threads").then_some(Value::UInt(2))
    }
}

/// A constant with its type.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its type.
    pub ty: DataType,
    /// Its value.
    pub value: Value,
}

/// Type name and text of an expression of literals, operators and calls.
pub fn evaluate(text: &str) -> Result<(String, String)> {
    let mut parser = Parser { text: text.as_bytes(), at: 0 };
    let result = parser.expression(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(fail(&format!("rest: {}", &text[parser.at..])));
    }
    let mut out = Vec::new();
    entasis_types::text::write_value(&mut out, &result.ty, &result.value, TimeZone::utc());
    Ok((result.ty.to_string(), String::from_utf8_lossy(&out).into_owned()))
}

/// Calls a function over constants.
pub fn call(name: &str, args: &[Constant]) -> Result<Constant> {
    let def = registry::scalar(name)?;
    let bound_args: Vec<Arg> =
        args.iter().map(|a| Arg::constant(a.ty.clone(), a.value.clone())).collect();
    let function = BoundFunction::bind(def, &bound_args, &TestContext)?;
    let columns: Vec<Column> =
        args.iter().map(|a| Column::from_value(&a.ty, &a.value, 1)).collect();
    let column = function.call(&columns, 1)?;
    let full: Vec<Column> =
        columns.iter().map(|c| Column::concat(&[&c.full(), &c.full(), &c.full()])).collect();
    let rows = function.call(&full, 3)?;
    assert_eq!(rows.len(), 3, "{name}: rows");
    if function.determinism != Determinism::PerRow && def.by_row {
        let (one, many) = (column.value(0), rows.value(2));
        assert_eq!(one, many, "{name}: Const and full columns differ");
        let mask = function.call_mask(&full, 3)?;
        let as_number = one.as_f64();
        let numeric = function.return_type.without_nullable().is_native_number();
        assert!(!numeric || mask.get(2) == as_number.is_some_and(|v| v != 0.0), "{name}: mask");
    }
    Ok(Constant { ty: function.return_type.clone(), value: column.value(0) })
}

fn fail(message: &str) -> Error {
    Error::new(codes::SYNTAX_ERROR, message)
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

/// Operators by binding strength.
const OPERATORS: &[(&str, &str, u8)] = &[
    ("<=>", "isNotDistinctFrom", 1),
    ("==", "equals", 1),
    ("!=", "notEquals", 1),
    ("<>", "notEquals", 1),
    ("<=", "lessOrEquals", 1),
    (">=", "greaterOrEquals", 1),
    ("=", "equals", 1),
    ("<", "less", 1),
    (">", "greater", 1),
    ("||", "concat", 2),
    ("+", "plus", 3),
    ("-", "minus", 3),
    ("*", "multiply", 4),
    ("/", "divide", 4),
    ("%", "modulo", 4),
];

impl Parser<'_> {
    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) {
            return Ok(());
        }
        Err(fail(&format!(
            "expected {token} at {}",
            String::from_utf8_lossy(&self.text[self.at..])
        )))
    }

    fn expression(&mut self, least: u8) -> Result<Constant> {
        let mut left = self.primary()?;
        'next: loop {
            for (token, name, strength) in OPERATORS {
                let start = self.at;
                if *strength >= least && self.accept(token) {
                    let right = self.expression(strength + 1)?;
                    left = call(name, &[left, right])?;
                    continue 'next;
                }
                self.at = start;
            }
            return Ok(left);
        }
    }

    fn primary(&mut self) -> Result<Constant> {
        self.skip_space();
        let Some(&first) = self.text.get(self.at) else { return Err(fail("end")) };
        match first {
            b'\'' => self.string(),
            b'0'..=b'9' | b'.' => self.number(false),
            b'-' => {
                self.at += 1;
                self.skip_space();
                if self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
                    return self.number(true);
                }
                let inner = self.expression(5)?;
                call("negate", &[inner])
            }
            b'[' => {
                self.at += 1;
                let items = self.list("]")?;
                let types: Vec<DataType> = items.iter().map(|i| i.ty.clone()).collect();
                let ty = common_type(&types)?;
                let session = Session::of(&TestContext);
                let values = items
                    .iter()
                    .map(|i| {
                        let column = Column::from_value(&i.ty, &i.value, 1);
                        Ok(cast::bind(&i.ty, &ty, session)?(&column)?.value(0))
                    })
                    .collect::<Result<Vec<_>>>()?;
                Ok(Constant { ty: DataType::array(ty), value: Value::Array(values.into()) })
            }
            b'(' => {
                self.at += 1;
                let mut items = self.list(")")?;
                if items.len() == 1 {
                    return Ok(items.remove(0));
                }
                Ok(Self::tuple(&items))
            }
            _ => self.word(),
        }
    }

    fn tuple(items: &[Constant]) -> Constant {
        Constant {
            ty: DataType::tuple(items.iter().map(|i| i.ty.clone()).collect()),
            value: Value::Tuple(items.iter().map(|i| i.value.clone()).collect()),
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Constant>> {
        let mut items = Vec::new();
        if self.accept(end) {
            return Ok(items);
        }
        loop {
            items.push(self.expression(0)?);
            if self.accept(end) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    fn string(&mut self) -> Result<Constant> {
        let mut out = Vec::new();
        let mut at = self.at + 1;
        loop {
            match self.text.get(at) {
                None => return Err(fail("quote")),
                Some(b'\'') => break,
                Some(b'\\') => {
                    at += 1;
                    out.push(match self.text.get(at) {
                        Some(b'n') => b'\n',
                        Some(b't') => b'\t',
                        Some(b'0') => 0,
                        Some(other) => *other,
                        None => return Err(fail("quote")),
                    });
                }
                Some(byte) => out.push(*byte),
            }
            at += 1;
        }
        self.at = at + 1;
        Ok(Constant { ty: DataType::String, value: Value::string(&out) })
    }

    fn number(&mut self, negative: bool) -> Result<Constant> {
        let start = self.at;
        let is_part = |at: usize| match self.text.get(at) {
            Some(b'0'..=b'9' | b'.' | b'e' | b'E') => true,
            Some(b'+' | b'-') => matches!(self.text[at - 1], b'e' | b'E'),
            _ => false,
        };
        let mut end = start;
        while is_part(end) {
            end += 1;
        }
        self.at = end;
        let text = String::from_utf8_lossy(&self.text[start..end]).into_owned();
        let sign = if negative { "-" } else { "" };
        let text = format!("{sign}{text}");
        if let Ok(v) = text.parse::<u64>() {
            let ty = match v {
                0..=0xFF => DataType::UInt8,
                0x100..=0xFFFF => DataType::UInt16,
                0x1_0000..=0xFFFF_FFFF => DataType::UInt32,
                _ => DataType::UInt64,
            };
            return Ok(Constant { ty, value: Value::UInt(v) });
        }
        if let Ok(v) = text.parse::<i64>() {
            let ty = match v {
                -0x80..=0x7F => DataType::Int8,
                -0x8000..=0x7FFF => DataType::Int16,
                -0x8000_0000..=0x7FFF_FFFF => DataType::Int32,
                _ => DataType::Int64,
            };
            return Ok(Constant { ty, value: Value::Int(v) });
        }
        let v = text.parse::<f64>().map_err(|e| fail(&e.to_string()))?;
        Ok(Constant { ty: DataType::Float64, value: Value::Float(v) })
    }

    fn word(&mut self) -> Result<Constant> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        if !self.text[self.at..].starts_with(b"(") {
            let float = |v| Constant { ty: DataType::Float64, value: Value::Float(v) };
            return match word.as_str() {
                "NULL" => Ok(Constant { ty: DataType::null(), value: Value::Null }),
                "true" => Ok(Constant { ty: DataType::Bool, value: Value::UInt(1) }),
                "false" => Ok(Constant { ty: DataType::Bool, value: Value::UInt(0) }),
                "nan" => Ok(float(f64::NAN)),
                "inf" => Ok(float(f64::INFINITY)),
                _ => Err(fail(&format!("word {word}"))),
            };
        }
        self.at += 1;
        let args = self.list(")")?;
        if word == "tuple" {
            return Ok(Self::tuple(&args));
        }
        call(&word, &args)
    }
}

#[test]
fn examples_of_every_scalar_function() {
    entasis_functions::register();
    let mut wrong = Vec::new();
    for def in registry::scalar_functions() {
        assert!(!def.description.is_empty(), "{}: description", def.name);
        for (expression, expected) in def.examples {
            // Whole queries and lambdas are run by the SQL tests.
            if expression.contains("->") || expression.starts_with("SELECT") {
                continue;
            }
            let result = evaluate(expression).map_or_else(|e| e.to_string(), |(_, text)| text);
            if result != *expected {
                wrong.push(format!("{expression}: {result:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One name is one function: of two the registry would hide one.
#[test]
fn every_name_is_defined_once() {
    entasis_functions::register();
    let mut seen = HashMap::new();
    for def in registry::scalar_functions() {
        for name in def.aliases.iter().chain([&def.name]) {
            let before = seen.insert(*name, def.name);
            assert!(before.is_none(), "{name}: of {} and of {before:?}", def.name);
        }
    }
}

/// Functions that are missing say so under all of their names.
#[test]
fn what_is_missing_says_so() {
    entasis_functions::register();
    for def in entasis_function_cast::conversion::MISSING {
        for name in def.aliases.iter().chain([&def.name]) {
            let found = registry::find_scalar(name).unwrap();
            let error = (found.bind)(&[], &TestContext).err().unwrap();
            assert_eq!(error.code(), codes::NOT_IMPLEMENTED, "{name}");
        }
    }
}

/// A tool: `EXPRESSIONS=file cargo test -p entasis-functions evaluate_file -- --ignored` writes
/// type and value of every line to `file.out`, for comparing with the oracle.
#[test]
#[ignore = "a tool, not a test"]
fn evaluate_file() {
    entasis_functions::register();
    let Ok(path) = std::env::var("EXPRESSIONS") else { return };
    let mut out = String::new();
    for line in std::fs::read_to_string(&path).unwrap().lines().filter(|l| !l.trim().is_empty()) {
        let answer = std::panic::catch_unwind(|| match evaluate(line) {
            Ok((ty, text)) => format!("{ty}\t{text}"),
            Err(e) => format!("ERR {} {}", e.code().0, e.message()),
        });
        out.push_str(&answer.unwrap_or_else(|_| "PANIC".into()).replace('\n', " "));
        out.push('\n');
    }
    std::fs::write(format!("{path}.out"), out).unwrap();
}
