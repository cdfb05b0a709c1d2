//! Conversions that formats need but do not implement: CAST from the types of a file to those of
//! the table, and times in any usual form.

use std::time::{SystemTime, UNIX_EPOCH};

use entasis_base::Result;
use entasis_column::Column;
use entasis_format::Caster;
use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundFunction, registry};
use entasis_types::{DataType, TimeZone, Value};

use crate::states::NoSession;

/// Converts as CAST does, in the session's time zone.
pub fn caster(time_zone: TimeZone) -> Caster {
    Caster::new(move |column, from, to, rows| converted(column, from, to, rows, time_zone))
}

/// Parses a time in any usual form; `01/02/2020` is the first of February.
pub fn best_effort(text: &[u8], zone: TimeZone) -> Option<(i64, u32)> {
    time(text, zone, false)
}

/// Parses a time in any usual form, with the month before the day.
pub fn best_effort_us(text: &[u8], zone: TimeZone) -> Option<(i64, u32)> {
    time(text, zone, true)
}

fn time(text: &[u8], zone: TimeZone, month_first: bool) -> Option<(i64, u32)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    cast::read_time(text, Session { zone, now, infers_variants: true }, month_first)
}

fn converted(
    column: Column,
    from: &DataType,
    to: &DataType,
    rows: usize,
    time_zone: TimeZone,
) -> Result<Column> {
    let name = Value::from(to.to_string().as_str());
    let args = [Arg::column(from.clone()), Arg::constant(DataType::String, name.clone())];
    let function = BoundFunction::bind(registry::scalar("CAST")?, &args, &NoSession { time_zone })?;
    let name = Column::from_value(&DataType::String, &name, 1).full();
    function.call(&[column, Column::constant(name, rows)], rows)
}
