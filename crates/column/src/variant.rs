//! Columns whose rows hold values of several types: a discriminator per row, and one column of
//! values for each alternative.
//!
//! A row is a discriminator (the number of its alternative, or [`NULL`]) and an offset into the
//! alternative's values. The values need not be in the order of the rows, may be shared by several
//! rows and may be unused. That makes the common operations independent of what the values are:
//!
//! | operation | cost |
//! |---|---|
//! | slice, clone | nothing is copied |
//! | filter, take, replicate, constants | 5 bytes per row of the result |
//! | concat | 5 bytes per row, and the values of all alternatives |
//! | reading one alternative in the order of the rows | a gather of its values |
//!
//! The price is one more look-up per value, and values that no row uses any more. They go as soon
//! as they are more than [`SLACK`] times the rows ([`VariantColumn::compact`]), so that a filter
//! that keeps few rows does not keep a chunk's memory.
//!
//! Invariant: a discriminator is [`NULL`] or less than the number of alternatives, and the offset
//! of a row that is not NULL is less than the length of its alternative.

use std::cmp::Ordering;
use std::sync::Arc;

use entasis_types::{DataType, Value};

use crate::{Bitmap, Buffer, Column, ColumnBuilder};

/// The discriminator of NULL.
pub const NULL: u8 = u8::MAX;

/// An operation copies the used values if there are more than this many values per row of its
/// result.
const SLACK: usize = 4;

/// Values of several types; see the module.
#[derive(Clone, Debug)]
pub struct VariantColumn {
    /// The alternative of each row, or [`NULL`].
    pub discriminators: Buffer<u8>,
    /// The position of each row's value among the values of its alternative; without meaning for
    /// NULL.
    pub offsets: Buffer<u32>,
    /// The values of each alternative, as full columns.
    pub variants: Arc<[Column]>,
}

impl VariantColumn {
    /// A column whose values are in the order of their rows: value `n` of an alternative belongs to
    /// the `n`th row with its discriminator. `None` if the numbers of rows and values differ, or a
    /// discriminator is unknown.
    pub fn from_dense(discriminators: Buffer<u8>, variants: Vec<Column>) -> Option<Self> {
        let mut next = vec![0u32; variants.len()];
        let mut offsets = Vec::with_capacity(discriminators.len());
        for &discriminator in discriminators.iter() {
            offsets.push(match discriminator {
                NULL => 0,
                at => {
                    let next = next.get_mut(usize::from(at))?;
                    *next += 1;
                    *next - 1
                }
            });
        }
        let fits = variants.iter().zip(&next).all(|(values, &n)| values.len() == n as usize);
        let variants = variants.iter().map(Column::full).collect();
        fits.then(|| Self { discriminators, offsets: offsets.into(), variants })
    }

    /// A column whose rows all hold alternative `discriminator`, with the rows of `values`. Rows
    /// are NULL where `validity` says so.
    pub fn of_one(
        types: &[DataType],
        discriminator: u8,
        values: &Column,
        validity: Option<&Bitmap>,
    ) -> Self {
        let rows = values.len();
        let discriminators: Buffer<u8> = match validity {
            None => vec![discriminator; rows].into(),
            Some(bits) => {
                (0..rows).map(|i| if bits.get(i) { discriminator } else { NULL }).collect()
            }
        };
        let mut variants: Vec<Column> = types.iter().map(|t| Column::default_of(t, 0)).collect();
        variants[usize::from(discriminator)] = values.full();
        let offsets = (0..rows as u32).collect();
        Self { discriminators, offsets, variants: variants.into() }.compact()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.discriminators.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.discriminators.is_empty()
    }

    /// The alternative of row `i` and the position among its values; `None` for NULL.
    #[inline]
    pub fn at(&self, i: usize) -> Option<(&Column, usize)> {
        let variant = self.variants.get(usize::from(self.discriminators[i]))?;
        Some((variant, self.offsets[i] as usize))
    }

