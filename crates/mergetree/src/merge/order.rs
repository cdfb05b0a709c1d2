//! Merges several sorted inputs: decides from which of them the next rows come. Used by merges,
//! which read whole parts, and by scans that return rows in key order.

use std::cmp::Ordering;
use std::sync::Arc;

use entasis_column::Column;

use crate::sort::{Prefixes, compare_keys, prefixes};

/// The current block of one input: its key columns (full ones), and the next row.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) keys: Vec<Column>,
    prefixes: Prefixes,
    row: usize,
    /// Which key columns are sorted the other way round.
    descending: Arc<[bool]>,
}

impl Head {
    pub(crate) fn new(keys: Vec<Column>, rows: usize, descending: &Arc<[bool]>) -> Self {
        let prefixes = if keys.is_empty() {
            Prefixes { keys: vec![0; rows], exact: true }
        } else {
            prefixes(&keys, descending)
        };
        Self { keys, prefixes, row: 0, descending: Arc::clone(descending) }
    }

    fn rows(&self) -> usize {
        self.prefixes.keys.len()
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        let by_prefix = self.prefixes.keys[row].cmp(&other.prefixes.keys[other_row]);
        if by_prefix.is_ne() || (self.prefixes.exact && other.prefixes.exact) {
            return by_prefix;
        }
        compare_keys((&self.keys, row), (&other.keys, other_row), &self.descending)
    }

    /// Whether a row of the block, which is not its first, has another key than the row before.
    pub(crate) fn begins_key(&self, row: usize) -> bool {
        self.compare(row, self, row - 1).is_ne()
    }

    /// A block of only one of its rows.
    fn only(&self, row: usize) -> Self {
        let keys = self.keys.iter().map(|k| k.slice(row, 1)).collect();
        let prefixes = Prefixes { keys: vec![self.prefixes.keys[row]], exact: self.prefixes.exact };
        Self { keys, prefixes, row: 0, descending: Arc::clone(&self.descending) }
    }
}

/// Rows `start .. end` of an input's block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    pub(crate) input: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the first row has another key than the row before.
    pub(crate) new_key: bool,
}

/// The row that was returned last.
enum Last {
    Nothing,
    Row(usize, usize),
    /// A copy of the row, whose block is no longer held.
    Kept(Head),
}

/// The inputs. Among equal rows, those of earlier inputs come first.
pub(crate) struct Order {
    pub(crate) heads: Vec<Head>,
    /// By input: the prefix of its next row. Most comparisons need nothing else.
    fronts: Vec<u128>,
    /// Inputs ordered by their next row, the greatest first: the least one is popped from the end.
    order: Vec<u32>,
    last: Last,
}

impl Order {
    /// Takes the inputs with their first blocks; inputs without rows have ended.
    pub(crate) fn new(heads: Vec<Head>) -> Self {
        let front = |head: &Head| head.prefixes.keys.first().copied().unwrap_or_default();
        let fronts = heads.iter().map(front).collect();
        let inputs = (0..heads.len() as u32).filter(|&i| heads[i as usize].rows() > 0);
        let mut order: Vec<u32> = inputs.collect();
        let mut this = Self { heads, fronts, order: Vec::new(), last: Last::Nothing };
        order.sort_by(|&a, &b| this.behind(a as usize, b as usize));
        this.order = order;
        this
    }

    /// The next rows, as many as come before any other input's. The caller then refills the input
    /// if [`Self::is_used_up`], and puts it back unless it has ended.
    pub(crate) fn pop(&mut self) -> Option<Next> {
        let input = self.order.pop()? as usize;
        let head = &self.heads[input];
        let start = head.row;
        let end = match self.order.last() {
            Some(&rival) => self.run_end(input, rival as usize),
            None => head.rows(),
        };
        let new_key = match &self.last {
            Last::Nothing => true,
            Last::Row(of, row) => head.compare(start, &self.heads[*of], *row).is_ne(),
            Last::Kept(kept) => head.compare(start, kept, 0).is_ne(),
        };
        self.last = Last::Row(input, end - 1);
        if let Some(&front) = head.prefixes.keys.get(end) {
            self.fronts[input] = front;
        }
        self.heads[input].row = end;
        Some(Next { input, start, end, new_key })
    }

    pub(crate) fn is_used_up(&self, input: usize) -> bool {
        self.heads[input].row == self.heads[input].rows()
    }

    /// Sets the next block of an input, which has rows, replacing the used-up one.
    pub(crate) fn refill(&mut self, input: usize, head: Head) {
        if let Last::Row(of, row) = self.last
            && of == input
        {
            self.last = Last::Kept(self.heads[input].only(row));
        }
        self.fronts[input] = head.prefixes.keys.first().copied().unwrap_or_default();
        self.heads[input] = head;
    }

    /// Returns an input that has rows to the merge.
    pub(crate) fn put_back(&mut self, input: usize) {
        let is_behind = |&other: &u32| self.behind(other as usize, input).is_lt();
        let at = self.order.partition_point(is_behind);
        self.order.insert(at, input as u32);
    }

    /// How the next rows of two inputs compare in `order`, where the least row is the last.
    fn behind(&self, a: usize, b: usize) -> Ordering {
        match self.fronts[b].cmp(&self.fronts[a]) {
            Ordering::Equal => {
                let (a_head, b_head) = (&self.heads[a], &self.heads[b]);
                b_head.compare(b_head.row, a_head, a_head.row).then(b.cmp(&a))
            }
            order => order,
        }
    }

    /// The first row of `least`'s block, after its next one, that must come after `rival`'s next
    /// row.
    fn run_end(&self, least: usize, rival: usize) -> usize {
        let (head, other) = (&self.heads[least], &self.heads[rival]);
        let front = self.fronts[rival];
        let stays = |row: usize| match head.prefixes.keys[row].cmp(&front) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => head.compare(row, other, other.row).then(least.cmp(&rival)).is_le(),
        };
        let mut end = head.row + 1;
        while end < head.rows() && stays(end) {
            end += 1;
        }
        end
    }
}
