//! A single value: literals, parameters, defaults, scalar results. It is never used in a hot path.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::wide::{CastTo, compare_signed, compare_unsigned, i256, u256};

/// A value without its type. Where the type matters, it is kept beside the value.
#[derive(Clone, Debug)]
pub enum Value {
    /// NULL.
    Null,
    /// Unsigned integers, Bool, Date (days) and DateTime (seconds).
    UInt(u64),
    /// Signed integers and intervals, and the bits of enums, decimals and 64-bit times.
    Int(i64),
    /// Integers that fit into neither of these, and bits of such decimals.
    Wide(i256),
    /// Unsigned integers from 2 to the power of 255 on.
    Huge(u256),
    /// Float32 and Float64.
    Float(f64),
    /// String, FixedString and aggregate states.
    String(Arc<[u8]>),
    /// Array elements.
    Array(Arc<[Value]>),
    /// Tuple elements.
    Tuple(Arc<[Value]>),
    /// A value of a Variant: the number of its alternative, and the value. NULL is [`Self::Null`].
    Variant(u8, Arc<Value>),
}

impl Value {
    /// A string value.
    pub fn string(bytes: &[u8]) -> Self {
        Self::String(Arc::from(bytes))
    }

    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value as an unsigned integer, if it is a whole number that fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::UInt(v) => Some(*v),
            Self::Int(v) => u64::try_from(*v).ok(),
            Self::Wide(v) => u64::try_from(*v).ok(),
            Self::Float(v) if *v >= 0.0 && v.fract() == 0.0 && *v < 1.8e19 => Some(*v as u64),
            _ => None,
        }
    }

    /// The value as a signed integer, if it is a whole number that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::UInt(v) => i64::try_from(*v).ok(),
            Self::Int(v) => Some(*v),
            Self::Float(v) if v.fract() == 0.0 && v.abs() < 9.2e18 => Some(*v as i64),
            _ => None,
        }
    }

    /// The value as a float, if it is a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::UInt(v) => Some(*v as f64),
            Self::Int(v) => Some(*v as f64),
            Self::Wide(v) => Some((*v).cast_to()),
            Self::Huge(v) => Some((*v).cast_to()),
            Self::Float(v) => Some(*v),
            _ => None,
        }
    }

    /// A signed number of any width.
    pub fn signed(number: impl CastTo<i256>) -> Self {
        let number = number.cast_to();
        i64::try_from(number).map_or(Self::Wide(number), Self::Int)
    }

    /// An unsigned number of any width.
    pub fn unsigned(number: u256) -> Self {
        match (u64::try_from(number), i256::try_from(number)) {
            (Ok(number), _) => Self::UInt(number),
            (_, Ok(number)) => Self::Wide(number),
            _ => Self::Huge(number),
        }
    }

    /// The bits of a value of a type that is [`crate::TextType`].
    pub fn as_bits(&self) -> Option<i128> {
        match self {
            Self::UInt(v) => Some(i128::from(*v)),
            Self::Int(v) => Some(i128::from(*v)),
            Self::Wide(v) => i128::try_from(*v).ok(),
            Self::String(bytes) => Some(i128::from_be_bytes(bytes.as_ref().try_into().ok()?)),
            _ => None,
        }
    }

    /// The bytes of a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::String(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl PartialEq for Value {
    /// Equality of kind and value. Numbers are compared across kinds; NaN equals NaN, and NULL
    /// equals NULL.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) | (Self::Tuple(a), Self::Tuple(b)) => a == b,
            (Self::Variant(d, a), Self::Variant(e, b)) => d == e && a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits() || a == b,
            _ => self.compare_numbers(other) == Some(Ordering::Equal),
        }
    }
}

impl Value {
    /// Exact comparison of two numbers of any kind; `None` if one is not a number, or is NaN.
    pub fn compare_numbers(&self, other: &Self) -> Option<Ordering> {
        let integer = |v: &Self| match v {
            Self::UInt(v) => Some(i256::from(*v)),
            Self::Int(v) => Some(i256::from(*v)),
            Self::Wide(v) => Some(*v),
            _ => None,
        };
        match (integer(self), integer(other)) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            (Some(_), None) if matches!(other, Self::Huge(_)) => Some(Ordering::Less),
            (None, Some(_)) if matches!(self, Self::Huge(_)) => Some(Ordering::Greater),
            _ => match (self, other) {
                (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
                (Self::Huge(a), Self::Huge(b)) => Some(a.cmp(b)),
                (Self::Huge(a), Self::Float(b)) => compare_unsigned(*a, *b),
                (Self::Float(a), Self::Huge(b)) => compare_unsigned(*b, *a).map(Ordering::reverse),
                (a, Self::Float(b)) => compare_signed(integer(a)?, *b),
                (Self::Float(a), b) => compare_signed(integer(b)?, *a).map(Ordering::reverse),
                _ => None,
            },
        }
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::string(s.as_bytes())
    }
}
