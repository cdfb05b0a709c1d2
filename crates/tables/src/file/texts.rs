//! Files of row formats: one worker at a time cuts the stream at row ends, all of them parse.
//!
//! Files are read one after the other. A format whose rows cannot be told apart without parsing is
//! parsed by whoever holds the stream.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use entasis_base::Event;
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Header};
use entasis_format::{Compression, InputFormat, Segment, SegmentParser, Splitter};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table::{ScanSpec, Schema, Snapshot};

use super::{Target, in_file};
use crate::raw::{self, RawReader, RawRows};

/// Files smaller than this are not worth a second worker.
const SMALL: u64 = 1 << 20;

/// The files of one query.
pub(super) struct Texts {
    target: Arc<Target>,
    header: Header,
    paths: Vec<String>,
    is_small: bool,
}

impl Texts {
    /// Checks that the files can be read in the format at all.
    pub(super) fn new(target: &Arc<Target>, schema: &Schema, paths: Vec<String>) -> Result<Self> {
        let format = entasis_format::find(target.format)?;
        if !format.is_input() {
            let message = format!("Format {} is not suitable for input", format.name);
            return Err(Error::new(codes::FORMAT_IS_NOT_SUITABLE_FOR_INPUT, message));
        }
        let mut bytes = 0;
        for path in &paths {
            let len = target.files.info(path)?.map_or(0, |info| info.len);
            let is_plain = target.compression_of(path)? == Compression::None;
            bytes += if is_plain { len } else { SMALL };
        }
        let (target, header) = (Arc::clone(target), schema.header());
        Ok(Self { target, header, paths, is_small: bytes < SMALL })
    }
}

impl Snapshot for Texts {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let rows = TextRows {
            target: Arc::clone(&self.target),
            header: self.header.clone(),
            paths: self.paths.clone(),
            is_small: self.is_small,
            state: Arc::default(),
        };
        raw::scan(Arc::new(rows), spec, context)
    }
}

/// One scan of the files.
struct TextRows {
    target: Arc<Target>,
    header: Header,
    paths: Vec<String>,
    is_small: bool,
    state: Arc<Mutex<Option<Streams>>>,
}

impl RawRows for TextRows {
    fn event(&self) -> Event {
        Event::FileRowsRead
    }

    fn name(&self) -> String {
        format!("File({})", self.target.format)
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let all: Vec<usize> = (0..self.header.len()).collect();
        // Where the file names its columns, those that nobody wants are skipped over.
        let skips = self.target.options.skip_unknown_fields;
        let parsed = if skips && has_names(self.target.format) && !columns.is_empty() {
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
            paths: self.paths.iter().cloned().collect(),
            current: None,
            sequence: 0,
        });
        Ok(Box::new(TextReader {
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

/// Whether columns are found by the names in the file.
fn has_names(format: &str) -> bool {
    matches!(format, "JSONEachRow" | "JSONLines" | "NDJSON")
        || format.ends_with("WithNames")
        || format.ends_with("WithNamesAndTypes")
}

/// What is left of the files; held by one worker at a time.
struct Streams {
    target: Arc<Target>,
    header: Header,
    paths: VecDeque<String>,
    current: Option<(Arc<str>, Stream)>,
    sequence: u64,
}

enum Stream {
    Cut(Splitter),
    Parse(Box<dyn InputFormat>),
}

/// A piece of a file, parsed already or still to be parsed.
enum Work {
    Rows(Chunk),
    Text(Segment, Arc<dyn SegmentParser>),
}

impl Streams {
    fn open(&self, path: &str) -> Result<Stream> {
        let (target, header, options) = (&self.target, &self.header, &self.target.options);
        let bytes = target.stream(path)?;
        if let Some(splitter) = entasis_format::splitter(target.format, header, bytes, &options)? {
            return Ok(Stream::Cut(splitter));
        }
        let bytes = target.stream(path)?;
        Ok(Stream::Parse(entasis_format::input(target.format, header, bytes, &options)?))
    }

    /// The next piece with its sequence and its file.
    fn next(&mut self, max_rows: usize) -> Result<Option<(u64, Arc<str>, Work)>> {
        loop {
            let Some((path, stream)) = &mut self.current else {
                let Some(path) = self.paths.pop_front() else { return Ok(None) };
                let stream = self.open(&path).map_err(|e| in_file(e, &path))?;
                self.current = Some((path.into(), stream));
                continue;
            };
            let work = match stream {
                Stream::Cut(splitter) => {
                    splitter.next().map(|s| s.map(|s| Work::Text(s, splitter.parser())))
                }
                Stream::Parse(input) => input.next(max_rows).map(|c| c.map(Work::Rows)),
            };
            let work = work.map_err(|e| in_file(e, path))?;
            if let Some(work) = work {
                let sequence = self.sequence;
                self.sequence += 1;
                return Ok(Some((sequence, Arc::clone(path), work)));
            }
            self.current = None;
        }
    }

    /// After an error nothing more is read.
    fn stop(&mut self) {
        self.paths.clear();
        self.current = None;
    }
}

struct TextReader {
    state: Arc<Mutex<Option<Streams>>>,
    /// Positions of the wanted columns among those parsed.
    picked: Vec<usize>,
    max_rows: usize,
    /// Parsed rows not given out yet, and where they go on.
    rest: Option<(Morsel, usize)>,
}

impl TextReader {
    fn take_work(&self) -> Result<Option<(u64, Arc<str>, Work)>> {
        let mut state = lock(&self.state);
        let Some(streams) = state.as_mut() else { return Ok(None) };
        let work = streams.next(self.max_rows);
        if work.is_err() {
            streams.stop();
        }
        work
    }
}

impl RawReader for TextReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        loop {
            if let Some((Morsel { sequence, chunk }, start)) = self.rest.take() {
                let rows = self.max_rows.min(chunk.rows - start);
                let (sequence, piece) = (sequence, chunk.slice(start, rows));
                if start + rows < chunk.rows {
                    self.rest = Some((Morsel { sequence, chunk }, start + rows));
                }
                return Ok(Some(Morsel { sequence, chunk: piece }));
            }
            let Some((sequence, path, work)) = self.take_work()? else { return Ok(None) };
            let chunk = match work {
                Work::Rows(chunk) => chunk,
                Work::Text(segment, parser) => {
                    parser.parse(&segment).map_err(|e| in_file(e, &path))?
                }
            };
            if chunk.rows > 0 {
                let columns = self.picked.iter().map(|&c| chunk.columns[c].clone()).collect();
                let chunk = Chunk::new(columns, chunk.rows);
                self.rest = Some((Morsel { sequence, chunk }, 0));
            }
        }
    }
}
