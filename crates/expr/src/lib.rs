//! Typed expressions: the tree that `analyze` builds, programs that evaluate it on a chunk, and
//! range analysis, with which storage skips data that cannot match.
//!
//! Absent on purpose: names, SQL text, tables.
#![forbid(unsafe_code)]

pub mod cost;
pub mod expr;
pub mod predicate;
pub mod program;
pub mod range;
mod rewrite;
mod same;
pub mod set;
#[cfg(test)]
mod testing;

pub use expr::{ColumnId, Correlated, CorrelatedKind, Expr, Lambda, RowSet, ScalarSlot, SetSlot};
pub use predicate::Predicate;
pub use program::Program;
pub use range::{Bounds, KeyCondition, RangeAnalysis};
pub use rewrite::{is_deterministic, replaced, rewrite, substitute};
pub use same::same;
pub use set::SetBuilder;
