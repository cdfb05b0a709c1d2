//! Combinators: suffixes that change the input or the result of an aggregate function, written once
//! for all functions.
//!
//! [`bind`] removes the outermost suffix (the last in the name) and binds the rest with the
//! remaining types. The handling of NULLs is a combinator without a suffix. It is directly around
//! the function itself, and inside `-If`, `-State`, `-Merge`, `-Array` and `-OrNull`, which pass
//! NULLs on.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_types::{AggregateType, DataType, Value};

use crate::registry::{self, canonical_aggregate_name, find_aggregate, is_aggregate_name};
use crate::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};

/// The input of a combinator's `bind`: the rest of the name, and everything else as written.
#[derive(Clone, Copy)]
pub struct Nested<'a> {
    /// Name without this combinator's suffix.
    pub name: &'a str,
    /// The parameters in the first pair of parentheses.
    pub params: &'a [Value],
    /// Types of the arguments.
    pub types: &'a [DataType],
    /// The context in which the aggregate is bound.
    pub context: &'a dyn FunctionContext,
}

impl Nested<'_> {
    /// Binds the nested function to other types.
    pub fn bind(self, types: &[DataType]) -> Result<Arc<dyn Aggregate>> {
        bind(self.name, self.params, types, self.context)
    }

    /// The error NUMBER_OF_ARGUMENTS_DOESNT_MATCH for a combinator with too few arguments.
    #[cold]
    pub fn too_few(self, suffix: &str) -> Error {
        Error::new(
            codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Incorrect number of arguments for aggregate function with {suffix} suffix"),
        )
    }

    /// The error ILLEGAL_TYPE_OF_ARGUMENT.
    #[cold]
    pub fn illegal(self, suffix: &str, ty: &DataType, wanted: &str) -> Error {
        Error::new(
            codes::ILLEGAL_TYPE_OF_ARGUMENT,
            format!(
                "Illegal type {ty} of argument for aggregate function with {suffix} suffix. \
                 Must be {wanted}"
            ),
        )
    }
}

/// A combinator with a suffix.
pub struct CombinatorDef {
    /// The suffix of the function names.
    pub suffix: &'static str,
    /// Whether it sees Nullable arguments and passes them on.
    pub passes_nulls: bool,
    /// Binds the nested function and wraps it.
    pub bind: fn(Nested<'_>) -> Result<Arc<dyn Aggregate>>,
}

/// The combinator without a suffix, for functions that do not see NULLs.
#[derive(Clone, Copy)]
pub struct NullHandling {
    /// Wraps a function so that it does not get rows with a NULL argument. Its result becomes
    /// Nullable, unless the flag is set.
    pub skip: fn(Arc<dyn Aggregate>, bool) -> Arc<dyn Aggregate>,
    /// The aggregate that replaces a function of the literal NULL, with the same flag.
    pub nothing: fn(bool) -> Arc<dyn Aggregate>,
}

/// Suffixes in the order in which they are tried, for `system.aggregate_function_combinators`.
pub fn suffixes() -> impl Iterator<Item = &'static str> {
    registry::combinators().iter().map(|c| c.suffix)
}

fn peel(name: &str) -> Option<(&'static CombinatorDef, &str)> {
    registry::combinators().iter().find_map(|c| {
        let rest = name.strip_suffix(c.suffix)?;
        is_aggregate_name(rest).then_some((c, rest))
    })
}

/// The definition of the function to which the suffixes of the name are added.
pub fn base_of(name: &str) -> Option<&'static AggregateDef> {
    find_aggregate(name).or_else(|| base_of(peel(name)?.1))
}

/// The name as types print it: the base function's own name, then the suffixes.
pub fn canonical(name: &str) -> Option<String> {
    if let Some(own) = canonical_aggregate_name(name) {
        return Some(own.to_string());
    }
    let (combinator, rest) = peel(name)?;
    Some(canonical(rest)? + combinator.suffix)
}

/// Binds a name with suffixes to parameters and types.
pub fn bind(
    name: &str,
    params: &[Value],
    types: &[DataType],
    context: &dyn FunctionContext,
) -> Result<Arc<dyn Aggregate>> {
    // LowCardinality has no effect here: states and results are those of the plain types.
    let plain: Vec<DataType> = types.iter().map(DataType::without_low_cardinality).collect();
    let types = &plain[..];
    let def = find_aggregate(name);
    let peeled = if def.is_none() { peel(name) } else { None };
    let nullable = types.iter().any(DataType::is_nullable);
    let sees_nulls = match (def, peeled) {
        (Some(def), _) => def.sees_nulls,
        (None, Some((combinator, _))) => combinator.passes_nulls,
        (None, None) => return Err(unknown(name)),
    };
    if nullable && !sees_nulls {
        let plain = base_of(name).is_some_and(|d| d.plain_over_nulls);
        if types.iter().any(DataType::is_null_literal) {
            return Ok((registry::null_handling().nothing)(plain));
        }
        let stripped: Vec<DataType> = types.iter().map(|t| t.without_nullable().clone()).collect();
        let inner = bind(name, params, &stripped, context)?;
        return Ok((registry::null_handling().skip)(inner, plain));
    }
    match (def, peeled) {
        (Some(def), _) => (def.bind)(AggregateArgs { params, types }, context).map(Arc::from),
        (None, Some((combinator, rest))) => {
            let nests = matches!(combinator.suffix, "Array" | "OrNull" | "OrDefault");
            let same = |inner: &CombinatorDef| inner.suffix == combinator.suffix && !nests;
            if find_aggregate(rest).is_none() && peel(rest).is_some_and(|(inner, _)| same(inner)) {
                let suffix = combinator.suffix;
                let message = format!("Nested identical combinator '{suffix}' is not supported");
                return Err(Error::new(codes::ILLEGAL_AGGREGATION, message));
            }
            (combinator.bind)(Nested { name: rest, params, types, context })
        }
        (None, None) => Err(unknown(name)),
    }
}

#[cold]
fn unknown(name: &str) -> Error {
    let message = format!("Aggregate function with name `{name}` does not exist");
    Error::new(codes::UNKNOWN_FUNCTION, message)
}

/// The type of an aggregate's states.
pub fn state_type(name: &str, params: &[Value], types: &[DataType]) -> DataType {
    let canonical = canonical(name).unwrap_or_else(|| name.to_string());
    DataType::AggregateFunction(Arc::new(AggregateType {
        name: canonical.into(),
        params: params.to_vec(),
        args: types.to_vec(),
    }))
}
