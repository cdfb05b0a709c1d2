//! The lists of a report, and the rules that decide which queries each contains.

use std::collections::{BTreeMap, HashMap};

use entasis_stats::distribution::{normal_above, normal_cdf};
use entasis_stats::location::median;
use entasis_stats::sample::{log_ratio, mean, variance};
use entasis_stats::schedule::Side;

use super::grouped::Grouped;
use crate::compare::{Outcome, rules_of};
use crate::measure::{CLIENT_TIME, Metric, SERVER_TIME, Sample};
use crate::store::{Fate, Shown};

/// The lists.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// Smallest effect of interest of most queries, a log ratio.
    pub margin: f64,
    /// Within plus and minus this log ratio 95 % of the effects would lie if the sides were equal.
    pub band: Option<f64>,
    /// Undecided queries, and the pairs of processes that would show twice the smallest effect of
    /// interest nine times of ten.
    pub undecided: Vec<(u32, Option<u64>)>,
    /// Queries in which stage 1 saw something, by what they are judged by, that fresh processes did
    /// not bear out. Who went to stage 2 for another reason is none of them: to measure the
    /// machine, for its memory alone, or because all did.
    pub unconfirmed: Vec<u32>,
    /// Queries of which a large change would not have been seen (`Judged::unstable`).
    pub unstable: Vec<u32>,
    /// Queries that the client waits for longer than the server says: client's and server's
    /// seconds.
    pub slow_on_client: Vec<(u32, f64, f64)>,
    /// Queries of unexpected duration, their seconds, and whether their tests call them short.
    pub durations: Vec<(u32, f64, bool)>,
    /// Queries that one side only runs: which, its median seconds, and their deviation over it.
    pub partial: Vec<(u32, Side, f64, Option<f64>)>,
    /// Tests, in the order of their names.
    pub tests: Vec<TestSum>,
    /// Metrics whose median ratio over all queries differs from 1: name, log ratio, queries.
    pub metrics: Vec<(String, f64, usize)>,
}

/// What a test's queries sum up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestSum {
    /// Its name.
    pub test: String,
    /// Its queries.
    pub queries: usize,
    /// Mean log ratio of its queries' times: the logarithm of their geometric mean; none without
    /// one.
    pub theta: Option<f64>,
    /// Queries that failed, were left out or answer differently.
    pub not_ok: usize,
    /// Queries slower or faster.
    pub changed: usize,
    /// Queries of which a large change would not have been seen (`Judged::unstable`).
    pub unstable: usize,
    /// Client's seconds of all measured runs; a quick query that a run repeats counts once.
    pub seconds: f64,
    /// Measured runs.
    pub runs: usize,
    /// Seconds of the longest and the shortest run.
    pub extremes: Option<(f64, f64)>,
    /// Seconds that its set-up took, on the side that filled its tables, or on both; none if
    /// nobody noted them.
    pub set_up: Option<f64>,
}

/// Client over server time above which a query is slow on the client.
const SLOW: f64 = 1.02;
/// Seconds that a query should take at least and at most.
const USUAL: (f64, f64) = (0.02, 1.0);
/// The same for one that its test calls short: such a one may take as little as it likes.
const SHORT: (f64, f64) = (0.0, 0.1);
/// Percent by which a metric's median ratio must differ to be listed.
const METRIC: f64 = 5.0;

impl Sections {
    /// All lists. O(samples log samples).
    pub fn new(outcome: &Outcome) -> Self {
        Self::grouped(outcome, &Grouped::new(&outcome.samples, outcome.queries.len()))
    }

    pub(super) fn grouped(outcome: &Outcome, grouped: &Grouped<'_>) -> Self {
        let rules = rules_of(&outcome.run.rules).unwrap_or_default();
        let mut all = Self { margin: rules.least_effect, band: band(outcome), ..Self::default() };
        for (query, shown) in outcome.own().filter(|(query, _)| query.trouble.is_empty()) {
            if shown.word == "undecided" {
                all.undecided.push((query.unit, shown.judged.needed));
            }
            let seen = shown.judged.candidate && shown.judged.p.is_some();
            if seen && ["undecided", "equivalent"].contains(&shown.word.as_str()) {
                all.unconfirmed.push(query.unit);
            }
            if shown.judged.unstable() {
                all.unstable.push(query.unit);
            }
        }
        let mut tests: BTreeMap<&str, TestSum> = BTreeMap::new();
        let mut ratios: HashMap<Metric, Vec<f64>> = HashMap::new();
        let short = outcome.run.short();
        for query in &outcome.queries {
            let sum = tests.entry(&query.test).or_default();
            sum.queries += 1;
            let fine = [Fate::Measured, Fate::Incompatible].contains(&query.fate());
            let bad = !fine || outcome.differing.contains(&query.unit);
            sum.not_ok += usize::from(bad);
            let client = all.measured(outcome, grouped, query.unit, sum, &mut ratios);
            let short = short.contains(&query.unit);
            let (least, most) = if short { SHORT } else { USUAL };
            let unusual = client.filter(|seconds| !(least..=most).contains(seconds));
            all.durations.extend(unusual.map(|seconds| (query.unit, seconds, short)));
        }
        Self::judged(outcome, &mut tests);
        let tests = tests.into_iter().map(|(test, sum)| {
            let set_up = outcome.run.set_up(test);
            TestSum { test: test.into(), set_up, ..sum }
        });
        all.tests = tests.collect();
        for (metric, ratios) in ratios {
            let theta = median(&ratios).unwrap_or(0.0);
            if theta > log_ratio(METRIC) || theta < log_ratio(-METRIC) {
                let name = outcome.samples.name(metric).to_owned();
                all.metrics.push((name, theta, ratios.len()));
            }
        }
        all.metrics.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        all
    }

