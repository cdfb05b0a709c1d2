//! Functions that look into a Variant: `variantElement`, `variantType`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::variant::NULL;
use entasis_column::{Column, VariantColumn};
use entasis_types::variant::discriminator_of;
use entasis_types::{DataType, EnumType};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, LowCardinality, Nulls};
use entasis_function_kernel::arguments::constant_string;

#[cold]
fn illegal(function: &str, expected: &str, ty: &DataType) -> Error {
    let message = format!(
        "A value of illegal type was provided as 1st argument 'variant' to function '{function}'. \
         Expected: {expected}, got: {ty}"
    );
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

fn of(column: &Column) -> Result<Arc<VariantColumn>> {
    match column.full() {
        Column::Variant(variant) => Ok(variant),
        other => Err(Error::logical(format!("no Variant: {:?}", other.physical()))),
    }
}

/// `variantElement(variant, type[, default])`, also of arrays of Variants.
fn variant_element(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = constant_string("variantElement", &args[1], "name")?;
    let (mut depth, mut ty) = (0, &args[0].ty);
    while let DataType::Array(inner) = ty {
        (depth, ty) = (depth + 1, inner.as_ref());
    }
    let Some(types) = ty.as_variant() else {
        return Err(illegal("variantElement", "Variant or Array of Variant", &args[0].ty));
    };
    let wanted = DataType::parse(&name)?;
    let Some(d) = discriminator_of(types, &wanted) else {
        if let Some(default) = args.get(2) {
            return Ok(BoundKernel::new(default.ty.clone(), |args, _| Ok(args[2].clone())));
        }
        let message = format!("{ty} doesn't contain variant with type {name}");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    let mut result = wanted.as_variant_element();
    for _ in 0..depth {
        result = DataType::array(result);
    }
    let nullable = wanted.as_variant_element().is_nullable();
    Ok(BoundKernel::new(result, move |args, _| element_of(&args[0], d, nullable)))
}

fn element_of(column: &Column, d: u8, nullable: bool) -> Result<Column> {
    match column {
        Column::Const(c) => Ok(Column::constant(element_of(&c.value, d, nullable)?, c.len)),
        Column::Array(array) => {
            let (offsets, values) = array.flat();
            Ok(Column::array(offsets, element_of(&values, d, nullable)?))
        }
        column => {
            let (values, holds) = of(column)?.element(d);
            Ok(if nullable { Column::nullable(values, holds) } else { values })
        }
    }
}

/// `variantType(variant)`: an Enum of the alternatives' names, with None for NULL.
fn variant_type(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let Some(types) = args[0].ty.as_variant() else {
        return Err(illegal("variantType", "Variant", &args[0].ty));
    };
    let names = types.iter().map(|ty| Arc::from(ty.to_string().as_str()));
    let none = std::iter::once((-1, Arc::from("None")));
    let values: Vec<(i16, Arc<str>)> = none.chain((0..).zip(names)).collect();
    let wide = types.len() > 128;
    let ty = DataType::Enum(Arc::new(EnumType { wide, values }));
    Ok(BoundKernel::new(ty, move |args, _| {
        let variant = of(&args[0])?;
        let discriminators = variant.discriminators.iter();
        Ok(match wide {
            true => {
                let number = |&d: &u8| if d == NULL { -1 } else { i16::from(d) };
                discriminators.map(number).collect::<Vec<i16>>().into()
            }
            // NULL is -1.
            false => discriminators.map(|&d| d as i8).collect::<Vec<i8>>().into(),
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "variantElement",
        low_cardinality: LowCardinality::Custom,
        description: "The value of a Variant if it is of the named type, else NULL: `v.String`. \
                      Of an array of Variants, the array of such values.",
        examples: &[
            ("variantElement(CAST('a', 'Variant(String, UInt64)'), 'String')", "a"),
            ("variantElement(CAST('a', 'Variant(String, UInt64)'), 'UInt64')", "ᴺᵁᴸᴸ"),
        ],
        nulls: Nulls::Custom,
        arity: (2, 3),
        bind: variant_element,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "variantType",
        description: "The name of the type of the value in a Variant; None for NULL.",
        examples: &[
            ("variantType(CAST('a', 'Variant(String, UInt64)'))", "String"),
            ("variantType(CAST(NULL, 'Variant(String, UInt64)'))", "None"),
        ],
        nulls: Nulls::Custom,
        arity: (1, 1),
        bind: variant_type,
        ..FunctionDef::DEFAULT
    },
];
