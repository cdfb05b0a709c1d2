//! The cells of a column, line by line. All text is in one buffer, so that a table of millions of
//! rows does not need as many allocations.

use std::ops::Range;

use super::width::{bytes_within, width};

/// One line of a value in a table.
pub(super) struct Line {
    /// End of its text in the buffer; it begins where the line before ends.
    end: usize,
    pub(super) width: usize,
    pub(super) is_cut: bool,
    /// Whether a line feed ends it.
    pub(super) breaks: bool,
}

/// Lines of each row's value, at least one each.
#[derive(Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    lines: Vec<Line>,
    /// End of each row in `lines`.
    rows: Vec<usize>,
}

impl Lines {
    /// Adds the value that `write` appends, its lines cut to `limit` cells; it has one line if it
    /// may not have several. `prefix` is the cell that lines begin at.
    pub(super) fn push(
        &mut self,
        prefix: usize,
        limit: usize,
        multiline: bool,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        let start = self.text.len();
        write(&mut self.text);
        let value = &self.text[start..];
        let whole = width(value, prefix);
        if whole <= limit && !(multiline && value.contains(&b'\n')) {
            self.end_line(whole, false, false);
        } else if !multiline {
            self.text.truncate(start + bytes_within(value, prefix, limit));
            self.end_line(width(&self.text[start..], prefix), true, false);
        } else {
            let value = self.text.split_off(start);
            value.split_inclusive(|b| *b == b'\n').for_each(|l| self.push_line(l, prefix, limit));
        }
        self.rows.push(self.lines.len());
    }

    fn push_line(&mut self, line: &[u8], prefix: usize, limit: usize) {
        let (line, breaks) = match line.strip_suffix(b"\n") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let whole = width(line, prefix);
        if whole <= limit {
            self.text.extend_from_slice(line);
            return self.end_line(whole, false, breaks);
        }
        let line = &line[..bytes_within(line, prefix, limit)];
        self.text.extend_from_slice(line);
        self.end_line(width(line, prefix), true, breaks);
    }

    fn end_line(&mut self, width: usize, is_cut: bool, breaks: bool) {
        self.lines.push(Line { end: self.text.len(), width, is_cut, breaks });
    }

    /// The numbers of a row's lines.
    pub(super) fn of(&self, row: usize) -> Range<usize> {
        row.checked_sub(1).map_or(0, |before| self.rows[before])..self.rows[row]
    }

    /// A line and its text.
    pub(super) fn get(&self, line: usize) -> (&Line, &[u8]) {
        let start = line.checked_sub(1).map_or(0, |before| self.lines[before].end);
        (&self.lines[line], &self.text[start..self.lines[line].end])
    }

    /// The last row's lines.
    pub(super) fn last(&self) -> &[Line] {
        let row = self.rows.len() - 1;
        &self.lines[self.of(row)]
    }
}
