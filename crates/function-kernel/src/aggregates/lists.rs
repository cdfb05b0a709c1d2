//! Lists of values per group: a log of columns with the group of every row. It is sorted by group
//! (with a stable counting sort) only when the lists are read.

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Column, Native, Strings, match_native};
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
        match &mut self.counts[..] {
            [count] => *count += groups.len() as u32,
            counts => groups.iter().for_each(|&g| counts[g as usize] += 1),
        }
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
            let values = match (&self.log[..], self.counts.len()) {
                ([], _) => Column::default_of(&self.ty, 0),
                ([one], 1) => one.clone(),
                (many, 1) => Column::concat(&many.iter().collect::<Vec<_>>()),
                (many, _) => self.sorted(&starts, many),
            };
            self.index = Some(Index { starts, values });
        }
        self.index.as_ref().expect("built above")
    }

    /// The rows of the log, list after list.
    fn sorted(&self, starts: &[u32], log: &[Column]) -> Column {
        let numbers =
            match_native!(&log[0], first => self.scattered(first, starts, log), _ => None);
        let strings = || log.iter().map(Column::strings).collect::<Option<Vec<_>>>();
        let sorted = numbers.or_else(|| Some(self.sorted_strings(starts, &strings()?)));
        sorted.unwrap_or_else(|| {
            let mut next = starts.to_vec();
            let mut order = vec![0u32; self.groups.len()];
            for (row, &group) in scope::parts(&self.groups).flatten().enumerate() {
                let at = &mut next[group as usize];
                order[*at as usize] = row as u32;
                *at += 1;
            }
            Column::concat(&log.iter().collect::<Vec<_>>()).take(&order)
        })
    }

    /// Every column of the log with the groups of its rows.
    fn parts<'a, C>(&'a self, log: &'a [C], len: fn(&C) -> usize) -> Vec<(&'a C, &'a [u32])> {
        let mut rest = &self.groups[..];
        let mut split = |column: &'a C| {
            let (groups, later) = rest.split_at(len(column));
            rest = later;
            (column, groups)
        };
        log.iter().map(&mut split).collect()
    }

    fn sorted_strings(&self, starts: &[u32], log: &[&Strings]) -> Column {
        let parts = self.parts(log, |strings| strings.len());
        // How many bytes each list has, and then where its next string goes.
        let mut places = vec![0u32; self.counts.len()];
        for (strings, groups) in &parts {
            scope::check_or_unwind(0);
            for (ends, &group) in strings.offsets().windows(2).zip(*groups) {
                places[group as usize] += ends[1] - ends[0];
            }
        }
        let mut total = 0;
        for place in &mut places {
            total += std::mem::replace(place, total);
        }
        let mut next = starts.to_vec();
        let mut offsets = vec![total; self.groups.len() + 1];
        let mut data = scope::zeroed(total as usize);
        for (strings, groups) in &parts {
            scope::check_or_unwind(0);
            for (string, &group) in strings.iter().zip(*groups) {
                let (row, place) = (&mut next[group as usize], &mut places[group as usize]);
                offsets[*row as usize] = *place;
                *row += 1;
                let start = *place as usize;
                data[start..start + string.len()].copy_from_slice(string);
                *place += string.len() as u32;
            }
        }
        Strings::new(offsets.into(), data.into()).into()
    }

    /// [`Self::sorted`] of numbers like those of `_first`; `None` if there are others.
    fn scattered<T: Native>(&self, _first: &[T], starts: &[u32], log: &[Column]) -> Option<Column> {
        let mut next = starts.to_vec();
        let mut out = scope::filled(T::default(), self.groups.len());
        for (column, groups) in self.parts(log, Column::len) {
            scope::check_or_unwind(0);
            for (value, &group) in T::values(column)?.iter().zip(groups) {
                let at = &mut next[group as usize];
                out[*at as usize] = *value;
                *at += 1;
            }
        }
        Some(T::column(out.into()))
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

    /// Calls `append` with the values of the lists `from` and the groups in `to` to which they go.
    /// Values of one list stay in order.
    pub fn each_of(
        &mut self,
        from: &[u32],
        to: &[u32],
        append: &mut dyn FnMut(&Column, &[u32]) -> Result<()>,
    ) -> Result<()> {
        if from.len() == self.counts.len() {
            // All lists are wanted, so they need not be sorted.
            let mut goes_to = vec![0; from.len()];
            from.iter().zip(to).for_each(|(from, to)| goes_to[*from as usize] = *to);
            for (column, groups) in self.parts(&self.log, Column::len) {
                let groups: Vec<u32> = groups.iter().map(|g| goes_to[*g as usize]).collect();
                append(column, &groups)?;
            }
            return Ok(());
        }
        let (values, groups) = self.of_groups(from, to);
        append(&values, &groups)
    }

    /// Values of the lists `from` of another, one after the other, with the groups they go to here.
    pub fn of_groups(&mut self, from: &[u32], to: &[u32]) -> (Column, Vec<u32>) {
        let index = self.index();
        if let ([from], [to]) = (from, to) {
            let (start, end) = (index.starts[*from as usize], index.starts[*from as usize + 1]);
            let len = (end - start) as usize;
            return (index.values.slice(start as usize, len), vec![*to; len]);
        }
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
