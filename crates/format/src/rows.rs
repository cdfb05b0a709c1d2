//! Row formats: what TSV, CSV, JSONEachRow and Values share.
//!
//! A [`RowParser`] finds the ends of whole rows in a run of bytes, and reads a row. The streaming
//! reader ([`RowStream`]) and the splitter for parallel parsing ([`crate::Splitter`]) use it. Rows
//! are only read from memory that contains them completely, so readers of values never meet the end
//! of a buffer in the middle of a value.

use std::io::Read;
use std::sync::Arc;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Chunk, ColumnBuilder, Header};
use entasis_types::{DataType, Value};

use crate::counted::read_more;
use crate::fault::{Parse, fault};
use crate::{FormatOptions, InputFormat, Omitted};

/// Bytes asked from the stream at a time.
const READ: u64 = 1 << 20;
/// No row is longer; what looks like one is a broken file.
const MAX_ROW: usize = 1 << 30;

/// A piece that is longer has a row of unusual length.
const LONG_PIECE: usize = 16 << 20;

/// How far a buffer has been searched for row ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scan {
    /// Bytes looked at.
    pub(crate) at: usize,
    /// End of the last whole row.
    pub(crate) whole: usize,
    /// What the format must remember between calls: depth, open quote.
    pub(crate) state: u32,
    /// Whole rows seen, if the format counts them: else they are taken for lines.
    pub(crate) rows: u64,
}

/// A format of rows one after the other.
pub(crate) trait RowParser: Send + Sync {
    /// Looks at `data[scan.at..]` and moves `scan` on.
    fn scan(&self, data: &[u8], scan: &mut Scan);

    /// Reads one row from the front of `input`, which holds whole rows, into `out`. `row` is its
    /// number within the piece, 0 also being the first of the stream only if `first_row` of the
    /// piece is 0. Answers whether there was a row: what is left may be blank.
    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool>;

    /// Bytes of the first row, from which the number of rows is guessed.
    fn first_row(&self, input: &[u8]) -> usize {
        memchr::memchr(b'\n', input).map_or(input.len(), |n| n + 1)
    }
}

/// Bytes of a stream, from the first row that was not taken yet.
pub(crate) struct RowBuffer {
    reader: Box<dyn Read + Send>,
    data: Vec<u8>,
    start: usize,
    scan: Scan,
    at_end: bool,
}

impl RowBuffer {
    pub(crate) fn new(reader: Box<dyn Read + Send>) -> Self {
        Self { reader, data: Vec::new(), start: 0, scan: Scan::default(), at_end: false }
    }

    fn read_more(&mut self) -> Result<()> {
        if self.start > 0 {
            self.data.drain(..self.start);
            self.scan.at -= self.start.min(self.scan.at);
            self.scan.whole -= self.start.min(self.scan.whole);
            self.start = 0;
        }
        if self.data.len() > MAX_ROW {
            let message = "A row is larger than 1 GiB, which is the most that a row of text may \
                           have. Is a quote, a bracket or the end of a line missing?";
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
        // A row may be long, and this is where it grows.
        scope::check()?;
        let got = read_more(&mut self.reader, READ, &mut self.data)?;
        self.at_end = got == 0;
        Ok(())
    }

    /// Takes one line without its end; `None` at the end of the stream. Only before any row.
    pub(crate) fn take_line(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let rest = &self.data[self.start..];
            if let Some(end) = memchr::memchr(b'\n', rest) {
                let line = rest[..end].to_vec();
                self.start += end + 1;
                self.scan = Scan { at: self.start, whole: self.start, ..Scan::default() };
                return Ok(Some(line));
            }
            if self.at_end {
                let line = rest.to_vec();
                self.start = self.data.len();
                return Ok(if line.is_empty() { None } else { Some(line) });
            }
            self.read_more()?;
        }
    }

    /// Takes the bytes up to the first `end`, which is taken too; all of them without one. Only
    /// before any row.
    pub(crate) fn take_until(&mut self, end: &[u8]) -> Result<Vec<u8>> {
        loop {
            let rest = &self.data[self.start..];
            let found = if end.is_empty() { None } else { memchr::memmem::find(rest, end) };
            match found {
                Some(at) => return self.take_bytes(at + end.len()),
                None if self.at_end => return self.take_bytes(rest.len()),
                None => self.read_more()?,
            }
        }
    }

