//! The data for the script of a page: columns of numbers, rounded to the precision that is visible.

use std::collections::{BTreeMap, HashMap};

use entasis_profile::flamegraph::{Unit, difference_parts};
use entasis_profile::folded::Folded;
use entasis_stats::geomean::MeanEffect;
use entasis_stats::schedule::Side;
use serde_json::{Value, json};

use super::counted::Counted;
use super::dots::dots;
use super::fill::packed;
use super::grouped::Grouped;
use super::noise::Noise;
use super::{Explained, Extras, Sections, Stacks, code, steps};
use crate::compare::Outcome;
use crate::measure::CLIENT_TIME;
use crate::store::{Fate, QueryRow, RunRow, Shown};
use crate::why::counters::{Finding, Scale};
use crate::why::stacks::Basis;

/// Bytes that runs of queries may take in a page, before compression.
const MOST_DOTS: usize = 200_000;
/// The same for counters, which are packed to a half.
const MOST_COUNTERS: usize = 150_000;
/// The same for functions; their names come again and again, and are packed to a fifth.
const MOST_FUNCTIONS: usize = 100_000;
/// Frames of a query's stacks that are drawn at most.
const FRAMES: usize = 1500;
/// Characters of a query's text that a page has; ClickHouse's report cuts at 1,000, too.
const TEXT: usize = 1000;

/// Everything that the page's script draws. Stacks, which may be many, are added as long as all of
/// it stays within `room` bytes when it is packed.
pub fn data(outcome: &Outcome, extras: &Extras, room: usize) -> (Sections, Value) {
    let grouped = Grouped::new(&outcome.samples, outcome.queries.len());
    let sections = Sections::grouped(outcome, &grouped);
    let order = by_interest(outcome);
    let mean = |of: MeanEffect| [of.theta, of.interval.low, of.interval.high];
    let mut all = json!({
        "run": run(&outcome.run, outcome),
        "queries": queries(outcome),
        "shown": shown(outcome),
        "noise": Noise::of(outcome, &grouped).data(),
        "differing": outcome.differing,
        "skipped": outcome.skipped.iter()
            .map(|s| json!([s.test, s.query, s.reason])).collect::<Value>(),
        "mean": outcome.mean().map(mean),
        "mean_by_test": outcome.mean_of_tests().map(mean),
        "sections": lists(&sections),
        "samples": samples(outcome, &grouped, &order),
        "counters": counters(outcome, &grouped, &order),
        "explained": explained(&extras.explained, &order),
        "grown": explained(&extras.grown, &order),
        "health": health(extras),
        "history": extras.history.iter().map(|((unit, metric), points)| {
            let points = points.iter().map(|p| json!([p.time, p.commit, digits(p.ratio, 5)]));
            (format!("{unit} {metric}"), points.collect())
        }).collect::<serde_json::Map<String, Value>>(),
        "steps": steps::data(extras),
        "code": code::data(&outcome.run, extras, &order),
        "plans": extras.plans.iter().map(|(unit, plans)| (unit.to_string(), json!(plans)))
            .collect::<serde_json::Map<String, Value>>(),
    });
    if !extras.stacks.is_empty() {
        let left = room.saturating_sub(packed(&all.to_string()).len());
        let mut frame = Value::Null;
        all["stacks"] = stacks(outcome, extras, &order, left, &mut frame);
        all["flame"] = frame;
    }
    (sections, all)
}

/// So many significant digits; what is not finite is no number in JSON.
pub(super) fn digits(value: f64, digits: usize) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        return json!(rounded as i64);
    }
    json!(rounded)
}

/// A log ratio in hundred-thousandths: whole numbers are short.
pub(super) fn ratio(theta: f64) -> Value {
    let steps = (theta * 1e5).round();
    if steps.is_finite() && steps.abs() < 1e15 { json!(steps as i64) } else { Value::Null }
}

fn run(run: &RunRow, outcome: &Outcome) -> Value {
    let status = outcome.status();
    json!({
        "id": run.id, "time": run.time, "kind": run.kind, "state": run.state,
        "host": run.host.name, "cpu": run.host.cpu, "sides": run.sides, "commits": run.commits,
        "builds": run.builds, "seed": run.seed.to_string(), "budget": run.budget,
        "spent": run.spent, "rules": run.rules,
        "facts": run.checklist().collect::<Vec<_>>(), "problems": run.problems().collect::<Vec<_>>(),
        "command": command(run), "status": status.to_string(),
        "words": status.words, "errors": status.errors, "untested": status.untested,
    })
}

