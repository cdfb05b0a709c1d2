//! Reads the bytes of a value as another type: `reinterpret`, `reinterpretAs...`.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, FixedStrings, Native, StringsBuilder, match_native};
use entasis_types::{DataType, Physical};

use crate::cast::print::without_padding;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::arguments::constant_string;
use entasis_function_kernel::layout::{byte_width, each_bytes, numeric_layout};
use entasis_simd::cast::{Number, extend_from_bytes};

/// The bytes of all values, cut or filled up with zeros to a width.
fn padded(column: &Column, width: usize) -> Vec<u8> {
    if byte_width(column) == width {
        return match_native!(column, values => {
            let mut out = vec![0; column.len() * width];
            // The width of the type is known when this is compiled, other than `width`.
            let places = out.chunks_exact_mut(width_of(values));
            for (place, value) in places.zip(values.iter()) {
                place.copy_from_slice(&value.to_le_bytes());
            }
            out
        }, _ => Vec::new());
    }
    let mut out = Vec::with_capacity(column.len() * width);
    each_bytes(column, |bytes| {
        let end = out.len() + width;
        out.extend_from_slice(&bytes[..bytes.len().min(width)]);
        out.resize(end, 0);
    });
    out
}

const fn width_of<T>(_: &[T]) -> usize {
    size_of::<T>()
}

fn of_bytes<T: Native + Number>(bytes: &[u8]) -> Result<Column> {
    let mut values = Vec::new();
    match extend_from_bytes::<T>(bytes, &mut values) {
        true => Ok(T::column(values.into())),
        false => Err(Error::logical("a part of a number")),
    }
}

fn source(from: &DataType, to: &DataType) -> Result<()> {
    if numeric_layout(from).is_some() || from.is_string() {
        return Ok(());
    }
    let message = format!(
        "Cannot reinterpret {from} as {to} because only Numeric, String or FixedString can be \
         reinterpreted"
    );
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

fn bind_to(to: DataType, args: &[Arg]) -> Result<BoundKernel> {
    let from = &args[0].ty;
    source(from, &to)?;
    let width = numeric_layout(from).and(from.fixed_width());
    match (&to, width) {
        (DataType::String, _) => Ok(BoundKernel::new(to, |args, _| to_strings(&args[0].full()))),
        (DataType::FixedString(target), _) => {
            if from.fixed_width() != Some(*target as usize) {
                let message = format!(
                    "Cannot reinterpret {from} as {to} because it is not fixed size and contiguous \
                     in memory or differs in size"
                );
                return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
            }
            Ok(BoundKernel::new(to, |args, _| Ok(to_fixed(&args[0].full()))))
        }
        _ => {
            let Some(physical) = numeric_layout(&to) else {
                return Err(Error::not_implemented(format!("reinterpret to {to}")));
            };
            Ok(BoundKernel::new(to, move |args, _| to_numbers(&args[0].full(), physical)))
        }
    }
}

fn to_numbers(column: &Column, physical: Physical) -> Result<Column> {
    entasis_column::match_physical!(physical, T => of_bytes::<T>(&padded(column, size_of::<T>())),
        _ => Err(Error::logical("reinterpret to what is no number")))
}

fn to_strings(column: &Column) -> Result<Column> {
    let rows = column.len();
    let mut out = StringsBuilder::with_capacity(rows, rows * 8);
    each_bytes(column, |bytes| out.push(without_padding(bytes)));
    Ok(out.finish().into())
}

fn to_fixed(column: &Column) -> Column {
    if let Column::Fixed(_) = column {
        return column.clone();
    }
    let width = byte_width(column);
    Column::Fixed(FixedStrings { width, data: padded(column, width).into() })
}

fn as_fixed_string(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    match args[0].ty.fixed_width() {
        Some(width) if width > 0 => bind_to(DataType::FixedString(width as u32), args),
        _ => Err(entasis_function_kernel::kernel::illegal_type(
            "reinterpretAsFixedString",
            &args[0].ty,
        )),
    }
}

fn by_type_name(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let to = DataType::parse(&constant_string("reinterpret", &args[1], "type name")?)?;
    bind_to(to, args)
}

const fn reinterpret_as(
    name: &'static str,
    examples: &'static [(&'static str, &'static str)],
    bind: fn(&[Arg], &dyn FunctionContext) -> Result<BoundKernel>,
) -> FunctionDef {
    FunctionDef {
        name,
        description: "Reads the bytes of a number, date or string as a value of the type in the \
                      function's name; missing bytes are zero.",
        examples,
        arity: (1, 1),
        bind,
        ..FunctionDef::DEFAULT
    }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        arity: (2, 2),
        ..reinterpret_as(
            "reinterpret",
            &[("reinterpret(toInt8(-1), 'UInt8')", "255")],
            by_type_name,
        )
    },
    reinterpret_as("reinterpretAsUInt8", &[("reinterpretAsUInt8('a')", "97")], |a, _| {
        bind_to(DataType::UInt8, a)
    }),
    reinterpret_as("reinterpretAsUInt16", &[], |a, _| bind_to(DataType::UInt16, a)),
    reinterpret_as("reinterpretAsUInt32", &[], |a, _| bind_to(DataType::UInt32, a)),
    reinterpret_as("reinterpretAsUInt64", &[("reinterpretAsUInt64('ab')", "25185")], |a, _| {
        bind_to(DataType::UInt64, a)
    }),
    reinterpret_as("reinterpretAsInt8", &[], |a, _| bind_to(DataType::Int8, a)),
    reinterpret_as("reinterpretAsInt16", &[], |a, _| bind_to(DataType::Int16, a)),
    reinterpret_as("reinterpretAsInt32", &[], |a, _| bind_to(DataType::Int32, a)),
    reinterpret_as("reinterpretAsInt64", &[], |a, _| bind_to(DataType::Int64, a)),
    reinterpret_as("reinterpretAsInt128", &[("reinterpretAsInt128('ab')", "25185")], |a, _| {
        bind_to(DataType::Int128, a)
    }),
    reinterpret_as("reinterpretAsInt256", &[], |a, _| bind_to(DataType::Int256, a)),
    reinterpret_as("reinterpretAsUInt128", &[], |a, _| bind_to(DataType::UInt128, a)),
    reinterpret_as("reinterpretAsUInt256", &[], |a, _| bind_to(DataType::UInt256, a)),
    reinterpret_as("reinterpretAsFloat32", &[], |a, _| bind_to(DataType::Float32, a)),
    reinterpret_as("reinterpretAsFloat64", &[], |a, _| bind_to(DataType::Float64, a)),
    reinterpret_as("reinterpretAsDate", &[], |a, _| bind_to(DataType::Date, a)),
    reinterpret_as("reinterpretAsDateTime", &[], |a, _| bind_to(DataType::DateTime(None), a)),
    reinterpret_as("reinterpretAsString", &[("reinterpretAsString(97)", "a")], |a, _| {
        bind_to(DataType::String, a)
    }),
    reinterpret_as("reinterpretAsFixedString", &[], as_fixed_string),
];
