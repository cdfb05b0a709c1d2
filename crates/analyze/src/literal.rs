//! Converts literals of the text to values with types, and values from one type to another.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Column;
use entasis_sql::ast::Literal;
use entasis_types::variant::discriminator_of;
use entasis_types::{DataType, Value, common_type};

/// The value and the type of a literal. An integer gets the smallest type that holds it.
pub(crate) fn literal(literal: &Literal) -> Result<(Value, DataType)> {
    Ok(match literal {
        Literal::Null => (Value::Null, DataType::null()),
        Literal::Bool(b) => (Value::UInt(u64::from(*b)), DataType::Bool),
        Literal::UInt(v) => (Value::UInt(*v), unsigned(*v)),
        Literal::Int(v) if *v >= 0 => (Value::UInt(*v as u64), unsigned(*v as u64)),
        Literal::Int(v) => (Value::Int(*v), signed(*v)),
        Literal::Float(v) => (Value::Float(*v), DataType::Float64),
        Literal::String(bytes) => (Value::string(bytes), DataType::String),
        Literal::Array(items) => {
            let parts = items.iter().map(self::literal).collect::<Result<Vec<_>>>()?;
            let types: Vec<DataType> = parts.iter().map(|p| p.1.clone()).collect();
            let element = common_type(&types)?;
            let values = parts.iter().map(|p| adapt(&p.0, &element)).collect();
            (Value::Array(values), DataType::array(element))
        }
        Literal::Tuple(items) => {
            let parts = items.iter().map(self::literal).collect::<Result<Vec<_>>>()?;
            let types = parts.iter().map(|p| p.1.clone()).collect();
            let values = parts.into_iter().map(|p| p.0).collect();
            (Value::Tuple(values), DataType::tuple(types))
        }
    })
}

/// The smallest unsigned type that holds `v`.
pub(crate) fn unsigned(v: u64) -> DataType {
    match v {
        0..=0xFF => DataType::UInt8,
        0x100..=0xFFFF => DataType::UInt16,
        0x1_0000..=0xFFFF_FFFF => DataType::UInt32,
        _ => DataType::UInt64,
    }
}

fn signed(v: i64) -> DataType {
    if i8::try_from(v).is_ok() {
        DataType::Int8
    } else if i16::try_from(v).is_ok() {
        DataType::Int16
    } else if i32::try_from(v).is_ok() {
        DataType::Int32
    } else {
        DataType::Int64
    }
}

/// The value in the form that a wider type of the same family needs: `1` of UInt8 becomes `1.0` as
/// Float64.
pub(crate) fn adapt(value: &Value, to: &DataType) -> Value {
    match (value, to) {
        (_, DataType::Nullable(inner)) => adapt(value, inner),
        (Value::UInt(v), ty) if ty.is_float() => Value::Float(*v as f64),
        (Value::Int(v), ty) if ty.is_float() => Value::Float(*v as f64),
        (Value::UInt(v), ty) if ty.is_signed() => Value::signed(*v),
        (Value::Array(items), DataType::Array(inner)) => {
            Value::Array(items.iter().map(|v| adapt(v, inner)).collect())
        }
        (Value::Tuple(items), DataType::Tuple(tuple)) => {
            let parts = items.iter().zip(&tuple.types).map(|(v, t)| adapt(v, t));
            Value::Tuple(parts.collect::<Vec<_>>().into())
        }
        _ => value.clone(),
    }
}

/// The value as one of type `to`, if the number can be represented there exactly.
pub(crate) fn exact_number(value: &Value, to: &DataType) -> Option<Value> {
    if to.is_wide_integer() {
        let wrapped = Column::from_value(to, value, 1).value(0);
        let exact = wrapped.compare_numbers(value) == Some(std::cmp::Ordering::Equal);
        return exact.then_some(wrapped);
    }
    let bits = to.fixed_width()? as u32 * 8;
    if to.is_float() {
        let v = value.as_f64()?;
        let back = if bits == 32 { f64::from(v as f32) } else { v };
        let exact = value.compare_numbers(&Value::Float(back)) == Some(std::cmp::Ordering::Equal);
        return exact.then_some(Value::Float(back));
    }
    if to.is_signed() {
        let v = value.as_i64()?;
        let fits = bits == 64 || (v >= -(1 << (bits - 1)) && v < (1 << (bits - 1)));
        return fits.then_some(Value::Int(v));
    }
    let v = value.as_u64()?;
    let top = if *to == DataType::Bool { 1 } else { u64::MAX >> (64 - bits) };
    (v <= top).then_some(Value::UInt(v))
}

/// A number, whose type is no alternative of a Variant with these `types`, as a value of it: of the
/// widest type of its kind, else of the first alternative that holds it exactly.
pub(crate) fn as_alternative(value: &Value, types: &[DataType]) -> Option<Value> {
    let widest = match value {
        Value::UInt(_) => DataType::UInt64,
        Value::Int(_) => DataType::Int64,
        Value::Float(_) => DataType::Float64,
        _ => return None,
    };
    let is_number =
        |ty: &DataType| ty.is_any_number() || matches!(ty, DataType::Date | DataType::DateTime(_));
    let held = |ty: &DataType| if is_number(ty) { exact_number(value, ty) } else { None };
    let first = || types.iter().enumerate().find_map(|(d, ty)| Some((d as u8, held(ty)?)));
    let wide = discriminator_of(types, &widest).map(|d| (d, value.clone()));
    let (discriminator, value) = wide.or_else(first)?;
    Some(Value::Variant(discriminator, Arc::new(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_smallest_type() {
        let ty = |l| literal(&l).unwrap().1.to_string();
        assert_eq!(ty(Literal::UInt(255)), "UInt8");
        assert_eq!(ty(Literal::UInt(256)), "UInt16");
        assert_eq!(ty(Literal::UInt(1 << 32)), "UInt64");
        assert_eq!(ty(Literal::Int(-128)), "Int8");
        assert_eq!(ty(Literal::Int(-129)), "Int16");
        let mixed = Literal::Array(vec![Literal::UInt(1), Literal::Float(2.5), Literal::Null]);
        assert_eq!(ty(mixed), "Array(Nullable(Float64))");
    }

    #[test]
    fn only_exact_numbers_convert() {
        let to = |v, t: &str| exact_number(&v, &DataType::parse(t).unwrap());
        assert_eq!(to(Value::UInt(300), "UInt8"), None);
        assert_eq!(to(Value::Int(-1), "UInt64"), None);
        assert_eq!(to(Value::Float(2.0), "UInt8"), Some(Value::UInt(2)));
        assert_eq!(to(Value::Float(2.5), "Int64"), None);
        assert_eq!(to(Value::UInt(u64::MAX), "Int64"), None);
        assert_eq!(to(Value::UInt(16_777_217), "Float32"), None);
        assert_eq!(to(Value::Int(-128), "Int8"), Some(Value::Int(-128)));
    }
}
