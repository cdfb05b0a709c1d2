//! Functions that exist over windows only.

use entasis_function::window::WindowDef;

mod derivative;
mod neighbours;
mod ranking;

/// Every family's table.
pub static FAMILIES: &[&[WindowDef]] =
    &[ranking::FUNCTIONS, neighbours::FUNCTIONS, derivative::FUNCTIONS];
