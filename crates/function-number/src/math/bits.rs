//! Bit operations on integers.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, match_native};
use entasis_types::{DataType, Physical, i256, u256};

use entasis_function::{Arg, BoundKernel, FunctionDef, Nulls};
use entasis_function_kernel::kernel::{
    Number, Side, bytes_at, constant, illegal_type, illegal_types, map_side, zip, zip_sides,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    RotateLeft,
    RotateRight,
}

/// Integers, seen as bits.
trait Bits: Number {
    fn combine(op: Op, a: &Column, b: &Column, rows: usize) -> Result<Column>;
    /// `limit` is the width of the left argument's own type.
    fn shift(op: Op, a: &Column, by: &Side<i64>, limit: i64, rows: usize) -> Result<Column>;
    fn complement(self) -> Self;
    fn swap_bytes(self) -> Self;
}

macro_rules! bits {
    ($($ty:ty),*) => {$(
        impl Bits for $ty {
            fn combine(op: Op, a: &Column, b: &Column, rows: usize) -> Result<Column> {
                match op {
                    Op::And => zip(a, b, rows, |a: $ty, b: $ty| a & b),
                    Op::Or => zip(a, b, rows, |a: $ty, b: $ty| a | b),
                    _ => zip(a, b, rows, |a: $ty, b: $ty| a ^ b),
                }
            }

            fn shift(
                op: Op,
                a: &Column,
                by: &Side<i64>,
                limit: i64,
                rows: usize,
            ) -> Result<Column> {
                let a = Side::<$ty>::read(a)?;
                Ok(match op {
                    Op::ShiftLeft => zip_sides(&a, by, rows, |a: $ty, n: i64| {
                        if n >= limit { <$ty>::default() } else { a.wrapping_shl(n as u32) }
                    }),
                    Op::ShiftRight => zip_sides(&a, by, rows, |a: $ty, n: i64| {
                        if n >= limit { <$ty>::default() } else { a.wrapping_shr(n as u32) }
                    }),
                    Op::RotateLeft => {
                        zip_sides(&a, by, rows, |a: $ty, n: i64| a.rotate_left(n as u32))
                    }
                    _ => zip_sides(&a, by, rows, |a: $ty, n: i64| a.rotate_right(n as u32)),
                })
            }

            fn complement(self) -> Self {
                !self
            }
            fn swap_bytes(self) -> Self {
                <$ty>::swap_bytes(self)
            }
        }
    )*};
}

bits!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256);

/// Runs `$body` with `$T` for the integer type of a layout.
macro_rules! match_integer {
    ($physical:expr, $T:ident => $body:expr) => {
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
            Physical::UInt128 => {
                type $T = u128;
                $body
            }
            Physical::UInt256 => {
                type $T = u256;
                $body
            }
            Physical::Int128 => {
                type $T = i128;
                $body
            }
            Physical::Int256 => {
                type $T = i256;
                $body
            }
            _ => Err(Error::logical("bits of what is no integer")),
        }
    };
}

fn is_whole(ty: &DataType) -> bool {
    ty.is_any_integer() || *ty == DataType::Bool
}

/// As wide as the wider argument, signed if either is.
fn result_type(a: &DataType, b: &DataType) -> DataType {
    let width = a.fixed_width().max(b.fixed_width()).unwrap_or(8);
    match (a.is_signed() || b.is_signed(), width) {
        (false, 1) => DataType::UInt8,
        (false, 2) => DataType::UInt16,
        (false, 4) => DataType::UInt32,
        (false, 8) => DataType::UInt64,
        (false, 16) => DataType::UInt128,
        (false, _) => DataType::UInt256,
        (true, 1) => DataType::Int8,
        (true, 2) => DataType::Int16,
        (true, 4) => DataType::Int32,
        (true, 8) => DataType::Int64,
        (true, 16) => DataType::Int128,
        (true, _) => DataType::Int256,
    }
}

#[cold]
fn not_wide(what: &str) -> Error {
    Error::not_implemented(format!("{what} integers of 128 and 256 bits"))
}

