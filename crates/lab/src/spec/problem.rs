//! A problem of a file, and its place.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use entasis_base::error::codes;
use entasis_base::{Error, ErrorCode};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: Arc<str>,
    /// Line, from 1; 0 is the file as a whole.
    pub line: u32,
    /// Column in characters, from 1; 0 is the file as a whole.
    pub column: u32,
}

impl fmt::Display for Place {
    /// `file:line:column`, or `file` alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            _ => write!(f, "{}:{}:{}", self.file, self.line, self.column),
        }
    }
}

/// An error or a warning about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// The element's name; none for the file as a whole and for what is not XML.
    pub element: Option<String>,
    /// What is wrong, what was expected, and the remedy.
    pub message: String,
}

impl Problem {
    /// A problem with an element.
    pub(super) fn new(place: &Place, element: &str, message: impl fmt::Display) -> Self {
        let element = Some(element.to_owned());
        Self { place: place.clone(), element, message: message.to_string() }
    }

    /// A problem with a file as a whole.
    pub(super) fn file(path: &Path, message: impl fmt::Display) -> Self {
        let place = Place { file: path.to_string_lossy().into(), line: 0, column: 0 };
        Self { place, element: None, message: message.to_string() }
    }
}

impl fmt::Display for Problem {
    /// `file:line:column: <element>: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if let Some(element) = &self.element {
            write!(f, "<{element}>: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        const CODE: ErrorCode = codes::CANNOT_PARSE_TEXT;
        Error::new(CODE, problem.to_string())
    }
}
