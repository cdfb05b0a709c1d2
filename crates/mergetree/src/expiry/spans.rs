//! When the rules of a TTL concern the rows of a part first and last.
//!
//! A part's spans are found out when they are wanted for the first time, by one pass over the
//! columns that the rules read, and are kept with the part in memory. Merges and the background
//! merger ask them before they read anything else.

use std::sync::{Arc, Mutex};

use entasis_base::Result;
use entasis_base::sync::lock;
use entasis_column::{Chunk, Column, Native};
use entasis_expr::Expr;

use super::{Expiry, is_true};
use crate::fill::{Filler, GranuleReader};
use crate::part::Part;
use crate::schema::{SchemaVersion, evaluate};

/// The times at which a rule concerns the rows of a part, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first; 0 if no row has a time.
    pub first: u64,
    /// The last; 0 if no row has a time.
    pub last: u64,
    /// Whether there are rows without a time, which the rule never concerns.
    pub has_others: bool,
}

impl Span {
    /// Adds the times of some rows, or of those among them for which a condition holds.
    fn add(&mut self, times: &Column, condition: Option<&Column>) {
        let Some(times) = i64::values(times) else {
            self.has_others |= !times.is_empty();
            return;
        };
        for (row, &time) in times.iter().enumerate() {
            if time <= 0 || condition.is_some_and(|holds| !is_true(holds, row)) {
                self.has_others = true;
                continue;
            }
            let time = time as u64;
            self.first = if self.first == 0 { time } else { self.first.min(time) };
            self.last = self.last.max(time);
        }
    }

    /// Whether the rule concerns a row now.
    pub(crate) fn has_begun(&self, now: u64) -> bool {
        self.first > 0 && self.first <= now
    }

    /// Whether the rule concerns all rows now.
    pub(crate) fn is_over(&self, now: u64) -> bool {
        self.first > 0 && self.last <= now && !self.has_others
    }
}

/// The spans of all rules, in the order of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Of [`Expiry::rows`].
    pub rows: Vec<Span>,
    /// Of [`Expiry::groups`].
    pub groups: Vec<Span>,
    /// Of [`Expiry::recompressions`].
    pub recompressions: Vec<Span>,
    /// Of [`Expiry::moves`].
    pub moves: Vec<Span>,
    /// Of [`Expiry::columns`], by position.
    pub columns: Vec<Option<Span>>,
}

impl Expiry {
    /// The times of all rules, in the order of [`Spans`], followed by the conditions of
    /// [`Self::rows`].
    fn times(&self) -> Vec<&Expr> {
        let rows = self.rows.iter().map(|rule| &rule.expires);
        let groups = self.groups.iter().map(|rule| &rule.expires);
        let recompressions = self.recompressions.iter().map(|rule| &rule.expires);
        let moves = self.moves.iter().map(|rule| &rule.expires);
        let all = rows.chain(groups).chain(recompressions).chain(moves);
        let conditions = self.rows.iter().filter_map(|rule| rule.condition.as_ref());
        all.chain(self.columns.iter().flatten()).chain(conditions).collect()
    }

    fn divided(&self, spans: Vec<Span>) -> Spans {
        let mut spans = spans.into_iter();
        let mut next = |count: usize| spans.by_ref().take(count).collect::<Vec<_>>();
        let (rows, groups) = (next(self.rows.len()), next(self.groups.len()));
        let (recompressions, moves) = (next(self.recompressions.len()), next(self.moves.len()));
        let of_column = |rule: &Option<Expr>| rule.as_ref().and_then(|_| spans.next());
        let columns = self.columns.iter().map(of_column).collect();
        Spans { rows, groups, recompressions, moves, columns }
    }
}

/// What a part keeps of its spans: the version of the schema, and the spans of its rules.
pub(crate) type KnownSpans = Mutex<Option<(u32, Arc<Spans>)>>;

impl Part {
    /// The spans of the rules of a schema.
    pub(crate) fn spans(&self, schema: &SchemaVersion, expiry: &Expiry) -> Result<Arc<Spans>> {
        let version = schema.columns.version();
        if let Some((known, spans)) = &*lock(&self.spans)
            && *known == version
        {
            return Ok(Arc::clone(spans));
        }
        let times: Vec<Expr> = expiry.times().into_iter().cloned().collect();
        let positions = SchemaVersion::read_by(&times);
        let conditions = expiry.rows.iter().filter(|rule| rule.condition.is_some()).count();
        let mut spans = vec![Span::default(); times.len() - conditions];
        let layers = self.layers()?;
        let mut filler = Filler::new(schema, positions.clone())?;
        let mut reader = GranuleReader::new(layers, filler.origins(layers, 0)?)?;
        let mut granule = 0;
        while let Some((at, rows)) = reader.next(granule)? {
            let columns = (0..positions.len()).map(|place| reader.read(place, at));
            let chunk = Chunk::new(columns.collect::<Result<_>>()?, rows);
            let found = evaluate(&times, &positions, &chunk)?;
            let (times, conditions) = found.split_at(spans.len());
            let mut conditions = conditions.iter();
            for (rule, (span, times)) in spans.iter_mut().zip(times).enumerate() {
                let has = expiry.rows.get(rule).is_some_and(|rule| rule.condition.is_some());
                let condition = if has { conditions.next().map(Column::full) } else { None };
                span.add(&times.full(), condition.as_ref());
            }
            granule = at + 1;
        }
        let spans = Arc::new(expiry.divided(spans));
        *lock(&self.spans) = Some((version, Arc::clone(&spans)));
        Ok(spans)
    }
}
