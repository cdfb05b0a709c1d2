//! JSONEachRow and JSONCompactEachRow as input: objects or arrays one after the other, with or
//! without commas, line ends and brackets around them.

mod infer;
mod value;
mod variant;

pub(crate) use infer::{guess as guess_value, infer, merge_json};
pub(crate) use value::{Nest, read_value, skip_value, string};

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{ColumnBuilder, Header};

use crate::fault::{FaultPosition, Parse, fault};
use crate::field::FieldKind;
use crate::quoted::{require, skip_space, take};
use crate::registry::RowSource;
use crate::rows::{RowBuffer, RowBuilders, RowParser, Scan};
use crate::tsv::{check_types, match_names};
use crate::{FormatOptions, JsonInput};

struct JsonRows<const IS_COMPACT: bool> {
    header: Header,
    kinds: Vec<FieldKind>,
    skip_unknown: bool,
    null_as_default: bool,
    /// Values are texts.
    as_texts: bool,
    json: JsonInput,
    /// The header's column of each value of an array, or none for one that is skipped.
    fields: Vec<Option<usize>>,
    /// Columns that arrays do not have.
    missing: Vec<usize>,
    /// Groups of columns that objects stand for: `n` for `n.a`. None without
    /// `input_format_import_nested_json`.
    groups: Vec<String>,
}

pub(crate) fn rows<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8>(
    header: &Header,
    mut buffer: RowBuffer,
    options: &FormatOptions,
) -> Result<RowSource> {
    let mut fields: Vec<Option<usize>> = (0..header.len()).map(Some).collect();
    if LINES > 0
        && let Some(names) = take_texts(&mut buffer)?
    {
        fields = match_names(&names, header, options)?;
        if LINES > 1 {
            check_types(&take_texts(&mut buffer)?.unwrap_or_default(), &fields, header)?;
        }
    }
    let missing = (0..header.len()).filter(|i| !fields.contains(&Some(*i))).collect();
    let kinds = header.iter().map(|f| FieldKind::new(&f.ty, options)).collect();
    let rows = JsonRows::<IS_COMPACT> {
        header: header.clone(),
        kinds,
        skip_unknown: options.skip_unknown_fields,
        null_as_default: options.null_as_default,
        as_texts: AS_TEXTS,
        json: options.json_input,
        fields,
        missing,
        groups: if options.json_input.import_nested { groups_of(header) } else { Vec::new() },
    };
    Ok((Arc::new(rows), buffer))
}

/// What stands before the first dot in the names of columns.
fn groups_of(header: &Header) -> Vec<String> {
    let groups = header.iter().filter_map(|field| field.name.split_once('.'));
    groups.map(|(group, _)| group.to_string()).collect()
}

/// Takes an array of names or types; `None` at the end of the stream. Rows may follow on its line.
fn take_texts(buffer: &mut RowBuffer) -> Result<Option<Vec<Vec<u8>>>> {
    let Some(line) = buffer.peek_line()? else { return Ok(None) };
    let mut input = line;
    let texts = texts_of(&mut input)?;
    skip_space(&mut input);
    let len = line.len() - input.len();
    buffer.take_bytes(len)?;
    Ok(Some(texts))
}

