//! Turns columns of a file into the wanted columns, for formats that know their types: NULL is
//! removed if the wanted type cannot hold it, then the [`Caster`] of the options converts the
//! values.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{
    ArrayColumn, Bitmap, Chunk, Column, ColumnBuilder, Field, Header, Mask, match_native,
    match_physical,
};
use entasis_types::{CastTo, DataType, TupleType};

use crate::rows::Pieces;
use crate::{Caster, FormatOptions, Omitted};

/// The column `field` of a file as the column `want`.
fn fit(column: Column, field: &Field, want: &Field, caster: Option<&Caster>) -> Result<Column> {
    if field.ty == want.ty {
        return Ok(column);
    }
    let Field { name, ty } = field;
    let Some(caster) = caster else {
        return convert(&column.full(), ty, &want.ty).ok_or_else(|| {
            let what = format!("Reading column {name} of type {ty} as {}", want.ty);
            Error::not_implemented(what)
        });
    };
    let rows = column.len();
    let (column, from) = without_null(column.full(), ty, &want.ty);
    check_days(&column, &from, &want.ty)?;
    if from == want.ty {
        return Ok(column);
    }
    caster.cast(column, &from, &want.ty, rows).map_err(|e| {
        e.append(format_args!(
            ": while converting column `{name}` from type {from} to type {}",
            want.ty
        ))
    })
}

/// A Nested as the array that it is stored as.
fn unnamed(ty: &DataType) -> &DataType {
    if let DataType::Nested(stored) = ty { stored } else { ty }
}

/// The column with defaults for NULL wherever `to` has no Nullable in the same place, and the type
/// that it has then.
fn without_null(column: Column, from: &DataType, to: &DataType) -> (Column, DataType) {
    let (from, to) = (unnamed(from), unnamed(to));
    match (from, to, &column) {
        (DataType::Nullable(inner), to, _) if !accepts_null(to) => {
            let (valid, values) = column.split_nullable();
            let values = match valid {
                Some(valid) => defaults_for_null(values, valid),
                None => values.clone(),
            };
            without_null(values, inner, to)
        }
        (DataType::Nullable(inner), DataType::Nullable(to), Column::Nullable(nullable)) => {
            let (values, ty) = without_null(nullable.values.clone(), inner, to);
            (Column::nullable(values, nullable.validity.clone()), DataType::nullable(ty))
        }
        (DataType::FixedString(width), to, Column::Fixed(fixed))
            if to.is_wide_integer() && to.fixed_width() == Some(*width as usize) =>
        {
            // Parquet and Arrow have no integers so wide: they are written as bytes.
            let mut builder = ColumnBuilder::new(to, column.len());
            match crate::wire::push_numbers(&mut builder, &fixed.data) {
                Ok(()) => (builder.finish(), to.clone()),
                Err(_) => (column, from.clone()),
            }
        }
        (DataType::Array(from), DataType::Array(to), Column::Array(array)) => {
            let ArrayColumn { offsets, values } = array.as_ref();
            let (values, ty) = without_null(values.full(), from, to);
            (Column::array(offsets.clone(), values), DataType::array(ty))
        }
        (DataType::Map(from), DataType::Map(to), _) => {
            let (column, ty) = without_null(column, from, to);
            (column, DataType::Map(Arc::new(ty)))
        }
        (DataType::Tuple(from), DataType::Tuple(to), Column::Tuple(tuple)) => {
            let (columns, ty) = elements(from, to, &tuple.columns, tuple.len);
            (Column::tuple(columns, tuple.len), ty)
        }
        _ => (column, from.clone()),
    }
}

/// The elements of a tuple for another: by name, where both have names, with defaults for those
/// that are missing; else by place.
fn elements(
    from: &TupleType,
    to: &TupleType,
    columns: &[Column],
    rows: usize,
) -> (Vec<Column>, DataType) {
    let fitted = |i: usize, to: &DataType| without_null(columns[i].full(), &from.types[i], to);
    let (columns, types, names) = match (&from.names, &to.names) {
        (Some(names), Some(wanted)) => {
            let element = |(name, to): (&Arc<str>, &DataType)| {
                let place = names.iter().position(|n| n == name);
                place.map_or_else(
                    || (Column::default_of(to, rows), to.clone()),
                    |place| fitted(place, to),
                )
            };
            let parts: (Vec<Column>, Vec<DataType>) =
                wanted.iter().zip(&to.types).map(element).unzip();
            (parts.0, parts.1, Some(wanted.clone()))
        }
        (names, _) => {
            let element = |(i, column): (usize, &Column)| match to.types.get(i) {
                Some(to) => fitted(i, to),
                None => (column.clone(), from.types[i].clone()),
            };
            let parts: (Vec<Column>, Vec<DataType>) =
                columns.iter().enumerate().map(element).unzip();
            (parts.0, parts.1, names.clone())
        }
    };
    (columns, DataType::Tuple(Arc::new(TupleType { types, names })))
}

