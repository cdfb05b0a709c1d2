//! TSKV: TabSeparated with the column's name before each value.

use std::sync::Arc;

use entasis_base::{Result, codes};
use entasis_column::{Chunk, ColumnBuilder, Field, Header};

use crate::cell::{Escaped, FullChunk};
use crate::escape::{unescape, write_escaped};
use crate::fault::{FaultPosition, Parse, expected, fault};
use crate::field::{FieldKind, read_tsv};
use crate::infer::{Dialect, Effort, Guess, cannot, guess_text, merge, settled};
use crate::registry::{FormatDef, RowSource};
use crate::rows::{RowBuffer, RowBuilders, RowParser, Scan};
use crate::tsv::{plain_text, scan_lines, skip_field};
use crate::{FormatOptions, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] = &[FormatDef {
    extensions: &["tskv"],
    write: Some(writer),
    rows: Some(rows),
    infer: Some(infer),
    ..FormatDef::new("TSKV")
}];

struct TskvWriter {
    header: Header,
    options: FormatOptions,
    /// Names with what follows them.
    names: Vec<Vec<u8>>,
}

fn writer(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    let name = |field: &Field| {
        let mut out = Vec::new();
        write_escaped(&mut out, field.name.as_bytes());
        let mut name: Vec<u8> = out.iter().flat_map(|b| escaped(*b)).collect();
        name.push(b'=');
        name
    };
    let names = header.iter().map(name).collect();
    Ok(Box::new(TskvWriter { header: header.clone(), options: options.clone(), names }))
}

/// A byte of a name, where `=` would end it.
fn escaped(b: u8) -> impl Iterator<Item = u8> {
    (b == b'=').then_some(b'\\').into_iter().chain([b])
}

impl OutputFormat for TskvWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        for row in 0..chunk.rows {
            for (i, (cell, name)) in cells.iter().zip(&self.names).enumerate() {
                out.extend_from_slice(if i > 0 { b"\t" } else { b"" });
                out.extend_from_slice(name);
                cell.write::<Escaped>(row, out);
            }
            out.push(b'\n');
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

struct TskvRows {
    header: Header,
    kinds: Vec<FieldKind>,
    skip_unknown: bool,
    null_as_default: bool,
}

fn rows(header: &Header, buffer: RowBuffer, options: &FormatOptions) -> Result<RowSource> {
    let as_number = options.text.tsv_enum_as_number;
    let kinds = header.iter().map(|f| FieldKind::of_field(&f.ty, options, as_number)).collect();
    let (header, skip_unknown) = (header.clone(), options.skip_unknown_fields);
    let null_as_default = options.null_as_default;
    Ok((Arc::new(TskvRows { header, kinds, skip_unknown, null_as_default }), buffer))
}

/// Takes a name and the `=` behind it; no name where a field has no `=`.
fn take_name(input: &mut &[u8]) -> Parse<Option<Vec<u8>>> {
    let mut name = Vec::new();
    loop {
        match input.split_first() {
            None => {
                let message = "Unexpected end of stream while reading key name from TSKV format";
                return fault(codes::CANNOT_READ_ALL_DATA, message);
            }
            Some((b'=', rest)) => {
                *input = rest;
                return Ok(Some(name));
            }
            Some((b'\t' | b'\n', _)) => return Ok(None),
            Some((b'\\', rest)) => {
                *input = rest;
                if unescape(input, &mut name).is_none() {
                    let message = "Cannot parse escape sequence";
                    return fault(codes::CANNOT_PARSE_ESCAPE_SEQUENCE, message);
                }
            }
            Some((byte, rest)) => {
                name.push(*byte);
                *input = rest;
            }
        }
    }
}

impl TskvRows {
    fn read_row(
        &self,
        input: &mut &[u8],
        out: &mut RowBuilders,
        at: &mut (Option<usize>, usize),
    ) -> Parse {
        let rows = out.columns.iter().map(ColumnBuilder::len).min().unwrap_or(0);
        let mut is_first = true;
        loop {
            if is_first && crate::quoted::take(input, b'\n') {
                break;
            }
            is_first = false;
            if let Some(name) = take_name(input)? {
                let shown = String::from_utf8_lossy(&name);
                let found = self.header.position(&shown);
                *at = (found, input.len());
                match found {
                    Some(i) if out.columns[i].len() > rows => {
                        let message =
                            format!("Duplicate field found while parsing TSKV format: {shown}");
                        return fault(codes::INCORRECT_DATA, message);
                    }
                    Some(i) => {
                        let got = read_tsv(&self.kinds[i], &mut out.columns[i], input)?;
                        out.note(i, got, self.null_as_default)?;
                    }
                    None if self.skip_unknown => skip_field::<false>(input),
                    None => {
                        let message =
                            format!("Unknown field found while parsing TSKV format: {shown}");
                        return fault(codes::INCORRECT_DATA, message);
                    }
                }
            }
            match input.split_first() {
                Some((b'\t', rest)) => *input = rest,
                Some((b'\n', rest)) => {
                    *input = rest;
                    break;
                }
                None => break,
                _ => return expected("\t", input),
            }
        }
        out.omit_rest(rows);
        Ok(())
    }
}

impl RowParser for TskvRows {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        scan_lines(data, scan);
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        let whole = *input;
        let mut at = (None, input.len());
        if let Err(fault) = self.read_row(input, out, &mut at) {
            let from_value = &whole[whole.len() - at.1..];
            let column = at.0.map(|i| (i, &self.header[i]));
            return Err(fault.into_error(&FaultPosition { row, column, from_value, rest: input }));
        }
        Ok(true)
    }
}

