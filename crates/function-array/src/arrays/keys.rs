//! Elements as numbers that are equal exactly if the elements are, and a set of such numbers. With
//! them, every set-like function is one loop over integers.

use std::collections::HashMap;

use entasis_base::scope;
use entasis_column::hash::BytesTable;
use entasis_column::{Column, match_native, match_number};
use entasis_simd::hash::{hash_bytes, hash_strings};

/// A number per element of each column. All columns have one layout; NULL equals NULL, `nan`
/// equals `nan`.
pub fn keys_of(columns: &[&Column]) -> Vec<Vec<u64>> {
    let numeric = columns.iter().map(|c| numeric_keys(c)).collect::<Option<Vec<_>>>();
    if let Some(keys) = numeric {
        return keys;
    }
    if let Some(keys) = columns.iter().map(|c| short_keys(c)).collect() {
        return keys;
    }
    let mut known = BytesTable::default();
    columns.iter().map(|column| ids(column, &mut known)).collect()
}

/// Strings of at most 7 bytes: the bytes, and their number in the highest byte.
fn short_keys(column: &Column) -> Option<Vec<u64>> {
    let strings = column.strings()?;
    let (offsets, data) = (strings.offsets(), strings.data());
    if offsets.windows(2).fold(0, |most, w| most.max(w[1] - w[0])) > 7 {
        return None;
    }
    let key = |w: &[u32]| {
        let (start, len) = (w[0] as usize, w[1] - w[0]);
        let bytes = match data[start..].first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes) & ((1 << (8 * len)) - 1),
            None => {
                let own = data[start..start + len as usize].iter().rev();
                own.fold(0, |bytes, byte| bytes << 8 | u64::from(*byte))
            }
        };
        bytes | u64::from(len) << 56
    };
    Some(offsets.windows(2).map(key).collect())
}

/// Numbers of the values in the order of their first occurrence among all that are known.
fn ids(column: &Column, known: &mut BytesTable) -> Vec<u64> {
    if let Some(strings) = column.strings() {
        let mut hashes = vec![0; strings.len()];
        hash_strings(strings.offsets(), strings.data(), 0, &mut hashes);
        let mut ids = Vec::new();
        known.find_or_add_all(strings.offsets(), strings.data(), &hashes, &mut ids);
        return ids.into_iter().map(u64::from).collect();
    }
    let mut scratch = Vec::new();
    let mut id = |i: usize| {
        scratch.clear();
        encode(column, i, &mut scratch);
        known.find_or_add(&scratch, hash_bytes(&scratch)).into()
    };
    (0..column.len()).map(&mut id).collect()
}

fn numeric_keys(column: &Column) -> Option<Vec<u64>> {
    Some(match column {
        Column::Float32(v) => mapped(v, |x| float_key(x.into())),
        Column::Float64(v) => mapped(v, float_key),
        other => match_number!(other, v => mapped(v, |x| x as u64), _ => return None),
    })
}

/// Each element's key, with a look at the query now and then.
fn mapped<T: Copy>(list: &[T], key: impl Fn(T) -> u64) -> Vec<u64> {
    let mut keys = Vec::with_capacity(list.len());
    scope::parts(list).for_each(|part| keys.extend(part.iter().map(|&x| key(x))));
    keys
}

/// Zero of either sign is one key, every `nan` is one key.
fn float_key(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { (x + 0.0).to_bits() }
}

/// Bytes that are equal exactly where values of one layout are.
fn encode(column: &Column, i: usize, out: &mut Vec<u8>) {
    match column {
        Column::String(s) => bytes(s.get(i), out),
        Column::Fixed(f) => bytes(f.get(i), out),
        Column::Nullable(n) => {
            let valid = n.validity.get(i);
            out.push(u8::from(valid));
            if valid {
                encode(&n.values, i, out);
            }
        }
        Column::Array(a) => {
            let range = a.range(i);
            out.extend_from_slice(&(range.len() as u32).to_le_bytes());
            range.for_each(|k| encode(&a.values, k, out));
        }
        Column::Tuple(t) => t.columns.iter().for_each(|c| encode(c, i, out)),
        Column::Variant(v) => {
            out.push(v.discriminators[i]);
            if let Some((values, at)) = v.at(i) {
                encode(values, at, out);
            }
        }
        Column::Const(c) => encode(&c.value, 0, out),
        Column::Dict(d) => encode(&d.dictionary.values, d.codes[i] as usize, out),
        Column::Float32(v) => out.extend_from_slice(&float_key(v[i].into()).to_le_bytes()),
        Column::Float64(v) => out.extend_from_slice(&float_key(v[i]).to_le_bytes()),
        // Only the type Nothing is left, whose values are all alike.
        other => match_native!(other, v => out.extend_from_slice(&v[i].to_le_bytes()), _ => {}),
    }
}

