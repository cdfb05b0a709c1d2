//! Maps: `map`, `m[k]`, keys and values, functions with lambdas over the entries.
//!
//! A Map is stored as an array of pairs. Where an array function already does the work (`indexOf`),
//! it is applied to the keys.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Buffer, Column};
use entasis_types::name::check_map_key;
use entasis_types::{DataType, common_type};

use super::arrays::lists::take_or_default;
use entasis_function::cast::{self, Session};
use entasis_function::{
    Arg, BoundFunction, BoundKernel, FunctionContext, FunctionDef, LambdaCall, LowCardinality,
    Nulls, registry,
};
use entasis_function_kernel::kernel::{Number, illegal_type};
use entasis_function_kernel::layout::zip_arrays;

/// Key and value types of a Map argument.
fn types<'a>(name: &str, arg: &'a Arg) -> Result<(&'a DataType, &'a DataType)> {
    arg.ty.as_map().ok_or_else(|| {
        let message = format!("Argument of function {name} must be a Map, got {}", arg.ty);
        Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
    })
}

/// Offsets from 0, keys and values of all rows.
fn entries(column: &Column) -> Result<(Buffer<u32>, Column, Column)> {
    let Column::Array(array) = column.full() else { return Err(Error::logical("not a map")) };
    let (offsets, pairs) = array.flat();
    match &pairs {
        Column::Tuple(pair) => Ok((offsets, pair.columns[0].clone(), pair.columns[1].clone())),
        _ => Err(Error::logical("entries of a map are no pairs")),
    }
}

fn from_entries(offsets: Buffer<u32>, keys: Column, values: Column) -> Column {
    let count = keys.len();
    Column::array(offsets, Column::tuple(vec![keys, values], count))
}

fn map(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() % 2 != 0 {
        let message =
            format!("Function map requires even number of arguments, but {} given", args.len());
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let side = |first: usize| {
        let types: Vec<DataType> =
            args[first.min(args.len())..].iter().step_by(2).map(|a| a.ty.clone()).collect();
        context.type_of_branches(&types)
    };
    let (key, value) = (side(0)?, side(1)?);
    let session = Session { infers_variants: false, ..Session::of(context) };
    let to = |i: usize| if i.is_multiple_of(2) { &key } else { &value };
    let casts = args
        .iter()
        .enumerate()
        .map(|(i, a)| cast::bind(&a.ty, to(i), session))
        .collect::<Result<Vec<_>>>()?;
    let ty = DataType::map(key.clone(), value.clone());
    Ok(BoundKernel::new(ty, move |args, rows| {
        let columns = args
            .iter()
            .zip(&casts)
            .map(|(a, cast)| Ok(cast(a)?.full()))
            .collect::<Result<Vec<_>>>()?;
        let count = columns.len() / 2;
        let order: Vec<u32> =
            (0..rows).flat_map(|i| (0..count).map(move |k| (k * rows + i) as u32)).collect();
        let side = |first: usize, ty: &DataType| {
            let own: Vec<&Column> = columns.iter().skip(first).step_by(2).collect();
            if own.is_empty() {
                Column::default_of(ty, 0)
            } else {
                Column::concat(&own).take(&order)
            }
        };
        let offsets: Vec<u32> = (0..=rows).map(|i| (i * count) as u32).collect();
        Ok(from_entries(offsets.into(), side(0, &key), side(1, &value)))
    }))
}

fn from_arrays(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let side = |arg: &Arg| match &arg.ty {
        DataType::Array(element) => Ok(element.as_ref().clone()),
        DataType::Map(stored) => match stored.as_ref() {
            DataType::Array(entry) => Ok(entry.as_ref().clone()),
            _ => Err(illegal_type("mapFromArrays", &arg.ty)),
        },
        other => Err(illegal_type("mapFromArrays", other)),
    };
    let (key, value) = (side(&args[0])?, side(&args[1])?);
    check_map_key(&key)?;
    Ok(BoundKernel::new(DataType::map(key, value), |args, _| {
        zip_arrays(&args[0].full(), &args[1].full())
    }))
}

fn keys(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = DataType::array(types("mapKeys", &args[0])?.0.clone());
    Ok(BoundKernel::new(ty, |args, _| {
        let (offsets, keys, _) = entries(&args[0])?;
        Ok(Column::array(offsets, keys))
    }))
}

fn values(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = DataType::array(types("mapValues", &args[0])?.1.clone());
    Ok(BoundKernel::new(ty, |args, _| {
        let (offsets, _, values) = entries(&args[0])?;
        Ok(Column::array(offsets, values))
    }))
}

/// `indexOf` of the second argument among the first one's keys.
fn bind_index(
    name: &str,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<Arc<BoundFunction>> {
    let key = types(name, &args[0])?.0.clone();
    let args = [Arg::column(DataType::array(key)), args[1].clone()];
    BoundFunction::bind(registry::scalar("indexOf")?, &args, context)
}

fn contains(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let index = bind_index("mapContains", args, context)?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let (offsets, keys, _) = entries(&args[0])?;
        Ok(index.call(&[Column::array(offsets, keys), args[1].clone()], rows)?.to_mask())
    }))
}

