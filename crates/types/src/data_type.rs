//! The closed set of data types and their physical layouts.

use std::fmt;
use std::sync::Arc;

use crate::{TimeZone, Value};

/// A data type. Cheap to clone: nested parts are shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// The type of no value: of `NULL` (inside Nullable) and of `[]`'s elements.
    Nothing,
    /// Unsigned, 8 bits; also the result of comparisons.
    UInt8,
    /// Unsigned, 16 bits.
    UInt16,
    /// Unsigned, 32 bits.
    UInt32,
    /// Unsigned, 64 bits.
    UInt64,
    /// Signed, 8 bits.
    Int8,
    /// Signed, 16 bits.
    Int16,
    /// Signed, 32 bits.
    Int32,
    /// Signed, 64 bits.
    Int64,
    /// IEEE 754 single.
    Float32,
    /// IEEE 754 double.
    Float64,
    /// `false` and `true`, stored as 0 and 1.
    Bool,
    /// Any bytes.
    String,
    /// Exactly so many bytes, padded with zero bytes.
    FixedString(u32),
    /// Days since 1970-01-01 in 16 bits.
    Date,
    /// Seconds since 1970-01-01 00:00:00 UTC in 32 bits; shown in the zone, or the session's.
    DateTime(Option<TimeZone>),
    /// A span of so many units, for date arithmetic.
    Interval(IntervalKind),
    /// The inner type or NULL. The inner type is never Nullable, Array or Tuple.
    Nullable(Arc<DataType>),
    /// A list of values of one type.
    Array(Arc<DataType>),
    /// A fixed row of values, with or without names.
    Tuple(Arc<TupleType>),
    /// The intermediate state of an aggregate function.
    AggregateFunction(Arc<AggregateType>),
}

/// Elements of a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TupleType {
    /// Element types, in order; may be empty.
    pub types: Vec<DataType>,
    /// Element names, as many as types, or none at all.
    pub names: Option<Vec<Arc<str>>>,
}

/// What an `AggregateFunction(name(params), args...)` type says.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateType {
    /// Name with combinators, `-State` left off: `uniqIf`.
    pub name: Arc<str>,
    /// Parameters, as in `quantiles(0.5, 0.9)`.
    pub params: Vec<Value>,
    /// Argument types.
    pub args: Vec<DataType>,
}

impl Eq for AggregateType {}

impl std::hash::Hash for AggregateType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.args.hash(state);
    }
}

/// The unit of an [`DataType::Interval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntervalKind {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl IntervalKind {
    /// Every unit.
    pub const ALL: [Self; 8] = [
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Quarter,
        Self::Year,
    ];

    /// `Second`, `Minute`, ...
    pub fn name(self) -> &'static str {
        match self {
            Self::Second => "Second",
            Self::Minute => "Minute",
            Self::Hour => "Hour",
            Self::Day => "Day",
            Self::Week => "Week",
            Self::Month => "Month",
            Self::Quarter => "Quarter",
            Self::Year => "Year",
        }
    }
}

/// How values of a type lie in memory: which variant of `column::Column` holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Physical {
    Nothing,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    /// Offsets and bytes. Aggregate states are stored so as well.
    String,
    /// Fixed width, in bytes.
    Fixed(u32),
    Nullable,
    Array,
    Tuple,
}

impl DataType {
    /// The layout of this type's values.
    pub fn physical(&self) -> Physical {
        match self {
            Self::Nothing => Physical::Nothing,
            Self::UInt8 | Self::Bool => Physical::UInt8,
            Self::UInt16 | Self::Date => Physical::UInt16,
            Self::UInt32 | Self::DateTime(_) => Physical::UInt32,
            Self::UInt64 => Physical::UInt64,
            Self::Int8 => Physical::Int8,
            Self::Int16 => Physical::Int16,
            Self::Int32 => Physical::Int32,
            Self::Int64 | Self::Interval(_) => Physical::Int64,
            Self::Float32 => Physical::Float32,
            Self::Float64 => Physical::Float64,
            Self::String | Self::AggregateFunction(_) => Physical::String,
            Self::FixedString(width) => Physical::Fixed(*width),
            Self::Nullable(_) => Physical::Nullable,
            Self::Array(_) => Physical::Array,
            Self::Tuple(_) => Physical::Tuple,
        }
    }

