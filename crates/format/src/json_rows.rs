//! JSONEachRow and JSONCompactEachRow as input: objects or arrays one after the other, with or
//! without commas, line ends and brackets around them.

mod infer;
mod value;

pub(crate) use infer::{guess as guess_value, infer, merge_json};
pub(crate) use value::{read_value, skip_value, string};

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{ColumnBuilder, Header};

use crate::FormatOptions;
use crate::fault::{Parse, Place, fault};
use crate::field::Kind;
use crate::quoted::{require, skip_space, take};
use crate::registry::RowSource;
use crate::rows::{RowBuffer, RowParser, Scan};
use crate::tsv::{check_types, match_names};

struct JsonRows<const IS_COMPACT: bool> {
    header: Header,
    kinds: Vec<Kind>,
    skip_unknown: bool,
    /// Values are texts.
    as_texts: bool,
    /// The header's column of each value of an array, or none for one that is skipped.
    fields: Vec<Option<usize>>,
    /// Columns that arrays do not have.
    missing: Vec<usize>,
}

pub(crate) fn rows<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8>(
    header: &Header,
    mut buffer: RowBuffer,
    options: &FormatOptions,
) -> Result<RowSource> {
    let mut fields: Vec<Option<usize>> = (0..header.len()).map(Some).collect();
    if LINES > 0
        && let Some(line) = buffer.take_line()?
    {
        fields = match_names(&texts_of(&line)?, header, options)?;
        if LINES > 1 {
            let line = buffer.take_line()?.unwrap_or_default();
            check_types(&texts_of(&line)?, &fields, header)?;
        }
    }
    let missing = (0..header.len()).filter(|i| !fields.contains(&Some(*i))).collect();
    let kinds = header.iter().map(|f| Kind::new(&f.ty, options.time_zone)).collect();
    let (header, skip_unknown) = (header.clone(), options.skip_unknown_fields);
    let as_texts = AS_TEXTS;
    let rows = JsonRows::<IS_COMPACT> { header, kinds, skip_unknown, as_texts, fields, missing };
    Ok((Arc::new(rows), buffer))
}

/// The strings of an array: a line of names or types.
fn texts_of(line: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut input = line;
    let mut read = || -> Parse<Vec<Vec<u8>>> {
        let mut texts = Vec::new();
        skip_space(&mut input);
        require(&mut input, b'[')?;
        skip_space(&mut input);
        while !take(&mut input, b']') {
            if !texts.is_empty() {
                require(&mut input, b',')?;
                skip_space(&mut input);
            }
            let mut text = Vec::new();
            string(&mut text, &mut input)?;
            texts.push(text);
            skip_space(&mut input);
        }
        Ok(texts)
    };
    let failed = |f: Box<crate::fault::Fault>| {
        Error::new(f.code, format!("{} (while reading header)", f.message))
    };
    read().map_err(failed)
}

/// Bits of [`Scan::state`]: in a string, behind a backslash, inside brackets around all rows;
/// above them the depth.
const IN_STRING: u32 = 1;
const ESCAPED: u32 = 2;
const DEPTH: u32 = 4;

/// Where rows end that are objects or, compact, arrays.
pub(crate) fn scan_rows<const IS_COMPACT: bool>(data: &[u8], scan: &mut Scan) {
    let (open, close) = if IS_COMPACT { (b'[', b']') } else { (b'{', b'}') };
    let mut state = scan.state;
    for (i, &b) in data[scan.at..].iter().enumerate() {
        if state & ESCAPED != 0 {
            state &= !ESCAPED;
        } else if state & IN_STRING != 0 {
            match b {
                b'"' => state &= !IN_STRING,
                b'\\' => state |= ESCAPED,
                _ => {}
            }
        } else if b == b'"' {
            state |= IN_STRING;
        } else if b == open {
            state = state.saturating_add(DEPTH);
        } else if b == close {
            state = state.saturating_sub(DEPTH);
            if state < DEPTH {
                scan.whole = scan.at + i + 1;
            }
        }
    }
    scan.state = state;
    scan.at = data.len();
}

/// Passes over what stands before a row: a comma, and brackets around all of them. Answers whether
/// there is a row.
pub(crate) fn begins<const IS_COMPACT: bool>(input: &mut &[u8], row: u64) -> bool {
    skip_space(input);
    if !IS_COMPACT && row == 0 && take(input, b'[') {
        skip_space(input);
    }
    if row > 0 && take(input, b',') {
        skip_space(input);
    }
    if !IS_COMPACT && matches!(input.first(), Some(b']')) {
        *input = &input[1..];
        skip_space(input);
    }
    if matches!(input.first(), Some(b';')) {
        *input = &[];
    }
    !input.is_empty()
}

