//! Random numbers and strings. The query has a seed, and every call site draws from a stream of its
//! own, which the constant argument chooses (`rand()` and `rand(1)` differ).

use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::clock::{Rng, mix64};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, FixedStrings, StringsBuilder};
use entasis_types::{DataType, Value};

use entasis_function::{Arg, BoundKernel, Determinism, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::{Side, constant, illegal_type};

/// Where a call site's numbers come from: one generator per chunk.
struct Stream {
    seed: u64,
    chunks: AtomicU64,
}

impl Stream {
    fn new(name: &str, args: &[Arg], context: &dyn FunctionContext) -> Self {
        let mut seed = context.seed();
        let mut add = |v: u64| seed = mix64(seed ^ v.wrapping_add(0x9E37_79B9_7F4A_7C15));
        name.bytes().for_each(|b| add(b.into()));
        for arg in args {
            match &arg.constant {
                Some(Value::UInt(v)) => add(*v),
                Some(Value::Int(v)) => add(*v as u64),
                Some(Value::Float(v)) => add(v.to_bits()),
                Some(Value::String(s)) => s.iter().for_each(|b| add((*b).into())),
                _ => add(1),
            }
        }
        Self { seed, chunks: AtomicU64::new(0) }
    }

    fn next(&self) -> Rng {
        let chunk = self.chunks.fetch_add(1, Ordering::Relaxed);
        Rng::new(mix64(self.seed ^ mix64(chunk)))
    }
}

fn narrow(name: &'static str, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let stream = Stream::new(name, args, context);
    Ok(BoundKernel::new(DataType::UInt32, move |_, rows| {
        let mut rng = stream.next();
        Ok((0..rows).map(|_| rng.next_u64() as u32).collect::<Vec<u32>>().into())
    }))
}

fn wide(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let stream = Stream::new("rand64", args, context);
    Ok(BoundKernel::new(DataType::UInt64, move |_, rows| {
        let mut rng = stream.next();
        Ok((0..rows).map(|_| rng.next_u64()).collect::<Vec<u64>>().into())
    }))
}

fn once(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let value = Stream::new("randConstant", args, context).next().next_u64() as u32;
    Ok(BoundKernel::new(DataType::UInt32, move |_, rows| Ok(constant(value, rows))))
}

fn canonical(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let stream = Stream::new("randCanonical", args, context);
    Ok(BoundKernel::new(DataType::Float64, move |_, rows| {
        let mut rng = stream.next();
        Ok((0..rows).map(|_| rng.unit()).collect::<Vec<f64>>().into())
    }))
}

fn uniform(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().take(2).find(|a| !a.ty.is_native_number()) {
        return Err(illegal_type("randUniform", &arg.ty));
    }
    let stream = Stream::new("randUniform", args, context);
    Ok(BoundKernel::new(DataType::Float64, move |args, rows| {
        let (low, high) = (Side::<f64>::read(&args[0])?, Side::<f64>::read(&args[1])?);
        let mut rng = stream.next();
        let one = |i| low.get(i) + rng.unit() * (high.get(i) - low.get(i));
        Ok((0..rows).map(one).collect::<Vec<f64>>().into())
    }))
}

const MAX_LENGTH: u64 = 1 << 24;

/// Fills the bytes with `N` of every random number.
fn fill<const N: usize>(rng: &mut Rng, bytes: &mut [u8], some: impl Fn(u64) -> [u8; N]) {
    let (groups, rest) = bytes.as_chunks_mut::<N>();
    groups.iter_mut().for_each(|group| *group = some(rng.next_u64()));
    if !rest.is_empty() {
        rest.copy_from_slice(&some(rng.next_u64())[..rest.len()]);
    }
}

/// Four printable characters.
fn printable(random: u64) -> [u8; 4] {
    std::array::from_fn(|k| b' ' + (((random >> (16 * k) & 0xffff) * 95) >> 16) as u8)
}

fn string<const N: usize>(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    some: impl Fn(u64) -> [u8; N] + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    if !args[0].ty.is_any_number() {
        return Err(illegal_type(name, &args[0].ty));
    }
    let stream = Stream::new(name, args, context);
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let lengths = Side::<u64>::read(&args[0])?;
        let mut rng = stream.next();
        let mut out = StringsBuilder::default();
        for i in 0..rows {
            let length = lengths.get(i);
            if length > MAX_LENGTH {
                let message = format!("Too large string size in function {name}");
                return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
            }
            out.check_room(length as usize)?;
            let start = out.data.len();
            out.data.resize(start + length as usize, 0);
            fill(&mut rng, &mut out.data[start..], some);
            out.close();
        }
        Ok(out.finish().into())
    }))
}