    /// Takes exactly so many bytes. Only before any row; the caller bounds `len`.
    pub(crate) fn take_bytes(&mut self, len: usize) -> Result<Vec<u8>> {
        while self.data.len() - self.start < len {
            if self.at_end {
                let got = self.data.len() - self.start;
                return Err(Error::new(codes::CANNOT_READ_ALL_DATA, cut_off(got, len)));
            }
            self.read_more()?;
        }
        let end = self.start + len;
        let bytes = self.data[self.start..end].to_vec();
        self.start = end;
        self.scan = Scan { at: end, whole: end, ..Scan::default() };
        Ok(bytes)
    }

    /// Whether nothing is left.
    pub(crate) fn is_at_end(&mut self) -> Result<bool> {
        while self.start == self.data.len() && !self.at_end {
            self.read_more()?;
        }
        Ok(self.start == self.data.len())
    }

    /// Rows before the next piece, if the format counts them.
    pub(crate) fn counted_rows(&self) -> Option<u64> {
        Some(self.scan.rows).filter(|rows| *rows > 0)
    }

    /// The first line with its end, without taking it.
    pub(crate) fn peek_line(&mut self) -> Result<Option<&[u8]>> {
        while !self.at_end && memchr::memchr(b'\n', &self.data[self.start..]).is_none() {
            self.read_more()?;
        }
        let rest = &self.data[self.start..];
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |n| n + 1);
        Ok(Some(&rest[..end]).filter(|line| !line.is_empty()))
    }

    /// Reads until whole rows of at least `target` bytes (or the rest of the stream) are there;
    /// false at the end of the stream.
    fn fill(&mut self, parser: &dyn RowParser, target: usize) -> Result<bool> {
        loop {
            if self.scan.at < self.data.len() {
                parser.scan(&self.data, &mut self.scan);
            }
            if self.at_end {
                self.scan.whole = self.data.len();
                return Ok(self.start < self.data.len());
            }
            let whole = self.scan.whole.saturating_sub(self.start);
            if whole > 0 && whole >= target.min(self.data.len() - self.start) && whole >= target / 2
            {
                return Ok(true);
            }
            self.read_more()?;
        }
    }

    /// A piece of whole rows as a vector of its own.
    pub(crate) fn take_piece(
        &mut self,
        parser: &dyn RowParser,
        target: usize,
    ) -> Result<Option<Vec<u8>>> {
        if !self.fill(parser, target)? {
            return Ok(None);
        }
        let rest = self.data[self.scan.whole..].to_vec();
        let mut piece = std::mem::replace(&mut self.data, rest);
        piece.truncate(self.scan.whole);
        piece.drain(..self.start);
        self.scan.at = self.scan.at.saturating_sub(self.scan.whole);
        (self.start, self.scan.whole) = (0, 0);
        Ok(Some(piece))
    }
}

/// Rows that were read at once and are handed out in pieces.
#[derive(Default)]
pub(crate) struct Pieces {
    rest: Chunk,
    omitted: Omitted,
    /// The omitted cells of the piece that was taken last.
    taken: Omitted,
}

