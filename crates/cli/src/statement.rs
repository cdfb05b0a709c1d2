//! What the client must know about a statement that it passes on to a server.

use entasis_base::{Error, Position};
use entasis_engine::{Token, TokenKind};

/// What a statement changes in its session.
#[derive(Debug, PartialEq)]
pub enum Change {
    /// The current database.
    Database(String),
    /// Settings of these names.
    Settings(Vec<String>),
    /// Nothing.
    Nothing,
}

/// The tokens of a text without blanks and comments.
pub fn tokens(text: &str) -> Vec<(Token, &str)> {
    let is_seen = |t: &Token| !matches!(t.kind, TokenKind::Whitespace | TokenKind::Comment);
    let with_text = |t: Token| (t, text.get(t.range()).unwrap_or(""));
    entasis_engine::lex(text).into_iter().filter(is_seen).map(with_text).collect()
}

/// What a statement changes in its session.
pub fn change(statement: &str) -> Change {
    let tokens = tokens(statement);
    let word = |i: usize, name: &str| tokens.get(i).is_some_and(|t| t.1.eq_ignore_ascii_case(name));
    if word(0, "USE") {
        let at = if word(1, "DATABASE") && tokens.len() > 2 { 2 } else { 1 };
        return tokens.get(at).map_or(Change::Nothing, |t| Change::Database(unquoted(t.1)));
    }
    if !word(0, "SET") {
        return Change::Nothing;
    }
    let named = |pair: &[(Token, &str)]| {
        let is_name = pair[0].0.kind == TokenKind::Word && pair[1].0.kind == TokenKind::Equals;
        is_name.then(|| pair[0].1.to_string())
    };
    Change::Settings(tokens.windows(2).filter_map(named).collect())
}

/// Whether a statement names the format of its result.
pub fn names_format(statement: &str) -> bool {
    let tokens = tokens(statement);
    tokens
        .windows(2)
        .rev()
        .any(|pair| pair[0].1.eq_ignore_ascii_case("FORMAT") && pair[1].0.kind == TokenKind::Word)
}

/// Whether files of a format can be concatenated, because nothing precedes their rows.
pub fn can_be_joined(format: &str) -> bool {
    let is_headed = format.ends_with("WithNames") || format.ends_with("WithNamesAndTypes");
    let is_rows = ["TabSeparated", "TSKV", "JSONEachRow", "JSONCompactEachRow", "RowBinary"]
        .iter()
        .any(|name| format.starts_with(name));
    !is_headed && (is_rows || ["CSV", "Native", "LineAsString", "Values"].contains(&format))
}

/// A name without its quotes.
pub fn unquoted(name: &str) -> String {
    let inner = |quote: char| name.strip_prefix(quote).and_then(|n| n.strip_suffix(quote));
    inner('`').or_else(|| inner('"')).unwrap_or(name).to_string()
}

/// Servers write the place of an error into its text: `... (line 2, col 8)`. Returns the error with
/// a position in the script, in which the statement begins at `start`.
pub fn placed(error: Error, script: &str, start: usize) -> Error {
    let Some(at) = place(error.message(), &script[start..]) else { return error };
    let tokens = entasis_engine::lex(&script[start..]);
    let end = tokens.iter().find(|t| t.range().contains(&at)).map_or(at, |t| t.end as usize);
    let position = Position::new(start + at, start + end);
    let message = error.message();
    let message = match message.rfind(" (line ") {
        Some(at) if message.ends_with(')') => &message[..at],
        _ => message,
    };
    Error::new(error.code(), message).at(position)
}

/// The byte of the statement to which a message refers.
fn place(message: &str, statement: &str) -> Option<usize> {
    let (_, rest) = message.rsplit_once("(line ")?;
    let (line, rest) = rest.split_once(", col ")?;
    let (column, _) = rest.split_once(')')?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let mut start = 0;
    for _ in 1..line {
        start += statement[start..].find('\n')? + 1;
    }
    let text = statement[start..].lines().next().unwrap_or("");
    let within = text.char_indices().nth(column.checked_sub(1)?).map_or(text.len(), |(i, _)| i);
    Some(start + within)
}

#[cfg(test)]
mod tests {
    use entasis_base::codes;

    use super::*;

    #[test]
    fn sessions_change() {
        let database = |name: &str| Change::Database(name.to_string());
        assert_eq!(change("USE db"), database("db"));
        assert_eq!(change("/* x */ use DATABASE `a b`"), database("a b"));
        assert_eq!(change("USE database"), database("database"));
        let set = change("SET max_threads = 1, format_csv_delimiter='='");
        let names = ["max_threads", "format_csv_delimiter"].map(str::to_string).to_vec();
        assert_eq!(set, Change::Settings(names));
        assert_eq!(change("SELECT 1 SETTINGS max_threads = 1"), Change::Nothing);
        assert_eq!(change(""), Change::Nothing);
    }

    #[test]
    fn formats_are_found_but_not_in_text() {
        assert!(
            names_format("SELECT 1 FORMAT TSV")
                && names_format("select 1 format JSON settings a=1")
        );
        assert!(!names_format("SELECT 'x FORMAT TSV'") && !names_format("SELECT format('{}', 1)"));
    }

    #[test]
    fn places_of_errors() {
        let placed = |message: &str, script: &str, start| {
            placed(Error::new(codes::SYNTAX_ERROR, message), script, start)
        };
        let error = placed("no such thing (line 2, col 4)", "SELECT 1; SELECT\n ж foo", 10);
        assert_eq!(
            (error.message(), error.position()),
            ("no such thing", Some(Position::new(21, 24)))
        );
        let error = placed("at 8 (line 1, col 8): x", "SELECT x", 0);
        assert_eq!(error.message(), "at 8 (line 1, col 8): x");
        assert_eq!(error.position(), Some(Position::new(7, 8)));
        assert_eq!(placed("x (line 9, col 1)", "SELECT x", 0).position(), None);
        assert_eq!(placed("x (line a, col 1)", "SELECT x", 0).position(), None);
    }
}