    /// The rows of one alternative as positions, in ascending order.
    pub fn rows_of(&self, discriminator: u8) -> Vec<u32> {
        let rows = self.discriminators.iter().enumerate();
        rows.filter(|(_, d)| **d == discriminator).map(|(i, _)| i as u32).collect()
    }

    /// The values of one alternative, exactly one for each of its rows and in their order.
    pub fn values_of(&self, discriminator: u8) -> Column {
        let pairs = self.discriminators.iter().zip(self.offsets.iter());
        let used: Vec<u32> =
            pairs.filter(|(d, _)| **d == discriminator).map(|(_, &at)| at).collect();
        let values = &self.variants[usize::from(discriminator)];
        let is_dense = used.len() == values.len() && used.iter().zip(0..).all(|(a, b)| *a == b);
        if is_dense { values.clone() } else { values.take(&used) }
    }

    /// For every row its value if it holds the alternative, and otherwise a default value; and a
    /// mask of the rows that hold it.
    pub fn element(&self, discriminator: u8) -> (Column, Bitmap) {
        let holds = Bitmap::from_values(&self.discriminators, |d| d == discriminator);
        let values = &self.variants[usize::from(discriminator)];
        if holds.all() {
            return (values.take(&self.offsets), holds);
        }
        let with_default = Column::concat(&[values, &values.default_like()]);
        let default = values.len() as u32;
        let index = |i: usize| if holds.get(i) { self.offsets[i] } else { default };
        let indices: Vec<u32> = (0..self.len()).map(index).collect();
        (with_default.take(&indices), holds)
    }

    /// Which rows are not NULL.
    pub fn validity(&self) -> Bitmap {
        Bitmap::from_values(&self.discriminators, |d| d != NULL)
    }

    /// The same rows in a type with more alternatives: alternative `d` becomes alternative `to[d]`
    /// of `types`.
    #[must_use]
    pub fn widen(&self, types: &[DataType], to: &[u8]) -> Self {
        let renumber = |&d: &u8| if d == NULL { NULL } else { to[usize::from(d)] };
        let mut variants: Vec<Column> = types.iter().map(|t| Column::default_of(t, 0)).collect();
        for (values, &to) in self.variants.iter().zip(to) {
            variants[usize::from(to)] = values.clone();
        }
        Self {
            discriminators: self.discriminators.iter().map(renumber).collect(),
            offsets: self.offsets.clone(),
            variants: variants.into(),
        }
    }

    /// Combines columns of another layout. The `n`th row of an alternative becomes row `n` of the
    /// part for this alternative. If there is no part, and for NULL, the result is the only row of
    /// `null`.
    pub fn assemble(&self, null: &Column, parts: &[Option<Column>]) -> Column {
        let mut next = [0u32; 256];
        let mut all = vec![null];
        let mut rows = 1;
        for (d, part) in parts.iter().enumerate() {
            if let Some(part) = part {
                next[d] = rows;
                rows += part.len() as u32;
                all.push(part);
            }
        }
        let index = |&d: &u8| {
            let slot = &mut next[usize::from(d)];
            // Position 0 is that of `null`.
            *slot += u32::from(*slot > 0);
            slot.saturating_sub(1)
        };
        let indices: Vec<u32> = self.discriminators.iter().map(index).collect();
        Column::concat(&all).take(&indices)
    }

