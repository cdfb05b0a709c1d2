//! UUIDs as the 16 bytes in the order in which they are written.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, FixedStrings, StringsBuilder};
use entasis_types::text_type::swap_uuid;
use entasis_types::{DataType, TextType};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::{bytes_at, illegal_type};

fn string_to_num(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type("UUIDStringToNum", &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::FixedString(16), |args, rows| {
        let mut data = Vec::with_capacity(rows * 16);
        for i in 0..rows {
            // What is no UUID becomes zeros, as in the reference.
            let bits = TextType::Uuid.parse(bytes_at(&args[0], i)).unwrap_or_default();
            data.extend_from_slice(&swap_uuid(bits as u128).to_be_bytes());
        }
        Ok(Column::Fixed(FixedStrings { width: 16, data: data.into() }))
    }))
}

fn num_to_string(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if args[0].ty != DataType::FixedString(16) {
        let message = format!(
            "Illegal type {} of argument of function UUIDNumToString, expected FixedString(16)",
            args[0].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let mut out = StringsBuilder::with_capacity(rows, rows * 36);
        for i in 0..rows {
            let bytes = bytes_at(&args[0], i).try_into().unwrap_or_default();
            TextType::Uuid.write(&mut out.data, swap_uuid(u128::from_be_bytes(bytes)) as i128);
            out.close();
        }
        Ok(out.finish().into())
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "UUIDStringToNum",
        description: "The 16 bytes of a UUID that is given as text.",
        arity: (1, 1),
        bind: string_to_num,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "UUIDNumToString",
        description: "The text of a UUID that is given as 16 bytes.",
        examples: &[(
            "UUIDNumToString(UUIDStringToNum('61f0c404-5cb3-11e7-907b-a6006ad3dba0'))",
            "61f0c404-5cb3-11e7-907b-a6006ad3dba0",
        )],
        arity: (1, 1),
        bind: num_to_string,
        ..FunctionDef::DEFAULT
    },
];
