//! What aggregates stand on: a struct per group ([`fold`]), stores of values by group ([`store`],
//! [`lists`]), frames that slide ([`sliding`]).

pub mod fold;
pub mod lists;
pub mod sliding;
pub mod store;
pub mod sums;
