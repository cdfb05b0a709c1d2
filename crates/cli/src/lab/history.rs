//! `entasis lab history`: the steps of stored series.

use std::process::ExitCode;

use entasis_base::{Result, codes};
use entasis_lab::history::{self, Series, Step, Wanted};
use entasis_lab::report::percent;
use entasis_lab::store::Store;
use serde_json::{Value, json};

use super::request;
use crate::args::{self, Args, Known};
use crate::report::bad_arguments;
use crate::terminal;

const HEAD: &str = "\
entasis lab history [OPTIONS]: finds where queries became slower or faster, or used more or less
memory, over the stored runs. docs/laboratory/history.md describes the method.";

const KNOWN: &[Known] = &[
    Known::value("test", &[], "only changes of this test"),
    Known::value(
        "metric",
        &[],
        "only changes of this metric (default: all metrics that have verdicts)",
    ),
    Known::value("since", &[], "only changes from this time on: 2026-11-01, or seconds since 1970"),
    Known::flag("environment", &[], "also show changes of all queries of a host at once"),
    Known::value("json", &[], "file for all changes as JSON"),
    Known::value("dir", &[], "folder of the laboratory (default: entasis-lab)"),
    Known::value(
        "store",
        &[],
        "where results are stored: a folder or http://HOST:PORT (default: DIR/store)",
    ),
    Known::flag("help", &['h'], "print this help"),
];

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, KNOWN)?;
    if args.has("help") {
        terminal::say(&args::help(HEAD, KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((name, _)) = args.settings.first() {
        return Err(bad_arguments(format!("Unknown option --{name}; see --help")));
    }
    let mut store = request::store(&args);
    let since = since(&args, &mut store)?;
    let metrics = match args.value("metric") {
        Some(metric) => vec![metric.to_owned()],
        None => history::metrics(&mut store)?,
    };
    let test = args.value("test").unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for metric in metrics {
        found.extend(history::stepped(&mut store, &Wanted { test: test.clone(), metric })?);
    }
    let mut steps: Vec<(&Series, &Step)> = found
        .iter()
        .flat_map(|series| series.steps.iter().map(move |step| (series, step)))
        .collect();
    steps.retain(|(series, step)| series.points[step.at].time >= since);
    steps.sort_by(|a, b| time(a).total_cmp(&time(b)).then_with(|| a.0.key.cmp(&b.0.key)));
    show(&args, &steps, &store)?;
    Ok(ExitCode::SUCCESS)
}

fn time((series, step): &(&Series, &Step)) -> f64 {
    series.points[step.at].time
}

/// The store reads dates, as it does in queries.
fn since(args: &Args, store: &mut Store) -> Result<f64> {
    let Some(text) = args.value("since") else { return Ok(f64::NEG_INFINITY) };
    if let Ok(seconds) = text.parse() {
        return Ok(seconds);
    }
    let query = "SELECT toFloat64(toUnixTimestamp(parseDateTimeBestEffort({since:String}))) AS t";
    let rows = store.rows_with(query, &[("param_since", text)]).map_err(|e| {
        let message = format!("--since {text}: expected a date such as 2026-11-01");
        entasis_base::Error::new(codes::BAD_ARGUMENTS, message).with_cause(e)
    })?;
    Ok(rows.first().and_then(|row| row["t"].as_f64()).unwrap_or(f64::NEG_INFINITY))
}

fn show(args: &Args, steps: &[(&Series, &Step)], store: &Store) -> Result<()> {
    let (own, shared): (Vec<_>, Vec<_>) = steps.iter().partition(|(_, step)| !step.environment);
    let shown: &[&(&Series, &Step)] =
        if args.has("environment") { &steps.iter().collect::<Vec<_>>() } else { &own };
    for (series, step) in shown {
        terminal::say(&text(series, step));
    }
    if own.is_empty() {
        terminal::say(&format!("No step in the history of {}", store.place()));
    }
    if !shared.is_empty() && !args.has("environment") {
        terminal::say(&format!(
            "{} of all queries of a host at once, left out: --environment lists them",
            shared.len()
        ));
    }
    if let Some(file) = args.value("json") {
        let all: Vec<Value> = steps.iter().map(|(series, step)| object(series, step)).collect();
        request::write(file.as_ref(), &format!("{:#}\n", Value::from(all)))?;
    }
    Ok(())
}

/// The first characters of a commit's hash, or of the run where it is unknown.
fn short(commit: &str, run: &str) -> String {
    let name = if commit.is_empty() { run } else { commit };
    let most = if commit.len() == 40 { 10 } else { usize::MAX };
    name.chars().take(most).collect()
}

/// Commits (or runs) before and after a step.
fn range(series: &Series, step: &Step) -> [String; 2] {
    let points = [&series.points[step.at - 1], &series.points[step.at]];
    points.map(|point| short(&point.commits[1], &point.run))
}

fn text(series: &Series, step: &Step) -> String {
    let (key, point) = (&series.key, &series.points[step.at]);
    let [before, after] = range(series, step);
    let paired = match step.paired {
        Some(ratio) => format!(", pairs {}", percent(ratio)),
        None => String::new(),
    };
    let environment = if step.environment { ", all queries of the host" } else { "" };
    format!(
        "{}  {:>8} ({} to {})  {} #{}  {}  {before}..{after}  z {:+.1} over {}, E-divisive p {:.1e}{paired}{environment}",
        point.date,
        percent(step.theta),
        percent(step.interval.low),
        percent(step.interval.high),
        key.test,
        point.index,
        key.metric,
        step.z,
        step.window,
        step.p,
    )
}

fn object(series: &Series, step: &Step) -> Value {
    let (key, before, point) = (&series.key, &series.points[step.at - 1], &series.points[step.at]);
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({
        "cpu": key.cpu, "test": key.test, "query_index": point.index,
        "query_hash": key.query.to_string(), "metric": key.metric, "time": point.time,
        "runs": [before.run, point.run], "commits": [before.commits[1], point.commits[1]],
        "host": point.host, "theta": step.theta, "low": finite(step.interval.low),
        "high": finite(step.interval.high), "z": step.z, "window": step.window, "p": step.p,
        "paired": step.paired, "environment": step.environment,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_commits() {
        assert_eq!(short("0123456789abcdef0123456789abcdef01234567", "run"), "0123456789");
        assert_eq!(short("v1.2", "run"), "v1.2");
        assert_eq!(short("", "compare-17"), "compare-17");
    }
}
