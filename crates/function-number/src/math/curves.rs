//! Space-filling curves: `mortonEncode`, `mortonDecode`, `hilbertEncode`, `hilbertDecode`.
//!
//! Absent on purpose: a tuple as the first argument, which stretches coordinates.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;

/// Most dimensions of Morton codes.
const MOST: usize = 8;

fn expect_unsigned(name: &str, args: &[Arg]) -> Result<()> {
    if args.iter().any(|arg| matches!(arg.ty, DataType::Tuple(_))) {
        return Err(Error::not_implemented(format!("Function {name} with a tuple of masks")));
    }
    match args.iter().find(|arg| !arg.ty.is_unsigned() || arg.ty.is_wide_integer()) {
        None => Ok(()),
        Some(arg) => {
            let message = format!(
                "Illegal type {} of argument for function {name}, should be a native UInt",
                arg.ty
            );
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn too_many(name: &str, most: usize) -> Error {
    let message = format!(
        "Illegal number of UInt arguments of function {name}: should be not more than {most} \
         dimensions"
    );
    Error::new(codes::TOO_MANY_ARGUMENTS_FOR_FUNCTION, message)
}

/// The bits of the numbers in turn, lowest first.
fn morton(numbers: &[u64]) -> u64 {
    let dimensions = numbers.len();
    let bits = 64 / dimensions;
    let mut code = 0;
    for (i, number) in numbers.iter().enumerate() {
        for bit in 0..bits {
            code |= (number >> bit & 1) << (bit * dimensions + i);
        }
    }
    code
}

fn morton_part(code: u64, dimensions: usize, i: usize) -> u64 {
    let bits = 64 / dimensions;
    (0..bits).fold(0, |number, bit| number | (code >> (bit * dimensions + i) & 1) << bit)
}

/// The place of a point on the curve.
fn hilbert(x: u64, y: u64) -> u64 {
    let (y, x) = (x as u32, y as u32);
    let top = u32::BITS - (x | y).leading_zeros();
    // The curve within a square is turned, depending on whether its side has an even number of
    // levels, so that the place does not depend on the square's size.
    let levels = top + top % 2;
    let (mut x, mut y, mut code) = (x, y, 0u64);
    for level in (0..levels).rev() {
        let (a, b) = (x >> level & 1, y >> level & 1);
        code = code << 2 | u64::from((3 * a) ^ b);
        if b == 0 {
            if a == 1 {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
    }
    code
}

fn hilbert_point(code: u64) -> (u64, u64) {
    let top = u64::BITS - code.leading_zeros();
    let levels = top.div_ceil(2);
    let levels = levels + levels % 2;
    let (mut x, mut y) = (0u64, 0u64);
    for level in 0..levels {
        let pair = code >> (2 * level) & 3;
        let a = pair >> 1;
        let b = (pair ^ a) & 1;
        if b == 0 {
            if a == 1 {
                let mask = (1u64 << level) - 1;
                (x, y) = (mask - x, mask - y);
            }
            (x, y) = (y, x);
        }
        x |= a << level;
        y |= b << level;
    }
    (y, x)
}

fn sides(args: &[Column]) -> Result<Vec<Side<u64>>> {
    args.iter().map(Side::<u64>::read).collect()
}

fn morton_encode(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() > MOST {
        return Err(too_many("mortonEncode", MOST));
    }
    expect_unsigned("mortonEncode", args)?;
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        let sides = sides(args)?;
        let mut numbers = vec![0; sides.len()];
        let code = |i: usize| {
            numbers.iter_mut().zip(&sides).for_each(|(number, side)| *number = side.get(i));
            morton(&numbers)
        };
        Ok((0..rows).map(code).collect::<Vec<u64>>().into())
    }))
}

fn hilbert_encode(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() > 2 {
        return Err(too_many("hilbertEncode", 2));
    }
    expect_unsigned("hilbertEncode", args)?;
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        let sides = sides(args)?;
        let code = |i: usize| match &sides[..] {
            [x, y] => hilbert(x.get(i), y.get(i)),
            [x, ..] => x.get(i),
            [] => 0,
        };
        Ok((0..rows).map(code).collect::<Vec<u64>>().into())
    }))
}

/// The number of dimensions, which is the constant first argument.
fn dimensions(name: &str, arg: &Arg, most: usize) -> Result<usize> {
    if matches!(arg.ty, DataType::Tuple(_)) {
        return Err(Error::not_implemented(format!("Function {name} with a tuple of masks")));
    }
    match arg.constant.as_ref().and_then(|value| value.as_u64()) {
        Some(count) if count >= 1 && count <= most as u64 => Ok(count as usize),
        _ => {
            let message = format!(
                "Illegal first argument for function {name}, should be a number in range 1-{most}"
            );
            Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message))
        }
    }
}

fn decode(
    name: &str,
    most: usize,
    args: &[Arg],
    part: fn(u64, usize, usize) -> u64,
) -> Result<BoundKernel> {
    let dimensions = dimensions(name, &args[0], most)?;
    expect_unsigned(name, &args[1..])?;
    let ty = DataType::tuple(vec![DataType::UInt64; dimensions]);
    Ok(BoundKernel::new(ty, move |args, rows| {
        let codes = Side::<u64>::read(&args[1])?;
        let column = |k: usize| {
            (0..rows).map(|i| part(codes.get(i), dimensions, k)).collect::<Vec<u64>>().into()
        };
        Ok(Column::tuple((0..dimensions).map(column).collect(), rows))
    }))
}

fn morton_decode(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    decode("mortonDecode", MOST, args, morton_part)
}

fn hilbert_decode(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    decode("hilbertDecode", 2, args, |code, dimensions, i| match (dimensions, i) {
        (1, _) => code,
        (_, 0) => hilbert_point(code).0,
        _ => hilbert_point(code).1,
    })
}

const MANY: FunctionDef = FunctionDef { arity: (1, usize::MAX), ..FunctionDef::DEFAULT };
const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "mortonEncode",
        description: "The place of a point on the Z-order curve.",
        examples: &[("mortonEncode(1, 2, 3)", "53")],
        bind: morton_encode,
        ..MANY
    },
    FunctionDef {
        name: "mortonDecode",
        description: "The point, of so many dimensions, at a place of the Z-order curve.",
        examples: &[("mortonDecode(3, 53)", "(1,2,3)")],
        bind: morton_decode,
        ..TWO
    },
    FunctionDef {
        name: "hilbertEncode",
        description: "The place of a point of at most two dimensions on the Hilbert curve.",
        examples: &[("hilbertEncode(3, 4)", "31")],
        bind: hilbert_encode,
        ..MANY
    },
    FunctionDef {
        name: "hilbertDecode",
        description: "The point, of so many dimensions, at a place of the Hilbert curve.",
        examples: &[("hilbertDecode(2, 31)", "(3,4)")],
        bind: hilbert_decode,
        ..TWO
    },
];
