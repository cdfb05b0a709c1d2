//! The bits of an integer as lists of their values or their positions.

use std::ops::Range;

use entasis_base::Result;
use entasis_column::{Column, Native, StringsBuilder, match_native};
use entasis_simd::copy::append;
use entasis_types::{CastTo, DataType, i256, u256};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::layout::each_bytes;
use entasis_function_kernel::text::finish;

fn expect_bits(name: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_any_integer() || arg.ty == DataType::Bool {
        return Ok(());
    }
    Err(illegal_type(name, &arg.ty))
}

/// The set bits of a word, lowest first.
fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// The position of every set bit, row after row, with each row's end.
fn flatten(column: &Column) -> (Vec<u32>, Vec<u32>) {
    let (mut ends, mut bits) = (vec![0], Vec::new());
    each_bytes(column, |bytes| {
        for (at, part) in (0..).zip(bytes.chunks(8)) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            bits.extend(ones(u64::from_le_bytes(word)).map(|bit| 64 * at + bit));
        }
        ends.push(bits.len() as u32);
    });
    (ends, bits)
}

/// A number with one bit set.
trait OneBit: Native {
    fn one(bit: u32) -> Self;
}

macro_rules! one_bit {
    ($($ty:ty),*) => {$(
        impl OneBit for $ty {
            fn one(bit: u32) -> Self {
                (u256::ONE << bit).cast_to()
            }
        }
    )*};
}

one_bit!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256, f32, f64);

fn values<T: OneBit>(_: &[T], bits: &[u32]) -> Column {
    T::column(bits.iter().map(|&b| T::one(b)).collect())
}

fn mask_to_array(args: &[Arg]) -> Result<BoundKernel> {
    expect_bits("bitmaskToArray", &args[0])?;
    Ok(BoundKernel::new(DataType::array(args[0].ty.clone()), |args, _| {
        let column = args[0].full();
        let (ends, bits) = flatten(&column);
        let elements = match_native!(&column, v => values(v, &bits), other => other.slice(0, 0));
        Ok(Column::array(ends.into(), elements))
    }))
}

/// The powers of two of a type as text, each after a comma.
struct Powers {
    /// With room behind it, which makes short copies fast.
    text: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Powers {
    /// Of a type of so many bits; the last one of a signed type is negative.
    fn new(bits: u32, signed: bool) -> Self {
        let (mut text, mut places) = (String::new(), Vec::new());
        for bit in 0..bits {
            let start = text.len();
            let sign = if signed && bit + 1 == bits { "-" } else { "" };
            text += &format!(",{sign}{}", u256::ONE << bit);
            places.push(start..text.len());
        }
        let mut text = text.into_bytes();
        text.resize(text.len() + 32, 0);
        Self { text, places }
    }
}

fn mask_to_list(args: &[Arg]) -> Result<BoundKernel> {
    expect_bits("bitmaskToList", &args[0])?;
    let width = args[0].ty.fixed_width().unwrap_or(1) as u32;
    let powers = Powers::new(width * 8, args[0].ty.is_signed());
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let mut out = StringsBuilder::with_capacity(rows, rows * 8);
        let (ends, bits) = flatten(&args[0].full());
        for row in ends.windows(2) {
            let mut skip = 1;
            for &bit in &bits[row[0] as usize..row[1] as usize] {
                let place = powers.places[bit as usize].clone();
                append(&powers.text, place.start + skip..place.end, &mut out.data);
                skip = 0;
            }
            out.close();
        }
        finish(out)
    }))
}

fn positions(args: &[Arg]) -> Result<BoundKernel> {
    expect_bits("bitPositionsToArray", &args[0])?;
    Ok(BoundKernel::new(DataType::array(DataType::UInt64), |args, _| {
        let (ends, bits) = flatten(&args[0].full());
        let bits: Vec<u64> = bits.into_iter().map(u64::from).collect();
        Ok(Column::array(ends.into(), bits.into()))
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "bitmaskToArray",
        description: "The powers of two whose sum is the integer.",
        examples: &[("bitmaskToArray(50)", "[2,16,32]")],
        bind: |args, _: &dyn FunctionContext| mask_to_array(args),
        ..ONE
    },
    FunctionDef {
        name: "bitmaskToList",
        description: "Like `bitmaskToArray`, but as text with commas.",
        examples: &[("bitmaskToList(50)", "2,16,32")],
        bind: |args, _| mask_to_list(args),
        ..ONE
    },
    FunctionDef {
        name: "bitPositionsToArray",
        description: "Positions of the set bits of an integer, from 0.",
        examples: &[("bitPositionsToArray(5)", "[0,2]")],
        bind: |args, _| positions(args),
        ..ONE
    },
];
