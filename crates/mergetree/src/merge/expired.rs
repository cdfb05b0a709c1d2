//! Merges of single parts, because rules of the TTL concern rows of them. The background merger
//! looks for them from time to time, when no other merge is worthwhile.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entasis_base::Result;
use entasis_column::compare::compare_values;
use entasis_column::{Chunk, Column};
use entasis_expr::Expr;
use entasis_table_api::MergeRequest;

use super::at_work::MergeReason;
use super::folded::RowRules;
use super::recompress;
use super::{GoOn, Place};
use crate::expiry::spans::Spans;
use crate::expiry::{Expiry, GroupExpiry, Values, is_past, is_true};
use crate::fill::{Filler, GranuleReader};
use crate::log::record::PartSummary;
use crate::part::Part;
use crate::schema::{SchemaVersion, evaluate};
use crate::sort;
use crate::table::TableCore;

impl TableCore {
    /// The first part that is to be written again because of the TTL, if it is time to look for
    /// one.
    pub(super) fn expired_part(
        &self,
        schema: &SchemaVersion,
        rules: &RowRules,
        parts: &[Arc<Part>],
        go_on: GoOn,
    ) -> Result<Option<usize>> {
        let Some((_, now)) = &rules.expiry else { return Ok(None) };
        let looked = self.looked_for_expired.load(Ordering::Relaxed);
        if now.saturating_sub(looked) < schema.config.settings.merge_with_ttl_timeout {
            return Ok(None);
        }
        let most = schema.config.settings.max_bytes_to_merge;
        for (i, part) in parts.iter().enumerate() {
            let may_be_merged = !part.is_damaged() && part.summary.bytes <= most;
            if may_be_merged && rules.concern(schema, part, false, go_on)? {
                return Ok(Some(i));
            }
        }
        self.looked_for_expired.store(*now, Ordering::Relaxed);
        Ok(None)
    }

    /// Applies the rules of the TTL to single parts. The caller holds the table's work lock.
    pub(crate) fn rewrite_expired(
        self: &Arc<Self>,
        is_meant: &dyn Fn(&PartSummary) -> bool,
        go_on: GoOn,
    ) -> Result<()> {
        let (schema, version) = self.pin();
        let rules = self.rules(&schema, &MergeRequest::default());
        let rules = RowRules { reason: MergeReason::Expired, ..rules };
        for part in version.parts.iter().filter(|part| is_meant(&part.summary)) {
            if rules.concern(&schema, part, true, go_on)? {
                self.merge(&schema, &rules, std::slice::from_ref(part), Place::File, go_on)?;
            }
        }
        Ok(())
    }
}