impl Pieces {
    pub(crate) fn new(rest: Chunk, omitted: Omitted) -> Self {
        Self { rest, omitted, taken: Omitted::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Rows that are left.
    pub(crate) fn rows(&self) -> usize {
        self.rest.rows
    }

    /// Takes up to `max_rows` rows off the front.
    pub(crate) fn take(&mut self, max_rows: usize) -> Chunk {
        let rows = self.rest.rows;
        if rows <= max_rows {
            self.taken = std::mem::take(&mut self.omitted);
            return std::mem::take(&mut self.rest);
        }
        let part = |start: usize, len: usize| {
            let masks = self.omitted.iter().map(|(column, mask)| (*column, mask.slice(start, len)));
            masks.collect::<Omitted>()
        };
        let (taken, omitted) = (part(0, max_rows), part(max_rows, rows - max_rows));
        (self.taken, self.omitted) = (taken, omitted);
        let chunk = self.rest.slice(0, max_rows);
        self.rest = self.rest.slice(max_rows, rows - max_rows);
        chunk
    }

    /// The omitted cells of the piece that was taken last.
    pub(crate) fn omitted(&mut self) -> Omitted {
        std::mem::take(&mut self.taken)
    }
}

/// Says that input ends too early.
pub(crate) fn cut_off(got: usize, want: usize) -> String {
    format!("Cannot read all data. Bytes read: {got}. Bytes expected: {want}.")
}

/// Bytes that a builder asks for at once, at most: a type's width may come from the input.
const MAX_ROOM: usize = 1 << 24;

/// What stood in the input where a value of a column belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// A value, or NULL for a column that holds it.
    Value,
    /// NULL for a column that cannot hold it; the type's default was appended.
    Null,
    /// Nothing, or a word for the default; the type's default was appended.
    Nothing,
}

/// Whether a type's default is not zero: an Enum's is its first value.
fn has_own_default(ty: &DataType) -> bool {
    match ty.storage() {
        DataType::Enum(names) => names.values.first().is_some_and(|value| value.0 != 0),
        DataType::Tuple(tuple) => tuple.types.iter().any(has_own_default),
        _ => false,
    }
}

/// Columns that grow row by row, and the cells that were left out.
pub(crate) struct RowBuilders {
    pub(crate) columns: Vec<ColumnBuilder>,
    /// The default of each column whose type has one that is not zero, such as an Enum.
    defaults: Vec<Option<(DataType, Value)>>,
    /// One per column; rows behind the end have a value.
    omitted: Vec<BitmapBuilder>,
}

impl RowBuilders {
    fn new(header: &Header, rows: usize) -> Self {
        let builder = |ty| ColumnBuilder::new(ty, rows.min(MAX_ROOM / widest(ty)));
        let columns = header.iter().map(|f| builder(&f.ty)).collect();
        let default = |ty: &DataType| has_own_default(ty).then(|| (ty.clone(), ty.default_value()));
        Self {
            columns,
            defaults: header.iter().map(|f| default(&f.ty)).collect(),
            omitted: header.iter().map(|_| BitmapBuilder::default()).collect(),
        }
    }

    /// Appends the type's default to a column that the row has no value for.
    pub(crate) fn omit(&mut self, column: usize) {
        self.columns[column].push_default();
        self.mark(column);
    }

    /// Omits the columns that have only `rows` rows.
    pub(crate) fn omit_rest(&mut self, rows: usize) {
        for column in 0..self.columns.len() {
            if self.columns[column].len() == rows {
                self.omit(column);
            }
        }
    }

    /// Takes back what was read of the row behind the first `rows`.
    fn roll_back(&mut self, rows: usize) {
        for (column, mask) in self.columns.iter_mut().zip(&mut self.omitted) {
            crate::field::rollback(column, rows);
            if mask.len() > rows {
                let kept = std::mem::take(mask).finish().slice(0, rows);
                mask.extend(&kept);
            }
        }
    }

    /// Notes what was read into a column last.
    #[inline]
    pub(crate) fn note(&mut self, column: usize, got: Got, null_as_default: bool) -> Parse {
        if got != Got::Value {
            if got == Got::Null && !null_as_default {
                let message = "Cannot insert NULL value into a column that is not Nullable \
                               (input_format_null_as_default is 0)";
                return fault(codes::TYPE_MISMATCH, message);
            }
            self.mark(column);
        }
        Ok(())
    }

    #[cold]
    fn mark(&mut self, column: usize) {
        let (row, mask) = (self.columns[column].len() - 1, &mut self.omitted[column]);
        if let Some((ty, value)) = &self.defaults[column] {
            crate::field::rollback(&mut self.columns[column], row);
            self.columns[column].push_value(ty, value);
        }
        mask.push_n(false, row - mask.len());
        mask.push(true);
    }

