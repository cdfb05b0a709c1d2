//! `bitSlice`: a run of bits of a string.

use entasis_base::Result;
use entasis_types::DataType;

use entasis_column::StringsBuilder;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;
use entasis_function_kernel::text::{Text, expect_integer, expect_string, finish};

/// The bits of a slice: from 1 at the front, or from -1 at the end; a negative length counts from
/// the end, as in `substring`.
fn bounds(bits: i64, offset: i64, length: Option<i64>) -> (i64, i64) {
    if offset == 0 {
        return (0, 0);
    }
    let start = if offset > 0 { offset - 1 } else { bits.saturating_add(offset) };
    let end = match length {
        None => bits,
        Some(length) if length < 0 => bits.saturating_add(length),
        Some(length) => start.saturating_add(length),
    };
    (start.clamp(0, bits), end.clamp(0, bits))
}

/// Appends bits `start..end`, filled up with zeros to whole bytes.
fn append(text: &[u8], (start, end): (i64, i64), out: &mut Vec<u8>) {
    if start >= end {
        return;
    }
    let (first, shift) = ((start / 8) as usize, (start % 8) as u32);
    let bits = (end - start) as usize;
    let from = out.len();
    for i in 0..bits.div_ceil(8) {
        let high = u16::from(text[first + i]) << 8;
        let low = u16::from(text.get(first + i + 1).copied().unwrap_or(0));
        out.push(((high | low) << shift >> 8) as u8);
    }
    let last = out.len() - 1;
    if bits % 8 != 0 && last >= from {
        out[last] &= 0xFF << (8 - bits % 8);
    }
}

fn bind(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("bitSlice", &args[0])?;
    args[1..].iter().try_for_each(|arg| expect_integer("bitSlice", arg))?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let text = Text::of(&args[0])?;
        let offsets = Side::<i64>::read(&args[1])?;
        let lengths = args.get(2).map(Side::<i64>::read).transpose()?;
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        for i in 0..rows {
            let text = text.get(i);
            let length = lengths.as_ref().map(|lengths| lengths.get(i));
            append(text, bounds(text.len() as i64 * 8, offsets.get(i), length), &mut out.data);
            out.close();
        }
        finish(out)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "bitSlice",
    description: "Bits of a string from an offset on (from 1, or from the end if negative), so \
                  many of them, filled up with zeros to whole bytes.",
    examples: &[("bin(bitSlice('Hello', 1, 4))", "01000000"), ("bitSlice('Hello', 9, 8)", "e")],
    arity: (2, 3),
    bind,
    ..FunctionDef::DEFAULT
}];
