//! Which groups a LIMIT without an order keeps.
//!
//! Any groups will do. So the first worker whose table has as many groups as are wanted chooses
//! them, and from then on no worker adds rows of other groups. A chosen group is complete, because
//! a worker keeps all groups until it learns of the choice, and whatever was collected before is
//! pruned at the end. Groups on disk cannot be pruned: once a worker has written groups without a
//! choice, there will be none.

use std::sync::OnceLock;

use entasis_base::Result;
use entasis_column::hash::NONE;
use entasis_column::{Column, match_number};

use super::Spec;
use super::keys::{KeyBits, KeyLayout};
use super::table::{GroupTable, Groups};

/// Most groups that are chosen. More would not fit into the second-level cache, and a worker's
/// table might be split before it has them.
const MOST_CHOSEN: u64 = 1 << 12;

/// The choice of one aggregation.
pub struct Chosen {
    /// The number of wanted groups; `None` if no choice is made.
    wanted: Option<usize>,
    /// The chosen groups; `None` inside if the choice was given up.
    table: OnceLock<Option<GroupTable>>,
    /// The values of one of their keys; `None` inside if a look at one key saves nothing.
    among: OnceLock<Option<Among>>,
}

/// Some of the bits of the values that a key of numbers has in the chosen groups.
///
/// Most rows are in other groups. One look at one number tells that, without the row's other keys
/// being encoded and hashed.
struct Among {
    key: usize,
    bits: Vec<u64>,
}

/// The number of bits, as a power of two: for the most groups, one in sixteen is set.
const BITS: u32 = 16;

fn bit<T: KeyBits>(value: T) -> usize {
    (value.to_bits64().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS)) as usize
}

impl Among {
    /// The values of the first key that has plain numbers.
    fn new(keys: &[Column]) -> Option<Self> {
        keys.iter().enumerate().find_map(|(key, column)| {
            let mut bits = vec![0u64; 1 << (BITS - 6)];
            match_number!(column, values => {
                values.iter().for_each(|&v| bits[bit(v) / 64] |= 1 << (bit(v) % 64));
                Some(Self { key, bits })
            }, _ => None)
        })
    }

    /// The rows that may be in a chosen group; `None` if the key has another form in this chunk.
    fn rows(&self, keys: &[Column]) -> Option<Vec<u32>> {
        let is_set = |bit: usize| self.bits[bit / 64] >> (bit % 64) & 1 != 0;
        match_number!(&keys[self.key], values => {
            let rows = values.iter().enumerate().filter(|(_, v)| is_set(bit(**v)));
            Some(rows.map(|(row, _)| row as u32).collect())
        }, _ => None)
    }
}

impl Chosen {
    /// No choice yet.
    pub fn new(limit: Option<u64>) -> Self {
        let wanted = limit.filter(|limit| (1..=MOST_CHOSEN).contains(limit));
        let wanted = wanted.map(|limit| limit as usize);
        Self { wanted, table: OnceLock::new(), among: OnceLock::new() }
    }

    /// The chosen groups, once they are chosen.
    pub fn table(&self) -> Option<&GroupTable> {
        self.table.get()?.as_ref()
    }

    /// The chosen groups. If `groups` are the first that suffice, they are chosen now.
    pub fn offer(&self, spec: &Spec, groups: &Groups) -> Result<Option<&GroupTable>> {
        let enough = self.wanted.is_some_and(|wanted| groups.table.len() >= wanted);
        if let (Some(wanted), true, None) = (self.wanted, enough, self.table.get()) {
            let mut table = GroupTable::whole(&spec.layout);
            let (keys, mut hashes) = (groups.table.key_range(0, wanted)?, Vec::new());
            keys.hash_all(&mut hashes);
            table.find_or_add(&keys, &hashes, &mut Vec::new())?;
            if self.table.set(Some(table)).is_ok() {
                let among =
                    matches!(spec.layout, KeyLayout::Rows(_)).then(|| spec.layout.decode(&keys));
                let among = among.transpose()?.and_then(|columns| Among::new(&columns));
                let _ = self.among.set(among);
            }
        }
        Ok(self.table())
    }

    /// The rows of a chunk that may be in a chosen group, if that is known without looking at all
    /// keys, and if they are few.
    pub fn few_rows(&self, keys: &[Column], rows: usize) -> Option<Vec<u32>> {
        let among = self.among.get()?.as_ref()?.rows(keys)?;
        (among.len() <= rows / 4).then_some(among)
    }

    /// From now on no groups are chosen; does nothing if they are.
    pub fn give_up(&self) {
        let _ = self.table.set(None);
    }
}

impl Groups {
    /// The chosen groups without rows; their ids are those of `chosen`.
    pub fn of_chosen(spec: &Spec, chosen: &GroupTable) -> Self {
        let mut kept = Self::with_table(spec, chosen.clone());
        let groups = kept.table.len();
        kept.states.iter_mut().for_each(|states| states.resize(groups));
        kept
    }

    /// The chosen groups, with what these groups hold of them.
    pub fn pruned(mut self, spec: &Spec, chosen: &GroupTable) -> Result<Self> {
        let mut kept = Self::of_chosen(spec, chosen);
        let (keys, mut hashes) = (chosen.key_range(0, chosen.len())?, Vec::new());
        keys.hash_all(&mut hashes);
        let mut from = Vec::new();
        self.table.find(&keys, &hashes, &mut from)?;
        let to: Vec<u32> = (0..from.len() as u32).filter(|i| from[*i as usize] != NONE).collect();
        from.retain(|id| *id != NONE);
        for (mine, theirs) in kept.states.iter_mut().zip(&mut self.states) {
            mine.merge(&mut **theirs, &from, &to)?;
        }
        Ok(kept)
    }
}
