//! Folds rows with equal sorting keys into one, as `AggregatingMergeTree` and similar engines do.
//! INSERT, merges and FINAL use the same two steps:
//!
//! 1. [`MergeAlgorithm::pick`] chooses the row of each group whose values stay, or drops the group;
//! 2. [`MergeAlgorithm::fold`] takes these rows of a column, or aggregates the column group by
//!    group.
//!
//! Folding is associative: folded rows can be folded again. A part that was folded when it was
//! written holds no key twice, unless the algorithm may keep several rows of a group
//! ([`MergeAlgorithm::leaves_one`]), or the INSERT has `optimize_on_insert = 0`. Readers and merges
//! then look for groups inside the part, too.

use std::borrow::Cow;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::{Column, Native, match_native};
use entasis_function::Aggregate;

use entasis_column::compare::compare_values;

use super::graphite::Graphite;

/// Which row of each group stays.
#[derive(Clone, Debug)]
pub enum KeptRow {
    /// The first row.
    First,
    /// The row with the greatest version, the last one among equals; without a version the last
    /// row.
    Latest {
        /// Position of the version column.
        version: Option<usize>,
        /// Position of a UInt8 column that is 1 for deleted keys. Merges keep such rows; readers do
        /// not see them.
        deleted: Option<usize>,
    },
    /// The first row, unless all of these (aggregated) columns are 0, or NULL if they are Nullable.
    NonZero(Vec<usize>),
    /// What rows of sign 1 and -1 leave of each other: nothing if there are as many of both and the
    /// last one is negative; else the first negative row if there are at least as many of them, and
    /// the last positive row if there are at least as many of those. Readers see no negative row.
    Collapsing {
        /// Position of the Int8 column of signs.
        sign: usize,
    },
    /// The first of the rows that Graphite's rules make one row of.
    Graphite(Arc<Graphite>),
    /// All rows except neighbouring pairs of rows with opposite signs, which cancel each other.
    Pairs {
        /// Position of the Int8 column of signs.
        sign: usize,
    },
}

/// For whom rows are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A part is written, which will be folded again with others.
    Write,
    /// All rows of a partition are merged, and deleted rows are to disappear for good.
    Cleanup,
    /// A reader sees the rows.
    Read,
}

/// How a table folds rows with equal sorting keys.
#[derive(Clone, Debug)]
pub struct MergeAlgorithm {
    /// Which row of each group stays.
    pub pick: KeptRow,
    /// By position of the stored column: how its values are aggregated; `None` takes the value of
    /// the picked row.
    pub aggregates: Vec<Option<AggregatedColumn>>,
}

/// A column that is aggregated.
#[derive(Clone, Debug)]
pub struct AggregatedColumn {
    /// The aggregate function, whose result has the column's type.
    pub function: Arc<dyn Aggregate>,
    /// Whether the result for a single value may differ from the value, as when it is sorted or
    /// deduplicated.
    pub reshapes: bool,
    /// If the result is always the value of one row of the group: which row.
    pub takes: Option<TakenRow>,
    /// If the function takes several columns: their positions, and the element of its result, which
    /// is a tuple, that becomes the value of this column. `None` if it takes just this column.
    pub group: Option<ColumnGroup>,
}

/// The row of a group whose value an aggregate function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenRow {
    /// The first row.
    First,
    /// The last row.
    Last,
}

/// Columns that are aggregated together.
#[derive(Clone, Debug)]
pub struct ColumnGroup {
    /// Positions of the columns that the function takes, in order.
    pub arguments: Arc<[usize]>,
    /// How many of them form the key: the function then takes these as one array of tuples.
    pub keys: usize,
    /// The place of this column among them.
    pub place: usize,
}

/// Rows in key order, divided into complete groups of equal keys.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) rows: usize,
    /// First row of each group.
    pub(crate) starts: Vec<u32>,
}

impl Groups {
    fn ids(&self) -> Vec<u32> {
        let mut ids = Vec::with_capacity(self.rows);
        let ends = self.starts.iter().skip(1).copied().chain([self.rows as u32]);
        for (id, end) in ends.enumerate() {
            ids.resize(end as usize, id as u32);
        }
        ids
    }

    fn of_row(&self, row: u32) -> u32 {
        self.starts.partition_point(|&start| start <= row) as u32 - 1
    }
}

