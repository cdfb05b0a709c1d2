//! How a GraphiteMergeTree rolls up the rows of a metric.
//!
//! The rows of a path come in the order of their times. Rules decide, by the path and by the age of
//! a row, to which times it is rounded. Of rows with the same time only the one with the greatest
//! version counts. Rows that are rounded to the same time become one, whose value is aggregated.
//!
//! As in the reference, the new row has the version of the last row that counts, and all other
//! columns of the first row.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::compare::compare_values;
use entasis_column::{Chunk, Column, Native};
use entasis_expr::Expr;
use entasis_function::Aggregate;
use entasis_types::TimeZone;

use super::fold::{ColumnAt, Groups};
use crate::expiry::is_true;
use crate::schema::evaluate;

/// Times are rounded to precisions beyond this one from the beginning of their day.
const LONGEST_PLAIN: i64 = 3600;

/// How the rows of a table are rolled up.
#[derive(Clone, Debug)]
pub struct Graphite {
    /// Position of the column of paths.
    pub path: usize,
    /// Position of the column of times, which are DateTime or UInt32.
    pub time: usize,
    /// Position of the column of values.
    pub value: usize,
    /// Position of the column of versions; `None` if the last row counts.
    pub version: Option<usize>,
    /// The number of expressions at the start of the sorting key that stand before the time.
    pub group_key: usize,
    /// Whether the time is in the sorting key, so that rounded times must be in order, too.
    pub is_sorted: bool,
    /// The rules, in the order in which they are tried. The last ones may be the default.
    pub rules: Vec<GraphiteRule>,
    /// The time zone in which days begin.
    pub zone: TimeZone,
    /// The present time, in seconds since 1970.
    pub now: u64,
}

/// A rule for some paths.
#[derive(Clone, Debug)]
pub struct GraphiteRule {
    /// Whether a path is meant: a UInt8 over `ColumnId(0)`, the path. `None` means all paths.
    pub matches: Option<Expr>,
    /// How values are aggregated; `None` leaves it to another rule.
    pub function: Option<RollupFunction>,
    /// Ages in seconds, greatest first, and the precision of rows that are at least so old. If it
    /// is empty, another rule says it.
    pub retentions: Vec<(u64, u64)>,
    /// `all`, `plain` or `tagged`, for people.
    pub kind: &'static str,
    /// The regular expression, for people.
    pub regexp: Arc<str>,
}

/// How values are aggregated.
#[derive(Clone, Debug)]
pub struct RollupFunction {
    /// The name of the function.
    pub name: Arc<str>,
    /// The function over Float64.
    pub function: Arc<dyn Aggregate>,
    /// The result over `ColumnId(0)` as Float64.
    pub result: Expr,
}

/// The rules that a path has: indices of those for precision and for aggregation.
type OfPath = (Option<usize>, Option<usize>);

/// Rows that become one.
struct Bucket {
    first: u32,
    /// The last row that counts.
    newest: u32,
    /// The time to which the rows are rounded.
    time: i64,
    /// The index of the rule that says how they are aggregated.
    function: Option<usize>,
}

/// All rows of some complete groups, rolled up.
#[derive(Default)]
struct Rollup {
    buckets: Vec<Bucket>,
    /// The rows that count, and the index of the bucket of each.
    counting: Vec<(u32, u32)>,
}

impl Graphite {
    /// Positions of the columns that decide which rows become one.
    pub(super) fn deciding(&self) -> Vec<usize> {
        [self.path, self.time].into_iter().chain(self.version).collect()
    }