/// `m[k]`: the default of the value type where there is no such key.
pub fn element(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let value = types("arrayElement", &args[0])?.1.clone();
    let index = bind_index("arrayElement", args, context)?;
    let ty = value.clone();
    Ok(BoundKernel::new(value, move |args, rows| {
        let (offsets, keys, values) = entries(&args[0])?;
        let found = index.call(&[Column::array(offsets.clone(), keys), args[1].clone()], rows)?;
        let found = u64::read(&found.full()).ok_or_else(|| Error::logical("no positions"))?;
        let missing = values.len() as u32;
        let at = |(i, n): (usize, &u64)| match n {
            0 => missing,
            n => offsets[i] + *n as u32 - 1,
        };
        let positions: Vec<u32> = found.iter().enumerate().map(at).collect();
        Ok(take_or_default(&values, &positions, &ty))
    }))
}

fn parameters(args: &[Arg], count: usize) -> Result<Vec<DataType>> {
    match args.first().and_then(|a| a.ty.as_map()) {
        Some((key, value)) if count == 2 => Ok(vec![key.clone(), value.clone()]),
        _ => {
            let message = "A lambda of key and value and one map are needed";
            Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message))
        }
    }
}

/// Offsets, keys, values, and what the lambda answers for each entry.
fn called(lambda: &dyn LambdaCall, map: &Column) -> Result<(Buffer<u32>, Column, Column, Column)> {
    let (offsets, keys, values) = entries(map)?;
    let result = lambda.call(&[keys.clone(), values.clone()], &offsets)?.full();
    Ok((offsets, keys, values, result))
}

/// Entries whose bit is set.
fn kept(offsets: &[u32], keys: &Column, values: &Column, mask: &Bitmap) -> Column {
    let mut ends = Vec::with_capacity(offsets.len());
    let mut count = 0;
    ends.push(0);
    for range in offsets.windows(2) {
        count += (range[0]..range[1]).filter(|&k| mask.get(k as usize)).count() as u32;
        ends.push(count);
    }
    from_entries(ends.into(), keys.filter(mask), values.filter(mask))
}

