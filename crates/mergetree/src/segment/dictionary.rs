//! Dictionaries of string columns.
//!
//! The segment's dictionary is built while granules arrive, and given up if it grows too large or
//! does not pay. Granules written before that remain codes. Later granules may have a dictionary of
//! their own ([`of_granule`]), or are plain strings. A reader tells them apart by their blocks.

use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{Column, Strings, StringsBuilder};
use entasis_simd::hash::hash_bytes;

/// Most values.
const MAX_VALUES: usize = 1 << 16;
/// Most bytes of values.
const MAX_BYTES: usize = 1 << 20;
/// A dictionary may hold one value for every this many rows.
const ROWS_PER_VALUE: usize = 8;
/// This many values are always allowed.
const SMALL: usize = 16;
/// Conditions for a granule's own dictionary: fewest rows, fewest bytes per row, and how much of
/// the strings' bytes it may take, in percent. Above that percentage, expanding the codes costs
/// more than decompressing fewer bytes saves.
const GRANULE_ROWS: usize = 256;
const GRANULE_ROW_BYTES: usize = 3;
const GRANULE_PERCENT: usize = 80;

/// Distinct strings in order of first appearance. NULL has a code of its own.
#[derive(Debug)]
pub(crate) struct DictionaryBuilder {
    values: StringsBuilder,
    /// Hash table with open addressing: code + 1, or 0 for a free slot.
    slots: Vec<u32>,
    most_bytes: usize,
    rows_per_value: usize,
    null: Option<u32>,
    rows: usize,
    /// The codes for the dictionary of the last column that had one, with that dictionary's
    /// identity.
    memo: Option<(u64, Vec<u32>)>,
}

const UNKNOWN: u32 = u32::MAX;

