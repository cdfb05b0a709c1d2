//! The report for programs.

use entasis_stats::geomean::MeanEffect;
use entasis_stats::sample::Interval;
use entasis_stats::schedule::Side;
use serde_json::{Value, json};

use super::counted::Counted;
use super::data::{command, quoted};
use super::grouped::Grouped;
use super::noise::{Levels, Noise};
use super::steps::steps;
use super::{Explained, Extras, Point, Sections, code};
use crate::compare::Outcome;
use crate::measure::{CLIENT_TIME, is_peak};
use crate::store::QueryRow;
use crate::trust::Equal;
use crate::why::counters::{Finding, Scale};
use crate::why::stacks::Basis;

/// All verdicts, troubles and lists of a run as one JSON object. Queries are named by `test` and
/// `index`; `theta`, `low`, `high` and `mde` are log ratios, new over old; `noise` has
/// deviations of such between runs, pairs of processes and builds, of a query and their medians.
/// `explained` has the functions that explain a change of time, `counters` what differs by two
/// deviations or more, `code` the cycles that a model gives hot loops, `health` what comparisons of
/// equal sides say of the host. Runs and stacks are in the store.
pub fn json(outcome: &Outcome, extras: &Extras) -> String {
    let grouped = Grouped::new(&outcome.samples, outcome.queries.len());
    let noise = Noise::of(outcome, &grouped);
    let troubles: Vec<Value> = outcome
        .queries
        .iter()
        .filter(|query| !query.trouble.is_empty())
        .map(|q| json!({"test": q.test, "index": q.index, "trouble": q.trouble}))
        .collect();
    let run = &outcome.run;
    let status = outcome.status();
    let mean = |found: MeanEffect| {
        let Interval { low, high } = found.interval;
        json!({"theta": found.theta, "low": low, "high": high, "queries": found.queries})
    };
    let differing = outcome.differing.iter().map(|unit| {
        let query = &outcome.queries[*unit as usize];
        json!({"test": query.test, "index": query.index})
    });
    let differing: Vec<Value> = differing.collect();
    let facts: serde_json::Map<String, Value> =
        run.checklist().map(|(name, value)| (name.clone(), json!(value))).collect();
    let report = json!({
        "run": run.id, "kind": run.kind, "state": run.state, "time": run.time, "sides": run.sides,
        "commits": run.commits, "builds": run.builds, "seed": run.seed, "budget": run.budget,
        "spent": run.spent, "host": run.host.name, "cpu": run.host.cpu, "facts": facts,
        "arguments": run.arguments, "replay": command(run), "status": status.to_string(), "exit_code": status.exit_code(),
        "answers_differ": differing, "geometric_mean": outcome.mean().map(mean),
        "geometric_mean_by_test": outcome.mean_of_tests().map(mean),
        "verdicts": verdicts(outcome, &noise, extras), "noise": deviations(noise.middle()),
        "counters": counters(outcome, &grouped), "code": code::programs(outcome, extras),
        "health": extras.health.as_ref().map(health),
        "troubles": troubles, "problems": run.problems().collect::<Vec<_>>(),
        "sections": lists(outcome, &grouped), "queries": queries(outcome),
        "history": history(outcome, extras), "plans": plans(outcome, extras),
    });
    report.to_string()
}

/// All queries: what became of them, and the command that measures each again.
fn queries(outcome: &Outcome) -> Value {
    let again = command(&outcome.run);
    let query = |query: &QueryRow| {
        let only = quoted(&format!("={}", query.test));
        json!({
            "test": query.test, "index": query.index, "query": query.text, "metric": query.metric,
            "fate": query.fate().name(), "least_effect": query.least_effect,
            "replay": format!("{again} --only {only} --queries-to-run {}", query.index),
        })
    };
    outcome.queries.iter().map(query).collect()
}

/// Earlier comparisons, and where their ratios changed for good.
fn history(outcome: &Outcome, extras: &Extras) -> Value {
    let series = extras.history.iter().map(|((unit, metric), points)| {
        let query = &outcome.queries[*unit as usize];
        let steps = steps(points);
        let steps = steps.iter().map(|(at, theta)| json!({"from": at, "theta": theta}));
        let point = |p: &Point| json!({"time": p.time, "commit": p.commit, "ratio": p.ratio});
        json!({
            "test": query.test, "index": query.index, "metric": metric,
            "points": points.iter().map(point).collect::<Value>(),
            "steps": steps.collect::<Value>(),
        })
    });
    series.collect()
}

/// What EXPLAIN says of the queries that changed.
fn plans(outcome: &Outcome, extras: &Extras) -> Value {
    let plans = extras.plans.iter().map(|(unit, [old, new])| {
        let query = &outcome.queries[*unit as usize];
        json!({"test": query.test, "index": query.index, "old": old, "new": new})
    });
    plans.collect()
}

