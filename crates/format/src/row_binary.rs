//! RowBinary: values one after the other, without separators; with names, with names and types, and
//! (only for input) with a flag before each value that asks for the default.

use std::sync::Arc;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Field, Header};
use entasis_types::DataType;

use crate::fault::{Fault, Parse, fault};
use crate::infer::cannot;
use crate::registry::{FormatDef, RowSource};
use crate::rows::{RowBuffer, RowBuilders, RowParser, Scan};
use crate::tsv::{check_types, match_names};
use crate::wire::{Wire, read_row, skip_row, write_rows};
use crate::{FormatOptions, OutputFormat};

/// What comes before the rows: nothing, names, names and types.
const PLAIN: u8 = 0;
const NAMES: u8 = 1;
const TYPES: u8 = 2;

/// Longest name of a column or type in a header.
const MAX_NAME: u64 = 1 << 20;

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef {
        write: Some(writer::<PLAIN>),
        rows: Some(rows::<PLAIN, false>),
        ..FormatDef::new("RowBinary")
    },
    FormatDef {
        write: Some(writer::<NAMES>),
        rows: Some(rows::<NAMES, false>),
        ..FormatDef::new("RowBinaryWithNames")
    },
    FormatDef {
        write: Some(writer::<TYPES>),
        rows: Some(rows::<TYPES, false>),
        infer: Some(infer),
        ..FormatDef::new("RowBinaryWithNamesAndTypes")
    },
    FormatDef { rows: Some(rows::<PLAIN, true>), ..FormatDef::new("RowBinaryWithDefaults") },
];

struct RowBinaryWriter<const LINES: u8> {
    header: Header,
    wires: Vec<Wire>,
}

fn writer<const LINES: u8>(
    header: &Header,
    _options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let wires = header.iter().map(|f| Wire::new(&f.ty)).collect();
    Ok(Box::new(RowBinaryWriter::<LINES> { header: header.clone(), wires }))
}

/// Appends a name with its length.
pub(crate) fn write_name(name: &str, out: &mut Vec<u8>) {
    write_varint(out, name.len() as u64);
    out.extend_from_slice(name.as_bytes());
}