    /// How many rows hold each alternative.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = [0usize; 256];
        self.discriminators.iter().for_each(|&d| counts[usize::from(d)] += 1);
        counts[..self.variants.len()].to_vec()
    }

    /// The same rows with exactly their values, in the order of the rows.
    #[must_use]
    pub fn dense(&self) -> Self {
        let mut next = [0u32; 256];
        let mut is_dense = true;
        let dense = |(&d, &at): (&u8, &u32)| {
            let slot = &mut next[usize::from(d)];
            let own = if d == NULL { 0 } else { *slot };
            *slot += 1;
            is_dense &= own == at || d == NULL;
            own
        };
        let offsets = self.discriminators.iter().zip(self.offsets.iter()).map(dense).collect();
        let lengths = self.variants.iter().zip(&next);
        if is_dense && lengths.into_iter().all(|(v, &n)| v.len() == n as usize) {
            return self.clone();
        }
        let variants = (0..self.variants.len()).map(|d| self.values_of(d as u8)).collect();
        Self { discriminators: self.discriminators.clone(), offsets, variants }
    }

    /// [`Self::dense`] if many values are unused.
    fn compact(self) -> Self {
        let values: usize = self.variants.iter().map(Column::len).sum();
        if values > self.len().max(16) * SLACK { self.dense() } else { self }
    }

    /// Rows `start .. start + len`, sharing memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Self {
            discriminators: self.discriminators.slice(start..start + len),
            offsets: self.offsets.slice(start..start + len),
            variants: Arc::clone(&self.variants),
        }
    }

    /// The rows at `indices`.
    #[must_use]
    pub fn take(&self, indices: &[u32]) -> Self {
        let discriminators = indices.iter().map(|&i| self.discriminators[i as usize]).collect();
        let offsets = indices.iter().map(|&i| self.offsets[i as usize]).collect();
        Self { discriminators, offsets, variants: Arc::clone(&self.variants) }.compact()
    }

    /// The rows whose bit is set.
    #[must_use]
    pub fn filter(&self, mask: &Bitmap) -> Self {
        let discriminators = mask.ones().map(|i| self.discriminators[i]).collect();
        let offsets = mask.ones().map(|i| self.offsets[i]).collect();
        Self { discriminators, offsets, variants: Arc::clone(&self.variants) }.compact()
    }

    /// One column after the other; all have the same alternatives.
    pub fn concat(columns: &[Self]) -> Self {
        let columns: Vec<Self> = columns.iter().map(|c| c.clone().compact()).collect();
        let count = columns.first().map_or(0, |c| c.variants.len());
        let rows = columns.iter().map(Self::len).sum();
        let mut discriminators = Vec::with_capacity(rows);
        let mut offsets = Vec::with_capacity(rows);
        let mut base = [0u32; 256];
        for column in &columns {
            discriminators.extend_from_slice(&column.discriminators);
            let pairs = column.discriminators.iter().zip(column.offsets.iter());
            offsets.extend(
                pairs.map(|(&d, &at)| if d == NULL { 0 } else { base[usize::from(d)] + at }),
            );
            for (base, values) in base.iter_mut().zip(column.variants.iter()) {
                *base += values.len() as u32;
            }
        }
        let of =
            |d: usize| Column::concat(&columns.iter().map(|c| &c.variants[d]).collect::<Vec<_>>());
        let variants = (0..count).map(of).collect();
        Self { discriminators: discriminators.into(), offsets: offsets.into(), variants }
    }

    /// One row of NULL in a column with these alternatives.
    #[must_use]
    pub fn default_like(&self) -> Self {
        let variants = self.variants.iter().map(|v| v.slice(0, 0)).collect();
        Self { discriminators: vec![NULL].into(), offsets: vec![0].into(), variants }
    }

    /// Bytes that the rows take. Values that are shared or unused count by the share of the rows.
    pub fn byte_size(&self) -> usize {
        let share = |(values, rows): (&Column, usize)| match values.len() {
            0 => 0,
            all => (values.byte_size() as u128 * rows.min(all) as u128 / all as u128) as usize,
        };
        let values: usize = self.variants.iter().zip(self.counts()).map(share).sum();
        5 * self.len() + values
    }

    /// Whether every row refers to an existing value. This holds for all columns that this process
    /// made, and must be checked for those that were read.
    pub fn is_valid(&self) -> bool {
        let pairs = self.discriminators.iter().zip(self.offsets.iter());
        let within = |(&d, &at): (&u8, &u32)| {
            let variant = self.variants.get(usize::from(d));
            d == NULL || variant.is_some_and(|v| (at as usize) < v.len())
        };
        self.offsets.len() == self.len() && pairs.into_iter().all(within)
    }

    /// The order of row `i` and row `j` of `other`, which are both not NULL: first by alternative,
    /// then by `compare` of their values.
    pub fn compare(
        &self,
        i: usize,
        other: &Self,
        j: usize,
        compare: impl Fn(&Column, usize, &Column, usize) -> Ordering,
    ) -> Ordering {
        let alternatives = self.discriminators[i].cmp(&other.discriminators[j]);
        alternatives.then_with(|| match (self.at(i), other.at(j)) {
            (Some((x, i)), Some((y, j))) => compare(x, i, y, j),
            _ => Ordering::Equal,
        })
    }

    /// Row `i` as a value.
    pub fn value(&self, i: usize) -> Value {
        match self.at(i) {
            Some((values, at)) => {
                Value::Variant(self.discriminators[i], Arc::new(values.value(at)))
            }
            None => Value::Null,
        }
    }
}

