//! Joins on an OR of equalities: one hash table for each branch. The matches of a left row are the
//! rows that any of them has for it, each of them once, in the order of the right side.

use std::ops::Range;

use entasis_base::Result;
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
use entasis_column::{Chunk, Column};
use entasis_expr::ColumnId;
use entasis_types::DataType;

use super::build::{no_range, split_keys, widened};
use super::table::{Filled, KeyPiece, Table, Workers};
use crate::aggregate::keys::{KeyLayout, Keys};
use crate::build::positions;

/// Matches that are looked at together; those of one left row are not divided.
const TOGETHER: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// A branch, with positions instead of column ids.
pub struct Branch {
    /// The types of the keys, without Nullable.
    types: Vec<DataType>,
    /// The places of the left keys among the columns by which rows are looked up.
    left: Range<usize>,
    /// The places of the right keys among the columns that are kept.
    right: Vec<usize>,
}

impl Branch {
    /// The branches of a join. `types` are the types of the left keys of all branches.
    pub fn all(
        lists: &[Vec<(ColumnId, ColumnId)>],
        types: &[DataType],
        kept: &[ColumnId],
    ) -> Result<Vec<Self>> {
        let mut start = 0;
        let mut branches = Vec::with_capacity(lists.len());
        for list in lists {
            let left = start..start + list.len();
            start = left.end;
            let right: Vec<ColumnId> = list.iter().map(|(_, right)| *right).collect();
            let types = types[left.clone()].iter().map(|ty| ty.without_nullable().clone());
            branches.push(Self { types: types.collect(), left, right: positions(kept, &right)? });
        }
        Ok(branches)
    }
}

/// The tables of all branches.
pub struct Alternatives(Vec<Alternative>);

struct Alternative {
    layout: KeyLayout,
    filled: Filled,
    left: Range<usize>,
}

/// The left rows whose matches are looked at together, their matches, and where those of each row
/// are.
pub struct Matches {
    pub rows: Range<usize>,
    pub found: Found,
    pub lists: Vec<u32>,
}

impl Alternatives {
    /// Fills the tables with the kept columns of all chunks.
    pub fn build(branches: &[Branch], chunks: &[Chunk], workers: Workers<'_>) -> Result<Self> {
        let fill = |branch: &Branch| {
            let layout = KeyLayout::choose(&branch.types);
            let mut range = no_range(&branch.types);
            let (mut pieces, mut first) = (Vec::with_capacity(chunks.len()), 0);
            for chunk in chunks {
                let columns: Vec<Column> =
                    branch.right.iter().map(|at| chunk.columns[*at].clone()).collect();
                let (mut plain, valid) = split_keys(&columns, None);
                let picked = valid.map(|valid| valid.indices());
                if let Some(picked) = &picked {
                    plain = plain.iter().map(|column| column.take(picked)).collect();
                }
                let rows = picked.as_ref().map_or(chunk.rows, Vec::len);
                let keys = widened(layout.encode(&plain, rows)?);
                if let Keys::U64(keys) = &keys {
                    range.add(keys);
                }
                pieces.push(KeyPiece { keys, first, picked });
                first += chunk.rows as u32;
            }
            let filled = Table::fill(pieces, range, workers)?;
            Ok(Alternative { layout, filled, left: branch.left.clone() })
        };
        Ok(Self(branches.iter().map(fill).collect::<Result<_>>()?))
    }

    /// Looks up the rows of a chunk. `columns` are the left keys of all branches.
    pub fn find(&self, columns: &[Column], rows: usize) -> Result<Lookup<'_>> {
        let mut found = Vec::with_capacity(self.0.len());
        for of in &self.0 {
            found.push(of.find(&columns[of.left.clone()], rows)?);
        }
        Ok(Lookup { alternatives: self, found, rows, at: 0 })
    }

    pub fn byte_size(&self) -> usize {
        let size = |of: &Alternative| of.filled.table.byte_size() + 4 * of.filled.order.len();
        self.0.iter().map(size).sum()
    }
}

impl Alternative {
    fn find(&self, columns: &[Column], rows: usize) -> Result<Found> {
        let mut found = Found::default();
        if let Table::Empty = self.filled.table {
            found.fill(rows, (NONE, 0));
            return Ok(found);
        }
        let (plain, valid) = split_keys(columns, None);
        let keys = widened(self.layout.encode(&plain, rows)?);
        let counts = !self.filled.order.is_empty();
        self.filled.table.find(&keys, counts, &mut Vec::new(), &mut found)?;
        if let Some(valid) = valid {
            found.clear_where(|row| !valid.get(row));
        }
        Ok(found)
    }

    /// The rows that a left row matches.
    fn rows<'a>(&'a self, found: &'a Found, row: usize) -> &'a [u32] {
        let start = &found.starts[row];
        let order = &self.filled.order;
        match *start {
            NONE => &[],
            _ if order.is_empty() => std::slice::from_ref(start),
            first => &order[first as usize..(first + found.counts[row]) as usize],
        }
    }
}

/// What all tables have found for the rows of a chunk.
pub struct Lookup<'a> {
    alternatives: &'a Alternatives,
    found: Vec<Found>,
    rows: usize,
    at: usize,
}

impl Lookup<'_> {
    /// The matches of the next rows; with `reversed`, the last row of the right side comes first.
    pub fn next(&mut self, reversed: bool) -> Option<Matches> {
        let first = self.at;
        let mut found = Found::default();
        let mut lists: Vec<u32> = Vec::new();
        while self.at < self.rows && lists.len() < TOGETHER {
            let start = lists.len();
            for (of, found) in self.alternatives.0.iter().zip(&self.found) {
                lists.extend_from_slice(of.rows(found, self.at));
            }
            lists[start..].sort_unstable();
            let mut kept = start;
            for at in start..lists.len() {
                if at == start || lists[at] != lists[kept - 1] {
                    lists[kept] = lists[at];
                    kept += 1;
                }
            }
            lists.truncate(kept);
            if reversed {
                lists[start..].reverse();
            }
            let count = (kept - start) as u32;
            found.starts.push(if count == 0 { NONE } else { start as u32 });
            found.counts.push(count);
            self.at += 1;
        }
        (first < self.at).then_some(Matches { rows: first..self.at, found, lists })
    }
}