fn verdicts(outcome: &Outcome, noise: &Noise, extras: &Extras) -> Value {
    let verdicts = outcome.shown.iter().map(|shown| {
        let query = &outcome.queries[shown.judged.subject.unit as usize];
        let j = &shown.judged;
        let own = (shown.metric == query.metric).then(|| noise.0.get(&query.unit)).flatten();
        let found = match shown.metric.as_str() {
            CLIENT_TIME => extras.explained.get(&query.unit).map(|of| explained(of, "seconds")),
            metric if is_peak(metric) => {
                extras.grown.get(&query.unit).map(|of| explained(of, "bytes"))
            }
            _ => None,
        };
        json!({
            "test": query.test, "index": query.index, "query": query.text,
            "metric": shown.metric, "verdict": shown.word, "old": j.old, "new": j.new,
            "theta": j.theta, "low": j.interval.low, "high": j.interval.high, "p": j.p,
            "p_randomisation": j.p_randomisation, "adjusted_p": j.adjusted_p, "mde": j.mde, "pairs": j.pairs,
            "modes": j.modes, "candidate": j.candidate, "class": shown.cause.0, "cause": shown.cause.1,
            "functions": shown.functions, "explained": found,
            "d": j.parity.difference, "s": j.parity.threshold,
            "planted": query.planted, "noise": own.copied().map(deviations),
        })
    });
    verdicts.collect()
}

fn deviations([run, process, build]: Levels) -> Value {
    json!({"run": run, "process": process, "build": build})
}

/// `of` is what amounts are of.
fn explained(found: &Explained, of: &str) -> Value {
    let [old, new] = ["old", "new"].map(|side| format!("{side}_{of}"));
    let functions = found.functions.iter().map(|f| {
        let amounts = f.amounts;
        json!({"name": f.name, &old: amounts[0], &new: amounts[1], "share": f.share, "z": f.z})
    });
    let basis = match found.basis {
        Basis::Processes => "processes",
        Basis::Sampling => "sampling",
    };
    json!({"share": found.share, "basis": basis, "functions": functions.collect::<Value>()})
}

/// Counters that differ, by query; queries without any are left out.
fn counters(outcome: &Outcome, grouped: &Grouped<'_>) -> Value {
    let row = |f: &Finding| {
        let [old, new] = f.medians;
        let of = |scale: Scale| (f.scale == scale).then_some(f.estimate);
        json!({
            "metric": f.name, "old": old, "new": new, "theta": of(Scale::Ratio),
            "difference": of(Scale::Difference), "z": f.z,
        })
    };
    let all = outcome.queries.iter().filter_map(|query| {
        let Counted { runs, left_out, rows } = Counted::of(outcome, grouped, query.unit)?;
        let basis = if runs { "runs" } else { "pairs" };
        (!rows.is_empty()).then(|| {
            json!({
                "test": query.test, "index": query.index, "basis": basis, "left_out": left_out,
                "counters": rows.iter().map(row).collect::<Value>(),
            })
        })
    });
    all.collect()
}

fn health(equal: &Equal) -> Value {
    let unlucky = equal.unlucky.iter().map(|u| {
        json!({
            "test": u.test, "index": u.index, "comparisons": u.comparisons, "flags": u.flags,
            "bimodal": u.modes,
        })
    });
    let [verdicts, flags] = equal.memory;
    let uniform = equal.uniform.map(|(distance, p)| json!({"distance": distance, "p": p}));
    json!({
        "runs": equal.runs, "clean_runs": equal.clean, "comparisons": equal.comparisons,
        "candidates": equal.candidates, "flags": equal.flags, "flag_rate_bound": equal.bound,
        "memory": {"verdicts": verdicts, "flags": flags}, "uniform": uniform,
        "seconds": equal.seconds, "unlucky": unlucky.collect::<Value>(),
    })
}

fn lists(outcome: &Outcome, grouped: &Grouped<'_>) -> Value {
    let sections = Sections::grouped(outcome, grouped);
    let named = |unit: u32, more: Value| {
        let query = &outcome.queries[unit as usize];
        let mut row = json!({"test": query.test, "index": query.index});
        if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
            row.extend(more);
        }
        row
    };
    let undecided = sections.undecided.iter().map(|(u, n)| named(*u, json!({"pairs_needed": n})));
    let [unconfirmed, unstable] = [&sections.unconfirmed, &sections.unstable]
        .map(|units| units.iter().map(|unit| named(*unit, json!({}))).collect::<Value>());
    let slow = sections
        .slow_on_client
        .iter()
        .map(|(unit, client, server)| named(*unit, json!({"client": client, "server": server})));
    let durations = sections
        .durations
        .iter()
        .map(|(unit, seconds, short)| named(*unit, json!({"seconds": seconds, "short": short})));
    let partial = sections.partial.iter().map(|(unit, side, seconds, spread)| {
        let side = if *side == Side::New { "new" } else { "old" };
        named(*unit, json!({"side": side, "seconds": seconds, "spread": spread}))
    });
    let skipped = outcome
        .skipped
        .iter()
        .map(|s| json!({"test": s.test, "query": s.query, "reason": s.reason}));
    let tests = sections.tests.iter().map(|t| {
        json!({
            "test": t.test, "queries": t.queries, "theta": t.theta, "not_ok": t.not_ok,
            "changed": t.changed, "unstable": t.unstable, "seconds": t.seconds, "runs": t.runs,
            "longest": t.extremes.map(|e| e.0), "shortest": t.extremes.map(|e| e.1),
            "set_up": t.set_up,
        })
    });
    let metrics = sections
        .metrics
        .iter()
        .map(|(name, theta, n)| json!({"metric": name, "theta": theta, "queries": n}));
    json!({
        "margin": sections.margin, "band": sections.band, "undecided": undecided.collect::<Value>(),
        "unconfirmed": unconfirmed, "unstable": unstable, "slow_on_client": slow.collect::<Value>(),
        "unexpected_duration": durations.collect::<Value>(), "skipped": skipped.collect::<Value>(),
        "partial": partial.collect::<Value>(),
        "tests": tests.collect::<Value>(), "metric_changes": metrics.collect::<Value>(),
    })
}
