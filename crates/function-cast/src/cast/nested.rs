//! Converts the text of arrays and tuples to columns: `[1,2]`, `('a',NULL)`. It works row by row
//! over values, because this is rare.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder, Strings};
use entasis_types::variant::reading_order;
use entasis_types::{DataType, TupleType, Value};

use super::{Cast, Mode, Session, bind, bind_mode, variant};
use entasis_function_kernel::layout::zip_arrays;

/// Every string as a value of an array or tuple type.
pub fn parse(strings: &Strings, ty: &DataType, session: Session) -> Result<Column> {
    let mut builder = ColumnBuilder::new(ty, strings.len());
    for text in strings.iter() {
        let mut reader = Reader { rest: text, session };
        let value = reader.value(ty)?;
        reader.skip_space();
        if !reader.rest.is_empty() {
            let message = format!("Cannot parse string {} as {ty}", show(text));
            return Err(Error::new(codes::CANNOT_PARSE_TEXT, message));
        }
        builder.push_value(ty, &value);
    }
    Ok(builder.finish())
}

/// `([keys], [values])` as a Map, whose stored type is `to`.
pub fn map_of_arrays(
    from: &DataType,
    pair: &TupleType,
    to: &DataType,
    session: Session,
    mode: Mode,
) -> Result<Cast> {
    let [DataType::Array(key), DataType::Array(value)] = &pair.types[..] else {
        let message = format!("Unsupported types to CAST AS Map. Left type: {from}");
        return Err(Error::new(codes::TYPE_MISMATCH, message));
    };
    let entry = DataType::tuple(vec![key.as_ref().clone(), value.as_ref().clone()]);
    let cast = bind_mode(&DataType::array(entry), to, session, mode)?;
    Ok(Arc::new(move |column| match column {
        Column::Tuple(pair) => cast(&zip_arrays(&pair.columns[0], &pair.columns[1])?),
        _ => Err(Error::logical("a tuple's column is no tuple")),
    }))
}

fn show(text: &[u8]) -> String {
    entasis_types::name::quote(text)
}

struct Reader<'a> {
    rest: &'a [u8],
    session: Session,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(&[byte]) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.accept(byte) {
            return Ok(());
        }
        let place = if self.rest.is_empty() { "at end of stream" } else { "before" };
        let message = format!(
            "Cannot parse input: expected '{}' {place} {}",
            byte as char,
            String::from_utf8_lossy(&self.rest[..self.rest.len().min(30)]),
        );
        Err(Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message.trim_end()))
    }

    fn value(&mut self, ty: &DataType) -> Result<Value> {
        match ty {
            DataType::Array(element) => {
                self.expect(b'[')?;
                let mut items = Vec::new();
                while !self.accept(b']') {
                    if !items.is_empty() {
                        if !self.accept(b',') {
                            self.expect(b']')?;
                        }
                        self.skip_space();
                    }
                    items.push(self.value(element)?);
                }
                Ok(Value::Array(items.into()))
            }
            DataType::Map(_) => self.map(ty),
            DataType::Tuple(tuple) => {
                self.expect(b'(')?;
                let mut items = Vec::new();
                for (i, ty) in tuple.types.iter().enumerate() {
                    if i > 0 {
                        self.expect(b',')?;
                    }
                    items.push(self.value(ty)?);
                }
                self.expect(b')')?;
                Ok(Value::Tuple(items.into()))
            }
            DataType::Variant(types) => self.variant(types),
            plain => self.scalar(plain),
        }
    }

    fn map(&mut self, ty: &DataType) -> Result<Value> {
        let Some((key, value)) = ty.as_map() else {
            return Err(Error::logical(format!("{ty} is no map")));
        };
        self.expect(b'{')?;
        let mut entries = Vec::new();
        while !self.accept(b'}') {
            if !entries.is_empty() {
                self.expect(b',')?;
            }
            let key = self.value(key)?;
            self.expect(b':')?;
            entries.push(Value::Tuple([key, self.value(value)?].into()));
        }
        Ok(Value::Array(entries.into()))
    }

    /// A value of the first alternative that it can be: in brackets a nested one, in quotes one
    /// that stands in quotes.
    fn variant(&mut self, types: &[DataType]) -> Result<Value> {
        self.skip_space();
        let start = self.rest;
        if let Some(rest) = start.strip_prefix(b"NULL") {
            self.rest = rest;
            return Ok(Value::Null);
        }
        if matches!(start.first(), Some(b'[' | b'(' | b'{')) {
            for d in reading_order(types) {
                if let Ok(value) = self.value(&types[usize::from(d)]) {
                    return Ok(Value::Variant(d, Arc::new(value)));
                }
                self.rest = start;
            }
            return Err(variant::unread(types, start));
        }
        let is_quoted = start.first() == Some(&b'\'');
        let text = if is_quoted { self.quoted()? } else { self.word().to_vec() };
        let may = |ty: &DataType| ty.is_quoted() == is_quoted;
        let found = variant::read_one(types, &text, self.session, may)?;
        found.ok_or_else(|| variant::unread(types, start))
    }

    /// What stands before the next delimiter.
    fn word(&mut self) -> &[u8] {
        let ends = |b: &u8| matches!(b, b',' | b']' | b')' | b' ' | b':' | b'}');
        let end = self.rest.iter().position(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn scalar(&mut self, ty: &DataType) -> Result<Value> {
        self.skip_space();
        if let (DataType::Nullable(_), Some(rest)) = (ty, self.rest.strip_prefix(b"NULL")) {
            self.rest = rest;
            return Ok(Value::Null);
        }
        let text = if self.rest.first() == Some(&b'\'') {
            self.quoted()?
        } else if ty.without_nullable().is_string() {
            self.expect(b'\'')?;
            Vec::new()
        } else {
            self.word().to_vec()
        };
        let string = Column::from_value(&DataType::String, &Value::string(&text), 1);
        let plain = ty.without_nullable();
        Ok(bind(&DataType::String, plain, self.session)?(&string)?.value(0))
    }

    fn quoted(&mut self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut bytes = self.rest.iter().enumerate().skip(1);
        while let Some((at, &byte)) = bytes.next() {
            match byte {
                b'\'' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(out);
                }
                b'\\' => match bytes.next() {
                    Some((_, b'n')) => out.push(b'\n'),
                    Some((_, b't')) => out.push(b'\t'),
                    Some((_, b'r')) => out.push(b'\r'),
                    Some((_, b'0')) => out.push(0),
                    Some((_, b'b')) => out.push(8),
                    Some((_, b'f')) => out.push(12),
                    Some((_, &other)) => out.push(other),
                    None => break,
                },
                byte => out.push(byte),
            }
        }
        let message = "Cannot parse quoted string: expected closing quote ''', got end of stream";
        Err(Error::new(codes::CANNOT_PARSE_QUOTED_STRING, message))
    }
}
