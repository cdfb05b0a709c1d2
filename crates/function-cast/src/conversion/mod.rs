//! Conversion functions: `toUInt8`, CAST, `accurateCast`, `reinterpret`, `toUnixTimestamp`,
//! `parseDateTimeBestEffort` and similar ones, all based on the implementation in [`super::cast`].

mod addresses;
mod bool_words;
mod by_name;
mod casts;
mod decimals;
mod missing;
pub mod reinterpret;
mod times;
mod times64;
mod wide;

use entasis_types::{DataType, TimeZone};

pub use addresses::FUNCTIONS as ADDRESSES;
pub use by_name::FUNCTIONS as BY_NAME;
pub use casts::FUNCTIONS as CASTS;
pub use decimals::FUNCTIONS as DECIMALS;
pub use missing::FUNCTIONS as MISSING;
pub use reinterpret::FUNCTIONS as REINTERPRET;
pub use times::FUNCTIONS as TIMES;
pub use times64::FUNCTIONS as TIMES64;
pub use wide::FUNCTIONS as WIDE;

/// `from` shown in another zone, where it is a DateTime or DateTime64.
pub(super) fn in_zone(from: &DataType, zone: Option<TimeZone>) -> DataType {
    match (from, zone) {
        (DataType::DateTime(_), Some(zone)) => DataType::DateTime(Some(zone)),
        (DataType::DateTime64(scale, _), Some(zone)) => DataType::DateTime64(*scale, Some(zone)),
        _ => from.clone(),
    }
}