impl<const IS_COMPACT: bool> RowParser for JsonRows<IS_COMPACT> {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        scan_rows::<IS_COMPACT>(data, scan);
    }

    fn row(&self, input: &mut &[u8], builders: &mut [ColumnBuilder], row: u64) -> Result<bool> {
        if !begins::<IS_COMPACT>(input, row) {
            return Ok(false);
        }
        let read =
            if IS_COMPACT { self.array(input, builders) } else { self.object(input, builders) };
        if let Err(fault) = read {
            let place = Place { row, column: None, from_value: input, rest: input };
            return Err(fault.into_error(&place));
        }
        Ok(true)
    }
}

impl<const IS_COMPACT: bool> JsonRows<IS_COMPACT> {
    fn array(&self, input: &mut &[u8], builders: &mut [ColumnBuilder]) -> Parse {
        require(input, b'[')?;
        for (i, field) in self.fields.iter().enumerate() {
            skip_space(input);
            if i > 0 {
                require(input, b',')?;
                skip_space(input);
            }
            match field {
                Some(column) => self.value(*column, &mut builders[*column], input)?,
                None => skip_value(input, 0)?,
            }
        }
        for column in &self.missing {
            builders[*column].push_default();
        }
        skip_space(input);
        require(input, b']')
    }

    /// Reads a value of the header's column `i`.
    fn value(&self, i: usize, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
        let kind = &self.kinds[i];
        let read = match self.as_texts {
            true => value::read_text(kind, builder, input),
            false => read_value(kind, builder, input, 0),
        };
        in_key(read, &self.header[i].name)
    }

    fn object(&self, input: &mut &[u8], builders: &mut [ColumnBuilder]) -> Parse {
        let rows = builders.first().map_or(0, |_| target(builders));
        require(input, b'{')?;
        let mut next = 0;
        let mut is_first = true;
        loop {
            skip_space(input);
            if is_first && take(input, b'}') {
                break;
            }
            is_first = false;
            let at = *input;
            let found = self.key(input, next)?;
            skip_space(input);
            require(input, b':')?;
            skip_space(input);
            match found {
                Some(i) => {
                    next = i + 1;
                    let builder = &mut builders[i];
                    let name = &self.header[i].name;
                    if builder.len() > rows {
                        let message = format!(
                            "Duplicate field found while parsing JSONEachRow format: {name}"
                        );
                        return fault(codes::INCORRECT_DATA, message);
                    }
                    self.value(i, builder, input)?;
                }
                None if self.skip_unknown => skip_value(input, 0)?,
                None => {
                    let mut name = Vec::new();
                    let _ = string(&mut name, &mut &at[..]);
                    let name = String::from_utf8_lossy(&name);
                    let message =
                        format!("Unknown field found while parsing JSONEachRow format: {name}");
                    return fault(codes::INCORRECT_DATA, message);
                }
            }
            skip_space(input);
            if take(input, b'}') {
                break;
            }
            if input.is_empty() {
                let message = "Unexpected end of stream while parsing JSONEachRow format";
                return fault(codes::CANNOT_READ_ALL_DATA, message);
            }
            require(input, b',')?;
        }
        for builder in builders {
            if builder.len() == rows {
                builder.push_default();
            }
        }
        Ok(())
    }

    /// Reads a key: most rows have the columns in the header's order.
    fn key(&self, input: &mut &[u8], guess: usize) -> Parse<Option<usize>> {
        if let Some(field) = self.header.get(guess) {
            let len = field.name.len();
            if let Some([b'"', rest @ ..]) = input.get(..len + 2)
                && rest.ends_with(b"\"")
                && rest[..len] == *field.name.as_bytes()
                && !rest[..len].contains(&b'\\')
            {
                *input = &input[len + 2..];
                return Ok(Some(guess));
            }
        }
        let mut name = Vec::new();
        string(&mut name, input)?;
        Ok(std::str::from_utf8(&name).ok().and_then(|name| self.header.position(name)))
    }
}

/// Rows that all columns have: the row that is being read may be there in some of them.
fn target(builders: &[ColumnBuilder]) -> usize {
    builders.iter().map(ColumnBuilder::len).min().unwrap_or(0)
}

/// Says in which key a value was bad.
fn in_key(read: Parse, name: &str) -> Parse {
    read.map_err(|mut fault| {
        fault.message = format!("{}: (while reading the value of key {name})", fault.message);
        fault
    })
}

#[cfg(test)]
mod tests;