/// Answers the column at a position of the schema, for the rows of the groups at hand.
pub(crate) type ColumnAt<'a> = &'a dyn Fn(usize) -> Result<Column>;

impl MergeAlgorithm {
    /// Positions of the columns that [`Self::pick`] reads.
    pub(crate) fn deciding(&self) -> Vec<usize> {
        match &self.pick {
            KeptRow::First => Vec::new(),
            KeptRow::Latest { version, deleted } => {
                version.iter().chain(deleted).copied().collect()
            }
            KeptRow::NonZero(columns) => columns.clone(),
            KeptRow::Graphite(graphite) => graphite.deciding(),
            KeptRow::Collapsing { sign } | KeptRow::Pairs { sign } => vec![*sign],
        }
    }

    /// Positions of the columns that [`Self::fold`] reads to fold the column at a position.
    pub(crate) fn read_for(&self, position: usize) -> Vec<usize> {
        if let KeptRow::Graphite(graphite) = &self.pick {
            return graphite.read_for(position);
        }
        let folded = self.aggregates.get(position).and_then(Option::as_ref);
        match folded.and_then(|folded| folded.group.as_ref()) {
            Some(group) => group.arguments.to_vec(),
            None => vec![position],
        }
    }

    /// Whether a folded group has at most one row.
    pub(crate) fn leaves_one(&self) -> bool {
        !matches!(
            self.pick,
            KeptRow::Collapsing { .. } | KeptRow::Pairs { .. } | KeptRow::Graphite(_)
        )
    }

    /// Whether every folded row is a stored row, with all of its values.
    pub(crate) fn keeps_rows_whole(&self) -> bool {
        !matches!(self.pick, KeptRow::Graphite(_)) && self.aggregates.iter().all(Option::is_none)
    }

    /// The number of expressions at the start of the sorting key that are equal in the rows of a
    /// group; `None` for all of them.
    pub(crate) fn group_key(&self) -> Option<usize> {
        self.graphite().map(|graphite| graphite.group_key)
    }

    /// Whether folding depends on the time at which it is done, and changes the sorting key.
    pub(crate) fn changes_with_time(&self) -> bool {
        self.graphite().is_some()
    }

    fn graphite(&self) -> Option<&Graphite> {
        match &self.pick {
            KeptRow::Graphite(graphite) => Some(graphite),
            _ => None,
        }
    }

    /// How rows are folded at a time, in seconds since 1970.
    pub(crate) fn at(self: &Arc<Self>, now: u64) -> Arc<Self> {
        let Some(graphite) = self.graphite() else { return Arc::clone(self) };
        let pick = KeptRow::Graphite(Arc::new(Graphite { now, ..graphite.clone() }));
        Arc::new(Self { pick, aggregates: self.aggregates.clone() })
    }

    /// The position of the column of signs, if they must be 1 or -1.
    pub(crate) fn sign(&self) -> Option<usize> {
        match self.pick {
            KeptRow::Collapsing { sign } => Some(sign),
            _ => None,
        }
    }

    /// Whether folding may change or drop a group of one row.
    pub(crate) fn changes_single_rows(&self) -> bool {
        matches!(self.pick, KeptRow::NonZero(_) | KeptRow::Graphite(_))
            || self.aggregates.iter().flatten().any(|f| f.reshapes)
    }

    /// The rows that stay, ascending.
    pub(crate) fn pick(
        &self,
        groups: &Groups,
        column: ColumnAt<'_>,
        purpose: Purpose,
    ) -> Result<Vec<u32>> {
        match &self.pick {
            KeptRow::First => Ok(groups.starts.clone()),
            KeptRow::Graphite(graphite) => graphite.pick(groups, column),
            KeptRow::Latest { version, deleted } => {
                let mut rows = match version {
                    Some(version) => latest(groups, &column(*version)?.full()),
                    None => ends(groups).map(|end| end - 1).collect(),
                };
                if let (Some(deleted), true) = (deleted, purpose != Purpose::Write) {
                    let flags = column(*deleted)?.full();
                    rows.retain(|&row| is_zero(&flags, row as usize));
                }
                Ok(rows)
            }
            KeptRow::NonZero(columns) => {
                if columns.is_empty() {
                    return Ok(groups.starts.clone());
                }
                let mut zero = vec![true; groups.starts.len()];
                for &position in columns {
                    let sums = self.fold(position, column, groups, &groups.starts)?;
                    let sums = sums.full();
                    zero.iter_mut().enumerate().for_each(|(i, z)| *z = *z && is_zero(&sums, i));
                }
                let left = groups.starts.iter().zip(zero);
                Ok(left.filter(|(_, zero)| !zero).map(|(&start, _)| start).collect())
            }
            KeptRow::Collapsing { sign } => {
                let signs = column(*sign)?.full();
                Ok(collapsed(groups, signs_of(&signs)?, purpose == Purpose::Read))
            }
            KeptRow::Pairs { sign } => {
                let signs = column(*sign)?.full();
                Ok(without_pairs(groups, signs_of(&signs)?))
            }
        }
    }

