//! The drift of the machine during a run: the calibration queries run every ten minutes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::measure::{Amount, Pair, Samples};

/// The time between two runs of the calibration queries.
const EVERY: Duration = Duration::from_mins(10);
/// Runs each time: about half a second.
const RUNS: Amount = Amount { pairs: 3, seconds: 0.0 };

/// What the calibration queries took, so far.
#[derive(Debug)]
pub struct Drift {
    began: Instant,
    last: Option<Instant>,
    seen: BTreeMap<usize, Vec<(f64, f64)>>,
}

impl Drift {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { began: Instant::now(), last: None, seen: BTreeMap::new() }
    }

    /// Asks the units, where it is time to. Their runs are no samples of the comparison.
    pub fn look(&mut self, pair: &mut Pair<'_>, units: &[usize]) {
        if self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let minutes = self.began.elapsed().as_secs_f64() / 60.0;
        // Ids of their own: their counters are not the measured runs'.
        let own = format!("{}drift.", pair.spec().run_id);
        pair.under(pair.spec().named(own), |pair| {
            for &unit in units {
                if let Ok(cost) = pair.measure(unit, &RUNS, &mut Samples::default()) {
                    self.seen.entry(unit).or_default().push((minutes, cost.pair / 2.0));
                }
            }
        });
    }

    /// As a fact of the run: `calibration #0: 101.0 ms at minute 0, 103.5 at 10 (+2 %)`. None
    /// where there is no calibration query.
    pub fn text(&self, name: impl Fn(usize) -> String) -> Option<String> {
        let one = |(unit, seen): (&usize, &Vec<(f64, f64)>)| {
            let first = seen.first().map_or(1.0, |(_, seconds)| *seconds);
            let times = seen.iter().map(|(minutes, seconds)| {
                let part = 100.0 * (seconds / first - 1.0);
                format!("{:.1} ms at minute {minutes:.0} ({part:+.0} %)", seconds * 1e3)
            });
            format!("{}: {}", name(*unit), times.collect::<Vec<_>>().join(", "))
        };
        let all: Vec<String> = self.seen.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said() {
        let mut drift = Drift::new();
        assert_eq!(drift.text(|_| String::new()), None);
        drift.seen.insert(3, vec![(0.0, 0.1), (10.02, 0.11)]);
        let text = drift.text(|unit| format!("yardstick #{unit}"));
        let wanted = "yardstick #3: 100.0 ms at minute 0 (+0 %), 110.0 ms at minute 10 (+10 %)";
        assert_eq!(text.as_deref(), Some(wanted));
    }
}