fn infer(sample: &[u8], complete: bool, options: &FormatOptions) -> Result<Header> {
    let mut fields: Vec<(String, Guess)> = Vec::new();
    let lines = sample.split_inclusive(|b| *b == b'\n');
    for line in lines.take(options.infer_rows) {
        if !complete && !line.ends_with(b"\n") {
            break; // the sample ends inside a row
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        for field in line.split(|b| *b == b'\t') {
            let mut rest = field;
            let Ok(Some(name)) = take_name(&mut rest) else { continue };
            let name = String::from_utf8_lossy(&name).into_owned();
            let guess = guess_text(&plain_text::<false>(rest), Dialect::Tsv, Effort::of(options));
            match fields.iter_mut().find(|f| f.0 == name) {
                Some(field) => field.1 = merge(field.1.take(), guess),
                None => fields.push((name, guess)),
            }
        }
    }
    if fields.is_empty() {
        return Err(cannot("TSKV", "There are no names in the file"));
    }
    let field = |(name, ty): (String, Guess)| Field::new(name, settled(ty));
    Ok(Header::new(fields.into_iter().map(field).collect()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{convert, damage, read, schema};

    #[test]
    fn fields_by_name() {
        let both = "a Int32, b String";
        let read = |text: &[u8]| read("TSKV", both, text);
        let text = b"a=1\tb=x\\=\\ty\nb=q\tz=9\n\na=2\ttskv\n";
        assert_eq!(read(text).as_deref(), Ok("1\tx=\\ty\n0\tq\n0\t\n2\t\n"));
        for (bad, code) in [(&b"a=1\ta=2\n"[..], 117), (b"a", 33), (b"a=1x\n", 27)] {
            let e = read(bad).unwrap_err();
            assert!(e.starts_with(&format!("Code: {code}.")), "{e}");
        }
        let columns = "`a=b` Int8, s Nullable(String)";
        let out = convert("TSV", "TSKV", columns, b"1\t\\N\n2\tx=y\\t\n").unwrap();
        assert_eq!(out, b"a\\=b=1\ts=\\N\na\\=b=2\ts=x=y\\t\n");
        assert_eq!(convert("TSKV", "TSKV", columns, &out).unwrap(), out);
        let header = schema("TSKV", b"a=1\nb=q\n");
        let names: Vec<_> =
            header.unwrap().iter().map(|f| format!("{} {}", f.name, f.ty)).collect();
        assert_eq!(names, ["a Nullable(Int64)", "b Nullable(String)"]);
        damage(text, |bytes| {
            let _ = read(bytes);
            let _ = schema("TSKV", bytes);
        });
    }
}
