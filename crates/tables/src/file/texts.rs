//! Files of row formats: one worker at a time cuts the stream at row ends, and all workers parse.
//!
//! Files are read one after the other. If the rows of a format cannot be separated without parsing,
//! the worker that holds the stream parses them.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Header};
use entasis_format::{Compression, InputFormat, Segment, SegmentParser, Splitter};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{ScanSpec, Snapshot};

use super::beside::{FileReader, FileRows, Layout, Piece, Placed};
use super::{Target, in_file};
use crate::raw;

/// A smaller file is read by one worker. In bytes.
const SMALL: u64 = 1 << 20;

/// The files of one query.
pub(super) struct Texts {
    target: Arc<Target>,
    layout: Arc<Layout>,
    paths: Arc<[String]>,
    is_small: bool,
}

impl Texts {
    /// Checks that the format can be read.
    pub(super) fn new(
        target: &Arc<Target>,
        layout: &Arc<Layout>,
        paths: Arc<[String]>,
    ) -> Result<Self> {
        let format = entasis_format::find(target.format)?;
        if !format.is_input() {
            let message = format!("Format {} is not suitable for input", format.name);
            return Err(Error::new(codes::FORMAT_IS_NOT_SUITABLE_FOR_INPUT, message));
        }
        let mut bytes = 0;
        for path in paths.iter() {
            let is_plain = target.compression_of(path)? == Compression::None;
            let size = target.place.size(path)?.filter(|_| is_plain);
            bytes += size.unwrap_or(SMALL);
        }
        let (target, layout) = (Arc::clone(target), Arc::clone(layout));
        Ok(Self { target, layout, paths, is_small: bytes < SMALL })
    }
}

impl Snapshot for Texts {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let rows = TextRows {
            target: Arc::clone(&self.target),
            header: self.layout.stored.clone(),
            paths: Arc::clone(&self.paths),
            is_small: self.is_small,
            state: Arc::default(),
        };
        let rows = Placed {
            target: Arc::clone(&self.target),
            layout: Arc::clone(&self.layout),
            paths: Arc::clone(&self.paths),
            rows: Arc::new(rows),
        };
        raw::scan(Arc::new(rows), spec, context)
    }
}

/// One scan of the files.
struct TextRows {
    target: Arc<Target>,
    header: Header,
    paths: Arc<[String]>,
    is_small: bool,
    state: Arc<Mutex<Option<Streams>>>,
}

impl FileRows for TextRows {
    fn name(&self) -> String {
        format!("File({})", self.target.format)
    }

