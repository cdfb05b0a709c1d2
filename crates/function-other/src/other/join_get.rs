//! `joinGet` and `joinGetOrNull`: look up a row of a Join table by its key.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_function::{
    Arg, BoundKernel, Determinism, FunctionContext, FunctionDef, LowCardinality, Nulls,
};
use entasis_function_kernel::arguments::constant_string;
use entasis_types::DataType;

fn join_get(
    name: &'static str,
    or_null: bool,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if args[0].constant.is_none() {
        let message = format!("The first argument of function {name} must be a constant string");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let rows = context.keyed_rows(&constant_string(name, &args[0], "table")?)?;
    let column = constant_string(name, &args[1], "column")?;
    let Some(ty) = rows.value_type(&column) else {
        let message = format!("Function {name}: the table has no column {column} outside its key");
        return Err(Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message));
    };
    let keys = rows.key_types();
    if keys.len() != args.len() - 2 {
        let message = format!(
            "Number of arguments for function {name} doesn't match: passed {}, the table has {} \
             keys and needs {}",
            args.len(),
            keys.len(),
            keys.len() + 2
        );
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    for (arg, key) in args[2..].iter().zip(&keys) {
        let plain = |ty: &DataType| ty.without_low_cardinality().without_nullable().clone();
        if plain(&arg.ty) != plain(key) {
            let message = format!(
                "Type mismatch in function {name}: the key has type {key}, the argument {}: \
                 convert it by CAST",
                arg.ty
            );
            return Err(Error::new(codes::TYPE_MISMATCH, message));
        }
    }
    let nullable = keys.iter().map(DataType::is_nullable).collect::<Vec<bool>>();
    let makes_null = (or_null || rows.use_nulls()) && ty.can_be_nullable();
    let returned = if makes_null { DataType::nullable(ty.clone()) } else { ty };
    Ok(BoundKernel::new(returned, move |columns, count| {
        let wrap = |(column, is_nullable): (&Column, &bool)| {
            let column = column.full();
            match (column.split_nullable(), is_nullable) {
                ((None, _), true) => {
                    let valid = entasis_column::Bitmap::constant(true, count);
                    Column::nullable(column, valid)
                }
                _ => column,
            }
        };
        let keys: Vec<Column> = columns[2..].iter().zip(&nullable).map(wrap).collect();
        let (values, found) = rows.find(&column, &keys, count)?;
        Ok(match makes_null {
            false => values,
            true => match values.split_nullable() {
                (None, _) => Column::nullable(values.clone(), found),
                (Some(valid), inner) => Column::nullable(inner.clone(), valid.and(&found)),
            },
        })
    }))
}

const BY_TABLE: FunctionDef = FunctionDef {
    determinism: Determinism::PerQuery,
    nulls: Nulls::Custom,
    low_cardinality: LowCardinality::Drop,
    arity: (3, usize::MAX),
    ..FunctionDef::DEFAULT
};

/// Functions that look up rows.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "joinGet",
        description: "A column's value in the row of a Join table with this key: \
                      joinGet('table', 'column', key, ...). The default value if there is none.",
        bind: |args, context| join_get("joinGet", false, args, context),
        ..BY_TABLE
    },
    FunctionDef {
        name: "joinGetOrNull",
        description: "The same as joinGet, but NULL if there is no such row.",
        bind: |args, context| join_get("joinGetOrNull", true, args, context),
        ..BY_TABLE
    },
];
