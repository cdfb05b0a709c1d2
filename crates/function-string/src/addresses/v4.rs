//! Addresses of version 4 as numbers and as text.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, FixedStrings, StringsBuilder};
use entasis_types::DataType;
use entasis_types::ip::{mapped, strict_ipv4, write_ipv4};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::{Side, illegal_type};
use entasis_function_kernel::text::{Text, finish, map_number};

/// Fails unless the argument is an address of version 4, or a number of at most 32 bits.
pub(super) fn expect_address(function: &str, arg: &Arg) -> Result<()> {
    match arg.ty {
        DataType::Ipv4 | DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => Ok(()),
        _ => Err(illegal_type(function, &arg.ty)),
    }
}

/// Fails unless the argument is a String.
pub(super) fn expect_text(function: &str, arg: &Arg) -> Result<()> {
    if arg.ty == DataType::String { Ok(()) } else { Err(illegal_type(function, &arg.ty)) }
}

fn to_text(name: &str, args: &[Arg], write: fn(&mut Vec<u8>, u32)) -> Result<BoundKernel> {
    expect_address(name, &args[0])?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let addresses = Side::<u32>::read(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, rows * 15);
        for i in 0..rows {
            write(&mut out.data, addresses.get(i));
            out.close();
        }
        finish(out)
    }))
}

fn write_class_c(out: &mut Vec<u8>, address: u32) {
    write_ipv4(out, address);
    let end = out.iter().rposition(|b| *b == b'.').unwrap_or(out.len());
    out.truncate(end);
    out.extend_from_slice(b".xxx");
}

#[cold]
fn no_address() -> Error {
    Error::new(codes::CANNOT_PARSE_IPV4, "Invalid IPv4 value")
}

fn of_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("IPv4StringToNum", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt32, |args, rows| {
        let text = Text::of(&args[0])?;
        let read = |i: usize| strict_ipv4(text.get(i)).ok_or_else(no_address);
        Ok((0..rows).map(read).collect::<Result<Vec<u32>>>()?.into())
    }))
}

fn of_text_or_zero(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("IPv4StringToNumOrDefault", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt32, |args, rows| {
        map_number(&args[0], rows, |text| strict_ipv4(text).unwrap_or_default())
    }))
}

fn of_text_or_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("IPv4StringToNumOrNull", &args[0])?;
    Ok(BoundKernel::new(DataType::nullable(DataType::UInt32), |args, rows| {
        let text = Text::of(&args[0])?;
        let mut values = Vec::with_capacity(rows);
        let known = Bitmap::from_fn(rows, |i| {
            let address = strict_ipv4(text.get(i));
            values.push(address.unwrap_or_default());
            address.is_some()
        });
        Ok(Column::nullable(values.into(), known))
    }))
}

fn is_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("isIPv4String", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt8, |args, rows| {
        map_number(&args[0], rows, |text| u8::from(strict_ipv4(text).is_some()))
    }))
}

fn to_v6(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = match args[0].ty {
        DataType::Ipv4 => DataType::Ipv6,
        DataType::UInt32 => DataType::FixedString(16),
        _ => return Err(illegal_type("IPv4ToIPv6", &args[0].ty)),
    };
    Ok(BoundKernel::new(ty, |args, rows| {
        let addresses = Side::<u32>::read(&args[0])?;
        let mut data = Vec::with_capacity(rows * 16);
        (0..rows).for_each(|i| data.extend_from_slice(&mapped(addresses.get(i)).to_be_bytes()));
        Ok(Column::Fixed(FixedStrings { width: 16, data: data.into() }))
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "IPv4NumToString",
        aliases: &["INET_NTOA"],
        case_insensitive: true,
        description: "An IPv4 address as text.",
        examples: &[("IPv4NumToString(16909060)", "1.2.3.4")],
        bind: |args, _| to_text("IPv4NumToString", args, write_ipv4),
        ..ONE
    },
    FunctionDef {
        name: "IPv4NumToStringClassC",
        description: "An IPv4 address as text, with xxx for its last number.",
        examples: &[("IPv4NumToStringClassC(16909060)", "1.2.3.xxx")],
        bind: |args, _| to_text("IPv4NumToStringClassC", args, write_class_c),
        ..ONE
    },
    FunctionDef {
        name: "IPv4StringToNum",
        aliases: &["INET_ATON"],
        case_insensitive: true,
        description: "The number of an IPv4 address in text.",
        examples: &[("IPv4StringToNum('1.2.3.4')", "16909060")],
        nulls: Nulls::PropagateStrict,
        bind: of_text,
        ..ONE
    },
    FunctionDef {
        name: "IPv4StringToNumOrDefault",
        description: "The number of an IPv4 address in text; 0 if the text is none.",
        examples: &[("IPv4StringToNumOrDefault('1.2.3')", "0")],
        bind: of_text_or_zero,
        ..ONE
    },
    FunctionDef {
        name: "IPv4StringToNumOrNull",
        description: "The number of an IPv4 address in text; NULL if the text is none.",
        examples: &[("IPv4StringToNumOrNull('1.2.3')", "ᴺᵁᴸᴸ")],
        bind: of_text_or_null,
        ..ONE
    },
    FunctionDef {
        name: "IPv4ToIPv6",
        description: "The IPv6 address that stands for an IPv4 address.",
        examples: &[("IPv6NumToString(IPv4ToIPv6(toUInt32(1)))", "::ffff:0.0.0.1")],
        bind: to_v6,
        ..ONE
    },
    FunctionDef {
        name: "isIPv4String",
        description: "Whether the text is an IPv4 address.",
        examples: &[("isIPv4String('1.2.3.4')", "1"), ("isIPv4String('::1')", "0")],
        bind: is_text,
        ..ONE
    },
];
