//! The candidates of stage 2: which queries become candidates, for which the budget has time, and
//! which leave early.

use std::collections::{BTreeSet, HashMap, HashSet};

use entasis_base::Result;
use entasis_stats::sequential::Decision;

use super::campaign::{Campaign, PROFILE_SHARE};
use super::outcome::metrics_of;
use crate::measure::{Amount, CLIENT_TIME, JUDGED, Sides, are_positive};
use crate::store::Fate;
use crate::verdict::{Screened, common, common_noise, interim, screen};

/// What stage 1 says of a query by one metric.
struct One {
    unit: usize,
    metric: &'static str,
    processes: usize,
    screened: Screened,
}

/// Pairs of processes that screen a query at most.
pub(super) const SCREENED: usize = 4;

impl Campaign<'_> {
    /// Queries that stage 1 could not set aside, in any of the metrics they are judged by. Learns
    /// on the way how many runs each is to get.
    pub(super) fn candidates(&mut self) -> Result<Vec<usize>> {
        let mut all = BTreeSet::from_iter(self.calibration());
        for One { unit, metric, screened, .. } in self.screened()? {
            if metric == CLIENT_TIME {
                self.amounts.insert(unit, screened.each);
            }
            let wanted = screened.candidate || self.request.rules.confirm;
            if wanted && self.queries[unit].trouble.is_empty() {
                all.insert(unit);
            }
        }
        Ok(all.into_iter().collect())
    }

    /// Queries of which stage 1 has said too little so far.
    pub(super) fn unclear(&self) -> Result<Vec<usize>> {
        if self.request.rules.confirm || self.request.rules.first_only {
            return Ok(Vec::new());
        }
        let yardsticks = self.calibration();
        let mut all = self.screened()?;
        all.retain(|one| {
            let query = &self.queries[one.unit];
            let own = query.metric == one.metric && query.trouble.is_empty();
            let few = one.processes < SCREENED;
            own && few && one.screened.unclear && !yardsticks.contains(&one.unit)
        });
        let units: BTreeSet<usize> = all.into_iter().map(|one| one.unit).collect();
        Ok(units.into_iter().collect())
    }

    /// What stage 1 says of all queries, by each metric they are judged by.
    fn screened(&self) -> Result<Vec<One>> {
        let mut all = Vec::new();
        for metric in JUDGED {
            let measured = self.measured(metric, 1, 1);
            let noise = common_noise(measured.values())?;
            for (unit, sides) in measured {
                let (unit, processes) = (unit as usize, sides.0.len());
                let known = self.known(unit, metric);
                let least = self.queries[unit].least_effect;
                let screened = screen(&sides, &known, noise, least, &self.request.rules)?;
                all.push(One { unit, metric, processes, screened });
            }
        }
        Ok(all)
    }

    /// What a stage has of the queries that are judged by a metric, where it has so many processes.
    fn measured(&self, metric: &str, stage: u8, least: usize) -> HashMap<u32, Sides> {
        let mut all = self.samples.by_unit(metric, stage);
        all.retain(|unit, sides| {
            let judged = metrics_of(&self.queries[*unit as usize]).contains(&metric);
            judged && sides.0.len() >= least && are_positive(sides)
        });
        all
    }

    /// Queries whose time is that of the machine, in every process: what moves with them is no
    /// change of the builds.
    pub(super) fn calibration(&self) -> Vec<usize> {
        let plan = &self.request.plan;
        let usable =
            |unit: &usize| plan.test(*unit).calibration && self.queries[*unit].trouble.is_empty();
        (0..plan.units.len()).filter(usable).collect()
    }

    /// Runs of a candidate in one pair of processes.
    pub(super) fn amount(&self, unit: usize) -> Amount {
        self.amounts.get(&unit).copied().unwrap_or(self.request.rules.each)
    }

    /// Seconds of a candidate in one pair of processes, as stage 1 went.
    pub(super) fn second_cost(&self, unit: usize) -> f64 {
        let usual = self.cost.get(&unit).map_or(1.0, |cost| cost.of(&self.amount(unit)));
        usual + self.alone_cost(unit)
    }

    /// Seconds that the candidates of now will leave of the budget; none without one.
    pub(super) fn spare(&mut self) -> Result<Option<f64>> {
        let candidates = self.candidates()?;
        let Some(left) = self.deadline.left() else { return Ok(None) };
        let each: f64 = candidates.iter().map(|unit| self.second_cost(*unit)).sum();
        let second = (each + self.restart) * self.request.rules.pairs as f64;
        Ok(Some(left.as_secs_f64() * (1.0 - PROFILE_SHARE) - second))
    }

    /// Leaves out what the budget has no room for, the least striking first.
    pub(super) fn shorten(&mut self, candidates: &mut Vec<usize>) {
        let Some(left) = self.second_end.left() else { return };
        let pairs = self.request.rules.pairs as f64;
        let room = left.as_secs_f64() / pairs - self.restart;
        let sides = self.measured(CLIENT_TIME, 1, 1);
        let noise = common_noise(sides.values());
        let striking = |unit: &usize| {
            let (known, rules) = (self.known(*unit, CLIENT_TIME), &self.request.rules);
            let least = self.queries[*unit].least_effect;
            let sides = sides.get(&(*unit as u32)).zip(noise.as_ref().ok());
            let found = sides.map(|(sides, noise)| screen(sides, &known, *noise, least, rules));
            found.and_then(Result::ok).map_or(f64::INFINITY, |s| (s.theta / s.sd).abs())
        };
        candidates.sort_by(|a, b| striking(b).total_cmp(&striking(a)));
        let costs: HashMap<usize, f64> =
            candidates.iter().map(|unit| (*unit, self.second_cost(*unit))).collect();
        // Without yardsticks nobody knows what the machine did meanwhile.
        for unit in leave_out(candidates, &costs, &self.calibration(), room) {
            self.queries[unit].trouble = format!("{} in stage 2: budget", Fate::Untested.name());
        }
    }

    /// What is decided, one way or the other, needs no more. Of a query that has had so many pairs
    /// (`had`) that there is no look at them, nothing is.
    pub(super) fn leave_early(
        &self,
        candidates: &mut Vec<usize>,
        had: &HashMap<usize, usize>,
    ) -> Result<()> {
        let rules = &self.request.rules;
        let looked_at = |unit: &usize| had.get(unit).is_some_and(|had| is_look(*had, rules.pairs));
        let (looked, mut open): (HashSet<usize>, HashSet<usize>) =
            candidates.iter().copied().partition(looked_at);
        if looked.is_empty() {
            return Ok(());
        }
        for metric in JUDGED {
            let all = self.measured(metric, 2, 1);
            let common = common(all.values())?;
            for (unit, sides) in all {
                let unit = unit as usize;
                if !looked.contains(&unit) || open.contains(&unit) {
                    continue;
                }
                let known = self.known(unit, metric);
                let one = sides.0.len() < 2;
                if one
                    || interim(&sides, &known, common, rules, self.run.seed)? == Decision::Continue
                {
                    open.insert(unit);
                }
            }
        }
        if !open.is_empty() {
            open.extend(self.calibration());
        }
        candidates.retain(|unit| open.contains(unit));
        Ok(())
    }
}

