//! arrayReduce: applies an aggregate function, named by a string, to the elements of each array.

use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use super::lists::{Flat, element_type};
use entasis_function::{
    Aggregate, Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, registry,
};
use entasis_function_kernel::kernel::Side;
use entasis_function_kernel::text::constant_string;

/// Name and parameters of `name` or `name(1, 'x')`.
fn parse(text: &str) -> Result<(&str, Vec<Value>)> {
    let wrong = || {
        let message = format!("Cannot read aggregate function '{text}' with parameters");
        Error::new(codes::BAD_ARGUMENTS, message)
    };
    let Some((name, rest)) = text.split_once('(') else { return Ok((text.trim(), Vec::new())) };
    let inside = rest.trim_end().strip_suffix(')').ok_or_else(wrong)?.trim();
    if inside.is_empty() {
        return Ok((name.trim(), Vec::new()));
    }
    let value = |part: &str| {
        let part = part.trim();
        if let Some(text) = part.strip_prefix('\'').and_then(|p| p.strip_suffix('\'')) {
            return Ok(Value::from(text));
        }
        let unsigned = part.parse().map(Value::UInt).ok();
        let signed = || part.parse().map(Value::Int).ok();
        let float = || part.parse().map(Value::Float).ok();
        unsigned.or_else(signed).or_else(float).ok_or_else(wrong)
    };
    Ok((name.trim(), inside.split(',').map(value).collect::<Result<_>>()?))
}

/// The aggregate that the first argument names, over elements of the arrays.
fn aggregate(
    function: &str,
    name: &Arg,
    arrays: &[Arg],
    context: &dyn FunctionContext,
) -> Result<Arc<dyn Aggregate>> {
    let name = constant_string(function, name, "First argument")?;
    let text = String::from_utf8_lossy(name).into_owned();
    let (name, params) = parse(&text)?;
    if !registry::is_aggregate_name(name) {
        let message = format!("Unknown aggregate function {name}");
        return Err(Error::new(codes::UNKNOWN_AGGREGATE_FUNCTION, message));
    }
    let types = arrays
        .iter()
        .map(|a| element_type(function, a).cloned())
        .collect::<Result<Vec<DataType>>>()?;
    registry::bind_aggregate(name, &params, &types, context)
}

fn bind(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let aggregate = aggregate("arrayReduce", &args[0], &args[1..], context)?;
    Ok(BoundKernel::new(aggregate.return_type(), move |args, rows| {
        let flat = Flat::of("arrayReduce", &args[1..])?;
        let mut states = aggregate.states();
        states.resize(rows);
        let mut groups = Vec::with_capacity(flat.count());
        for (i, range) in flat.ranges().enumerate() {
            groups.extend(std::iter::repeat_n(i as u32, range.len()));
        }
        states.update(&flat.values, &groups)?;
        states.finish(0..rows)
    }))
}

/// Elements that a range of an array of `len` means: its first is counted from 1, or from the end
/// by -1.
fn elements(start: i64, count: i64, len: usize) -> Range<usize> {
    let len = len as i64;
    let first = if start > 0 { start - 1 } else { len.saturating_add(start) };
    if start == 0 || first < 0 {
        return 0..0;
    }
    let end = first.saturating_add(count.max(0)).min(len);
    first.min(end) as usize..end as usize
}

/// `arrayReduceInRanges(name, ranges, arrays...)`: a result per range of each row's arrays.
fn bind_in_ranges(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    const NAME: &str = "arrayReduceInRanges";
    let is_pair = match element_type(NAME, &args[1])? {
        DataType::Tuple(pair) => {
            pair.types.len() == 2 && pair.types.iter().all(DataType::is_native_integer)
        }
        _ => false,
    };
    if !is_pair {
        let message = format!(
            "Second argument of function {NAME} must be an array of tuples (first element, \
             number of elements), found {}",
            args[1].ty
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let aggregate = aggregate(NAME, &args[0], &args[2..], context)?;
    let result = DataType::array(aggregate.return_type());
    Ok(BoundKernel::new(result, move |args, _| {
        let flat = Flat::of(NAME, &args[2..])?;
        let ranges = Flat::of(NAME, &args[1..2])?;
        let Column::Tuple(pairs) = ranges.values[0].full() else {
            return Err(Error::logical("ranges are no tuples"));
        };
        let (starts, counts) =
            (Side::<i64>::read(&pairs.columns[0])?, Side::<i64>::read(&pairs.columns[1])?);
        // A group per range; an element may be in several.
        let (mut groups, mut rows) = (Vec::new(), Vec::new());
        for (own, wanted) in flat.ranges().zip(ranges.ranges()) {
            for k in wanted {
                for i in elements(starts.get(k), counts.get(k), own.len()) {
                    groups.push(k as u32);
                    rows.push((own.start + i) as u32);
                }
            }
        }
        let mut states = aggregate.states();
        states.resize(pairs.len);
        let taken: Vec<Column> = flat.values.iter().map(|v| v.take(&rows)).collect();
        states.update(&taken, &groups)?;
        Ok(Column::array(ranges.offsets.clone(), states.finish(0..pairs.len)?))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "arrayReduceInRanges",
        description: "Applies an aggregate function, named by a string, to ranges of the arrays, \
                      given as pairs of first position and length.",
        examples: &[("arrayReduceInRanges('sum', [(1, 2), (-1, 1)], [1, 2, 3])", "[3,3]")],
        nulls: Nulls::Custom,
        arity: (3, usize::MAX),
        bind: bind_in_ranges,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayReduce",
        description: "Applies an aggregate function, named by a string, to the elements of the \
                      arrays.",
        examples: &[("arrayReduce('sum', [1, 2, 3])", "6")],
        nulls: Nulls::Custom,
        arity: (2, usize::MAX),
        bind,
        ..FunctionDef::DEFAULT
    },
];
