//! Pretty, PrettyCompact and PrettySpace: tables for reading, byte for byte as the reference draws
//! them.
//!
//! Rows are held back until the end, so that the result is one table with fitting columns: the
//! first `max_rows` and the last half of that; all other rows are only counted. At the end the
//! texts of all shown values are made, then the widths of the columns, and then the lines of the
//! table, or the Vertical form if a short table would be wider than a screen.

mod lines;
mod tip;
mod width;

use std::io::Write;

use entasis_base::{Result, scope};
use entasis_column::{Chunk, Header};

use crate::cell::{Cell, FullChunk, Shown, aligned_right};
use crate::options::PrettyOptions;
use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat, TotalsAndExtremes};
use lines::Lines;
pub(crate) use tip::{has_tip, write_digit_groups, write_tip};
pub(crate) use width::{cut_name, width};

/// What stands around values: a frame with lines between rows, one with names in it, or space.
const FULL: u8 = 0;
const COMPACT: u8 = 1;
const SPACE: u8 = 2;

macro_rules! def {
    ($name:literal, $frame:ident, $plain:literal) => {
        FormatDef { write: Some(writer::<$frame, $plain>), ..FormatDef::new($name) }
    };
}

pub(crate) const FORMATS: &[FormatDef] = &[
    def!("Pretty", FULL, false),
    def!("PrettyMonoBlock", FULL, false),
    def!("PrettyNoEscapes", FULL, true),
    def!("PrettyNoEscapesMonoBlock", FULL, true),
    def!("PrettyCompact", COMPACT, false),
    def!("PrettyCompactMonoBlock", COMPACT, false),
    def!("PrettyCompactNoEscapes", COMPACT, true),
    def!("PrettyCompactNoEscapesMonoBlock", COMPACT, true),
    def!("PrettySpace", SPACE, false),
    def!("PrettySpaceMonoBlock", SPACE, false),
    def!("PrettySpaceNoEscapes", SPACE, true),
    def!("PrettySpaceNoEscapesMonoBlock", SPACE, true),
];

struct PrettyWriter {
    header: Header,
    options: FormatOptions,
    frame: u8,
    /// The first `max_rows` rows, and the last ones after these.
    head: Vec<Chunk>,
    tail: Vec<Chunk>,
    total: usize,
    totals_and_extremes: Vec<(TotalsAndExtremes, Chunk)>,
}

fn writer<const FRAME: u8, const IS_PLAIN: bool>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let mut options = options.clone();
    options.is_terminal = options.has_colours() && !IS_PLAIN;
    Ok(Box::new(PrettyWriter {
        header: header.clone(),
        options,
        frame: FRAME,
        head: Vec::new(),
        tail: Vec::new(),
        total: 0,
        totals_and_extremes: Vec::new(),
    }))
}

impl OutputFormat for PrettyWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, _out: &mut Vec<u8>) -> Result<()> {
        let room = self.options.max_rows.saturating_sub(self.total).min(chunk.rows);
        self.total += chunk.rows;
        if room > 0 {
            self.head.push(full(&chunk.slice(0, room)));
        }
        let keep = self.options.max_rows / 2;
        let rest = (chunk.rows - room).min(keep);
        if rest > 0 {
            self.tail.push(full(&chunk.slice(chunk.rows - rest, rest)));
            let mut rows: usize = self.tail.iter().map(|c| c.rows).sum();
            while self.tail.first().is_some_and(|first| rows - first.rows >= keep) {
                rows -= self.tail.remove(0).rows;
            }
        }
        Ok(())
    }

    fn totals_and_extremes(
        &mut self,
        what: TotalsAndExtremes,
        chunk: &Chunk,
        _out: &mut Vec<u8>,
    ) -> Result<()> {
        self.totals_and_extremes.push((what, full(chunk)));
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.finish_rows(out)?;
        for (what, rows) in std::mem::take(&mut self.totals_and_extremes) {
            let title = if what == TotalsAndExtremes::Totals { "Totals" } else { "Extremes" };
            let _ = writeln!(out, "\n{title}:");
            (self.total, self.head) = (rows.rows, vec![rows]);
            self.finish_rows(out)?;
        }
        Ok(())
    }
}

