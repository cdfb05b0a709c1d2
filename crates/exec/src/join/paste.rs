//! PASTE JOIN: the rows of both sides, in their orders, side by side. The side that is estimated to
//! be smaller is read first; no more rows than it has are read of the other one.

use std::sync::{Arc, OnceLock};

use entasis_base::Result;
use entasis_column::{Chunk, Column};
use entasis_plan::{Join, estimate};

use crate::build::{Builder, Stream, positions};
use crate::gather::{Gather, GatherSink, Wanted};

/// Reads both sides and pastes them together.
pub fn streams(builder: &mut Builder<'_>, join: &Join) -> Result<Vec<Stream>> {
    let left = positions(&join.left.outputs(), &join.left_outputs)?;
    let right = positions(&join.right.outputs(), &join.right_outputs)?;
    let left_first = estimate(&join.left) <= estimate(&join.right);
    let mut sides = [(&join.left, left), (&join.right, right)];
    if !left_first {
        sides.reverse();
    }
    let [(first, first_places), (second, places)] = sides;

    let first = builder.streams(first, true)?;
    let mut second = builder.streams(second, true)?;
    let strict = !second.iter().any(|stream| stream.selective);
    let known: Arc<OnceLock<Vec<Chunk>>> = Arc::default();
    let wanted: Arc<OnceLock<Wanted>> = Arc::default();
    let (keep, limit) = (Arc::clone(&known), Arc::clone(&wanted));
    let then = Box::new(move |chunks: Vec<Chunk>| {
        let rows = chunks.iter().map(|chunk| chunk.rows as u64).sum();
        let _ = limit.set(Wanted::first(rows, strict));
        let _ = keep.set(select(chunks, &first_places));
        Ok(Vec::new())
    });
    let (sink, _) = Gather::create(None, builder.context, then);
    let sink: Arc<dyn entasis_pipeline::Sink> = Arc::new(GatherSink(sink));
    let before = builder.end(first, &sink, true);

    second.iter_mut().for_each(|stream| stream.after.extend(&before));
    let then = Box::new(move |chunks: Vec<Chunk>| {
        let own = select(chunks, &places);
        let other = known.get().cloned().unwrap_or_default();
        Ok(if left_first { pasted(&other, &own) } else { pasted(&own, &other) })
    });
    let (sink, source) = Gather::create_later(wanted, builder.context, then);
    Ok(builder.break_at(second, Arc::new(GatherSink(sink)), source, true))
}

/// The chunks with the columns at these places.
fn select(chunks: Vec<Chunk>, places: &[usize]) -> Vec<Chunk> {
    let select = |chunk: Chunk| {
        let columns: Vec<Column> = places.iter().map(|p| chunk.columns[*p].clone()).collect();
        Chunk::new(columns, chunk.rows)
    };
    chunks.into_iter().map(select).collect()
}

/// Rows of the left side beside rows of the right side, as many as both have.
fn pasted(left: &[Chunk], right: &[Chunk]) -> Vec<Chunk> {
    let mut out = Vec::new();
    // The chunks that come next, and how many of their rows are already used.
    let (mut left_at, mut right_at) = ((0, 0), (0, 0));
    while let (Some(l), Some(r)) = (left.get(left_at.0), right.get(right_at.0)) {
        let rows = (l.rows - left_at.1).min(r.rows - right_at.1);
        let parts = [l.slice(left_at.1, rows), r.slice(right_at.1, rows)];
        if rows > 0 {
            out.push(Chunk::new(parts.into_iter().flat_map(|part| part.columns).collect(), rows));
        }
        left_at = advanced(left_at, rows, l.rows);
        right_at = advanced(right_at, rows, r.rows);
    }
    out
}

/// The place so many rows further on, in the next chunk if this one of `len` rows is used up.
fn advanced((chunk, used): (usize, usize), rows: usize, len: usize) -> (usize, usize) {
    if used + rows == len { (chunk + 1, 0) } else { (chunk, used + rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(parts: &[&[u8]]) -> Vec<Chunk> {
        let chunk = |part: &&[u8]| Chunk::new(vec![Column::from(part.to_vec())], part.len());
        parts.iter().map(chunk).collect()
    }

    #[test]
    fn pastes_chunks_of_different_lengths() {
        let out = pasted(&chunks(&[&[1, 2, 3], &[4]]), &chunks(&[&[5], &[6, 7], &[8, 9]]));
        let rows: Vec<usize> = out.iter().map(|chunk| chunk.rows).collect();
        assert_eq!(rows, [1, 2, 1]);
        assert!(pasted(&chunks(&[&[1]]), &[]).is_empty());
    }
}
