//! Stage 2: fresh processes for the candidates. Each candidate is judged by its own pairs of
//! processes.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use entasis_base::Result;
use entasis_stats::schedule::order;

use super::campaign::{Campaign, PROFILE_SHARE};
use crate::measure::{Deadline, Prepared, Watch};
use crate::store::Store;
use crate::verdict::{LONE_PAIRS, Rules};

impl Campaign<'_> {
    /// Fresh processes for the candidates: as many as planned, fewer for what is clear or hopeless
    /// at half of them, more for what is promising but not shown. A query that missed a pair, as a
    /// run was stopped or a budget ended, has it later.
    pub(super) fn second(
        &mut self,
        prepared: &Prepared,
        store: &mut Store,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        let Rules { pairs, looks, first_only, .. } = self.request.rules;
        if first_only {
            return Ok(());
        }
        if self.request.profile > 0.0 {
            let left = self.deadline.left().map(|left| left.mul_f64(1.0 - PROFILE_SHARE));
            self.second_end = Deadline::after(left);
        }
        let mut candidates = self.candidates()?;
        self.shorten(&mut candidates);
        // All of several builds are seen before anything is said of them.
        let confirm = self.request.rules.confirm || self.samples.layouts() > 1;
        // A query that nothing is known of is judged by so many pairs at least.
        let looked = (pairs * looks.bounds().most as usize).max(LONE_PAIRS);
        let most = if confirm { pairs } else { looked };
        for _ in 0..most {
            let had = self.second_pairs();
            let pairs_of = |unit: &usize| had.get(unit).copied().unwrap_or(0);
            if !confirm {
                self.leave_early(&mut candidates, &had)?;
            }
            candidates
                .retain(|unit| pairs_of(unit) < most && self.queries[*unit].trouble.is_empty());
            let Some(done) = candidates.iter().map(pairs_of).min() else { break };
            let fits = |unit: &usize| self.second_end.fits(self.restart + self.second_cost(*unit));
            if watch.stopped() || !candidates.iter().any(fits) {
                self.cut_short |= done < pairs;
                break;
            }
            let what = format!("stage 2, {} candidates, processes", candidates.len());
            watch.progress(&what, done, (done / pairs + 1) * pairs);
            if let Err(error) = self.one_pair(&candidates, &had, prepared, watch) {
                // What was measured by now is worth its report, which says so.
                self.run.note_problems(&[format!("stage 2 ended early: {error}")]);
                self.cut_short |= done < pairs;
                break;
            }
            self.save(store)?;
        }
        Ok(())
    }

    /// `had`: the pairs of each candidate so far.
    fn one_pair(
        &mut self,
        candidates: &[usize],
        had: &HashMap<usize, usize>,
        prepared: &Prepared,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        let began = Instant::now();
        self.next_process = self.next_process.max(1);
        let process = self.next_process;
        let mut pair = self.pair(prepared, 2)?;
        let (mut spent, yardsticks) = (0.0, self.calibration());
        for place in order(self.run.seed, u64::from(process), &[candidates.len()]) {
            let unit = candidates[place.query];
            pair = self.living(pair, prepared, 2, watch)?;
            self.drift.look(&mut pair, &yardsticks);
            let fits = self.second_end.fits(self.second_cost(unit));
            if watch.stopped() || !fits || !self.queries[unit].trouble.is_empty() {
                let planned = had.get(&unit).is_none_or(|had| *had < self.request.rules.pairs);
                self.cut_short |= planned && !fits && self.queries[unit].trouble.is_empty();
                continue;
            }
            let each = self.amount(unit);
            match pair.measure(unit, &each, &mut self.samples) {
                Ok(cost) => {
                    spent += cost.of(&each);
                    self.measure_alone(&mut pair, unit);
                    self.note_ended(unit, &mut pair, prepared, watch);
                }
                Err(trouble) => self.broken(unit, &trouble, prepared, watch),
            }
        }
        self.read_counters(&mut pair, watch);
        drop(pair);
        self.restart = (began.elapsed().as_secs_f64() - spent).max(0.1);
        Ok(())
    }

    /// Pairs of processes that each query has had of stage 2.
    fn second_pairs(&self) -> HashMap<usize, usize> {
        let mut processes: HashMap<usize, HashSet<u16>> = HashMap::new();
        for s in self.samples.rows().iter().filter(|s| s.stage == 2) {
            processes.entry(s.unit as usize).or_default().insert(s.process);
        }
        processes.into_iter().map(|(unit, had)| (unit, had.len())).collect()
    }
}
