//! The common type of several types, to which `[a, b]`, `if`, `UNION ALL` and comparisons convert.
//!
//! The rules are those of the reference. Its last resort, a Variant, is only used by
//! [`common_type_or_variant`].

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::variant::variant_of;
use crate::{DataType, TupleType};

/// The smallest type that holds every value of all `types`; `Nothing` for none.
/// Fails with NO_COMMON_TYPE.
pub fn common_type(types: &[DataType]) -> Result<DataType> {
    let mut result = DataType::Nothing;
    for ty in types {
        result = match combine(&result, ty) {
            Some(ty) => ty,
            None => return Err(no_common(types)),
        };
    }
    Ok(result)
}

/// The [`common_type`] of two types.
pub fn common_type_of_two(a: &DataType, b: &DataType) -> Result<DataType> {
    combine(a, b).ok_or_else(|| no_common(&[a.clone(), b.clone()]))
}

/// The [`common_type`]. If there is none, a Variant of all types, provided that `allow_variant` is
/// set.
pub fn common_type_or_variant(types: &[DataType], allow_variant: bool) -> Result<DataType> {
    let is_mixed = types.iter().any(|ty| ty.as_variant().is_some());
    match common_type(types) {
        Err(_) if allow_variant || is_mixed => variant_of(types),
        known => known,
    }
}

/// For numbers of which some are floating-point: Float64, which may round them. `None` for all
/// other types.
pub fn lossy_common_number(types: &[DataType]) -> Option<DataType> {
    let plain = |ty: &DataType| ty.without_low_cardinality().without_nullable().clone();
    let numbers: Vec<DataType> =
        types.iter().map(plain).filter(|ty| *ty != DataType::Nothing).collect();
    let are_numbers = numbers.iter().all(|ty| ty.is_any_number() || ty.is_decimal());
    if !are_numbers || !numbers.iter().any(DataType::is_float) {
        return None;
    }
    let nullable = types.iter().any(|ty| ty.without_low_cardinality().is_nullable());
    Some(if nullable { DataType::nullable(DataType::Float64) } else { DataType::Float64 })
}

#[cold]
fn no_common(types: &[DataType]) -> Error {
    let names: Vec<String> = types.iter().map(ToString::to_string).collect();
    Error::new(
        codes::NO_COMMON_TYPE,
        format!(
            "There is no supertype for types {}: no single type holds all their values. \
             Convert one of them explicitly",
            names.join(", ")
        ),
    )
}

