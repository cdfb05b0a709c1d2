//! The complete right side of a join, or of a part of it: its columns, and the table from keys to
//! rows.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_column::hash::NONE;
use entasis_column::hash::join::Found;
use entasis_column::{Chunk, Column};
use entasis_types::DataType;

use super::alternatives::Alternatives;
use super::band::Band;
use super::build::{Piece, no_range, split_keys, widened};
use super::stored::StoredColumn;
use super::table::{Filled, KeyPiece, KeyRange, Table, Workers, make_all};
use super::{FindBy, JoinStrictness, Spec};
use crate::aggregate::keys::{KeyLayout, Keys};

/// The complete right side.
pub struct Built {
    layout: Option<KeyLayout>,
    /// The number of keys.
    keys: usize,
    pub(super) table: Table,
    /// The rows by key; empty if every key has one row.
    pub(super) order: Vec<u32>,
    /// Ranges of the rows of a key.
    pub(super) band: Option<Band>,
    /// Number of rows, which is also the position of the default row.
    pub rows: usize,
    /// Output columns.
    pub outputs: Vec<StoredColumn>,
    /// The column by which the closest row is chosen. Each key's rows are sorted by it.
    pub(super) closest: Option<StoredColumn>,
    /// The columns that the residual condition reads.
    pub residual: Vec<StoredColumn>,
    /// Bits of the rows that have had a match (for [`JoinStrictness::FirstOfKey`]: of the places
    /// where the rows of a key start).
    used: Vec<AtomicU64>,
}

/// What finds the rows of the complete right side.
fn fill(
    spec: &Spec,
    (keys, range): (Vec<KeyPiece>, KeyRange),
    chunks: &[Chunk],
    stored: &[StoredColumn],
    rows: usize,
    workers: Workers<'_>,
) -> Result<(Filled, Option<Band>)> {
    let filled = match &spec.find {
        FindBy::Band(of) if spec.key_types.is_empty() => {
            let (band, order) = Band::build(of, stored, rows)?;
            return Ok((Filled { table: Table::Cross, order }, Some(band)));
        }
        FindBy::Alternatives(branches) => {
            let all = Alternatives::build(branches, chunks, workers)?;
            Filled { table: Table::Alternatives(all), order: Vec::new() }
        }
        FindBy::Keys if spec.key_types.is_empty() && rows > 0 => {
            let order = if spec.needs_rows() { (0..rows as u32).collect() } else { Vec::new() };
            Filled { table: Table::Cross, order }
        }
        FindBy::Keys | FindBy::Band(_) => Table::fill(keys, range, workers)?,
    };
    Ok((filled, None))
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
        let (mut chunks, mut first) = (Vec::new(), 0);
        for Piece { chunk, keys: of_piece, picked, .. } in pieces {
            keys.extend(of_piece.map(|keys| KeyPiece { keys, first, picked }));
            first += chunk.rows as u32;
            if let FindBy::Alternatives(_) = &spec.find {
                chunks.push(chunk.clone());
            }
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
        let output = |(at, ty): &(usize, DataType)| match ty.is_nullable() {
            true => stored[*at].clone().into_nullable(),
            false => stored[*at].clone(),
        };
        let (filled, band) = fill(spec, (keys, range), &chunks, &stored, rows, workers)?;
        let residual = spec.residual.as_ref().map_or(&[][..], |residual| &residual.right);
        let marks = match spec.strictness {
            JoinStrictness::FirstOfKey | JoinStrictness::OncePerRight => rows,
            _ if spec.keep_right => rows,
            _ => 0,
        };
        let mut built = Self {
            layout: (!spec.key_types.is_empty()).then(|| KeyLayout::choose(&spec.key_types)),
            keys: spec.key_types.len(),
            table: filled.table,
            order: filled.order,
            band,
            rows,
            outputs: spec.right_outputs.iter().map(output).collect(),
            closest: spec.closest.as_ref().map(|c| stored[c.stored].clone().full()),
            residual: residual.iter().map(|at| stored[*at].clone()).collect(),
            used: (0..marks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        };
        built.sort_by_closest();
        if let FindBy::Band(of) = &spec.find
            && !spec.key_types.is_empty()
        {
            built.sort_for_band(of, &stored);
        }
        if spec.takes_last {
            built.each_list(|rows| rows.reverse());
        }
        Ok(built)
    }

    pub fn byte_size(&self) -> usize {
        let columns = self.outputs.iter().chain(&self.residual).map(StoredColumn::byte_size);
        let of_band = self.band.as_ref().map_or(0, Band::byte_size);
        columns.sum::<usize>() + self.table.byte_size() + 4 * self.order.len() + of_band
    }

    /// Whether no key has several rows, so that the starts that [`Self::find`] yields are rows.
    pub fn is_unique(&self) -> bool {
        self.order.is_empty() && !matches!(self.table, Table::Cross | Table::Alternatives(_))
    }

    /// The tables of the branches, if the keys are an OR of equalities.
    pub fn alternatives(&self) -> Option<&Alternatives> {
        match &self.table {
            Table::Alternatives(all) => Some(all),
            _ => None,
        }
    }

    /// Looks up rows by the columns that the left side has for that ([`Spec::left_columns`]): the
    /// keys, then those of a band. Rows that match nothing have the start [`NONE`].
    pub fn find(
        &self,
        columns: &[Column],
        rows: usize,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let (keys, others) = columns.split_at(self.keys);
        self.find_keys(keys, rows, hashes, found)?;
        self.band.as_ref().map_or(Ok(()), |band| band.narrow(others, found))
    }

    fn find_keys(
        &self,
        columns: &[Column],
        rows: usize,
        hashes: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<()> {
        let layout = match (&self.table, &self.layout) {
            (Table::Cross, _) => {
                let all = if self.band.is_some() { self.order.len() } else { self.rows };
                found.fill(rows, (0, all as u32));
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
    let mut range = no_range(&spec.key_types);
    for piece in pieces {
        if let Some(Keys::U64(keys)) = &piece.keys {
            range.add(keys);
        }
    }
    range
}
