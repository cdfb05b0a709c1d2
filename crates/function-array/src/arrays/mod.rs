//! Functions of arrays and tuples. Work on elements runs over the flattened elements of all lists;
//! lists are offsets.

pub mod aggregate;
mod blocks;
pub mod build;
pub mod condition;
pub mod distance;
pub mod element;
pub mod fold;
pub mod keys;
pub mod lambda;
pub mod lists;
pub mod move_elements;
pub mod nested;
mod norms;
mod ranges;
pub mod reduce;
pub mod search;
pub mod sets;
pub mod sort;
pub mod subcolumn;
pub mod tuple;
