//! Conditional functions: `if`, `multiIf`, CASE, `ifNull`, `coalesce`, `greatest`, `transform`.

mod branches;
pub mod choose;
mod extremes;
mod nulls;
mod transform;

pub use branches::FUNCTIONS as BRANCHES;
pub use extremes::FUNCTIONS as EXTREMES;
pub use nulls::FUNCTIONS as NULLS;
pub use transform::FUNCTIONS as TRANSFORM;
