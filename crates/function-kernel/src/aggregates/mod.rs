//! The basis of aggregate functions: a struct per group ([`fold`]), stores of values by group
//! ([`store`], [`lists`]), sets of what was met ([`known`]), sums by value ([`tally`]), and sliding
//! frames ([`sliding`]).

pub mod fold;
pub mod known;
pub mod lists;
pub mod sliding;
pub mod store;
pub mod sums;
pub mod tally;
