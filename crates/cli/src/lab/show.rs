//! A comparison on a terminal.

use entasis_lab::compare::Outcome;
use entasis_lab::measure::{CLIENT_TIME, OF_MEMORY};
use entasis_lab::report::percent;
use entasis_lab::store::{Fate, QueryRow, Shown};

/// Characters of a query's text that a line has room for.
const TEXT: usize = 60;

/// The lines for people: changes first, then what went wrong, then the mean.
pub fn text(outcome: &Outcome) -> String {
    let mut lines = Vec::new();
    let mut rows: Vec<(&QueryRow, &Shown)> = outcome
        .shown
        .iter()
        .map(|shown| (&outcome.queries[shown.judged.subject.unit as usize], shown))
        .filter(|(_, shown)| shown.is_news())
        .collect();
    rows.sort_by(|a, b| b.1.judged.theta.abs().total_cmp(&a.1.judged.theta.abs()));
    for (query, shown) in rows {
        lines.push(row(query, shown));
    }
    for query in outcome.queries.iter().filter(|q| q.fate() == Fate::Failed) {
        lines.push(format!("{} #{}: {}", query.test, query.index, query.trouble));
    }
    lines.extend(outcome.run.problems().map(|problem| format!("error: {problem}")));
    if let Some(of) = outcome.mean().filter(|of| of.queries > 1) {
        let mean = mean(of.theta, of.interval.low, of.interval.high);
        lines.push(format!("geometric mean of {} queries: {mean}", of.queries));
    }
    if let Some(of) = outcome.mean_of_tests().filter(|of| 1 < of.tests && of.tests < of.queries) {
        let mean = mean(of.theta, of.interval.low, of.interval.high);
        lines.push(format!("geometric mean of {} tests, weighted alike: {mean}", of.tests));
    }
    lines.join("\n")
}

fn mean(theta: f64, low: f64, high: f64) -> String {
    // One test has no spread between tests.
    let known = low.is_finite() && high.is_finite();
    let within =
        if known { format!(" ({} to {})", percent(low), percent(high)) } else { String::new() };
    format!("{}{within}", percent(theta))
}

fn row(query: &QueryRow, shown: &Shown) -> String {
    let j = &shown.judged;
    let text: String = query.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().take(TEXT).collect();
    let metric = if shown.metric == CLIENT_TIME { "" } else { shown.metric.as_str() };
    let (old, new) = (value(&shown.metric, j.old), value(&shown.metric, j.new));
    format!(
        "{:8} {:>8} ({} to {}) {metric:9} {old} -> {new}  {} #{}  {text}",
        shown.word,
        percent(j.theta),
        percent(j.interval.low),
        percent(j.interval.high),
        query.test,
        query.index
    )
}

fn value(metric: &str, value: f64) -> String {
    match metric {
        metric if OF_MEMORY.contains(&metric) => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.1} ms", value * 1e3),
    }
}