/// Whether a type holds NULL: Nullable, and LowCardinality of one.
fn accepts_null(ty: &DataType) -> bool {
    ty.storage().is_nullable() || ty.as_variant().is_some()
}

/// Fails for days that a Date or DateTime cannot hold: the reference does not clamp these.
fn check_days(column: &Column, from: &DataType, to: &DataType) -> Result<()> {
    let (name, last) = match (from.without_nullable(), to.without_nullable()) {
        (DataType::Date32, DataType::Date) => ("Date", 65_535),
        (DataType::Date32, DataType::DateTime(_)) => ("DateTime", 49_709),
        _ => return Ok(()),
    };
    let (valid, values) = column.split_nullable();
    let Column::Int32(days) = values else { return Ok(()) };
    let is_valid = |row: usize| valid.is_none_or(|valid| valid.get(row));
    let outside = |(row, day): &(usize, &i32)| !(0..=last).contains(*day) && is_valid(*row);
    let Some((_, day)) = days.iter().enumerate().find(outside) else { return Ok(()) };
    let message = format!("Input value {day} is out of allowed {name} range, which is [0, {last}]");
    Err(Error::new(codes::VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE, message))
}

/// The wanted columns of a block of rows, as far as they were found.
pub(crate) struct Found<'a> {
    wanted: &'a Header,
    options: &'a FormatOptions,
    columns: Vec<Option<Column>>,
    omitted: Omitted,
}

impl<'a> Found<'a> {
    pub(crate) fn new(wanted: &'a Header, options: &'a FormatOptions) -> Self {
        Self { wanted, options, columns: vec![None; wanted.len()], omitted: Omitted::new() }
    }

    /// Takes the column at place `i`, whose type is that of `field`. NULL where the wanted type has
    /// none is noted as omitted.
    pub(crate) fn put(&mut self, i: usize, column: Column, field: &Field) -> Result<()> {
        let want = &self.wanted[i];
        if field.ty.is_nullable() && !accepts_null(&want.ty) {
            let full = column.full();
            let valid = full.split_nullable().0.filter(|valid| !valid.all());
            if valid.is_some() && !self.options.null_as_default {
                let message = format!(
                    "Cannot convert NULL value to non-Nullable type for column {} \
                     (input_format_null_as_default is 0)",
                    field.name
                );
                return Err(Error::new(codes::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, message));
            }
            self.omitted.extend(valid.map(|valid| (i, valid.not())));
        }
        self.columns[i] = Some(fit(column, field, want, self.options.caster.as_ref())?);
        Ok(())
    }

    /// The block, with defaults for the columns that were not found.
    pub(crate) fn finish(self, rows: usize) -> Pieces {
        let mut omitted = self.omitted;
        let fields = self.columns.into_iter().zip(self.wanted.iter()).enumerate();
        let columns = fields.map(|(i, (column, field))| {
            column.unwrap_or_else(|| {
                omitted.push((i, Mask::constant(true, rows)));
                Column::constant(Column::default_of(&field.ty, 1), rows)
            })
        });
        let columns = columns.collect();
        Pieces::new(Chunk::new(columns, rows), omitted)
    }
}

/// Fails for a wanted column that a file does not have.
pub(crate) fn check_all_there<T>(wanted: &Header, found: &[Option<T>], what: &str) -> Result<()> {
    let missing = wanted.iter().zip(found).find(|(_, found)| found.is_none());
    missing.map_or(Ok(()), |(field, _)| {
        let message = format!("Column '{}' is not present in {what}", field.name);
        Err(Error::new(codes::THERE_IS_NO_COLUMN, message))
    })
}

