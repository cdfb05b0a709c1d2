//! The counters of a server for each run, read from its `system.query_log` after the runs.

use std::collections::HashMap;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use serde_json::Value;

use super::{ALLOCATED, CPU_TIME, MEMORY, SERVER_TIME};
use crate::target::{Ask, Session};

/// How long writing the log may take.
const LIMIT: Duration = Duration::from_mins(1);

/// Metrics of statements by their ids.
pub type ById = HashMap<String, Vec<(String, f64)>>;

/// The counters of all statements whose ids begin with `prefix`. Empty for a side without logs.
pub fn read(session: &mut dyn Session, prefix: &str) -> Result<ById> {
    if !session.has_system_tables() {
        return Ok(ById::new());
    }
    let mut ask = |text: &str| {
        let ask = Ask { text, database: "", settings: &[], id: "", limit: LIMIT };
        session.text(&ask)
    };
    ask("SYSTEM FLUSH LOGS")?;
    // Ids are the laboratory's own, without quotes or backslashes.
    let rows = ask(&format!(
        "SELECT query_id, query_duration_ms, memory_usage, read_rows, read_bytes, result_rows, ProfileEvents \
         FROM system.query_log \
         WHERE startsWith(query_id, '{prefix}') AND type = 'QueryFinish' FORMAT JSONEachRow"
    ))?;
    rows.lines().map(row).collect()
}

fn row(line: &str) -> Result<(String, Vec<(String, f64)>)> {
    let row: Value = serde_json::from_str(line).map_err(|e| {
        Error::new(codes::CANNOT_PARSE_TEXT, "A row of query_log is no JSON").with_cause(e)
    })?;
    let id = row["query_id"].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<(String, f64)> = Vec::new();
    for (column, name) in [
        ("memory_usage", MEMORY),
        ("read_rows", "read_rows"),
        ("read_bytes", "read_bytes"),
        ("result_rows", "result_rows"),
    ] {
        all.extend(number(&row[column]).map(|value| (name.to_owned(), value)));
    }
    let events = row["ProfileEvents"].as_object();
    let event = |name: &str| events.and_then(|events| number(events.get(name)?));
    let (user, system) = (event("UserTimeMicroseconds"), event("SystemTimeMicroseconds"));
    if user.is_some() || system.is_some() {
        let micros = user.unwrap_or(0.0) + system.unwrap_or(0.0);
        all.push((CPU_TIME.to_owned(), micros / 1e6));
    }
    // Other servers say it in whole milliseconds only.
    let millis = number(&row["query_duration_ms"]).map(|millis| millis / 1e3);
    let seconds = event("QueryTimeMicroseconds").map(|micros| micros / 1e6).or(millis);
    all.extend(seconds.map(|seconds| (SERVER_TIME.to_owned(), seconds)));
    all.extend(event("MemoryAllocatedBytes").map(|bytes| (ALLOCATED.to_owned(), bytes)));
    for (name, value) in events.into_iter().flatten() {
        all.extend(number(value).map(|value| (name.clone(), value)));
    }
    Ok((id, all))
}

/// Numbers of 64 bits come in quotes.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_log() {
        let line = r#"{"query_id":"a.1","query_duration_ms":"20","memory_usage":"7","read_rows":3,"ProfileEvents":
            {"UserTimeMicroseconds":"1500000","MemoryAllocatedBytes":"9","X":2}}"#;
        let (id, metrics) = row(line).unwrap();
        let of = |name: &str| metrics.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        assert_eq!(id, "a.1");
        assert_eq!(of(MEMORY), Some(7.0));
        assert_eq!(of(CPU_TIME), Some(1.5));
        assert_eq!(of(SERVER_TIME), Some(0.02));
        assert_eq!(of(ALLOCATED), Some(9.0));
        assert_eq!((of("X"), of("read_rows"), of("read_bytes")), (Some(2.0), Some(3.0), None));
        assert!(row("nonsense").is_err());
    }
}
