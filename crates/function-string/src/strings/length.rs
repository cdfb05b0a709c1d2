//! The length of strings and arrays, and whether they are empty, computed from offsets alone.

use entasis_base::Result;
use entasis_column::{Column, Mask};
use entasis_simd::compare::map_words2;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Operation, Properties};
use entasis_function_kernel::kernel::{constant, illegal_type, mask_with};
use entasis_function_kernel::text::{expect_string, map_number};

fn expect_sized(function: &str, arg: &Arg) -> Result<()> {
    let is_id = matches!(arg.ty, DataType::Uuid | DataType::Ipv4 | DataType::Ipv6);
    let is_uuid = is_id && function != "length";
    if arg.ty.is_string() || is_uuid || matches!(arg.ty, DataType::Array(_) | DataType::Map(_)) {
        return Ok(());
    }
    Err(illegal_type(function, &arg.ty))
}

fn differences(offsets: &[u32]) -> Column {
    let ends = offsets[1..].iter().zip(offsets);
    Column::from(ends.map(|(end, start)| u64::from(end - start)).collect::<Vec<_>>())
}

fn length(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_sized("length", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        Ok(match &args[0].full() {
            Column::String(strings) => differences(strings.offsets()),
            Column::Array(array) => differences(&array.offsets),
            Column::Fixed(fixed) => constant(fixed.width as u64, rows),
            _ => constant(0u64, rows),
        })
    }))
}

fn empty_mask(column: &Column, rows: usize) -> Mask {
    let of_offsets = |offsets: &[u32]| {
        mask_with(rows, |out| map_words2(&offsets[1..], &offsets[..rows], out, |b, a| b == a))
    };
    match &column.full() {
        Column::String(strings) => of_offsets(strings.offsets()),
        Column::Array(array) => of_offsets(&array.offsets),
        Column::Fixed(f) => Mask::from_fn(rows, |i| f.get(i).iter().all(|&b| b == 0)),
        Column::UInt32(v) => Mask::from_fn(rows, |i| v[i] == 0),
        _ => Mask::constant(true, rows),
    }
}

fn empty(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_sized("empty", &args[0])?;
    Ok(BoundKernel::predicate(|args, rows| Ok(empty_mask(&args[0], rows))))
}

fn not_empty(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_sized("notEmpty", &args[0])?;
    Ok(BoundKernel::predicate(|args, rows| Ok(empty_mask(&args[0], rows).not())))
}

fn length_utf8(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("lengthUTF8", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| match &args[0] {
        Column::String(strings) => {
            let mut out = Vec::with_capacity(rows);
            entasis_simd::search::count_chars_each(strings.data(), strings.offsets(), &mut out);
            Ok(Column::from(out))
        }
        other => map_number(other, rows, |s| entasis_simd::search::count_chars(s) as u64),
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "length",
        properties: Properties::SIMPLE,
        aliases: &["OCTET_LENGTH", "CARDINALITY"],
        case_insensitive: true,
        description: "Number of bytes of a string, or of elements of an array or a map.",
        examples: &[("length('abc')", "3"), ("length([1, 2])", "2"), ("length('ж')", "2")],
        arity: (1, 1),
        bind: length,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "lengthUTF8",
        aliases: &["CHAR_LENGTH", "CHARACTER_LENGTH"],
        case_insensitive: true,
        description: "Number of characters of a UTF-8 string.",
        examples: &[("lengthUTF8('жук')", "3"), ("char_length('abc')", "3")],
        arity: (1, 1),
        bind: length_utf8,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "empty",
        properties: Properties::SIMPLE.meaning(Operation::IsEmpty { negated: false }),
        description: "Whether a string or array is empty; a FixedString is if it is all zeros.",
        examples: &[("empty('')", "1"), ("empty([1])", "0")],
        arity: (1, 1),
        bind: empty,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "notEmpty",
        properties: Properties::SIMPLE.meaning(Operation::IsEmpty { negated: true }).passing(0.7),
        description: "Whether a string or array is not empty.",
        examples: &[("notEmpty('')", "0"), ("notEmpty([1])", "1")],
        arity: (1, 1),
        bind: not_empty,
        ..FunctionDef::DEFAULT
    },
];
