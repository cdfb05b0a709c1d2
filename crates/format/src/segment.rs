//! Parallel parsing of row formats: one thread splits the stream at row ends, and many threads
//! parse.

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Header};

use crate::FormatOptions;
use crate::counted::count_parsed;
use crate::rows::{RowBuffer, RowParser, parse_piece};

/// Bytes per segment, roughly.
const SEGMENT: usize = 2 << 20;

/// A run of whole rows.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// Place in the stream: 0, 1, ...
    pub sequence: u64,
    /// Rows before this segment, for messages: exact where a row is a line.
    pub first_row: u64,
    /// The rows' bytes.
    pub bytes: Vec<u8>,
}

/// Parses segments of one stream; shared by all workers.
pub trait SegmentParser: Send + Sync {
    /// All rows of a segment, as one chunk of the header's columns.
    fn parse(&self, segment: &Segment) -> Result<Chunk>;
}

struct RowSegments {
    parser: Arc<dyn RowParser>,
    header: Header,
}

impl SegmentParser for RowSegments {
    fn parse(&self, segment: &Segment) -> Result<Chunk> {
        let began = Instant::now();
        let chunk = parse_piece(&*self.parser, &self.header, &segment.bytes, segment.first_row)?;
        count_parsed(&chunk, began);
        Ok(chunk)
    }
}

/// Cuts a stream into segments of a few megabytes.
pub struct Splitter {
    buffer: RowBuffer,
    rows: Arc<dyn RowParser>,
    parser: Arc<dyn SegmentParser>,
    sequence: u64,
    lines: u64,
}

impl Splitter {
    pub(crate) fn new(parser: Arc<dyn RowParser>, buffer: RowBuffer, header: &Header) -> Self {
        let header = header.clone();
        let segments = RowSegments { parser: Arc::clone(&parser), header };
        Self { buffer, rows: parser, parser: Arc::new(segments), sequence: 0, lines: 0 }
    }

    /// The parser of this stream's segments (it knows the order of columns in the file).
    pub fn parser(&self) -> Arc<dyn SegmentParser> {
        Arc::clone(&self.parser)
    }

    /// The next segment, or `None` at the end. Called by one thread at a time.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Segment>> {
        let Some(bytes) = self.buffer.take_piece(&*self.rows, SEGMENT)? else { return Ok(None) };
        let segment = Segment { sequence: self.sequence, first_row: self.lines, bytes };
        self.sequence += 1;
        let lines = || memchr::memchr_iter(b'\n', &segment.bytes).count() as u64;
        self.lines = self.buffer.counted_rows().unwrap_or_else(|| self.lines + lines());
        Ok(Some(segment))
    }
}

/// A splitter for the format, or `None` where rows cannot be told apart without parsing (then use
/// [`crate::input`]). Header lines of the `WithNames` formats are consumed here.
pub fn splitter(
    name: &str,
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Option<Splitter>> {
    let Some(open) = crate::find(name)?.rows else { return Ok(None) };
    if options.allow_errors > 0 || options.allow_errors_ratio > 0.0 {
        return Ok(None); // errors are counted over the whole stream
    }
    let (parser, buffer) = open(header, RowBuffer::new(reader), options)?;
    Ok(Some(Splitter::new(parser, buffer, header)))
}

/// Parses whole rows of a row format (header lines, if the format has them, come first).
pub fn parse_segment(
    name: &str,
    header: &Header,
    bytes: &[u8],
    options: &FormatOptions,
) -> Result<Chunk> {
    let Some(open) = crate::find(name)?.rows else {
        return Err(Error::not_implemented(format!("Parsing segments of {name}")));
    };
    let reader: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(bytes.to_vec()));
    let (parser, mut buffer) = open(header, RowBuffer::new(reader), options)?;
    let rest = buffer.take_piece(&*parser, usize::MAX)?.unwrap_or_default();
    parse_piece(&*parser, header, &rest, 0)
}
