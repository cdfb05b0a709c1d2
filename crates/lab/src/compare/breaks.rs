//! Handles queries that fail, and processes that end.

use entasis_base::{Error, Result};
use entasis_stats::schedule::Side;

use super::campaign::Campaign;
use crate::measure::{Pair, Prepared, Trouble, Watch};
use crate::store::Fate;

impl<'a> Campaign<'a> {
    /// What becomes of a query that did not work.
    pub(super) fn broken(
        &mut self,
        unit: usize,
        trouble: &Trouble,
        prepared: &Prepared,
        watch: &mut dyn Watch,
    ) {
        if !self.deadline.fits(0.001) {
            // It was cut short. What stage 1 has said of it stays.
            if !self.cost.contains_key(&unit) {
                self.queries[unit].trouble = self.late();
            }
            return;
        }
        let allowed = prepared.new_only.contains_key(&self.request.plan.units[unit].test);
        let text = match trouble {
            Trouble::Partial(Side::Old, error) if allowed => {
                format!("{}: the old side has no tables: {error}", Fate::Incompatible.name())
            }
            Trouble::Partial(Side::Old, error) => {
                format!("partial: fails on the old side: {error}")
            }
            Trouble::Partial(Side::New, error) => {
                format!("partial: fails on the new side: {error}")
            }
            Trouble::Broken(error) => format!("broken: {error}"),
        };
        watch.say(&format!("{}: {text}", self.request.plan.name(unit)));
        self.queries[unit].trouble = text;
    }

    /// Notes what ended stage 1, as a side that does not start any more: what it had not come to is
    /// not tested.
    pub(super) fn first_ended_early(&mut self, error: &Error) {
        self.run.note_problems(&[format!("stage 1 ended early: {error}")]);
        self.cut_short = true;
        let left_out = format!("{}: stage 1 ended early", Fate::Untested.name());
        let missed = self.queries.iter_mut().filter(|query| {
            query.trouble.is_empty() && !self.cost.contains_key(&(query.unit as usize))
        });
        missed.for_each(|query| query.trouble.clone_from(&left_out));
    }

    /// What servers counted of the runs so far. Those that do not say (any more) have no counters.
    pub(super) fn read_counters(&mut self, pair: &mut Pair<'_>, watch: &mut dyn Watch) {
        if let Err(error) = pair.count(&mut self.samples) {
            watch.say(&format!("counters are missing: {error}"));
        }
    }

    /// Says of a query at which a side has ended that it did.
    pub(super) fn note_ended(
        &mut self,
        unit: usize,
        pair: &mut Pair<'_>,
        prepared: &Prepared,
        watch: &mut dyn Watch,
    ) {
        if let Some(trouble) = pair.ended() {
            self.broken(unit, &trouble, prepared, watch);
        }
    }

    /// A fresh pair of processes in place of one of which a side has ended: the query at which it
    /// did has been told, the others are measured without it.
    pub(super) fn living(
        &mut self,
        mut pair: Pair<'a>,
        prepared: &Prepared,
        stage: u8,
        watch: &mut dyn Watch,
    ) -> Result<Pair<'a>> {
        if pair.ended().is_none() {
            return Ok(pair);
        }
        self.read_counters(&mut pair, watch);
        // The side that lives holds its folder.
        drop(pair);
        self.pair(prepared, stage)
    }
}
