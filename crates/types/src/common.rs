//! The common type of several: what `[a, b]`, `if`, `UNION ALL` and comparisons convert to.
//!
//! Rules as the reference has them, minus its last resort: where it answers `Variant`, this answers
//! NO_COMMON_TYPE.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

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

/// [`common_type`] of two.
pub fn common_type_of_two(a: &DataType, b: &DataType) -> Result<DataType> {
    combine(a, b).ok_or_else(|| no_common(&[a.clone(), b.clone()]))
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
        Array, Bool, Date, DateTime, FixedString, Nothing, Nullable, String, Tuple, UInt8,
    };
    if a == b {
        return Some(a.clone());
    }
    match (a, b) {
        (Nothing, other) | (other, Nothing) => Some(other.clone()),
        (Nullable(_), _) | (_, Nullable(_)) => {
            let inner = combine(a.without_nullable(), b.without_nullable())?;
            inner.can_be_nullable().then(|| DataType::nullable(inner))
        }
        (Array(x), Array(y)) => Some(DataType::array(combine(x, y)?)),
        (Tuple(x), Tuple(y)) => combine_tuples(x, y),
        (String | FixedString(_), String | FixedString(_)) => Some(String),
        (Date, DateTime(zone)) | (DateTime(zone), Date) => Some(DateTime(*zone)),
        (DateTime(x), DateTime(y)) => Some(DateTime(x.or(*y))),
        (Bool, other) | (other, Bool) if other.is_number() => match other {
            UInt8 => Some(Bool),
            _ => combine_numbers(&UInt8, other),
        },
        _ if a.is_number() && b.is_number() => combine_numbers(a, b),
        _ => None,
    }
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
    Some(match (signed, needed(a).max(needed(b))) {
        (false, 0..=8) => DataType::UInt8,
        (false, 9..=16) => DataType::UInt16,
        (false, 17..=32) => DataType::UInt32,
        (false, _) => DataType::UInt64,
        (true, 0..=8) => DataType::Int8,
        (true, 9..=16) => DataType::Int16,
        (true, 17..=32) => DataType::Int32,
        (true, 33..=64) => DataType::Int64,
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
        assert_eq!(common(&["UInt8", "String"]), "NO_COMMON_TYPE");
    }
}
