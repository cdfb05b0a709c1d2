//! The suite over `hits`: every query of `benches/hits` on one million generated rows is compared
//! with the stored answer of the reference engine. `benches/hits/README.md` has the conventions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::binary::{self, Scratch};
use crate::diff;

/// The rows and the seed to which the stored answers belong.
const LOAD: &str = "INSERT INTO hits SELECT * FROM hits(1000000, 1)";
const LOAD_LIMIT: Duration = Duration::from_mins(5);
const QUERY_LIMIT: Duration = Duration::from_mins(1);
/// Relative difference that is allowed between floats, because sums depend on the order of the
/// rows.
const RELATIVE: f64 = 1e-9;

/// How two answers are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Line by line.
    Total,
    /// As sets of lines.
    Unordered,
    /// Compares only one column (counted from 0), sorted, because the other columns depend on how
    /// ties are broken.
    Column(usize),
    /// The answers are not compared.
    None,
}

/// A query with its stored answer.
pub struct Query {
    /// File name without its end.
    pub name: String,
    /// The statement.
    pub sql: String,
    /// From the `-- compare:` line.
    pub rule: Rule,
    /// The reference's answer.
    pub answer: Vec<u8>,
}

/// The queries of `suite` that have an answer in `answers`, in order.
pub fn queries(suite: &Path, answers: &Path) -> Result<Vec<Query>, String> {
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let mut queries = Vec::new();
    for path in numbered(suite)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(answer) = std::fs::read(answers.join(format!("{name}.tsv"))) else { continue };
        let text = read(&path)?;
        let rule = rule(text.lines().next().unwrap_or_default())?;
        queries.push(Query { name, sql: text, rule, answer });
    }
    Ok(queries)
}

/// Files such as `07_name.sql`, but not `07_name.duckdb.sql` or `create.sql`.
fn numbered(suite: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(suite).map_err(|e| format!("{}: {e}", suite.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(|c: char| c.is_ascii_digit())
            && name.strip_suffix(".sql").is_some_and(|stem| !stem.contains('.'))
    });
    paths.sort();
    Ok(paths)
}

fn rule(line: &str) -> Result<Rule, String> {
    let Some((_, hint)) = line.split_once("-- compare:") else { return Ok(Rule::Total) };
    let words: Vec<&str> = hint.split_whitespace().collect();
    match words[..] {
        ["unordered", ..] => Ok(Rule::Unordered),
        ["none" | "none,", ..] => Ok(Rule::None),
        ["top", _, "by", "column", k, ..] => match k.parse::<usize>() {
            Ok(k) if k > 0 => Ok(Rule::Column(k - 1)),
            _ => Err(format!("no such column: {line}")),
        },
        _ => Err(format!("unknown rule: {line}")),
    }
}

/// Loads the rows once and runs every query; returns reports of the queries whose answers differ.
pub fn run(binary: &Path, suite: &Path, queries: &[Query]) -> Result<Vec<String>, String> {
    let scratch = Scratch::new()?;
    let data = scratch.path().join("data");
    let create = suite.join("create.sql");
    let create = std::fs::read_to_string(&create).map_err(|e| format!("create.sql: {e}"))?;
    let ask = |sql: &str, limit| {
        let args: Vec<OsString> =
            vec!["local".into(), "--path".into(), data.clone().into(), "-q".into(), sql.into()];
        binary::run(binary, &args, scratch.path(), limit)
    };
    for statement in [create.trim().trim_end_matches(';'), LOAD] {
        let output = ask(statement, LOAD_LIMIT)?;
        if !output.status.is_some_and(|s| s.success()) {
            return Err(format!("loading hits: {statement}\n{}", output.stderr));
        }
    }
    let mut failures = Vec::new();
    for query in queries {
        let output = ask(&query.sql, QUERY_LIMIT)?;
        let report = match output.status {
            None => Some(format!("took more than {} s", QUERY_LIMIT.as_secs())),
            Some(status) if !status.success() => Some(output.stderr),
            Some(_) => difference(&query.answer, &output.stdout, &query.rule),
        };
        failures.extend(report.map(|report| format!("--- {}\n{report}", query.name)));
    }
    Ok(failures)
}

/// The difference of two answers under a rule.
pub fn difference(expected: &[u8], found: &[u8], rule: &Rule) -> Option<String> {
    let (a, b) = (canonical(expected, rule), canonical(found, rule));
    if *rule == Rule::None || a == b {
        return None;
    }
    let same = a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| same_line(x, y));
    (!same).then(|| diff::lines(&a.join(&b'\n'), &b.join(&b'\n')))
}

fn canonical<'a>(text: &'a [u8], rule: &Rule) -> Vec<&'a [u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut lines: Vec<&[u8]> = text.split(|&c| c == b'\n').collect();
    if let Rule::Column(k) = rule {
        let column = |line: &&'a [u8]| line.split(|&c| c == b'\t').nth(*k).unwrap_or_default();
        lines = lines.iter().map(column).collect();
    }
    if *rule != Rule::Total {
        lines.sort_unstable();
    }
    lines
}

fn same_line(a: &[u8], b: &[u8]) -> bool {
    let (a, b): (Vec<_>, Vec<_>) =
        (a.split(|&c| c == b'\t').collect(), b.split(|&c| c == b'\t').collect());
    a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| x == y || same_float(x, y))
}

fn same_float(a: &[u8], b: &[u8]) -> bool {
    let float = |text: &[u8]| -> Option<f64> {
        let text = std::str::from_utf8(text).ok()?;
        text.contains(['.', 'e']).then(|| text.parse().ok())?
    };
    let number = |text: &[u8]| -> Option<f64> { std::str::from_utf8(text).ok()?.parse().ok() };
    if float(a).or(float(b)).is_none() {
        return false;
    }
    matches!((number(a), number(b)), (Some(x), Some(y))
        if (x - y).abs() <= RELATIVE * x.abs().max(y.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        assert_eq!(rule("-- compare: unordered"), Ok(Rule::Unordered));
        assert_eq!(rule("-- compare: top 10 by column 2"), Ok(Rule::Column(1)));
        assert_eq!(rule("-- compare: none, because it may"), Ok(Rule::None));
        assert_eq!(rule("SELECT 1"), Ok(Rule::Total));
        assert!(
            rule("-- compare: perhaps").is_err() && rule("-- compare: top 1 by column 0").is_err()
        );
    }

    #[test]
    fn answers_are_compared_by_rule() {
        let differ =
            |a: &str, b: &str, rule: &Rule| difference(a.as_bytes(), b.as_bytes(), rule).is_some();
        assert!(differ("1\n2\n", "2\n1\n", &Rule::Total));
        assert!(!differ("1\n2\n", "2\n1\n", &Rule::Unordered));
        assert!(differ("1\n2\n", "2\n", &Rule::Unordered));
        assert!(!differ("a\t5\nb\t4\n", "c\t4\nd\t5\n", &Rule::Column(1)));
        assert!(differ("a\t5\n", "a\t6\n", &Rule::Column(1)));
        assert!(!differ("1\n", "2\n", &Rule::None));
    }

    #[test]
    fn floats_may_differ_a_little_and_integers_not() {
        let differ =
            |a: &str, b: &str| difference(a.as_bytes(), b.as_bytes(), &Rule::Total).is_some();
        assert!(!differ("x\t0.30000000000000004\n", "x\t0.3\n"));
        assert!(differ("0.3001\n", "0.3\n") && differ("9007199254740993\n", "9007199254740992\n"));
        assert!(differ("x0.1\n", "x0.10\n"));
    }
}
