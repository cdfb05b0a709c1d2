//! Sets of rows for `IN`: built once from constants or a subquery, and probed once per chunk.
//!
//! A single numeric key column of up to 64 bits is kept as bits: in a bitmap if the members are
//! dense, otherwise in an open-addressing table. Up to [`FEW`] members are compared one after the
//! other, which the compiler vectorises. Strings are in a table over one arena; a mask of the
//! members' lengths is checked first. Several fixed-width columns of at most 8 bytes together are
//! packed into one number. All other combinations are encoded to bytes, row by row.
//!
//! Invariants: rows with NULL are not members; `-0.0` equals `0.0`, and NaN equals nothing.

mod numbers;
mod rows;
mod strings;

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::{Bitmap, Column, Mask};
use entasis_types::{DataType, Physical};

use crate::RowSet;
use numbers::{NumberTable, Numbers};
use rows::Packing;
use strings::StringTable;

/// Up to this many numbers are compared one by one.
const FEW: usize = 8;
/// Sets of up to this many members return them for range analysis.
const MAX_MEMBERS: usize = 10_000;

#[derive(Debug)]
enum Store {
    /// One numeric column, or several packed into one number.
    Numbers { table: NumberTable, packing: Option<Packing> },
    /// One string column.
    Strings(StringTable),
    /// Rows encoded to bytes.
    Rows(StringTable),
}

/// Collects rows into a set.
#[derive(Debug)]
pub struct SetBuilder {
    types: Vec<DataType>,
    store: Store,
}

impl SetBuilder {
    /// An empty set of rows with these types; an outer Nullable is ignored.
    pub fn new(types: &[DataType]) -> Self {
        let types: Vec<DataType> = types.iter().map(|t| t.without_nullable().clone()).collect();
        let store = match &types[..] {
            [one] if is_string(one) => Store::Strings(StringTable::default()),
            [one] if fits_word(one) => {
                Store::Numbers { table: NumberTable::default(), packing: None }
            }
            _ => match Packing::of(&types) {
                Some(packing) => {
                    Store::Numbers { table: NumberTable::default(), packing: Some(packing) }
                }
                None => Store::Rows(StringTable::default()),
            },
        };
        Self { types, store }
    }

