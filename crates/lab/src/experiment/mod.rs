//! From an idea to a decision: scan, profile, experiment.
//!
//! A change that looks good in the code is an [`Idea`]. The profile of a workload makes it a
//! [`Candidate`] if the function it names is in the stacks with 5 % of the time or memory; only a
//! candidate can have an experiment. What a candidate and a kept change must have are constraints
//! of the tables ([`tables`]): a row that does not meet them is refused by the database.

mod idea;
mod profile;
mod report;
mod run;
pub mod tables;

pub use idea::{Candidate, Idea};
pub use profile::{Each, Profile, Share, profile, profiles};
pub use report::{Files, Replay, quoted, results};
pub use run::{Change, Done, experiment};

use entasis_base::Result;

use crate::measure::Kind;
use crate::store::Store;

/// Makes the tables of experiments.
pub fn tables_of(store: &mut Store) -> Result<()> {
    tables::ALL.iter().try_for_each(|text| store.execute(text))
}

/// As the tables call it.
pub fn metric_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Time => "time",
        Kind::Memory => "memory",
    }
}

/// Of the name that [`metric_name`] gives.
pub fn metric_of(name: &str) -> Option<Kind> {
    [Kind::Time, Kind::Memory].into_iter().find(|kind| metric_name(*kind) == name)
}
