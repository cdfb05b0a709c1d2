//! Typed expressions: the tree that `analyze` builds, programs that evaluate it on a chunk, and
//! range analysis, with which storage skips data that cannot match.
//!
//! Absent on purpose: names, SQL text, tables.
#![forbid(unsafe_code)]

pub mod expr;
pub mod predicate;
pub mod program;
pub mod range;
mod same;
pub mod set;
#[cfg(test)]
mod testing;

pub use expr::{ColumnId, Expr, Lambda, RowSet, ScalarSlot, SetSlot};
pub use predicate::Predicate;
pub use program::Program;
pub use range::{Bounds, RangeAnalysis};
pub use same::same;
pub use set::SetBuilder;
