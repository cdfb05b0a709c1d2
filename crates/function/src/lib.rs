//! The definition of functions: binding to types, the contracts of aggregates, combinators and
//! windows, and the registry.
//!
//! There is no function in this crate. The families are in the crates `function-*`, each in a file
//! that ends with a const table, and the crate `functions` lists them all. Kernels see columns and
//! their own state, never queries.
#![forbid(unsafe_code)]

pub mod aggregate;
pub mod bound;
pub mod cast;
pub mod combinator;
pub mod def;
pub mod dictionary;
pub mod keyed;
pub mod planned;
pub mod properties;
pub mod registry;
mod variant;
pub mod window;

pub use aggregate::{Aggregate, AggregateArgs, AggregateDef, States};
pub use bound::{BoundFunction, LambdaCall};
pub use def::{
    Arg, BoundKernel, COMPATIBLE_VERSION, Determinism, Failure, FunctionContext, FunctionDef,
    Introspection, LowCardinality, Monotonicity, Nulls, Run,
};
pub use keyed::KeyedRows;
pub use properties::{
    BranchKind, Comparison, Cost, Fails, Folds, Operation, Properties, Selectivity,
};
