//! What came of a comparison, for people ([`page`]) and for programs ([`json`], [`runner`]).
//!
//! The page is one text that needs nothing else: what it says first stands in it as HTML; all else
//! is data, compressed, that its script draws on demand, so that 3,000 queries stay below 500 KB
//! and a table of them costs no more than the rows that are seen. A policy in its head forbids it
//! to load anything. Texts of queries and names reach it as data and are set as text. Whatever
//! needs statistics is computed here; the script sorts, filters and draws.
//!
//! Absent on purpose: verdicts (the room `verdict` has them) and anything that asks a server.

mod code;
mod counted;
mod data;
mod dots;
mod explained;
mod fill;
mod grouped;
mod noise;
mod programs;
mod runner;
mod sections;
mod steps;
mod stored;
mod words;

use std::collections::BTreeMap;

use crate::trust::Equal;
use crate::why::asm::Excerpt;

pub use explained::{Explained, Function};
pub use fill::page;
pub use programs::json;
pub use runner::runner;
pub use sections::{Sections, TestSum};
pub use stored::causes;
pub use words::{percent, sentence};

/// What a report can show beyond the outcome itself; all of it may be missing. Queries are named
/// by their numbers in the run.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// What comparisons of equal sides say of this host.
    pub health: Option<Equal>,
    /// Earlier comparisons of a query by a metric, in the order of time.
    pub history: BTreeMap<(u32, String), Vec<Point>>,
    /// Stacks of a query's profiles, old and new side; a run's mean.
    pub stacks: BTreeMap<u32, [Stacks; 2]>,
    /// The functions that explain a difference of time.
    pub explained: BTreeMap<u32, Explained>,
    /// The functions that explain a difference of the peak of memory.
    pub grown: BTreeMap<u32, Explained>,
    /// What EXPLAIN says of a query, old and new side.
    pub plans: BTreeMap<u32, [String; 2]>,
    /// The hot loop of the function that explains a change of time, in both builds.
    pub code: BTreeMap<u32, Excerpt>,
}

/// Stacks, root first, and their seconds.
pub type Stacks = Vec<(Vec<String>, f64)>;

/// One comparison of a query's history.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// When: seconds since 1970.
    pub time: f64,
    /// The new side's commit or label.
    pub commit: String,
    /// New over old.
    pub ratio: f64,
}
