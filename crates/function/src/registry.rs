//! Looks functions up by name, in tables of definitions that the program registers when it starts.
//!
//! The families are in crates of their own, which the crate `functions` lists. Only programs and
//! tests depend on that crate, so a change of a kernel recompiles neither the analyser nor the
//! executor.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, Value};

use crate::cast::CastKernels;
use crate::combinator::{CombinatorDef, NullHandling};
use crate::window::WindowDef;
use crate::{Aggregate, AggregateDef, FunctionContext, FunctionDef};

/// All functions that a program can call, as the crate `functions` lists them. Families are in the
/// order in which they are shown.
pub struct Functions {
    /// Scalar functions.
    pub scalar: Vec<&'static [FunctionDef]>,
    /// Aggregate functions.
    pub aggregate: Vec<&'static [AggregateDef]>,
    /// Names of aggregates that match in upper and lower case, and the functions that they stand
    /// for, whose own names match only as they are spelled.
    pub aggregate_aliases: &'static [(&'static str, &'static str)],
    /// Suffixes of aggregates. A suffix comes before shorter ones with which it ends.
    pub combinators: &'static [CombinatorDef],
    /// The combinator that keeps NULLs from aggregates.
    pub null_handling: NullHandling,
    /// Functions that exist over windows only.
    pub window: Vec<&'static [WindowDef]>,
    /// Conversion between types.
    pub cast: CastKernels,
}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

/// Makes functions known to the whole program. Only the first call has an effect.
pub fn register(list: fn() -> Functions) {
    FUNCTIONS.get_or_init(list);
}

/// Whether [`register`] was called.
pub fn is_registered() -> bool {
    FUNCTIONS.get().is_some()
}

/// The registered functions. Panics if [`register`] was not called, because this is a bug of the
/// program that no query can cause.
fn registered() -> &'static Functions {
    FUNCTIONS.get().expect(
        "no functions are registered: call entasis_functions::register() when the program (or \
         the test) starts",
    )
}

/// Every scalar function, in the order of families.
pub fn scalar_functions() -> impl Iterator<Item = &'static FunctionDef> {
    registered().scalar.iter().flat_map(|family| family.iter())
}

/// Every aggregate function, without combinators, in the order of families.
pub fn aggregate_functions() -> impl Iterator<Item = &'static AggregateDef> {
    registered().aggregate.iter().flat_map(|family| family.iter())
}

/// Names of aggregates that match in upper and lower case, and the functions that they stand for.
pub fn aggregate_aliases() -> &'static [(&'static str, &'static str)] {
    registered().aggregate_aliases
}

/// Every function that exists over windows only, in the order of families.
pub fn window_functions() -> impl Iterator<Item = &'static WindowDef> {
    registered().window.iter().flat_map(|family| family.iter())
}

pub(crate) fn combinators() -> &'static [CombinatorDef] {
    registered().combinators
}

pub(crate) fn null_handling() -> NullHandling {
    registered().null_handling
}

pub(crate) fn cast_kernels() -> CastKernels {
    registered().cast
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
    for (alias, function) in aggregate_aliases() {
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

/// The scalar function whose name or alias is `name`.
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

/// The window function to which a name adds suffixes of combinators.
pub fn window_under_suffixes(name: &str) -> Option<&'static WindowDef> {
    let shorter = |name| crate::combinator::suffixes().find_map(|s| str::strip_suffix(name, s));
    find_window(name).or_else(|| window_under_suffixes(shorter(name)?))
}

/// The error for an unknown function. The analyser adds similar names to it.
#[cold]
pub fn unknown_function(name: &str) -> Error {
    let message = format!("Function with name `{name}` does not exist");
    Error::new(codes::UNKNOWN_FUNCTION, message)
}

/// [`find_scalar`], or an error if there is no such function.
pub fn scalar(name: &str) -> Result<&'static FunctionDef> {
    find_scalar(name).ok_or_else(|| unknown_function(name))
}

/// The name under which `name`, a function or an alias without combinators, is printed.
pub fn canonical_aggregate_name(name: &str) -> Option<&'static str> {
    find_aggregate(name).map(|def| def.name)
}

/// The aggregate function to which `name` adds combinators.
pub fn base_aggregate(name: &str) -> Option<&'static AggregateDef> {
    crate::combinator::base_of(name)
}

/// Whether `name` is an aggregate function, possibly with combinators.
pub fn is_aggregate_name(name: &str) -> bool {
    base_aggregate(name).is_some()
}

/// Binds the aggregate `name`, possibly with combinators, to parameters and argument types.
pub fn bind_aggregate(
    name: &str,
    params: &[Value],
    types: &[DataType],
    context: &dyn FunctionContext,
) -> Result<Arc<dyn Aggregate>> {
    crate::combinator::bind(name, params, types, context)
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "call entasis_functions::register()")]
    fn a_program_that_registered_nothing_is_told() {
        let _ = super::find_scalar("plus");
    }
}