/// The command line of a run, to be followed by the choice of one query.
pub(super) fn command(run: &RunRow) -> String {
    let mut words = vec!["entasis".to_owned(), "lab".to_owned()];
    words.extend(run.again().iter().map(|word| quoted(word)));
    words.push(format!("--seed {}", run.seed));
    words.join(" ")
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    // Some shells look for a command behind a `=`.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most).chain("...".chars()).collect()
}

fn queries(outcome: &Outcome) -> Value {
    let all = &outcome.queries;
    let mut names: Vec<&str> = all.iter().map(|q| q.test.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let number = |q: &QueryRow| names.binary_search(&q.test.as_str()).unwrap_or(0);
    let trouble: BTreeMap<u32, String> = all
        .iter()
        .filter(|q| !q.trouble.is_empty())
        .map(|q| (q.unit, cut(&q.trouble, TEXT)))
        .collect();
    let fate: BTreeMap<u32, &str> = all
        .iter()
        .filter(|q| q.fate() != Fate::Measured)
        .map(|q| (q.unit, q.fate().name()))
        .collect();
    let planted: BTreeMap<u32, f64> =
        all.iter().filter(|q| q.planted > 0.0).map(|q| (q.unit, q.planted)).collect();
    json!({
        "tests": names,
        "test": all.iter().map(number).collect::<Vec<_>>(),
        "index": all.iter().map(|q| q.index).collect::<Vec<_>>(),
        "text": all.iter().map(|q| cut(&q.text, TEXT)).collect::<Vec<_>>(),
        "metric": all.iter().map(|q| q.metric.as_str()).collect::<Vec<_>>(),
        "least": all.iter().map(|q| ratio(q.least_effect)).collect::<Vec<_>>(),
        "trouble": trouble, "fate": fate, "planted": planted,
    })
}

fn shown(outcome: &Outcome) -> Value {
    let all = &outcome.shown;
    let column = |value: &dyn Fn(&Shown) -> Value| all.iter().map(value).collect::<Value>();
    let rare = |value: &dyn Fn(&Shown) -> Option<Value>| {
        let found = all.iter().enumerate().filter_map(|(at, s)| Some((at.to_string(), value(s)?)));
        Value::Object(found.collect())
    };
    json!({
        "unit": column(&|s| json!(s.judged.subject.unit)),
        "metric": column(&|s| json!(s.metric)),
        "word": column(&|s| json!(s.word)),
        "old": column(&|s| digits(s.judged.old, 4)),
        "new": column(&|s| digits(s.judged.new, 4)),
        "theta": column(&|s| ratio(s.judged.theta)),
        "half": column(&|s| ratio(half(s))),
        "mde": column(&|s| ratio(s.judged.mde)),
        "pairs": column(&|s| json!(s.judged.pairs)),
        "parity": column(&parity),
        "modes": rare(&|s| s.judged.modes.then(|| json!(1))),
        "p": rare(&chances),
        "cause": rare(&|s| (!s.cause.0.is_empty()).then(|| json!([s.cause.0, s.cause.1]))),
        "functions": rare(&|s| (!s.functions.is_empty()).then(|| json!(s.functions))),
    })
}

/// p, the same over all queries, and that of the sign-flip test.
fn chances(shown: &Shown) -> Option<Value> {
    let j = &shown.judged;
    let all = [j.p?, j.adjusted_p, j.p_randomisation.unwrap_or(f64::NAN)];
    Some(json!(all.map(|p| digits(p, 2))))
}

/// Half of an interval; it lies around its estimate (see `verdict::judge`).
fn half(shown: &Shown) -> f64 {
    (shown.judged.interval.high - shown.judged.interval.low) / 2.0
}

/// ClickHouse compares times only.
fn parity(shown: &Shown) -> Value {
    let parity = &shown.judged.parity;
    if shown.metric != CLIENT_TIME {
        return Value::Null;
    }
    json!([digits(parity.difference, 2), digits(parity.threshold, 2)])
}

fn lists(sections: &Sections) -> Value {
    let tests = sections.tests.iter().map(|t| {
        let (longest, shortest) = t.extremes.unwrap_or((f64::NAN, f64::NAN));
        json!([
            t.test,
            t.queries,
            t.theta.map(ratio),
            t.not_ok,
            t.changed,
            t.unstable,
            digits(t.seconds, 4),
            t.runs,
            digits(longest, 4),
            digits(shortest, 4),
            t.set_up.map(|seconds| digits(seconds, 4))
        ])
    });
    let duration =
        |(unit, seconds, short): &(u32, f64, bool)| json!([unit, digits(*seconds, 4), short]);
    let three = |(unit, client, server): &(u32, f64, f64)| {
        json!([unit, digits(*client, 5), digits(*server, 5)])
    };
    let partial = sections.partial.iter();
    let partial = partial.map(|(unit, side, middle, spread)| {
        let spread = spread.map_or(Value::Null, |spread| digits(spread, 3));
        json!([unit, u8::from(*side == Side::New), digits(*middle, 4), spread])
    });
    let metrics =
        sections.metrics.iter().map(|(name, theta, count)| json!([name, ratio(*theta), count]));
    json!({
        "margin": ratio(sections.margin), "band": sections.band.map(ratio),
        "undecided": sections.undecided, "unconfirmed": sections.unconfirmed,
        "unstable": sections.unstable,
        "slow": sections.slow_on_client.iter().map(three).collect::<Value>(),
        "durations": sections.durations.iter().map(duration).collect::<Value>(),
        "partial": partial.collect::<Value>(),
        "tests": tests.collect::<Value>(), "metrics": metrics.collect::<Value>(),
    })
}

/// Queries in the order in which somebody may look at them: changed, with modes, undecided,
/// unstable, others by size of their effect.
fn by_interest(outcome: &Outcome) -> Vec<u32> {
    let mut best: HashMap<u32, (u8, f64)> = HashMap::new();
    for shown in &outcome.shown {
        let class = match shown.word.as_str() {
            "slower" | "faster" => 0,
            "bimodal" | "quarantined" => 1,
            "undecided" if shown.judged.candidate => 2,
            "undecided" => 3,
            _ => 4,
        };
        let key = (class, -shown.judged.theta.abs());
        let entry = best.entry(shown.judged.subject.unit).or_insert(key);
        if (key.0, key.1) < (entry.0, entry.1) {
            *entry = key;
        }
    }
    let mut all: Vec<(u32, (u8, f64))> = best.into_iter().collect();
    all.sort_by(|a, b| {
        let (a, b) = ((a.1.0, a.1.1, a.0), (b.1.0, b.1.1, b.0));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
    });
    all.into_iter().map(|(unit, _)| unit).collect()
}

/// Runs by query and metric: what a query is judged by, and other metrics that changed.
fn samples(outcome: &Outcome, grouped: &Grouped<'_>, order: &[u32]) -> Value {
    let mut wanted: HashMap<u32, Vec<&str>> = HashMap::new();
    for shown in &outcome.shown {
        let unit = shown.judged.subject.unit;
        let own = outcome.queries[unit as usize].metric == shown.metric;
        if own || shown.asks_why() {
            wanted.entry(unit).or_default().push(&shown.metric);
        }
    }
    let one = |unit: u32| {
        let names = wanted.get(&unit)?;
        let all = grouped.of(unit).filter_map(|(metric, samples)| {
            let name = outcome.samples.name(metric);
            Some((name.to_owned(), names.contains(&name).then(|| dots(samples))??))
        });
        Some(Value::Object(all.collect()))
    };
    within(MOST_DOTS, order, one)
}

/// What `one` says of queries, in their order, as long as there is room.
pub(super) fn within(most: usize, order: &[u32], one: impl Fn(u32) -> Option<Value>) -> Value {
    let mut all = serde_json::Map::new();
    let mut bytes = 0;
    for unit in order {
        let Some(value) = one(*unit) else { continue };
        bytes += value.to_string().len();
        if bytes > most {
            break;
        }
        all.insert(unit.to_string(), value);
    }
    Value::Object(all)
}

/// Counters by query, the most certain differences first: `[metric, old, new, theta, z]`.
fn counters(outcome: &Outcome, grouped: &Grouped<'_>, order: &[u32]) -> Value {
    let names = outcome.samples.names();
    let numbers: HashMap<&str, usize> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let one = |unit: u32| {
        let Counted { runs, left_out, rows } = Counted::of(outcome, grouped, unit)?;
        let row = |f: &Finding| {
            let theta = if f.scale == Scale::Ratio { ratio(f.estimate) } else { Value::Null };
            let [old, new] = f.medians.map(|value| digits(value, 4));
            json!([numbers.get(f.name.as_str()), old, new, theta, digits(f.z, 3)])
        };
        Some(json!([runs, left_out, rows.iter().map(row).collect::<Value>()]))
    };
    json!({"names": names, "of": within(MOST_COUNTERS, order, one)})
}

/// Functions that explain a query's difference, by query: `[name, old, new, share, z]`.
fn explained(all: &BTreeMap<u32, Explained>, order: &[u32]) -> Value {
    within(MOST_FUNCTIONS, order, |unit| {
        let found = all.get(&unit)?;
        let rows = found.functions.iter().map(|f| {
            let [old, new] = f.amounts.map(|amount| digits(amount, 4));
            json!([f.name, old, new, digits(f.share, 3), digits(f.z, 3)])
        });
        let processes = found.basis == Basis::Processes;
        Some(json!([digits(found.share, 3), processes, rows.collect::<Value>()]))
    })
}

fn health(extras: &Extras) -> Value {
    let Some(h) = &extras.health else { return Value::Null };
    let unlucky =
        h.unlucky.iter().map(|u| json!([u.test, u.index, u.comparisons, u.flags, u.modes]));
    json!({
        "runs": h.runs, "clean": h.clean, "comparisons": h.comparisons, "flags": h.flags,
        "bound": digits(h.bound, 3), "uniform": h.uniform.map(|(d, p)| [digits(d, 3), digits(p, 3)]),
        "unlucky": unlucky.collect::<Value>(),
    })
}

/// The flame graphs' data by query; `frame` becomes what all of them share.
fn stacks(
    outcome: &Outcome,
    extras: &Extras,
    order: &[u32],
    room: usize,
    frame: &mut Value,
) -> Value {
    let [old_side, new_side] = &outcome.run.sides;
    let sides = [format!("old: {old_side}"), format!("new: {new_side}")];
    let mut all = serde_json::Map::new();
    let mut bytes = 0;
    for unit in order {
        let Some(both) = extras.stacks.get(unit) else { continue };
        let [old, new] = folded(both);
        let (old, new) = ((sides[0].as_str(), &old), (sides[1].as_str(), &new));
        let (shared, data) = difference_parts(old, new, "Time by stack", Unit::Time, FRAMES + 1);
        if all.is_empty() {
            bytes += packed(&shared).len();
            *frame = json!(shared);
        }
        bytes += packed(&data).len();
        if bytes > room {
            break;
        }
        all.insert(unit.to_string(), json!(data));
    }
    Value::Object(all)
}

/// Both sides' stacks with at most [`FRAMES`] frames: what lighter ones took is left to their
/// callers.
fn folded(sides: &[Stacks; 2]) -> [Folded; 2] {
    // A frame is known by its caller's number and its name.
    let mut numbers: HashMap<(usize, &str), usize> = HashMap::new();
    let mut weights = vec![0.0];
    for (path, seconds) in sides.iter().flatten() {
        let mut caller = 0;
        for frame in path {
            caller = *numbers.entry((caller, frame)).or_insert(weights.len());
            if caller == weights.len() {
                weights.push(0.0);
            }
            weights[caller] += seconds;
        }
    }
    let mut heaviest = weights.clone();
    heaviest.sort_by(|a, b| b.total_cmp(a));
    let least = heaviest.get(FRAMES).copied().unwrap_or(-1.0);
    [0, 1].map(|side| {
        let mut all = Folded::new();
        for (path, seconds) in &sides[side] {
            let mut caller = 0;
            let heavy = path.iter().take_while(|frame| {
                caller = numbers.get(&(caller, frame.as_str())).copied().unwrap_or(0);
                weights[caller] > least
            });
            let kept = heavy.count().max(1);
            all.add(path.iter().take(kept), (seconds * 1e9).round() as i64);
        }
        all
    })
}
