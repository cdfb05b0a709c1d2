//! Tuples: tuple, tupleElement, tupleConcat.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, TupleType, Value};

use super::lists::Lists;
use entasis_function::{
    Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Operation, Properties,
};
use entasis_function_kernel::kernel::illegal_type;

fn tuple(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = DataType::tuple(args.iter().map(|a| a.ty.clone()).collect());
    Ok(BoundKernel::new(ty, |args, rows| Ok(Column::tuple(args.to_vec(), rows))))
}

/// The position that the second argument names, from 0; `None` if there is none and a default
/// stands in for it.
fn position(tuple: &TupleType, args: &[Arg]) -> Result<Option<usize>> {
    let not_found = |text: String, code| match args.len() {
        3 => Ok(None),
        _ => Err(Error::new(code, text)),
    };
    match &args[1].constant {
        Some(Value::String(name)) => {
            let names = tuple.names.as_deref().unwrap_or_default();
            let by_name = names.iter().position(|n| n.as_bytes() == &name[..]);
            // Elements without a name are called by their number.
            let by_number = || {
                let number: usize = std::str::from_utf8(name).ok()?.parse().ok()?;
                (tuple.names.is_none() && (1..=tuple.types.len()).contains(&number))
                    .then(|| number - 1)
            };
            let shown = String::from_utf8_lossy(name);
            match by_name.or_else(by_number) {
                Some(at) => Ok(Some(at)),
                None => not_found(
                    format!("Tuple doesn't have element with name '{shown}'"),
                    codes::BAD_ARGUMENTS,
                ),
            }
        }
        Some(value) => {
            let index = value.as_i64().filter(|_| !args[1].ty.is_wide_integer());
            let Some(index) = index else {
                return Err(illegal_type("tupleElement", &args[1].ty));
            };
            let len = tuple.types.len() as i64;
            let at = if index < 0 { len + index } else { index - 1 };
            if index != 0 && (0..len).contains(&at) {
                return Ok(Some(at as usize));
            }
            let code = codes::ARGUMENT_OUT_OF_BOUND;
            not_found(format!("Tuple doesn't have element with index '{index}'"), code)
        }
        None => {
            let message = "Second argument to tupleElement must be a constant UInt or String";
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn part(column: &Column, at: usize, rows: usize) -> Result<Column> {
    match column {
        Column::Tuple(tuple) => Ok(tuple.columns[at].clone()),
        Column::Const(c) => Ok(Column::constant(part(&c.value, at, 1)?, rows)),
        _ => Err(Error::logical("not a tuple column")),
    }
}

/// Binds `tupleElement`: `t.1`, `t.name`, also of every tuple in an array.
pub fn element(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let whole = &args[0].ty;
    let (tuple, in_array) = match (whole, whole.as_array()) {
        (DataType::Tuple(tuple), _) => (tuple, false),
        (_, Some(DataType::Tuple(tuple))) => (tuple, true),
        _ => return Err(illegal_type("tupleElement", whole)),
    };
    let Some(at) = position(tuple, args)? else {
        return Ok(BoundKernel::new(args[2].ty.clone(), |args, _| Ok(args[2].clone())));
    };
    let ty = tuple.types[at].clone();
    if !in_array {
        return Ok(BoundKernel::new(ty, move |args, rows| part(&args[0], at, rows)));
    }
    Ok(BoundKernel::new(DataType::array(ty), move |args, _| {
        let lists = Lists::of(&args[0].full())?;
        let values = part(lists.values(), at, lists.values().len())?;
        Ok(Column::array(lists.array.offsets.clone(), values))
    }))
}

fn concat(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().find(|a| !matches!(a.ty, DataType::Tuple(_))) {
        return Err(illegal_type("tupleConcat", &arg.ty));
    }
    (entasis_function::registry::scalar("concat")?.bind)(args, context)
}

fn name_value_pairs(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let DataType::Tuple(tuple) = &args[0].ty else {
        return Err(illegal_type("tupleToNameValuePairs", &args[0].ty));
    };
    let common = super::lists::Common::of(&tuple.types, context)?;
    let name = |i: usize| match &tuple.names {
        Some(names) => names[i].to_string(),
        None => (i + 1).to_string(),
    };
    let names: Vec<String> = (0..tuple.types.len()).map(name).collect();
    let pair = TupleType { types: vec![DataType::String, common.ty.clone()], names: None };
    let ty = DataType::array(DataType::Tuple(Arc::new(pair)));
    let element = common.ty.clone();
    Ok(BoundKernel::new(ty, move |args, rows| {
        let count = names.len();
        let values = (0..count)
            .map(|k| Ok(common.cast(k, &part(&args[0].full(), k, rows)?)?.full()))
            .collect::<Result<Vec<_>>>()?;
        let all = if values.is_empty() {
            Column::default_of(&element, 0)
        } else {
            Column::concat(&values.iter().collect::<Vec<_>>())
        };
        let order: Vec<u32> =
            (0..rows).flat_map(|i| (0..count).map(move |k| (k * rows + i) as u32)).collect();
        let keys: entasis_column::Strings =
            (0..rows).flat_map(|_| names.iter().map(String::as_bytes)).collect();
        let offsets: Vec<u32> = (0..=rows).map(|i| (i * count) as u32).collect();
        let pairs = Column::tuple(vec![keys.into(), all.take(&order)], rows * count);
        Ok(Column::array(offsets.into(), pairs))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "tuple",
        properties: Properties::DEFAULT.meaning(Operation::Tuple),
        low_cardinality: entasis_function::LowCardinality::Custom,
        description: "A tuple of the arguments: `(a, b)`.",
        examples: &[("tuple(1, 'a')", "(1,'a')")],
        nulls: Nulls::Custom,
        bind: tuple,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "tupleElement",
        description: "An element of a tuple by position or name: `t.1`, `t.name`; a third argument \
                      stands in for an element that is not there.",
        examples: &[("tupleElement((1, 'a'), 2)", "a"), ("tupleElement((1, 2), 3, 'x')", "x")],
        low_cardinality: entasis_function::LowCardinality::Custom,
        nulls: Nulls::Custom,
        arity: (2, 3),
        bind: element,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "tupleConcat",
        description: "A tuple of the elements of all tuples.",
        examples: &[("tupleConcat((1, 2), ('a', 'b'))", "(1,2,'a','b')")],
        arity: (1, usize::MAX),
        bind: concat,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "tupleToNameValuePairs",
        description: "The elements of a tuple as an array of names and values.",
        examples: &[("tupleToNameValuePairs((1, 2))", "[('1',1),('2',2)]")],
        arity: (1, 1),
        bind: name_value_pairs,
        ..FunctionDef::DEFAULT
    },
];
