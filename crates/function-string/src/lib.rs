//! Functions of strings, regular expressions and URLs.
#![forbid(unsafe_code)]

use entasis_function::FunctionDef;

pub mod addresses;
pub mod regexp;
pub mod search;
pub mod strings;
pub mod urls;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[FunctionDef]] = &[
    strings::length::FUNCTIONS,
    strings::case::FUNCTIONS,
    strings::collation::FUNCTIONS,
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
    strings::bit_slice::FUNCTIONS,
    search::tokens::FUNCTIONS,
    search::sparse_grams::FUNCTIONS,
    search::has_tokens::FUNCTIONS,
    search::highlight::FUNCTIONS,
    regexp::functions::FUNCTIONS,
    regexp::multi::FUNCTIONS,
    urls::domain::FUNCTIONS,
    urls::parts::FUNCTIONS,
    urls::cut::FUNCTIONS,
    urls::component::FUNCTIONS,
    urls::hierarchy::FUNCTIONS,
    urls::parameters::FUNCTIONS,
    urls::netloc::FUNCTIONS,
    addresses::v4::FUNCTIONS,
    addresses::v6::FUNCTIONS,
    addresses::range::FUNCTIONS,
    addresses::mac::FUNCTIONS,
];
