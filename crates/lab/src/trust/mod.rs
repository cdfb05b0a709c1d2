//! Whether the laboratory may be believed: comparisons of equal sides ([`equal`]), and of sides
//! that differ by a planted amount ([`planted`]).
//!
//! Both are runs like any other, stored in the same tables; what is said here is counted from
//! there, over all of them, so that trust can be gathered over days.

mod equal;
mod planted;

pub use equal::{Equal, Unlucky};
pub use planted::{Level, Planted, assign};
