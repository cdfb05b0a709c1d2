//! Markdown: a table for documents.

use entasis_base::Result;
use entasis_column::{Chunk, Header};

use crate::cell::{Escaped, FullChunk, aligned_right};
use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] = &[FormatDef {
    aliases: &["MD"],
    extensions: &["md"],
    write: Some(writer),
    ..FormatDef::new("Markdown")
}];

struct MarkdownWriter {
    header: Header,
    options: FormatOptions,
}

fn writer(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    Ok(Box::new(MarkdownWriter { header: header.clone(), options: options.clone() }))
}

/// Writes a text anew from `at`, with a backslash before each mark of punctuation.
fn escape_from(out: &mut Vec<u8>, at: usize, text: &[u8]) {
    out.truncate(at);
    for &byte in text {
        if byte.is_ascii_punctuation() && byte != b'\'' {
            out.push(b'\\');
        }
        out.push(byte);
    }
}

impl OutputFormat for MarkdownWriter {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.push(b'|');
        for field in self.header.iter() {
            out.push(b' ');
            out.extend_from_slice(field.name.as_bytes());
            out.extend_from_slice(b" |");
        }
        out.extend_from_slice(b"\n|");
        for field in self.header.iter() {
            out.extend_from_slice(if aligned_right(&field.ty) { b"-:|" } else { b":-|" });
        }
        out.push(b'\n');
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        for row in 0..chunk.rows {
            out.push(b'|');
            for cell in &cells {
                out.push(b' ');
                let at = out.len();
                cell.write::<Escaped>(row, out);
                if self.options.text.markdown_escape && cell.text(row).is_some() {
                    escape_from(out, at, cell.text(row).unwrap_or_default());
                }
                out.extend_from_slice(b" |");
            }
            out.push(b'\n');
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