impl DictionaryBuilder {
    pub(crate) fn new() -> Self {
        Self {
            values: StringsBuilder::default(),
            slots: vec![0; 256],
            most_bytes: MAX_BYTES,
            rows_per_value: ROWS_PER_VALUE,
            null: None,
            rows: 0,
            memo: None,
        }
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The codes of a granule (String or Nullable(String), any representation). `None` if the
    /// dictionary must be given up; its values are then kept for earlier granules only.
    pub(crate) fn codes(&mut self, column: &Column) -> Option<Vec<u32>> {
        let rows = column.len();
        let before = self.len();
        self.rows += rows;
        let codes = match column {
            Column::Const(c) => {
                let code = self.codes_of_full(&c.value)?[0];
                Some(vec![code; rows])
            }
            Column::Dict(d) => {
                let mut memo = match self.memo.take() {
                    Some((id, memo)) if id == d.dictionary.id => memo,
                    _ => vec![UNKNOWN; d.dictionary.values.len()],
                };
                let codes = self.codes_of_dict(&d.codes, &d.dictionary.values, &mut memo);
                self.memo = Some((d.dictionary.id, memo));
                codes
            }
            full => self.codes_of_full(full),
        }?;
        let grew = self.len() > before;
        if grew && self.len() > SMALL.max(self.rows / self.rows_per_value) {
            return None;
        }
        Some(codes)
    }

    fn codes_of_dict(
        &mut self,
        codes: &[u32],
        values: &Column,
        memo: &mut [u32],
    ) -> Option<Vec<u32>> {
        let (validity, plain) = values.split_nullable();
        let strings = plain.strings()?;
        let mut out = Vec::with_capacity(codes.len());
        for &code in codes {
            let slot = &mut memo[code as usize];
            if *slot == UNKNOWN {
                let is_null = validity.is_some_and(|v| !v.get(code as usize));
                *slot = if is_null { self.null()? } else { self.code(strings.get(code as usize))? };
            }
            out.push(*slot);
        }
        Some(out)
    }

    fn codes_of_full(&mut self, column: &Column) -> Option<Vec<u32>> {
        let (validity, plain) = column.split_nullable();
        let strings = plain.strings()?;
        let mut out = Vec::with_capacity(strings.len());
        let (mut last, mut last_code): (&[u8], u32) = (&[], UNKNOWN);
        for (i, text) in strings.iter().enumerate() {
            if validity.is_some_and(|v| !v.get(i)) {
                out.push(self.null()?);
                continue;
            }
            if last_code == UNKNOWN || text != last {
                (last, last_code) = (text, self.code(text)?);
            }
            out.push(last_code);
        }
        Some(out)
    }

    fn null(&mut self) -> Option<u32> {
        if self.null.is_none() {
            self.null = Some(self.values.len() as u32);
            // NULL is not entered into the slots: the empty string has another code.
            self.values.push(b"");
        }
        self.null
    }

    fn get(&self, code: usize) -> &[u8] {
        let ends = &self.values.offsets;
        &self.values.data[ends[code] as usize..ends[code + 1] as usize]
    }

    fn code(&mut self, text: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash_bytes(text) as usize & mask;
        loop {
            match self.slots[at] {
                0 => break,
                code if self.get(code as usize - 1) == text => return Some(code - 1),
                _ => at = (at + 1) & mask,
            }
        }
        let bytes = self.values.data.len() + text.len();
        let room = self.len() < MAX_VALUES && bytes <= self.most_bytes;
        // Stops early, so that a dictionary that will be given up is not filled.
        if !room || self.len() > SMALL.max(self.rows / self.rows_per_value) {
            return None;
        }
        let code = self.len() as u32;
        self.values.push(text);
        self.slots[at] = code + 1;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(code)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![0; mask + 1];
        for code in 0..self.len() {
            if self.null == Some(code as u32) {
                continue;
            }
            let mut at = hash_bytes(self.get(code)) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = code as u32 + 1;
        }
        self.slots = slots;
    }

    /// The values, as a Nullable column if the column is Nullable.
    pub(crate) fn values(&self, nullable: bool) -> Column {
        let strings: Strings = self.values.clone().finish();
        let rows = strings.len();
        if !nullable {
            return strings.into();
        }
        let mut validity = BitmapBuilder::default();
        (0..rows).for_each(|i| validity.push(self.null != Some(i as u32)));
        Column::nullable(strings.into(), validity.finish())
    }
}

/// Codes and values of one granule's strings (String or Nullable(String)); `None` unless enough of
/// them repeat.
pub(crate) fn of_granule(column: &Column) -> Option<(Vec<u32>, Column)> {
    let column = column.full();
    let (validity, plain) = column.split_nullable();
    let strings = plain.strings()?;
    let (rows, bytes) = (strings.len(), strings.bytes().len());
    if rows < GRANULE_ROWS || bytes < rows * GRANULE_ROW_BYTES {
        return None;
    }
    let limits = |part: &Column, most_bytes: usize| DictionaryBuilder {
        most_bytes,
        rows_per_value: 1,
        rows: part.len(),
        ..DictionaryBuilder::new()
    };
    // In sorted rows, strings that repeat do so early, so the first rows are tried.
    let first = column.slice(0, rows / 8);
    let first_bytes = strings.slice(0, rows / 8).bytes().len();
    limits(&first, first_bytes * 95 / 100).codes_of_full(&first)?;
    let mut builder = limits(&column, bytes * GRANULE_PERCENT / 100);
    let codes = builder.codes_of_full(&column)?;
    Some((codes, builder.values(validity.is_some())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::Bitmap;

    #[test]
    fn codes_name_the_values_and_too_many_give_up() {
        let mut builder = DictionaryBuilder::new();
        let rows = 10_000usize;
        let strings: Strings = (0..rows).map(|i| format!("v{}", i % 700)).collect();
        let validity = Bitmap::from_fn(rows, |i| i % 5 != 0);
        let column = Column::nullable(strings.into(), validity);
        let codes = builder.codes(&column).unwrap();
        let again = builder.codes(&column.slice(1, 300)).unwrap();
        assert_eq!(again, codes[1..301]);
        let values = builder.values(true);
        for (i, &code) in codes.iter().enumerate() {
            assert_eq!(values.value(code as usize), column.value(i));
        }
        let dict = Column::dict(codes.clone().into(), entasis_column::Dictionary::new(values));
        assert_eq!(builder.codes(&dict).unwrap(), codes);
        let many: Strings = (0..rows).map(|i| i.to_string()).collect();
        assert!(builder.codes(&many.into()).is_none());
    }
}
