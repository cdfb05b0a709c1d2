//! The syntax tree: plain data that the parser builds and the formatter prints.
//!
//! Invariants: equality ignores positions. Operators and special syntax (`CAST(x AS T)`, `CASE`,
//! `EXTRACT`, `INTERVAL`, ...) are function calls with the names of the dialect. Arrays and tuples
//! of literals are literals. `count(DISTINCT x)` is `countDistinct(x)`, and `sum(x) FILTER (WHERE
//! y)` is `sumIf(x, y)`. The parser's depth limit bounds the recursion through the tree.

mod backup;
mod ddl;
mod dictionary;
mod expr;
mod query;
mod refresh;
mod statement;
mod ttl;

pub use backup::*;
pub use ddl::*;
pub use dictionary::*;
pub use expr::*;
pub use query::*;
pub use refresh::*;
pub use statement::*;
pub use ttl::*;
