//! Group ids of rows whose keys are all dictionary columns: every combination of their codes is
//! looked up in the table once, and not once for every row.

use std::collections::HashMap;

use entasis_base::Result;
use entasis_column::hash::NONE;
use entasis_column::{Column, DictColumn};

use super::keys::KeyLayout;
use super::table::GroupTable;

/// Most combinations of values of several keys for which there is an array of group ids.
const MOST_COMBINATIONS: usize = 1 << 12;
/// Most lists of dictionaries whose arrays are kept. Tables of many parts have many dictionaries.
const MOST_KEPT: usize = 256;
/// Stands for a combination that the table is just asked for.
const ASKED: u32 = NONE - 1;

/// The group ids of combinations of dictionaries' values, by the ids of the dictionaries.
#[derive(Default)]
pub struct DictionaryIds {
    known: HashMap<Vec<u64>, Vec<u32>>,
    hashes: Vec<u64>,
    found: Vec<u32>,
}

impl DictionaryIds {
    /// Forgets all ids, because the table is another one.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// Sets `ids` to the groups of the rows of `keys`, and adds new groups to the table. Returns
    /// false, and changes nothing, if a key has no dictionary or there are too many combinations.
    pub fn find_or_add(
        &mut self,
        (layout, table): (&KeyLayout, &mut GroupTable),
        keys: &[&Column],
        ids: &mut Vec<u32>,
    ) -> Result<bool> {
        let mut dicts: Vec<&DictColumn> = Vec::with_capacity(keys.len());
        for key in keys {
            let Column::Dict(dict) = key else { return Ok(false) };
            dicts.push(dict);
        }
        let Some(count) = combinations(&dicts) else { return Ok(false) };
        let list: Vec<u64> = dicts.iter().map(|dict| dict.dictionary.id).collect();
        if self.known.len() >= MOST_KEPT && !self.known.contains_key(&list) {
            self.known.clear();
        }
        let known = self.known.entry(list).or_insert_with(|| vec![NONE; count]);
        combine_codes(&dicts, ids);
        let mut new = Vec::new();
        for (row, &combination) in ids.iter().enumerate() {
            let id = &mut known[combination as usize];
            if *id == NONE {
                *id = ASKED;
                new.push(row as u32);
            }
        }
        if !new.is_empty() {
            let columns: Vec<Column> = keys.iter().map(|key| key.take(&new)).collect();
            let encoded = layout.encode(&columns, new.len())?;
            encoded.hash_all(&mut self.hashes);
            self.found.clear();
            table.find_or_add(&encoded, &self.hashes, &mut self.found)?;
            for (&row, &id) in new.iter().zip(&self.found) {
                known[ids[row as usize] as usize] = id;
            }
        }
        ids.iter_mut().for_each(|id| *id = known[*id as usize]);
        Ok(true)
    }
}

/// The number of combinations of the dictionaries' values; `None` if there are too many.
fn combinations(dicts: &[&DictColumn]) -> Option<usize> {
    let mut sizes = dicts.iter().map(|dict| dict.dictionary.values.len());
    match dicts {
        [] => None,
        [_] => sizes.next(),
        _ => sizes
            .try_fold(1usize, |all, size| all.checked_mul(size))
            .filter(|all| *all <= MOST_COMBINATIONS),
    }
}

/// Numbers the combination of codes of every row.
fn combine_codes(dicts: &[&DictColumn], numbers: &mut Vec<u32>) {
    numbers.clear();
    for dict in dicts {
        if numbers.is_empty() {
            numbers.extend_from_slice(&dict.codes);
            continue;
        }
        let size = dict.dictionary.values.len() as u32;
        for (number, code) in numbers.iter_mut().zip(dict.codes.iter()) {
            *number = *number * size + code;
        }
    }
}
