//! Functions of arrays and tuples.

pub mod edges;
