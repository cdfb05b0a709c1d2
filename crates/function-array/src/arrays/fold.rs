//! arrayFold: the lambda gets an accumulator and one element after the other.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column};
use entasis_types::DataType;

use super::lambda::expect_lambda;
use super::lists::{Flat, element_type};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, LambdaCall, Nulls};

/// The accumulator comes last among the arguments and first among the parameters.
fn parameters(args: &[Arg], count: usize) -> Result<Vec<DataType>> {
    let Some((accumulator, arrays)) = args.split_last() else {
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, "arrayFold needs arrays"));
    };
    let mut types = vec![accumulator.ty.clone()];
    for array in arrays {
        types.push(element_type("arrayFold", array)?.clone());
    }
    if types.len() == count {
        return Ok(types);
    }
    let message = format!("Lambda of arrayFold needs {} parameters, has {count}", types.len());
    Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message))
}

fn bind(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_lambda("arrayFold", args)?;
    let accumulator = &args[args.len() - 1].ty;
    if args[0].ty != *accumulator {
        let message = format!(
            "Return type of lambda function must be the same as the accumulator type, inferred \
             return type of lambda: {}, inferred type of accumulator: {accumulator}",
            args[0].ty
        );
        return Err(Error::new(codes::TYPE_MISMATCH, message));
    }
    Ok(BoundKernel::with_lambda(accumulator.clone(), fold))
}

/// Step `n` runs over all rows with more than `n` elements at once.
fn fold(lambda: &dyn LambdaCall, args: &[Column], rows: usize) -> Result<Column> {
    let (arrays, start) = args.split_at(args.len() - 1);
    let flat = Flat::of("arrayFold", arrays)?;
    let mut accumulator = start[0].full();
    let longest = flat.ranges().map(|r| r.len()).max().unwrap_or(0);
    for step in 0..longest {
        let live = Bitmap::from_fn(rows, |i| flat.range(i).len() > step);
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0u32);
        let mut positions = Vec::with_capacity(rows);
        for (i, range) in flat.ranges().enumerate() {
            if live.get(i) {
                positions.push((range.start + step) as u32);
            }
            offsets.push(positions.len() as u32);
        }
        let mut params = vec![accumulator.filter(&live)];
        params.extend(flat.values.iter().map(|v| v.take(&positions)));
        let next = lambda.call(&params, &offsets)?.full();
        if live.all() {
            accumulator = next;
            continue;
        }
        // Rows that are done keep theirs; the others follow behind.
        let both = Column::concat(&[&accumulator, &next]);
        let indices: Vec<u32> = (0..rows)
            .map(|i| if live.get(i) { rows as u32 + offsets[i] } else { i as u32 })
            .collect();
        accumulator = both.take(&indices);
    }
    Ok(accumulator)
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "arrayFold",
    description: "Combines all elements to one value: the lambda is called with the value so far \
                  and each element.",
    examples: &[("arrayFold((acc, x) -> acc + x, [1, 2, 3], toInt64(0))", "6")],
    nulls: Nulls::Custom,
    arity: (1, usize::MAX),
    lambda: Some(parameters),
    bind,
    ..FunctionDef::DEFAULT
}];