/// The growing counterpart of [`VariantColumn`]: values are in the order of their rows.
#[derive(Debug)]
pub struct VariantBuilder {
    /// The alternative of each row, or [`NULL`].
    discriminators: Vec<u8>,
    /// Number of rows that hold each alternative. The builder of an alternative has more values
    /// only while a value is being read.
    counts: Vec<usize>,
    /// The values of each alternative. A reader pushes one here and then calls [`Self::close`].
    pub variants: Vec<ColumnBuilder>,
}

impl VariantBuilder {
    /// For values of these types.
    pub fn new(types: &[DataType], capacity: usize) -> Self {
        Self {
            discriminators: Vec::with_capacity(capacity),
            counts: vec![0; types.len()],
            variants: types.iter().map(|t| ColumnBuilder::new(t, 0)).collect(),
        }
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.discriminators.len()
    }

    /// Whether there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.discriminators.is_empty()
    }

    /// Appends NULL.
    pub fn push_null(&mut self) {
        self.discriminators.push(NULL);
    }

    /// Appends the row whose value was just pushed to the alternative's builder.
    pub fn close(&mut self, discriminator: u8) {
        self.discriminators.push(discriminator);
        self.counts[usize::from(discriminator)] += 1;
    }

    /// Appends a value of a type with these alternatives. A value that is not a Variant's becomes
    /// NULL.
    pub fn push_value(&mut self, types: &[DataType], value: &Value) {
        match value {
            Value::Variant(d, value) if usize::from(*d) < types.len() => {
                self.variants[usize::from(*d)].push_value(&types[usize::from(*d)], value);
                self.close(*d);
            }
            _ => self.push_null(),
        }
    }

    /// Appends all rows of a column with the same alternatives.
    pub fn append(&mut self, column: &VariantColumn) {
        let column = column.dense();
        self.discriminators.extend_from_slice(&column.discriminators);
        let parts = self.variants.iter_mut().zip(&mut self.counts).zip(column.variants.iter());
        for ((builder, count), values) in parts {
            builder.append(values);
            *count += values.len();
        }
    }

    /// Drops the rows from `len` on. `drop` gets for each alternative's builder the number of
    /// values that stay, and removes the others, even if one was only partly read.
    pub fn truncate_with(&mut self, len: usize, drop: impl Fn(&mut ColumnBuilder, usize)) {
        for &discriminator in self.discriminators.get(len..).unwrap_or_default() {
            if discriminator != NULL {
                self.counts[usize::from(discriminator)] -= 1;
            }
        }
        self.discriminators.truncate(len);
        self.variants.iter_mut().zip(&self.counts).for_each(|(b, &count)| drop(b, count));
    }

    /// Bytes held, roughly.
    pub fn byte_size(&self) -> usize {
        5 * self.len() + self.variants.iter().map(ColumnBuilder::byte_size).sum::<usize>()
    }

    /// The column.
    pub fn finish(self) -> Column {
        let mut next = [0u32; 256];
        let offset = |d: &u8| {
            let slot = &mut next[usize::from(*d)];
            *slot += 1;
            if *d == NULL { 0 } else { *slot - 1 }
        };
        let offsets = self.discriminators.iter().map(offset).collect();
        let variants = self.variants.into_iter().map(ColumnBuilder::finish).collect();
        let discriminators = self.discriminators.into();
        Column::variant(VariantColumn { discriminators, offsets, variants })
    }
}

#[cfg(test)]
mod tests;
