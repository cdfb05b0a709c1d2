//! The rules of `Variant(T1, T2, ...)`: which types it may contain, and in which order.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::DataType;

/// The largest number of alternatives; the discriminator 255 means NULL.
const MAX_TYPES: usize = 255;

impl DataType {
    /// A Variant of these types, in any order and with repetitions.
    ///
    /// Fails with BAD_ARGUMENTS if there are no types or too many, and for types that cannot be
    /// alternatives.
    pub fn variant(mut types: Vec<Self>) -> Result<Self> {
        let refuse = |message: &str| Err(Error::new(codes::BAD_ARGUMENTS, message));
        if types.is_empty() {
            return refuse("Variant type should have at least one nested type");
        }
        for ty in &types {
            if ty.is_nullable() {
                return refuse(
                    "Nullable/LowCardinality(Nullable) types are not allowed inside Variant type: \
                     a Variant can be NULL by itself",
                );
            }
            if matches!(ty, Self::Variant(_)) {
                return refuse("Nested Variant types are not allowed: list all types in one");
            }
        }
        types.sort_by_cached_key(ToString::to_string);
        types.dedup();
        types.retain(|ty| *ty != Self::Nothing);
        if types.len() > MAX_TYPES {
            return refuse("Variant type with more than 255 nested types is not allowed");
        }
        Ok(Self::Variant(Arc::from(types)))
    }

    /// Whether values can be NULL: the type is Nullable or a Variant.
    pub fn has_null(&self) -> bool {
        self.is_nullable() || matches!(self, Self::Variant(_))
    }

    /// The alternatives of a Variant.
    pub fn as_variant(&self) -> Option<&[Self]> {
        match self {
            Self::Variant(types) => Some(types),
            _ => None,
        }
    }

    /// Whether the type contains a Variant. The order of its values then follows neither their text
    /// nor their number.
    pub fn has_variant(&self) -> bool {
        match self {
            Self::Variant(_) => true,
            Self::Array(inner) | Self::Map(inner) | Self::Nested(inner) => inner.has_variant(),
            Self::Tuple(tuple) => tuple.types.iter().any(Self::has_variant),
            _ => false,
        }
    }

    /// The type of `variantElement`: the alternative, Nullable if it can be.
    #[must_use]
    pub fn as_variant_element(&self) -> Self {
        match self {
            Self::LowCardinality(_) => Self::nullable(self.clone()),
            ty if ty.can_be_nullable() => Self::nullable(ty.clone()),
            ty => ty.clone(),
        }
    }
}

/// Fails with ILLEGAL_COLUMN if the type contains a Variant with two alternatives that have a
/// common type. The alternative that a value gets would then be arbitrary.
pub fn check_suspicious(ty: &DataType) -> Result<()> {
    match ty {
        DataType::Array(inner) | DataType::Map(inner) | DataType::Nested(inner) => {
            check_suspicious(inner)
        }
        DataType::Tuple(tuple) => tuple.types.iter().try_for_each(check_suspicious),
        DataType::Variant(types) => {
            for (i, a) in types.iter().enumerate() {
                for b in &types[i + 1..] {
                    check_pair(ty, a, b)?;
                }
            }
            types.iter().try_for_each(check_suspicious)
        }
        _ => Ok(()),
    }
}

fn check_pair(ty: &DataType, a: &DataType, b: &DataType) -> Result<()> {
    let Ok(common) = crate::common_type_of_two(a, b) else { return Ok(()) };
    if [a, b].contains(&&DataType::Bool) {
        return Ok(());
    }
    let message = format!(
        "Cannot create column with type '{ty}' because variants '{a}' and '{b}' have similar types \
         and working with values of these types may lead to ambiguity. Consider using common \
         single variant '{common}' instead of these 2 variants or set setting \
         allow_suspicious_variant_types = 1 in order to allow it"
    );
    Err(Error::new(codes::ILLEGAL_COLUMN, message))
}

/// The discriminator of a type among a Variant's alternatives.
pub fn discriminator_of(types: &[DataType], ty: &DataType) -> Option<u8> {
    types.iter().position(|t| t == ty).map(|at| at as u8)
}

/// The Variant that holds all values of several types. Alternatives of those that are Variants
/// become alternatives of the result.
///
/// Fails like [`DataType::variant`].
pub fn variant_of(types: &[DataType]) -> Result<DataType> {
    let mut all = Vec::new();
    for ty in types {
        match ty {
            DataType::Variant(inner) => all.extend(inner.iter().cloned()),
            DataType::LowCardinality(inner) if inner.is_nullable() => {
                all.push(DataType::LowCardinality(Arc::new(inner.without_nullable().clone())));
            }
            ty if ty.is_null_literal() => {}
            DataType::Nullable(inner) => all.push(inner.as_ref().clone()),
            ty => all.push(ty.clone()),
        }
    }
    DataType::variant(all)
}

/// The discriminators in the order in which text is tried as one of the alternatives; the first
/// that accepts the whole text is its type. Narrower types come first, and String, which accepts
/// any text, comes last.
pub fn reading_order(types: &[DataType]) -> Vec<u8> {
    let mut order: Vec<u8> = (0..types.len() as u8).collect();
    order.sort_by_key(|&d| {
        let ty = &types[usize::from(d)];
        (std::cmp::Reverse(depth(ty)), rank(ty.storage()))
    });
    order
}

/// How deeply a type is nested.
fn depth(ty: &DataType) -> usize {
    match ty {
        DataType::Array(inner) => 1 + depth(inner),
        DataType::Map(_) => ty.as_map().map_or(1, |(key, value)| 1 + depth(key).max(depth(value))),
        DataType::Tuple(tuple) => 1 + tuple.types.iter().map(depth).max().unwrap_or(0),
        DataType::Nullable(inner) | DataType::LowCardinality(inner) | DataType::Nested(inner) => {
            depth(inner)
        }
        _ => 0,
    }
}

fn rank(ty: &DataType) -> usize {
    match ty {
        DataType::Tuple(_) => 0,
        DataType::Map(_) | DataType::Array(_) | DataType::Nested(_) => 1,
        DataType::Enum(_) => 2,
        DataType::Bool => 3,
        DataType::Int8 => 4,
        DataType::UInt8 => 5,
        DataType::Int16 => 6,
        DataType::UInt16 => 7,
        DataType::Int32 => 8,
        DataType::UInt32 => 9,
        DataType::Int64 => 10,
        DataType::UInt64 => 11,
        DataType::Int128 => 12,
        DataType::UInt128 => 13,
        DataType::Int256 => 14,
        DataType::UInt256 => 15,
        DataType::Decimal(precision, _) => 20 + usize::from(*precision),
        DataType::Float32 => 200,
        DataType::Float64 => 201,
        DataType::Date => 210,
        DataType::Date32 => 211,
        DataType::DateTime(_) => 212,
        DataType::DateTime64(scale, _) => 220 + usize::from(*scale),
        DataType::FixedString(_) => 260,
        DataType::String => 270,
        _ => 255,
    }
}
