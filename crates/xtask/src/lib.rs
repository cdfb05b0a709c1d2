//! House rules as tests: layers, tidiness, licences, no dead files.
//!
//! Each rule is a function from the workspace to a list of [`Problem`]s, whose messages say what to
//! do instead. `tests/house.rs` applies the rules to this repository (so `make test` does), and the
//! small binary `xtask` prints the problems (`make lint`). The tests of the rules use small sources
//! within the test code.
#![forbid(unsafe_code)]

pub mod events;
pub mod layers;
pub mod licences;
pub mod metadata;
pub mod ratchet;
pub mod rooms;
pub mod source;
pub mod tidy;
pub mod tree;

use std::fmt;

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the workspace root and with `/`, or the name of the crate.
    pub place: String,
    /// The line, counted from 1; 0 if the problem concerns the whole file or crate.
    pub line: usize,
    /// What is wrong, and what to do instead.
    pub message: String,
}

impl Problem {
    /// A problem at a line (0 for the whole place).
    pub fn new(place: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { place: place.into(), line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: {}", self.place, self.line, self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}

/// All problems as lines of text, for an assertion's message.
pub fn report(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |text, p| text + "\n" + &p.to_string())
}
