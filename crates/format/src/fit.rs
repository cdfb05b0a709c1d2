//! Columns of a file as the columns that are wanted, for formats that know their types: numbers of
//! other widths, NULL or none. Other conversions are `CAST`'s, in a query over `file`.

use entasis_base::{Error, Result};
use entasis_column::{
    ArrayColumn, Bitmap, Chunk, Column, Field, Header, Mask, match_native, match_physical,
};
use entasis_types::DataType;

use crate::Omitted;
use crate::rows::Pieces;

/// The column `field` of a file as the column `want`.
fn fit(column: Column, field: &Field, want: &Field) -> Result<Column> {
    if field.ty == want.ty {
        return Ok(column);
    }
    convert(&column.full(), &field.ty, &want.ty).ok_or_else(|| {
        let Field { name, ty } = field;
        let what = format!("Reading column {name} of type {ty} as {}", want.ty);
        Error::not_implemented(format!("{what} (select from file(), which casts)"))
    })
}

/// The wanted columns of a block of rows, as far as they were found.
pub(crate) struct Found<'a> {
    wanted: &'a Header,
    columns: Vec<Option<Column>>,
    omitted: Omitted,
}

impl<'a> Found<'a> {
    pub(crate) fn new(wanted: &'a Header) -> Self {
        Self { wanted, columns: vec![None; wanted.len()], omitted: Omitted::new() }
    }

    /// Takes the column at place `i`, whose type is that of `field`. NULL where the wanted type has
    /// none is noted as omitted.
    pub(crate) fn put(&mut self, i: usize, column: Column, field: &Field) -> Result<()> {
        let want = &self.wanted[i];
        if field.ty.is_nullable() && !want.ty.is_nullable() {
            let full = column.full();
            let valid = full.split_nullable().0.filter(|valid| !valid.all());
            self.omitted.extend(valid.map(|valid| (i, valid.not())));
        }
        self.columns[i] = Some(fit(column, field, want)?);
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
        (from, DataType::Bool, column) if from.is_number() => Column::from_mask(&column.to_mask()),
        (from, to, column) if from.is_number() && to.is_number() => {
            match_native!(column, values => match_physical!(to.physical(), T => {
                Column::from(values.iter().map(|v| *v as T).collect::<Vec<T>>())
            }, _ => return None), _ => return None)
        }
        _ => return None,
    })
}

/// Whether values of one layout mean the same in another type of it.
fn is_flat(ty: &DataType) -> bool {
    ty.is_integer() || ty.is_date_or_time() || *ty == DataType::String
}

/// Values with defaults where `valid` is 0: under NULL anything may stand.
pub(crate) fn defaults_for_null(values: &Column, valid: &Bitmap) -> Column {
    if valid.all() {
        return values.clone();
    }
    crate::parquet::convert::blank(values.clone(), valid)
}