fn fixed_string(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if !ty.is_unsigned() || ty.is_wide_integer() {
        return Err(illegal_type("randomFixedString", ty));
    }
    let width = args[0].constant.as_ref().and_then(Value::as_u64);
    let Some(width) = width.filter(|w| (1..=MAX_LENGTH).contains(w)) else {
        let message = "Argument of function randomFixedString must be a constant positive number";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    let width = width as usize;
    let stream = Stream::new("randomFixedString", args, context);
    Ok(BoundKernel::new(DataType::FixedString(width as u32), move |_, rows| {
        let mut rng = stream.next();
        let mut data = vec![0; rows * width];
        fill(&mut rng, &mut data, u64::to_le_bytes);
        Ok(Column::Fixed(FixedStrings { width, data: data.into() }))
    }))
}

/// Random UUIDs of version 4, variant 1.
fn uuid(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let stream = Stream::new("generateUUIDv4", args, context);
    Ok(BoundKernel::new(DataType::Uuid, move |_, rows| {
        let mut rng = stream.next();
        let mut data = Vec::with_capacity(rows * 16);
        for _ in 0..rows {
            let first = rng.next_u64() & !0xf000 | 0x4000;
            let second = rng.next_u64() & !(3 << 62) | 1 << 63;
            // As UUIDs are stored: the second half first.
            data.extend_from_slice(&second.to_be_bytes());
            data.extend_from_slice(&first.to_be_bytes());
        }
        Ok(Column::Fixed(FixedStrings { width: 16, data: data.into() }))
    }))
}

const RANDOM: FunctionDef = FunctionDef {
    determinism: Determinism::PerRow,
    nulls: Nulls::Custom,
    by_row: false,
    arity: (0, 1),
    ..FunctionDef::DEFAULT
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "generateUUIDv4",
        description: "A random UUID of version 4; different arguments give independent UUIDs \
                      within a query.",
        examples: &[("length(toString(generateUUIDv4()))", "36")],
        bind: uuid,
        ..RANDOM
    },
    FunctionDef {
        name: "rand",
        aliases: &["rand32"],
        case_insensitive: true,
        description: "A random UInt32 for each row; different arguments give independent numbers \
                      within a query.",
        examples: &[("toTypeName(rand())", "UInt32")],
        bind: |args, context| narrow("rand", args, context),
        ..RANDOM
    },
    FunctionDef {
        name: "rand64",
        description: "A random UInt64 for each row.",
        examples: &[("toTypeName(rand64())", "UInt64")],
        bind: wide,
        ..RANDOM
    },
    FunctionDef {
        name: "randConstant",
        description: "A random UInt32, the same in every row.",
        determinism: Determinism::PerQuery,
        bind: once,
        ..RANDOM
    },
    FunctionDef {
        name: "randCanonical",
        description: "A random Float64 from 0 up to but not including 1 in every row.",
        bind: canonical,
        ..RANDOM
    },
    FunctionDef {
        name: "randUniform",
        description: "A random Float64 between two bounds in every row.",
        examples: &[("randUniform(5, 5)", "5")],
        arity: (2, 3),
        bind: uniform,
        ..RANDOM
    },
    FunctionDef {
        name: "randomString",
        description: "A string of n random bytes for each row.",
        arity: (1, 2),
        bind: |args, context| string("randomString", args, context, u64::to_le_bytes),
        ..RANDOM
    },
    FunctionDef {
        name: "randomPrintableASCII",
        description: "A string of n random printable ASCII characters for each row.",
        arity: (1, 2),
        bind: |args, context| string("randomPrintableASCII", args, context, printable),
        ..RANDOM
    },
    FunctionDef {
        name: "randomFixedString",
        description: "A FixedString of n random bytes for each row.",
        arity: (1, 2),
        bind: fixed_string,
        ..RANDOM
    },
];
