//! What functions can ask about a query: its clock, time zone, names, seed and settings.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::clock::Clock;
use entasis_function::{FunctionContext, Introspection};
use entasis_profile as profile;
use entasis_types::{DataType, TimeZone, Value};

use crate::Settings;

/// What functions may know of one statement and its session.
#[derive(Clone)]
pub struct StatementContext {
    /// What does not depend on the statement.
    pub server: ServerContext,
    pub now: Duration,
    pub time_zone: TimeZone,
    pub database: String,
    pub user: String,
    pub seed: u64,
    pub settings: Settings,
}

impl FunctionContext for StatementContext {
    fn now(&self) -> Duration {
        self.now
    }

    fn time_zone(&self) -> TimeZone {
        self.time_zone
    }

    fn database(&self) -> &str {
        &self.database
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn setting(&self, name: &str) -> Option<Value> {
        self.settings.by_name(name)
    }

    fn setting_type(&self, name: &str) -> Option<DataType> {
        self.settings.type_of(name)
    }

    fn introspection(&self) -> Introspection {
        Introspection {
            symbol: |address| profile::symbol::symbol(address).unwrap_or_default(),
            line: |address| {
                let line = profile::symbol::line(address);
                line.or_else(|| profile::symbol::object(address)).unwrap_or_default()
            },
            lines: |address| profile::symbol::places(address).iter().map(shown).collect(),
            demangle: |name| profile::demangle(name).into_owned(),
        }
    }
}

/// `file:line:function`, without the parts that are not known.
fn shown(place: &profile::symbol::Place) -> String {
    let line = place.file_and_line().unwrap_or_default();
    place.function.as_ref().map_or(line.clone(), |function| format!("{line}:{function}"))
}

/// What functions may know of the server, whichever statement runs.
#[derive(Clone)]
pub struct ServerContext {
    pub time_zone: TimeZone,
    pub clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for ServerContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerContext").field("time_zone", &self.time_zone).finish_non_exhaustive()
    }
}

impl StatementContext {
    /// The same context in another time zone.
    pub fn in_zone(&self, time_zone: TimeZone) -> Self {
        Self { time_zone, ..self.clone() }
    }

    /// The context outside of a statement. Stored expressions are bound in it when tables are
    /// opened, and when the storage layer needs defaults.
    pub fn of_engine(server: &ServerContext) -> Self {
        Self {
            server: server.clone(),
            now: server.clock.now(),
            time_zone: server.time_zone,
            database: "default".to_string(),
            user: "default".to_string(),
            seed: 0,
            settings: Settings::default(),
        }
    }
}
