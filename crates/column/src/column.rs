//! The closed enum of columns, and everything that does not depend on an operation: length,
//! representation.

use std::sync::Arc;

use entasis_types::{AnyNumber, DataType, Physical, i256, u256};

use crate::{
    ArrayColumn, Bitmap, Buffer, ConstColumn, DictColumn, FixedStrings, NullableColumn, Strings,
    TupleColumn, VariantColumn,
};

/// A column of values in one physical layout. Cloning shares memory.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Column {
    /// This many values of the type that has no values. They only occur under NULL and in empty
    /// arrays.
    Nothing(usize),
    UInt8(Buffer<u8>),
    UInt16(Buffer<u16>),
    UInt32(Buffer<u32>),
    UInt64(Buffer<u64>),
    UInt128(Buffer<u128>),
    UInt256(Buffer<u256>),
    Int8(Buffer<i8>),
    Int16(Buffer<i16>),
    Int32(Buffer<i32>),
    Int64(Buffer<i64>),
    Int128(Buffer<i128>),
    Int256(Buffer<i256>),
    Float32(Buffer<f32>),
    Float64(Buffer<f64>),
    String(Strings),
    Fixed(FixedStrings),
    Nullable(Arc<NullableColumn>),
    Array(Arc<ArrayColumn>),
    Tuple(Arc<TupleColumn>),
    Variant(Arc<VariantColumn>),
    /// Representation, not layout: one value for all rows.
    Const(Arc<ConstColumn>),
    /// Representation, not layout: codes into a dictionary.
    Dict(Arc<DictColumn>),
}

/// Numbers that columns store directly.
pub trait Native:
    AnyNumber + Default + PartialOrd + Send + Sync + std::fmt::Debug + 'static
{
    /// The layout that holds this number.
    const PHYSICAL: Physical;
    /// A column of these values.
    fn column(values: Buffer<Self>) -> Column;
    /// The values of a column of this layout; `None` for any other.
    fn values(column: &Column) -> Option<&Buffer<Self>>;
    /// Whether this is zero.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::default()
    }
}

macro_rules! native {
    ($($ty:ty => $variant:ident),*) => {$(
        impl Native for $ty {
            const PHYSICAL: Physical = Physical::$variant;
            fn column(values: Buffer<Self>) -> Column {
                Column::$variant(values)
            }
            fn values(column: &Column) -> Option<&Buffer<Self>> {
                match column {
                    Column::$variant(values) => Some(values),
                    _ => None,
                }
            }
        }
        impl From<Vec<$ty>> for Column {
            fn from(values: Vec<$ty>) -> Self {
                Column::$variant(values.into())
            }
        }
    )*};
}

native!(u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64, u128 => UInt128, u256 => UInt256,
    i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64, i128 => Int128, i256 => Int256,
    f32 => Float32, f64 => Float64);

/// Runs `$body` with `$values` bound to the `Buffer<T>` of a column of numbers of at most 64 bits,
/// once per layout; `$other` for the rest.
#[macro_export]
macro_rules! match_number {
    ($column:expr, $values:ident => $body:expr, $other:pat => $rest:expr) => {
        match $column {
            $crate::Column::UInt8($values) => $body,
            $crate::Column::UInt16($values) => $body,
            $crate::Column::UInt32($values) => $body,
            $crate::Column::UInt64($values) => $body,
            $crate::Column::Int8($values) => $body,
            $crate::Column::Int16($values) => $body,
            $crate::Column::Int32($values) => $body,
            $crate::Column::Int64($values) => $body,
            $crate::Column::Float32($values) => $body,
            $crate::Column::Float64($values) => $body,
            $other => $rest,
        }
    };
}

/// [`match_number!`] with the numbers of 128 and 256 bits, which `as` does not convert: see
/// [`entasis_types::CastTo`].
#[macro_export]
macro_rules! match_native {
    ($column:expr, $values:ident => $body:expr, $other:pat => $rest:expr) => {
        match $column {
            $crate::Column::UInt128($values) => $body,
            $crate::Column::UInt256($values) => $body,
            $crate::Column::Int128($values) => $body,
            $crate::Column::Int256($values) => $body,
            column => $crate::match_number!(column, $values => $body, $other => $rest),
        }
    };
}

/// Runs `$body` with the type alias `$T` for the number type of a `Physical` of at most 64 bits;
/// `$rest` for the others.
#[macro_export]
macro_rules! match_number_physical {
    ($physical:expr, $T:ident => $body:expr, $other:pat => $rest:expr) => {{
        use entasis_types::Physical;
        match $physical {
            Physical::UInt8 => {
                type $T = u8;
                $body
            }
            Physical::UInt16 => {
                type $T = u16;
                $body
            }
            Physical::UInt32 => {
                type $T = u32;
                $body
            }
            Physical::UInt64 => {
                type $T = u64;
                $body
            }
            Physical::Int8 => {
                type $T = i8;
                $body
            }
            Physical::Int16 => {
                type $T = i16;
                $body
            }
            Physical::Int32 => {
                type $T = i32;
                $body
            }
            Physical::Int64 => {
                type $T = i64;
                $body
            }
            Physical::Float32 => {
                type $T = f32;
                $body
            }
            Physical::Float64 => {
                type $T = f64;
                $body
            }
            $other => $rest,
        }
    }};
}

