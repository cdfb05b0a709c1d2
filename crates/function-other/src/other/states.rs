//! States of aggregate functions as values: `finalizeAggregation`, `initializeAggregation`.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, registry};
use entasis_function_kernel::text::constant_string;

fn finalize(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let DataType::AggregateFunction(of) = &args[0].ty else {
        let message = format!(
            "Argument for function 'finalizeAggregation' must have type AggregateFunction - state \
             of aggregate function. Got '{}' instead",
            args[0].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    let aggregate = registry::bind_aggregate(&of.name, &of.params, &of.args, context)?;
    Ok(BoundKernel::new(aggregate.return_type(), move |args, rows| {
        let column = args[0].full();
        let serialized =
            column.strings().ok_or_else(|| Error::logical("a state's column has no bytes"))?;
        let mut states = aggregate.portable_states();
        states.resize(rows);
        let groups: Vec<u32> = (0..rows as u32).collect();
        states.merge_serialized(serialized, &groups)?;
        states.finish(0..rows)
    }))
}

fn initialize(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = constant_string("initializeAggregation", &args[0], "First argument")?;
    let name = String::from_utf8_lossy(name).into_owned();
    let types: Vec<DataType> = args[1..].iter().map(|a| a.ty.clone()).collect();
    let aggregate = registry::bind_aggregate(&name, &[], &types, context)?;
    Ok(BoundKernel::new(aggregate.return_type(), move |args, rows| {
        let mut states = aggregate.states();
        states.resize(rows);
        let groups: Vec<u32> = (0..rows as u32).collect();
        let columns: Vec<Column> = args[1..].iter().map(Column::full).collect();
        states.update(&columns, &groups)?;
        states.finish(0..rows)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "finalizeAggregation",
        description: "The result of an aggregate function's state.",
        examples: &[("finalizeAggregation(initializeAggregation('maxState', 5))", "5")],
        nulls: Nulls::Custom,
        arity: (1, 1),
        bind: finalize,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "initializeAggregation",
        description: "The state of an aggregate function, named by a string, after the one row of \
                      its arguments.",
        examples: &[("initializeAggregation('sum', 5)", "5")],
        nulls: Nulls::Custom,
        arity: (2, usize::MAX),
        bind: initialize,
        ..FunctionDef::DEFAULT
    },
];
