//! One sorted side of a merge join.

use std::cmp::Ordering;

use entasis_base::{Error, Result, scope};
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Read, Reader};

use crate::join::build::split_keys;
use crate::sort::ordered_bits;

/// The rows of a side that are in memory. Rows before `at` are used up.
pub struct Side {
    reader: Box<dyn Reader>,
    /// Positions of the keys in the chunks.
    keys: Vec<usize>,
    pub chunk: Chunk,
    pub at: usize,
    columns: Keys,
    has_ended: bool,
}

/// The keys of a chunk.
#[derive(Default)]
struct Keys {
    columns: Vec<Column>,
    /// The rows without NULL in a key; `None` if all are.
    valid: Option<Bitmap>,
    /// The keys as bits in the same order, if there is one number and no NULL.
    bits: Option<Vec<u64>>,
}

impl Side {
    pub fn new(reader: Box<dyn Reader>, keys: &[usize]) -> Self {
        let (chunk, columns) = (Chunk::default(), Keys::default());
        Self { reader, keys: keys.to_vec(), chunk, at: 0, columns, has_ended: false }
    }

    /// Whether no row is left of what is in memory.
    pub fn is_used_up(&self) -> bool {
        self.at >= self.chunk.rows
    }

    pub fn byte_size(&self) -> usize {
        self.chunk.byte_size()
    }

    /// Puts the next chunk in the place of the one that is used up.
    pub fn read(&mut self) -> Result<()> {
        let chunk = self.next()?.unwrap_or_default();
        self.set(chunk);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Chunk>> {
        if self.has_ended {
            return Ok(None);
        }
        match self.reader.next()? {
            Read::Chunk(morsel) => Ok(Some(morsel.chunk)),
            Read::Done => {
                self.has_ended = true;
                Ok(None)
            }
            Read::Pending(_) => Err(Error::logical("readers of sorted rows never wait")),
        }
    }

    fn set(&mut self, chunk: Chunk) {
        self.columns = Keys::of(&chunk, &self.keys);
        self.chunk = chunk;
        self.at = 0;
    }

    /// Whether the group of the next row is known to end within the chunk.
    pub fn has_whole_group(&self) -> bool {
        let last = self.chunk.rows - 1;
        self.has_ended || self.columns.compare(self.at, &self.columns, last) != Ordering::Equal
    }

    /// Reads until the chunk has the whole group of the next row. Used up rows are dropped.
    pub fn read_group(&mut self) -> Result<()> {
        let rest = self.chunk.slice(self.at, self.chunk.rows - self.at);
        let mut chunks = vec![rest];
        while let Some(chunk) = self.next()? {
            scope::check()?;
            let keys = Keys::of(&chunk.slice(chunk.rows - 1, 1), &self.keys);
            let is_same = self.columns.compare(self.at, &keys, 0) == Ordering::Equal;
            chunks.push(chunk);
            if !is_same {
                break;
            }
        }
        self.set(Chunk::concat(&chunks));
        Ok(())
    }

    /// Where the group of the next row ends.
    pub fn group_end(&self) -> usize {
        let is_same =
            |at: &usize| self.columns.compare(self.at, &self.columns, *at) == Ordering::Equal;
        self.at + 1 + (self.at + 1..self.chunk.rows).take_while(is_same).count()
    }

    /// Compares the keys of the next rows of both sides. NULLs are equal here.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.columns.compare(self.at, &other.columns, other.at)
    }

    /// Whether the next row has NULL in a key.
    pub fn has_null(&self) -> bool {
        self.columns.valid.as_ref().is_some_and(|valid| !valid.get(self.at))
    }
}

impl Keys {
    fn of(chunk: &Chunk, keys: &[usize]) -> Self {
        if chunk.rows == 0 {
            return Self::default();
        }
        let columns: Vec<Column> = keys.iter().map(|at| chunk.columns[*at].full()).collect();
        let (plain, valid) = split_keys(&columns, None);
        let bits = match (&plain[..], &valid) {
            ([one], None) => ordered_bits(one),
            _ => None,
        };
        Self { columns, valid, bits }
    }

    fn compare(&self, row: usize, other: &Self, at: usize) -> Ordering {
        if let (Some(bits), Some(others)) = (&self.bits, &other.bits) {
            return bits[row].cmp(&others[at]);
        }
        let pairs = self.columns.iter().zip(&other.columns);
        let mut compared = pairs.map(|(a, b)| compare_values(a, row, b, at));
        compared.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
    }
}