impl PrettyWriter {
    /// Draws the rows that were kept.
    fn finish_rows(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.total == 0 || self.header.is_empty() {
            return Ok(());
        }
        let max = self.options.max_rows;
        let mut chunks = std::mem::take(&mut self.head);
        chunks.append(&mut self.tail);
        let mut shown = Chunk::concat(&chunks);
        let mut head = shown.rows;
        if self.total > max {
            head = max - max / 2;
            let last = shown.slice(shown.rows - max / 2, max / 2);
            shown = Chunk::concat(&[shown.slice(0, head), last]);
        }
        let full = FullChunk::new(&shown);
        let cells = full.cells(&self.header, &self.options)?;
        let table = Table::new(self, &cells, shown.rows, head);
        if table.is_better_vertical() {
            return crate::vertical::write_rows(
                &self.header,
                &cells,
                shown.rows,
                &self.options,
                true,
                out,
            );
        }
        table.draw(out);
        if self.total > max {
            out.extend_from_slice(if self.frame == SPACE { b"\n" } else { b"" });
            let _ = writeln!(out, "Showed {} out of {} rows.", shown.rows, self.total);
        }
        Ok(())
    }
}

fn full(chunk: &Chunk) -> Chunk {
    Chunk::new(chunk.columns.iter().map(|c| c.full()).collect(), chunk.rows)
}

/// Appends a value as tables show it: text as it is, tuples with names as objects.
pub(crate) fn write_shown(cell: &Cell<'_>, row: usize, pretty: &PrettyOptions, out: &mut Vec<u8>) {
    if pretty.tuples_as_objects && crate::json::has_named_tuple(cell) {
        crate::json::write_shown(cell, row, out);
    } else {
        cell.write::<Shown>(row, out);
    }
}

struct Column {
    name: String,
    name_width: usize,
    width: usize,
    is_right: bool,
    is_number: bool,
    values: Lines,
}

struct Table {
    columns: Vec<Column>,
    rows: usize,
    /// Rows before those that are left out.
    head: usize,
    total: usize,
    /// Cells for the row's number; 0 without.
    margin: usize,
    frame: u8,
    has_newlines: bool,
    colour: bool,
    pretty: PrettyOptions,
    /// Each row's number for the tip.
    tips: Vec<Option<f64>>,
}