/// The strings of an array.
fn texts_of(input: &mut &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut read = || -> Parse<Vec<Vec<u8>>> {
        let mut texts = Vec::new();
        skip_space(input);
        require(input, b'[')?;
        skip_space(input);
        while !take(input, b']') {
            if !texts.is_empty() {
                require(input, b',')?;
                skip_space(input);
            }
            let mut text = Vec::new();
            string(&mut text, input)?;
            texts.push(text);
            skip_space(input);
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

    /// A row ends behind its bracket, before its line does.
    fn first_row(&self, input: &[u8]) -> usize {
        let mut rest = input;
        skip_space(&mut rest);
        let start = input.len() - rest.len();
        start + memchr::memchr(b'\n', rest).map_or(rest.len(), |n| n + 1)
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        if !begins::<IS_COMPACT>(input, row) {
            return Ok(false);
        }
        let read = if IS_COMPACT { self.array(input, out) } else { self.object(input, out) };
        if let Err(fault) = read {
            let place = FaultPosition { row, column: None, from_value: input, rest: input };
            return Err(fault.into_error(&place));
        }
        Ok(true)
    }
}

impl<const IS_COMPACT: bool> JsonRows<IS_COMPACT> {
    fn array(&self, input: &mut &[u8], out: &mut RowBuilders) -> Parse {
        require(input, b'[')?;
        for (i, field) in self.fields.iter().enumerate() {
            skip_space(input);
            if self.json.variable_columns && input.first() == Some(&b']') {
                self.fields[i..].iter().flatten().for_each(|column| out.omit(*column));
                break;
            }
            if i > 0 {
                require(input, b',')?;
                skip_space(input);
            }
            match field {
                Some(column) => self.value(*column, out, input)?,
                None => skip_value(input, 0)?,
            }
        }
        for column in &self.missing {
            out.omit(*column);
        }
        skip_space(input);
        while self.json.variable_columns && take(input, b',') {
            skip_space(input);
            skip_value(input, 0)?;
            skip_space(input);
        }
        require(input, b']')
    }

    /// Reads a value of the header's column `i`.
    fn value(&self, i: usize, out: &mut RowBuilders, input: &mut &[u8]) -> Parse {
        let (kind, builder) = (&self.kinds[i], &mut out.columns[i]);
        let read = match self.as_texts {
            true => value::read_text(kind, builder, input),
            false => read_value(kind, builder, input, Nest::new(self.json)),
        };
        let noted = read.and_then(|got| out.note(i, got, self.null_as_default));
        in_key(noted, &self.header[i].name)
    }

    fn object(&self, input: &mut &[u8], out: &mut RowBuilders) -> Parse {
        let rows = out.columns.iter().map(ColumnBuilder::len).min().unwrap_or(0);
        self.members(input, out, rows, "")?;
        out.omit_rest(rows);
        Ok(())
    }

    /// Reads the members of an object that stands for the columns of a group, or of the row if the
    /// group has no name.
    fn members(&self, input: &mut &[u8], out: &mut RowBuilders, rows: usize, group: &str) -> Parse {
        require(input, b'{')?;
        let mut next = 0;
        let mut is_first = true;
        loop {
            skip_space(input);
            if is_first && take(input, b'}') {
                break;
            }
            is_first = false;
            let found = self.key(input, next, group)?;
            skip_space(input);
            require(input, b':')?;
            skip_space(input);
            match found {
                Key::Column(i) if out.columns[i].len() == rows => {
                    next = i + 1;
                    self.value(i, out, input)?;
                }
                // As in the reference, the first value of a key within a group stays.
                Key::Column(_) if !group.is_empty() => skip_value(input, 0)?,
                Key::Column(i) => {
                    let name = &self.header[i].name;
                    let message =
                        format!("Duplicate field found while parsing JSONEachRow format: {name}");
                    return fault(codes::INCORRECT_DATA, message);
                }
                Key::Other(name) => {
                    let mut groups = self.groups.iter().filter(|_| group.is_empty());
                    if let Some(group) = groups.find(|group| group.as_bytes() == name) {
                        self.members(input, out, rows, group)?;
                    } else if self.skip_unknown {
                        skip_value(input, 0)?;
                    } else {
                        return fault(codes::INCORRECT_DATA, unknown(&name));
                    }
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
        Ok(())
    }

    /// Reads a key of an object that stands for a group: most rows have the columns in the header's
    /// order.
    fn key(&self, input: &mut &[u8], guess: usize, group: &str) -> Parse<Key> {
        if let Some(field) = self.header.get(guess).filter(|_| group.is_empty()) {
            let len = field.name.len();
            if let Some([b'"', rest @ ..]) = input.get(..len + 2)
                && rest.ends_with(b"\"")
                && rest[..len] == *field.name.as_bytes()
                && !rest[..len].contains(&b'\\')
            {
                *input = &input[len + 2..];
                return Ok(Key::Column(guess));
            }
        }
        let mut name = group.as_bytes().to_vec();
        if !group.is_empty() {
            name.push(b'.');
        }
        string(&mut name, input)?;
        let column = std::str::from_utf8(&name).ok().and_then(|name| self.header.position(name));
        Ok(column.map_or(Key::Other(name), Key::Column))
    }
}

/// What a key of an object names.
enum Key {
    /// A column of the header.
    Column(usize),
    /// Anything else.
    Other(Vec<u8>),
}

#[cold]
fn unknown(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    format!("Unknown field found while parsing JSONEachRow format: {name}")
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
