//! Examples of window functions, which need whole queries, and answers of functions that the
//! reference does not have. `tests/sql` cannot hold them, as its answers come from the reference.
#![allow(clippy::unwrap_used)]

use entasis_engine::{Engine, EngineConfig};
use entasis_function::registry::window_functions;
use entasis_types::Value;

#[test]
fn of_window_functions() {
    entasis_functions::register();
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

#[test]
fn of_the_laboratorys_statistics() {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    let mut answer =
        |query: &str| session.execute(query).unwrap().collect().unwrap().columns[0].value(0);
    let places = |all: &[u64]| Value::Array(all.iter().map(|at| Value::UInt(*at)).collect());
    let none = Value::Float(f64::NAN);
    for (query, expected) in [
        ("SELECT hodgesLehmann(100 + number) FROM numbers(3)", Value::Float(101.0)),
        // With one group only, there is no shift.
        ("SELECT hodgesLehmann(100 + number, 1) FROM numbers(3)", none.clone()),
        ("SELECT hodgesLehmann(100 + number, 0) FROM numbers(3)", none.clone()),
        ("SELECT hodgesLehmann(number, 1) FROM numbers(0)", none),
        // The ratio is the geometric mean of 1 and 4, and its inverse if the groups are swapped.
        (
            "SELECT round(medianRatioCI(x.1, x.2).1, 9) \
             FROM (SELECT arrayJoin([(1, 0), (1, 1), (4, 1)]) AS x)",
            Value::Float(2.0),
        ),
        (
            "SELECT round(medianRatioCI(x.1, 1 - x.2).1, 9) \
             FROM (SELECT arrayJoin([(1, 0), (1, 1), (4, 1)]) AS x)",
            Value::Float(0.5),
        ),
        // The sums overflow, so there is neither a difference nor a p-value.
        ("SELECT isNaN(permutationTest(1e308, number % 2).2) FROM numbers(8)", Value::UInt(1)),
        // Two segments of this length do not fit into the default window.
        (
            "SELECT arrayMap(c -> c.1, eDivisive(0.001, 26)(7, number)) FROM numbers(60)",
            places(&[]),
        ),
        (
            "SELECT arrayMap(c -> c.1, eDivisive(0.001, 26)(if(number < 30, 1, 2), number)) \
             FROM numbers(60)",
            places(&[31]),
        ),
        (
            "SELECT length(eDivisive(0.001, 1000000)(number, number)) FROM numbers(60)",
            Value::UInt(0),
        ),
        // Three values against three are apart in one of ten orders, even without noise.
        ("SELECT length(eDivisive(0.05)(number > 2, number)) FROM numbers(6)", Value::UInt(0)),
        ("SELECT eDivisive(0.2)(number > 2, number)[1].4 FROM numbers(6)", Value::Float(0.1)),
        // The p-value comes from 1999 permutations with the seed 7.
        (
            "SELECT arrayMap(c -> c.1, eDivisive(0.001, 3, 0, 1999, 7)(\
             if(number < 30, 1, 2) + number % 3 / 100, number)) FROM numbers(60)",
            places(&[31]),
        ),
    ] {
        assert_eq!(answer(query), expected, "{query}");
    }
}

#[test]
fn places_of_a_series() {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    let mut answer =
        |query: &str| session.execute(query).unwrap().collect().unwrap().columns[0].value(0);
    // Neighbours of 2^60 are equal as floats. Also with signs, and in any order of the rows.
    for order in [
        "number + 1152921504606846976",
        "toInt64(number) - 1152921504606846976",
        "9 - toInt64(number)",
        "9 - number / 2",
        "toDateTime64('2024-01-01 00:00:00', 9) + toIntervalNanosecond(number)",
    ] {
        let query = format!(
            "SELECT arrayMap(c -> c.1, eDivisive(if(number < 30, 1, 2) + number % 3 / 100, \
             {order})) FROM numbers(60)"
        );
        assert_eq!(answer(&query), Value::Array([Value::UInt(31)].into()), "{query}");
    }
    // Noise in which a hundred values have the same place. If the values of a place were sorted,
    // each place would begin with a fall, which would be 46 changes.
    for noise in ["cityHash64(number) % 1000", "cityHash64(number) % 2"] {
        let query = format!(
            "SELECT length(eDivisive({noise}, toDate('2024-01-01') + intDiv(number, 100))) \
             FROM numbers(500)"
        );
        let found = answer(&query).as_u64().unwrap();
        assert!(found < 3, "{query}: {found}");
        assert_eq!(answer(&query).as_u64(), Some(found), "{query}");
    }
}

#[test]
fn bad_parameters_are_said() {
    entasis_functions::register();
    let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
    let mut session = engine.session();
    for (call, part) in [
        ("permutationTest(0)", "draws, must be a whole number from 1 to 1000000"),
        ("permutationTest(1.5)", "draws, must be a whole number"),
        ("permutationTest(2000000)", "leave it out for 10000"),
        ("permutationTest(100, -1)", "seed, must be a whole number from 0"),
        ("permutationTest(100, 'abc')", "seed, must be a whole number"),
        ("eDivisive(0.001, 0)", "min_segment, must be a whole number from 2"),
        ("eDivisive(0.001, 1)", "min_segment, must be a whole number from 2"),
        ("eDivisive(0.001, 'abc')", "leave it out for 3"),
        ("eDivisive(0.001, 3, 0, -1)", "draws, must be a whole number from 0 to 1000000"),
        ("eDivisive(0.001, 3, 0, 100)", "100 permutations never show p < 0.001"),
        ("eDivisive(0.001, 3, 0, 1999, 'abc')", "seed, must be a whole number"),
        ("eDivisive(0)", "expected 0 < p < 1"),
        ("medianRatioCI(1)", "expected 0 < p < 1"),
    ] {
        let query = format!("SELECT {call}(number + 1, number % 2) FROM numbers(8)");
        let error = session.execute(&query).and_then(entasis_engine::QueryResult::collect);
        let error = error.err().unwrap();
        assert_eq!(error.code(), entasis_base::codes::BAD_ARGUMENTS, "{query}: {error}");
        assert!(error.message().contains(part), "{query}: {error}");
    }
}
