//! Which rows are the first of their group with their value.
//!
//! Values that are plain numbers are looked up as such, a batch at a time. Up to 32 bits, the group
//! is above them; wider ones are looked up as 64 bits as long as all rows are of one group, and
//! together with the group afterwards. Other values are looked up as
//! bytes behind those of the group.

use entasis_base::Result;
use entasis_column::hash::{BytesTable, FixedTable};
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_simd::hash::hash_strings;
use entasis_types::DataType;

use entasis_function::aggregate::args::mismatch;
use entasis_function::aggregate::binary::write_value;

/// Numbers zero-extended, floats as their bits.
pub fn number_bits(column: &Column) -> Result<Vec<u64>> {
    Ok(match column {
        Column::UInt8(v) => v.iter().map(|&x| x.into()).collect(),
        Column::UInt16(v) => v.iter().map(|&x| x.into()).collect(),
        Column::UInt32(v) => v.iter().map(|&x| x.into()).collect(),
        Column::UInt64(v) => v.to_vec(),
        Column::Int8(v) => v.iter().map(|&x| (x as u8).into()).collect(),
        Column::Int16(v) => v.iter().map(|&x| (x as u16).into()).collect(),
        Column::Int32(v) => v.iter().map(|&x| (x as u32).into()).collect(),
        Column::Int64(v) => v.iter().map(|&x| x as u64).collect(),
        Column::Float32(v) => v.iter().map(|&x| x.to_bits().into()).collect(),
        Column::Float64(v) => v.iter().map(|&x| x.to_bits()).collect(),
        _ => return Err(mismatch()),
    })
}

/// The pairs of group and values that were met.
pub struct Known {
    tables: Tables,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

/// The tables need memory from the start.
enum Tables {
    /// The values of the only group so far.
    One(u32, FixedTable<u64>),
    /// Values of at most 32 bits, and above them the group.
    Narrow(FixedTable<u64>),
    /// Values, and above them the group.
    Numbers(FixedTable<u128>),
    Bytes(BytesTable),
}

impl Tables {
    /// The number of pairs.
    fn len(&self) -> usize {
        match self {
            Tables::One(_, table) => table.len(),
            Tables::Narrow(table) => table.len(),
            Tables::Numbers(table) => table.len(),
            Tables::Bytes(table) => table.len(),
        }
    }
}

fn with_group(value: u64, group: u32) -> u128 {
    u128::from(value) | u128::from(group) << 64
}

impl Known {
    /// Nothing met yet, for rows of values of these types.
    pub fn new(types: &[DataType]) -> Self {
        let is_plain = |ty: &DataType| ty.is_native_number() || ty.is_date_or_time();
        let tables = match types {
            [ty] if is_plain(ty) && matches!(ty.fixed_width(), Some(1..=4)) => {
                Tables::Narrow(FixedTable::default())
            }
            [ty] if is_plain(ty) && matches!(ty.fixed_width(), Some(1..=8)) => {
                Tables::One(0, FixedTable::default())
            }
            _ => Tables::Bytes(BytesTable::default()),
        };
        Self { tables, hashes: Vec::new(), ids: Vec::new() }
    }

    /// Which rows are the first of their pair. The columns are full.
    pub fn firsts(&mut self, values: &[Column], groups: &[u32]) -> Result<Bitmap> {
        let hashes = &mut self.hashes;
        self.ids.clear();
        if let Tables::One(group, table) = &mut self.tables {
            match groups.first() {
                Some(first) if table.is_empty() => *group = *first,
                _ => {}
            }
            if groups.iter().any(|g| g != group) {
                let mut all = FixedTable::with_capacity(table.len());
                let keys: Vec<u128> = table.keys().iter().map(|v| with_group(*v, *group)).collect();
                FixedTable::hash_all(&keys, hashes);
                all.find_or_add_all(&keys, hashes, &mut self.ids);
                self.ids.clear();
                self.tables = Tables::Numbers(all);
            }
        }
        let known = self.tables.len();
        let ids = &mut self.ids;
        match &mut self.tables {
            Tables::One(_, table) => {
                let keys = number_bits(values.first().ok_or_else(mismatch)?)?;
                FixedTable::hash_all(&keys, hashes);
                table.find_or_add_all(&keys, hashes, ids);
            }
            Tables::Narrow(table) => {
                let mut keys = number_bits(values.first().ok_or_else(mismatch)?)?;
                keys.iter_mut().zip(groups).for_each(|(key, g)| *key |= u64::from(*g) << 32);
                FixedTable::hash_all(&keys, hashes);
                table.find_or_add_all(&keys, hashes, ids);
            }
            Tables::Numbers(table) => {
                let keys = number_bits(values.first().ok_or_else(mismatch)?)?;
                let keys: Vec<u128> =
                    keys.into_iter().zip(groups).map(|(v, g)| with_group(v, *g)).collect();
                FixedTable::hash_all(&keys, hashes);
                table.find_or_add_all(&keys, hashes, ids);
            }
            Tables::Bytes(table) => {
                let mut keys = StringsBuilder::with_capacity(groups.len(), groups.len() * 16);
                for (i, group) in groups.iter().enumerate() {
                    keys.data.extend_from_slice(&group.to_le_bytes());
                    values.iter().for_each(|column| write_value(column, i, &mut keys.data));
                    keys.check_room(0)?;
                    keys.close();
                }
                let keys = keys.finish();
                hashes.resize(groups.len(), 0);
                hash_strings(keys.offsets(), keys.data(), 0, hashes);
                table.find_or_add_all(keys.offsets(), keys.data(), hashes, ids);
            }
        }
        // Ids are assigned in order of appearance, so a new pair has the next one.
        let mut next = known as u32;
        let bits: Vec<u8> = ids
            .iter()
            .map(|id| {
                let first = u8::from(*id == next);
                next += u32::from(first);
                first
            })
            .collect();
        Ok(Bitmap::from_bytes(&bits))
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        match &self.tables {
            Tables::One(_, table) => table.byte_size(),
            Tables::Narrow(table) => table.byte_size(),
            Tables::Numbers(table) => table.byte_size(),
            Tables::Bytes(table) => table.byte_size(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;
    use std::collections::HashSet;

    #[test]
    fn as_a_set_of_pairs() {
        for (types, groups) in [(1, 1u64), (1, 5), (2, 5)] {
            let mut rng = Rng::new(3);
            let mut known = Known::new(&vec![DataType::UInt16; types]);
            let mut naive = HashSet::new();
            for batch in 0..20u64 {
                // The first batches have only one group.
                let most = if batch < 5 { 1 } else { groups };
                let of: Vec<u32> = (0..500).map(|_| 2 + rng.below(most) as u32).collect();
                let value = |rng: &mut Rng| (0..500).map(|_| rng.below(3000) as u16).collect();
                let values: Vec<Vec<u16>> = (0..types).map(|_| value(&mut rng)).collect();
                let columns: Vec<Column> = values.iter().map(|v| v.clone().into()).collect();
                let firsts = known.firsts(&columns, &of).unwrap();
                for (i, group) in of.iter().enumerate() {
                    let row: Vec<u16> = values.iter().map(|v| v[i]).collect();
                    assert_eq!(naive.insert((*group, row)), firsts.get(i));
                }
            }
        }
    }
}