/// [`match_number_physical!`] with the numbers of 128 and 256 bits, which `as` does not convert:
/// see [`entasis_types::CastTo`].
#[macro_export]
macro_rules! match_physical {
    ($physical:expr, $T:ident => $body:expr, $other:pat => $rest:expr) => {
        match $physical {
            entasis_types::Physical::UInt128 => {
                type $T = u128;
                $body
            }
            entasis_types::Physical::UInt256 => {
                type $T = entasis_types::u256;
                $body
            }
            entasis_types::Physical::Int128 => {
                type $T = i128;
                $body
            }
            entasis_types::Physical::Int256 => {
                type $T = entasis_types::i256;
                $body
            }
            physical => $crate::match_number_physical!(physical, $T => $body, $other => $rest),
        }
    };
}

impl Column {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match_native!(self, values => values.len(), other => match other {
            Self::Nothing(len) => *len,
            Self::String(strings) => strings.len(),
            Self::Fixed(fixed) => fixed.len(),
            Self::Nullable(nullable) => nullable.validity.len(),
            Self::Array(array) => array.len(),
            Self::Tuple(tuple) => tuple.len,
            Self::Variant(variant) => variant.len(),
            Self::Const(constant) => constant.len,
            Self::Dict(dict) => dict.codes.len(),
            _ => 0,
        })
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The layout of the values behind any representation.
    pub fn physical(&self) -> Physical {
        match self {
            Self::Nothing(_) => Physical::Nothing,
            Self::UInt8(_) => Physical::UInt8,
            Self::UInt16(_) => Physical::UInt16,
            Self::UInt32(_) => Physical::UInt32,
            Self::UInt64(_) => Physical::UInt64,
            Self::UInt128(_) => Physical::UInt128,
            Self::UInt256(_) => Physical::UInt256,
            Self::Int8(_) => Physical::Int8,
            Self::Int16(_) => Physical::Int16,
            Self::Int32(_) => Physical::Int32,
            Self::Int64(_) => Physical::Int64,
            Self::Int128(_) => Physical::Int128,
            Self::Int256(_) => Physical::Int256,
            Self::Float32(_) => Physical::Float32,
            Self::Float64(_) => Physical::Float64,
            Self::String(_) => Physical::String,
            Self::Fixed(fixed) => Physical::Fixed(fixed.width as u32),
            Self::Nullable(_) => Physical::Nullable,
            Self::Array(_) => Physical::Array,
            Self::Tuple(_) => Physical::Tuple,
            Self::Variant(_) => Physical::Variant,
            Self::Const(constant) => constant.value.physical(),
            Self::Dict(dict) => dict.dictionary.values.physical(),
        }
    }

    /// `len` times the one row of `value`, as a representation.
    pub fn constant(value: Self, len: usize) -> Self {
        debug_assert_eq!(value.len(), 1);
        match value {
            Self::Const(inner) => {
                Self::Const(Arc::new(ConstColumn { value: inner.value.clone(), len }))
            }
            value => Self::Const(Arc::new(ConstColumn { value: value.full(), len })),
        }
    }

    /// A nullable column; `values` may be of any representation and may itself be nullable, in
    /// which case both validities must hold.
    pub fn nullable(values: Self, validity: Bitmap) -> Self {
        match values.full() {
            Self::Nullable(inner) => {
                let validity = inner.validity.and(&validity);
                Self::Nullable(Arc::new(NullableColumn { validity, values: inner.values.clone() }))
            }
            values => Self::Nullable(Arc::new(NullableColumn { validity, values })),
        }
    }

    /// An array column over `n + 1` offsets.
    pub fn array(offsets: Buffer<u32>, values: Self) -> Self {
        debug_assert!(offsets[offsets.len() - 1] as usize <= values.len());
        Self::Array(Arc::new(ArrayColumn { offsets, values: values.full() }))
    }

    /// A tuple column.
    pub fn tuple(columns: Vec<Self>, len: usize) -> Self {
        let columns = columns.iter().map(Self::full).collect();
        Self::Tuple(Arc::new(TupleColumn { columns, len }))
    }

    /// A column of values of several types.
    pub fn variant(variant: VariantColumn) -> Self {
        debug_assert!(variant.is_valid());
        Self::Variant(Arc::new(variant))
    }

    /// Makes a column of dictionary codes.
    pub fn dict(codes: Buffer<u32>, dictionary: Arc<crate::Dictionary>) -> Self {
        Self::Dict(Arc::new(DictColumn { codes, dictionary }))
    }

