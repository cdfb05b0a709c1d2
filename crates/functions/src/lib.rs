//! All functions: the only crate that names every crate of families.
//!
//! Programs and tests call [`register`] when they start. No crate below the program depends on it,
//! so a change of a kernel recompiles only its own crate, this list and the program.
#![forbid(unsafe_code)]

use entasis_function::cast::CastKernels;
use entasis_function::registry::{self, Functions};

mod aliases;

/// Makes all functions known to the registry. Cheap when it was called before.
pub fn register() {
    registry::register(all);
}

/// Families in the order of `system.functions`: a crate's own list has the order within it.
fn all() -> Functions {
    Functions {
        scalar: [
            entasis_function_condition::FAMILIES,
            entasis_function_cast::FAMILIES,
            entasis_function_number::FAMILIES,
            entasis_function_string::FAMILIES,
            entasis_function_array::FAMILIES,
            entasis_function_date::FAMILIES,
            entasis_function_dictionary::FAMILIES,
            entasis_function_other::FAMILIES,
        ]
        .concat(),
        aggregate: [
            entasis_function_aggregate::FAMILIES,
            entasis_function_quantile::FAMILIES,
            entasis_function_collect::FAMILIES,
            entasis_function_combinator::FAMILIES,
        ]
        .concat(),
        aggregate_aliases: aliases::ANY_CASE,
        combinators: entasis_function_combinator::COMBINATORS,
        null_handling: entasis_function_combinator::NULL_HANDLING,
        window: entasis_function_aggregate::window::FAMILIES.to_vec(),
        cast: CastKernels {
            bind: entasis_function_cast::cast::bind_mode,
            convert: entasis_function_cast::cast::numbers::convert,
            equal: entasis_function_condition::comparison::equal,
            read_time: entasis_function_cast::cast::best_effort::read_time,
        },
    }
}

#[cfg(test)]
mod tests {
    use entasis_function::{planned, registry};

    #[test]
    fn functions_that_exist_are_not_listed_as_missing() {
        super::register();
        let exists =
            |name: &&str| registry::scalar(name).is_ok() || registry::is_aggregate_name(name);
        let wrong: Vec<&str> = planned::names().filter(exists).collect();
        assert!(wrong.is_empty(), "remove from planned.txt: {wrong:?}");
    }
}
