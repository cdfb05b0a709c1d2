//! An engine with logs, and short functions to query it.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use entasis_engine::{Engine, EngineConfig, LogsConfig, QueryOptions, Session};

/// An engine in memory with two workers.
pub fn engine_with(logs: LogsConfig) -> Arc<Engine> {
    let config =
        EngineConfig { threads: 2, logs: Some(logs), ..EngineConfig::local(None).unwrap() };
    entasis_functions::register();
    Engine::open(config).unwrap()
}

/// The answer as text, with commas between columns and semicolons between rows.
pub fn ask(session: &mut Session, query: &str) -> String {
    let rows = session.execute(query).unwrap().collect().unwrap();
    let text = |row: usize| {
        let cell = |c: &entasis_column::Column| match c.value(row) {
            entasis_types::Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => entasis_types::name::literal(&other).trim_end_matches('.').to_string(),
        };
        rows.columns.iter().map(cell).collect::<Vec<_>>().join(",")
    };
    (0..rows.rows).map(text).collect::<Vec<_>>().join(";")
}

/// Runs a statement with this id to its end, and ignores errors.
pub fn run(session: &mut Session, id: &str, query: &str) {
    let options = QueryOptions { query_id: id.into(), ..QueryOptions::default() };
    if let Ok(result) = session.execute_with(query, options) {
        let _ = result.collect();
    }
}
