//! Fetches rows of a table in memory by their addresses ([`crate::changed::addresses`]).

use std::sync::Arc;

use entasis_base::{Error, Result, scope};
use entasis_column::Column;
use entasis_column::subcolumn::subcolumn;
use entasis_table_api::{Addresses, Fetched, ScanColumn};

use super::{Block, Columns};

/// How rows are fetched.
pub(super) fn addresses(table: &Columns) -> Addresses {
    let (position, columns) = (table.schema.columns.len(), table.schema.stored().len());
    Addresses { position, columns, rows_at_once: 1, of_file: false }
}

/// The values of columns in the rows at these addresses, which ascend.
pub(super) fn rows(
    table: &Arc<Columns>,
    blocks: &[Block],
    wanted: &[ScanColumn],
    addresses: &[u64],
) -> Result<Fetched> {
    let mut pieces: Vec<Vec<Column>> = vec![Vec::new(); wanted.len()];
    for of_block in addresses.chunk_by(|a, b| a >> 32 == b >> 32) {
        scope::check()?;
        let rows: Vec<u32> = of_block.iter().map(|address| *address as u32).collect();
        let block = blocks.get((of_block[0] >> 32) as usize);
        let has_them = |block: &&Block| rows.last().is_some_and(|r| block.holds(*r));
        let block =
            block.filter(has_them).ok_or_else(|| Error::logical("a row without a block"))?;
        for (column, pieces) in wanted.iter().zip(&mut pieces) {
            let whole = block.column(table, column.position, 0, block.chunk.rows);
            let values = whole.take(&rows);
            pieces.push(subcolumn(&values, column.path.steps())?.full());
        }
    }
    let columns: Vec<Column> = pieces.iter().map(|pieces| joined(pieces)).collect();
    let bytes = columns.iter().map(|column| column.byte_size() as u64).sum();
    Ok(Fetched { columns, bytes })
}

fn joined(pieces: &[Column]) -> Column {
    Column::concat(&pieces.iter().collect::<Vec<_>>())
}

impl Block {
    /// Whether the block has a row of this number.
    fn holds(&self, row: u32) -> bool {
        (row as usize) < self.chunk.rows
    }
}
