//! Scalar functions: one file or folder per family, each ending in one const table `FUNCTIONS`.

pub mod arithmetic;
pub mod arrays;
pub mod cast;
pub mod comparison;
pub mod conditional;
pub mod conversion;
pub mod dates;
pub mod hash;
pub mod introspection;
pub mod json;
pub mod kernel;
pub mod logical;
pub mod maps;
pub mod math;
pub mod other;
pub mod random;
pub mod regexp;
pub mod strings;
pub mod urls;

use crate::FunctionDef;

/// Every family's table: one line each.
#[rustfmt::skip]
pub static FAMILIES: &[&[FunctionDef]] = &[
    comparison::FUNCTIONS,
    arithmetic::FUNCTIONS,
    arithmetic::TUPLES,
    conditional::BRANCHES,
    conditional::EXTREMES,
    conditional::NULLS,
    conditional::TRANSFORM,
    logical::FUNCTIONS,
    conversion::BY_NAME,
    conversion::CASTS,
    conversion::DECIMALS,
    conversion::TIMES,
    conversion::TIMES64,
    conversion::REINTERPRET,
    conversion::MISSING,
    introspection::FUNCTIONS,
    other::SESSION,
    other::VALUES,
    other::READABLE,
    other::STATES,
    other::UUIDS,
    hash::FUNCTIONS,
    hash::DIGESTS,
    hash::encrypt::FUNCTIONS,
    math::ROUNDING,
    math::STEPS,
    math::FLOATS,
    math::BITS,
    math::BIT_LISTS,
    random::FUNCTIONS,
    strings::length::FUNCTIONS,
    strings::case::FUNCTIONS,
    strings::substring::FUNCTIONS,
    strings::concat::FUNCTIONS,
    strings::position::FUNCTIONS,
    strings::like::FUNCTIONS,
    strings::needles::FUNCTIONS,
    strings::split::FUNCTIONS,
    strings::digits::FUNCTIONS,
    strings::base64::FUNCTIONS,
    strings::pad::FUNCTIONS,
    strings::trim::FUNCTIONS,
    strings::replace::FUNCTIONS,
    strings::format::FUNCTIONS,
    strings::utf8::FUNCTIONS,
    strings::tokens::FUNCTIONS,
    strings::soundex::FUNCTIONS,
    strings::subsequence::FUNCTIONS,
    strings::xml::FUNCTIONS,
    strings::distance::FUNCTIONS,
    strings::ngram_distance::FUNCTIONS,
    regexp::functions::FUNCTIONS,
    regexp::multi::FUNCTIONS,
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
    maps::FUNCTIONS,
    json::functions::FUNCTIONS,
    json::simple::FUNCTIONS,
    urls::domain::FUNCTIONS,
    urls::parts::FUNCTIONS,
    urls::cut::FUNCTIONS,
    urls::component::FUNCTIONS,
    urls::hierarchy::FUNCTIONS,
    urls::parameters::FUNCTIONS,
    dates::parts::FUNCTIONS,
    dates::weeks::FUNCTIONS,
    dates::starts::FUNCTIONS,
    dates::interval::FUNCTIONS,
    dates::fractions::FUNCTIONS,
    dates::diff::FUNCTIONS,
    dates::add::BY_UNIT,
    dates::add::BY_INTERVAL,
    dates::format::FUNCTIONS,
    dates::format_joda::FUNCTIONS,
    dates::make::FUNCTIONS,
];