fn bytes(s: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(s.len() as u32).to_le_bytes());
    out.extend_from_slice(s);
}

/// Keys of tuples from the keys of their elements.
pub fn combine(mut columns: Vec<Vec<u64>>) -> Vec<u64> {
    match columns.len() {
        1 => columns.remove(0),
        _ => {
            let mut known: HashMap<Vec<u64>, u64> = HashMap::new();
            let rows = columns.first().map_or(0, Vec::len);
            (0..rows)
                .map(|i| {
                    let next = known.len() as u64;
                    *known.entry(columns.iter().map(|c| c[i]).collect()).or_insert(next)
                })
                .collect()
        }
    }
}

/// Lists of so many elements are searched one by one, which is faster than any table.
pub const SHORT: usize = 12;

/// Calls `first` with the position of every key that does not occur before it in the list.
#[inline(always)]
pub fn each_first(list: &[u64], seen: &mut Seen, mut first: impl FnMut(usize)) {
    if list.len() <= SHORT {
        for (k, key) in list.iter().enumerate() {
            if !list[..k].contains(key) {
                first(k);
            }
        }
        return;
    }
    seen.clear();
    let mut at = 0;
    for part in scope::parts(list) {
        for &key in part {
            if seen.set(key, 0) {
                first(at);
            }
            at += 1;
        }
    }
}

/// A map from keys to small numbers, emptied in O(1): for one list after the other.
pub struct Seen {
    slots: Vec<(u64, u32, u32)>,
    generation: u32,
    shift: u32,
}

impl Seen {
    /// For lists of at most `longest` elements.
    pub fn new(longest: usize) -> Self {
        let size = (longest.max(4) * 2).next_power_of_two();
        Self { slots: scope::zeroed(size), generation: 0, shift: 64 - size.trailing_zeros() }
    }

    /// Forgets everything.
    #[inline]
    pub fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill((0, 0, 0));
            self.generation = 1;
        }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        while self.slots[at].1 == self.generation && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// The number kept for a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u32> {
        let slot = self.slots[self.slot(key)];
        (slot.1 == self.generation).then_some(slot.2)
    }

    /// Keeps a number for a key; answers whether the key is new.
    #[inline]
    pub fn set(&mut self, key: u64, value: u32) -> bool {
        let at = self.slot(key);
        let new = self.slots[at].1 != self.generation;
        self.slots[at] = (key, self.generation, value);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn seen_against_a_map() {
        let mut rng = Rng::new(5);
        let mut seen = Seen::new(20);
        for _ in 0..200 {
            seen.clear();
            let mut map = HashMap::new();
            for i in 0..20 {
                let key = rng.below(12) << rng.below(50);
                assert_eq!(seen.get(key), map.get(&key).copied());
                assert_eq!(seen.set(key, i), map.insert(key, i).is_none());
            }
        }
    }

    #[test]
    fn keys_are_equal_where_values_are() {
        let a = Column::from(vec![0.0f64, -0.0, f64::NAN, f64::NAN, 1.0]);
        let keys = keys_of(&[&a]);
        assert!(keys[0][0] == keys[0][1] && keys[0][2] == keys[0][3] && keys[0][0] != keys[0][4]);
        let s = Column::String(["a", "b"].iter().collect());
        let t = Column::String(["b", "a"].iter().collect());
        let keys = keys_of(&[&s, &t]);
        assert_eq!((keys[0][0], keys[0][1]), (keys[1][1], keys[1][0]));
        let wide = Column::from(vec![i128::MIN, i128::MAX, i128::MIN, 1]);
        let keys = keys_of(&[&wide]).remove(0);
        assert!(keys[0] == keys[2] && keys[0] != keys[1] && keys[1] != keys[3]);
    }
}
