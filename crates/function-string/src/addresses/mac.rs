//! Hardware addresses of network cards: six bytes as a number and as text.

use entasis_base::Result;
use entasis_column::StringsBuilder;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::{Side, illegal_type};
use entasis_function_kernel::text::{finish, map_number};

use super::v4::expect_text;

fn to_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if args[0].ty != DataType::UInt64 {
        return Err(illegal_type("MACNumToString", &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let numbers = Side::<u64>::read(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, rows * 17);
        for i in 0..rows {
            for (k, byte) in numbers.get(i).to_be_bytes()[2..].iter().enumerate() {
                if k > 0 {
                    out.data.push(b':');
                }
                let digits = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
                out.data.extend_from_slice(&digits);
            }
            out.close();
        }
        finish(out)
    }))
}

/// The first `bytes` bytes of an address that has two digits and a separator for each byte. What is
/// no digit counts like the highest ones, as in the reference.
fn number(text: &[u8], bytes: usize) -> u64 {
    let digit = |b: u8| (b as char).to_digit(16).map_or(0xFF, u64::from);
    let byte = |i: usize| digit(text[3 * i]) << 4 | digit(text[3 * i + 1]);
    (0..bytes).fold(0, |number, i| number << 8 | byte(i))
}

fn of_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("MACStringToNum", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        map_number(&args[0], rows, |text| if text.len() == 17 { number(text, 6) } else { 0 })
    }))
}

fn maker(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("MACStringToOUI", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        map_number(
            &args[0],
            rows,
            |text| if (8..=17).contains(&text.len()) { number(text, 3) } else { 0 },
        )
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "MACNumToString",
        description: "A number as a hardware address: six bytes in hexadecimal digits.",
        examples: &[("MACNumToString(149809441867716)", "88:40:3A:91:07:C4")],
        bind: to_text,
        ..ONE
    },
    FunctionDef {
        name: "MACStringToNum",
        description: "The number of a hardware address in text; 0 if the text has another length.",
        examples: &[("MACStringToNum('88:00:11:73:F2:C4')", "149533874188996")],
        bind: of_text,
        ..ONE
    },
    FunctionDef {
        name: "MACStringToOUI",
        description: "The first three bytes of a hardware address: the maker of the card.",
        examples: &[("MACStringToOUI('88:00:11:73:F2:C4')", "8912913")],
        bind: maker,
        ..ONE
    },
];