fn binary(name: &str, op: Op, args: &[Arg]) -> Result<BoundKernel> {
    let (a, b) = (&args[0].ty, &args[1].ty);
    if !is_whole(a) || !is_whole(b) {
        return Err(illegal_types(name, a, b));
    }
    match op {
        Op::RotateLeft | Op::RotateRight if a.is_wide_integer() || b.is_wide_integer() => {
            return Err(not_wide("Rotating"));
        }
        Op::ShiftLeft | Op::ShiftRight if b.is_wide_integer() => {
            return Err(not_wide("Shifting by"));
        }
        _ => {}
    }
    let result = result_type(a, b);
    let to = result.physical();
    let limit = a.fixed_width().unwrap_or(8) as i64 * 8;
    Ok(BoundKernel::new(result, move |args, rows| {
        if matches!(op, Op::And | Op::Or | Op::Xor) {
            return match_integer!(to, T => T::combine(op, &args[0], &args[1], rows));
        }
        let by = shift_counts(&args[1])?;
        let shifts = matches!(op, Op::ShiftLeft | Op::ShiftRight);
        if shifts && rows > 0 && by.any(|n| n < 0) {
            let message = "The number of shift positions needs to be a non-negative value";
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        match_integer!(to, T => T::shift(op, &args[0], &by, limit, rows))
    }))
}

/// Shift counts; unsigned ones past the signed range stay large.
fn shift_counts(column: &Column) -> Result<Side<i64>> {
    if column.physical() == Physical::UInt64 {
        return Ok(match Side::<u64>::read(column)? {
            Side::One(v) => Side::One(v.min(i64::MAX as u64) as i64),
            Side::Many(v) => Side::Many(v.iter().map(|&v| v.min(i64::MAX as u64) as i64).collect()),
        });
    }
    Side::<i64>::read(column)
}

fn complement(args: &[Arg]) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if !is_whole(ty) {
        return Err(illegal_type("bitNot", ty));
    }
    let result = result_type(ty, ty);
    let to = result.physical();
    Ok(BoundKernel::new(result, move |args, rows| {
        match_integer!(to, T => {
            Ok(map_side(&Side::<T>::read(&args[0])?, rows, T::complement))
        })
    }))
}

fn byte_swap(args: &[Arg]) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if !ty.is_any_integer() {
        return Err(illegal_type("byteSwap", ty));
    }
    let to = ty.physical();
    Ok(BoundKernel::new(ty.clone(), move |args, rows| {
        match_integer!(to, T => {
            Ok(map_side(&Side::<T>::read(&args[0])?, rows, Bits::swap_bytes))
        })
    }))
}

trait CountOnes: Native {
    fn count(self) -> u32;
}

macro_rules! count {
    ($($ty:ty),*; $($float:ty),*) => {
        $(impl CountOnes for $ty {
            fn count(self) -> u32 {
                self.count_ones()
            }
        })*
        $(impl CountOnes for $float {
            fn count(self) -> u32 {
                self.to_bits().count_ones()
            }
        })*
    };
}

count!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256; f32, f64);

/// As bytes, but for values of 256 bits, all of which may be set.
fn counts<T: CountOnes>(values: &[T]) -> Column {
    match size_of::<T>() {
        32 => values.iter().map(|v| v.count() as u16).collect::<Vec<u16>>().into(),
        _ => values.iter().map(|v| v.count() as u8).collect::<Vec<u8>>().into(),
    }
}

fn count(args: &[Arg]) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if ty.is_string() {
        return Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
            let ones = |s: &[u8]| s.iter().map(|b| u64::from(b.count_ones())).sum::<u64>();
            Ok((0..rows).map(|i| ones(bytes_at(&args[0], i))).collect::<Vec<u64>>().into())
        }));
    }
    if !ty.is_any_number() {
        return Err(illegal_type("bitCount", ty));
    }
    let result = if ty.fixed_width() == Some(32) { DataType::UInt16 } else { DataType::UInt8 };
    Ok(BoundKernel::new(result, |args, _| {
        let column = args[0].full();
        match_native!(&column, values => Ok(counts(values)),
            _ => Err(Error::logical("bits of what is no number")))
    }))
}

fn hamming(args: &[Arg]) -> Result<BoundKernel> {
    let (a, b) = (&args[0].ty, &args[1].ty);
    if a.is_string() && b.is_string() {
        return Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
            let distance = |i| {
                let (a, b) = (bytes_at(&args[0], i), bytes_at(&args[1], i));
                if a.len() != b.len() {
                    return Err(Error::new(
                        codes::BAD_ARGUMENTS,
                        "Function bitHammingDistance needs strings of the same length",
                    ));
                }
                Ok(a.iter().zip(b).map(|(a, b)| u64::from((a ^ b).count_ones())).sum())
            };
            Ok(Column::from((0..rows).map(distance).collect::<Result<Vec<u64>>>()?))
        }));
    }
    if !is_whole(a) || !is_whole(b) {
        return Err(illegal_types("bitHammingDistance", a, b));
    }
    if a.is_wide_integer() || b.is_wide_integer() {
        let message = "Unsupported data type combination in function 'bitHammingDistance': its \
                       integers have at most 64 bits";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    }
    Ok(BoundKernel::new(DataType::UInt8, |args, rows| {
        zip(&args[0], &args[1], rows, |a: i64, b: i64| (a ^ b).count_ones() as u8)
    }))
}

fn out_of_bounds(position: i64, width: i64) -> Error {
    let message = format!(
        "The bit position argument {position} is out of bounds: it needs to be a value between 0 \
         and {}",
        width - 1
    );
    Error::new(codes::PARAMETER_OUT_OF_BOUND, message)
}

