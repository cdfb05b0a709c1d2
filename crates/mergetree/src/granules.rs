//! How the rows of an INSERT are cut into granules.

use entasis_column::{Chunk, Column};

use crate::config::TableSettings;
use crate::insert::chunk_bytes;
use crate::segment::stats;

/// The number of rows of each granule: at most `index_granularity`, and fewer if rows are wide.
pub(crate) fn of_rows(
    settings: &TableSettings,
    chunks: &[Chunk],
    (rows, bytes): (usize, usize),
    order: Option<&[u32]>,
) -> Vec<u32> {
    let most_rows = settings.index_granularity.max(1);
    let most_bytes = settings.index_granularity_bytes.max(1) as u64;
    let uniform = || {
        let mut out = vec![most_rows as u32; rows / most_rows];
        if !rows.is_multiple_of(most_rows) {
            out.push((rows % most_rows) as u32);
        }
        out
    };
    // Rows that are a hundred times wider than the mean are rare. Each row's size is computed only
    // if there may be such rows.
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
        // The first check is cheap: a chunk below the limit holds no such value.
        chunk_bytes(chunk) >= wide && chunk.columns.iter().any(|c| c.byte_size() >= wide)
    })
}

/// Adds the approximate size of each row of a column. Linear in rows and elements.
fn add_row_bytes(column: &Column, sizes: &mut [u32]) {
    match column {
        Column::Array(array) => {
            let (ends, elements) = array.flat();
            let mut of_elements = vec![0; elements.len()];
            add_row_bytes(&elements, &mut of_elements);
            for (size, ends) in sizes.iter_mut().zip(ends.windows(2)) {
                let elements = &of_elements[ends[0] as usize..ends[1] as usize];
                *size = elements.iter().fold(size.saturating_add(4), |a, b| a.saturating_add(*b));
            }
        }
        Column::Tuple(tuple) => tuple.columns.iter().for_each(|part| add_row_bytes(part, sizes)),
        Column::Variant(variant) => {
            for d in 0..variant.variants.len() as u8 {
                let rows = variant.rows_of(d);
                let mut of_values = vec![0; rows.len()];
                add_row_bytes(&variant.values_of(d), &mut of_values);
                for (&row, size) in rows.iter().zip(of_values) {
                    let all = &mut sizes[row as usize];
                    *all = all.saturating_add(size);
                }
            }
            sizes.iter_mut().for_each(|size| *size = size.saturating_add(1));
        }
        Column::Nullable(_) => add_row_bytes(column.split_nullable().1, sizes),
        Column::String(s) => {
            for (size, ends) in sizes.iter_mut().zip(s.offsets().windows(2)) {
                *size = size.saturating_add(ends[1] - ends[0] + 4);
            }
        }
        other => {
            let mean = stats::raw_bytes(other) as usize / other.len().max(1);
            let mean = mean.min(u32::MAX as usize) as u32;
            sizes.iter_mut().for_each(|size| *size = size.saturating_add(mean));
        }
    }
}

#[cfg(test)]
mod tests {
    use entasis_column::{Bitmap, Strings};

    use super::*;

    #[test]
    fn rows_are_as_wide_as_what_is_in_them() {
        let texts: Strings = ["", "abc", "x", "12345", "?"].into_iter().collect();
        let list = Column::array(vec![0, 2, 2, 5].into(), texts.into());
        let valid = Bitmap::from_bytes(&[1, 0, 1]);
        let number = Column::nullable(Column::from(vec![1u64, 0, 3]), valid);
        let mut sizes = vec![0; 3];
        add_row_bytes(&Column::tuple(vec![list.clone(), number], 3), &mut sizes);
        // A list costs 4 bytes, a text 4 bytes plus its length, a number 8 bytes.
        assert_eq!(sizes, [4 + 8 + 3 + 8, 4 + 8, 4 + 12 + 7 + 8]);
        let mut sizes = vec![u32::MAX - 5; 2];
        add_row_bytes(&list.slice(1, 2), &mut sizes);
        assert_eq!(sizes, [u32::MAX - 1, u32::MAX]);
    }
}
