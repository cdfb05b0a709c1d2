//! Hides secrets in the text of a statement before others see it: in logs, in the list of
//! processes, in messages.
//!
//! It works on tokens and not on the syntax tree, so that texts that do not parse are masked, too.
//! It hides passwords after `IDENTIFIED BY`, values of settings and arguments whose names say that
//! they are secret, keys and texts of the encryption functions, passwords among the arguments of
//! functions and engines that connect to other systems, and passwords within URLs.

use std::borrow::Cow;
use std::ops::Range;

use crate::lexer::{Token, TokenKind, lex};

/// The text that replaces a secret.
const HIDDEN: &str = "[HIDDEN]";
/// Functions whose arguments after the first one (the cipher) are secret.
const CIPHERS: &[&str] =
    &["encrypt", "decrypt", "trydecrypt", "aes_encrypt_mysql", "aes_decrypt_mysql"];
/// Functions and engines that connect to other systems, and the position of the password among
/// their arguments.
const CONNECTIONS: &[(&str, usize)] = &[
    ("mysql", 4),
    ("postgresql", 4),
    ("materializedpostgresql", 4),
    ("mongodb", 4),
    ("remote", 4),
    ("remotesecure", 4),
    ("redis", 3),
    ("s3", 2),
    ("s3cluster", 3),
    ("s3queue", 2),
    ("gcs", 2),
    ("oss", 2),
    ("cosn", 2),
    ("deltalake", 2),
    ("hudi", 2),
    ("iceberg", 2),
    ("icebergs3", 2),
    ("azureblobstorage", 4),
];
/// Names of values that are secret: `password = '...'`.
const NAMED: &[&str] = &[
    "password",
    "secret_access_key",
    "access_key",
    "account_key",
    "session_token",
    "access_token",
    "api_key",
    "sas_token",
    "connection_string",
];
/// Every text that contains a secret contains one of these words.
const TRIGGERS: &[&str] = &[
    "crypt",
    "identified",
    "password",
    "secret",
    "_key",
    "_token",
    "connection_string",
    "://",
    "sql",
    "mongodb",
    "remote",
    "redis",
    "s3",
    "gcs",
    "oss",
    "cosn",
    "deltalake",
    "hudi",
    "iceberg",
    "azure",
];

/// The text with `[HIDDEN]` in place of every recognised secret. A text without secrets costs one
/// pass over its bytes.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    if !has_trigger(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let is_code = |t: &Token| !matches!(t.kind, TokenKind::Whitespace | TokenKind::Comment);
    let tokens: Vec<Token> = lex(text).into_iter().filter(is_code).collect();
    let mut hidden = Vec::new();
    for at in 0..tokens.len() {
        hide_from(text, &tokens, at, &mut hidden);
    }
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(replaced(text, hidden))
}

fn has_trigger(text: &[u8]) -> bool {
    let is_at = |at: usize, word: &&str| {
        text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    (0..text.len()).any(|at| {
        matches!(
            text[at] | 0x20,
            b'c' | b'i' | b'p' | b's' | b'm' | b'r' | b'g' | b'o' | b'd' | b'h' | b'a'
        ) && TRIGGERS.iter().any(|word| is_at(at, word))
            || matches!(text[at], b'_' | b':') && TRIGGERS.iter().any(|word| is_at(at, word))
    })
}

/// A range of the text, and the text that replaces it.
type Hidden = (Range<usize>, String);

fn hide_from(text: &str, tokens: &[Token], at: usize, hidden: &mut Vec<Hidden>) {
    let token = &tokens[at];
    match token.kind {
        TokenKind::String | TokenKind::Heredoc | TokenKind::Unterminated => {
            hide_in_urls(text, token.range(), hidden);
        }
        TokenKind::Word | TokenKind::QuotedName => {
            let quotes = ['`', '"'];
            let word = text[token.range()].trim_matches(quotes).to_ascii_lowercase();
            let next = tokens.get(at + 1).map(|t| t.kind);
            if word == "identified" {
                hide_password(text, &tokens[at..], hidden);
            } else if NAMED.contains(&word.as_str()) && next == Some(TokenKind::Equals) {
                hide_value(tokens.get(at + 2), hidden);
            } else if next == Some(TokenKind::LParen) {
                hide_arguments(&word, &tokens[at + 2..], text.len(), hidden);
            }
        }
        _ => {}
    }
}

/// `IDENTIFIED [WITH method] BY 'password' [SALT 'salt']`.
fn hide_password(text: &str, tokens: &[Token], hidden: &mut Vec<Hidden>) {
    let strings = tokens.iter().take(8).take_while(|t| t.kind != TokenKind::Semicolon);
    for token in strings.skip_while(|t| !text[t.range()].eq_ignore_ascii_case("by")).skip(1) {
        if matches!(token.kind, TokenKind::String | TokenKind::Unterminated) {
            hide_value(Some(token), hidden);
        } else if !text[token.range()].eq_ignore_ascii_case("salt") {
            return;
        }
    }
}

fn hide_value(token: Option<&Token>, hidden: &mut Vec<Hidden>) {
    let is_value = |t: &&Token| !matches!(t.kind, TokenKind::Semicolon | TokenKind::LBrace);
    if let Some(token) = token.filter(is_value) {
        hidden.push((token.range(), format!("'{HIDDEN}'")));
    }
}

fn hide_arguments(function: &str, tokens: &[Token], end: usize, hidden: &mut Vec<Hidden>) {
    let is_cipher = CIPHERS.contains(&function);
    let secret = CONNECTIONS.iter().find(|(name, _)| *name == function).map(|(_, at)| *at);
    if !is_cipher && secret.is_none() {
        return;
    }
    let arguments = arguments_of(tokens, end);
    let range = match secret {
        Some(at) => arguments.get(at).cloned(),
        None => arguments.get(1).zip(arguments.last()).map(|(from, to)| from.start..to.end),
    };
    if let Some(range) = range.filter(|range| !range.is_empty()) {
        hidden.push((range, format!("'{HIDDEN}'")));
    }
}

/// The ranges of the arguments of a call. `tokens` starts after its opening parenthesis. If the
/// call is cut off, its last argument reaches up to `end`.
fn arguments_of(tokens: &[Token], end: usize) -> Vec<Range<usize>> {
    let mut arguments = Vec::new();
    let (mut depth, mut current): (usize, Option<Range<usize>>) = (0, None);
    for token in tokens {
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket => depth += 1,
            TokenKind::RParen | TokenKind::RBracket if depth > 0 => depth -= 1,
            TokenKind::RParen => {
                arguments.extend(current);
                return arguments;
            }
            TokenKind::Comma if depth == 0 => {
                arguments.push(current.take().unwrap_or_default());
                continue;
            }
            _ => {}
        }
        let range = token.range();
        current = Some(current.map_or(range.clone(), |c| c.start..range.end));
    }
    arguments.extend(current.map(|c| c.start..end));
    arguments
}

