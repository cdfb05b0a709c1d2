//! Rounding, mathematics on floats, bit operations.

mod bit_lists;
mod bits;
mod curves;
mod floats;
mod rounding;
mod steps;

pub use bit_lists::FUNCTIONS as BIT_LISTS;
pub use bits::FUNCTIONS as BITS;
pub use curves::FUNCTIONS as CURVES;
pub use floats::FUNCTIONS as FLOATS;
pub use rounding::FUNCTIONS as ROUNDING;
pub use steps::FUNCTIONS as STEPS;
