//! Changes of rows in blocks that are in memory: what the mutations of Memory tables and of keyed
//! tables share.

use entasis_base::{Error, Result};
use entasis_column::{Bitmap, Chunk, Column};

/// The addresses of some rows of a block: the block's number in the upper half, the row's in the
/// lower.
pub(crate) fn addresses(block: usize, start: usize, rows: usize) -> Column {
    let first = ((block as u64) << 32) + start as u64;
    Column::from((first..first + rows as u64).collect::<Vec<u64>>())
}

/// Rows of one block, ascending, with their places among all rows of the change.
pub(crate) type OfBlock = (usize, Vec<(u32, u32)>);

/// Divides addresses by blocks.
pub(crate) fn by_block(chunks: &[Chunk]) -> Result<Vec<OfBlock>> {
    let mut all: Vec<(u64, u32)> = Vec::new();
    for chunk in chunks {
        let Some(Column::UInt64(addresses)) = chunk.columns.first().map(Column::full) else {
            return Err(Error::logical("The addresses of a mutation have another type"));
        };
        let first = all.len() as u32;
        all.extend((first..).zip(addresses.iter()).map(|(place, address)| (*address, place)));
    }
    all.sort_unstable();
    let blocks = all.chunk_by(|a, b| a.0 >> 32 == b.0 >> 32);
    let of_block = |rows: &[(u64, u32)]| {
        let rows_of = rows.iter().map(|(address, place)| (*address as u32, *place)).collect();
        ((rows[0].0 >> 32) as usize, rows_of)
    };
    Ok(blocks.map(of_block).collect())
}

/// The new values of columns in rows that hold addresses, followed by `count` values.
pub(crate) fn new_values(rows: &[Chunk], count: usize) -> Vec<Column> {
    let new = |at: usize| {
        let parts: Vec<&Column> = rows.iter().map(|chunk| &chunk.columns[at]).collect();
        Column::concat(&parts).full()
    };
    (1..=count).map(new).collect()
}

/// The columns of a block without some rows.
pub(crate) fn without(columns: &[Column], rows: &[(u32, u32)]) -> Chunk {
    let len = columns.first().map_or(0, Column::len);
    let mut bits = Bitmap::constant(true, len).words().to_vec();
    for (row, _) in rows {
        bits[*row as usize / 64] &= !(1 << (row % 64));
    }
    let mask = Bitmap::from_words(bits, len);
    let left = mask.count_ones();
    Chunk::new(columns.iter().map(|column| column.filter(&mask)).collect(), left)
}

/// The columns of a block, of which those at some positions have new values in some rows.
pub(crate) fn with_values(
    mut all: Vec<Column>,
    positions: &[usize],
    values: &[Column],
    rows: &[(u32, u32)],
) -> Chunk {
    let len = all.first().map_or(0, Column::len);
    let places: Vec<u32> = rows.iter().map(|(_, place)| *place).collect();
    let mut from: Vec<u32> = (0..len as u32).collect();
    for (i, (row, _)) in rows.iter().enumerate() {
        from[*row as usize] = (len + i) as u32;
    }
    for (&position, values) in positions.iter().zip(values) {
        let both = [&all[position], &values.take(&places)];
        all[position] = Column::concat(&both).take(&from);
    }
    Chunk::new(all, len)
}