impl Table {
    fn new(writer: &PrettyWriter, cells: &[Cell<'_>], rows: usize, head: usize) -> Self {
        let options = &writer.options;
        let margin =
            if options.row_numbers { writer.total.max(1).ilog10() as usize + 3 } else { 0 };
        let is_single = cells.len() == 1 && rows == 1;
        let is_whole = is_single && !options.pretty.cuts_single_value;
        let limit = if is_whole { usize::MAX } else { options.max_value_width };
        let mut columns = Vec::with_capacity(cells.len());
        let (mut prefix, mut has_newlines) = (margin + 2, false);
        for (cell, field) in cells.iter().zip(writer.header.iter()) {
            let mut widest = 0;
            let mut values = Lines::default();
            for row in scope::steps(0..rows) {
                let write = |text: &mut Vec<u8>| write_shown(cell, row, &options.pretty, text);
                values.push(prefix, limit, options.pretty.multiline, write);
                has_newlines |= values.last().iter().any(|l| l.breaks);
                widest = values.last().iter().map(|l| l.width).max().unwrap_or(0).max(widest);
            }
            let widest = widest.min(options.pretty.max_pad);
            let name = cut_name(&field.name, widest, &options.pretty);
            let name_width = width(name.as_bytes(), prefix);
            let width = widest.max(name_width).min(options.pretty.max_pad);
            let ty = field.ty.without_nullable();
            let (is_right, is_number) =
                (aligned_right(&field.ty), ty.is_any_integer() || ty.is_float());
            columns.push(Column { name, name_width, width, is_right, is_number, values });
            prefix += width + 3;
        }
        let number = |row| cells.last().and_then(|cell| cell.number(row));
        let tip = |row| number(row).filter(|number| has_tip(*number, options.number_tip));
        let tips = (0..rows).map(tip).collect();
        Self {
            columns,
            rows,
            head,
            total: writer.total,
            margin,
            frame: writer.frame,
            has_newlines,
            colour: options.is_terminal,
            pretty: options.pretty,
            tips,
        }
    }

    fn is_better_vertical(&self) -> bool {
        let Some(vertical) = self.pretty.vertical else { return false };
        let width: usize = self.columns.iter().map(|c| c.width).sum();
        let is_wide = width >= vertical.min_width || self.has_newlines;
        let has_columns = self.columns.len() >= vertical.min_columns;
        self.total <= vertical.max_rows && has_columns && is_wide
    }

    fn draw(&self, out: &mut Vec<u8>) {
        self.draw_head(out);
        let has_lines = self.frame == FULL;
        for row in scope::steps(0..self.rows) {
            if row > 0 && has_lines {
                self.rule(out, ["├─", "─", "─┼─", "─┤"]);
            }
            if row == self.head {
                self.gap(out);
                if has_lines {
                    self.rule(out, ["├─", "─", "─┼─", "─┤"]);
                }
            }
            self.row(row, out);
        }
        self.draw_foot(out);
    }

    fn draw_head(&self, out: &mut Vec<u8>) {
        match self.frame {
            SPACE => {
                self.name_rule(out, " ", [" ", "   ", ""]);
                out.push(b'\n');
            }
            COMPACT => self.name_rule(out, "─", ["┌─", "─┬─", "─┐"]),
            _ => {
                self.rule(out, ["┏━", "━", "━┳━", "━┓"]);
                self.names(out);
                self.rule(out, ["┡━", "━", "━╇━", "━┩"]);
            }
        }
    }

    fn draw_foot(&self, out: &mut Vec<u8>) {
        match (self.frame, self.pretty.footer_rows.is_some_and(|rows| self.total >= rows)) {
            (SPACE, true) => {
                out.push(b'\n');
                self.draw_head(out);
            }
            (SPACE, false) => {}
            (COMPACT, true) => self.name_rule(out, "─", ["└─", "─┴─", "─┘"]),
            (_, true) => {
                self.rule(out, ["┢━", "━", "━╈━", "━┪"]);
                self.names(out);
                self.rule(out, ["┗━", "━", "━┻━", "━┛"]);
            }
            (_, false) => self.rule(out, ["└─", "─", "─┴─", "─┘"]),
        }
    }

    fn spaces(out: &mut Vec<u8>, count: usize) {
        out.resize(out.len() + count, b' ');
    }

    fn repeat(&self, out: &mut Vec<u8>, text: &str, count: usize) {
        (0..count).for_each(|_| self.grid(out, text));
    }

    /// Appends a piece of the frame.
    fn grid(&self, out: &mut Vec<u8>, piece: &str) {
        if !self.pretty.ascii {
            return out.extend_from_slice(piece.as_bytes());
        }
        out.extend(piece.chars().map(|c| match c {
            ' ' => b' ',
            '─' | '━' => b'-',
            '│' | '┃' => b'|',
            '↳' => b'>',
            '↴' => b'\\',
            '⋯' => b'~',
            _ => b'+',
        }));
    }

    fn name(&self, out: &mut Vec<u8>, column: &Column, fill: &str) {
        let pad = column.width.saturating_sub(column.name_width);
        if column.is_right {
            self.repeat(out, fill, pad);
        }
        let (bold, plain) = if self.colour { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let _ = write!(out, "{bold}{}{plain}", column.name);
        if !column.is_right {
            self.repeat(out, fill, pad);
        }
    }

    /// A line of the frame with names in it.
    fn name_rule(&self, out: &mut Vec<u8>, fill: &str, [left, middle, right]: [&str; 3]) {
        Self::spaces(out, self.margin);
        for (i, column) in self.columns.iter().enumerate() {
            self.grid(out, if i == 0 { left } else { middle });
            self.name(out, column, fill);
        }
        self.grid(out, right);
        out.push(b'\n');
    }

    /// A line of the frame.
    fn rule(&self, out: &mut Vec<u8>, [left, line, middle, right]: [&str; 4]) {
        Self::spaces(out, self.margin);
        for (i, column) in self.columns.iter().enumerate() {
            self.grid(out, if i == 0 { left } else { middle });
            self.repeat(out, line, column.width);
        }
        self.grid(out, right);
        out.push(b'\n');
    }

    fn names(&self, out: &mut Vec<u8>) {
        Self::spaces(out, self.margin);
        for (i, column) in self.columns.iter().enumerate() {
            self.grid(out, if i == 0 { "┃ " } else { " ┃ " });
            self.name(out, column, " ");
        }
        self.grid(out, " ┃");
        out.push(b'\n');
    }

    /// The line that stands for the rows left out.
    fn gap(&self, out: &mut Vec<u8>) {
        Self::spaces(out, self.margin);
        let cells = self.columns.iter().map(|c| c.width + 3).sum::<usize>();
        let cells = if self.frame == SPACE { cells - 2 } else { cells + 1 };
        for i in 0..cells {
            self.grid(out, if i % 2 == 0 { "─" } else { " " });
        }
        out.push(b'\n');
    }

    fn row(&self, row: usize, out: &mut Vec<u8>) {
        let number = if row < self.head { row + 1 } else { self.total - (self.rows - row) + 1 };
        let lines = self.columns.iter().map(|c| c.values.of(row).len()).max().unwrap_or(1);
        let (grey, plain) = if self.colour { ("\x1b[90m", "\x1b[0m") } else { ("", "") };
        for line in 0..lines {
            if self.margin > 0 && line == 0 {
                let label = format!("{number}. ");
                Self::spaces(out, self.margin - label.len());
                let _ = write!(out, "{grey}{label}{plain}");
            } else {
                Self::spaces(out, self.margin);
            }
            let border = if self.frame == SPACE { "" } else { "│" };
            for (i, column) in self.columns.iter().enumerate() {
                let between = if i > 0 && self.frame == SPACE { " " } else { border };
                self.grid(out, between);
                self.value(out, column, row, line);
            }
            self.grid(out, border);
            if let Some(tip) = self.tips[row] {
                write_tip(out, tip, self.colour);
            }
            out.push(b'\n');
        }
    }

    /// One line of a value between its two borders.
    fn value(&self, out: &mut Vec<u8>, column: &Column, row: usize, line: usize) {
        let Some(at) = column.values.of(row).nth(line) else {
            return Self::spaces(out, column.width + 2);
        };
        let (value, text) = column.values.get(at);
        self.mark(out, if line > 0 { "↳" } else { " " });
        let pad = column.width.saturating_sub(value.width);
        if column.is_right {
            Self::spaces(out, pad);
        }
        if !self.colour {
            out.extend_from_slice(text);
        } else if column.is_number && self.pretty.marks_digits {
            write_digit_groups(out, text);
        } else if !column.is_number && self.pretty.marks_spaces {
            write_trailing_spaces(out, text);
        } else {
            out.extend_from_slice(text);
        }
        if !column.is_right {
            Self::spaces(out, pad);
        }
        self.mark(
            out,
            match (value.is_cut, value.breaks) {
                (true, _) => "⋯",
                (_, true) => "↴",
                _ => " ",
            },
        );
    }

    /// A mark beside a value, in grey where there are colours; or a space.
    fn mark(&self, out: &mut Vec<u8>, mark: &str) {
        let (grey, plain) = match self.colour && mark != " " {
            true => ("\x1b[90m", "\x1b[0m"),
            false => ("", ""),
        };
        out.extend_from_slice(grey.as_bytes());
        self.grid(out, mark);
        out.extend_from_slice(plain.as_bytes());
    }
}

/// Appends text with the spaces at its end marked in red.
pub(crate) fn write_trailing_spaces(out: &mut Vec<u8>, text: &[u8]) {
    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    out.extend_from_slice(&text[..end]);
    if end < text.len() {
        out.extend_from_slice(b"\x1b[31m\x1b[4m");
        out.extend_from_slice(&text[end..]);
        out.extend_from_slice(b"\x1b[0m");
    }
}

#[cfg(test)]
mod tests;
