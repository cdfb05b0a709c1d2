//! Whether the laboratory may be believed: comparisons of equal sides ([`equal`]), of sides that
//! differ by a planted amount ([`planted`]), and what a run found, measured again ([`replay`]).
//!
//! All are runs like any other, stored in the same tables; what is said here is counted from
//! there, over all of them, so that trust can be gathered over days.

mod equal;
mod planted;
mod replay;

pub use equal::{Equal, Unlucky};
pub use planted::{Level, Planted, assign};
pub use replay::{Replayed, agreement, flagged, replayed};
