//! Hashes of integers to one of a number of buckets, of which few change when buckets are added.

use entasis_base::{Error, Result, codes};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::kernel::{illegal_type, map};

/// "A Fast, Minimal Memory, Consistent Hash Algorithm" (Lamping, Veach 2014).
fn jump(mut key: u64, buckets: i64) -> i32 {
    let (mut bucket, mut next) = (-1i64, 0i64);
    while next < buckets {
        bucket = next;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        let step = (1i64 << 31) as f64 / ((key >> 33) + 1) as f64;
        next = ((bucket + 1) as f64 * step) as i64;
    }
    bucket as i32
}

/// The number of buckets, which is a constant from 1 to `most`.
fn buckets(name: &str, arg: &Arg, most: u64) -> Result<u64> {
    if !arg.ty.is_native_integer() {
        return Err(illegal_type(name, &arg.ty));
    }
    let Some(value) = &arg.constant else {
        let message = format!("Argument at index 1 for function {name} must be constant");
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    let what = format!("second argument of function {name} (number of buckets)");
    match value.as_u64() {
        Some(count) if count > most => {
            let message = format!("The value of the {what} must not be greater than {most}");
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
        Some(count) if count > 0 => Ok(count),
        _ => {
            let message = format!("The {what} must be positive number");
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
    }
}

fn expect_key(name: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_native_integer() { Ok(()) } else { Err(illegal_type(name, &arg.ty)) }
}

fn bind_jump(args: &[Arg]) -> Result<BoundKernel> {
    expect_key("jumpConsistentHash", &args[0])?;
    let count = buckets("jumpConsistentHash", &args[1], i32::MAX as u64)? as i64;
    Ok(BoundKernel::new(DataType::Int32, move |args, rows| {
        map(&args[0], rows, move |key: u64| jump(key, count))
    }))
}

const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "jumpConsistentHash",
    description: "The bucket of a number, of so many buckets, by Jump consistent hashing.",
    examples: &[("jumpConsistentHash(256, 3)", "2")],
    bind: |args, _| bind_jump(args),
    ..TWO
}];
