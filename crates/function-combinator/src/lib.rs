//! Combinators: suffixes that change the input or the result of an aggregate function, written once
//! for all functions. `entasis_function::combinator` parses the names. Aggregates of maps are in
//! this crate, because they share their states with `-Map`.
#![forbid(unsafe_code)]

use entasis_function::AggregateDef;
use entasis_function::combinator::{CombinatorDef, NullHandling};

pub mod arg;
pub mod array;
pub mod condition;
pub mod distinct;
pub mod for_each;
pub mod maps;
pub mod nothing;
pub mod nulls;
pub mod or_default;
pub mod resample;
pub mod state;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[AggregateDef]] = &[maps::AGGREGATES];

/// The suffixes, longer ones before those they end with.
#[rustfmt::skip]
pub static COMBINATORS: &[CombinatorDef] = &[
    CombinatorDef { suffix: "SimpleState", passes_nulls: true, bind: state::bind_simple },
    CombinatorDef { suffix: "State", passes_nulls: true, bind: state::bind_state },
    CombinatorDef { suffix: "Merge", passes_nulls: true, bind: state::bind_merge },
    CombinatorDef { suffix: "If", passes_nulls: true, bind: condition::bind },
    CombinatorDef { suffix: "Array", passes_nulls: true, bind: array::bind },
    CombinatorDef { suffix: "ForEach", passes_nulls: true, bind: for_each::bind },
    CombinatorDef { suffix: "Distinct", passes_nulls: false, bind: distinct::bind },
    CombinatorDef { suffix: "OrNull", passes_nulls: true, bind: or_default::bind_null },
    CombinatorDef { suffix: "OrDefault", passes_nulls: true, bind: or_default::bind_default },
    CombinatorDef { suffix: "Resample", passes_nulls: false, bind: resample::bind },
    CombinatorDef { suffix: "ArgMin", passes_nulls: false, bind: arg::bind_min },
    CombinatorDef { suffix: "ArgMax", passes_nulls: false, bind: arg::bind_max },
    CombinatorDef { suffix: "Map", passes_nulls: true, bind: maps::bind_values },
];

/// What the registry needs to keep NULLs from functions.
pub const NULL_HANDLING: NullHandling = NullHandling { skip: nulls::wrap, nothing: nothing::bind };
