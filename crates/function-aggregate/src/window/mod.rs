//! Functions that exist over windows only.

use entasis_function::window::WindowDef;

mod decayed;
mod derivative;
mod neighbours;
mod ranking;

/// The tables of definitions of all files.
pub static FAMILIES: &[&[WindowDef]] =
    &[ranking::FUNCTIONS, neighbours::FUNCTIONS, derivative::FUNCTIONS, decayed::FUNCTIONS];
