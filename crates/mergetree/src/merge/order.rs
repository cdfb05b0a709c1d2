//! Merges several sorted inputs: decides from which of them the next rows come. Used by merges,
//! which read whole parts, and by scans that return rows in key order.

use std::cmp::Ordering;

use entasis_column::Column;

use crate::sort::{Prefixes, compare_keys, prefixes};

/// The current block of one input: its key columns (full ones), and the next row.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) keys: Vec<Column>,
    prefixes: Prefixes,
    row: usize,
}

impl Head {
    pub(crate) fn new(keys: Vec<Column>, rows: usize) -> Self {
        let prefixes = if keys.is_empty() {
            Prefixes { keys: vec![0; rows], exact: true }
        } else {
            prefixes(&keys)
        };
        Self { keys, prefixes, row: 0 }
    }

    fn rows(&self) -> usize {
        self.prefixes.keys.len()
    }

    fn compare(&self, row: usize, other: &Self, other_row: usize) -> Ordering {
        let by_prefix = self.prefixes.keys[row].cmp(&other.prefixes.keys[other_row]);
        if by_prefix.is_ne() || (self.prefixes.exact && other.prefixes.exact) {
            return by_prefix;
        }
        compare_keys(&self.keys, row, &other.keys, other_row)
    }

    /// A block of only one of its rows.
    fn only(&self, row: usize) -> Self {
        let keys = self.keys.iter().map(|k| k.slice(row, 1)).collect();
        let prefixes = Prefixes { keys: vec![self.prefixes.keys[row]], exact: self.prefixes.exact };
        Self { keys, prefixes, row: 0 }
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
    /// Inputs ordered by their next row, the greatest first: the least one is popped from the end.
    order: Vec<usize>,
    last: Last,
}

impl Order {
    /// Takes the inputs with their first blocks; inputs without rows have ended.
    pub(crate) fn new(heads: Vec<Head>) -> Self {
        let mut order: Vec<usize> = (0..heads.len()).filter(|&i| heads[i].rows() > 0).collect();
        order.sort_by(|&a, &b| behind(&heads, a, b));
        Self { heads, order, last: Last::Nothing }
    }

    /// The next rows, as many as come before any other input's. The caller then refills the input
    /// if [`Self::is_used_up`], and puts it back unless it has ended.
    pub(crate) fn pop(&mut self) -> Option<Next> {
        let input = self.order.pop()?;
        let start = self.heads[input].row;
        let end = match self.order.last() {
            Some(&rival) => run_end(&self.heads, input, rival),
            None => self.heads[input].rows(),
        };
        let head = &self.heads[input];
        let new_key = match &self.last {
            Last::Nothing => true,
            Last::Row(of, row) => head.compare(start, &self.heads[*of], *row).is_ne(),
            Last::Kept(kept) => head.compare(start, kept, 0).is_ne(),
        };
        self.last = Last::Row(input, end - 1);
        self.heads[input].row = end;
        Some(Next { input, start, end, new_key })
    }

    pub(crate) fn is_used_up(&self, input: usize) -> bool {
        self.heads[input].row == self.heads[input].rows()
    }

    /// Sets the next block of an input, replacing the used-up one.
    pub(crate) fn refill(&mut self, input: usize, head: Head) {
        if let Last::Row(of, row) = self.last
            && of == input
        {
            self.last = Last::Kept(self.heads[input].only(row));
        }
        self.heads[input] = head;
    }

    /// Returns an input that has rows to the merge.
    pub(crate) fn put_back(&mut self, input: usize) {
        let heads = &self.heads;
        let at = self.order.partition_point(|&other| behind(heads, other, input).is_lt());
        self.order.insert(at, input);
    }
}

fn behind(heads: &[Head], a: usize, b: usize) -> Ordering {
    heads[b].compare(heads[b].row, &heads[a], heads[a].row).then(b.cmp(&a))
}

/// The first row of `least`'s block, after its next one, that must come after `rival`'s next row.
fn run_end(heads: &[Head], least: usize, rival: usize) -> usize {
    let (head, other) = (&heads[least], &heads[rival]);
    let stays = |row: usize| {
        head.compare(row, other, other.row).then(least.cmp(&rival)) != Ordering::Greater
    };
    let mut end = head.row + 1;
    while end < head.rows() && stays(end) {
        end += 1;
    }
    end
}
