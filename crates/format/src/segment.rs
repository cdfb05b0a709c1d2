//! Parallel parsing of line formats: one thread cuts the stream at row ends, many parse.

use std::io::Read;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Header};

use crate::FormatOptions;

/// A run of whole rows.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// Place in the stream: 0, 1, ...
    pub sequence: u64,
    /// Rows before this segment, for messages.
    pub first_row: u64,
    /// The rows' bytes.
    pub bytes: Vec<u8>,
}

/// Parses segments of one stream; shared by all workers.
pub trait SegmentParser: Send + Sync {
    /// All rows of a segment, as one chunk of the header's columns.
    fn parse(&self, segment: &Segment) -> Result<Chunk>;
}

/// Cuts a stream into segments of a few megabytes.
pub struct Splitter {
    parser: Arc<dyn SegmentParser>,
}

impl Splitter {
    /// The parser of this stream's segments (it knows the order of columns in the file).
    pub fn parser(&self) -> Arc<dyn SegmentParser> {
        Arc::clone(&self.parser)
    }

    /// The next segment, or `None` at the end. Called by one thread at a time.
    pub fn next(&mut self) -> Result<Option<Segment>> {
        Err(Error::not_implemented("Parallel parsing"))
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
    let _ = (name, header, reader, options);
    Ok(None)
}

/// Parses whole rows of a line format without header lines.
pub fn parse_segment(
    name: &str,
    header: &Header,
    bytes: &[u8],
    options: &FormatOptions,
) -> Result<Chunk> {
    let _ = (header, bytes, options);
    Err(Error::not_implemented(format!("Parsing segments of {name}")))
}
