//! The syntax tree: plain data that the parser builds and the formatter prints.
//!
//! Invariants: equality ignores positions; operators and special syntax (`CAST(x AS T)`, `CASE`,
//! `EXTRACT`, `INTERVAL`, ...) are function calls under the dialect's names already; arrays and
//! tuples of literals are literals; `count(DISTINCT x)` is `countDistinct(x)` and
//! `sum(x) FILTER (WHERE y)` is `sumIf(x, y)`. Recursion through the tree is bounded by the
//! parser's depth limit.

mod ddl;
mod expr;
mod query;
mod statement;

pub use ddl::*;
pub use expr::*;
pub use query::*;
pub use statement::*;
