//! getSubcolumn: parts of values by their names, as tables read them from columns.

use entasis_base::{Error, Result, codes};
use entasis_column::subcolumn::subcolumn;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, LowCardinality, Nulls};
use entasis_types::{Value, subcolumn};

fn get_subcolumn(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let Some(Value::String(name)) = &args[1].constant else {
        let message = "The second argument of function getSubcolumn should be a constant string \
                       with the name of a subcolumn";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    let name = String::from_utf8_lossy(name);
    let Some(part) = subcolumn::subcolumn(&args[0].ty, &name) else {
        let message = format!(
            "There is no subcolumn {name} in type {}: DESCRIBE with \
             describe_include_subcolumns = 1 lists those of a table",
            args[0].ty
        );
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    let path = part.path;
    Ok(BoundKernel::new(part.ty, move |args, _| subcolumn(&args[0], path.steps())))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "getSubcolumn",
    description: "A subcolumn of a value by its name, such as `size0` of an array or `null` of a \
                  Nullable.",
    examples: &[
        ("getSubcolumn([1, 2], 'size0')", "2"),
        ("getSubcolumn([[1], []], 'size1')", "[1,0]"),
        ("getSubcolumn(map('a', 1), 'keys')", "['a']"),
    ],
    low_cardinality: LowCardinality::Custom,
    nulls: Nulls::Custom,
    arity: (2, 2),
    bind: get_subcolumn,
    ..FunctionDef::DEFAULT
}];
