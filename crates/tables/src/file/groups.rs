//! Parquet files: every row group is a morsel, decoded by whichever worker is free.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::Event;
use entasis_base::Result;
use entasis_column::Header;
use entasis_format::{InputFormat, ParquetFile};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table::{ScanSpec, Schema, Snapshot};

use super::cast::Casts;
use super::{Target, in_file};
use crate::raw::{self, RawReader, RawRows};

/// Open files of one query.
pub(super) struct Groups {
    shared: Arc<Shared>,
}

struct Shared {
    target: Arc<Target>,
    header: Header,
    files: Vec<(String, ParquetFile)>,
    /// Position of the file, and row group in it.
    groups: Vec<(usize, usize)>,
    rows: u64,
}

impl Groups {
    /// Reads the footers.
    pub(super) fn open(target: &Arc<Target>, schema: &Schema, paths: &[String]) -> Result<Self> {
        let (mut files, mut groups, mut rows) = (Vec::new(), Vec::new(), 0);
        for path in paths {
            let open = || ParquetFile::open(target.open(path)?);
            let file = open().map_err(|e| in_file(e, path))?;
            groups.extend((0..file.row_groups()).map(|group| (files.len(), group)));
            rows += file.total_rows();
            files.push((path.clone(), file));
        }
        let (target, header) = (Arc::clone(target), schema.header());
        Ok(Self { shared: Arc::new(Shared { target, header, files, groups, rows }) })
    }
}

impl Snapshot for Groups {
    fn row_count(&self) -> Option<u64> {
        Some(self.shared.rows)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.shared.rows);
        let shared = Arc::clone(&self.shared);
        raw::scan(Arc::new(GroupRows { shared, next: Arc::default() }), spec, context)
    }
}

/// One scan of the row groups.
struct GroupRows {
    shared: Arc<Shared>,
    /// The next row group that nobody reads yet.
    next: Arc<AtomicUsize>,
}

impl RawRows for GroupRows {
    fn event(&self) -> Event {
        Event::FileRowsRead
    }

    fn name(&self) -> String {
        "File(Parquet)".to_string()
    }

    fn reader(&self, columns: &[usize], max_rows: usize) -> Result<Box<dyn RawReader>> {
        let wanted = columns.iter().map(|&c| self.shared.header[c].clone()).collect();
        Ok(Box::new(GroupReader {
            shared: Arc::clone(&self.shared),
            next: Arc::clone(&self.next),
            wanted: Header::new(wanted),
            max_rows: max_rows.max(1),
            casts: None,
            current: None,
        }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.shared.groups.len())
    }
}

struct GroupReader {
    shared: Arc<Shared>,
    next: Arc<AtomicUsize>,
    wanted: Header,
    max_rows: usize,
    /// Of the file with this position.
    casts: Option<(usize, Casts)>,
    /// The row group at hand, and its place in `groups`.
    current: Option<(usize, Box<dyn InputFormat>)>,
}

impl GroupReader {
    /// Takes the next row group; false if there is none.
    fn advance(&mut self) -> Result<bool> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(&(at, group)) = self.shared.groups.get(index) else { return Ok(false) };
        let (_, file) = &self.shared.files[at];
        let target = &self.shared.target;
        if self.casts.as_ref().is_none_or(|(of, _)| *of != at) {
            let from = file.file_header(&self.wanted)?;
            self.casts = Some((at, Casts::new(&from, &self.wanted, target.options.time_zone)?));
        }
        let input = file.read_row_group(group, &self.wanted, &target.options)?;
        self.current = Some((index, input));
        Ok(true)
    }

    fn step(&mut self) -> Result<Option<Morsel>> {
        loop {
            if let Some((index, input)) = &mut self.current {
                if let Some(chunk) = input.next(self.max_rows)? {
                    let chunk = match &self.casts {
                        Some((_, casts)) => casts.apply(chunk)?,
                        None => chunk,
                    };
                    return Ok(Some(Morsel { sequence: *index as u64, chunk }));
                }
                self.current = None;
            }
            if !self.advance()? {
                return Ok(None);
            }
        }
    }
}

impl RawReader for GroupReader {
    fn next(&mut self) -> Result<Option<Morsel>> {
        self.step().map_err(|error| match &self.casts {
            Some((at, _)) => in_file(error, &self.shared.files[*at].0),
            None => error,
        })
    }
}
