//! Conversion functions: `toUInt8`, CAST, `accurateCast`, `reinterpret`, `toUnixTimestamp`,
//! `parseDateTimeBestEffort` and their kin, over the one implementation in [`super::cast`].

mod by_name;
mod casts;
mod decimals;
mod missing;
pub mod reinterpret;
mod times;
mod times64;

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, TimeZone, Value};

use crate::Arg;

pub use by_name::FUNCTIONS as BY_NAME;
pub use casts::FUNCTIONS as CASTS;
pub use decimals::FUNCTIONS as DECIMALS;
pub use missing::FUNCTIONS as MISSING;
pub use reinterpret::FUNCTIONS as REINTERPRET;
pub use times::FUNCTIONS as TIMES;
pub use times64::FUNCTIONS as TIMES64;

/// A constant string argument, or ILLEGAL_COLUMN / ILLEGAL_TYPE_OF_ARGUMENT.
pub(crate) fn constant_string(function: &str, arg: &Arg, what: &str) -> Result<String> {
    if !arg.ty.is_string() {
        let message = format!("Argument {what} of function {function} must be a string");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    match arg.constant.as_ref().and_then(Value::as_bytes) {
        Some(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        None => {
            let message = format!("Argument {what} of function {function} must be constant");
            Err(Error::new(codes::ILLEGAL_COLUMN, message))
        }
    }
}

/// The zone in an optional argument.
pub(crate) fn zone_argument(function: &str, arg: Option<&Arg>) -> Result<Option<TimeZone>> {
    arg.map(|arg| TimeZone::get(&constant_string(function, arg, "timezone")?)).transpose()
}

/// `from` shown in another zone, where it is a DateTime or DateTime64.
pub(super) fn in_zone(from: &DataType, zone: Option<TimeZone>) -> DataType {
    match (from, zone) {
        (DataType::DateTime(_), Some(zone)) => DataType::DateTime(Some(zone)),
        (DataType::DateTime64(scale, _), Some(zone)) => DataType::DateTime64(*scale, Some(zone)),
        _ => from.clone(),
    }
}