/// Hides the password of `scheme://user:password@host`.
fn hide_in_urls(text: &str, range: Range<usize>, hidden: &mut Vec<Hidden>) {
    let mut from = range.start;
    while let Some(found) = text[from..range.end].find("://") {
        let start = from + found + 3;
        let authority = &text[start..range.end];
        let len = authority.find(['/', '?', '#', '\'', ' ', '"']).unwrap_or(authority.len());
        if let Some(at) = authority[..len].rfind('@')
            && let Some(colon) = authority[..at].find(':')
        {
            hidden.push((start + colon + 1..start + at, HIDDEN.to_string()));
        }
        from = start + len;
    }
}

/// Applies the replacements. A replacement within another one is left out.
fn replaced(text: &str, mut hidden: Vec<Hidden>) -> String {
    hidden.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, instead) in hidden {
        if range.start >= done {
            out.push_str(&text[done..range.start]);
            out.push_str(&instead);
            done = range.end;
        }
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_the_rest_stays() {
        for (text, masked) in [
            ("SELECT 1", "SELECT 1"),
            ("SELECT 'password'", "SELECT 'password'"),
            (
                "SELECT encrypt('aes-256-gcm', x, 'key', iv) FROM t",
                "SELECT encrypt('aes-256-gcm', '[HIDDEN]') FROM t",
            ),
            ("SELECT Decrypt('m', f(a, 'b'), 'k'), 2", "SELECT Decrypt('m', '[HIDDEN]'), 2"),
            ("SELECT encrypt('m', 'text', 'ke", "SELECT encrypt('m', '[HIDDEN]'"),
            (
                "CREATE USER u IDENTIFIED WITH sha256_password BY 'x' HOST LOCAL",
                "CREATE USER u IDENTIFIED WITH sha256_password BY '[HIDDEN]' HOST LOCAL",
            ),
            ("create user u identified by 'x'", "create user u identified by '[HIDDEN]'"),
            (
                "SELECT * FROM mysql('h:1', 'd', 't', 'u', 'secret')",
                "SELECT * FROM mysql('h:1', 'd', 't', 'u', '[HIDDEN]')",
            ),
            (
                "CREATE TABLE t (a Int8) ENGINE = S3('https://x/y', 'key', 'secret', 'CSV')",
                "CREATE TABLE t (a Int8) ENGINE = S3('https://x/y', 'key', '[HIDDEN]', 'CSV')",
            ),
            (
                "SELECT * FROM url('https://me:pass@host/p?a=b:c@d', CSV)",
                "SELECT * FROM url('https://me:[HIDDEN]@host/p?a=b:c@d', CSV)",
            ),
            ("CREATE x AS password = 'a', b = 1", "CREATE x AS password = '[HIDDEN]', b = 1"),
            ("SELECT replaceOne(s, 'x://a', 'b')", "SELECT replaceOne(s, 'x://a', 'b')"),
        ] {
            assert_eq!(mask_secrets(text), masked);
        }
    }

    #[test]
    fn a_text_that_is_masked_stays_as_it_is() {
        let once = mask_secrets("SELECT encrypt('m', 'a', 'b'), 'http://u:p@h'").into_owned();
        assert_eq!(mask_secrets(&once), once);
    }
}
