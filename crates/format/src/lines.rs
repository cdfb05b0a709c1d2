//! Rows that consist of one string: LineAsString, RawBLOB, JSONAsString.

use std::io::Read;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, ColumnBuilder, Field, Header, Strings};
use entasis_types::DataType;

use crate::counted::read_more;
use crate::fault::{FaultPosition, Parse, fault};
use crate::json_rows::{begins, scan_rows, skip_value};
use crate::registry::{FormatDef, RowSource};
use crate::rows::{RowBuffer, RowBuilders, RowParser, Scan};
use crate::wire::{Wire, write_plain};
use crate::{FormatOptions, InputFormat, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef {
        write: Some(crate::tsv::writer::<true, 0>),
        rows: Some(lines),
        infer: Some(infer::<0>),
        ..FormatDef::new("LineAsString")
    },
    FormatDef {
        write: Some(crate::tsv::writer::<true, 1>),
        ..FormatDef::new("LineAsStringWithNames")
    },
    FormatDef {
        write: Some(crate::tsv::writer::<true, 2>),
        ..FormatDef::new("LineAsStringWithNamesAndTypes")
    },
    FormatDef { rows: Some(objects), infer: Some(infer::<1>), ..FormatDef::new("JSONAsString") },
    FormatDef {
        write: Some(blob_writer),
        read: Some(blob),
        infer: Some(infer::<2>),
        ..FormatDef::new("RawBLOB")
    },
];

/// Fails unless the only column is a String.
fn check(header: &Header) -> Result<()> {
    match &header[..] {
        [Field { ty: DataType::String, .. }] => Ok(()),
        _ => {
            let message =
                "This input format is only suitable for tables with a single column of type String";
            Err(Error::new(codes::INCORRECT_QUERY, message))
        }
    }
}

/// What the one column is called.
const NAMES: [&str; 3] = ["line", "json", "raw_blob"];

fn infer<const NAME: usize>(
    _sample: &[u8],
    _complete: bool,
    _options: &FormatOptions,
) -> Result<Header> {
    Ok(Header::new(vec![Field::new(NAMES[NAME], DataType::String)]))
}

fn push(builders: &mut [ColumnBuilder], text: &[u8]) -> Parse {
    match builders {
        [ColumnBuilder::String(strings)] => {
            strings.push(text);
            Ok(())
        }
        _ => crate::field::mismatch(),
    }
}

/// Looks for the last line feed.
pub(crate) fn scan_lines(data: &[u8], scan: &mut Scan) {
    if let Some(at) = memchr::memrchr(b'\n', &data[scan.at..]) {
        scan.whole = scan.at + at + 1;
    }
    scan.at = data.len();
}

struct Lines;

fn lines(header: &Header, buffer: RowBuffer, _options: &FormatOptions) -> Result<RowSource> {
    check(header)?;
    Ok((Arc::new(Lines), buffer))
}

impl RowParser for Lines {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        scan_lines(data, scan);
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, _row: u64) -> Result<bool> {
        let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
        push(&mut out.columns, &input[..end])?;
        *input = &input[input.len().min(end + 1)..];
        Ok(true)
    }
}

/// Objects as their text.
struct Objects {
    header: Header,
}

fn objects(header: &Header, buffer: RowBuffer, _options: &FormatOptions) -> Result<RowSource> {
    check(header)?;
    Ok((Arc::new(Objects { header: header.clone() }), buffer))
}

impl RowParser for Objects {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        scan_rows::<false>(data, scan);
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        if !begins::<false>(input, row) {
            return Ok(false);
        }
        let whole = *input;
        let mut read = || {
            if input.first() != Some(&b'{') {
                return fault(codes::INCORRECT_DATA, "JSON object must begin with '{'");
            }
            skip_value(input, 0)?;
            push(&mut out.columns, &whole[..whole.len() - input.len()])
        };
        read().map_err(|fault| {
            let column = Some((0, &self.header[0]));
            fault.into_error(&FaultPosition { row, column, from_value: whole, rest: whole })
        })?;
        Ok(true)
    }
}

/// The whole input as one value.
struct Blob {
    reader: Option<Box<dyn Read + Send>>,
}

fn blob(
    header: &Header,
    reader: Box<dyn Read + Send>,
    _options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    check(header)?;
    Ok(Box::new(Blob { reader: Some(reader) }))
}

impl InputFormat for Blob {
    fn next(&mut self, _max_rows: usize) -> Result<Option<Chunk>> {
        let Some(reader) = self.reader.take() else { return Ok(None) };
        let mut bytes = Vec::new();
        read_more(reader, u64::from(u32::MAX) + 1, &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let Ok(len) = u32::try_from(bytes.len()) else {
            let message = "RawBLOB takes at most 4 GiB as one value";
            return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
        };
        let strings = Strings::new(vec![0, len].into(), bytes.into());
        Ok(Some(Chunk::new(vec![strings.into()], 1)))
    }
}

struct BlobWriter;

fn blob_writer(header: &Header, _options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    let is_plain = |ty: &DataType| ty.is_string() || ty.fixed_width().is_some();
    match header.iter().find(|f| !is_plain(f.ty.storage().without_nullable())) {
        None => Ok(Box::new(BlobWriter)),
        Some(field) => Err(Error::not_implemented(format!("Writing {} to RawBLOB", field.ty))),
    }
}

impl OutputFormat for BlobWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let columns: Vec<Column> = chunk.columns.iter().map(Column::full).collect();
        for row in 0..chunk.rows {
            // As states, that is without lengths.
            for column in columns.iter().filter(|c| !c.is_null(row)) {
                write_plain(&Wire::State(None), column.split_nullable().1, row..row + 1, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{convert, damage, read};

    #[test]
    fn lines_objects_and_blobs() {
        let text = "x String";
        let lines = read("LineAsString", text, b"a\tb\nc\\n\n\nd").unwrap();
        assert_eq!(lines, "a\\tb\nc\\\\n\n\nd\n");
        let objects = br#" {"a": 1} , {"b":"}"}{}"#;
        assert_eq!(read("JSONAsString", text, objects).unwrap(), "{\"a\": 1}\n{\"b\":\"}\"}\n{}\n");
        assert_eq!(read("JSONAsString", text, b"[{},{}]").as_deref(), Ok("{}\n{}\n"));
        for bad in [&b"[1]"[..], b"1", b"{\"a\":1"] {
            read("JSONAsString", text, bad).unwrap_err();
        }
        assert_eq!(read("RawBLOB", text, b"a\nb\t").as_deref(), Ok("a\\nb\\t\n"));
        assert_eq!(read("RawBLOB", text, b"").as_deref(), Ok(""));
        assert!(read("LineAsString", "x Int8", b"1").unwrap_err().starts_with("Code: 80."));
        let blob = convert("TSV", "RawBLOB", "x String, y UInt16", b"ab\t258\nc\t3\n").unwrap();
        assert_eq!(blob, b"ab\x02\x01c\x03\0");
        damage(objects, |bytes| {
            let _ = read("JSONAsString", text, bytes);
        });
    }
}
