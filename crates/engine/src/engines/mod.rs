//! Table engines: what `ENGINE = name` makes.

pub mod merging;