    fn reader(
        &self,
        columns: &[usize],
        max_rows: usize,
        counts: bool,
    ) -> Result<Box<dyn FileReader>> {
        let all: Vec<usize> = (0..self.header.len()).collect();
        // If the file names its columns, unwanted columns are skipped.
        let format = self.target.format;
        let skips = has_names(format) && self.target.options.skip_unknown_fields;
        let parsed = if knows_types(format) || (skips && !columns.is_empty()) {
            columns.to_vec()
        } else {
            all
        };
        let place = |c: &usize| parsed.iter().position(|p| p == c);
        let picked = columns.iter().map(place).collect::<Option<Vec<usize>>>();
        let header = Header::new(parsed.iter().map(|&c| self.header[c].clone()).collect());
        let mut state = lock(&self.state);
        state.get_or_insert_with(|| Streams {
            target: Arc::clone(&self.target),
            header,
            paths: Arc::clone(&self.paths),
            next: 0,
            counts,
            current: None,
            sequence: 0,
        });
        Ok(Box::new(TextReader {
            paths: Arc::clone(&self.paths),
            state: Arc::clone(&self.state),
            picked: picked.ok_or_else(|| Error::logical("lost column of a file"))?,
            max_rows: max_rows.max(1),
            rest: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        self.is_small.then_some(1)
    }
}

/// Whether columns are found by their names in the file.
fn has_names(format: &str) -> bool {
    matches!(format, "JSONEachRow" | "JSONLines" | "NDJSON")
        || format.ends_with("WithNames")
        || format.ends_with("WithNamesAndTypes")
}

/// Whether an unwanted column costs nothing and cannot fail, so that even all columns can be
/// skipped.
fn knows_types(format: &str) -> bool {
    matches!(format, "Arrow" | "ArrowStream")
}

/// The rest of the files; held by one worker at a time.
struct Streams {
    target: Arc<Target>,
    header: Header,
    paths: Arc<[String]>,
    /// The index of the next file.
    next: usize,
    /// Whether the number of rows before each piece must be exact.
    counts: bool,
    current: Option<Current>,
    sequence: u64,
}

/// The file that is being read.
struct Current {
    file: usize,
    /// The number of its rows that were parsed.
    rows: u64,
    stream: Stream,
}

enum Stream {
    Cut(Splitter),
    Parse(Box<dyn InputFormat>),
}

/// A piece of work, with its sequence number and file.
struct Task {
    sequence: u64,
    file: usize,
    work: Work,
}

/// A piece of a file, which is parsed already or must still be parsed.
enum Work {
    Rows(u64, Chunk),
    Text(Segment, Arc<dyn SegmentParser>),
}

impl Streams {
    fn open(&self, path: &str) -> Result<Stream> {
        let (target, header, options) = (&self.target, &self.header, &self.target.options);
        // Exact row numbers require parsing the rows in order, since unparsed pieces only know
        // their lines.
        if !self.counts {
            let bytes = target.stream(path)?;
            let cut = entasis_format::splitter(target.format, header, bytes, options)?;
            if let Some(splitter) = cut {
                return Ok(Stream::Cut(splitter));
            }
        }
        let bytes = target.stream(path)?;
        Ok(Stream::Parse(entasis_format::input(target.format, header, bytes, options)?))
    }

    /// The next piece, with its sequence number and file; `None` at the end.
    fn next(&mut self, max_rows: usize) -> Result<Option<Task>> {
        loop {
            let Some(current) = &mut self.current else {
                let file = self.next;
                let Some(path) = self.paths.get(file) else { return Ok(None) };
                let stream = self.open(path).map_err(|e| in_file(e, path))?;
                self.next += 1;
                self.current = Some(Current { file, rows: 0, stream });
                continue;
            };
            let file = current.file;
            let work = match &mut current.stream {
                Stream::Cut(splitter) => {
                    splitter.next().map(|s| s.map(|s| Work::Text(s, splitter.parser())))
                }
                Stream::Parse(input) => input.next(max_rows).map(|chunk| {
                    let chunk = chunk?;
                    let first = current.rows;
                    current.rows += chunk.rows as u64;
                    Some(Work::Rows(first, chunk))
                }),
            };
            let work = work.map_err(|e| in_file(e, &self.paths[file]))?;
            if let Some(work) = work {
                let sequence = self.sequence;
                self.sequence += 1;
                return Ok(Some(Task { sequence, file, work }));
            }
            self.current = None;
        }
    }

    /// Ends the scan after an error.
    fn stop(&mut self) {
        self.next = self.paths.len();
        self.current = None;
    }
}

struct TextReader {
    paths: Arc<[String]>,
    state: Arc<Mutex<Option<Streams>>>,
    /// Positions of the wanted columns among those that are parsed.
    picked: Vec<usize>,
    max_rows: usize,
    /// Parsed rows that were not returned yet, and the position of the next one.
    rest: Option<(Piece, usize)>,
}

impl TextReader {
    fn take_work(&self) -> Result<Option<Task>> {
        let mut state = lock(&self.state);
        let Some(streams) = state.as_mut() else { return Ok(None) };
        let work = streams.next(self.max_rows);
        if work.is_err() {
            streams.stop();
        }
        work
    }
}

impl FileReader for TextReader {
    fn next(&mut self) -> Result<Option<Piece>> {
        loop {
            if let Some((piece, start)) = self.rest.take() {
                let Piece { morsel: Morsel { sequence, chunk }, file, first_row } = piece;
                let rows = self.max_rows.min(chunk.rows - start);
                let morsel = Morsel { sequence, chunk: chunk.slice(start, rows) };
                let part = Piece { morsel, file, first_row: first_row + start as u64 };
                if start + rows < chunk.rows {
                    let morsel = Morsel { sequence, chunk };
                    self.rest = Some((Piece { morsel, file, first_row }, start + rows));
                }
                return Ok(Some(part));
            }
            let Some(Task { sequence, file, work }) = self.take_work()? else { return Ok(None) };
            let (first_row, chunk) = match work {
                Work::Rows(first_row, chunk) => (first_row, chunk),
                Work::Text(segment, parser) => {
                    let parsed = parser.parse(&segment);
                    (segment.first_row, parsed.map_err(|e| in_file(e, &self.paths[file]))?)
                }
            };
            if chunk.rows > 0 {
                let columns = self.picked.iter().map(|&c| chunk.columns[c].clone()).collect();
                let chunk = Chunk::new(columns, chunk.rows);
                let morsel = Morsel { sequence, chunk };
                self.rest = Some((Piece { morsel, file, first_row }, 0));
            }
        }
    }
}