fn combine(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{
        Array, Bool, Date, Date32, DateTime, DateTime64, Decimal, Enum, FixedString,
        LowCardinality, Nested, Nothing, Nullable, SimpleAggregateFunction, String, Tuple, UInt8,
    };
    if a == b {
        return Some(a.clone());
    }
    match (a, b) {
        (Nothing, other) | (other, Nothing) => Some(other.clone()),
        (SimpleAggregateFunction(x), y) | (y, SimpleAggregateFunction(x)) => combine(&x.args[0], y),
        (Nested(x), y) | (y, Nested(x)) => combine(&x.without_low_cardinality(), y),
        (LowCardinality(x), LowCardinality(y)) => Some(LowCardinality(Arc::new(combine(x, y)?))),
        (LowCardinality(x), y) | (y, LowCardinality(x)) => combine(x, y),
        (Nullable(_), _) | (_, Nullable(_)) => {
            let inner = combine(a.without_nullable(), b.without_nullable())?;
            inner.can_be_nullable().then(|| DataType::nullable(inner))
        }
        (Array(x), Array(y)) => Some(DataType::array(combine(x, y)?)),
        (Tuple(x), Tuple(y)) => combine_tuples(x, y),
        (DataType::Map(_), DataType::Map(_)) => {
            let ((k, v), (l, w)) = (a.as_map()?, b.as_map()?);
            Some(DataType::map(combine(k, l)?, combine(v, w)?))
        }
        (Enum(_), String) | (String, Enum(_)) => Some(String),
        (DataType::Ipv4, number) | (number, DataType::Ipv4) if number.is_unsigned() => {
            combine(&DataType::UInt32, number)
        }
        (Enum(x), other) | (other, Enum(x))
            if other.is_any_number() || matches!(other, Enum(_)) =>
        {
            let number = if x.wide { DataType::Int16 } else { DataType::Int8 };
            combine(&number, other)
        }
        (String | FixedString(_), String | FixedString(_)) => Some(String),
        (Date, DateTime(zone)) | (DateTime(zone), Date) => Some(DateTime(*zone)),
        (DateTime(x), DateTime(y)) => Some(DateTime(x.or(*y))),
        (Date, Date32) | (Date32, Date) => Some(Date32),
        (Date32, DateTime(zone)) | (DateTime(zone), Date32) => Some(DateTime64(0, *zone)),
        (DateTime64(p, x), DateTime64(q, y)) => Some(DateTime64((*p).max(*q), x.or(*y))),
        (DateTime64(p, zone), other) | (other, DateTime64(p, zone)) if other.is_date_or_time() => {
            Some(DateTime64(*p, zone.or(other.own_zone())))
        }
        (Decimal(..), _) | (_, Decimal(..)) => combine_decimals(a, b),
        (Bool, other) | (other, Bool) if other.is_any_number() => match other {
            // The name of the first type stays.
            UInt8 => Some(a.clone()),
            _ => combine_numbers(&UInt8, other),
        },
        _ if a.is_any_number() && b.is_any_number() => combine_numbers(a, b),
        _ => None,
    }
}

/// The precision that a Decimal needs to hold every value of an integer type.
pub fn decimal_digits(ty: &DataType) -> Option<u8> {
    Some(match ty {
        DataType::Bool | DataType::UInt8 | DataType::Int8 => 3,
        DataType::UInt16 | DataType::Int16 => 5,
        DataType::UInt32 | DataType::Int32 => 10,
        DataType::Int64 => 19,
        DataType::UInt64 => 20,
        _ => return None,
    })
}

/// The greatest precision of a Decimal with the same size in memory.
pub fn full_precision(precision: u8) -> u8 {
    match precision {
        0..=9 => 9,
        10..=18 => 18,
        _ => 38,
    }
}

fn combine_decimals(a: &DataType, b: &DataType) -> Option<DataType> {
    let parts = |ty: &DataType| match ty {
        DataType::Decimal(precision, scale) => Some((*precision, *scale)),
        integer => Some((decimal_digits(integer)?, 0)),
    };
    let ((p, s), (q, t)) = (parts(a)?, parts(b)?);
    let scale = s.max(t);
    let needed = |ty: &DataType, digits: u8| digits + if ty.is_decimal() { 0 } else { scale };
    let precision = needed(a, p).max(needed(b, q));
    (precision <= 38).then(|| DataType::Decimal(full_precision(precision), scale))
}

fn combine_tuples(x: &Arc<TupleType>, y: &Arc<TupleType>) -> Option<DataType> {
    if x.types.len() != y.types.len() {
        return None;
    }
    let types = x.types.iter().zip(&y.types).map(|(a, b)| combine(a, b)).collect::<Option<_>>()?;
    let names = if x.names == y.names { x.names.clone() } else { None };
    Some(DataType::Tuple(Arc::new(TupleType { types, names })))
}

