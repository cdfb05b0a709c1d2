//! XML and SQLInsert: documents for other programs.

use std::io::Write;

use entasis_base::Result;
use entasis_column::{Chunk, Header};

use crate::cell::{Cell, FullChunk, Quoted, Style};
use crate::escape::valid_utf8;
use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat, SqlInsert, StatisticsSource, TotalsAndExtremes};

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef { extensions: &["xml"], write: Some(xml), ..FormatDef::new("XML") },
    FormatDef { extensions: &["sql"], write: Some(insert), ..FormatDef::new("SQLInsert") },
];

/// Text between tags.
struct Tagged;

impl Style for Tagged {
    const NULL: &'static [u8] = b"\\N";
    const DATE_QUOTE: &'static [u8] = b"";
    const BOOL_WORDS: bool = false;
    fn string(out: &mut Vec<u8>, text: &[u8]) {
        for byte in valid_utf8(text) {
            match byte {
                b'<' => out.extend_from_slice(b"&lt;"),
                b'&' => out.extend_from_slice(b"&amp;"),
                byte => out.push(byte),
            }
        }
    }
}

struct XmlWriter {
    header: Header,
    options: FormatOptions,
    rows: u64,
    /// The rows' element has been ended, for what stands beside it.
    ended: bool,
    before_limit: Option<u64>,
}

fn xml(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(XmlWriter { header, options, rows: 0, ended: false, before_limit: None }))
}

impl XmlWriter {
    /// Appends a row's values within an element.
    fn write_row(
        &self,
        cells: &[Cell<'_>],
        row: usize,
        name: &str,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let indent = &"\t\t\t"[..depth];
        let _ = writeln!(out, "{indent}<{name}>");
        for (cell, field) in cells.iter().zip(self.header.iter()) {
            let tag = tag(&field.name);
            let _ = write!(out, "{indent}\t<{tag}>");
            write_value(cell, row, out);
            let _ = writeln!(out, "</{tag}>");
        }
        let _ = writeln!(out, "{indent}</{name}>");
    }

    fn end_rows(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.ended, true) {
            out.extend_from_slice(b"\t</data>\n");
        }
    }
}

/// The tag of a column's values: its name, where that can be a tag.
fn tag(name: &str) -> &str {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let first = name.bytes().next().is_some_and(|b| is_word(b) && !b.is_ascii_digit());
    let is_fit = first && name.bytes().all(|b| is_word(b) || b == b'-' || b == b'.');
    if is_fit { name } else { "field" }
}

fn write_element(cell: &Cell<'_>, row: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<elem>");
    write_value(cell, row, out);
    out.extend_from_slice(b"</elem>");
}

fn write_value(cell: &Cell<'_>, row: usize, out: &mut Vec<u8>) {
    match cell {
        Cell::Variant(..) => match cell.alternative(row) {
            Some((cell, row)) => write_value(cell, row, out),
            None => out.extend_from_slice(Tagged::NULL),
        },
        Cell::Nullable(bits, inner) if bits.get(row) => write_value(inner, row, out),
        Cell::Array(offsets, inner) => {
            out.extend_from_slice(b"<array>");
            (offsets[row]..offsets[row + 1]).for_each(|k| write_element(inner, k as usize, out));
            out.extend_from_slice(b"</array>");
        }
        Cell::Tuple(cells, _) => {
            out.extend_from_slice(b"<tuple>");
            cells.iter().for_each(|cell| write_element(cell, row, out));
            out.extend_from_slice(b"</tuple>");
        }
        Cell::Map(offsets, keys, values) => {
            out.extend_from_slice(b"<map>");
            for k in offsets[row] as usize..offsets[row + 1] as usize {
                out.extend_from_slice(b"<elem><key>");
                write_value(keys, k, out);
                out.extend_from_slice(b"</key><value>");
                write_value(values, k, out);
                out.extend_from_slice(b"</value></elem>");
            }
            out.extend_from_slice(b"</map>");
        }
        plain => plain.write::<Tagged>(row, out),
    }
}

