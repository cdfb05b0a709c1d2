//! Names of the reference's functions that do not exist here yet, so that an error can say so
//! instead of calling a documented function unknown. A test of the list of all functions removes
//! names from here once they exist.

/// The names, one a line.
const NAMES: &str = include_str!("planned.txt");

/// Whether the reference has a function or an aggregate function of this name that is missing here.
#[cold]
pub fn is_planned(name: &str) -> bool {
    names().any(|planned| planned.eq_ignore_ascii_case(name))
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.lines()
}
