//! Surroundings of the tests of aggregates and windows.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::Result;
use entasis_function::{Aggregate, Facts, registry};
use entasis_types::{DataType, TimeZone, Value};

/// Facts for tests.
pub struct NoFacts;

impl Facts for NoFacts {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
    fn time_zone(&self) -> TimeZone {
        TimeZone::utc()
    }
    fn database(&self) -> &str {
        "default"
    }
    fn user(&self) -> &str {
        "default"
    }
    fn seed(&self) -> u64 {
        0
    }
    fn setting(&self, _: &str) -> Option<Value> {
        None
    }
}

/// Binds an aggregate, with any combinators.
pub fn bind_aggregate(
    name: &str,
    params: &[Value],
    types: &[DataType],
    facts: &dyn Facts,
) -> Result<Arc<dyn Aggregate>> {
    entasis_functions::register();
    registry::bind_aggregate(name, params, types, facts)
}
