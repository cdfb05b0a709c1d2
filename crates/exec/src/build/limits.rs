//! Builds LIMIT, LIMIT WITH TIES and LIMIT BY.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::ColumnId;
use entasis_plan::Plan;
use entasis_plan::physical;

use super::{Builder, Stream, add, misplaced, positions, typed_positions};
use crate::before_limit;
use crate::gather::{Gather, GatherSink, Wanted, cut_with_ties};
use crate::limit_by::{self, LimitBy, Local};

/// Whether the rows of a limit come from a sort that has the limit itself.
fn sorts(input: &Plan, rows: u64) -> bool {
    match input {
        Plan::Sort(physical::Sort { limit, .. }) => *limit == Some(rows),
        Plan::Project(physical::Project { input, .. })
        | Plan::Bound(physical::Bound { input, .. }) => sorts(input, rows),
        _ => false,
    }
}

impl Builder<'_> {
    /// The streams of the input of a limit, whose rows are counted if the limit is the result's.
    pub fn limited(&mut self, input: &Plan, ordered: bool) -> Result<Vec<Stream>> {
        if !self.counts {
            return self.streams(input, ordered);
        }
        self.counts = false;
        let streams = self.streams(input, ordered);
        self.counts = true;
        let mut streams = streams?;
        add(&mut streams, &before_limit::create(self.context));
        Ok(streams)
    }

    pub(super) fn limit(
        &mut self,
        input: &Plan,
        offset: u64,
        limit: Option<u64>,
    ) -> Result<Vec<Stream>> {
        let reads_all = std::mem::take(&mut self.reads_all);
        let streams = match limit {
            // The limited sort below, which is of the same ORDER BY, counts its own rows.
            Some(limit) if !sorts(input, offset.saturating_add(limit)) => {
                self.limited(input, true)?
            }
            _ => self.streams(input, true)?,
        };
        let strict = !streams.iter().any(|s| s.selective);
        let first = |limit| Wanted::first(offset.saturating_add(limit), strict);
        let wanted = limit.map(|limit| Wanted { reads_all, ..first(limit) });
        let spill = &self.runtime.spill;
        let (sink, source) = Gather::cut(wanted, (offset, limit), self.context, spill);
        Ok(self.break_at(streams, Arc::new(GatherSink(sink)), source, true))
    }

    pub(super) fn limit_ties(&mut self, plan: &Plan) -> Result<Vec<Stream>> {
        let Plan::LimitTies(physical::LimitTies { input, offset, limit, keys }) = plan else {
            return Err(misplaced());
        };
        let places = positions(&input.outputs(), keys)?;
        let (offset, limit) = (*offset, *limit);
        let then = Box::new(move |chunks| Ok(cut_with_ties(chunks, offset, limit, &places)));
        let streams = self.limited(input, true)?;
        Ok(self.gathered(streams, then))
    }

    pub(super) fn limit_by(
        &mut self,
        input: &Plan,
        keys: &[ColumnId],
        (offset, limit): (u64, u64),
    ) -> Result<Vec<Stream>> {
        let (keys, types) = typed_positions(&input.header()?, keys)?.into_iter().unzip();
        let rule = LimitBy { keys, types, offset, limit };
        let mut streams = self.streams(input, true)?;
        let spill = &self.runtime.spill;
        add(&mut streams, &Local::create(&rule, self.context, spill));
        let width = input.outputs().len();
        let (sink, source) = limit_by::create(rule, width, self.context, spill);
        let mut streams = self.break_at(streams, sink, source, true);
        for s in &mut streams {
            s.selective = true;
        }
        Ok(streams)
    }
}
