//! arrayReduce: an aggregate function, named by a string, over the elements of each array.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, Value};

use super::lists::{Flat, element_type};
use crate::scalar::strings::text::constant_string;
use crate::{Aggregate, Arg, Bound, Facts, FunctionDef, Nulls, registry};

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

fn bind(args: &[Arg], facts: &dyn Facts) -> Result<Bound> {
    let name = constant_string("arrayReduce", &args[0], "First argument")?;
    let text = String::from_utf8_lossy(name).into_owned();
    let (name, params) = parse(&text)?;
    if !registry::is_aggregate_name(name) {
        let message = format!("Unknown aggregate function {name}");
        return Err(Error::new(codes::UNKNOWN_AGGREGATE_FUNCTION, message));
    }
    let types = args[1..]
        .iter()
        .map(|a| element_type("arrayReduce", a).cloned())
        .collect::<Result<Vec<DataType>>>()?;
    let aggregate: Arc<dyn Aggregate> = registry::bind_aggregate(name, &params, &types, facts)?;
    Ok(Bound::new(aggregate.return_type(), move |args, rows| {
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

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "arrayReduce",
    description: "An aggregate function, named by a string, over the elements of the arrays.",
    examples: &[("arrayReduce('sum', [1, 2, 3])", "6")],
    nulls: Nulls::Custom,
    arity: (2, usize::MAX),
    bind,
    ..FunctionDef::DEFAULT
}];
