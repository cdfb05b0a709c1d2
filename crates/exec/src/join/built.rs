//! The complete right side of a join, or of a part of it: its columns, and the table from keys to
//! rows.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes, scope};
use entasis_column::compare::compare_values;
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
use entasis_column::{Chunk, Column};
use entasis_plan::Inequality;

use super::build::{Piece, split_keys, widened};
use super::stored::StoredColumn;
use super::table::{Filled, KeyPiece, KeyRange, Table, Workers, make_all};
use super::{JoinStrictness, Spec};
use crate::aggregate::keys::{KeyLayout, Keys};

/// The complete right side.
pub struct Built {
    layout: Option<KeyLayout>,
    table: Table,
    /// The rows by key; empty if every key has one row.
    order: Vec<u32>,
    /// Number of rows, which is also the position of the default row.
    pub rows: usize,
    /// Output columns.
    pub outputs: Vec<StoredColumn>,
    /// The column by which the closest row is chosen. Each key's rows are sorted by it.
    closest: Option<StoredColumn>,
    /// The columns that the residual condition reads.
    pub residual: Vec<StoredColumn>,
    /// Bits of the rows that have had a match (for [`JoinStrictness::FirstOfKey`]: of the places
    /// where the rows of a key start).
    used: Vec<AtomicU64>,
}

