//! The basis of aggregate functions: a struct per group ([`fold`]), stores of values by group
//! ([`store`], [`lists`]), and sliding frames ([`sliding`]).

pub mod fold;
pub mod lists;
pub mod sliding;
pub mod store;
pub mod sums;