    /// Adds rows; rows with a NULL are left out. There is one column per type, in any
    /// representation, with the layout of the type or Nullable of it.
    pub fn push(&mut self, columns: &[Column], rows: usize) -> Result<()> {
        let (columns, valid) = prepare(columns, &self.types, rows)?;
        let is_valid = |i: usize| valid.as_ref().is_none_or(|v| v.get(i));
        match &mut self.store {
            Store::Numbers { table, packing: None } => {
                numbers::for_each_bits(&columns[0], |i, bits| {
                    if is_valid(i) {
                        table.insert(bits);
                    }
                });
            }
            Store::Numbers { table, packing: Some(packing) } => {
                for (i, bits) in packing.pack(&columns, rows).into_iter().enumerate() {
                    if is_valid(i) {
                        table.insert(bits);
                    }
                }
            }
            Store::Strings(table) => {
                strings::for_each_string(&columns[0], |i, s| {
                    if is_valid(i) {
                        table.insert(s);
                    }
                });
            }
            Store::Rows(table) => {
                let mut key = Vec::new();
                for i in (0..rows).filter(|i| is_valid(*i)) {
                    key.clear();
                    if rows::encode(&columns, i, &mut key) {
                        table.insert(&key);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the rows of another builder with the same types, for example that of another worker.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.store, other.store) {
            (Store::Numbers { table, .. }, Store::Numbers { table: other, .. }) => {
                other.for_each(|bits| table.insert(bits));
            }
            (Store::Strings(table), Store::Strings(other))
            | (Store::Rows(table), Store::Rows(other)) => {
                other.each(|_, s| table.insert(s));
            }
            _ => return Err(Error::logical("sets of different types")),
        }
        Ok(())
    }

    /// Number of distinct rows so far.
    pub fn len(&self) -> usize {
        match &self.store {
            Store::Numbers { table, .. } => table.len(),
            Store::Strings(table) | Store::Rows(table) => table.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the builder holds, for memory accounts.
    pub fn byte_size(&self) -> usize {
        match &self.store {
            Store::Numbers { table, .. } => table.byte_size(),
            Store::Strings(table) | Store::Rows(table) => table.byte_size(),
        }
    }

    /// Finishes the set.
    pub fn finish(self) -> Arc<dyn RowSet> {
        let byte_size = self.byte_size();
        let len = self.len();
        let members = match self.store {
            Store::Numbers { table, packing } => {
                Members::Numbers { numbers: table.finish(), packing }
            }
            Store::Strings(table) => Members::Strings(table),
            Store::Rows(table) => Members::Rows(table),
        };
        Arc::new(ColumnSet { types: self.types, members, len, byte_size })
    }
}

/// A finished set.
#[derive(Debug)]
pub struct ColumnSet {
    types: Vec<DataType>,
    members: Members,
    len: usize,
    byte_size: usize,
}

#[derive(Debug)]
enum Members {
    Numbers { numbers: Numbers, packing: Option<Packing> },
    Strings(StringTable),
    Rows(StringTable),
}

impl ColumnSet {
    /// Bytes that the set holds.
    pub fn byte_size(&self) -> usize {
        self.byte_size
    }

    /// The mask of the members, for full columns without NULLs.
    fn probe(&self, columns: &[Column], rows: usize) -> Mask {
        match &self.members {
            Members::Numbers { numbers, packing: None } => numbers.probe(&columns[0]),
            Members::Numbers { numbers, packing: Some(packing) } => {
                numbers.probe(&Column::from(packing.pack(columns, rows)))
            }
            Members::Strings(table) => match &columns[0] {
                Column::String(strings) => table.probe(strings),
                other => {
                    let mut found = vec![0u8; rows];
                    strings::for_each_string(other, |i, s| {
                        found[i] = u8::from(table.contains(s));
                    });
                    Bitmap::from_bytes(&found)
                }
            },
            Members::Rows(table) => {
                let mut key = Vec::new();
                Bitmap::from_fn(rows, |i| {
                    key.clear();
                    rows::encode(columns, i, &mut key) && table.contains(&key)
                })
            }
        }
    }
}

impl RowSet for ColumnSet {
    fn contains(&self, columns: &[Column], rows: usize) -> Result<Mask> {
        events::add(Event::SetLookups, rows as u64);
        if columns.len() != self.types.len() {
            return Err(Error::logical("IN: another number of columns than the set has"));
        }
        if self.len == 0 {
            return Ok(Bitmap::constant(false, rows));
        }
        if let [Column::Dict(dict)] = columns
            && dict.dictionary.values.len() <= rows
        {
            let values = dict.dictionary.values.clone();
            let count = values.len();
            let of_value = self.contains(&[values], count)?;
            return Ok(of_value.take(&dict.codes));
        }
        if rows != 1 && columns.iter().all(Column::is_const) {
            let one: Vec<Column> = columns.iter().filter_map(|c| c.as_const().cloned()).collect();
            return Ok(Bitmap::constant(self.contains(&one, 1)?.get(0), rows));
        }
        let (columns, valid) = prepare(columns, &self.types, rows)?;
        let found = self.probe(&columns, rows);
        Ok(match valid {
            Some(valid) => found.and(&valid),
            None => found,
        })
    }

    fn len(&self) -> usize {
        self.len
    }

    fn members(&self) -> Option<Vec<Column>> {
        if self.len > MAX_MEMBERS || self.types.len() != 1 {
            return None;
        }
        match &self.members {
            Members::Numbers { numbers, packing: None } => {
                Some(vec![numbers.column(self.types[0].physical())])
            }
            Members::Strings(table) => Some(vec![table.column(self.types[0].physical())]),
            _ => None,
        }
    }
}

/// The full columns without their NULLs, and the rows that contain none.
fn prepare(
    columns: &[Column],
    types: &[DataType],
    rows: usize,
) -> Result<(Vec<Column>, Option<Bitmap>)> {
    let mut valid: Option<Bitmap> = None;
    let mut plain = Vec::with_capacity(columns.len());
    for (column, ty) in columns.iter().zip(types) {
        let full = column.full();
        let (bits, values) = full.split_nullable();
        if let Some(bits) = bits {
            valid = Some(valid.map_or_else(|| bits.clone(), |v| v.and(bits)));
        }
        if let Column::Variant(v) = values {
            let own = v.validity();
            valid = Some(valid.map_or_else(|| own.clone(), |v| v.and(&own)));
        }
        let values = match values {
            Column::Nothing(_) => {
                valid = Some(Bitmap::constant(false, rows));
                Column::default_of(ty, rows)
            }
            values => values.clone(),
        };
        let same = values.physical() == ty.physical()
            || (is_string(ty) && matches!(values.physical(), Physical::Fixed(_)));
        if !same {
            return Err(Error::logical(format!(
                "IN: a column of layout {:?} against a set of {ty}",
                values.physical()
            )));
        }
        plain.push(values);
    }
    Ok((plain, valid))
}

fn fits_word(ty: &DataType) -> bool {
    !is_string(ty) && ty.fixed_width().is_some_and(|width| width <= 8)
}

fn is_string(ty: &DataType) -> bool {
    matches!(ty.physical(), Physical::String | Physical::Fixed(_))
}

#[cfg(test)]
mod tests;
