//! Shows errors to users: the text, the place in the statement, the exit code.

use std::process::ExitCode;

use entasis_base::{Error, Position, codes};

use crate::terminal;

/// Longest line of a statement that is shown.
const LONGEST: usize = 160;

/// Prints an error, and marks its place in `script`.
pub fn error(script: &str, error: &Error) {
    terminal::complain(&terminal::alarming(&error.to_string()));
    if let Some(position) = error.position() {
        if let Some(text) = mark(script, position) {
            terminal::complain(&text);
        }
    }
}

/// The line of the script that contains a position, and marks under the part that it covers.
pub fn mark(script: &str, position: Position) -> Option<String> {
    let (line, column) = position.line_column(script);
    let text = script.lines().nth(line - 1)?;
    let head = format!("  line {line}: ");
    let shown: String =
        text.chars().map(|c| if c == '\t' { ' ' } else { c }).take(LONGEST).collect();
    let mut out = format!("{head}{shown}");
    if column <= LONGEST {
        let covered = script.get(position.start as usize..position.end as usize).unwrap_or("");
        let covered = covered.lines().next().unwrap_or("").chars().count();
        let marks = covered.clamp(1, (LONGEST - column + 1).max(1));
        out.push_str(&format!("\n{}{}", " ".repeat(head.len() + column - 1), "^".repeat(marks)));
    }
    Some(out)
}

/// The low byte of the error's code, as in the reference's client; never 0.
pub fn exit_code(error: &Error) -> ExitCode {
    ExitCode::from(exit_byte(error))
}

fn exit_byte(error: &Error) -> u8 {
    ((error.code().0 & 0xFF) as u8).max(1)
}

/// An error of the command line.
pub fn bad_arguments(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Appends `. Maybe you meant: a, b` if there are similar names.
pub fn with_hint(mut message: String, near: &[&str]) -> String {
    if !near.is_empty() {
        message.push_str(&format!(". Maybe you meant: {}", near.join(", ")));
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        let script = "SELECT 1;\nSELECT\tfoo FROM t";
        let text = mark(script, Position::new(17, 20)).unwrap();
        assert_eq!(text, "  line 2: SELECT foo FROM t\n                 ^^^");
        // The end of the text, where something is missing.
        let text = mark("SELECT (1", Position::new(9, 9)).unwrap();
        assert_eq!(text, "  line 1: SELECT (1\n                   ^");
        assert_eq!(mark("", Position::new(0, 0)), None);
    }

    #[test]
    fn no_error_ends_as_success() {
        let of = |code| exit_byte(&Error::new(entasis_base::ErrorCode(code), ""));
        assert_eq!((of(62), of(256), of(394)), (62, 1, 138));
    }
}