fn map_argument<'a>(name: &str, args: &'a [Arg]) -> Result<&'a Arg> {
    match args {
        [lambda, map] if lambda.is_lambda && map.ty.as_map().is_some() => Ok(map),
        _ => {
            let message = format!("Function {name} needs a lambda and a map");
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn filter(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = map_argument("mapFilter", args)?.ty.clone();
    Ok(BoundKernel::with_lambda(ty, |lambda, columns, _| {
        let (offsets, keys, values, result) = called(lambda, &columns[0])?;
        Ok(kept(&offsets, &keys, &values, &result.to_mask()))
    }))
}

fn apply(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    map_argument("mapApply", args)?;
    let ty = match &args[0].ty {
        DataType::Tuple(pair) if pair.types.len() == 2 => {
            DataType::map(pair.types[0].clone(), pair.types[1].clone())
        }
        other => return Err(illegal_type("mapApply", other)),
    };
    Ok(BoundKernel::with_lambda(ty, |lambda, columns, _| {
        let (offsets, _, _, result) = called(lambda, &columns[0])?;
        Ok(Column::array(offsets, result))
    }))
}

/// `mapExists` (`all` false) and `mapAll`.
fn quantified(name: &str, all: bool, args: &[Arg]) -> Result<BoundKernel> {
    map_argument(name, args)?;
    Ok(BoundKernel::with_lambda(DataType::UInt8, move |lambda, columns, _| {
        let (offsets, _, _, result) = called(lambda, &columns[0])?;
        let mask = result.to_mask();
        let holds = |w: &[u32]| {
            let mut each = (w[0]..w[1]).map(|k| mask.get(k as usize));
            u8::from(if all { each.all(|b| b) } else { each.any(|b| b) })
        };
        Ok(offsets.windows(2).map(holds).collect::<Vec<u8>>().into())
    }))
}

/// Entries of both maps; where `replaces`, a key of the second takes the place of the first's.
fn joined(
    name: &str,
    replaces: bool,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    types(name, &args[0])?;
    types(name, &args[1])?;
    let ty = common_type(&[args[0].ty.clone(), args[1].ty.clone()])?;
    let session = Session::of(context);
    let (a, b) = (cast::bind(&args[0].ty, &ty, session)?, cast::bind(&args[1].ty, &ty, session)?);
    Ok(BoundKernel::new(ty, move |args, rows| {
        let (x, keys, values) = entries(&a(&args[0])?)?;
        let (y, other_keys, other_values) = entries(&b(&args[1])?)?;
        let all_keys = Column::concat(&[&keys, &other_keys]);
        let all_values = Column::concat(&[&values, &other_values]);
        let (mut order, mut ends) = (Vec::new(), vec![0u32]);
        let base = keys.len() as u32;
        let same = |i: u32, j: u32| {
            entasis_column::compare::compare_values(&all_keys, i as usize, &all_keys, j as usize)
                .is_eq()
        };
        for i in 0..rows {
            let second = y[i] + base..y[i + 1] + base;
            for k in x[i]..x[i + 1] {
                let newer = second.clone().find(|&j| replaces && same(k, j));
                order.push(newer.unwrap_or(k));
            }
            let old = x[i]..x[i + 1];
            order.extend(second.filter(|&j| !replaces || !old.clone().any(|k| same(k, j))));
            ends.push(order.len() as u32);
        }
        Ok(from_entries(ends.into(), all_keys.take(&order), all_values.take(&order)))
    }))
}

/// `mapAdd` and `mapSubtract`: values of equal keys are combined, keys come out sorted.
fn combined(
    name: &str,
    minus: bool,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let ((key, value), (other_key, other_value)) = (types(name, &args[0])?, types(name, &args[1])?);
    let key = common_type(&[key.clone(), other_key.clone()])?;
    let value = match common_type(&[value.clone(), other_value.clone()])? {
        ty @ (DataType::UInt128 | DataType::Int128) => ty,
        ty if ty.is_wide_integer() => {
            return Err(Error::not_implemented(format!("{name} of values of type {ty}")));
        }
        ty if ty.is_unsigned() => DataType::UInt64,
        ty if ty.is_native_integer() => DataType::Int64,
        ty if ty.is_float() => DataType::Float64,
        other => return Err(illegal_type(name, &other)),
    };
    let ty = DataType::map(key, value.clone());
    let session = Session::of(context);
    let (a, b) = (cast::bind(&args[0].ty, &ty, session)?, cast::bind(&args[1].ty, &ty, session)?);
    let is_float = value.is_float();
    let physical = value.physical();
    Ok(BoundKernel::new(ty, move |args, rows| {
        let (x, keys, values) = entries(&a(&args[0])?)?;
        let (y, other_keys, other_values) = entries(&b(&args[1])?)?;
        let all_keys = Column::concat(&[&keys, &other_keys]);
        let all_values = Column::concat(&[&values, &other_values]);
        let missing = || Error::logical("values of a map are no numbers");
        let floats = f64::read(&all_values).ok_or_else(missing)?;
        let ints = i128::read(&all_values).ok_or_else(missing)?;
        let base = keys.len() as u32;
        let compare = |i: &u32, j: &u32| {
            let (i, j) = (*i as usize, *j as usize);
            entasis_column::compare::compare_values(&all_keys, i, &all_keys, j)
        };
        let sign = |k: u32| if minus && k >= base { -1 } else { 1 };
        let (mut order, mut ends) = (Vec::new(), vec![0u32]);
        let (mut float_sums, mut int_sums) = (Vec::new(), Vec::new());
        for i in 0..rows {
            let mut row: Vec<u32> = (x[i]..x[i + 1]).chain(y[i] + base..y[i + 1] + base).collect();
            row.sort_by(compare);
            for run in row.chunk_by(|i, j| compare(i, j).is_eq()) {
                order.push(run[0]);
                let float = |&k: &u32| floats[k as usize] * f64::from(sign(k));
                float_sums.push(run.iter().map(float).sum::<f64>());
                let add = |sum: i128, &k: &u32| {
                    sum.wrapping_add(ints[k as usize].wrapping_mul(i128::from(sign(k))))
                };
                int_sums.push(run.iter().fold(0i128, add));
            }
            ends.push(order.len() as u32);
        }
        let sums: Column = match is_float {
            true => float_sums.into(),
            false => cast::convert(&Vec::<i128>::into(int_sums), physical, true)?,
        };
        Ok(from_entries(ends.into(), all_keys.take(&order), sums))
    }))
}

/// Entries in the order of their keys.
fn sorted(name: &str, descending: bool, args: &[Arg]) -> Result<BoundKernel> {
    let arg = &args[0];
    types(name, arg)?;
    Ok(BoundKernel::new(arg.ty.clone(), move |args, _| {
        let (offsets, keys, values) = entries(&args[0])?;
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        for w in offsets.windows(2) {
            order[w[0] as usize..w[1] as usize].sort_by(|&i, &j| {
                let (i, j) = (i as usize, j as usize);
                let natural = entasis_column::compare::compare_values(&keys, i, &keys, j);
                if descending { natural.reverse() } else { natural }
            });
        }
        Ok(from_entries(offsets, keys.take(&order), values.take(&order)))
    }))
}

const LAMBDA: FunctionDef =
    FunctionDef { nulls: Nulls::Custom, lambda: Some(parameters), ..FunctionDef::DEFAULT };
const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };
const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "map",
        description: "A map from arguments that are alternately keys and values.",
        examples: &[("map('a', 1, 'b', 2)", "{'a':1,'b':2}")],
        nulls: Nulls::Custom,
        low_cardinality: LowCardinality::Custom,
        bind: map,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "mapFromArrays",
        aliases: &["MAP_FROM_ARRAYS"],
        description: "A map of the keys in one array and the values in another.",
        examples: &[("mapFromArrays(['a', 'b'], [1, 2])", "{'a':1,'b':2}")],
        nulls: Nulls::Custom,
        low_cardinality: LowCardinality::Custom,
        bind: from_arrays,
        ..TWO
    },
    FunctionDef {
        name: "mapKeys",
        description: "The keys of a map.",
        examples: &[("mapKeys(map('a', 1, 'b', 2))", "['a','b']")],
        bind: keys,
        ..ONE
    },
    FunctionDef {
        name: "mapValues",
        description: "The values of a map.",
        examples: &[("mapValues(map('a', 1, 'b', 2))", "[1,2]")],
        bind: values,
        ..ONE
    },
    FunctionDef {
        name: "mapContains",
        aliases: &["mapContainsKey"],
        description: "Whether a map has a key.",
        examples: &[("mapContains(map('a', 1), 'a')", "1")],
        bind: contains,
        ..TWO
    },
    FunctionDef {
        name: "mapFilter",
        description: "The entries for which a lambda of key and value is true.",
        examples: &[("mapFilter((k, v) -> v > 1, map('a', 1, 'b', 2))", "{'b':2}")],
        bind: filter,
        ..LAMBDA
    },
    FunctionDef {
        name: "mapApply",
        description: "A map of the pairs that a lambda makes of each key and value.",
        examples: &[("mapApply((k, v) -> (k, v * 2), map('a', 1))", "{'a':2}")],
        bind: apply,
        ..LAMBDA
    },
    FunctionDef {
        name: "mapExists",
        description: "Whether a lambda of key and value is true for any entry.",
        examples: &[("mapExists((k, v) -> v = 2, map('a', 1))", "0")],
        bind: |args, _| quantified("mapExists", false, args),
        ..LAMBDA
    },
    FunctionDef {
        name: "mapAll",
        description: "Whether a lambda of key and value is true for every entry.",
        examples: &[("mapAll((k, v) -> v = 1, map('a', 1))", "1")],
        bind: |args, _| quantified("mapAll", true, args),
        ..LAMBDA
    },
    FunctionDef {
        name: "mapUpdate",
        description: "The first map, updated with all keys and values of the second.",
        examples: &[("mapUpdate(map('a', 1), map('a', 5, 'b', 6))", "{'a':5,'b':6}")],
        bind: |args, context| joined("mapUpdate", true, args, context),
        ..TWO
    },
    FunctionDef {
        name: "mapConcat",
        description: "The entries of both maps.",
        examples: &[("mapConcat(map('a', 1), map('b', 2))", "{'a':1,'b':2}")],
        bind: |args, context| joined("mapConcat", false, args, context),
        ..TWO
    },
    FunctionDef {
        name: "mapAdd",
        description: "Adds maps: the values of equal keys are added.",
        examples: &[("mapAdd(map('a', 1), map('a', 2, 'b', 3))", "{'a':3,'b':3}")],
        bind: |args, context| combined("mapAdd", false, args, context),
        ..TWO
    },
    FunctionDef {
        name: "mapSubtract",
        description: "Subtracts maps: the values of equal keys are subtracted.",
        examples: &[("mapSubtract(map('a', 3), map('a', 2))", "{'a':1}")],
        bind: |args, context| combined("mapSubtract", true, args, context),
        ..TWO
    },
    FunctionDef {
        name: "mapSort",
        description: "The entries of a map, sorted by key.",
        examples: &[("mapSort(map('b', 1, 'a', 2))", "{'a':2,'b':1}")],
        bind: |args, _| sorted("mapSort", false, args),
        ..ONE
    },
    FunctionDef {
        name: "mapReverseSort",
        description: "The entries of a map, sorted by key, greatest first.",
        examples: &[("mapReverseSort(map('a', 1, 'b', 2))", "{'b':2,'a':1}")],
        bind: |args, _| sorted("mapReverseSort", true, args),
        ..ONE
    },
];
