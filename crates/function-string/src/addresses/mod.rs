//! Internet addresses and hardware addresses. The crate `types` reads and writes their text.

pub mod mac;
pub mod range;
pub mod v4;
pub mod v6;
