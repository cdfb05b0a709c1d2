//! The closed set of data types and their physical layouts.

use std::fmt;
use std::sync::Arc;

use crate::{IntervalKind, TimeZone, Value};

/// A data type. Cloning is cheap, because nested parts are shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// A type without values: the type of `NULL` (inside Nullable) and of the elements of `[]`.
    Nothing,
    /// Unsigned, 8 bits; also the result of comparisons.
    UInt8,
    /// Unsigned, 16 bits.
    UInt16,
    /// Unsigned, 32 bits.
    UInt32,
    /// Unsigned, 64 bits.
    UInt64,
    /// Unsigned, 128 bits.
    UInt128,
    /// Unsigned, 256 bits.
    UInt256,
    /// Signed, 8 bits.
    Int8,
    /// Signed, 16 bits.
    Int16,
    /// Signed, 32 bits.
    Int32,
    /// Signed, 64 bits.
    Int64,
    /// Signed, 128 bits.
    Int128,
    /// Signed, 256 bits.
    Int256,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
    /// `false` and `true`, stored as 0 and 1.
    Bool,
    /// Any bytes.
    String,
    /// Exactly this many bytes, padded with zero bytes.
    FixedString(u32),
    /// Days since 1970-01-01 in 16 bits.
    Date,
    /// Seconds since 1970-01-01 00:00:00 UTC in 32 bits. They are shown in this time zone, or in
    /// that of the session.
    DateTime(Option<TimeZone>),
    /// Days since 1970-01-01 in 32 bits, which may be negative.
    Date32,
    /// Ticks since 1970-01-01 00:00:00 UTC in 64 bits. The number says how many decimals of a
    /// second a tick has (0 to 9).
    DateTime64(u8, Option<TimeZone>),
    /// Precision (number of all digits, 1 to 38) and scale (number of digits after the point). A
    /// value is a whole number of units, in 32, 64 or 128 bits as the precision requires.
    Decimal(u8, u8),
    /// 128 bits, stored as 16 bytes in the order in which the reference compares.
    Uuid,
    /// An address of version 4, stored as its number.
    Ipv4,
    /// An address of version 6, stored as its 16 bytes, highest first.
    Ipv6,
    /// Names for small numbers, in 8 or 16 bits.
    Enum(Arc<EnumType>),
    /// A span of time in this unit, for date arithmetic.
    Interval(IntervalKind),
    /// The inner type, with few distinct values expected. It changes the name of the type but not
    /// the layout.
    LowCardinality(Arc<DataType>),
    /// The type of the argument, with a function with which merges combine values. It changes the
    /// name of the type but not the layout.
    SimpleAggregateFunction(Arc<AggregateType>),
    /// A map from keys to values. It contains the type in which it is stored, `Array(Tuple(keys K,
    /// values V))`.
    Map(Arc<DataType>),
    /// Rows of named columns; holds the type it is stored as, `Array(Tuple(a A, b B))`: a name, not
    /// a layout.
    Nested(Arc<DataType>),
    /// The inner type or NULL. The inner type is never Nullable, Array or Tuple.
    Nullable(Arc<DataType>),
    /// A list of values of one type.
    Array(Arc<DataType>),
    /// A fixed row of values, with or without names.
    Tuple(Arc<TupleType>),
    /// A value of one of several types, or NULL. The types are sorted by name, each once. The
    /// position of a type is the discriminator of the alternative.
    Variant(Arc<[DataType]>),
    /// The intermediate state of an aggregate function.
    AggregateFunction(Arc<AggregateType>),
}

/// Elements of a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TupleType {
    /// Element types, in order; may be empty.
    pub types: Vec<DataType>,
    /// Element names, as many as there are types; `None` if the elements have no names.
    pub names: Option<Vec<Arc<str>>>,
}

/// The names of an Enum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumType {
    /// Whether it is Enum16 and not Enum8.
    pub wide: bool,
    /// Numbers and names, sorted by number; at least one.
    pub values: Vec<(i16, Arc<str>)>,
}

impl EnumType {
    /// The name for a number.
    pub fn name_of(&self, number: i16) -> Option<&str> {
        let at = self.values.binary_search_by_key(&number, |(n, _)| *n).ok()?;
        Some(&self.values[at].1)
    }

