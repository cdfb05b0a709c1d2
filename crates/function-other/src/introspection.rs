//! Looks up addresses of this program, for the stacks of `system.trace_log`.
//!
//! The look-ups themselves are not in this crate:
//! [`entasis_function::FunctionContext::introspection`] provides them.

use std::collections::HashMap;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Strings};
use entasis_types::DataType;

use entasis_function::{
    Arg, BoundKernel, Determinism, FunctionContext, FunctionDef, Introspection,
};

const SETTING: &str = "allow_introspection_functions";

/// The look-ups, if the setting allows them and the argument is of the wanted type.
fn allowed(
    name: &str,
    argument: &str,
    wanted: &DataType,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<Introspection> {
    if context.setting(SETTING).and_then(|value| value.as_u64()) == Some(0) {
        let message = format!(
            "{}: Introspection functions are disabled, because setting '{SETTING}' is set to 0",
            context.user()
        );
        return Err(Error::new(codes::FUNCTION_NOT_ALLOWED, message));
    }
    if args[0].ty != *wanted {
        let message = format!(
            "A value of illegal type was provided as 1st argument '{argument}' to function \
             '{name}'. Expected: {wanted}, got: {}",
            args[0].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    Ok(context.introspection())
}

/// A function of an address. Stacks name the same addresses again and again: each is looked up
/// once per chunk.
fn of_address<T: Clone + Send + Sync + 'static>(
    name: &str,
    args: &[Arg],
    context: &dyn FunctionContext,
    ty: DataType,
    look_up: fn(&Introspection) -> fn(u64) -> T,
    column: fn(Vec<T>) -> Column,
) -> Result<BoundKernel> {
    let argument = "address_of_binary_instruction";
    let look_up = look_up(&allowed(name, argument, &DataType::UInt64, args, context)?);
    Ok(BoundKernel::new(ty, move |args, rows| {
        let addresses = args[0].full();
        let addresses = addresses.native::<u64>().map_or(&[][..], |list| list);
        let mut known: HashMap<u64, T> = HashMap::new();
        let one =
            |address: &u64| known.entry(*address).or_insert_with(|| look_up(*address)).clone();
        Ok(column(addresses.iter().take(rows).map(one).collect()))
    }))
}

fn texts(values: Vec<String>) -> Column {
    Column::String(values.iter().map(String::as_bytes).collect())
}

fn lists(values: Vec<Vec<String>>) -> Column {
    let ends = values.iter().scan(0, |end, list| {
        *end += list.len() as u32;
        Some(*end)
    });
    let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let items: Strings = values.iter().flatten().map(String::as_bytes).collect();
    Column::array(offsets.into(), Column::String(items))
}

fn symbol(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    of_address("addressToSymbol", args, context, DataType::String, |i| i.symbol, texts)
}

fn line(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    of_address("addressToLine", args, context, DataType::String, |i| i.line, texts)
}

fn lines(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = DataType::Array(DataType::String.into());
    of_address("addressToLineWithInlines", args, context, ty, |i| i.lines, lists)
}

fn demangle(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let look_up = allowed("demangle", "symbol", &DataType::String, args, context)?.demangle;
    Ok(BoundKernel::new(DataType::String, move |args, _| {
        let names = args[0].full();
        let Some(names) = names.strings() else {
            return Err(Error::logical("demangle of what is no text"));
        };
        let mut known: HashMap<&[u8], String> = HashMap::new();
        let mut out = Vec::with_capacity(names.len());
        for name in names.iter() {
            let plain = || look_up(&String::from_utf8_lossy(name));
            out.push(known.entry(name).or_insert_with(plain).clone());
        }
        Ok(texts(out))
    }))
}

const BASE: FunctionDef = FunctionDef {
    arity: (1, 1),
    // Addresses are those of this process: nothing for keys.
    determinism: Determinism::PerQuery,
    ..FunctionDef::DEFAULT
};

/// The definitions of the functions in this file.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "addressToSymbol",
        description: "The symbol of the function at an address of this program's code, mangled as \
                      in the file; empty for other addresses.",
        bind: symbol,
        ..BASE
    },
    FunctionDef {
        name: "addressToLine",
        description: "File and line of an address of this program's code, of the innermost \
                      function inlined there; the program's name if it has no line tables.",
        bind: line,
        ..BASE
    },
    FunctionDef {
        name: "addressToLineWithInlines",
        description: "File, line and function of all functions that an address is in, innermost \
                      first.",
        bind: lines,
        ..BASE
    },
    FunctionDef {
        name: "demangle",
        description: "The readable name of a mangled Rust or C++ symbol; other names are returned \
                      as they are.",
        examples: &[("demangle('abc')", "abc")],
        bind: demangle,
        ..BASE
    },
];
