//! From an analysed query to an optimised physical plan. Pure: no I/O, no threads.
#![forbid(unsafe_code)]

pub mod physical;

pub use physical::{AggregateCall, Join, JoinKind, Plan, QueryPlan, SortKey, Strictness, Subquery};
