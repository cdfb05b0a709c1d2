//! Errors within a row, and their messages: row, column, type, offending bytes.

use std::fmt::Write;

use entasis_base::{Error, ErrorCode, codes};
use entasis_column::Field;

/// A value or row that cannot be read. Boxed, so that the hot path's results stay one word.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl From<Box<Fault>> for Error {
    /// Where no row and column are to be told.
    fn from(fault: Box<Fault>) -> Self {
        Self::new(fault.code, fault.message)
    }
}

/// Result of reading a value.
pub(crate) type Parse<T = ()> = Result<T, Box<Fault>>;

/// Most bytes of the input that a message repeats.
const SHOWN: usize = 160;

#[cold]
pub(crate) fn fault<T>(code: ErrorCode, message: impl Into<String>) -> Parse<T> {
    Err(Box::new(Fault { code, message: message.into() }))
}

/// `Cannot parse input: expected 'x' before: '...'`.
#[cold]
pub(crate) fn expected<T>(what: &str, rest: &[u8]) -> Parse<T> {
    let message = if rest.is_empty() {
        format!("Cannot parse input: expected {} at end of stream", quoted(what.as_bytes()))
    } else {
        format!(
            "Cannot parse input: expected {} before: {}",
            quoted(what.as_bytes()),
            quoted(&rest[..rest.len().min(SHOWN)])
        )
    };
    fault(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message)
}

/// Text in single quotes with escapes; bytes that are not UTF-8 as `\xHH`.
pub(crate) fn quoted(text: &[u8]) -> String {
    let mut escaped = Vec::new();
    crate::escape::write_quoted(&mut escaped, text);
    readable(&escaped)
}

fn readable(text: &[u8]) -> String {
    let mut out = String::new();
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
    out
}

/// Text with the names of the bytes that cannot be seen.
fn verbose(text: &[u8]) -> String {
    let mut out = String::new();
    for c in readable(text).chars() {
        match c {
            '\0' => out.push_str("<ASCII NUL>"),
            '\u{8}' => out.push_str("<BACKSPACE>"),
            '\t' => out.push_str("<TAB>"),
            '\n' => out.push_str("<LINE FEED>"),
            '\u{c}' => out.push_str("<FORM FEED>"),
            '\r' => out.push_str("<CARRIAGE RETURN>"),
            '\\' => out.push_str("<BACKSLASH>"),
            '\'' => out.push_str("<SINGLE QUOTE>"),
            '"' => out.push_str("<DOUBLE QUOTE>"),
            c => out.push(c),
        }
    }
    out
}

/// Where in a row a fault came up.
pub(crate) struct FaultPosition<'a> {
    /// Row within the piece that is being parsed, from 0.
    pub(crate) row: u64,
    /// Position among the row's columns and the field, if it is one that is read.
    pub(crate) column: Option<(usize, &'a Field)>,
    /// The row from the start of the value.
    pub(crate) from_value: &'a [u8],
    /// The row from where reading stopped.
    pub(crate) rest: &'a [u8],
}

impl Fault {
    /// The user's error.
    #[cold]
    pub(crate) fn into_error(self, place: &FaultPosition<'_>) -> Error {
        let row = place.row + 1;
        let mut message = format!("{} (at row {row})\n", self.message);
        if let Some((index, field)) = place.column {
            let taken = place.from_value.len().saturating_sub(place.rest.len());
            let parsed = &place.from_value[..taken];
            let rest = &place.rest[..place.rest.len().min(10)];
            let _ = write!(
                message,
                ": \nRow {row}:\nColumn {index},   name: {}, type: {}, ",
                field.name, field.ty
            );
            if parsed.is_empty() {
                let _ = write!(
                    message,
                    "ERROR: text \"{}\" is not like {}\n\n",
                    verbose(rest),
                    field.ty
                );
            } else if rest.starts_with(b"\n") && self.message.contains("expected '\\t'") {
                let _ = write!(
                    message,
                    "parsed text: \"{}\"\nERROR: Line feed found where tab is expected. It's like \
                     your file has less columns than expected.\n\n",
                    verbose(parsed)
                );
            } else if rest.starts_with(b"\t") && self.message.contains("expected '\\n'") {
                let _ = write!(
                    message,
                    "parsed text: \"{}\"\nERROR: Tab found where line feed is expected. It's like \
                     your file has more columns than expected.\n\n",
                    verbose(parsed)
                );
            } else {
                let parsed = &parsed[..parsed.len().min(SHOWN)];
                let _ = write!(
                    message,
                    "parsed text: \"{}\"\nERROR: garbage after {}: \"{}\"\n\n",
                    verbose(parsed),
                    field.ty,
                    verbose(rest)
                );
            }
        }
        Error::new(self.code, message)
    }
}
