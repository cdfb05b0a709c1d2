//! Rounding, mathematics on floats, bit operations.

mod bits;
mod floats;
mod rounding;
mod steps;

pub use bits::FUNCTIONS as BITS;
pub use floats::FUNCTIONS as FLOATS;
pub use rounding::FUNCTIONS as ROUNDING;
pub use steps::FUNCTIONS as STEPS;
