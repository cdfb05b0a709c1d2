//! The rules of `Variant(T1, T2, ...)`: which types may stand in it, and in which order.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};

use crate::DataType;

/// Alternatives that a Variant has at most: the discriminator 255 is NULL.
const MAX_TYPES: usize = 255;

impl DataType {
    /// A Variant of these types, in any order and with repetitions.
    ///
    /// Fails with BAD_ARGUMENTS for no types, too many, and those that cannot be alternatives.
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

    /// The alternatives of a Variant.
    pub fn as_variant(&self) -> Option<&[Self]> {
        match self {
            Self::Variant(types) => Some(types),
            _ => None,
        }
    }

    /// Whether a Variant is in it: values of which have no order that follows their text or number.
    pub fn has_variant(&self) -> bool {
        match self {
            Self::Variant(_) => true,
            Self::Array(inner) | Self::Map(inner) => inner.has_variant(),
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

/// The discriminator of a type among a Variant's alternatives.
pub fn discriminator_of(types: &[DataType], ty: &DataType) -> Option<u8> {
    types.iter().position(|t| t == ty).map(|at| at as u8)
}

/// The Variant that holds all values of several types; the alternatives of those that are Variants
/// become its own.
///
/// Fails as [`DataType::variant`].
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