impl<const LINES: u8> OutputFormat for RowBinaryWriter<LINES> {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if LINES >= NAMES {
            write_varint(out, self.header.len() as u64);
            self.header.iter().for_each(|f| write_name(&f.name, out));
        }
        if LINES >= TYPES {
            self.header.iter().for_each(|f| write_name(&f.ty.to_string(), out));
        }
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let columns: Vec<Column> = chunk.columns.iter().map(Column::full).collect();
        for row in 0..chunk.rows {
            for (wire, column) in self.wires.iter().zip(&columns) {
                write_rows(wire, column, row..row + 1, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// One column of the stream.
struct StreamColumn {
    wire: Wire,
    /// The header's column, or none for one that is skipped.
    column: Option<usize>,
}

/// Reads rows; `HAS_FLAGS`: a byte before each value says whether the default stands for it.
struct BinaryRows<const HAS_FLAGS: bool> {
    header: Header,
    stored: Vec<StreamColumn>,
    /// Columns that the stream does not have.
    missing: Vec<usize>,
    /// Bytes of every row, if all have the same number.
    width: Option<usize>,
}

fn rows<const LINES: u8, const HAS_FLAGS: bool>(
    header: &Header,
    mut buffer: RowBuffer,
    options: &FormatOptions,
) -> Result<RowSource> {
    let mut fields: Vec<Option<usize>> = (0..header.len()).map(Some).collect();
    let mut types: Vec<Option<DataType>> = header.iter().map(|f| Some(f.ty.clone())).collect();
    if LINES >= NAMES && !buffer.is_at_end()? {
        let count = take_varint(&mut buffer)?;
        let names = take_names(&mut buffer, count)?;
        fields = match_names(&names, header, options)?;
        types = fields.iter().map(|f| f.map(|i| header[i].ty.clone())).collect();
        if LINES >= TYPES {
            let texts = take_names(&mut buffer, count)?;
            check_types(&texts, &fields, header)?;
            for (ty, text) in types.iter_mut().zip(&texts).filter(|(ty, _)| ty.is_none()) {
                *ty = Some(DataType::parse(&String::from_utf8_lossy(text))?);
            }
        } else if fields.contains(&None) {
            let message =
                "Cannot skip unknown field in RowBinary format, because its type is unknown";
            return Err(Error::new(codes::CANNOT_SKIP_UNKNOWN_FIELD, message));
        }
    }
    let stored = |(ty, column): (Option<DataType>, Option<usize>)| {
        let ty = ty.unwrap_or(DataType::Nothing);
        let wire = Wire::with_states(&ty, options.states.as_ref());
        StreamColumn { wire, column }
    };
    let missing = (0..header.len()).filter(|i| !fields.contains(&Some(*i))).collect();
    let stored: Vec<StreamColumn> = types.into_iter().zip(fields).map(stored).collect();
    let width: Option<usize> = stored.iter().map(|s| s.wire.width()).sum();
    let width = width.filter(|w| *w > 0 && !HAS_FLAGS);
    let header = header.clone();
    Ok((Arc::new(BinaryRows::<HAS_FLAGS> { header, stored, missing, width }), buffer))
}

fn take_varint(buffer: &mut RowBuffer) -> Result<u64> {
    let mut bytes = Vec::new();
    while bytes.len() < 10 && bytes.last().is_none_or(|b| *b >= 0x80) {
        bytes.append(&mut buffer.take_bytes(1)?);
    }
    entasis_base::varint::read_varint(&mut bytes.as_slice())
}

/// `count` strings with their lengths.
fn take_names(buffer: &mut RowBuffer, count: u64) -> Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for _ in 0..count {
        let len = take_varint(buffer)?;
        if len > MAX_NAME {
            let message =
                format!("Too large name of a column: {len} bytes. The maximum is: {MAX_NAME}");
            return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
        }
        names.push(buffer.take_bytes(len as usize)?);
    }
    Ok(names)
}

impl<const HAS_FLAGS: bool> BinaryRows<HAS_FLAGS> {
    /// Passes over a row.
    fn skip(&self, input: &mut &[u8]) -> Parse {
        let before = input.len();
        for stored in &self.stored {
            if !take_flag::<HAS_FLAGS>(input)? {
                skip_row(&stored.wire, input)?;
            }
        }
        if input.len() == before { no_bytes() } else { Ok(()) }
    }

    fn read(&self, input: &mut &[u8], out: &mut RowBuilders, at: &mut usize) -> Parse {
        let before = input.len();
        for (i, stored) in self.stored.iter().enumerate() {
            *at = i;
            let is_default = take_flag::<HAS_FLAGS>(input)?;
            match stored.column {
                Some(column) if is_default => out.omit(column),
                Some(column) => read_row(&stored.wire, &mut out.columns[column], input)?,
                None if is_default => {}
                None => skip_row(&stored.wire, input)?,
            }
        }
        if input.len() == before { no_bytes() } else { Ok(()) }
    }
}

#[inline]
fn take_flag<const HAS_FLAGS: bool>(input: &mut &[u8]) -> Parse<bool> {
    Ok(HAS_FLAGS && crate::wire::take(input, 1)? != [0])
}

#[cold]
fn no_bytes() -> Parse {
    let message = "The columns take no bytes, so that their rows cannot be counted";
    fault(codes::INCORRECT_DATA, message)
}

impl<const HAS_FLAGS: bool> RowParser for BinaryRows<HAS_FLAGS> {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        let rest = data.len() - scan.whole;
        scan.at = data.len();
        if let Some(width) = self.width {
            scan.rows += (rest / width) as u64;
            scan.whole = data.len() - rest % width;
            return;
        }
        // A row that was cut is looked at again only once twice as much is there.
        if rest < scan.state as usize {
            return;
        }
        let mut input = &data[scan.whole..];
        while !input.is_empty() {
            match self.skip(&mut input) {
                Ok(()) => {
                    scan.rows += 1;
                    scan.whole = data.len() - input.len();
                }
                Err(fault) if is_cut(&fault) => break,
                Err(_) => {
                    scan.whole = data.len(); // reading it will say what is wrong
                    break;
                }
            }
        }
        let rest = data.len() - scan.whole;
        scan.state = u32::try_from(2 * rest).unwrap_or(u32::MAX);
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        let whole = *input;
        let mut at = 0;
        if let Err(fault) = self.read(input, out, &mut at) {
            return Err(self.explain(*fault, whole, input, row, at));
        }
        for column in &self.missing {
            out.omit(*column);
        }
        Ok(true)
    }

    fn first_row(&self, input: &[u8]) -> usize {
        let mut rest = input;
        let _ = self.skip(&mut rest);
        input.len() - rest.len()
    }
}

/// Whether more bytes may help.
fn is_cut(fault: &Fault) -> bool {
    [codes::CANNOT_READ_ALL_DATA, codes::ATTEMPT_TO_READ_AFTER_EOF].contains(&fault.code)
}

impl<const HAS_FLAGS: bool> BinaryRows<HAS_FLAGS> {
    #[cold]
    fn explain(&self, fault: Fault, whole: &[u8], rest: &[u8], row: u64, at: usize) -> Error {
        let name = self.stored.get(at).and_then(|s| s.column).map(|i| &self.header[i]);
        let column = match name {
            Some(Field { name, ty }) => format!("name: {name}, type: {ty}"),
            None => "which is skipped".to_owned(),
        };
        let bytes: Vec<String> = rest.iter().take(16).map(|b| format!("{b:02X}")).collect();
        let message = format!(
            "{}: (at row {})\nColumn {at}, {column}: byte {} of the row, before: {}",
            fault.message,
            row + 1,
            whole.len() - rest.len(),
            if bytes.is_empty() { "end of data".to_owned() } else { bytes.join(" ") }
        );
        Error::new(fault.code, message)
    }
}

/// The header of RowBinaryWithNamesAndTypes.
fn infer(sample: &[u8], _complete: bool, _options: &FormatOptions) -> Result<Header> {
    let failed = |e: Error| cannot("RowBinaryWithNamesAndTypes", &e.to_string());
    let mut buffer = RowBuffer::new(Box::new(std::io::Cursor::new(sample.to_vec())));
    let mut fields = || -> Result<Vec<Field>> {
        let count = take_varint(&mut buffer)?;
        let names = take_names(&mut buffer, count)?;
        let types = take_names(&mut buffer, count)?;
        let field = |(name, ty): (&Vec<u8>, &Vec<u8>)| {
            let ty = DataType::parse(&String::from_utf8_lossy(ty))?;
            Ok(Field::new(String::from_utf8_lossy(name), ty))
        };
        names.iter().zip(&types).map(field).collect()
    };
    fields().map(Header::new).map_err(failed)
}

#[cfg(test)]
mod tests;
