//! What functions can ask about a query: its clock, time zone, names, seed and settings.

use std::any::Any;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use entasis_base::Result;
use entasis_base::clock::Clock;
use entasis_base::{Error, codes};
use entasis_function::dictionary::Dictionary;
use entasis_function::{FunctionContext, Introspection, KeyedRows};
use entasis_profile as profile;
use entasis_table_api::{FindTable, Role, Table};
use entasis_tables::keyed::Keyed;
use entasis_tables::web::Web;
use entasis_types::{DataType, TimeZone, Value};

use crate::Settings;
use crate::settings::dictionaries::Dictionaries;
use crate::settings::rollups::AllRollups;

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

    fn dictionary(&self, name: &str) -> Result<Arc<dyn Dictionary>> {
        self.server.dictionaries.find(name, &self.database)
    }

    fn keyed_rows(&self, name: &str) -> Result<Arc<dyn KeyedRows>> {
        let (database, table) = name.split_once('.').unwrap_or((&self.database, name));
        let table = self.server.tables.find_table(database, table)?;
        match table.role() {
            Role::Join(shape) if (shape.strictness, shape.kind) == ("ANY", "LEFT") => {}
            Role::Join(shape) => {
                let message = format!(
                    "Table {name} has incompatible type of JOIN: joinGet needs Join(ANY, LEFT, ...), \
                     and this is Join({}, {}, ...)",
                    shape.strictness, shape.kind
                );
                return Err(Error::new(codes::INCOMPATIBLE_TYPE_OF_JOIN, message));
            }
            _ => return Err(not_join(name, table.engine())),
        }
        let engine = table.engine().to_owned();
        let table: Arc<dyn Any + Send + Sync> = table;
        let table = table.downcast::<Keyed>().map_err(|_| not_join(name, &engine))?;
        Ok(table)
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
    pub dictionaries: Dictionaries,
    pub tables: TableFinder,
    /// The rules of GraphiteMergeTree tables.
    pub rollups: AllRollups,
    /// The way to addresses of the web.
    pub web: Arc<dyn Web>,
}

#[cold]
fn not_join(name: &str, engine: &str) -> Error {
    let message = format!("Table {name} has engine {engine}, and joinGet needs a Join");
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// Finds tables for functions, and for tables that pass rows on to others. Without a catalog it
/// finds none.
#[derive(Clone, Default)]
pub struct TableFinder(Arc<OnceLock<Weak<dyn FindTable>>>);

impl TableFinder {
    /// Finds the tables of this catalog from now on.
    pub fn set(&self, catalog: Weak<dyn FindTable>) {
        // There is one catalog, and it is set once.
        let _ = self.0.set(catalog);
    }
}

impl FindTable for TableFinder {
    fn find_table(&self, database: &str, table: &str) -> Result<Arc<dyn Table>> {
        let catalog = self.0.get().and_then(Weak::upgrade);
        let missing = || {
            let message = format!("Table {database}.{table} does not exist: no catalog is open");
            Error::new(codes::UNKNOWN_TABLE, message)
        };
        catalog.ok_or_else(missing)?.find_table(database, table)
    }
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