/// Whether the bounds have a look at so many pairs: half of the planned ones, and whole multiples.
fn is_look(had: usize, planned: usize) -> bool {
    had > 0 && (had == planned / 2 || had.is_multiple_of(planned))
}

/// Leaves out the units that there is no room for, those first in the list first served, after all
/// of `always`. One that does not fit takes nobody's room. Answers those left out.
fn leave_out(
    units: &mut Vec<usize>,
    costs: &HashMap<usize, f64>,
    always: &[usize],
    mut room: f64,
) -> Vec<usize> {
    room -= always.iter().filter_map(|unit| costs.get(unit)).sum::<f64>();
    let mut out = Vec::new();
    units.retain(|unit| {
        let known = always.contains(unit);
        let fits = known || costs[unit] <= room;
        room -= if fits && !known { costs[unit] } else { 0.0 };
        out.extend((!fits).then_some(*unit));
        fits
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_decided_between_two_looks() {
        let looks: Vec<usize> = (0..=24).filter(|had| is_look(*had, 8)).collect();
        assert_eq!(looks, [4, 8, 16, 24]);
        assert_eq!((0..=4).filter(|had| is_look(*had, 1)).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_does_not_fit_takes_no_room() {
        let costs = HashMap::from([(0, 8.0), (1, 3.0), (2, 2.0), (3, 4.0), (4, 1.0)]);
        let mut units = vec![0, 1, 3, 2, 4];
        assert_eq!(leave_out(&mut units, &costs, &[4], 7.0), [0, 3]);
        assert_eq!(units, [1, 2, 4]);
        // A yardstick stays, whatever it costs.
        assert_eq!(leave_out(&mut units, &costs, &[4], 0.5), [1, 2]);
        assert_eq!(units, [4]);
    }
}
