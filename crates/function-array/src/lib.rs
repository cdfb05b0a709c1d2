//! Functions of nested values: arrays, tuples, maps, and JSON in strings.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod arrays;
pub mod json;
pub mod maps;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    arrays::build::FUNCTIONS,
    arrays::build::EMPTY,
    arrays::element::FUNCTIONS,
    arrays::search::FUNCTIONS,
    arrays::sets::FUNCTIONS,
    arrays::move_elements::FUNCTIONS,
    arrays::lambda::FUNCTIONS,
    arrays::condition::FUNCTIONS,
    arrays::aggregate::FUNCTIONS,
    arrays::sort::FUNCTIONS,
    arrays::fold::FUNCTIONS,
    arrays::reduce::FUNCTIONS,
    arrays::tuple::FUNCTIONS,
    arrays::nested::FUNCTIONS,
    arrays::subcolumn::FUNCTIONS,
    arrays::distance::FUNCTIONS,
    maps::FUNCTIONS,
    json::functions::FUNCTIONS,
    json::simple::FUNCTIONS,
    json::write::FUNCTIONS,
];
