//! Typed expressions: the tree that `analyze` builds, programs that evaluate it on a chunk, and
//! range analysis that lets storage skip what cannot match.
//!
//! Absent on purpose: names, SQL text, tables.
#![forbid(unsafe_code)]

pub mod expr;

pub use expr::{ColumnId, Expr, Lambda, RowSet, ScalarSlot, SetSlot};