impl Built {
    /// The table of these pieces. `range` is the range of their keys, if it is known.
    pub fn of_pieces(
        spec: &Arc<Spec>,
        mut pieces: Vec<Piece>,
        range: Option<KeyRange>,
        workers: Workers<'_>,
    ) -> Result<Self> {
        pieces.sort_by_key(|piece| (piece.sequence, piece.number));
        let rows = pieces.iter().map(|piece| piece.chunk.rows).sum::<usize>();
        if rows >= NONE as usize {
            return Err(Error::new(
                codes::LIMIT_EXCEEDED,
                "More than 2^32 rows on the right side of a JOIN have to be in memory together",
            ));
        }
        let range = range.unwrap_or_else(|| range_of(spec, &pieces));
        let mut keys = Vec::new();
        let mut columns: Vec<Vec<Column>> = spec.stored.iter().map(|_| Vec::new()).collect();
        let mut first = 0;
        for Piece { chunk, keys: of_piece, picked, .. } in pieces {
            keys.extend(of_piece.map(|keys| KeyPiece { keys, first, picked }));
            first += chunk.rows as u32;
            for (all, column) in columns.iter_mut().zip(chunk.columns) {
                all.push(column);
            }
        }
        let columns: Vec<Mutex<Vec<Column>>> = columns.into_iter().map(Mutex::new).collect();
        let types = Arc::clone(spec);
        let stored = make_all(workers, columns.len(), move |at| {
            let pieces = std::mem::take(&mut *lock(&columns[at]));
            Ok(StoredColumn::new(&pieces, &types.stored_types[at]))
        })?;
        let output = |(at, ty): &(usize, entasis_types::DataType)| match ty.is_nullable() {
            true => stored[*at].clone().into_nullable(),
            false => stored[*at].clone(),
        };
        let filled = if spec.key_types.is_empty() && rows > 0 {
            let order = if spec.needs_rows() { (0..rows as u32).collect() } else { Vec::new() };
            Filled { table: Table::Cross, order }
        } else {
            Table::fill(keys, range, workers)?
        };
        let residual = spec.residual.as_ref().map_or(&[][..], |residual| &residual.right);
        let marks = match spec.strictness {
            JoinStrictness::FirstOfKey | JoinStrictness::OncePerRight => rows,
            _ if spec.keep_right => rows,
            _ => 0,
        };
        let mut built = Self {
            layout: (!spec.key_types.is_empty()).then(|| KeyLayout::choose(&spec.key_types)),
            table: filled.table,
            order: filled.order,
            rows,
            outputs: spec.right_outputs.iter().map(output).collect(),
            closest: spec.closest.as_ref().map(|c| stored[c.stored].clone().full()),
            residual: residual.iter().map(|at| stored[*at].clone()).collect(),
            used: (0..marks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        };
        built.sort_by_closest();
        if spec.takes_last {
            built.each_list(|rows| rows.reverse());
        }
        Ok(built)
    }

    /// Calls `act` for the rows of each key with several rows.
    fn each_list(&mut self, mut act: impl FnMut(&mut [u32])) {
        let mut order = std::mem::take(&mut self.order);
        if !order.is_empty() {
            self.table.each_key(|start, count| {
                if count > 1 {
                    act(&mut order[start as usize..(start + count) as usize]);
                }
            });
            if let Table::Cross = self.table {
                act(&mut order);
            }
        }
        self.order = order;
    }

    /// Sorts the rows of each key by the column by which the closest row is chosen.
    fn sort_by_closest(&mut self) {
        let Some(closest) = self.closest.clone() else { return };
        self.each_list(|rows| {
            rows.sort_by(scope::checked(|a: &u32, b: &u32| {
                let ((a, i), (b, j)) = (closest.at(*a), closest.at(*b));
                compare_values(a, i, b, j)
            }));
        });
    }

    /// Of the rows of a key, the one that is closest to the value at `row` of `column`.
    pub fn closest_of(
        &self,
        rows: &[u32],
        column: &Column,
        row: usize,
        inequality: Inequality,
    ) -> Option<u32> {
        let closest = self.closest.as_ref()?;
        if column.is_null(row) {
            return None;
        }
        let before = |r: &u32, ordering| {
            let (values, at) = closest.at(*r);
            let found = compare_values(values, at, column, row);
            found == Ordering::Less || found == ordering
        };
        let up_to = |ordering| rows.partition_point(|r| before(r, ordering));
        match inequality {
            Inequality::GreaterOrEquals => up_to(Ordering::Equal).checked_sub(1).map(|i| rows[i]),
            Inequality::Greater => up_to(Ordering::Less).checked_sub(1).map(|i| rows[i]),
            Inequality::LessOrEquals => rows.get(up_to(Ordering::Less)).copied(),
            Inequality::Less => rows.get(up_to(Ordering::Equal)).copied(),
        }
    }

    pub fn byte_size(&self) -> usize {
        let columns = self.outputs.iter().chain(&self.residual).map(StoredColumn::byte_size);
        columns.sum::<usize>() + self.table.byte_size() + 4 * self.order.len()
    }

    /// Whether no key has several rows, so that the starts that [`Self::find`] yields are rows.
    pub fn is_unique(&self) -> bool {
        self.order.is_empty() && !matches!(self.table, Table::Cross)
    }

    /// Looks up the rows' keys. Rows that match nothing have the start [`NONE`].
    fn find(
        &self,
        columns: &[Column],
        rows: usize,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let layout = match (&self.table, &self.layout) {
            (Table::Cross, _) => {
                found.fill(rows, (0, self.rows as u32));
                return Ok(());
            }
            (Table::Empty, _) | (_, None) => {
                found.fill(rows, (NONE, 0));
                return Ok(());
            }
            (_, Some(layout)) => layout,
        };
        let (plain, valid) = split_keys(columns, None);
        let counts = !self.is_unique();
        let is_found = matches!(&plain[..], [one] if self.table.find_direct(one, counts, found));
        if !is_found {
            let keys = widened(layout.encode(&plain, rows)?);
            self.table.find(&keys, counts, hashes, found)?;
        }
        if let Some(valid) = valid {
            found.clear_where(|i| !valid.get(i));
        }
        Ok(())
    }

    /// Looks up the keys of left rows.
    pub fn find_rows(
        &self,
        spec: &Spec,
        chunk: &Chunk,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let keys: Vec<Column> = spec.left_keys.iter().map(|k| chunk.columns[*k].clone()).collect();
        self.find(&keys, chunk.rows, hashes, found)
    }

    /// The rows of a key, from what [`Self::find`] yields.
    #[inline]
    pub fn matches<'a>(&'a self, start: &'a u32, count: u32) -> &'a [u32] {
        if self.order.is_empty() {
            return std::slice::from_ref(start);
        }
        &self.order[*start as usize..(*start + count) as usize]
    }

    /// Marks a row (or key) as matched. Returns whether it was not marked before.
    #[inline]
    pub fn claim(&self, at: u32) -> bool {
        let (word, bit) = (&self.used[at as usize / 64], 1u64 << (at % 64));
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }

    /// Whether the row (or key) at this place is marked; not for [`NONE`].
    pub fn is_claimed(&self, at: u32) -> bool {
        let word = self.used.get(at as usize / 64);
        at != NONE && word.is_some_and(|word| word.load(Relaxed) >> (at % 64) & 1 != 0)
    }

    /// The rows among `from .. to` that are not marked.
    pub fn unused(&self, from: usize, to: usize) -> Vec<u32> {
        let used = |i: usize| self.used[i / 64].load(Relaxed) >> (i % 64) & 1 != 0;
        (from..to).filter(|i| !used(*i)).map(|i| i as u32).collect()
    }
}

/// The range of the keys.
fn range_of(spec: &Spec, pieces: &[Piece]) -> KeyRange {
    let mut range = spec.no_range();
    for piece in pieces {
        if let Some(Keys::U64(keys)) = &piece.keys {
            range.add(keys);
        }
    }
    range
}
