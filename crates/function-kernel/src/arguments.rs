//! Arguments that must be constants: strings, time zones.

use entasis_base::{Error, Result, codes};
use entasis_types::{TimeZone, Value};

use entasis_function::Arg;

/// A constant string argument, or ILLEGAL_COLUMN / ILLEGAL_TYPE_OF_ARGUMENT.
pub fn constant_string(function: &str, arg: &Arg, what: &str) -> Result<String> {
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
pub fn zone_argument(function: &str, arg: Option<&Arg>) -> Result<Option<TimeZone>> {
    arg.map(|arg| TimeZone::get(&constant_string(function, arg, "timezone")?)).transpose()
}
