//! Looking functions up by name: slices of definitions joined at first use.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, Value};

use crate::window::WindowDef;
use crate::{Aggregate, AggregateDef, Facts, FunctionDef};

/// All scalar families; each is one file that ends in one const table.
static SCALAR: &[&[FunctionDef]] = crate::scalar::FAMILIES;
/// All aggregate families.
static AGGREGATE: &[&[AggregateDef]] = crate::aggregates::FAMILIES;

/// Every scalar function, in the order of families.
pub fn scalar_functions() -> impl Iterator<Item = &'static FunctionDef> {
    SCALAR.iter().flat_map(|family| family.iter())
}

/// Every aggregate function, without combinators, in the order of families.
pub fn aggregate_functions() -> impl Iterator<Item = &'static AggregateDef> {
    AGGREGATE.iter().flat_map(|family| family.iter())
}

/// Every function that exists over windows only, in the order of families.
pub fn window_functions() -> impl Iterator<Item = &'static WindowDef> {
    crate::window::FAMILIES.iter().flat_map(|family| family.iter())
}

struct Names<D: 'static> {
    exact: HashMap<&'static str, &'static D>,
    folded: HashMap<String, &'static D>,
}

impl<D> Names<D> {
    fn get(&self, name: &str) -> Option<&'static D> {
        let exact = self.exact.get(name).copied();
        exact.or_else(|| self.folded.get(&name.to_ascii_lowercase()).copied())
    }
}

static SCALAR_NAMES: LazyLock<Names<FunctionDef>> = LazyLock::new(|| {
    let mut names = Names { exact: HashMap::new(), folded: HashMap::new() };
    for def in scalar_functions() {
        for name in std::iter::once(&def.name).chain(def.aliases) {
            names.exact.insert(name, def);
            if def.case_insensitive {
                names.folded.insert(name.to_ascii_lowercase(), def);
            }
        }
    }
    names
});

static AGGREGATE_NAMES: LazyLock<Names<AggregateDef>> = LazyLock::new(|| {
    let mut names = Names { exact: HashMap::new(), folded: HashMap::new() };
    for def in aggregate_functions() {
        for name in std::iter::once(&def.name).chain(def.aliases) {
            names.exact.insert(name, def);
            if def.case_insensitive {
                names.folded.insert(name.to_ascii_lowercase(), def);
            }
        }
    }
    for (alias, function) in crate::aggregates::aliases::ANY_CASE {
        if let Some(&def) = names.exact.get(function) {
            names.folded.insert((*alias).to_string(), def);
        }
    }
    names
});

static WINDOW_NAMES: LazyLock<Names<WindowDef>> = LazyLock::new(|| {
    let mut names = Names { exact: HashMap::new(), folded: HashMap::new() };
    for def in window_functions() {
        names.exact.extend(std::iter::once(&def.name).chain(def.aliases).map(|name| (*name, def)));
        names.folded.extend(def.any_case.iter().map(|name| ((*name).to_string(), def)));
    }
    names
});

/// The scalar function called `name` in this spelling.
pub fn find_scalar(name: &str) -> Option<&'static FunctionDef> {
    SCALAR_NAMES.get(name)
}

/// The aggregate function called `name`, without combinators.
pub fn find_aggregate(name: &str) -> Option<&'static AggregateDef> {
    AGGREGATE_NAMES.get(name)
}

/// The function called `name` that exists over windows only.
pub fn find_window(name: &str) -> Option<&'static WindowDef> {
    WINDOW_NAMES.get(name)
}

/// The function over windows only that a name with combinators has at its bottom.
pub fn window_under_suffixes(name: &str) -> Option<&'static WindowDef> {
    let shorter = |name| crate::combinators::suffixes().find_map(|s| str::strip_suffix(name, s));
    find_window(name).or_else(|| window_under_suffixes(shorter(name)?))
}

/// The error for a name that is no function. The analyser adds the nearest names as a hint.
#[cold]
pub fn unknown_function(name: &str) -> Error {
    let message = format!("Function with name `{name}` does not exist");
    Error::new(codes::UNKNOWN_FUNCTION, message)
}

/// [`find_scalar`] or the error.
pub fn scalar(name: &str) -> Result<&'static FunctionDef> {
    find_scalar(name).ok_or_else(|| unknown_function(name))
}

/// The name under which `name` (a function or alias, without combinators) is printed.
pub fn canonical_aggregate_name(name: &str) -> Option<&'static str> {
    find_aggregate(name).map(|def| def.name)
}

/// The aggregate function under any combinators of `name`.
pub fn base_aggregate(name: &str) -> Option<&'static AggregateDef> {
    crate::combinators::base_of(name)
}

/// Whether `name` is an aggregate function, with any combinators.
pub fn is_aggregate_name(name: &str) -> bool {
    base_aggregate(name).is_some()
}

/// Binds the aggregate `name`, with any combinators, to parameters and argument types.
pub fn bind_aggregate(
    name: &str,
    params: &[Value],
    types: &[DataType],
    facts: &dyn Facts,
) -> Result<Arc<dyn Aggregate>> {
    crate::combinators::bind(name, params, types, facts)
}
