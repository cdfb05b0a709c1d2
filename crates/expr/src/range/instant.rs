//! The instant that a text names in a comparison with a DateTime.
//!
//! Only the comparison knows its time zone. The text is therefore read as UTC, and the comparison
//! is asked which of the instants is equal that lie whole quarters of an hour before or after it.

use entasis_column::Column;
use entasis_function::{BoundFunction, Comparison};
use entasis_types::text::read_datetime;
use entasis_types::{DataType, TimeZone, Value};

/// Quarters of an hour between UTC and the farthest time zone.
const MOST_QUARTERS: i64 = 4 * 15;

/// The only instant that is equal to the constant; `None` if it is not found. The comparison is
/// `equals` or `notEquals`; `swapped` says that the constant is its first argument.
pub(super) fn instant(
    function: &BoundFunction,
    (comparison, swapped): (Comparison, bool),
    ty: &DataType,
    constant: &Value,
) -> Option<Value> {
    if !matches!(ty, DataType::DateTime(_)) {
        return None;
    }
    let mut text = constant.as_bytes()?;
    let guess = read_datetime(&mut text, TimeZone::utc()).filter(|_| text.is_empty())?;
    let near = (-MOST_QUARTERS..=MOST_QUARTERS).map(|quarters| guess + quarters * 900);
    let instants: Vec<u32> = near.filter_map(|second| u32::try_from(second).ok()).collect();
    let rows = instants.len();
    let constant = Column::constant(Column::from_value(&DataType::String, constant, 1), rows);
    let times = Column::from(instants.clone());
    let args = if swapped { [constant, times] } else { [times, constant] };
    let compared = function.call(&args, rows).ok()?.full();
    let wanted = u64::from(comparison == Comparison::Equals);
    let is_it = |row: &usize| compared.value(*row).as_u64() == Some(wanted);
    let mut found = (0..rows).filter(is_it);
    let only = found.next().filter(|_| found.next().is_none())?;
    Some(Value::UInt(u64::from(instants[only])))
}
