//! SQL files of `<query file="...">`: statements, and which of them are timed.
//!
//! Statements end at semicolons outside quotes and comments. The reference's runner does the same,
//! but for backslashes in quotes, which it does not know: where it differs, its statements are not
//! SQL. A statement of comments only is dropped.

/// What a statement of a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// CREATE and ALTER: before measuring.
    Setup,
    /// DROP and TRUNCATE: after measuring.
    Teardown,
    /// Everything else is measured.
    Timed,
}

/// A statement's role, from its first word.
pub(super) fn role(statement: &str) -> Role {
    match first_word(statement).as_str() {
        "CREATE" | "ALTER" => Role::Setup,
        "DROP" | "TRUNCATE" => Role::Teardown,
        _ => Role::Timed,
    }
}

/// The statements of a text, without their semicolons and the white space around them.
pub(super) fn statements(text: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        at += match rest.as_bytes()[0] {
            b';' => {
                statements.push(&text[start..at]);
                start = at + 1;
                1
            }
            quote @ (b'\'' | b'"' | b'`') => quoted(rest, quote),
            _ => comment(rest).unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8)),
        };
    }
    statements.push(&text[start..]);
    statements.retain(|statement| !after_comments(statement).is_empty());
    statements.into_iter().map(str::trim).collect()
}

/// Bytes of the quoted text at the start; all that is left if it does not end. A doubled quote is
/// two quoted texts side by side, which end at the same place.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b if b == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Bytes of the comment at the start, if there is one.
fn comment(text: &str) -> Option<usize> {
    let end = |found: Option<usize>, more| found.map_or(text.len(), |at| at + more);
    if text.starts_with("--") || text.starts_with('#') {
        Some(end(text.find('\n'), 1))
    } else {
        text.strip_prefix("/*").map(|body| end(body.find("*/"), 4))
    }
}

/// A statement's first word in upper case, behind its comments.
pub(crate) fn first_word(statement: &str) -> String {
    let body = after_comments(statement);
    let end = body.find(|c: char| c.is_whitespace() || c == '(' || c == ';').unwrap_or(body.len());
    body[..end].to_ascii_uppercase()
}

fn after_comments(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(length) = comment(rest) {
        rest = rest[length..].trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_outside_quotes_and_comments() {
        for (text, expected) in [
            ("SELECT 1", &["SELECT 1"][..]),
            (" a ;\n\n b;; ", &["a", "b"]),
            ("a ';' b; c", &["a ';' b", "c"]),
            ("a 'it''s;' ; b", &["a 'it''s;'", "b"]),
            (r"a '\';' ; b", &[r"a '\';'", "b"]),
            ("a \";\" `;` ; b", &["a \";\" `;`", "b"]),
            ("a -- x; y\n b; c", &["a -- x; y\n b", "c"]),
            ("a # x; y\n b; c", &["a # x; y\n b", "c"]),
            ("/* ; */ a; b", &["/* ; */ a", "b"]),
            ("a; -- the end", &["a"]),
            ("a 'open; b", &["a 'open; b"]),
            ("a /* open; b", &["a /* open; b"]),
            ("é;ü", &["é", "ü"]),
            (r"'\", &[r"'\"]),
            ("", &[]),
        ] {
            assert_eq!(statements(text), expected, "{text}");
        }
    }

    #[test]
    fn roles() {
        for (text, expected) in [
            ("create view v as select 1", Role::Setup),
            ("/* x */ -- y\n ALTER TABLE t", Role::Setup),
            ("DROP TABLE t", Role::Teardown),
            ("truncate t", Role::Teardown),
            ("(SELECT 1)", Role::Timed),
            ("WITH 1 AS x SELECT x", Role::Timed),
            ("createx", Role::Timed),
        ] {
            assert_eq!(role(text), expected, "{text}");
        }
    }
}