    /// Whether the representation guarantees that all rows are equal.
    pub fn is_const(&self) -> bool {
        matches!(self, Self::Const(_))
    }

    /// The one-row column behind a Const.
    pub fn as_const(&self) -> Option<&Self> {
        match self {
            Self::Const(constant) => Some(&constant.value),
            _ => None,
        }
    }

    /// The values of a full numeric column of type `T`.
    pub fn native<T: Native>(&self) -> Option<&Buffer<T>> {
        T::values(self)
    }

    /// The strings of a full string column.
    pub fn strings(&self) -> Option<&Strings> {
        match self {
            Self::String(strings) => Some(strings),
            _ => None,
        }
    }

    /// Validity (if the column is nullable) and the plain values. Full columns only.
    pub fn split_nullable(&self) -> (Option<&Bitmap>, &Self) {
        match self {
            Self::Nullable(nullable) => (Some(&nullable.validity), &nullable.values),
            other => (None, other),
        }
    }

    /// Whether row `i` is NULL, in any representation.
    pub fn is_null(&self, i: usize) -> bool {
        match self {
            Self::Nullable(nullable) => !nullable.validity.get(i),
            Self::Variant(variant) => variant.discriminators[i] == crate::variant::NULL,
            Self::Const(constant) => constant.value.is_null(0),
            Self::Dict(dict) => dict.dictionary.values.is_null(dict.codes[i] as usize),
            _ => false,
        }
    }

    /// A boolean column as a mask: non-zero and not NULL. Numeric and nullable numeric columns in
    /// any representation; anything else is all zeros.
    pub fn to_mask(&self) -> Bitmap {
        match self {
            Self::UInt8(bytes) => Bitmap::from_bytes(bytes),
            Self::Const(constant) => {
                Bitmap::constant(constant.value.to_mask().get(0), constant.len)
            }
            Self::Dict(dict) => {
                let of_value = dict.dictionary.values.to_mask();
                of_value.take(&dict.codes)
            }
            Self::Nullable(nullable) => nullable.values.to_mask().and(&nullable.validity),
            other => match_native!(other,
                values => Bitmap::from_values(values, |v| !v.is_zero()),
                _ => Bitmap::constant(false, other.len())),
        }
    }

    /// A mask as a UInt8 column of 0 and 1.
    pub fn from_mask(mask: &Bitmap) -> Self {
        Self::from(mask.to_bytes())
    }

    /// A full column of `len` default values (zeros, empty, NULL) of a data type.
    pub fn default_of(ty: &DataType, len: usize) -> Self {
        match ty.storage() {
            DataType::Enum(_) => Self::from_value(ty, &ty.default_value(), len).full(),
            DataType::Nullable(inner) => {
                Self::nullable(Self::default_of(inner, len), Bitmap::constant(false, len))
            }
            DataType::Array(inner) => {
                Self::array(vec![0; len + 1].into(), Self::default_of(inner, 0))
            }
            DataType::Tuple(tuple) => {
                Self::tuple(tuple.types.iter().map(|t| Self::default_of(t, len)).collect(), len)
            }
            DataType::Variant(types) => Self::variant(VariantColumn {
                discriminators: vec![crate::variant::NULL; len].into(),
                offsets: vec![0; len].into(),
                variants: types.iter().map(|t| Self::default_of(t, 0)).collect(),
            }),
            other => match_physical!(other.physical(), T => Self::from(vec![T::default(); len]),
            physical => match physical {
                Physical::Fixed(width) => Self::Fixed(FixedStrings {
                    width: width as usize,
                    data: vec![0; len * width as usize].into(),
                }),
                Physical::Nothing => Self::Nothing(len),
                _ => Self::String(Strings::new(vec![0; len + 1].into(), Buffer::default())),
            }),
        }
    }

    /// Bytes that the values take; memory shared with other columns counts in full.
    pub fn byte_size(&self) -> usize {
        match_native!(self, values => values.byte_size(), other => match other {
            Self::String(strings) => strings.bytes().len() + 4 * strings.len() + 4,
            Self::Fixed(fixed) => fixed.data.len(),
            Self::Nullable(n) => n.validity.words().len() * 8 + n.values.byte_size(),
            Self::Array(a) => {
                let (first, last) = (a.offsets[0], a.offsets[a.len()]);
                let elements = a.values.slice(first as usize, (last - first) as usize);
                a.offsets.byte_size() + elements.byte_size()
            }
            Self::Tuple(tuple) => tuple.columns.iter().map(Self::byte_size).sum(),
            Self::Variant(variant) => variant.byte_size(),
            Self::Const(constant) => constant.value.byte_size(),
            Self::Dict(dict) => dict.codes.byte_size(),
            _ => 0,
        })
    }
}

impl From<Strings> for Column {
    fn from(strings: Strings) -> Self {
        Self::String(strings)
    }
}
