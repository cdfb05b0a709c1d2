//! The rows of one change, sorted by their addresses and divided by parts.

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column};

use crate::sort;

/// The rows of a part that a change concerns.
pub(super) struct OfPart {
    /// The number of the part among those of the mutation.
    pub(super) part: usize,
    /// Positions among the stored rows of the part, ascending.
    pub(super) positions: Vec<u32>,
    /// The new values of each changed column.
    pub(super) values: Vec<Column>,
}

/// Divides chunks of addresses and values by parts.
pub(super) fn by_part(chunks: &[Chunk], columns: usize) -> Result<Vec<OfPart>> {
    let chunks: Vec<&Chunk> = chunks.iter().filter(|chunk| chunk.rows > 0).collect();
    if chunks.is_empty() {
        return Ok(Vec::new());
    }
    if chunks.iter().any(|chunk| chunk.columns.len() != columns + 1) {
        return Err(Error::logical("A mutation gives another number of columns than it says"));
    }
    let column = |at: usize| {
        let parts: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[at]).collect();
        one_constant(&parts).unwrap_or_else(|| Column::concat(&parts))
    };
    let addresses = column(0).full();
    let order = sort::permutation(std::slice::from_ref(&addresses), &[]);
    let sorted = |column: Column| match &order {
        Some(order) => column.take(order),
        None => column,
    };
    let Column::UInt64(addresses) = sorted(addresses) else {
        return Err(Error::logical("The addresses of a mutation have another type"));
    };
    if addresses.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::logical("A mutation changes a row twice"));
    }
    let values: Vec<Column> = (1..=columns).map(|at| sorted(column(at))).collect();
    let mut out = Vec::new();
    let mut start = 0;
    for of_part in addresses.chunk_by(|a, b| a >> 32 == b >> 32) {
        let rows = of_part.len();
        out.push(OfPart {
            part: (of_part[0] >> 32) as usize,
            positions: of_part.iter().map(|address| *address as u32).collect(),
            values: values.iter().map(|column| column.slice(start, rows)).collect(),
        });
        start += rows;
    }
    Ok(out)
}

/// One constant for all rows, if all columns are the same constant: it then takes no memory.
fn one_constant(parts: &[&Column]) -> Option<Column> {
    let first = parts.first()?.as_const()?;
    let same = |column: &&Column| {
        let value = column.as_const();
        value.is_some_and(|v| entasis_column::compare::compare_values(v, 0, first, 0).is_eq())
    };
    let is_float = matches!(first, Column::Float32(_) | Column::Float64(_));
    let rows = parts.iter().map(|column| column.len()).sum();
    (!is_float && parts.iter().all(same)).then(|| Column::constant(first.clone(), rows))
}
