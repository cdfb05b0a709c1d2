//! Stage 2's candidates: who becomes one, whom the budget has room for, who leaves early.

use std::collections::{HashMap, HashSet};

use entasis_base::Result;
use entasis_stats::sequential::Decision;

use super::campaign::Campaign;
use super::outcome::{UNTESTED, metrics_of};
use crate::measure::{ALLOCATED, CLIENT_TIME, CPU_TIME, MEMORY};
use crate::verdict::{Rules, fit, interim, screen};

impl Campaign<'_> {
    /// Queries that stage 1 could not set aside, in any of the metrics they are judged by.
    pub(super) fn candidates(&self) -> Result<Vec<usize>> {
        let mut all = HashSet::new();
        for metric in [CLIENT_TIME, CPU_TIME, MEMORY, ALLOCATED] {
            for (unit, sides) in self.samples.by_unit(metric, 1) {
                let query = &self.queries[unit as usize];
                let judged = metrics_of(query).contains(&metric) && query.trouble.is_empty();
                let values = || sides.0.iter().chain(&sides.1).flatten();
                if !judged || sides.0.is_empty() || values().any(|v| *v <= 0.0) {
                    continue;
                }
                let known = self.known(unit as usize, metric);
                let rules = &self.request.rules;
                if screen(&sides, &known, query.least_effect, rules)?.candidate {
                    all.insert(unit as usize);
                }
            }
        }
        all.extend(self.calibration());
        let mut all: Vec<usize> = all.into_iter().collect();
        all.sort_unstable();
        Ok(all)
    }

    /// Queries whose time is that of the machine, in every process: what moves with them is no
    /// change of the builds.
    pub(super) fn calibration(&self) -> Vec<usize> {
        let plan = &self.request.plan;
        let usable =
            |unit: &usize| plan.test(*unit).calibration && self.queries[*unit].trouble.is_empty();
        (0..plan.units.len()).filter(usable).collect()
    }

    /// Seconds of a candidate in one pair of processes, as stage 1 went.
    pub(super) fn second_cost(&self, unit: usize) -> f64 {
        let Rules { first_pairs, runs, .. } = self.request.rules;
        let share = (1 + runs) as f64 / (1 + first_pairs) as f64;
        self.cost.get(&unit).copied().unwrap_or(0.5) * share
    }

    /// Leaves out what the budget has no room for, the least striking first.
    pub(super) fn shorten(&mut self, candidates: &mut Vec<usize>) {
        let Some(left) = self.deadline.left() else { return };
        let pairs = self.request.rules.pairs as f64;
        let mut room = left.as_secs_f64() / pairs - self.restart;
        let sides = self.samples.by_unit(CLIENT_TIME, 1);
        let striking = |unit: &usize| {
            let known = self.known(*unit, CLIENT_TIME);
            let rules = &self.request.rules;
            let found = sides.get(&(*unit as u32)).map(|s| screen(s, &known, 0.01, rules));
            found.and_then(Result::ok).map_or(f64::INFINITY, |s| (s.theta / s.sd).abs())
        };
        candidates.sort_by(|a, b| striking(b).total_cmp(&striking(a)));
        let costs: HashMap<usize, f64> =
            candidates.iter().map(|unit| (*unit, self.second_cost(*unit))).collect();
        candidates.retain(|unit| {
            room -= costs[unit];
            if room < 0.0 {
                self.queries[*unit].trouble = format!("{UNTESTED} in stage 2: budget");
            }
            room >= 0.0
        });
    }

    /// After half of the processes: what is decided, one way or the other, needs no more.
    pub(super) fn leave_early(&self, candidates: &mut Vec<usize>) -> Result<()> {
        let rules = &self.request.rules;
        let mut open: HashSet<u32> = HashSet::new();
        for metric in [CLIENT_TIME, CPU_TIME, MEMORY, ALLOCATED] {
            let all = self.samples.by_unit(metric, 2);
            let judged = |unit: &u32| metrics_of(&self.queries[*unit as usize]).contains(&metric);
            let usable = all.iter().filter(|(unit, (old, new))| {
                let positive = old.iter().chain(new).flatten().all(|value| *value > 0.0);
                judged(unit) && positive && old.len() > 1
            });
            let usable: Vec<_> = usable.collect();
            let variances: Vec<(f64, f64)> = usable
                .iter()
                .filter_map(|(_, (old, new))| {
                    let d = entasis_stats::paired::differences(old, new).ok()?;
                    Some((entasis_stats::sample::variance(&d)?, (d.len() - 1) as f64))
                })
                .collect();
            let common = fit(&variances)?;
            for (unit, sides) in usable {
                let prior = self.known(*unit as usize, metric).prior(common);
                if interim(sides, prior, rules, self.run.seed)? == Decision::Continue {
                    open.insert(*unit);
                }
            }
        }
        open.extend(self.calibration().into_iter().map(|unit| unit as u32));
        candidates.retain(|unit| open.contains(&(*unit as u32)));
        Ok(())
    }
}
