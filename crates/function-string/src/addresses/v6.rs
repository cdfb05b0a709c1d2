//! Addresses of version 6 as 16 bytes and as text.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, FixedStrings, StringsBuilder};
use entasis_types::DataType;
use entasis_types::ip::{ipv6_or_ipv4, parse_ipv6, unmapped, write_ipv6};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::{bytes_at, illegal_type};
use entasis_function_kernel::text::{Text, finish, map_number};

use super::v4::expect_text;

/// Fails unless the argument is an address of version 6, or its bytes.
pub(super) fn expect_address(function: &str, arg: &Arg) -> Result<()> {
    match arg.ty {
        DataType::Ipv6 | DataType::FixedString(16) => Ok(()),
        _ => Err(illegal_type(function, &arg.ty)),
    }
}

/// The address in row `i`.
pub(super) fn address_at(column: &Column, i: usize) -> u128 {
    u128::from_be_bytes(bytes_at(column, i).try_into().unwrap_or_default())
}

/// A column of addresses.
pub(super) fn addresses(rows: usize, address: impl Fn(usize) -> u128) -> Column {
    let mut data = Vec::with_capacity(rows * 16);
    (0..rows).for_each(|i| data.extend_from_slice(&address(i).to_be_bytes()));
    Column::Fixed(FixedStrings { width: 16, data: data.into() })
}

fn to_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_address("IPv6NumToString", &args[0])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let mut out = StringsBuilder::with_capacity(rows, rows * 24);
        for i in 0..rows {
            write_ipv6(&mut out.data, address_at(&args[0], i));
            out.close();
        }
        finish(out)
    }))
}

#[cold]
fn no_address() -> Error {
    Error::new(codes::CANNOT_PARSE_IPV6, "Invalid IPv6 value")
}

fn of_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("IPv6StringToNum", &args[0])?;
    Ok(BoundKernel::new(DataType::FixedString(16), |args, rows| {
        let text = Text::of(&args[0])?;
        let mut data = Vec::with_capacity(rows * 16);
        for i in 0..rows {
            let address = ipv6_or_ipv4(text.get(i)).ok_or_else(no_address)?;
            data.extend_from_slice(&address.to_be_bytes());
        }
        Ok(Column::Fixed(FixedStrings { width: 16, data: data.into() }))
    }))
}

fn of_text_or_zero(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("IPv6StringToNumOrDefault", &args[0])?;
    Ok(BoundKernel::new(DataType::FixedString(16), |args, rows| {
        let text = Text::of(&args[0])?;
        Ok(addresses(rows, |i| ipv6_or_ipv4(text.get(i)).unwrap_or_default()))
    }))
}

fn of_text_or_null(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("IPv6StringToNumOrNull", &args[0])?;
    Ok(BoundKernel::new(DataType::nullable(DataType::FixedString(16)), |args, rows| {
        let text = Text::of(&args[0])?;
        let mut data = Vec::with_capacity(rows * 16);
        let known = Bitmap::from_fn(rows, |i| {
            let address = ipv6_or_ipv4(text.get(i));
            data.extend_from_slice(&address.unwrap_or_default().to_be_bytes());
            address.is_some()
        });
        let values = Column::Fixed(FixedStrings { width: 16, data: data.into() });
        Ok(Column::nullable(values, known))
    }))
}

fn is_text(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_text("isIPv6String", &args[0])?;
    Ok(BoundKernel::new(DataType::UInt8, |args, rows| {
        map_number(&args[0], rows, |text| u8::from(parse_ipv6(text).is_some()))
    }))
}

/// The number of bytes at the end that become zeros.
fn cut_argument(args: &[Arg], i: usize) -> Result<u32> {
    let arg = &args[i];
    if !arg.ty.is_unsigned() || arg.ty.is_wide_integer() {
        return Err(illegal_type("cutIPv6", &arg.ty));
    }
    let Some(value) = arg.constant.as_ref() else {
        let message = format!("Argument at index {i} for function cutIPv6 must be constant");
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    match value.as_u64() {
        Some(bytes @ 0..=16) => Ok(bytes as u32),
        _ => {
            let message = format!("Illegal value for argument {} of function cutIPv6", i + 1);
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn cut(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_address("cutIPv6", &args[0])?;
    let (v6, v4) = (cut_argument(args, 1)?, cut_argument(args, 2)?);
    let kept = |bytes: u32| u128::MAX.checked_shl(bytes * 8).unwrap_or_default();
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let mut out = StringsBuilder::with_capacity(rows, rows * 24);
        for i in 0..rows {
            let address = address_at(&args[0], i);
            let cut = if unmapped(address).is_some() { v4 } else { v6 };
            write_ipv6(&mut out.data, address & kept(cut));
            out.close();
        }
        finish(out)
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "IPv6NumToString",
        aliases: &["INET6_NTOA"],
        case_insensitive: true,
        description: "An IPv6 address as text.",
        examples: &[("IPv6NumToString(toFixedString('', 16))", "::")],
        bind: to_text,
        ..ONE
    },
    FunctionDef {
        name: "IPv6StringToNum",
        aliases: &["INET6_ATON"],
        case_insensitive: true,
        description: "The 16 bytes of an address in text; an IPv4 address stands for an IPv6 address.",
        examples: &[("hex(IPv6StringToNum('1.2.3.4'))", "00000000000000000000FFFF01020304")],
        nulls: Nulls::PropagateStrict,
        bind: of_text,
        ..ONE
    },
    FunctionDef {
        name: "IPv6StringToNumOrDefault",
        description: "The 16 bytes of an address in text; zeros if the text is none.",
        examples: &[("IPv6NumToString(IPv6StringToNumOrDefault('x'))", "::")],
        bind: of_text_or_zero,
        ..ONE
    },
    FunctionDef {
        name: "IPv6StringToNumOrNull",
        description: "The 16 bytes of an address in text; NULL if the text is none.",
        examples: &[("IPv6StringToNumOrNull('x')", "ᴺᵁᴸᴸ")],
        bind: of_text_or_null,
        ..ONE
    },
    FunctionDef {
        name: "isIPv6String",
        description: "Whether the text is an IPv6 address.",
        examples: &[("isIPv6String('::1')", "1"), ("isIPv6String('1.2.3.4')", "0")],
        bind: is_text,
        ..ONE
    },
    FunctionDef {
        name: "cutIPv6",
        description: "An IPv6 address as text, with so many bytes at its end set to zero. The \
                      third argument counts for addresses that stand for IPv4 addresses.",
        examples: &[("cutIPv6(IPv6StringToNum('2001:db8::1:2'), 2, 0)", "2001:db8::1:0")],
        arity: (3, 3),
        bind: cut,
        ..FunctionDef::DEFAULT
    },
];