    /// Positions of the columns that the new values of a column are made from.
    pub(super) fn read_for(&self, position: usize) -> Vec<usize> {
        if position != self.time && position != self.value && Some(position) != self.version {
            return vec![position];
        }
        let mut all = self.deciding();
        all.push(position);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The first row of each new row.
    pub(super) fn pick(&self, groups: &Groups, column: ColumnAt<'_>) -> Result<Vec<u32>> {
        Ok(self.rollup(groups, column)?.buckets.iter().map(|bucket| bucket.first).collect())
    }

    /// The new values of a column, for the picked rows; `None` if they are those of the rows.
    pub(super) fn fold(
        &self,
        position: usize,
        column: ColumnAt<'_>,
        groups: &Groups,
        picked: &[u32],
    ) -> Result<Option<Column>> {
        let is_version = Some(position) == self.version;
        if position != self.time && position != self.value && !is_version {
            return Ok(None);
        }
        let rollup = self.rollup(groups, column)?;
        let all = if position == self.time {
            Column::from(rollup.buckets.iter().map(|bucket| bucket.time as u32).collect::<Vec<_>>())
        } else if is_version {
            column(position)?.full().take(&rollup.newest())
        } else {
            self.values(&rollup, &column(position)?.full())?
        };
        if picked.len() == rollup.buckets.len() {
            return Ok(Some(all));
        }
        let place = |row: &u32| rollup.buckets.partition_point(|bucket| bucket.first < *row) as u32;
        Ok(Some(all.take(&picked.iter().map(place).collect::<Vec<_>>())))
    }

    /// The rules of some paths.
    fn rules_of(&self, paths: Column) -> Result<Vec<OfPath>> {
        let rows = paths.len();
        let chunk = Chunk::new(vec![paths], rows);
        let mut of: Vec<OfPath> = vec![(None, None); rows];
        let mut is_done = vec![false; rows];
        for (number, rule) in self.rules.iter().enumerate() {
            let matches = match &rule.matches {
                Some(expr) => Some(evaluate(std::slice::from_ref(expr), &[0], &chunk)?.remove(0)),
                None => None,
            };
            for row in 0..rows {
                if is_done[row] || matches.as_ref().is_some_and(|holds| !is_true(holds, row)) {
                    continue;
                }
                is_done[row] = rule.apply(number, &mut of[row]);
            }
        }
        // A rule of one kind without one of the other kind is none.
        let complete =
            |of: OfPath| if of.0.is_some() && of.1.is_some() { of } else { (None, None) };
        Ok(of.into_iter().map(complete).collect())
    }

    fn rollup(&self, groups: &Groups, column: ColumnAt<'_>) -> Result<Rollup> {
        let times = seconds(&column(self.time)?.full())?;
        let versions = self.version.map(column).transpose()?.map(|versions| versions.full());
        let rules = self.rules_of(column(self.path)?.full().take(&groups.starts))?;
        let mut out = Rollup::default();
        for (group, (&start, of)) in groups.starts.iter().zip(rules).enumerate() {
            let end = groups.starts.get(group + 1).copied().unwrap_or(groups.rows as u32);
            self.add(&mut out, start..end, of, &times, versions.as_ref());
        }
        Ok(out)
    }

    /// Adds the rows of a path.
    fn add(
        &self,
        out: &mut Rollup,
        rows: std::ops::Range<u32>,
        (precision, function): OfPath,
        times: &[i64],
        versions: Option<&Column>,
    ) {
        let mut last: Option<(i64, i64)> = None;
        for row in rows {
            let time = times[row as usize];
            if let Some((known, _)) = last
                && known == time
            {
                let newest = out.counting.last_mut().map(|(newest, _)| newest);
                let is_newer = |old: u32| {
                    versions.is_none_or(|versions| {
                        compare_values(versions, row as usize, versions, old as usize).is_ge()
                    })
                };
                if let Some(newest) = newest.filter(|newest| is_newer(**newest)) {
                    *newest = row;
                    if let Some(bucket) = out.buckets.last_mut() {
                        bucket.newest = row;
                    }
                }
                continue;
            }
            let mut rounded = match precision {
                Some(rule) => self.rounded(time, &self.rules[rule].retentions),
                None => time,
            };
            // Precisions that do not divide each other must not change the order of the rows.
            if let Some((_, before)) = last
                && self.is_sorted
            {
                rounded = rounded.max(before);
            }
            if last.is_none_or(|(_, before)| before != rounded) {
                out.buckets.push(Bucket { first: row, newest: row, time: rounded, function });
            } else if let Some(bucket) = out.buckets.last_mut() {
                bucket.newest = row;
            }
            out.counting.push((row, out.buckets.len() as u32 - 1));
            last = Some((time, rounded));
        }
    }

    fn rounded(&self, time: i64, retentions: &[(u64, u64)]) -> i64 {
        let age = self.now as i64 - time;
        let found = retentions.iter().find(|(from, _)| age >= *from as i64);
        match found.map_or(1, |(_, precision)| *precision as i64) {
            0 | 1 => time,
            precision if precision <= LONGEST_PLAIN => time - time.rem_euclid(precision),
            precision => {
                let local = self.zone.to_local(time);
                let day = self.zone.from_local(local - local.rem_euclid(86400));
                let into = time - day;
                day + into - into.rem_euclid(precision)
            }
        }
    }

    /// The values of the buckets.
    fn values(&self, rollup: &Rollup, values: &Column) -> Result<Column> {
        let mut parts = vec![values.take(&rollup.newest())];
        let mut places: Vec<u32> = (0..rollup.buckets.len() as u32).collect();
        let mut next = rollup.buckets.len() as u32;
        for (number, rule) in self.rules.iter().enumerate() {
            let Some(function) = &rule.function else { continue };
            let mut ids: Vec<Option<u32>> = vec![None; rollup.buckets.len()];
            let mut count = 0;
            for (at, _) in
                rollup.buckets.iter().enumerate().filter(|(_, b)| b.function == Some(number))
            {
                ids[at] = Some(count);
                places[at] = next + count;
                count += 1;
            }
            if count == 0 {
                continue;
            }
            let of_rule = |(row, bucket): &(u32, u32)| Some((*row, ids[*bucket as usize]?));
            let (rows, groups): (Vec<u32>, Vec<u32>) =
                rollup.counting.iter().filter_map(of_rule).unzip();
            parts.push(function.aggregated(&values.take(&rows), &groups, count as usize)?);
            next += count;
        }
        Ok(Column::concat(&parts.iter().collect::<Vec<_>>()).take(&places))
    }
}

impl GraphiteRule {
    /// Takes this rule for a path, as far as no earlier one was taken. Answers whether no other is
    /// needed.
    fn apply(&self, number: usize, (precision, function): &mut OfPath) -> bool {
        let (has_precision, has_function) = (!self.retentions.is_empty(), self.function.is_some());
        if has_precision && has_function {
            // A complete rule is taken as a whole, unless it is the default and an earlier rule
            // has said one half.
            if self.matches.is_some() || precision.is_none() && function.is_none() {
                (*precision, *function) = (Some(number), Some(number));
                return true;
            }
        }
        if has_precision && precision.is_none() {
            *precision = Some(number);
        }
        if has_function && function.is_none() {
            *function = Some(number);
        }
        precision.is_some() && function.is_some()
    }
}

impl RollupFunction {
    /// The results of `count` groups of values.
    fn aggregated(&self, values: &Column, groups: &[u32], count: usize) -> Result<Column> {
        let mut states = self.function.states();
        states.resize(count);
        states.update(std::slice::from_ref(values), groups)?;
        let results = states.finish(0..count)?.full();
        let chunk = Chunk::new(vec![results], count);
        Ok(evaluate(std::slice::from_ref(&self.result), &[0], &chunk)?.remove(0).full())
    }
}

impl Rollup {
    fn newest(&self) -> Vec<u32> {
        self.buckets.iter().map(|bucket| bucket.newest).collect()
    }
}

fn seconds(column: &Column) -> Result<Vec<i64>> {
    let times = u32::values(column);
    let times = times.ok_or_else(|| Error::logical("A column of Graphite times is not UInt32"))?;
    Ok(times.iter().map(|&time| i64::from(time)).collect())
}
