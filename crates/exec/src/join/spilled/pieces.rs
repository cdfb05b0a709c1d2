//! The right rows of a partition on disk, read in source order.
//!
//! Each worker wrote its rows in the order in which they came, so that the lists of several workers
//! are merged by the sequence of the morsels. If the order does not matter, the sequences are not
//! written, and the lists are read one after the other.

use std::collections::VecDeque;

use entasis_base::{Error, Result};
use entasis_column::{Chunk, Column};

use super::{keys_from, layout_of};
use crate::aggregate::keys::KeyLayout;
use crate::join::Spec;
use crate::join::build::Piece;
use crate::spill::Spilled;

/// Reads pieces of the right side.
pub struct Pieces {
    cursors: Vec<Cursor>,
    layout: Option<KeyLayout>,
    has_order: bool,
    /// Whether the last rows come first.
    backwards: bool,
    /// Pieces made so far.
    made: usize,
}

struct Cursor {
    spilled: Spilled,
    /// Blocks that were read.
    read: usize,
    queue: VecDeque<Piece>,
}

impl Pieces {
    /// Reads these lists, whose rows have keys if `keyed`; from their ends if `backwards`.
    pub fn new(spec: &Spec, lists: Vec<Spilled>, keyed: bool, backwards: bool) -> Self {
        let cursor = |spilled| Cursor { spilled, read: 0, queue: VecDeque::new() };
        Self {
            cursors: lists.into_iter().map(cursor).collect(),
            layout: layout_of(spec).filter(|_| keyed),
            has_order: spec.needs_order(),
            backwards,
            made: 0,
        }
    }

    /// The next piece; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Piece>> {
        for at in 0..self.cursors.len() {
            while self.cursors[at].queue.is_empty() && !self.cursors[at].is_read() {
                self.read(at)?;
            }
            // Without an order the first list that has rows will do.
            if !self.has_order && !self.cursors[at].queue.is_empty() {
                return Ok(self.cursors[at].queue.pop_front());
            }
        }
        let heads = self.cursors.iter_mut().filter(|cursor| !cursor.queue.is_empty());
        let sequence = |cursor: &&mut Cursor| cursor.queue.front().map(|piece| piece.sequence);
        let next = match self.backwards {
            true => heads.max_by_key(sequence),
            false => heads.min_by_key(sequence),
        };
        Ok(next.and_then(|cursor| cursor.queue.pop_front()))
    }

    fn read(&mut self, at: usize) -> Result<()> {
        let cursor = &mut self.cursors[at];
        let block = match self.backwards {
            true => cursor.spilled.len() - 1 - cursor.read,
            false => cursor.read,
        };
        let mut chunk = cursor.spilled.read(block)?;
        cursor.read += 1;
        let mut runs = vec![(0, 0..chunk.rows)];
        if self.has_order {
            let Some(Column::UInt64(sequences)) = chunk.columns.pop() else {
                return Err(Error::logical("rows of a join without a sequence"));
            };
            let mut start = 0;
            runs.clear();
            for run in sequences.chunk_by(|a, b| a == b) {
                runs.push((run[0], start..start + run.len()));
                start += run.len();
            }
        }
        if self.backwards {
            runs.reverse();
        }
        for (sequence, rows) in runs {
            let mut chunk = chunk.slice(rows.start, rows.len());
            let keys = match &self.layout {
                Some(layout) => {
                    let column = chunk.columns.pop();
                    let column = column.ok_or_else(|| Error::logical("rows without keys"))?;
                    Some(keys_from(layout, column)?)
                }
                None => None,
            };
            self.made += 1;
            let number = if self.backwards { usize::MAX - self.made } else { self.made };
            let Chunk { columns, rows } = chunk;
            let chunk = Chunk::new(columns, rows);
            self.cursors[at].queue.push_back(Piece { sequence, number, chunk, keys, picked: None });
        }
        Ok(())
    }
}

impl Cursor {
    fn is_read(&self) -> bool {
        self.read == self.spilled.len()
    }
}
