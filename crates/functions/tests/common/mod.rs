//! Surroundings of the tests of aggregates and windows.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::Result;
use entasis_function::{Aggregate, FunctionContext, registry};
use entasis_types::{DataType, TimeZone, Value};

/// A context for tests.
pub struct NoContext;

impl FunctionContext for NoContext {
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
    context: &dyn FunctionContext,
) -> Result<Arc<dyn Aggregate>> {
    entasis_functions::register();
    registry::bind_aggregate(name, params, types, context)
}