    /// What one query's samples say; the client's seconds, if both sides have any.
    fn measured(
        &mut self,
        outcome: &Outcome,
        grouped: &Grouped<'_>,
        unit: u32,
        sum: &mut TestSum,
        ratios: &mut HashMap<Metric, Vec<f64>>,
    ) -> Option<f64> {
        let (mut client, mut server) = (None, None);
        for (metric, samples) in grouped.of(unit) {
            let Some([old, new]) = medians(samples) else {
                let query = &outcome.queries[unit as usize];
                let partial =
                    query.fate() == Fate::Incompatible || query.trouble.starts_with("partial");
                if partial && outcome.samples.name(metric) == CLIENT_TIME {
                    self.partial.extend(alone(unit, samples));
                }
                continue;
            };
            if old > 0.0 && new > 0.0 {
                ratios.entry(metric).or_default().push((new / old).ln());
            }
            match outcome.samples.name(metric) {
                CLIENT_TIME => {
                    client = Some(f64::midpoint(old, new));
                    sum.add(samples);
                }
                SERVER_TIME => server = Some(f64::midpoint(old, new)),
                _ => {}
            }
        }
        if let Some((client, server)) = client.zip(server)
            && client > SLOW * server
        {
            self.slow_on_client.push((unit, client, server));
        }
        client
    }

    fn judged(outcome: &Outcome, tests: &mut BTreeMap<&str, TestSum>) {
        for (query, shown) in outcome.own() {
            let Some(sum) = tests.get_mut(query.test.as_str()) else { continue };
            sum.changed += usize::from(shown.changed());
            sum.unstable += usize::from(shown.judged.unstable());
        }
        for (test, thetas) in outcome.effects_by_test() {
            if let Some(sum) = tests.get_mut(test) {
                sum.theta = Some(mean(&thetas));
            }
        }
    }
}

impl TestSum {
    fn add(&mut self, samples: &[&Sample]) {
        for s in samples {
            self.seconds += s.value;
            self.runs += 1;
            let (longest, shortest) = self.extremes.unwrap_or((s.value, s.value));
            self.extremes = Some((longest.max(s.value), shortest.min(s.value)));
        }
    }
}

/// What the runs of one side say.
fn alone(unit: u32, samples: &[&Sample]) -> Option<(u32, Side, f64, Option<f64>)> {
    let seconds: Vec<f64> = samples.iter().map(|s| s.value).collect();
    let middle = median(&seconds).ok()?;
    let spread = variance(&seconds).map(|variance| variance.sqrt() / middle);
    Some((unit, samples.first()?.side, middle, spread))
}

/// Medians of both sides' runs; none if a side has none.
fn medians(samples: &[&Sample]) -> Option<[f64; 2]> {
    let of = |side: Side| -> Option<f64> {
        let values = samples.iter().filter(|s| s.side == side).map(|s| s.value);
        median(&values.collect::<Vec<f64>>()).ok()
    };
    Some([of(Side::Old)?, of(Side::New)?])
}

/// Where 95 % of the effects on time would lie if the sides were equal: each effect is normal with
/// the deviation that its interval shows, so the band's share is the mean of their shares.
fn band(outcome: &Outcome) -> Option<f64> {
    let z = normal_above(0.025);
    let deviation = |shown: &Shown| {
        let interval = shown.judged.interval;
        (interval.high - interval.low) / 2.0 / z
    };
    let times = outcome.own().filter(|(query, _)| query.metric == CLIENT_TIME);
    let deviations: Vec<f64> =
        times.map(|(_, shown)| deviation(shown)).filter(|sd| sd.is_finite() && *sd > 0.0).collect();
    let widest = deviations.iter().copied().reduce(f64::max)?;
    let share = |band: f64| {
        let one = |sd: &f64| 2.0 * normal_cdf(band / sd) - 1.0;
        mean(&deviations.iter().map(one).collect::<Vec<f64>>())
    };
    let (mut low, mut high) = (0.0, widest * z);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if share(middle) < 0.95 { low = middle } else { high = middle }
    }
    Some(high)
}
