//! Checks of the number of arguments, types and parameters, with the error codes of the reference;
//! typed access to argument columns.

use entasis_base::{Error, Result, codes};
use entasis_column::{Buffer, Column, Native, Strings};
use entasis_types::{DataType, Value, i256, u256};

use crate::AggregateArgs;

/// Fails unless there are exactly `count` arguments.
pub fn expect_count(name: &str, args: AggregateArgs<'_>, count: usize) -> Result<()> {
    if args.types.len() == count {
        return Ok(());
    }
    let wants = match count {
        1 => "single argument".to_string(),
        2 => "two arguments".to_string(),
        n => format!("{n} arguments"),
    };
    Err(wrong_count(format!("Aggregate function {name} requires {wants}")))
}

/// The error NUMBER_OF_ARGUMENTS_DOESNT_MATCH.
#[cold]
pub fn wrong_count(message: impl Into<String>) -> Error {
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}

/// Fails if there are parameters.
pub fn expect_no_params(name: &str, args: AggregateArgs<'_>) -> Result<()> {
    if args.params.is_empty() {
        return Ok(());
    }
    let message = format!("Aggregate function {name} cannot have parameters");
    Err(Error::new(codes::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS, message))
}

/// Combines [`expect_no_params`] and [`expect_count`].
pub fn expect_plain(name: &str, args: AggregateArgs<'_>, count: usize) -> Result<()> {
    expect_no_params(name, args)?;
    expect_count(name, args, count)
}

/// The error ILLEGAL_TYPE_OF_ARGUMENT.
#[cold]
pub fn illegal_type(name: &str, ty: &DataType) -> Error {
    Error::new(
        codes::ILLEGAL_TYPE_OF_ARGUMENT,
        format!("Illegal type {ty} of argument for aggregate function {name}"),
    )
}

/// Fails for types that contain a Variant, because the order of their values has no meaning.
pub fn refuse_variants(name: &str, ty: &DataType) -> Result<()> {
    if !ty.has_variant() {
        return Ok(());
    }
    let message = format!(
        "Illegal type {ty} of argument of aggregate function {name} because the values of that \
         data type can contain values with different data types. Consider using typed subcolumns \
         or cast column to a specific data type"
    );
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

/// A parameter that must be a whole number above zero.
pub fn positive_param(name: &str, value: &Value) -> Result<u64> {
    value.as_u64().filter(|&v| v > 0 && v <= u64::from(u32::MAX)).ok_or_else(|| {
        let message =
            format!("Parameter for aggregate function {name} should be a positive number");
        Error::new(codes::BAD_ARGUMENTS, message)
    })
}

/// The logical error for columns whose types are not those that were bound.
#[cold]
pub fn mismatch() -> Error {
    Error::logical("an aggregate's argument is not of the type it was bound to")
}

/// The values of argument `i`, in full.
pub fn native<T: Native>(args: &[Column], i: usize) -> Result<Buffer<T>> {
    let column = args.get(i).ok_or_else(mismatch)?;
    T::values(&column.full()).cloned().ok_or_else(mismatch)
}

/// The strings of argument `i`, in full.
pub fn strings(args: &[Column], i: usize) -> Result<Strings> {
    let column = args.get(i).ok_or_else(mismatch)?;
    column.full().strings().cloned().ok_or_else(mismatch)
}

/// The error for a serialised state that is cut off.
#[cold]
pub fn cut_off() -> Error {
    Error::new(codes::CANNOT_READ_ALL_DATA, "Cannot read aggregate state: it is cut off")
}

/// Takes `n` bytes off the front.
#[inline]
pub fn take<'a>(input: &mut &'a [u8], n: usize) -> Result<&'a [u8]> {
    if n > input.len() {
        return Err(cut_off());
    }
    let (head, tail) = input.split_at(n);
    *input = tail;
    Ok(head)
}

/// Takes a fixed number of bytes off the front.
pub fn take_array<const N: usize>(input: &mut &[u8]) -> Result<[u8; N]> {
    let (head, tail) = input.split_first_chunk::<N>().ok_or_else(cut_off)?;
    *input = tail;
    Ok(*head)
}

/// Numbers as little-endian bytes.
pub trait Bytes: Sized {
    /// Appends the bytes.
    fn put(self, out: &mut Vec<u8>);
    /// Takes them off the front.
    fn get(input: &mut &[u8]) -> Result<Self>;
}

macro_rules! bytes {
    ($($t:ty),*) => {$(impl Bytes for $t {
        #[inline]
        fn put(self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_le_bytes());
        }
        #[inline]
        fn get(input: &mut &[u8]) -> Result<Self> {
            Ok(<$t>::from_le_bytes(take_array(input)?))
        }
    })*};
}

bytes!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256, f32, f64);