    /// The number for a name.
    pub fn number_of(&self, name: &[u8]) -> Option<i16> {
        self.values.iter().find(|(_, n)| n.as_bytes() == name).map(|(number, _)| *number)
    }
}

/// The parts of `AggregateFunction(name(params), args...)`, or of a `SimpleAggregateFunction`,
/// which has one argument.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateType {
    /// Name with combinators, but without `-State`: `uniqIf`.
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

/// The layout of a type's values in memory, which determines the variant of `column::Column` that
/// holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Physical {
    Nothing,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    UInt128,
    UInt256,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Int256,
    Float32,
    Float64,
    /// Offsets and bytes. Aggregate states have this layout, too.
    String,
    /// Values of this many bytes.
    Fixed(u32),
    Nullable,
    Array,
    Tuple,
    Variant,
}

impl DataType {
    /// The layout of this type's values.
    pub fn physical(&self) -> Physical {
        match self {
            Self::Nothing => Physical::Nothing,
            Self::UInt8 | Self::Bool => Physical::UInt8,
            Self::UInt16 | Self::Date => Physical::UInt16,
            Self::UInt32 | Self::DateTime(_) | Self::Ipv4 => Physical::UInt32,
            Self::UInt64 => Physical::UInt64,
            Self::Enum(names) if names.wide => Physical::Int16,
            Self::Int8 | Self::Enum(_) => Physical::Int8,
            Self::Int16 => Physical::Int16,
            Self::Int32 | Self::Date32 | Self::Decimal(..=9, _) => Physical::Int32,
            Self::Int64 | Self::Interval(_) | Self::DateTime64(..) | Self::Decimal(..=18, _) => {
                Physical::Int64
            }
            Self::Int128 | Self::Decimal(..) => Physical::Int128,
            Self::Int256 => Physical::Int256,
            Self::UInt128 => Physical::UInt128,
            Self::UInt256 => Physical::UInt256,
            Self::Uuid | Self::Ipv6 => Physical::Fixed(16),
            Self::Float32 => Physical::Float32,
            Self::Float64 => Physical::Float64,
            Self::String | Self::AggregateFunction(_) => Physical::String,
            Self::FixedString(width) => Physical::Fixed(*width),
            Self::Nullable(_) => Physical::Nullable,
            Self::Array(_) | Self::Map(_) | Self::Nested(_) => Physical::Array,
            Self::Tuple(_) => Physical::Tuple,
            Self::Variant(_) => Physical::Variant,
            Self::LowCardinality(inner) => inner.physical(),
            Self::SimpleAggregateFunction(of) => of.args[0].physical(),
        }
    }

    /// The type without LowCardinality, SimpleAggregateFunction, Map and Nested around it: what
    /// code that follows the layout matches on.
    pub fn storage(&self) -> &Self {
        match self {
            Self::LowCardinality(inner) | Self::Map(inner) | Self::Nested(inner) => inner.storage(),
            Self::SimpleAggregateFunction(of) => of.args[0].storage(),
            other => other,
        }
    }

    /// `Map(key, value)`.
    pub fn map(key: Self, value: Self) -> Self {
        let names = Some(vec![Arc::from("keys"), Arc::from("values")]);
        let entry = Self::Tuple(Arc::new(TupleType { types: vec![key, value], names }));
        Self::Map(Arc::new(Self::array(entry)))
    }

