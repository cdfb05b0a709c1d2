//! Checks the arguments in the parentheses of type names.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::{AggregateType, DataType, EnumType};

/// A `SimpleAggregateFunction` of a function whose results can be combined by the same function.
pub fn simple_aggregate(aggregate: AggregateType) -> Result<DataType> {
    const KNOWN: &[&str] = &[
        "any",
        "any_respect_nulls",
        "anyLast",
        "anyLast_respect_nulls",
        "min",
        "max",
        "sum",
        "sumWithOverflow",
        "groupBitAnd",
        "groupBitOr",
        "groupBitXor",
        "sumMap",
        "minMap",
        "maxMap",
        "groupArrayArray",
        "groupArrayLastArray",
        "groupUniqArrayArray",
    ];
    if !KNOWN.contains(&&*aggregate.name) {
        let name = &aggregate.name;
        let message = format!(
            "Unsupported aggregate function {name} in SimpleAggregateFunction, supported are {}",
            KNOWN.join(", ")
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if aggregate.args.len() != 1 {
        let message = "SimpleAggregateFunction takes a function and one type";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    Ok(DataType::SimpleAggregateFunction(Arc::new(aggregate)))
}

/// A scale of DateTime64, at most 9.
pub fn check_scale(scale: u64) -> Result<u8> {
    if scale <= 9 {
        return Ok(scale as u8);
    }
    let message =
        format!("Scale {scale} is too large for DateTime64. Maximum is up to nanoseconds (9)");
    Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message))
}

/// Fails for types that cannot be a Map's keys.
pub fn check_map_key(key: &DataType) -> Result<()> {
    let is_float = key.is_float();
    if key.is_nullable() || is_float || matches!(key, DataType::AggregateFunction(_)) {
        let message = format!("Map cannot have a key of type {key}");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(())
}

/// An Enum with these numbers and names, in any order.
pub fn enum_type(wide: bool, mut values: Vec<(i16, Arc<str>)>) -> Result<DataType> {
    if values.is_empty() {
        let message = "Enum data type cannot be empty";
        return Err(Error::new(codes::EMPTY_DATA_PASSED, message));
    }
    values.sort_by_key(|(number, _)| *number);
    let twice = values.windows(2).find(|w| w[0].0 == w[1].0);
    if let Some([(number, a), (_, b)]) = twice {
        let message = format!("Duplicate values in enum: '{b}' = {number} and '{a}'");
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    let mut names: Vec<&(i16, Arc<str>)> = values.iter().collect();
    names.sort_by(|a, b| a.1.cmp(&b.1));
    if let Some([a, b]) = names.windows(2).find(|w| w[0].1 == w[1].1) {
        let message = format!("Duplicate names in enum: '{}' = {} and {}", a.1, a.0, b.0);
        return Err(Error::new(codes::SYNTAX_ERROR, message));
    }
    Ok(DataType::Enum(Arc::new(EnumType { wide, values })))
}