    /// `Nullable(inner)`, also where `inner` is Nullable already.
    #[must_use]
    pub fn nullable(inner: Self) -> Self {
        match inner {
            Self::Nullable(_) => inner,
            other => Self::Nullable(Arc::new(other)),
        }
    }

    /// The type of `NULL`.
    pub fn null() -> Self {
        Self::Nullable(Arc::new(Self::Nothing))
    }

    /// `Array(element)`.
    pub fn array(element: Self) -> Self {
        Self::Array(Arc::new(element))
    }

    /// An unnamed tuple.
    pub fn tuple(types: Vec<Self>) -> Self {
        Self::Tuple(Arc::new(TupleType { types, names: None }))
    }

    /// The type without an outer Nullable.
    #[must_use]
    pub fn without_nullable(&self) -> &Self {
        match self {
            Self::Nullable(inner) => inner,
            other => other,
        }
    }

    /// Whether NULL is a value of this type.
    pub fn is_nullable(&self) -> bool {
        matches!(self, Self::Nullable(_))
    }

    /// Whether this is the type of the literal NULL.
    pub fn is_null_literal(&self) -> bool {
        matches!(self, Self::Nullable(inner) if **inner == Self::Nothing)
    }

    /// Whether `Nullable(self)` is allowed.
    pub fn can_be_nullable(&self) -> bool {
        !matches!(
            self,
            Self::Nullable(_) | Self::Array(_) | Self::Tuple(_) | Self::AggregateFunction(_)
        )
    }

    /// Integers of any width (not Bool, not Date).
    pub fn is_integer(&self) -> bool {
        self.is_unsigned() || self.is_signed()
    }

    /// `UInt8` to `UInt64`.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, Self::UInt8 | Self::UInt16 | Self::UInt32 | Self::UInt64)
    }

    /// `Int8` to `Int64`.
    pub fn is_signed(&self) -> bool {
        matches!(self, Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64)
    }

    /// `Float32` and `Float64`.
    pub fn is_float(&self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// Integers, floats and Bool: what arithmetic takes as it is.
    pub fn is_number(&self) -> bool {
        self.is_integer() || self.is_float() || *self == Self::Bool
    }

    /// `Date` and `DateTime`.
    pub fn is_date_or_time(&self) -> bool {
        matches!(self, Self::Date | Self::DateTime(_))
    }

    /// `String` and `FixedString`.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String | Self::FixedString(_))
    }

    /// Bytes per value of a fixed-width type.
    pub fn fixed_width(&self) -> Option<usize> {
        Some(match self.physical() {
            Physical::UInt8 | Physical::Int8 => 1,
            Physical::UInt16 | Physical::Int16 => 2,
            Physical::UInt32 | Physical::Int32 | Physical::Float32 => 4,
            Physical::UInt64 | Physical::Int64 | Physical::Float64 => 8,
            Physical::Fixed(width) => width as usize,
            _ => return None,
        })
    }

    /// The value that a column of this type has where none was given.
    pub fn default_value(&self) -> Value {
        match self {
            Self::Nothing | Self::Nullable(_) => Value::Null,
            Self::Float32 | Self::Float64 => Value::Float(0.0),
            Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64 | Self::Interval(_) => {
                Value::Int(0)
            }
            Self::String | Self::AggregateFunction(_) => Value::string(b""),
            Self::FixedString(width) => Value::string(&vec![0; *width as usize]),
            Self::Array(_) => Value::Array(Arc::from([])),
            Self::Tuple(t) => Value::Tuple(t.types.iter().map(Self::default_value).collect()),
            _ => Value::UInt(0),
        }
    }
}

impl fmt::Display for DataType {
    /// The name as the reference prints it: `Array(Nullable(UInt8))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::name::write_type_name(f, self)
    }
}
