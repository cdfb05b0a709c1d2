//! Errors from servers: a header with the code and a text, or a marked end of an answer that had
//! begun well.

use entasis_base::{Error, ErrorCode, codes};

/// `Code: 60. DB::Exception: message (UNKNOWN_TABLE) (version 26.9)`, taken apart.
pub(crate) fn from_text(code: Option<u16>, text: &str) -> Error {
    let text = text.trim();
    let (said, rest) = match text.strip_prefix("Code: ").and_then(|t| t.split_once(". ")) {
        Some((digits, rest)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            (digits.parse().ok(), rest)
        }
        _ => (None, text),
    };
    let rest = rest.strip_prefix("DB::Exception: ").unwrap_or(rest);
    let rest = without_suffix(rest, |s| s.starts_with("version "));
    let upper =
        |s: &str| s.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let message = without_suffix(rest, |s| !s.is_empty() && upper(s));
    let code =
        code.or(said).filter(|c| *c != 0).map_or(codes::UNKNOWN_PACKET_FROM_SERVER, ErrorCode);
    Error::new(code, message)
}

/// The text without a last ` (suffix)` for which `is` holds.
fn without_suffix(text: &str, is: impl Fn(&str) -> bool) -> &str {
    let cut = text.trim_end().strip_suffix(')').and_then(|t| t.rsplit_once(" ("));
    match cut {
        Some((head, suffix)) if is(suffix) => head,
        _ => text,
    }
}

/// The text before the error in an answer that fails half-way: `__exception__` and the tag of the
/// answer, each on a line of its own. Data does not contain the tag, because it is random.
pub(crate) fn mark(tag: &str) -> Vec<u8> {
    format!("\r\n__exception__\r\n{tag}\r\n").into_bytes()
}

/// The error after the mark, and the position of the mark. The error is followed by its length and
/// the tag, and by `__exception__` again.
pub(crate) fn behind_mark(bytes: &[u8], mark: &[u8]) -> Option<(usize, Error)> {
    let at = memchr::memmem::find(bytes, mark)?;
    let text = String::from_utf8_lossy(&bytes[at + mark.len()..]);
    let text = text.trim_end().trim_end_matches("__exception__").trim_end();
    let message = text.rsplit_once('\n').map_or(text, |(message, _length_and_tag)| message);
    Some((at, from_text(None, message)))
}

/// The position where the mark starts or may start. Bytes from there on must wait for the bytes
/// that follow.
pub(crate) fn may_start(bytes: &[u8], mark: &[u8]) -> usize {
    if let Some(at) = memchr::memmem::find(bytes, mark) {
        return at;
    }
    let longest = mark.len().min(bytes.len());
    let tail = (1..=longest).rev().find(|n| bytes.ends_with(&mark[..*n]));
    bytes.len() - tail.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let text = "Code: 60. DB::Exception: Unknown table (t). (UNKNOWN_TABLE) (version 26.9.1)\n";
        let error = from_text(None, text);
        assert_eq!((error.code(), error.message()), (codes::UNKNOWN_TABLE, "Unknown table (t)."));
        let error = from_text(Some(241), "Code: 241. too much (MEMORY_LIMIT_EXCEEDED)");
        assert_eq!(error.to_string(), "Code: 241. too much (MEMORY_LIMIT_EXCEEDED)");
        assert_eq!(from_text(Some(62), "bare").to_string(), "Code: 62. bare (SYNTAX_ERROR)");
    }

    #[test]
    fn the_end_of_an_answer() {
        let mark = mark("abc");
        let text = b"1\n2\n\r\n__exception__\r\nabc\r\nCode: 395. boom (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n\
                     53 abc\r\n__exception__\r\n";
        let (at, error) = behind_mark(text, &mark).unwrap();
        assert_eq!((at, error.message(), error.code().0), (4, "boom", 395));
        assert!(behind_mark(text, &super::mark("xyz")).is_none());
    }

    #[test]
    fn only_what_may_be_a_mark_waits() {
        let mark = mark("abc");
        assert_eq!(may_start(b"abc", &mark), 3);
        assert_eq!(may_start(b"abc\r\n__exc", &mark), 3);
        assert_eq!(may_start(b"abc\r\n__exception__\r\nabc\r\nmore", &mark), 3);
        assert_eq!(may_start(b"abc\r\n__exception__ more", &mark), 23);
    }
}