    fn finish(self, rows: usize) -> (Chunk, Omitted) {
        let masks = self.omitted.into_iter().enumerate().filter(|(_, mask)| !mask.is_empty());
        let omitted = masks.map(|(column, mut mask)| {
            mask.push_n(false, rows - mask.len());
            (column, mask.finish())
        });
        let omitted = omitted.collect();
        let columns = self.columns.into_iter().map(ColumnBuilder::finish).collect();
        (Chunk::new(columns, rows), omitted)
    }
}

/// Bytes of the widest value of fixed width in a type.
fn widest(ty: &DataType) -> usize {
    match ty.storage() {
        DataType::Nullable(inner) | DataType::Array(inner) => widest(inner),
        DataType::Tuple(tuple) => tuple.types.iter().map(widest).max().unwrap_or(1),
        other => other.fixed_width().unwrap_or(8).max(1),
    }
}

/// Reads a stream chunk by chunk.
pub(crate) struct RowStream {
    pub(crate) parser: Arc<dyn RowParser>,
    pub(crate) buffer: RowBuffer,
    pub(crate) header: Header,
    pub(crate) row: u64,
    omitted: Omitted,
    /// Rows that may be left out, their share of all rows, and those that were.
    allowed: (u64, f64),
    errors: u64,
    /// Rows for which the next chunk gets room at once. An INSERT of a few rows needs little.
    room: usize,
}

/// Room for the rows of the first chunk.
const FIRST_ROOM: usize = 16;
/// Most rows that get room at once.
const MOST_ROOM: usize = 8192;

impl RowStream {
    pub(crate) fn new(parser: Arc<dyn RowParser>, buffer: RowBuffer, header: &Header) -> Self {
        let (header, omitted) = (header.clone(), Omitted::new());
        Self {
            parser,
            buffer,
            header,
            row: 0,
            omitted,
            allowed: (0, 0.0),
            errors: 0,
            room: FIRST_ROOM,
        }
    }

    /// Leaves out as many rows that cannot be parsed as the options allow.
    pub(crate) fn with_errors(mut self, options: &FormatOptions) -> Self {
        self.allowed = (options.allow_errors, options.allow_errors_ratio);
        self
    }

    /// Notes a row that cannot be parsed; fails if there are too many of them.
    fn forgive(&mut self, error: Error) -> Result<()> {
        self.errors += 1;
        let share = self.errors as f64 / (self.row + self.errors) as f64;
        let (count, ratio) = self.allowed;
        if self.errors > count && share > ratio { Err(error) } else { Ok(()) }
    }
}

impl InputFormat for RowStream {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let mut out = RowBuilders::new(&self.header, max_rows.min(self.room));
        let mut rows = 0;
        while rows < max_rows {
            if self.buffer.start >= self.buffer.scan.whole
                && !self.buffer.fill(&*self.parser, READ as usize / 2)?
            {
                break;
            }
            let buffer = &self.buffer;
            let mut input = &buffer.data[buffer.start..buffer.scan.whole];
            let mut failed = None;
            while rows < max_rows && !input.is_empty() {
                let whole = input;
                let found = match self.parser.row(&mut input, &mut out, self.row) {
                    Ok(found) => found,
                    Err(error) => {
                        failed = Some(error);
                        input = &whole[self.parser.first_row(whole)..];
                        break;
                    }
                };
                rows += usize::from(found);
                self.row += u64::from(found);
                if !found {
                    break;
                }
            }
            let left = input.len();
            self.buffer.start = self.buffer.scan.whole - left;
            if let Some(error) = failed {
                self.forgive(error)?;
                out.roll_back(rows);
            }
            out.columns.iter().try_for_each(check_room)?;
        }
        if rows == 0 {
            return Ok(None);
        }
        let (chunk, omitted) = out.finish(rows);
        self.omitted = omitted;
        self.room = rows.clamp(FIRST_ROOM, MOST_ROOM);
        Ok(Some(chunk))
    }

    fn omitted(&mut self) -> Omitted {
        std::mem::take(&mut self.omitted)
    }
}

/// Parses all rows of `bytes`; `first_row` is the number of rows before them.
pub(crate) fn parse_piece(
    parser: &dyn RowParser,
    header: &Header,
    bytes: &[u8],
    first_row: u64,
) -> Result<Chunk> {
    if bytes.len() > LONG_PIECE {
        // The values of a long row take as much again, and half of it while a column grows.
        scope::ask(bytes.len() + bytes.len() / 2)?;
    }
    let mut out = RowBuilders::new(header, bytes.len() / parser.first_row(bytes).max(1) + 16);
    let mut input = bytes;
    let mut rows = 0;
    while !input.is_empty() && parser.row(&mut input, &mut out, first_row + rows as u64)? {
        rows += 1;
    }
    out.columns.iter().try_for_each(check_room)?;
    Ok(out.finish(rows).0)
}

/// Fails when a builder's strings no longer fit their offsets.
fn check_room(builder: &ColumnBuilder) -> Result<()> {
    match builder {
        ColumnBuilder::String(strings) => strings.check_room(0),
        ColumnBuilder::Nullable { values, .. } | ColumnBuilder::Array { values, .. } => {
            check_room(values)
        }
        ColumnBuilder::Tuple { columns, .. } => columns.iter().try_for_each(check_room),
        _ => Ok(()),
    }
}
