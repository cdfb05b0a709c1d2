//! Vertical: one line per value. Pretty uses it for wide tables, too.

use std::io::Write;

use entasis_base::Result;
use entasis_column::{Chunk, Header};

use crate::cell::{Cell, FullChunk, Shown};
use crate::pretty::{
    cut_name, has_tip, width, write_digit_groups, write_shown, write_tip, write_trailing_spaces,
};
use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat, TotalsAndExtremes};

pub(crate) const FORMATS: &[FormatDef] =
    &[FormatDef { write: Some(writer), ..FormatDef::new("Vertical") }];

struct VerticalWriter {
    header: Header,
    options: FormatOptions,
    rows: usize,
    /// Something beside the rows has been written.
    totals_and_extremes: bool,
}

fn writer(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(VerticalWriter { header, options, rows: 0, totals_and_extremes: false }))
}

impl OutputFormat for VerticalWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let room = self.options.max_rows.saturating_sub(self.rows).min(chunk.rows);
        if room > 0 {
            let full = FullChunk::new(&chunk.slice(0, room));
            let cells = full.cells(&self.header, &self.options)?;
            let names = Names::new(&self.header, &self.options);
            for row in 0..room {
                names.write_row(&cells, row, self.rows + row, &self.options, false, out);
            }
        }
        self.rows += chunk.rows;
        Ok(())
    }

    fn totals_and_extremes(
        &mut self,
        what: TotalsAndExtremes,
        chunk: &Chunk,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let names = Names::new(&self.header, &self.options);
        let titles: &[&str] = match what {
            TotalsAndExtremes::Totals => &["Totals"],
            TotalsAndExtremes::Extremes => &["Min", "Max"],
        };
        if !std::mem::replace(&mut self.totals_and_extremes, true) {
            self.note_cut(out);
            out.push(b'\n');
        }
        for (row, title) in titles.iter().enumerate() {
            let _ = writeln!(out, "\n{title}:\n{}", "─".repeat(title.len() + 1));
            names.write_values(&cells, row, &self.options, false, out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.totals_and_extremes {
            self.note_cut(out);
        }
        Ok(())
    }
}

impl VerticalWriter {
    /// Says so if not all rows were written; right behind the rows.
    fn note_cut(&self, out: &mut Vec<u8>) {
        let most = self.options.max_rows;
        if self.rows > most {
            let gap = if most > 0 { "\n" } else { "" };
            let _ = writeln!(out, "{gap}Showed first {most}.");
        }
    }
}

/// Writes all rows; `objects`: tuples with names are shown as objects, as Pretty does.
pub(crate) fn write_rows(
    header: &Header,
    cells: &[Cell<'_>],
    rows: usize,
    options: &FormatOptions,
    objects: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let names = Names::new(header, options);
    for row in 0..rows {
        names.write_row(cells, row, row, options, objects, out);
    }
    Ok(())
}

/// Names with the spaces that line values up.
struct Names(Vec<(String, usize, bool)>);

impl Names {
    fn new(header: &Header, options: &FormatOptions) -> Self {
        let names = header.iter().map(|f| cut_name(&f.name, 0, &options.pretty));
        let names: Vec<String> = names.collect();
        let widths: Vec<usize> = names.iter().map(|n| width(n.as_bytes(), 0)).collect();
        let widest = widths.iter().copied().max().unwrap_or(0);
        let with_pads = names.into_iter().zip(widths).zip(header.iter());
        Self(with_pads.map(|((n, w), f)| (n, widest - w + 1, f.ty.is_any_number())).collect())
    }

    fn write_row(
        &self,
        cells: &[Cell<'_>],
        row: usize,
        number: usize,
        options: &FormatOptions,
        objects: bool,
        out: &mut Vec<u8>,
    ) {
        if number > 0 {
            out.push(b'\n');
        }
        // The line is one longer below 9, 99, ...: the reference counts the next row's digits.
        let line = 6 + (number + 2).ilog10() as usize;
        let _ = writeln!(out, "Row {}:\n{}", number + 1, "─".repeat(line));
        self.write_values(cells, row, options, objects, out);
    }

    fn write_values(
        &self,
        cells: &[Cell<'_>],
        row: usize,
        options: &FormatOptions,
        objects: bool,
        out: &mut Vec<u8>,
    ) {
        let (colour, pretty) = (options.has_colours(), &options.pretty);
        let (bold, plain) = if colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        for (cell, (name, pad, _)) in cells.iter().zip(&self.0) {
            let _ = write!(out, "{bold}{name}:{plain}{:pad$}", "");
            let start = out.len();
            if objects {
                write_shown(cell, row, &options.pretty, out);
            } else {
                cell.write::<Shown>(row, out);
            }
            let number = cell.number(row);
            if colour {
                let text = out.split_off(start);
                match number {
                    Some(_) if pretty.marks_digits => write_digit_groups(out, &text),
                    None if pretty.marks_spaces => write_trailing_spaces(out, &text),
                    _ => out.extend_from_slice(&text),
                }
            }
            if let Some(number) = number.filter(|n| has_tip(*n, options.number_tip)) {
                write_tip(out, number, colour);
            }
            out.push(b'\n');
        }
    }
}
