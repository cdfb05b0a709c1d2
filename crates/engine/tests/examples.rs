//! The examples of functions over windows, which need whole queries.
#![allow(clippy::unwrap_used)]

use entasis_engine::{Engine, EngineConfig};
use entasis_function::registry::window_functions;

#[test]
fn of_window_functions() {
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    for def in window_functions() {
        assert!(!def.description.is_empty() && !def.examples.is_empty(), "{}", def.name);
        for (query, expected) in def.examples {
            let rows = session.execute(query).unwrap().collect().unwrap();
            let numbers: Vec<Option<f64>> =
                (0..rows.rows).map(|row| rows.columns[0].value(row).as_f64()).collect();
            let wanted: Vec<Option<f64>> = expected.lines().map(|line| line.parse().ok()).collect();
            assert_eq!(numbers, wanted, "{query}");
        }
    }
}
