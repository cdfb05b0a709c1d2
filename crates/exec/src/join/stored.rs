//! A column of a join's right side, with all its rows.

use std::sync::Arc;

use entasis_base::scope;
use entasis_column::Column;
use entasis_column::bitmap::BitmapBuilder;
use entasis_types::{DataType, Physical};

/// Bytes after which another segment begins: offsets of strings and lists have 32 bits.
const SEGMENT_BYTES: usize = if cfg!(test) { 2 << 10 } else { 2 << 30 };

/// All rows of a column, and a default row behind them, for left rows without a match. It is one
/// column unless it is very large.
#[derive(Clone)]
pub struct StoredColumn {
    segments: Arc<Vec<Column>>,
    /// The number of each segment's first row, and the number of all rows.
    starts: Vec<u32>,
}

impl StoredColumn {
    /// Joins the columns of all chunks. `ty` is the type of the output; only whether it is Nullable
    /// matters for the default row.
    pub fn new(columns: &[Column], ty: &DataType) -> Self {
        let nullable = columns.first().is_some_and(|c| c.physical() == Physical::Nullable);
        let plain = if nullable { ty } else { ty.without_nullable() };
        let default = Column::default_of(plain, 1);
        let (mut segments, mut starts) = (Vec::new(), vec![0]);
        let (mut open, mut bytes, mut rows) = (Vec::new(), 0, 0);
        for column in columns.iter().chain([&default]) {
            let size = bytes_of(column);
            if bytes + size > SEGMENT_BYTES && !open.is_empty() {
                segments.push(Column::concat(&open));
                starts.push(rows);
                open.clear();
                bytes = 0;
                scope::check_or_unwind(0);
            }
            bytes += size;
            rows += column.len() as u32;
            open.push(column);
        }
        segments.push(Column::concat(&open));
        starts.push(rows);
        Self { segments: Arc::new(segments), starts }
    }

    /// The same column as Nullable, where only the default row is NULL.
    pub fn into_nullable(self) -> Self {
        if self.segments.iter().all(|c| c.physical() == Physical::Nullable) {
            return self;
        }
        let count = self.segments.len();
        let wrapped = self.segments.iter().enumerate().map(|(at, column)| {
            let mut valid = BitmapBuilder::default();
            valid.push_n(true, column.len() - usize::from(at + 1 == count));
            if at + 1 == count {
                valid.push(false);
            }
            Column::nullable(column.clone(), valid.finish())
        });
        Self { segments: Arc::new(wrapped.collect()), starts: self.starts }
    }

    /// The same column without constants and dictionaries.
    pub fn full(self) -> Self {
        let full = self.segments.iter().map(Column::full).collect();
        Self { segments: Arc::new(full), starts: self.starts }
    }

    /// The segment of a row, and the row's place in it.
    #[inline]
    pub fn at(&self, row: u32) -> (&Column, usize) {
        if let [one] = &self.segments[..] {
            return (one, row as usize);
        }
        let segment = self.starts.partition_point(|start| *start <= row) - 1;
        (&self.segments[segment], (row - self.starts[segment]) as usize)
    }

    /// The first `rows` rows as one column; `None` if they are too many bytes for one.
    pub fn whole(&self, rows: usize) -> Option<Column> {
        match &self.segments[..] {
            [one] => Some(one.slice(0, rows)),
            _ => None,
        }
    }

    /// These rows.
    pub fn take(&self, rows: &[u32]) -> Column {
        if let [one] = &self.segments[..] {
            return one.take(rows);
        }
        let mut places = vec![0; rows.len()];
        let (mut taken, mut next) = (Vec::new(), 0);
        for (segment, ends) in self.segments.iter().zip(self.starts.windows(2)) {
            let mut local = Vec::new();
            for (place, row) in places.iter_mut().zip(rows) {
                if (ends[0]..ends[1]).contains(row) {
                    local.push(row - ends[0]);
                    *place = next;
                    next += 1;
                }
            }
            if !local.is_empty() {
                taken.push(segment.take(&local));
            }
        }
        match &taken[..] {
            [] => self.segments[0].slice(0, 0),
            [one] => one.clone(),
            several => Column::concat(&several.iter().collect::<Vec<_>>()).take(&places),
        }
    }

    /// `len` rows from `start` on.
    pub fn slice(&self, start: usize, len: usize) -> Column {
        if let [one] = &self.segments[..] {
            return one.slice(start, len);
        }
        let mut pieces = Vec::new();
        for (segment, ends) in self.segments.iter().zip(self.starts.windows(2)) {
            let from = start.max(ends[0] as usize);
            let to = (start + len).min(ends[1] as usize);
            if from < to {
                pieces.push(segment.slice(from - ends[0] as usize, to - from));
            }
        }
        match &pieces[..] {
            [] => self.segments[0].slice(0, 0),
            pieces => Column::concat(&pieces.iter().collect::<Vec<_>>()),
        }
    }

    pub fn byte_size(&self) -> usize {
        self.segments.iter().map(Column::byte_size).sum()
    }
}

/// Bytes of a column; of a slice of strings only those of its own rows.
fn bytes_of(column: &Column) -> usize {
    match column {
        Column::String(strings) => strings.bytes().len() + 4 * strings.len(),
        other => other.byte_size(),
    }
}
