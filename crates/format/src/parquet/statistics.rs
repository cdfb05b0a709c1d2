//! What the footer of a Parquet file says of the values of its columns.

use entasis_types::{DataType, Value};
use parquet::file::statistics::Statistics;

use super::ParquetFile;

/// What the footer says of a column in one row group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupStatistics {
    /// The number of rows.
    pub rows: u64,
    /// The number of NULLs; `None` if the writer did not count them.
    pub nulls: Option<u64>,
    /// The number of distinct values, which few writers count.
    pub distinct: Option<u64>,
    /// A value that no row is below, as a value of the column's type.
    pub min: Option<Value>,
    /// A value that no row is above.
    pub max: Option<Value>,
    /// Bytes of the values before compression.
    pub bytes: u64,
}

impl ParquetFile {
    /// What the footer says of a column in each row group; `None` for a column that the file does
    /// not have with this type, or that consists of several.
    pub fn column_statistics(&self, name: &str, ty: &DataType) -> Option<Vec<GroupStatistics>> {
        let place = self.header.position(name)?;
        let known = &self.header[place].ty;
        if known.without_nullable() != ty.without_nullable() {
            return None;
        }
        let (root, schema) = (self.positions[place], self.metadata.parquet_schema());
        let mut leaves =
            (0..schema.num_columns()).filter(|leaf| schema.get_column_root_idx(*leaf) == root);
        let leaf = leaves.next().filter(|_| leaves.next().is_none())?;
        if schema.column(leaf).max_rep_level() > 0 {
            return None;
        }
        let of_group = |group: usize| {
            let chunk = self.footer().row_group(group).column(leaf);
            let mut found = GroupStatistics { rows: self.rows(group), ..Default::default() };
            found.bytes = chunk.uncompressed_size().max(0) as u64;
            if let Some(statistics) = chunk.statistics() {
                found.nulls = statistics.null_count_opt();
                found.distinct = statistics.distinct_count_opt();
                (found.min, found.max) = bounds(statistics, known.without_nullable()).unzip();
            }
            found
        };
        Some((0..self.row_groups()).map(of_group).collect())
    }
}

/// The least and the greatest value of a type whose order is that of the stored values.
fn bounds(statistics: &Statistics, ty: &DataType) -> Option<(Value, Value)> {
    if statistics.is_min_max_deprecated() {
        return None;
    }
    let is_whole = ty.is_native_integer()
        || matches!(ty, DataType::Date32 | DataType::DateTime64(..) | DataType::Decimal(..));
    let number = |bits: i64, mask: u64| match ty.is_unsigned() {
        true => Value::UInt(bits as u64 & mask),
        false => Value::Int(bits),
    };
    let float = |value: f64| (!value.is_nan()).then_some(Value::Float(value));
    let both = match statistics {
        Statistics::Int32(s) if is_whole => (s.min_opt().copied()?, s.max_opt().copied()?),
        Statistics::Int64(s) if is_whole => {
            let (min, max) = (*s.min_opt()?, *s.max_opt()?);
            return Some((number(min, u64::MAX), number(max, u64::MAX)));
        }
        Statistics::Float(s) if *ty == DataType::Float32 => {
            return float((*s.min_opt()?).into()).zip(float((*s.max_opt()?).into()));
        }
        Statistics::Double(s) if *ty == DataType::Float64 => {
            return float(*s.min_opt()?).zip(float(*s.max_opt()?));
        }
        Statistics::ByteArray(s) if *ty == DataType::String => {
            let text = |bytes: &[u8]| Value::string(bytes);
            return Some((text(s.min_bytes_opt()?), text(s.max_bytes_opt()?)));
        }
        _ => return None,
    };
    let number = |bits: i32| number(i64::from(bits), u64::from(u32::MAX));
    Some((number(both.0), number(both.1)))
}