    /// If [`Self::fold`] just takes the column's values of some rows: these rows, one for each of
    /// the picked rows.
    pub(crate) fn taken<'a>(
        &self,
        position: usize,
        groups: &Groups,
        picked: &'a [u32],
    ) -> Option<Cow<'a, [u32]>> {
        if matches!(self.pick, KeptRow::Graphite(_)) {
            return None;
        }
        let Some(folded) = self.aggregates.get(position).and_then(Option::as_ref) else {
            return Some(picked.into());
        };
        if groups.starts.len() == groups.rows && !folded.reshapes {
            return Some(picked.into());
        }
        let every = picked.len() == groups.starts.len();
        let ids = || picked.iter().map(|&row| groups.of_row(row) as usize);
        Some(match folded.takes? {
            TakenRow::First if every => groups.starts.clone().into(),
            TakenRow::First => ids().map(|id| groups.starts[id]).collect(),
            TakenRow::Last if every => ends(groups).map(|end| end - 1).collect(),
            TakenRow::Last => {
                let end = |id| groups.starts.get(id + 1).copied().unwrap_or(groups.rows as u32);
                ids().map(|id| end(id) - 1).collect()
            }
        })
    }

    /// Folds the column at a position: its values for the rows that stay.
    pub(crate) fn fold(
        &self,
        position: usize,
        column: ColumnAt<'_>,
        groups: &Groups,
        picked: &[u32],
    ) -> Result<Column> {
        if let KeptRow::Graphite(graphite) = &self.pick
            && let Some(values) = graphite.fold(position, column, groups, picked)?
        {
            return Ok(values);
        }
        if let Some(rows) = self.taken(position, groups, picked) {
            let values = column(position)?;
            return Ok(if rows.len() == groups.rows { values } else { values.take(&rows) });
        }
        match self.aggregates.get(position).and_then(Option::as_ref) {
            Some(folded) => {
                let arguments = folded.arguments(position, column)?;
                let mut states = folded.function.states();
                let count = groups.starts.len();
                states.resize(count);
                states.update(&arguments, &groups.ids())?;
                let mut out = folded.element(&states.finish(0..count)?);
                if !folded.reshapes && folded.group.is_some() {
                    out = keep_single(&column(position)?, &out, groups);
                }
                if picked.len() == count {
                    return Ok(out);
                }
                Ok(out.take(&picked.iter().map(|&row| groups.of_row(row)).collect::<Vec<_>>()))
            }
            _ if picked.len() == groups.rows => column(position),
            _ => Ok(column(position)?.take(picked)),
        }
    }
}

impl AggregatedColumn {
    /// A column that the function takes alone, and whose single values it leaves as they are.
    pub fn new(function: Arc<dyn Aggregate>) -> Self {
        Self { function, reshapes: false, takes: None, group: None }
    }

    /// The columns that the function takes.
    fn arguments(&self, position: usize, column: ColumnAt<'_>) -> Result<Vec<Column>> {
        let Some(group) = &self.group else { return Ok(vec![column(position)?]) };
        let mut given: Vec<Column> =
            group.arguments.iter().map(|at| column(*at)).collect::<Result<_>>()?;
        if group.keys > 1 {
            let values = given.split_off(group.keys);
            given = vec![zipped(&given)];
            given.extend(values);
        }
        Ok(given)
    }

    /// This column's part of the function's results.
    fn element(&self, results: &Column) -> Column {
        let Some(group) = &self.group else { return results.clone() };
        let Column::Tuple(tuple) = results.full() else { return results.clone() };
        if group.keys > 1 && group.place < group.keys {
            return unzipped(&tuple.columns[0], group.place);
        }
        tuple.columns[group.place + 1 - group.keys.max(1)].clone()
    }
}