fn combine_numbers(a: &DataType, b: &DataType) -> Option<DataType> {
    let bits = |t: &DataType| t.fixed_width().unwrap_or(8) * 8;
    if a.is_float() || b.is_float() {
        let mantissa = |t: &DataType| match t {
            DataType::Float32 => 24,
            DataType::Float64 => 53,
            other => bits(other),
        };
        return match mantissa(a).max(mantissa(b)) {
            0..=24 => Some(DataType::Float32),
            25..=53 => Some(DataType::Float64),
            _ => None,
        };
    }
    let signed = a.is_signed() || b.is_signed();
    let needed = |t: &DataType| bits(t) + usize::from(signed && t.is_unsigned());
    let wide = a.is_wide_integer() || b.is_wide_integer();
    Some(match (signed, needed(a).max(needed(b))) {
        (false, 0..=8) => DataType::UInt8,
        (false, 9..=16) => DataType::UInt16,
        (false, 17..=32) => DataType::UInt32,
        (false, 33..=64) => DataType::UInt64,
        (false, 65..=128) => DataType::UInt128,
        (false, _) => DataType::UInt256,
        (true, 0..=8) => DataType::Int8,
        (true, 9..=16) => DataType::Int16,
        (true, 17..=32) => DataType::Int32,
        (true, 33..=64) => DataType::Int64,
        (true, 65..=128) if wide => DataType::Int128,
        (true, 65..=256) if wide => DataType::Int256,
        (true, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(names: &[&str]) -> String {
        let types: Vec<_> = names.iter().map(|n| DataType::parse(n).unwrap()).collect();
        common_type(&types).map_or_else(|e| e.code().name().to_string(), |t| t.to_string())
    }

    #[test]
    fn as_the_oracle_answers() {
        assert_eq!(common(&["UInt8", "Int16"]), "Int16");
        assert_eq!(common(&["UInt32", "Int32"]), "Int64");
        assert_eq!(common(&["UInt64", "Int64"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["UInt64", "Int128"]), "Int128");
        assert_eq!(common(&["UInt128", "UInt8"]), "UInt128");
        assert_eq!(common(&["UInt128", "Int8"]), "Int256");
        assert_eq!(common(&["UInt128", "Int256"]), "Int256");
        assert_eq!(common(&["UInt256", "UInt8"]), "UInt256");
        assert_eq!(common(&["UInt256", "Int8"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["Int128", "Float64"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["Bool", "Int128"]), "Int128");
        assert_eq!(common(&["Decimal(18, 2)", "Int128"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["Int16", "Float32"]), "Float32");
        assert_eq!(common(&["Int32", "Float32"]), "Float64");
        assert_eq!(common(&["UInt64", "Float64"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["String", "FixedString(1)"]), "String");
        assert_eq!(common(&["Date", "DateTime('UTC')"]), "DateTime('UTC')");
        assert_eq!(common(&["Nullable(Nothing)", "UInt8"]), "Nullable(UInt8)");
        assert_eq!(common(&["Array(Nothing)", "Array(Array(UInt8))"]), "Array(Array(UInt8))");
        assert_eq!(
            common(&["Tuple(UInt8, String)", "Tuple(UInt16, String)"]),
            "Tuple(UInt16, String)"
        );
        assert_eq!(common(&["Bool", "UInt8"]), "Bool");
        assert_eq!(common(&["UInt8", "Bool"]), "UInt8");
        assert_eq!(common(&["UInt8", "String"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["Enum8('a' = 1)", "String"]), "String");
        assert_eq!(common(&["Enum8('a' = 1)", "Enum8('b' = 1)"]), "Int8");
        assert_eq!(common(&["DateTime64(3)", "DateTime64(6)"]), "DateTime64(6)");
        assert_eq!(common(&["DateTime64(3)", "Date"]), "DateTime64(3)");
        assert_eq!(common(&["Date32", "DateTime"]), "DateTime64(0)");
        assert_eq!(common(&["Decimal(9, 2)", "Decimal(18, 4)"]), "Decimal(18, 4)");
        assert_eq!(common(&["Decimal(9, 2)", "UInt8"]), "Decimal(9, 2)");
        assert_eq!(common(&["Decimal(9, 2)", "UInt64"]), "Decimal(38, 2)");
        assert_eq!(common(&["Decimal(9, 2)", "Float64"]), "NO_COMMON_TYPE");
        assert_eq!(common(&["LowCardinality(String)", "String"]), "String");
        assert_eq!(common(&["Map(String, UInt8)", "Map(String, UInt16)"]), "Map(String, UInt16)");
    }
}
