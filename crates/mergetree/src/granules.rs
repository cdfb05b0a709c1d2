//! How the rows of an INSERT are cut into granules.

use entasis_column::{Chunk, Column};

use crate::insert::chunk_bytes;
use crate::segment::stats;
use crate::table::TableCore;

/// Rows of each granule: at most `index_granularity`, and fewer where rows are wide.
pub(crate) fn of_rows(
    table: &TableCore,
    chunks: &[Chunk],
    (rows, bytes): (usize, usize),
    order: Option<&[u32]>,
) -> Vec<u32> {
    let settings = &table.config.settings;
    let most_rows = settings.index_granularity.max(1);
    let most_bytes = settings.index_granularity_bytes.max(1) as u64;
    let uniform = || {
        let mut out = vec![most_rows as u32; rows / most_rows];
        if !rows.is_multiple_of(most_rows) {
            out.push((rows % most_rows) as u32);
        }
        out
    };
    // Rows a hundred times wider than the mean are the exception; look at each only if they matter.
    let mean = bytes / rows.max(1) + 1;
    if !has_wide_values(chunks, most_bytes as usize / 16) && (mean * most_rows) as u64 <= most_bytes
    {
        return uniform();
    }
    let mut sizes: Vec<u32> = Vec::with_capacity(rows);
    for chunk in chunks {
        let start = sizes.len();
        sizes.resize(start + chunk.rows, 0);
        for column in &chunk.columns {
            add_row_bytes(column, &mut sizes[start..]);
        }
    }
    let mut out = Vec::new();
    let (mut count, mut bytes) = (0u32, 0u64);
    for i in 0..rows {
        let size = u64::from(sizes[order.map_or(i, |o| o[i] as usize)]);
        if count > 0 && (count as usize == most_rows || bytes + size > most_bytes) {
            out.push(count);
            (count, bytes) = (0, 0);
        }
        count += 1;
        bytes += size;
    }
    out.push(count);
    out
}

fn has_wide_values(chunks: &[Chunk], wide: usize) -> bool {
    chunks.iter().any(|chunk| {
        // Cheap: a chunk below the limit holds no such value.
        chunk_bytes(chunk) >= wide && chunk.columns.iter().any(|c| c.byte_size() >= wide)
    })
}

/// Adds what each row of a column takes, roughly for nested columns.
fn add_row_bytes(column: &Column, sizes: &mut [u32]) {
    match column {
        Column::String(s) => {
            for (size, ends) in sizes.iter_mut().zip(s.offsets().windows(2)) {
                *size = size.saturating_add(ends[1] - ends[0] + 4);
            }
        }
        other => {
            let rows = other.len();
            let wide = matches!(other, Column::Array(_) | Column::Tuple(_) | Column::Nullable(_));
            let mean = stats::raw_bytes(other) as usize / rows.max(1);
            for (i, size) in sizes.iter_mut().enumerate() {
                let bytes = if wide { other.slice(i, 1).byte_size() } else { mean };
                *size = size.saturating_add(bytes.min(u32::MAX as usize) as u32);
            }
        }
    }
}
