//! A sorted run: the rows in their original order, and the keys with row numbers in key order.

use std::cmp::Ordering;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::scope::{self, Ticker};
use entasis_column::compare::{SortOrder, compare_rows};
use entasis_column::{Chunk, Column, Strings};

use super::keys::{SortKeys, encode};
use super::radix::{radix_sort, sort_numbers, sort_short};

/// From this number of entries on, numbers are sorted by radix sort.
const RADIX_FROM: usize = 1 << 12;

/// Keys and row numbers, in key order once sorted.
#[derive(Debug)]
pub enum Entries {
    /// Key and row number in one number.
    Short(Vec<u64>),
    U64(Vec<(u64, u32)>),
    Wide(Vec<(u128, u32)>),
    /// The first eight bytes as a number, which decides most comparisons, and the whole strings.
    Bytes(Vec<(u64, u32)>, Strings),
    Columns(Vec<u32>, Vec<(Column, SortOrder)>),
}

/// Rows and their order.
#[derive(Debug)]
pub struct Run {
    pub chunk: Chunk,
    pub entries: Entries,
}

/// The first eight bytes, padded with zeros, as a number with the same order.
#[inline]
pub fn prefix(s: &[u8]) -> u64 {
    match s.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..s.len()].copy_from_slice(s);
            u64::from_be_bytes(bytes)
        }
    }
}

/// Keys with the numbers of their rows.
pub fn numbered<K: Copy>(keys: &[K]) -> Vec<(K, u32)> {
    keys.iter().zip(0..).map(|(k, i)| (*k, i)).collect()
}

fn compare_bytes(strings: &Strings, a: (u64, u32), other: &Strings, b: (u64, u32)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| strings.get(a.1 as usize).cmp(other.get(b.1 as usize)))
}

