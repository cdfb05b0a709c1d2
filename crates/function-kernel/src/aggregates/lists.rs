//! Lists of values per group: a log of columns with the group of every row. It is sorted by group
//! (with a stable counting sort) only when the lists are read.

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Column, match_native};
use entasis_types::DataType;

/// All groups' lists.
#[derive(Debug)]
pub struct Lists {
    ty: DataType,
    /// Rows in order of arrival, as columns.
    log: Vec<Column>,
    groups: Vec<u32>,
    bytes: usize,
    /// Elements per group.
    counts: Vec<u32>,
    index: Option<Index>,
}

/// The lists one after the other.
#[derive(Debug)]
struct Index {
    starts: Vec<u32>,
    values: Column,
}

impl Lists {
    /// Lists of values of `ty`.
    pub fn new(ty: &DataType) -> Self {
        Self {
            ty: ty.clone(),
            log: Vec::new(),
            groups: Vec::new(),
            bytes: 0,
            counts: Vec::new(),
            index: None,
        }
    }

    /// Grows to so many lists, new ones empty.
    pub fn resize(&mut self, groups: usize) {
        if groups > self.counts.len() {
            self.counts.resize(groups, 0);
            self.index = None;
        }
    }

    /// Number of lists.
    #[inline]
    pub fn groups(&self) -> usize {
        self.counts.len()
    }

    /// Elements of a list.
    #[inline]
    pub fn len(&self, group: usize) -> usize {
        self.counts[group] as usize
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.bytes + self.groups.capacity() * 4 + self.counts.capacity() * 4
    }

    /// Appends row `i` to list `groups[i]`.
    pub fn append(&mut self, column: &Column, groups: &[u32]) -> Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let column = column.full();
        self.bytes += column.byte_size();
        if self.groups.len() + groups.len() > u32::MAX as usize || too_large(&column, self.bytes) {
            let message = "An aggregate's lists hold more than 4 GiB of strings or elements";
            return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
        }
        self.log.push(column);
        self.groups.extend_from_slice(groups);
        groups.iter().for_each(|&g| self.counts[g as usize] += 1);
        self.index = None;
        Ok(())
    }

    fn index(&mut self) -> &Index {
        if self.index.is_none() {
            let mut starts = Vec::with_capacity(self.counts.len() + 1);
            let mut total = 0;
            starts.push(0);
            starts.extend(self.counts.iter().map(|&n| {
                total += n;
                total
            }));
            let mut next = starts.clone();
            let mut order = vec![0u32; self.groups.len()];
            for (row, &group) in scope::parts(&self.groups).flatten().enumerate() {
                let at = &mut next[group as usize];
                order[*at as usize] = row as u32;
                *at += 1;
            }
            let log = match &self.log[..] {
                [] => Column::default_of(&self.ty, 0),
                [one] => one.clone(),
                many => Column::concat(&many.iter().collect::<Vec<_>>()),
            };
            self.log = vec![log.clone()];
            self.index = Some(Index { starts, values: log.take(&order) });
        }
        self.index.as_ref().expect("built above")
    }

    /// Offsets of the lists `start .. end` and the values they point into.
    pub fn read(&mut self, start: usize, end: usize) -> (&[u32], &Column) {
        let index = self.index();
        (&index.starts[start..=end], &index.values)
    }

    /// The lists `start .. end` as an array column.
    pub fn column(&mut self, start: usize, end: usize) -> Column {
        let (offsets, values) = self.read(start, end);
        Column::array(offsets.to_vec().into(), values.clone())
    }

    /// Takes over a copy of another's lists (columns are shared).
    pub fn copy_from(&mut self, other: &Self) -> Result<()> {
        self.resize(other.groups());
        let mut start = 0;
        for column in &other.log {
            self.append(column, &other.groups[start..start + column.len()])?;
            start += column.len();
        }
        Ok(())
    }

    /// Values of the lists `from` of another, with the groups they go to here.
    pub fn of_groups(&mut self, from: &[u32], to: &[u32]) -> (Column, Vec<u32>) {
        let index = self.index();
        let mut rows = Vec::new();
        let mut groups = Vec::new();
        for (&from, &to) in from.iter().zip(to) {
            let range = index.starts[from as usize]..index.starts[from as usize + 1];
            groups.resize(groups.len() + range.len(), to);
            rows.extend(range);
        }
        (index.values.take(&rows), groups)
    }
}

/// Whether strings would no longer fit the offsets of one column.
fn too_large(column: &Column, bytes: usize) -> bool {
    match_native!(column, _values => false, _ => bytes > u32::MAX as usize)
}
