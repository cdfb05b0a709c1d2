//! Functions as data: definitions, type inference, kernels and the registry.
//!
//! A family of functions is one file that ends in one const table; `scalar/mod.rs` and
//! `aggregates/mod.rs` list the tables. Kernels see columns and their own state, never queries.
#![forbid(unsafe_code)]

pub mod aggregate;
pub mod aggregates;
pub mod bound;
pub mod combinators;
pub mod def;
pub mod registry;
pub mod scalar;
#[cfg(test)]
pub(crate) mod testing;
pub mod window;

pub use aggregate::{Aggregate, AggregateArgs, AggregateDef, States};
pub use bound::{BoundFunction, LambdaCall};
pub use def::{
    Arg, Bound, Determinism, Facts, FunctionDef, Introspection, LowCardinality, Monotonicity,
    Nulls, Run,
};
