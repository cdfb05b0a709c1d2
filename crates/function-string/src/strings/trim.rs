//! Removes characters from the ends of strings: `trimLeft`, `trimRight`, `trimBoth`.

use entasis_base::Result;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::{constant_string, expect_string, map_part};

/// A set of bytes.
type Bytes = [bool; 256];

fn trim_left<'a>(s: &'a [u8], set: &Bytes) -> &'a [u8] {
    let start = s.iter().position(|&b| !set[usize::from(b)]);
    &s[start.unwrap_or(s.len())..]
}

fn trim_right<'a>(s: &'a [u8], set: &Bytes) -> &'a [u8] {
    let last = s.iter().rposition(|&b| !set[usize::from(b)]);
    &s[..last.map_or(0, |i| i + 1)]
}

fn bind(name: &str, left: bool, right: bool, args: &[Arg]) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    let chars = args.get(1).map(|a| constant_string(name, a, "Second argument")).transpose()?;
    let mut set = [false; 256];
    chars.unwrap_or(b" ").iter().for_each(|&b| set[usize::from(b)] = true);
    Ok(BoundKernel::new(DataType::String, move |args, rows| match (left, right) {
        (true, false) => map_part(&args[0], rows, |s| trim_left(s, &set)),
        (false, _) => map_part(&args[0], rows, |s| trim_right(s, &set)),
        (true, true) => map_part(&args[0], rows, |s| trim_right(trim_left(s, &set), &set)),
    }))
}

const TRIM: FunctionDef =
    FunctionDef { case_insensitive: true, arity: (1, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "trimLeft",
        aliases: &["ltrim"],
        description: "The string without leading spaces, or without leading bytes of a set.",
        examples: &[("trimLeft('  a ')", "a "), ("trimLeft('xya', 'yx')", "a")],
        bind: |args, _: &dyn FunctionContext| bind("trimLeft", true, false, args),
        ..TRIM
    },
    FunctionDef {
        name: "trimRight",
        aliases: &["rtrim"],
        description: "The string without trailing spaces, or without trailing bytes of a set.",
        examples: &[("trimRight(' a  ')", " a"), ("trimRight('axy', 'xy')", "a")],
        bind: |args, _| bind("trimRight", false, true, args),
        ..TRIM
    },
    FunctionDef {
        name: "trimBoth",
        aliases: &["trim"],
        description: "The string without spaces, or bytes of a set, at both ends.",
        examples: &[("trimBoth('  a ')", "a"), ("trimBoth('xxaxx', 'x')", "a")],
        bind: |args, _| bind("trimBoth", true, true, args),
        ..TRIM
    },
];
