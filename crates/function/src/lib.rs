//! What a function is: definitions, binding to types, the contracts of aggregates, combinators and
//! windows, and the registry.
//!
//! No function itself. Families are in the crates `function-*`, each family a file that ends in a
//! const table; crate `functions` lists them all. Kernels see columns and their own state, never
//! queries.
#![forbid(unsafe_code)]

pub mod aggregate;
pub mod bound;
pub mod cast;
pub mod combinator;
pub mod def;
pub mod planned;
pub mod properties;
pub mod registry;
mod variant;
pub mod window;

pub use aggregate::{Aggregate, AggregateArgs, AggregateDef, States};
pub use bound::{BoundFunction, LambdaCall};
pub use def::{
    Arg, BoundKernel, COMPATIBLE_VERSION, Determinism, FunctionContext, FunctionDef, Introspection,
    LowCardinality, Monotonicity, Nulls, Run,
};
pub use properties::{BranchKind, Comparison, Cost, Fails, Operation, Properties, Selectivity};
