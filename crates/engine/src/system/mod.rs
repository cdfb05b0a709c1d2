//! Tables of the database `system`: numbers, and what the engine itself knows.

mod catalog;
mod functions;
mod listed;
pub(crate) mod processes;
pub(crate) mod settings;

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_table::Table;
use entasis_tables::numbers::{Kind, Numbers};
use entasis_tables::one;

use crate::catalog::EngineCatalog;
use crate::processes::Processes;
use crate::settings::Settings;

/// Every table by name.
pub(crate) fn tables(
    catalog: &Weak<EngineCatalog>,
    running: &Arc<Processes>,
) -> Result<Vec<(&'static str, Arc<dyn Table>)>> {
    let sequence = Kind::Sequence { start: 0, step: 1 };
    Ok(vec![
        ("columns", catalog::columns(catalog)?),
        ("data_type_families", functions::data_type_families()?),
        ("databases", catalog::databases(catalog)?),
        ("formats", functions::formats()?),
        ("functions", functions::functions()?),
        ("numbers", Numbers::new("SystemNumbers", "number", sequence, u64::MAX)),
        ("numbers_mt", Numbers::new("SystemNumbers", "number", sequence, u64::MAX)),
        ("one", one::one()),
        ("parts", catalog::parts(catalog)?),
        ("processes", processes::ProcessesTable::create(running)),
        ("settings", settings::table(&Settings::default())?),
        ("table_engines", functions::table_engines()?),
        ("table_functions", functions::table_functions()?),
        ("tables", catalog::tables(catalog)?),
        ("zeros", Numbers::new("SystemZeros", "zero", Kind::Zeros, u64::MAX)),
        ("zeros_mt", Numbers::new("SystemZeros", "zero", Kind::Zeros, u64::MAX)),
    ])
}
