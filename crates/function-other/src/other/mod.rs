//! Functions about the query itself, checks, readable numbers.

mod join_get;
mod readable;
mod session;
mod states;
mod uuids;

pub use join_get::FUNCTIONS as JOIN_GET;
pub use readable::FUNCTIONS as READABLE;
pub use session::FUNCTIONS as SESSION;
pub use states::FUNCTIONS as STATES;
pub use uuids::FUNCTIONS as UUIDS;
