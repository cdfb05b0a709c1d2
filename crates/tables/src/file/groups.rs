//! Parquet files: every row group is a morsel, which any free worker decodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::{Error, Result};
use entasis_column::subcolumn::subcolumn;
use entasis_column::{Chunk, Field, Header};
use entasis_format::{GroupStatistics, InputFormat, ParquetFile};
use entasis_pipeline::{Morsel, QueryContext, Source};
use entasis_table_api::{Addresses, ColumnStatistics, Fetched, ScanColumn, ScanSpec, Snapshot};

use super::beside::{FileReader, FileRows, Layout, Piece, Placed};
use super::{Target, in_file};
use crate::raw;

/// About how many rows are in a page, which is decoded as a whole.
const PAGE_ROWS: u64 = 8192;

/// The open files of one query.
pub(super) struct Groups {
    shared: Arc<Shared>,
}

struct Shared {
    target: Arc<Target>,
    layout: Arc<Layout>,
    paths: Arc<[String]>,
    files: Vec<ParquetFile>,
    groups: Vec<Group>,
    rows: u64,
}

struct Group {
    /// The index of the file.
    file: usize,
    /// The row group's index in the file.
    group: usize,
    /// The number of rows of the file before this row group.
    first_row: u64,
}

impl Groups {
    /// Opens the files and reads their footers.
    pub(super) fn open(
        target: &Arc<Target>,
        layout: &Arc<Layout>,
        paths: Arc<[String]>,
    ) -> Result<Self> {
        let (mut files, mut groups, mut rows) = (Vec::new(), Vec::new(), 0);
        for path in paths.iter() {
            let open = || ParquetFile::open(target.open(path)?);
            let file = open().map_err(|e| in_file(e, path))?;
            let mut first_row = 0;
            for group in 0..file.row_groups() {
                groups.push(Group { file: files.len(), group, first_row });
                first_row += file.rows(group);
            }
            rows += file.total_rows();
            files.push(file);
        }
        let (target, layout) = (Arc::clone(target), Arc::clone(layout));
        Ok(Self { shared: Arc::new(Shared { target, layout, paths, files, groups, rows }) })
    }
}

impl Snapshot for Groups {
    fn row_count(&self) -> Option<u64> {
        Some(self.shared.rows)
    }

    fn column_statistics(&self, position: usize) -> Option<Arc<ColumnStatistics>> {
        let field = self.shared.layout.of_file(position)?;
        let mut each = Vec::with_capacity(self.shared.groups.len());
        for file in &self.shared.files {
            each.extend(file.column_statistics(&field.name, &field.ty)?.into_iter().map(of_group));
        }
        let mut merged = ColumnStatistics::merge(&each);
        // There cannot be more whole numbers than lie between the bounds. If that is more than the
        // rows, it says nothing.
        if field.ty.without_nullable().is_native_integer()
            && let (Some(min), Some(max)) = (&merged.min, &merged.max)
            && let (Some(min), Some(max)) = (min.as_f64(), max.as_f64())
        {
            let most = (max - min + 1.0) as u64;
            let known = merged.distinct.map(|distinct| distinct.min(most));
            merged.distinct = known.or((most <= merged.rows - merged.nulls).then_some(most));
        }
        Some(Arc::new(merged))
    }

    fn addresses(&self, _spec: &ScanSpec) -> Option<Addresses> {
        let Shared { layout, target, files, .. } = &*self.shared;
        let is_short = |file: &ParquetFile| file.total_rows() < u64::from(u32::MAX);
        // Each fetch asks for bytes again, which takes long over a network.
        let has_them = target.place.is_local() && files.iter().all(is_short);
        has_them.then(|| Addresses {
            position: layout.address(),
            columns: layout.first_columns(),
            of_file: true,
            rows_at_once: PAGE_ROWS,
        })
    }

    fn fetch(
        &self,
        columns: &[ScanColumn],
        addresses: &[u64],
        context: &QueryContext,
    ) -> Result<Fetched> {
        let mut pieces = Vec::new();
        for of_file in addresses.chunk_by(|a, b| a >> 32 == b >> 32) {
            let file = (of_file[0] >> 32) as usize;
            let rows: Vec<u32> = of_file.iter().map(|address| *address as u32).collect();
            self.shared.fetch(file, &rows, columns, context, &mut pieces)?;
        }
        let rows = Chunk::concat(&pieces);
        let part = |(at, column): (usize, &ScanColumn)| {
            Ok(subcolumn(&rows.columns[at], column.path.steps())?.full())
        };
        let columns = columns.iter().enumerate().map(part).collect::<Result<_>>()?;
        Ok(Fetched { columns, bytes: rows.byte_size() as u64 })
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        context.progress.add_total(self.shared.rows);
        let shared = Arc::clone(&self.shared);
        let rows = Placed {
            target: Arc::clone(&shared.target),
            layout: Arc::clone(&shared.layout),
            paths: Arc::clone(&shared.paths),
            rows: Arc::new(GroupRows { shared, next: Arc::default() }),
        };
        raw::scan(Arc::new(rows), spec, context)
    }
}

