//! The data that table engines keep themselves, in `tables/<id>/data/`. The store does not
//! interpret it; whoever calls [`crate::check`] and [`crate::repair`] passes what does.

use entasis_base::Result;

use crate::log::record::TableRecord;

/// The totals of a check of one table's own data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnReport {
    /// Bytes that were read.
    pub bytes: u64,
    /// Number of files that belong to running work, or are left over from a crash.
    pub unnamed: u64,
}

/// What [`OwnData::repair`] may use.
pub struct OwnRepair<'a> {
    /// Whether rows that cannot be read may be left out, so that the others can be read.
    pub drop_rows: bool,
    /// Moves a file to `lost/`, and returns its new path.
    pub move_away: &'a dyn Fn(&str) -> Result<String>,
    /// Is called for every action.
    pub said: &'a mut dyn FnMut(&str),
}

/// Knows the data that table engines keep themselves.
pub trait OwnData {
    /// Checks the data of a table, in the directory `dir`. Calls `found` with the path of each
    /// damaged file and what is wrong with it. A server may be running.
    fn check(
        &self,
        table: &TableRecord,
        dir: &str,
        found: &mut dyn FnMut(&str, &str),
    ) -> Result<OwnReport>;

    /// Repairs the data of a table, without removing anything.
    fn repair(&self, table: &TableRecord, dir: &str, options: OwnRepair<'_>) -> Result<()>;
}
