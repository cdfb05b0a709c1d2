//! Layouts of columns: which types are stored as numbers, values as bits, joining lists.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, match_native};
use entasis_types::{DataType, Physical};

use crate::kernel::bytes_at;

/// Whether values are numbers: those themselves, dates, times and intervals.
pub fn number_like(ty: &DataType) -> bool {
    ty.is_any_number() || ty.is_date_or_time() || matches!(ty, DataType::Interval(_))
}

/// The physical layout of numbers, dates and times; `None` for others.
pub fn numeric_layout(ty: &DataType) -> Option<Physical> {
    number_like(ty).then(|| ty.physical())
}

/// Calls `f` with the bytes of every value of a full column of numbers or strings, lowest first.
pub fn each_bytes(column: &Column, mut f: impl FnMut(&[u8])) {
    match_native!(column, values => for v in values.iter() {
        f(&v.to_le_bytes());
    }, other => for i in 0..other.len() {
        f(bytes_at(other, i));
    });
}

/// Bytes of one value; 0 for what is no number.
pub fn byte_width(column: &Column) -> usize {
    fn width<T>(_: &[T]) -> usize {
        size_of::<T>()
    }
    match_native!(column, values => width(values), _ => 0)
}

/// Two full array columns as one of pairs. Fails where lengths differ.
pub fn zip_arrays(keys: &Column, values: &Column) -> Result<Column> {
    let (Column::Array(keys), Column::Array(values)) = (keys, values) else {
        return Err(Error::logical("keys and values are no arrays"));
    };
    let ((ends, keys), (other, values)) = (keys.flat(), values.flat());
    if ends[..] != other[..] {
        let message = "Key and value arrays should have same amount of elements";
        return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
    }
    let entries = keys.len();
    Ok(Column::array(ends, Column::tuple(vec![keys, values], entries)))
}
