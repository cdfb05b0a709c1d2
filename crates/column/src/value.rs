//! Converts between a row of a column and a [`Value`], for literals, parameters, defaults and
//! results of one row. It is never used in a hot path.

use std::sync::Arc;

use entasis_types::{CastTo, DataType, Physical, Value};

use crate::{Bitmap, Column, FixedStrings, Strings, match_native, match_physical};

impl Column {
    /// Row `i` as a value, in any representation.
    pub fn value(&self, i: usize) -> Value {
        match self {
            Self::Nothing(_) => Value::Null,
            Self::UInt8(v) => Value::UInt(v[i].into()),
            Self::UInt16(v) => Value::UInt(v[i].into()),
            Self::UInt32(v) => Value::UInt(v[i].into()),
            Self::UInt64(v) => Value::UInt(v[i]),
            Self::Int8(v) => Value::Int(v[i].into()),
            Self::Int16(v) => Value::Int(v[i].into()),
            Self::Int32(v) => Value::Int(v[i].into()),
            Self::Int64(v) => Value::Int(v[i]),
            Self::UInt128(v) => Value::unsigned(v[i].cast_to()),
            Self::UInt256(v) => Value::unsigned(v[i]),
            Self::Int128(v) => Value::signed(v[i]),
            Self::Int256(v) => Value::signed(v[i]),
            Self::Float32(v) => Value::Float(v[i].into()),
            Self::Float64(v) => Value::Float(v[i]),
            Self::String(strings) => Value::string(strings.get(i)),
            Self::Fixed(fixed) => Value::string(fixed.get(i)),
            Self::Nullable(n) if !n.validity.get(i) => Value::Null,
            Self::Nullable(n) => n.values.value(i),
            Self::Array(a) => Value::Array(a.range(i).map(|k| a.values.value(k)).collect()),
            Self::Tuple(t) => Value::Tuple(t.columns.iter().map(|c| c.value(i)).collect()),
            Self::Variant(v) => v.value(i),
            Self::Const(c) => c.value.value(0),
            Self::Dict(d) => d.dictionary.values.value(d.codes[i] as usize),
        }
    }

    /// Row `i` of a full column of a type that is [`entasis_types::TextType`], as its bits.
    #[inline]
    pub fn bits(&self, i: usize) -> i128 {
        match self {
            Self::Fixed(fixed) => i128::from_be_bytes(fixed.get(i).try_into().unwrap_or_default()),
            numbers => match_native!(numbers, v => v[i].cast_to(),
                _ => unreachable!("types that are spelled have no other layouts")),
        }
    }

    /// A Const column of `len` rows. The value must be one of the type (numbers are converted to
    /// the type's width by wrapping; a value of another kind becomes the type's default).
    pub fn from_value(ty: &DataType, value: &Value, len: usize) -> Self {
        Self::constant(one_row(ty, value), len)
    }
}

fn one_row(ty: &DataType, value: &Value) -> Column {
    match (ty.storage(), value) {
        (DataType::Nullable(inner), _) => {
            let valid = Bitmap::constant(!value.is_null(), 1);
            Column::nullable(one_row(inner, value), valid)
        }
        (DataType::Array(inner), Value::Array(items)) => {
            let parts: Vec<Column> = items.iter().map(|v| one_row(inner, v)).collect();
            let values = match parts.len() {
                0 => Column::default_of(inner, 0),
                _ => Column::concat(&parts.iter().collect::<Vec<_>>()),
            };
            Column::array(vec![0, items.len() as u32].into(), values)
        }
        (DataType::Tuple(tuple), Value::Tuple(items)) => {
            let parts = tuple.types.iter().zip(items.iter()).map(|(t, v)| one_row(t, v)).collect();
            Column::tuple(parts, 1)
        }
        (DataType::Variant(types), Value::Variant(d, value)) if usize::from(*d) < types.len() => {
            let values = one_row(&types[usize::from(*d)], value);
            Column::variant(crate::VariantColumn::of_one(types, *d, &values, None))
        }
        (_, Value::String(bytes)) => match ty.physical() {
            Physical::String => Column::String(Strings::from_iter([bytes])),
            Physical::Fixed(width) => {
                let mut data = bytes.to_vec();
                data.resize(width as usize, 0);
                Column::Fixed(FixedStrings { width: width as usize, data: data.into() })
            }
            _ => Column::default_of(ty, 1),
        },
        (_, Value::UInt(_) | Value::Int(_) | Value::Wide(_) | Value::Huge(_) | Value::Float(_)) => {
            number(ty.physical(), value).unwrap_or_else(|| Column::default_of(ty, 1))
        }
        _ => Column::default_of(ty, 1),
    }
}

fn number(physical: Physical, value: &Value) -> Option<Column> {
    Some(match_physical!(physical, T => match value {
        Value::UInt(v) => Column::from(vec![CastTo::<T>::cast_to(*v)]),
        Value::Int(v) => Column::from(vec![CastTo::<T>::cast_to(*v)]),
        Value::Wide(v) => Column::from(vec![CastTo::<T>::cast_to(*v)]),
        Value::Huge(v) => Column::from(vec![CastTo::<T>::cast_to(*v)]),
        Value::Float(v) => Column::from(vec![CastTo::<T>::cast_to(*v)]),
        _ => return None,
    }, _ => return None))
}

impl Column {
    /// Codes and dictionary of a Dict column.
    pub fn as_dict(&self) -> Option<&Arc<crate::DictColumn>> {
        match self {
            Self::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// Every row of a numeric column as `f64`; `None` for other layouts. NULLs have the value that
    /// is under them. Only for full columns.
    pub fn to_f64(&self) -> Option<Vec<f64>> {
        let (_, values) = self.split_nullable();
        Some(match_native!(values, v => v.iter().map(|&x| x.cast_to()).collect(), _ => return None))
    }
}
