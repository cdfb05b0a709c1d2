//! Columns of a file to the types that a table promises: CAST, for formats, which know no
//! conversions.

use entasis_base::Result;
use entasis_column::Column;
use entasis_format::Caster;
use entasis_function::{Arg, BoundFunction, registry};
use entasis_types::{DataType, TimeZone, Value};

use crate::states::NoSession;

/// Converts as CAST does, in the session's time zone.
pub fn caster(time_zone: TimeZone) -> Caster {
    Caster::new(move |column, from, to, rows| cast(column, from, to, rows, time_zone))
}

fn cast(
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
