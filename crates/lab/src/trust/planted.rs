//! Planted costs: how often they were found, and whether the intervals contained the truth.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use entasis_base::{Error, Result, codes};
use entasis_stats::distribution::wilson;
use entasis_stats::rng::stream;
use entasis_stats::sample::log_ratio;
use serde_json::Value;

use crate::measure::{ALLOCATED, CLIENT_TIME, LONE_MEMORY, MEMORY};
use crate::store::{Store, quoted, whole};
use crate::target::Setting;

/// What can be planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// Time.
    Time,
    /// Bytes allocated.
    Allocation,
    /// The peak of memory.
    Peak,
}

impl Planted {
    /// `time`, `allocation` or `peak`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "time" => Ok(Self::Time),
            "allocation" => Ok(Self::Allocation),
            "peak" => Ok(Self::Peak),
            other => {
                let message = format!("cannot plant `{other}`: expected time, allocation or peak");
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
        }
    }

    /// The metric that shows it.
    pub fn metric(self) -> &'static str {
        match self {
            Self::Time => CLIENT_TIME,
            Self::Allocation => ALLOCATED,
            Self::Peak => MEMORY,
        }
    }

    /// All metrics that may, as a list of SQL: a query is counted by the one that can show least.
    fn metrics(self) -> String {
        let lone = (self == Self::Peak).then_some(LONE_MEMORY);
        [self.metric()].into_iter().chain(lone).map(quoted).collect::<Vec<_>>().join(", ")
    }

    /// The setting that injects so many percent of it into the steps whose names begin so.
    fn setting(self, level: f64, step: &str) -> Setting {
        let what = match self {
            Self::Time => "time",
            Self::Allocation => "allocation",
            Self::Peak => "peak",
        };
        let step = if step.is_empty() { String::new() } else { format!(", step={step}") };
        ("log_comment".to_owned(), format!("cost injection: {what}={level}{step}"))
    }
}

/// What each of `units` queries gets: one of the levels, in percent, by the seed; and the settings
/// of both sides that plant it on the new one. `step` narrows it to steps whose names begin so.
pub fn assign(
    what: Planted,
    levels: &[f64],
    step: &str,
    units: usize,
    seed: u64,
) -> HashMap<u32, ([Vec<Setting>; 2], f64)> {
    let mut rng = stream(seed, &[31]);
    let mut plant = |unit: usize| {
        let level = levels[rng.below(levels.len() as u64) as usize];
        // A setting costs some kilobytes by itself, so that the old side gets it as well.
        let settings = [0.0, level].map(|level| vec![what.setting(level, step)]);
        (unit as u32, (settings, level))
    };
    (0..units).map(&mut plant).collect()
}

/// What was found of one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Comparisons.
    pub count: u64,
    /// Called slower.
    pub found: u64,
    /// Of those whose minimum detectable effect is the level or less: how many, and found.
    pub sensitive: u64,
    /// See `sensitive`.
    pub sensitive_found: u64,
    /// Went to stage 2, so that there is an interval of fresh processes.
    pub intervals: u64,
    /// Of those the intervals that hold the truth.
    pub covered: u64,
    /// Found ones that were profiled.
    pub profiled: u64,
    /// Of those: the planted function is the one that explains most, or among the three that do.
    pub named: [u64; 2],
}

/// The function in which planted time is burnt.
const BURNING: &str = "burn_planted";

impl Level {
    /// Counts all planted comparisons in a store by level, in thousandths of a percent.
    pub fn count(store: &mut Store, what: Planted, since: f64) -> Result<BTreeMap<u64, Self>> {
        let (metric, metrics) = (what.metric(), what.metrics());
        let rows = store.rows(&format!(
            "SELECT planted, verdict, theta, low, high, mde, functions, \
                    candidate AND isNotNull(p) AS second, \
                    (v.run_id, v.test, v.query_index) IN \
                        (SELECT run_id, test, query_index FROM lab.stack) AS profiled \
             FROM lab.verdict AS v FINAL \
             INNER JOIN (SELECT run_id, unit, planted FROM lab.query FINAL \
                         WHERE planted_what = '{metric}') AS q \
             ON v.run_id = q.run_id AND v.unit = q.unit \
             WHERE v.metric IN ({metrics}) AND v.kind = 'power' AND toFloat64(v.time) >= {since} \
             ORDER BY v.run_id, v.unit, mde LIMIT 1 BY v.run_id, v.unit"
        ))?;
        let mut levels: BTreeMap<u64, Self> = BTreeMap::new();
        for row in &rows {
            let number = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
            let truth = log_ratio(number("planted"));
            let level = levels.entry((number("planted") * 1e3).round() as u64).or_default();
            let word = row["verdict"].as_str();
            let found = matches!(word, Some("slower" | "quarantined")) && number("theta") > 0.0;
            level.count += 1;
            level.found += u64::from(found);
            let names: Vec<&str> = row["functions"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if found && whole(row, "profiled") == 1 {
                level.profiled += 1;
                let rank = names.iter().position(|name| name.contains(BURNING));
                level.named[0] += u64::from(rank == Some(0));
                level.named[1] += u64::from(rank.is_some_and(|rank| rank < 3));
            }
            if number("mde") <= truth {
                level.sensitive += 1;
                level.sensitive_found += u64::from(found);
            }
            if row["second"].as_bool() == Some(true) || whole(row, "second") == 1 {
                level.intervals += 1;
                level.covered += u64::from((number("low")..=number("high")).contains(&truth));
            }
        }
        Ok(levels)
    }

    /// A line about it.
    pub fn line(&self, percent: f64) -> Result<String> {
        let share = |part: u64, of: u64| -> Result<String> {
            if of == 0 {
                return Ok("none".into());
            }
            let within = wilson(part, of, 0.95)?;
            let (low, high) = (within.low * 100.0, within.high * 100.0);
            let rate = part as f64 / of as f64 * 100.0;
            Ok(format!("{part}/{of} = {rate:.1} % ({low:.1} to {high:.1})"))
        };
        let mut line = format!(
            "{percent} %: found {}, of those that could show it {}, truth within the interval {}",
            share(self.found, self.count)?,
            share(self.sensitive_found, self.sensitive)?,
            share(self.covered, self.intervals)?
        );
        if self.profiled > 0 {
            let [first, three] = self.named;
            let (first, three) = (share(first, self.profiled)?, share(three, self.profiled)?);
            write!(line, ", its function named first {first}, among three {three}").ok();
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_dealt_evenly_by_the_seed() {
        let all = assign(Planted::Time, &[2.0, 5.0, 10.0], "Aggregate", 3000, 1);
        assert_eq!(all, assign(Planted::Time, &[2.0, 5.0, 10.0], "Aggregate", 3000, 1));
        let fives = all.values().filter(|(_, level)| *level == 5.0).count();
        assert!((850..1150).contains(&fives), "{fives}");
        let ([old, new], level) = &all[&7];
        let remark = |level| format!("cost injection: time={level}, step=Aggregate");
        assert_eq!(old[0], ("log_comment".into(), remark(0.0)));
        assert_eq!(new[0], ("log_comment".into(), remark(*level)));
    }
}