impl Shared {
    /// Reads rows of a file, given by their ascending numbers, row group by row group.
    fn fetch(
        &self,
        file: usize,
        rows: &[u32],
        columns: &[ScanColumn],
        context: &QueryContext,
        out: &mut Vec<Chunk>,
    ) -> Result<()> {
        let lost = || Error::logical("rows of a file that are not in it");
        let field = |column: &ScanColumn| self.layout.of_file(column.position).cloned();
        let wanted: Option<Vec<Field>> = columns.iter().map(field).collect();
        let wanted = Header::new(wanted.ok_or_else(lost)?);
        let source = self.files.get(file).ok_or_else(lost)?;
        for group in self.groups.iter().filter(|group| group.file == file) {
            let (first, end) = (group.first_row, group.first_row + source.rows(group.group));
            let inside = rows.iter().filter(|row| (first..end).contains(&u64::from(**row)));
            let inside: Vec<u32> = inside.map(|row| row - first as u32).collect();
            if inside.is_empty() {
                continue;
            }
            context.cancel.check()?;
            let named = |e| in_file(e, &self.paths[file]);
            let reader = source.read_rows(group.group, &inside, &wanted, &self.target.options);
            let mut reader = reader.map_err(named)?;
            while let Some(chunk) = reader.next(inside.len()).map_err(named)? {
                out.push(chunk);
            }
        }
        Ok(())
    }
}

fn of_group(group: GroupStatistics) -> ColumnStatistics {
    let GroupStatistics { rows, nulls, distinct, min, max, bytes } = group;
    ColumnStatistics {
        rows,
        nulls: nulls.unwrap_or(0).min(rows),
        distinct,
        min,
        max,
        average_width: (rows > 0).then(|| bytes as f64 / rows as f64),
        ..ColumnStatistics::default()
    }
}

/// One scan of the row groups.
struct GroupRows {
    shared: Arc<Shared>,
    /// The next row group that no reader has taken.
    next: Arc<AtomicUsize>,
}

impl FileRows for GroupRows {
    fn name(&self) -> String {
        "File(Parquet)".to_string()
    }

    fn reader(
        &self,
        columns: &[usize],
        max_rows: usize,
        _counts: bool,
    ) -> Result<Box<dyn FileReader>> {
        let stored = &self.shared.layout.stored;
        let wanted = columns.iter().map(|&c| stored[c].clone()).collect();
        Ok(Box::new(GroupReader {
            shared: Arc::clone(&self.shared),
            next: Arc::clone(&self.next),
            wanted: Header::new(wanted),
            max_rows: max_rows.max(1),
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
    /// The row group that is being read.
    current: Option<Current>,
}

struct Current {
    /// The row group's index in `groups`.
    index: usize,
    /// The number of its rows that were read.
    read: u64,
    input: Box<dyn InputFormat>,
}

impl GroupReader {
    /// Takes the next row group; `false` if there is none.
    fn advance(&mut self) -> Result<bool> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(group) = self.shared.groups.get(index) else { return Ok(false) };
        let open = || {
            let file = &self.shared.files[group.file];
            file.read_row_group(group.group, &self.wanted, &self.shared.target.options)
        };
        let input = open().map_err(|e| in_file(e, &self.shared.paths[group.file]))?;
        self.current = Some(Current { index, read: 0, input });
        Ok(true)
    }
}

impl FileReader for GroupReader {
    fn next(&mut self) -> Result<Option<Piece>> {
        loop {
            if let Some(current) = &mut self.current {
                let group = &self.shared.groups[current.index];
                let next = current.input.next(self.max_rows);
                let next = next.map_err(|e| in_file(e, &self.shared.paths[group.file]))?;
                if let Some(chunk) = next {
                    let first_row = group.first_row + current.read;
                    current.read += chunk.rows as u64;
                    let morsel = Morsel { sequence: current.index as u64, chunk };
                    return Ok(Some(Piece { morsel, file: group.file, first_row }));
                }
                self.current = None;
            }
            if !self.advance()? {
                return Ok(None);
            }
        }
    }
}