    /// Key and value types of a Map.
    pub fn as_map(&self) -> Option<(&Self, &Self)> {
        let Self::Map(stored) = self else { return None };
        match stored.as_ref() {
            Self::Array(entry) => match entry.as_ref() {
                Self::Tuple(pair) => Some((pair.types.first()?, pair.types.get(1)?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type without any LowCardinality, SimpleAggregateFunction or Nested in it.
    #[must_use]
    pub fn without_low_cardinality(&self) -> Self {
        match self {
            Self::LowCardinality(inner) => inner.without_low_cardinality(),
            Self::SimpleAggregateFunction(of) => of.args[0].without_low_cardinality(),
            Self::Array(inner) => Self::array(inner.without_low_cardinality()),
            Self::Map(inner) => Self::Map(Arc::new(inner.without_low_cardinality())),
            Self::Nested(inner) => inner.without_low_cardinality(),
            Self::Tuple(tuple) => Self::Tuple(Arc::new(TupleType {
                types: tuple.types.iter().map(Self::without_low_cardinality).collect(),
                names: tuple.names.clone(),
            })),
            other => other.clone(),
        }
    }

    /// Whether a LowCardinality, SimpleAggregateFunction or Nested is in it.
    pub fn has_low_cardinality(&self) -> bool {
        match self {
            Self::LowCardinality(_) | Self::SimpleAggregateFunction(_) | Self::Nested(_) => true,
            Self::Array(inner) | Self::Map(inner) => inner.has_low_cardinality(),
            Self::Tuple(tuple) => tuple.types.iter().any(Self::has_low_cardinality),
            _ => false,
        }
    }

    /// Whether `LowCardinality(self)` is allowed.
    pub fn can_be_low_cardinality(&self) -> bool {
        let plain = self.without_nullable();
        plain.is_string()
            || plain.is_any_number()
            || matches!(plain, Self::Date | Self::DateTime(_))
            || matches!(plain, Self::Uuid | Self::Ipv4 | Self::Ipv6)
            || matches!(plain, Self::Interval(_))
    }

    /// `Nullable(inner)`; `inner` may already be Nullable.
    #[must_use]
    pub fn nullable(inner: Self) -> Self {
        match inner {
            Self::Nullable(_) => inner,
            Self::LowCardinality(of) => {
                Self::LowCardinality(Arc::new(Self::nullable(of.as_ref().clone())))
            }
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

    /// The type without an outer Nullable. If the Nullable is inside a LowCardinality, both are
    /// removed.
    #[must_use]
    pub fn without_nullable(&self) -> &Self {
        match self {
            Self::Nullable(inner) => inner,
            Self::LowCardinality(inner) => inner.without_nullable(),
            Self::SimpleAggregateFunction(of) => of.args[0].without_nullable(),
            other => other,
        }
    }

    /// Whether the type is Nullable. A Variant is not, although it can be NULL: see
    /// [`Self::has_null`].
    pub fn is_nullable(&self) -> bool {
        matches!(self.storage(), Self::Nullable(_))
    }

    /// Whether this is the type of the literal NULL.
    pub fn is_null_literal(&self) -> bool {
        matches!(self, Self::Nullable(inner) if **inner == Self::Nothing)
    }

    /// Whether `Nullable(self)` is allowed.
    pub fn can_be_nullable(&self) -> bool {
        !matches!(
            self,
            Self::Nullable(_)
                | Self::Array(_)
                | Self::Map(_)
                | Self::Nested(_)
                | Self::Tuple(_)
                | Self::Variant(_)
                | Self::LowCardinality(_)
                | Self::SimpleAggregateFunction(_)
                | Self::AggregateFunction(_)
        )
    }

    /// The type of a column of this type if some of its values are missing: it can be NULL, inside
    /// LowCardinality if necessary, where that is possible.
    #[must_use]
    pub fn when_missing(&self) -> Self {
        match self {
            Self::LowCardinality(_) => Self::nullable(self.clone()),
            other if other.can_be_nullable() => Self::nullable(other.clone()),
            other => other.clone(),
        }
    }

    /// Integers of at most 64 bits (not Bool, not Date). [`Self::is_any_integer`] also contains
    /// those of 128 and 256 bits.
    pub fn is_native_integer(&self) -> bool {
        (self.is_unsigned() || self.is_signed()) && !self.is_wide_integer()
    }

    /// Whether it is an integer of 128 or 256 bits. Functions accept these only if they say so.
    pub fn is_wide_integer(&self) -> bool {
        matches!(self, Self::Int128 | Self::Int256 | Self::UInt128 | Self::UInt256)
    }

    /// Integers of any width (not Bool, not Date).
    pub fn is_any_integer(&self) -> bool {
        self.is_unsigned() || self.is_signed()
    }

    /// `UInt8` to `UInt256`.
    pub fn is_unsigned(&self) -> bool {
        use DataType::{UInt8, UInt16, UInt32, UInt64, UInt128, UInt256};
        matches!(self, UInt8 | UInt16 | UInt32 | UInt64 | UInt128 | UInt256)
    }

    /// `Int8` to `Int256`.
    pub fn is_signed(&self) -> bool {
        use DataType::{Int8, Int16, Int32, Int64, Int128, Int256};
        matches!(self, Int8 | Int16 | Int32 | Int64 | Int128 | Int256)
    }

    /// `Float32` and `Float64`.
    pub fn is_float(&self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// Numbers of at most 64 bits: integers, floats and Bool. [`Self::is_any_number`] also contains
    /// the integers of 128 and 256 bits.
    pub fn is_native_number(&self) -> bool {
        self.is_native_integer() || self.is_float() || *self == Self::Bool
    }

    /// Whether it is an integer of any width, a float or Bool, which arithmetic accepts without
    /// conversion.
    pub fn is_any_number(&self) -> bool {
        self.is_native_number() || self.is_wide_integer()
    }

    /// `Date`, `Date32`, `DateTime` and `DateTime64`.
    pub fn is_date_or_time(&self) -> bool {
        self.is_date() || matches!(self, Self::DateTime(_) | Self::DateTime64(..))
    }

    /// `Date` and `Date32`.
    pub fn is_date(&self) -> bool {
        matches!(self, Self::Date | Self::Date32)
    }

    /// The time zone in the name of a time type.
    pub fn own_zone(&self) -> Option<TimeZone> {
        match self {
            Self::DateTime(zone) | Self::DateTime64(_, zone) => *zone,
            _ => None,
        }
    }

    /// `Decimal` of any precision.
    pub fn is_decimal(&self) -> bool {
        matches!(self, Self::Decimal(..))
    }

    /// `String` and `FixedString`.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String | Self::FixedString(_))
    }

    /// Whether values are quoted when they are elements of an array.
    pub fn is_quoted(&self) -> bool {
        self.is_string()
            || self.is_date_or_time()
            || matches!(self, Self::Enum(_) | Self::Uuid | Self::Ipv4 | Self::Ipv6)
    }

    /// Bytes per value of a fixed-width type.
    pub fn fixed_width(&self) -> Option<usize> {
        Some(match self.physical() {
            Physical::UInt8 | Physical::Int8 => 1,
            Physical::UInt16 | Physical::Int16 => 2,
            Physical::UInt32 | Physical::Int32 | Physical::Float32 => 4,
            Physical::UInt64 | Physical::Int64 | Physical::Float64 => 8,
            Physical::UInt128 | Physical::Int128 => 16,
            Physical::UInt256 | Physical::Int256 => 32,
            Physical::Fixed(width) => width as usize,
            _ => return None,
        })
    }

    /// The value of a column of this type if none was given.
    pub fn default_value(&self) -> Value {
        self.default_with(0)
    }

    /// The value in a column if none was given: [`Self::default_value`], except that it is
    /// 1900-01-01 for Date32.
    pub fn column_default(&self) -> Value {
        self.default_with(crate::text_type::FIRST_DATE32.into())
    }

    fn default_with(&self, first_date32: i64) -> Value {
        match self.storage() {
            Self::Nothing | Self::Nullable(_) | Self::Variant(_) => Value::Null,
            Self::Float32 | Self::Float64 => Value::Float(0.0),
            Self::Enum(names) => Value::Int(names.values.first().map_or(0, |v| v.0.into())),
            Self::Uuid | Self::Ipv6 => Value::string(&[0; 16]),
            Self::Int8
            | Self::Int16
            | Self::Int32
            | Self::Int64
            | Self::Int128
            | Self::Int256
            | Self::DateTime64(..)
            | Self::Decimal(..)
            | Self::Interval(_) => Value::Int(0),
            Self::Date32 => Value::Int(first_date32),
            Self::String | Self::AggregateFunction(_) => Value::string(b""),
            Self::FixedString(width) => Value::string(&vec![0; *width as usize]),
            Self::Array(_) => Value::Array(Arc::from([])),
            Self::Tuple(t) => {
                Value::Tuple(t.types.iter().map(|t| t.default_with(first_date32)).collect())
            }
            _ => Value::UInt(0),
        }
    }
}

impl fmt::Display for DataType {
    /// The name as the reference prints it: `Array(Nullable(UInt8))`. With `{:#}` the elements of
    /// named tuples are on lines of their own, as in `toTypeName`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::name::write_type_name(f, self)
    }
}