fn convert(column: &Column, from: &DataType, to: &DataType) -> Option<Column> {
    let (from, to) = (from.storage(), to.storage());
    if from == to {
        return Some(column.clone());
    }
    Some(match (from, to, column) {
        (from, DataType::Nullable(to), column) => {
            let (bits, values) = column.split_nullable();
            let all = || Bitmap::constant(true, values.len());
            let bits = bits.cloned().unwrap_or_else(all);
            Column::nullable(convert(values, from.without_nullable(), to)?, bits)
        }
        (DataType::Nullable(from), to, Column::Nullable(nullable)) => {
            convert(&defaults_for_null(&nullable.values, &nullable.validity), from, to)?
        }
        (DataType::Nullable(from), to, column) => convert(column, from, to)?,
        (DataType::Array(from), DataType::Array(to), Column::Array(array)) => {
            let ArrayColumn { offsets, values } = array.as_ref();
            Column::array(offsets.clone(), convert(values, from, to)?)
        }
        (DataType::Tuple(from), DataType::Tuple(to), Column::Tuple(tuple))
            if from.types.len() == to.types.len() =>
        {
            let pairs = from.types.iter().zip(&to.types).zip(&tuple.columns);
            let columns = pairs.map(|((from, to), column)| convert(column, from, to));
            Column::tuple(columns.collect::<Option<_>>()?, tuple.len)
        }
        (DataType::Date32, DataType::Date, Column::Int32(days)) => {
            let day = |v: &i32| (*v).clamp(0, i32::from(u16::MAX)) as u16;
            Column::from(days.iter().map(day).collect::<Vec<u16>>())
        }
        (DataType::Date, DataType::Date32, Column::UInt16(days)) => {
            Column::from(days.iter().map(|v| i32::from(*v)).collect::<Vec<i32>>())
        }
        (DataType::DateTime64(scale, _), DataType::DateTime(_), Column::Int64(ticks)) => {
            let second = 10i64.checked_pow(u32::from(*scale))?;
            let seconds = |v: &i64| v.div_euclid(second).clamp(0, i64::from(u32::MAX)) as u32;
            Column::from(ticks.iter().map(seconds).collect::<Vec<u32>>())
        }
        (DataType::DateTime64(from, _), DataType::DateTime64(to, _), Column::Int64(ticks)) => {
            let up = 10i64.checked_pow(u32::from(to.saturating_sub(*from)))?;
            let down = 10i64.checked_pow(u32::from(from.saturating_sub(*to)))?;
            let scaled = |v: &i64| v.div_euclid(down).saturating_mul(up);
            Column::from(ticks.iter().map(scaled).collect::<Vec<i64>>())
        }
        (from, to, column) if from.physical() == to.physical() && is_flat(from) && is_flat(to) => {
            column.clone()
        }
        (from, DataType::Bool, column) if from.is_any_number() => {
            Column::from_mask(&column.to_mask())
        }
        (from, to, column) if from.is_any_number() && to.is_any_number() => {
            match_native!(column, values => match_physical!(to.physical(), T => {
                Column::from(values.iter().map(|v| v.cast_to()).collect::<Vec<T>>())
            }, _ => return None), _ => return None)
        }
        _ => return None,
    })
}

/// Whether values of one layout mean the same in another type of it.
fn is_flat(ty: &DataType) -> bool {
    ty.is_any_integer() || ty.is_date_or_time() || *ty == DataType::String
}

/// Values with defaults where `valid` is 0: under NULL anything may stand.
pub(crate) fn defaults_for_null(values: &Column, valid: &Bitmap) -> Column {
    if valid.all() {
        return values.clone();
    }
    crate::parquet::convert::blank(values.clone(), valid)
}

#[cfg(test)]
mod tests {
    use entasis_types::Value;

    use super::*;

    #[test]
    fn bytes_in_maps_become_wide_integers() {
        let [from, to] = ["Map(String, FixedString(16))", "Map(String, UInt128)"]
            .map(|name| DataType::parse(name).unwrap());
        let bytes = Value::string(&5u128.to_le_bytes());
        let entry = Value::Tuple([Value::from("k"), bytes].into());
        let column = Column::from_value(&from, &Value::Array([entry].into()), 1).full();
        let (column, ty) = without_null(column, &from, &to);
        let entry = Value::Tuple([Value::from("k"), Value::UInt(5)].into());
        assert_eq!((ty, column.value(0)), (to, Value::Array([entry].into())));
    }
}
