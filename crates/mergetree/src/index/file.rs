//! The file of an index: a segment whose columns the type of index decides.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column};

use crate::segment::{Mode, Segment};

/// Most rows of a granule of the file.
const MOST_ROWS: usize = 8192;
/// A granule of the file ends before it would have more bytes than this.
const MOST_BYTES: usize = 256 << 10;

/// The content of an index's file.
#[derive(Debug)]
pub struct IndexData {
    /// The rows, which are divided into granules.
    pub rows: Chunk,
    /// Whether the rows are sorted by the first column, whose value at the beginning of each
    /// granule is then kept as a sparse index.
    pub sorted: bool,
}

impl IndexData {
    /// Rows that are in the order of the blocks, one for each.
    pub fn of_blocks(columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, Column::len);
        Self { rows: Chunk::new(columns, rows), sorted: false }
    }

    /// The rows of each granule of the file.
    pub(super) fn granules(&self) -> Vec<u32> {
        let rows = self.rows.rows;
        let bytes: usize = self.rows.columns.iter().map(Column::byte_size).sum();
        let most = match bytes.div_ceil(rows.max(1)) {
            0 => MOST_ROWS,
            per_row => (MOST_BYTES / per_row).clamp(1, MOST_ROWS),
        };
        (0..rows).step_by(most).map(|start| most.min(rows - start) as u32).collect()
    }
}

/// An open file of an index.
#[derive(Clone, Debug)]
pub struct IndexFile(pub(super) Arc<Segment>);

impl IndexFile {
    /// The number of rows of each granule of the file.
    pub fn granules(&self) -> &[u32] {
        &self.0.granules
    }

    /// The values of a column in a granule, as a full column.
    pub fn read(&self, column: usize, granule: usize) -> Result<Column> {
        if column >= self.0.column_count() || granule >= self.0.granules.len() {
            return Err(Error::logical("An index reads past the end of its file"));
        }
        let values = match self.0.meta(column)?.mode {
            Mode::Plain => None,
            Mode::Constant | Mode::Dictionary => Some(self.0.read_dictionary(column)?),
        };
        let mut buffer = Vec::new();
        Ok(self.0.read_granule(column, granule, values.as_ref(), &mut buffer)?.full())
    }

    /// The first value of the first column in each granule, and the last value of the file; empty
    /// unless the rows are sorted.
    pub fn first_values(&self) -> Result<Option<&Column>> {
        Ok(self.0.index()?.first())
    }

    /// Calls `may_match` for each block that is still `true`, in a file with one row for each
    /// block: with the columns of a granule, and the row within it.
    pub fn narrow_blocks(
        &self,
        blocks: &mut [bool],
        may_match: &mut dyn FnMut(&[Column], usize) -> Result<bool>,
    ) -> Result<()> {
        let mut start = 0;
        for (granule, &rows) in self.0.granules.iter().enumerate() {
            let rest = blocks.get_mut(start..).unwrap_or_default();
            let count = rest.len().min(rows as usize);
            let here = &mut rest[..count];
            start += rows as usize;
            if !here.contains(&true) {
                continue;
            }
            let columns: Vec<Column> = (0..self.0.column_count())
                .map(|column| self.read(column, granule))
                .collect::<Result<_>>()?;
            for (row, block) in here.iter_mut().enumerate().filter(|(_, block)| **block) {
                *block = may_match(&columns, row)?;
            }
        }
        Ok(())
    }
}
