//! Checks and repairs a folder of tables, given by its path: `entasis check`, `entasis repair`.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::clock::SystemClock;
use entasis_disk::{Directory, Disk, LocalDisk};
use entasis_mergetree::{OwnData, OwnRepair, OwnReport, TableRecord};
use entasis_types::TimeZone;

pub use crate::backup::check::{check_backup, is_backup};
pub use entasis_mergetree::{CheckReport, Finding, RepairOptions};

use crate::definition::{StoredStatement, TableDefinition};
use crate::engines::{self, OwnFiles};
use crate::settings::dictionaries::Dictionaries;
use crate::settings::function_context::{ServerContext, StatementContext, TableFinder};
use crate::settings::rollups::AllRollups;

/// Reads all files in a folder of tables and calls `found` for each that is damaged. Changes
/// nothing, so a server may be running on the folder.
pub fn check(path: &str, found: &mut dyn FnMut(&Finding)) -> Result<CheckReport> {
    let disk: Arc<dyn Disk> = Arc::new(LocalDisk::existing(path)?);
    entasis_mergetree::check(&*disk, &Engines { disk: &disk }, found)
}

/// Repairs a folder of tables that no process is using. Calls `said` for each repair, and answers
/// what is still damaged.
pub fn repair(
    path: &str,
    options: RepairOptions,
    said: &mut dyn FnMut(&str),
) -> Result<Vec<Finding>> {
    let disk: Arc<dyn Disk> = Arc::new(LocalDisk::existing(path)?);
    entasis_mergetree::repair(&disk, &Engines { disk: &disk }, options, said)
}

/// Finds the engine of a table by its definition, and lets it check and repair its files.
struct Engines<'a> {
    disk: &'a Arc<dyn Disk>,
}

impl Engines<'_> {
    /// The directory of a table with its definition, and what knows the files in it. `None` if its
    /// engine keeps no files of its own.
    fn open(
        &self,
        table: &TableRecord,
        dir: &str,
        read_only: bool,
    ) -> Result<Option<(&'static OwnFiles, TableDefinition, Directory)>> {
        let StoredStatement::Table(create) =
            StoredStatement::parse(&table.definition, table.version)?
        else {
            return Ok(None);
        };
        let engine = engines::of_statement(&create)?;
        let Some(files) = &engine.own_files else { return Ok(None) };
        let (time_zone, clock) = (TimeZone::utc(), Arc::new(SystemClock));
        let (dictionaries, tables) = (Dictionaries::default(), TableFinder::default());
        let (rollups, web) = (AllRollups::default(), Arc::new(entasis_tables::web::NoWeb));
        let server = ServerContext { time_zone, clock, dictionaries, tables, rollups, web };
        let function_context = StatementContext::of_engine(&server);
        let definition = TableDefinition::stored(*create, &engine.features, &function_context)?;
        let keeper = Arc::new(());
        let directory = Directory::new(Arc::clone(self.disk), dir.to_owned(), read_only, keeper);
        Ok(Some((files, definition, directory)))
    }
}

impl OwnData for Engines<'_> {
    fn check(
        &self,
        table: &TableRecord,
        dir: &str,
        found: &mut dyn FnMut(&str, &str),
    ) -> Result<OwnReport> {
        match self.open(table, dir, true)? {
            Some((files, table, directory)) => (files.check)(&table.schema, &directory, found),
            None => Ok(OwnReport::default()),
        }
    }

    fn repair(&self, table: &TableRecord, dir: &str, options: OwnRepair<'_>) -> Result<()> {
        match self.open(table, dir, false)? {
            Some((files, table, directory)) => (files.repair)(&table.schema, &directory, options),
            None => Ok(()),
        }
    }
}