fn compare_columns(
    a: &[(Column, SortOrder)],
    i: u32,
    b: &[(Column, SortOrder)],
    j: u32,
) -> Ordering {
    let parts = a.iter().zip(b);
    parts
        .map(|((a, order), (b, _))| compare_rows(a, i as usize, b, j as usize, *order))
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

impl Entries {
    /// The entries of a chunk, in the order of its rows.
    fn unsorted(chunk: &Chunk, keys: &[(usize, SortOrder)]) -> Self {
        Self::of(encode(chunk, keys), chunk.rows)
    }

    fn of(keys: SortKeys, rows: usize) -> Self {
        match keys {
            SortKeys::Short(keys) => Self::Short(keys),
            SortKeys::U64(keys) => Self::U64(numbered(&keys)),
            SortKeys::Wide(keys) => Self::Wide(numbered(&keys)),
            SortKeys::Bytes(strings) => {
                let entries = strings.iter().zip(0..).map(|(s, i)| (prefix(s), i)).collect();
                Self::Bytes(entries, strings)
            }
            SortKeys::Columns(columns) => Self::Columns((0..rows as u32).collect(), columns),
        }
    }

    /// The entries of a chunk in key order; rows with equal keys are sorted by row number.
    fn sorted(chunk: &Chunk, keys: &[(usize, SortOrder)]) -> Self {
        match encode(chunk, keys) {
            SortKeys::Short(keys) if keys.len() >= RADIX_FROM => Self::Short(sort_short(keys)),
            SortKeys::U64(keys) if keys.len() >= RADIX_FROM => Self::U64(sort_numbers(&keys)),
            SortKeys::Wide(keys) if keys.len() >= RADIX_FROM => Self::Wide(sort_numbers(&keys)),
            encoded => {
                let mut entries = Self::of(encoded, chunk.rows);
                entries.sort();
                entries
            }
        }
    }

    /// Sorts by key; rows with equal keys are sorted by row number.
    fn sort(&mut self) {
        match self {
            Self::Short(entries) => entries.sort_unstable(),
            Self::U64(entries) if entries.len() >= RADIX_FROM => {
                radix_sort(entries, &mut Vec::new());
            }
            Self::U64(entries) => entries.sort_unstable(),
            Self::Wide(entries) => entries.sort_unstable(),
            Self::Bytes(entries, strings) => sort_bytes(entries, strings),
            Self::Columns(rows, columns) => rows.sort_unstable_by(scope::checked(|a, b| {
                compare_columns(columns, *a, columns, *b).then(u32::cmp(a, b))
            })),
        }
    }

    /// Keeps the first `count` entries in key order; they are not sorted.
    fn select(&mut self, count: usize) {
        if count == 0 || count >= self.len() {
            return;
        }
        match self {
            Self::Short(entries) => {
                entries.select_nth_unstable(count - 1);
                entries.truncate(count);
            }
            Self::U64(entries) => {
                entries.select_nth_unstable(count - 1);
                entries.truncate(count);
            }
            Self::Wide(entries) => {
                entries.select_nth_unstable(count - 1);
                entries.truncate(count);
            }
            Self::Bytes(entries, strings) => {
                let compare = |a: &(u64, u32), b: &(u64, u32)| {
                    compare_bytes(strings, *a, strings, *b).then(a.1.cmp(&b.1))
                };
                entries.select_nth_unstable_by(count - 1, scope::checked(compare));
                entries.truncate(count);
            }
            Self::Columns(rows, columns) => {
                let compare =
                    |a: &u32, b: &u32| compare_columns(columns, *a, columns, *b).then(a.cmp(b));
                rows.select_nth_unstable_by(count - 1, scope::checked(compare));
                rows.truncate(count);
            }
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::U64(entries) | Self::Bytes(entries, _) => entries.len(),
            Self::Short(entries) => entries.len(),
            Self::Wide(entries) => entries.len(),
            Self::Columns(rows, _) => rows.len(),
        }
    }

    /// The row number of entry `i`.
    #[inline]
    pub fn row(&self, i: usize) -> u32 {
        match self {
            Self::U64(entries) | Self::Bytes(entries, _) => entries[i].1,
            Self::Short(entries) => entries[i] as u32,
            Self::Wide(entries) => entries[i].1,
            Self::Columns(rows, _) => rows[i],
        }
    }

    /// Compares the keys of entry `i` and of entry `j` of another run with the same key columns.
    #[inline]
    pub fn compare(&self, i: usize, other: &Self, j: usize) -> Ordering {
        match (self, other) {
            (Self::Short(a), Self::Short(b)) => (a[i] >> 32).cmp(&(b[j] >> 32)),
            (Self::U64(a), Self::U64(b)) => a[i].0.cmp(&b[j].0),
            (Self::Wide(a), Self::Wide(b)) => a[i].0.cmp(&b[j].0),
            (Self::Bytes(a, s), Self::Bytes(b, t)) => compare_bytes(s, a[i], t, b[j]),
            (Self::Columns(a, s), Self::Columns(b, t)) => compare_columns(s, a[i], t, b[j]),
            _ => Ordering::Equal,
        }
    }

    /// The first entry that is not less than entry `j` of `other`.
    pub fn lower_bound(&self, other: &Self, j: usize) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.compare(middle, other, j).is_lt() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The row numbers of the entries `from .. to`.
    pub fn rows(&self, from: usize, to: usize) -> Vec<u32> {
        (from..to).map(|i| self.row(i)).collect()
    }
}

impl Run {
    /// Sorts all rows of a chunk.
    pub fn sort(chunk: Chunk, keys: &[(usize, SortOrder)]) -> Self {
        events::one(Event::SortRuns);
        events::add(Event::SortRunRows, chunk.rows as u64);
        let began = Instant::now();
        let entries = Entries::sorted(&chunk, keys);
        events::elapsed(Event::SortRunMicroseconds, began);
        Self { chunk, entries }
    }

    /// A run of rows that are in key order already.
    pub fn sorted(chunk: Chunk, keys: &[(usize, SortOrder)]) -> Self {
        let entries = Entries::unsorted(&chunk, keys);
        Self { chunk, entries }
    }

    /// Approximate bytes that the run holds.
    pub fn byte_size(&self) -> usize {
        self.chunk.byte_size() + 16 * self.chunk.rows
    }

    /// The first `count` rows in key order, sorted.
    pub fn best(chunk: &Chunk, keys: &[(usize, SortOrder)], count: usize) -> Chunk {
        events::one(Event::SortTopSelections);
        events::add(Event::SortTopRows, chunk.rows as u64);
        let mut entries = Entries::unsorted(chunk, keys);
        entries.select(count);
        entries.sort();
        chunk.take(&entries.rows(0, entries.len().min(count)))
    }
}

/// How many bytes from `depth` on all strings of the entries share.
fn common_prefix(entries: &[(u64, u32)], strings: &Strings, depth: usize) -> usize {
    let Some((first, rest)) = entries.split_first() else { return 0 };
    let mut common = &strings.get(first.1 as usize)[depth..];
    for entry in rest {
        let other = &strings.get(entry.1 as usize)[depth..];
        if !other.starts_with(common) {
            let shared = common.iter().zip(other).take_while(|(a, b)| a == b).count();
            common = &common[..shared];
        }
        if common.is_empty() {
            return 0;
        }
    }
    common.len()
}

/// Sorts strings eight bytes at a time: entries are sorted by the bytes at one depth as a number,
/// then each group of equal ones by the next eight bytes. What all strings of a group share is
/// skipped before.
fn sort_bytes(entries: &mut [(u64, u32)], strings: &Strings) {
    let mut other = Vec::new();
    let mut todo = vec![(0, entries.len(), 0)];
    let mut ticker = Ticker::default();
    while let Some((start, end, depth)) = todo.pop() {
        let part = &mut entries[start..end];
        ticker.check_or_unwind(part.len());
        let depth = depth + common_prefix(part, strings, depth);
        for entry in part.iter_mut() {
            entry.0 = prefix(&strings.get(entry.1 as usize)[depth..]);
        }
        if part.len() >= RADIX_FROM {
            radix_sort(part, &mut other);
        } else {
            part.sort_unstable();
        }
        let mut from = 0;
        while from < part.len() {
            let key = part[from].0;
            let to = from + part[from..].iter().take_while(|e| e.0 == key).count();
            if to - from > 1 {
                // Strings that end at this depth come first, shorter ones before longer ones.
                let group = &mut part[from..to];
                let rest = |e: &(u64, u32)| strings.get(e.1 as usize).len() - depth;
                let ended = group.iter().filter(|e| rest(e) <= 8).count();
                if ended > 0 {
                    group.sort_unstable_by_key(|e| (rest(e).min(9), e.1));
                }
                if group.len() - ended > 1 {
                    todo.push((start + from + ended, start + to, depth + 8));
                }
            }
            from = to;
        }
    }
    for entry in entries {
        entry.0 = prefix(strings.get(entry.1 as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;

    #[test]
    fn strings_are_sorted_as_bytes_whatever_they_share() {
        let mut rng = Rng::new(6);
        for count in [0, 1, 50, 20_000] {
            let text = |rng: &mut Rng| {
                let mut s = b"http://a.very.long.host/".repeat(rng.below(3) as usize);
                for _ in 0..rng.below(30) {
                    s.push([0, b'a', b'b', 0xFF][rng.below(4) as usize]);
                }
                s
            };
            let list: Vec<Vec<u8>> = (0..count).map(|_| text(&mut rng)).collect();
            let strings: Strings = list.iter().collect();
            let mut got: Vec<(u64, u32)> =
                strings.iter().zip(0..).map(|(s, i)| (prefix(s), i)).collect();
            let mut want = got.clone();
            sort_bytes(&mut got, &strings);
            want.sort_by_key(|e| (&list[e.1 as usize], e.1));
            assert_eq!(got, want);
        }
    }
}
