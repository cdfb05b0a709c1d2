//! Several sorted inputs as one: which of them the next rows come from. Used by merges, which go
//! through whole parts, and by scans that want rows in key order.

use std::cmp::Ordering;

use entasis_column::Column;

use crate::sort::{Prefixes, compare_keys, prefixes};

/// A block of one input, by its key columns (full ones), and the next row of it.
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

    /// One row of it.
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
    /// Whether the first row's key is another than that of the row before.
    pub(crate) new_key: bool,
}

/// The row that came last.
enum Last {
    Nothing,
    Row(usize, usize),
    /// Of a block that has gone.
    Kept(Head),
}

/// The inputs. Among equal rows those of earlier inputs come first.
pub(crate) struct Order {
    pub(crate) heads: Vec<Head>,
    /// Inputs by their next row, last first: the least is popped from the end.
    order: Vec<usize>,
    last: Last,
}

impl Order {
    /// Inputs with their first blocks; those without rows are through.
    pub(crate) fn new(heads: Vec<Head>) -> Self {
        let mut order: Vec<usize> = (0..heads.len()).filter(|&i| heads[i].rows() > 0).collect();
        order.sort_by(|&a, &b| behind(&heads, a, b));
        Self { heads, order, last: Last::Nothing }
    }

    /// The next rows, as many as come before any other input's. The caller then brings the input's
    /// next block if [`Self::is_used_up`], and puts the input back unless it is through.
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

    /// An input's next block, in place of the one that is used up.
    pub(crate) fn refill(&mut self, input: usize, head: Head) {
        if let Last::Row(of, row) = self.last
            && of == input
        {
            self.last = Last::Kept(self.heads[input].only(row));
        }
        self.heads[input] = head;
    }

    /// An input that has rows takes part again.
    pub(crate) fn put_back(&mut self, input: usize) {
        let heads = &self.heads;
        let at = self.order.partition_point(|&other| behind(heads, other, input).is_lt());
        self.order.insert(at, input);
    }
}

fn behind(heads: &[Head], a: usize, b: usize) -> Ordering {
    heads[b].compare(heads[b].row, &heads[a], heads[a].row).then(b.cmp(&a))
}

/// The first row of `least`'s block, after its next one, that comes behind `rival`'s next row.
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