impl RowRules {
    /// Whether all rows of all parts are expired, which needs no reading.
    pub(super) fn drop_all(&self, schema: &SchemaVersion, parts: &[Arc<Part>]) -> Result<bool> {
        let Some((expiry, now)) = &self.expiry else { return Ok(false) };
        let Some(place) = expiry.rows.iter().position(|rule| rule.condition.is_none()) else {
            return Ok(false);
        };
        for part in parts {
            if !part.spans(schema, expiry)?.rows[place].is_over(*now) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether writing a part again would change it. With `always`, it is enough that a rule
    /// concerns a row.
    fn concern(
        &self,
        schema: &SchemaVersion,
        part: &Arc<Part>,
        always: bool,
        go_on: GoOn,
    ) -> Result<bool> {
        let Some((expiry, now)) = &self.expiry else { return Ok(false) };
        let spans = part.spans(schema, expiry)?;
        let only_all = schema.config.settings.ttl_only_drop_parts && !always;
        for (rule, span) in expiry.rows.iter().zip(&spans.rows) {
            let drops = if only_all { span.is_over(*now) } else { span.has_begun(*now) };
            if rule.condition.is_none() && drops {
                return Ok(true);
            }
        }
        let begun = Begun::new(expiry, &spans, *now, only_all);
        if always && !begun.is_empty() || begun.change(schema, part, go_on)? {
            return Ok(true);
        }
        if expiry.recompressions.is_empty() {
            return Ok(false);
        }
        let codec =
            recompress::codec(schema, self, std::slice::from_ref(part))?.unwrap_or_default();
        Ok(*codec != *part.layers()?.base.codec)
    }
}

/// Rules that may concern rows of a part, of which only reading tells whether they change anything.
struct Begun<'a> {
    now: u64,
    /// Times and conditions by which rows are dropped.
    rows: Vec<(&'a Expr, &'a Expr)>,
    /// Whether only parts are dropped whose rows all are.
    only_all: bool,
    groups: Vec<&'a GroupExpiry>,
    /// Positions of columns with the times at which their values expire.
    columns: Vec<(usize, &'a Expr)>,
}

impl<'a> Begun<'a> {
    fn new(expiry: &'a Expiry, spans: &Spans, now: u64, only_all: bool) -> Self {
        let rows = expiry.rows.iter().zip(&spans.rows).filter(|(_, span)| span.has_begun(now));
        let rows = rows.filter_map(|(rule, _)| Some((&rule.expires, rule.condition.as_ref()?)));
        let groups = expiry.groups.iter().zip(&spans.groups);
        let columns = expiry.columns.iter().zip(&spans.columns).enumerate();
        let columns = columns.filter_map(|(at, (rule, span))| {
            span.filter(|span| span.has_begun(now)).and_then(|_| Some((at, rule.as_ref()?)))
        });
        Self {
            now,
            rows: rows.collect(),
            only_all,
            groups: groups.filter(|(_, span)| span.has_begun(now)).map(|(rule, _)| rule).collect(),
            columns: columns.collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.groups.is_empty() && self.columns.is_empty()
    }

    fn positions(&self, schema: &SchemaVersion) -> Vec<usize> {
        let mut exprs: Vec<Expr> = Vec::new();
        exprs.extend(self.rows.iter().flat_map(|(time, holds)| [*time, *holds]).cloned());
        exprs.extend(self.groups.iter().map(|rule| rule.expires.clone()));
        let keys = self.groups.iter().map(|rule| rule.keys).max().unwrap_or(0);
        exprs.extend(schema.config.order_by[..keys].iter().cloned());
        exprs.extend(self.columns.iter().map(|(_, time)| (*time).clone()));
        let mut all = SchemaVersion::read_by(&exprs);
        all.extend(self.columns.iter().map(|(at, _)| *at));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether the rules change the part.
    fn change(&self, schema: &SchemaVersion, part: &Part, go_on: GoOn) -> Result<bool> {
        if self.is_empty() {
            return Ok(false);
        }
        let positions = self.positions(schema);
        let layers = part.layers()?;
        let mut filler = Filler::new(schema, positions.clone())?;
        let mut reader = GranuleReader::new(layers, filler.origins(layers, 0)?)?;
        let (mut granule, mut all_go) = (0, true);
        while let Some((at, rows)) = reader.next(granule)? {
            granule = at + 1;
            if !go_on() {
                return Err(super::stopped());
            }
            let columns = (0..positions.len()).map(|place| reader.read(place, at));
            let columns = columns.collect::<Result<_>>()?;
            let values = Values { positions: &positions, columns, rows };
            let gone = self.gone(&values)?;
            all_go &= gone == rows;
            if gone > 0 && !self.only_all || self.join(schema, &values)? {
                return Ok(true);
            }
            for (at, time) in &self.columns {
                if self.replaces(schema, *at, time, &values)? {
                    return Ok(true);
                }
            }
        }
        Ok(self.only_all && !self.rows.is_empty() && granule > 0 && all_go)
    }

    /// The number of rows that are dropped.
    fn gone(&self, values: &Values<'_>) -> Result<usize> {
        let mut gone = vec![false; values.rows];
        for (time, condition) in &self.rows {
            let past = is_past(&values.evaluate(time)?, self.now);
            let holds = values.evaluate(condition)?;
            let both = past.into_iter().enumerate().map(|(row, past)| past && is_true(&holds, row));
            gone.iter_mut().zip(both).for_each(|(gone, both)| *gone |= both);
        }
        Ok(gone.into_iter().filter(|gone| *gone).count())
    }

    /// Whether expired rows of a key follow each other, so that they become one.
    fn join(&self, schema: &SchemaVersion, values: &Values<'_>) -> Result<bool> {
        for rule in &self.groups {
            let past = is_past(&values.evaluate(&rule.expires)?, self.now);
            let chunk = Chunk::new(values.columns.clone(), values.rows);
            let keys = &schema.config.order_by[..rule.keys];
            let keys = evaluate(keys, values.positions, &chunk)?;
            let starts = sort::group_starts(&keys, None, values.rows);
            let ends = starts.iter().skip(1).copied().chain([values.rows as u32]);
            let several = |(&start, end): (&u32, u32)| {
                past[start as usize..end as usize].windows(2).any(|pair| pair[0] && pair[1])
            };
            if starts.iter().zip(ends).any(several) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a value is expired that differs from its default.
    fn replaces(
        &self,
        schema: &SchemaVersion,
        position: usize,
        time: &Expr,
        values: &Values<'_>,
    ) -> Result<bool> {
        let past = is_past(&values.evaluate(time)?, self.now);
        if !past.contains(&true) {
            return Ok(false);
        }
        let bound = match &schema.config.defaults {
            Some(defaults) => defaults.default(position, None)?,
            None => None,
        };
        // A default that is computed may differ each time, so it is written once more.
        let Some(Expr::Literal { value, ty }) = bound.or_else(|| {
            let ty = &schema.stored[position].ty;
            Some(Expr::literal(ty.column_default(), ty.clone()))
        }) else {
            return Ok(false);
        };
        let default = Column::from_value(&ty, &value, 1).full();
        let place = values.positions.iter().position(|at| *at == position).unwrap_or(0);
        let column = values.columns[place].full();
        let differs = |row: usize| compare_values(&column, row, &default, 0).is_ne();
        Ok(past.iter().enumerate().any(|(row, past)| *past && differs(row)))
    }
}