impl OutputFormat for XmlWriter {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"<?xml version='1.0' encoding='UTF-8' ?>\n<result>\n");
        out.extend_from_slice(b"\t<meta>\n\t\t<columns>\n");
        for field in self.header.iter() {
            out.extend_from_slice(b"\t\t\t<column>\n\t\t\t\t<name>");
            Tagged::string(out, field.name.as_bytes());
            out.extend_from_slice(b"</name>\n\t\t\t\t<type>");
            Tagged::string(out, field.ty.to_string().as_bytes());
            out.extend_from_slice(b"</type>\n\t\t\t</column>\n");
        }
        out.extend_from_slice(b"\t\t</columns>\n\t</meta>\n\t<data>\n");
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        for row in 0..chunk.rows {
            self.write_row(&cells, row, "row", 2, out);
        }
        self.rows += chunk.rows as u64;
        Ok(())
    }

    fn totals_and_extremes(
        &mut self,
        what: TotalsAndExtremes,
        chunk: &Chunk,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.end_rows(out);
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        if what == TotalsAndExtremes::Totals {
            self.write_row(&cells, 0, "totals", 1, out);
            return Ok(());
        }
        out.extend_from_slice(b"\t<extremes>\n");
        self.write_row(&cells, 0, "min", 2, out);
        self.write_row(&cells, 1, "max", 2, out);
        out.extend_from_slice(b"\t</extremes>\n");
        Ok(())
    }

    fn rows_before_limit(&mut self, rows: u64) {
        self.before_limit = Some(rows);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.end_rows(out);
        let _ = writeln!(out, "\t<rows>{}</rows>", self.rows);
        if let Some(rows) = self.before_limit {
            let name = "rows_before_limit_at_least";
            let _ = writeln!(out, "\t<{name}>{rows}</{name}>");
        }
        if let Some(statistics) = self.options.statistics.as_ref().map(StatisticsSource::get) {
            let mut elapsed = Vec::new();
            entasis_types::text::write_f64(&mut elapsed, statistics.elapsed);
            let _ = writeln!(
                out,
                "\t<statistics>\n\t\t<elapsed>{}</elapsed>\n\t\t<rows_read>{}</rows_read>\n\t\t\
                 <bytes_read>{}</bytes_read>\n\t</statistics>",
                String::from_utf8_lossy(&elapsed),
                statistics.rows_read,
                statistics.bytes_read
            );
        }
        out.extend_from_slice(b"</result>\n");
        Ok(())
    }
}

struct InsertWriter {
    header: Header,
    options: FormatOptions,
    rows: usize,
}

fn insert(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    Ok(Box::new(InsertWriter { header: header.clone(), options: options.clone(), rows: 0 }))
}

impl InsertWriter {
    /// What stands before the first row of a statement.
    fn head(&self) -> String {
        let SqlInsert { table, columns, quoted, replace, .. } = &self.options.text.sql_insert;
        let verb = if *replace { "REPLACE" } else { "INSERT" };
        if !columns {
            return format!("{verb} INTO {table} VALUES (");
        }
        let name = |name: &str| match quoted {
            true => format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
            false => name.to_string(),
        };
        let names: Vec<String> = self.header.iter().map(|f| name(&f.name)).collect();
        format!("{verb} INTO {table} ({}) VALUES (", names.join(", "))
    }
}

impl OutputFormat for InsertWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let head = self.head();
        let batch = self.options.text.sql_insert.batch.max(1);
        for row in 0..chunk.rows {
            if self.rows % batch > 0 {
                out.extend_from_slice(b", (");
            } else {
                out.extend_from_slice(if self.rows > 0 { b";\n" } else { b"" });
                out.extend_from_slice(head.as_bytes());
            }
            self.rows += 1;
            for (i, cell) in cells.iter().enumerate() {
                out.extend_from_slice(if i > 0 { b", " } else { b"" });
                cell.write::<Quoted>(row, out);
            }
            out.push(b')');
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b";\n");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::convert;

    #[test]
    fn values_between_tags_and_in_statements() {
        let columns = "n UInt8, `no tag` Array(Tuple(UInt8, String)), m Map(String, UInt8)";
        let rows = b"1\t[(1,'a<b')]\t{'k':1}\n2\t[]\t{}\n";
        let xml = String::from_utf8(convert("TSV", "XML", columns, rows).unwrap()).unwrap();
        assert!(xml.contains(
            "\t\t<row>\n\t\t\t<n>1</n>\n\t\t\t<field><array><elem><tuple><elem>1</elem><elem>a&lt;b\
             </elem></tuple></elem></array></field>\n\t\t\t<m><map><elem><key>k</key><value>1\
             </value></elem></map></m>\n\t\t</row>\n"
        ));
        assert!(xml.ends_with("\t</data>\n\t<rows>2</rows>\n</result>\n"));
        let insert =
            convert("TSV", "SQLInsert", "a UInt8, `b c` Nullable(String)", b"1\t\\N\n2\tx\n");
        let want = "INSERT INTO table (`a`, `b c`) VALUES (1, NULL), (2, 'x');\n";
        assert_eq!(String::from_utf8(insert.unwrap()).unwrap(), want);
        assert_eq!(convert("TSV", "SQLInsert", "a UInt8", b"").unwrap(), b";\n");
    }
}
