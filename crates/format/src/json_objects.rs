//! PrettyJSONEachRow and JSONObjectEachRow: rows as indented objects, and as members of one object.

use std::io::{Cursor, Read, Write};

use entasis_base::Result;
use entasis_column::{Chunk, Header};

use crate::cell::FullChunk;
use crate::json::{Layout, json_name};
use crate::json_document::rows_of_object;
use crate::registry::FormatDef;
use crate::rows::{RowBuffer, RowStream};
use crate::{FormatOptions, InputFormat, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef {
        aliases: &["PrettyJSONLines", "PrettyNDJSON"],
        write: Some(writer::<true>),
        ..FormatDef::new("PrettyJSONEachRow")
    },
    FormatDef {
        write: Some(writer::<false>),
        read: Some(reader),
        infer: Some(infer),
        ..FormatDef::new("JSONObjectEachRow")
    },
];

struct ObjectsWriter<const IS_PRETTY: bool> {
    header: Header,
    options: FormatOptions,
    rows: u64,
}

fn writer<const IS_PRETTY: bool>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(ObjectsWriter::<IS_PRETTY> { header, options, rows: 0 }))
}

impl<const IS_PRETTY: bool> OutputFormat for ObjectsWriter<IS_PRETTY> {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match IS_PRETTY {
            true if self.options.json.array_of_rows => out.extend_from_slice(b"[\n"),
            true => {}
            false => out.extend_from_slice(b"{\n"),
        }
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let layout =
            Layout { indent: IS_PRETTY.then_some("    "), ..Layout::new(&self.options, false) };
        let names = self.header.iter().map(|f| json_name(&f.name, layout.strings));
        let names: Vec<Vec<u8>> = names.collect();
        for row in 0..chunk.rows {
            self.rows += 1;
            if IS_PRETTY && self.options.json.array_of_rows && self.rows > 1 {
                out.extend_from_slice(b",\n");
            }
            if !IS_PRETTY {
                out.extend_from_slice(if self.rows > 1 { b",\n" } else { b"" });
                let _ = write!(out, "\t\"row_{}\": ", self.rows);
            }
            out.push(b'{');
            for (i, (cell, name)) in cells.iter().zip(&names).enumerate() {
                out.extend_from_slice(if i > 0 { b"," } else { b"" });
                layout.line(out, 1);
                out.extend_from_slice(name);
                out.extend_from_slice(if IS_PRETTY { b": " } else { b":" });
                layout.write(cell, row, 1, out);
            }
            layout.line(out, 0);
            let ends_line = IS_PRETTY && !self.options.json.array_of_rows;
            out.extend_from_slice(if ends_line { b"}\n" } else { b"}" });
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match IS_PRETTY {
            true if self.options.json.array_of_rows => out.extend_from_slice(b"\n]\n"),
            true => {}
            false => out.extend_from_slice(b"\n}\n"),
        }
        Ok(())
    }
}

fn reader(
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let buffer = RowBuffer::new(Box::new(Cursor::new(rows_of_object(reader)?)));
    let (parser, buffer) = crate::json_rows::rows::<false, false, 0>(header, buffer, options)?;
    Ok(Box::new(RowStream::new(parser, buffer, header)))
}

fn infer(sample: &[u8], complete: bool, options: &FormatOptions) -> Result<Header> {
    let rows = rows_of_object(Box::new(Cursor::new(sample.to_vec())))?;
    crate::json_rows::infer::<false, false, 0>(&rows, complete, options)
}

#[cfg(test)]
mod tests {
    use crate::testing::{convert, damage, read};

    #[test]
    fn members_are_rows() {
        let both = "a Int32, b String";
        let text = br#"{"r1":{"a":1,"b":"x"}, "r2" : {"a":2}}"#;
        assert_eq!(read("JSONObjectEachRow", both, text).as_deref(), Ok("1\tx\n2\t\n"));
        let out = convert("TSV", "JSONObjectEachRow", both, b"1\tx\n2\ty\n").unwrap();
        let want =
            "{\n\t\"row_1\": {\"a\":1,\"b\":\"x\"},\n\t\"row_2\": {\"a\":2,\"b\":\"y\"}\n}\n";
        assert_eq!(String::from_utf8(out).unwrap(), want);
        assert_eq!(convert("TSV", "JSONObjectEachRow", both, b"").unwrap(), b"{\n\n}\n");
        damage(text, |bytes| {
            let _ = read("JSONObjectEachRow", both, bytes);
        });
    }
}