/// The folded values of the groups; a group of one row keeps its value.
fn keep_single(column: &Column, folded: &Column, groups: &Groups) -> Column {
    let all = Column::concat(&[column, folded]);
    let of = |(id, (&start, end)): (usize, (&u32, u32))| match end - start {
        1 => start,
        _ => (groups.rows + id) as u32,
    };
    let rows: Vec<u32> = groups.starts.iter().zip(ends(groups)).enumerate().map(of).collect();
    all.take(&rows)
}

/// Arrays of the same lengths as one array of tuples.
fn zipped(arrays: &[Column]) -> Column {
    let rows = arrays.first().map_or(0, Column::len);
    let full: Vec<Column> = arrays.iter().map(Column::full).collect();
    let (mut offsets, mut inner) = (None, Vec::with_capacity(full.len()));
    for array in &full {
        if let Column::Array(array) = array {
            // A slice of an array may begin within its values.
            let (first, last) = (array.offsets[0], array.offsets[rows]);
            inner.push(array.values.slice(first as usize, (last - first) as usize));
            let ends = || array.offsets.iter().map(|&end| end - first).collect::<Vec<u32>>();
            offsets.get_or_insert_with(ends);
        }
    }
    let offsets = offsets.unwrap_or_else(|| vec![0; rows + 1]);
    let total = offsets.last().map_or(0, |&end| end as usize);
    Column::array(offsets.into(), Column::tuple(inner, total))
}

/// The arrays of one element of an array of tuples.
fn unzipped(arrays: &Column, element: usize) -> Column {
    let Column::Array(array) = arrays.full() else { return arrays.clone() };
    let Column::Tuple(tuple) = array.values.full() else { return arrays.clone() };
    Column::array(array.offsets.clone(), tuple.columns[element].clone())
}

fn signs_of(column: &Column) -> Result<&[i8]> {
    let signs = i8::values(column);
    signs.map(|signs| &signs[..]).ok_or_else(|| Error::logical("A column of signs is not Int8"))
}

/// See [`KeptRow::Collapsing`].
fn collapsed(groups: &Groups, signs: &[i8], reading: bool) -> Vec<u32> {
    let mut out = Vec::with_capacity(groups.starts.len());
    for (&start, end) in groups.starts.iter().zip(ends(groups)) {
        let (mut first_negative, mut last_positive) = (None, None);
        let (mut negative, mut positive) = (0u32, 0u32);
        for row in start..end {
            if signs[row as usize] > 0 {
                positive += 1;
                last_positive = Some(row);
            } else {
                negative += 1;
                first_negative = first_negative.or(Some(row));
            }
        }
        let last_is_positive = last_positive == Some(end - 1);
        if positive == negative && !last_is_positive {
            continue;
        }
        let stay_negative = first_negative.filter(|_| positive <= negative && !reading);
        let stay_positive = last_positive.filter(|_| positive >= negative);
        // If both stay, the positive one is the last row of the group.
        out.extend(stay_negative);
        out.extend(stay_positive);
    }
    out
}

/// See [`KeptRow::Pairs`].
fn without_pairs(groups: &Groups, signs: &[i8]) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::with_capacity(groups.rows);
    for (&start, end) in groups.starts.iter().zip(ends(groups)) {
        let before = out.len();
        for row in start..end {
            match out[before..].last() {
                Some(&last) if signs[last as usize] != signs[row as usize] => drop(out.pop()),
                _ => out.push(row),
            }
        }
    }
    out
}

fn ends(groups: &Groups) -> impl Iterator<Item = u32> + '_ {
    groups.starts.iter().skip(1).copied().chain([groups.rows as u32]).take(groups.starts.len())
}

/// The row with the greatest version of each group, the last one among equals.
fn latest(groups: &Groups, versions: &Column) -> Vec<u32> {
    let of_group = |(&start, end): (&u32, u32)| {
        (start + 1..end).fold(start, |best, row| {
            let order = compare_values(versions, row as usize, versions, best as usize);
            if order.is_ge() { row } else { best }
        })
    };
    groups.starts.iter().zip(ends(groups)).map(of_group).collect()
}

/// Whether a value is NULL or, if it is not, zero.
fn is_zero(column: &Column, row: usize) -> bool {
    match column {
        Column::Nullable(n) => !n.validity.get(row),
        numbers => match_native!(numbers, v => v[row].is_zero(), _ => false),
    }
}