/// `bitTest`, `bitTestAll` (`all`), `bitTestAny`: the bits at the positions in the other arguments.
fn test(name: &str, all: bool, args: &[Arg]) -> Result<BoundKernel> {
    if args.len() < 2 {
        let message = format!(
            "Number of arguments for function {name} doesn't match: passed {}, should be at least 2",
            args.len()
        );
        return Err(Error::new(codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION, message));
    }
    if let Some(arg) = args.iter().find(|a| !is_whole(&a.ty)) {
        return Err(illegal_type(name, &arg.ty));
    }
    if args.iter().any(|a| a.ty.is_wide_integer()) {
        return Err(not_wide("Testing bits of"));
    }
    let width = args[0].ty.fixed_width().unwrap_or(8) as i64 * 8;
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        // Bits beyond the argument's own width are out of bounds, so sign extension is harmless.
        let value = Side::<i64>::read(&args[0])?;
        let mut result = vec![u8::from(all); rows];
        for positions in &args[1..] {
            let positions = shift_counts(positions)?;
            for (i, result) in result.iter_mut().enumerate() {
                let position = positions.get(i);
                if !(0..width).contains(&position) {
                    return Err(out_of_bounds(position, width));
                }
                let bit = (value.get(i) >> position & 1) as u8;
                *result = if all { *result & bit } else { *result | bit };
            }
        }
        Ok(match value {
            Side::One(_) if args.iter().all(Column::is_const) && rows > 0 => {
                constant(result[0], rows)
            }
            _ => result.into(),
        })
    }))
}

const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };
const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };
const SEVERAL: FunctionDef = FunctionDef { nulls: Nulls::PropagateStrict, ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "bitAnd",
        description: "Bits set in both integers.",
        examples: &[("bitAnd(5, 3)", "1")],
        bind: |args, _| binary("bitAnd", Op::And, args),
        ..TWO
    },
    FunctionDef {
        name: "bitOr",
        description: "Bits set in either integer.",
        examples: &[("bitOr(5, 3)", "7")],
        bind: |args, _| binary("bitOr", Op::Or, args),
        ..TWO
    },
    FunctionDef {
        name: "bitXor",
        description: "Bits set in exactly one of two integers.",
        examples: &[("bitXor(5, 3)", "6")],
        bind: |args, _| binary("bitXor", Op::Xor, args),
        ..TWO
    },
    FunctionDef {
        name: "bitNot",
        description: "All bits inverted.",
        examples: &[("bitNot(5)", "250")],
        bind: |args, _| complement(args),
        ..ONE
    },
    FunctionDef {
        name: "bitShiftLeft",
        description: "Shifts the bits of an integer to the left.",
        examples: &[("bitShiftLeft(1, 3)", "8")],
        bind: |args, _| binary("bitShiftLeft", Op::ShiftLeft, args),
        ..TWO
    },
    FunctionDef {
        name: "bitShiftRight",
        description: "Shifts the bits of an integer to the right; signed integers keep their sign.",
        examples: &[("bitShiftRight(256, 2)", "64"), ("bitShiftRight(-8, 1)", "-4")],
        bind: |args, _| binary("bitShiftRight", Op::ShiftRight, args),
        ..TWO
    },
    FunctionDef {
        name: "bitRotateLeft",
        description: "Rotates the bits of an integer to the left.",
        examples: &[("bitRotateLeft(129, 1)", "3")],
        bind: |args, _| binary("bitRotateLeft", Op::RotateLeft, args),
        ..TWO
    },
    FunctionDef {
        name: "bitRotateRight",
        description: "Rotates the bits of an integer to the right.",
        examples: &[("bitRotateRight(129, 1)", "192")],
        bind: |args, _| binary("bitRotateRight", Op::RotateRight, args),
        ..TWO
    },
    FunctionDef {
        name: "bitCount",
        description: "The number of bits set.",
        examples: &[("bitCount(255)", "8")],
        bind: |args, _| count(args),
        ..ONE
    },
    FunctionDef {
        name: "bitHammingDistance",
        description: "The number of bits in which two integers or strings differ.",
        examples: &[("bitHammingDistance(5, 3)", "2")],
        bind: |args, _| hamming(args),
        ..TWO
    },
    FunctionDef {
        name: "bitTest",
        description: "The bit of an integer at a position, counted from 0 at the lowest bit.",
        examples: &[("bitTest(5, 0)", "1"), ("bitTest(5, 1)", "0")],
        arity: (2, 2),
        bind: |args, _| test("bitTest", true, args),
        ..SEVERAL
    },
    FunctionDef {
        name: "bitTestAll",
        description: "Whether the bits at all given positions are set.",
        examples: &[("bitTestAll(5, 0, 2)", "1")],
        bind: |args, _| test("bitTestAll", true, args),
        ..SEVERAL
    },
    FunctionDef {
        name: "bitTestAny",
        description: "Whether a bit at any of the given positions is set.",
        examples: &[("bitTestAny(5, 1, 2)", "1")],
        bind: |args, _| test("bitTestAny", false, args),
        ..SEVERAL
    },
    FunctionDef {
        name: "byteSwap",
        case_insensitive: true,
        description: "The bytes of an integer in reverse order.",
        examples: &[("byteSwap(54)", "54")],
        bind: |args, _| byte_swap(args),
        ..ONE
    },
];
