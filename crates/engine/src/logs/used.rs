//! The functions that a statement's text names, and a hash of the text without its literals. They
//! are looked up in the tokens when the statement's row is written. Therefore a name that only
//! looks like a call counts, and a function that is not called by its own name (such as an
//! operator) does not.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_function::registry;
use entasis_sql::{Token, TokenKind, lex};
use entasis_tables::functions::TABLE_FUNCTIONS;

use super::common::OfStatement;

/// The names are sorted, and each occurs once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Equal for texts that differ only in literals, blanks and comments.
    pub hash: u64,
    pub functions: Vec<String>,
    pub aggregates: Vec<String>,
    pub combinators: Vec<String>,
    pub table_functions: Vec<String>,
}

/// Looks up the names for rows, once per text, as a server often gets the same text many times.
pub(super) fn prepare<R: OfStatement>(rows: &[R]) {
    let mut texts: HashMap<&str, Arc<Used>> = HashMap::new();
    for log_entry in rows.iter().map(OfStatement::log_entry) {
        log_entry.used.get_or_init(|| {
            let used =
                texts.entry(&log_entry.query).or_insert_with(|| Arc::new(of(&log_entry.query)));
            Arc::clone(used)
        });
    }
}

/// The names in a text.
pub(super) fn of(text: &str) -> Used {
    let tokens: Vec<Token> = lex(text)
        .into_iter()
        .filter(|t| !matches!(t.kind, TokenKind::Whitespace | TokenKind::Comment))
        .collect();
    let mut used = Used { hash: hash(text, &tokens), ..Used::default() };
    for pair in tokens.windows(2) {
        let [word, next] = pair else { continue };
        let is_name = matches!(word.kind, TokenKind::Word | TokenKind::QuotedName);
        if is_name && next.kind == TokenKind::LParen {
            used.call(text[word.range()].trim_matches(['`', '"']));
        }
    }
    for list in [
        &mut used.functions,
        &mut used.aggregates,
        &mut used.combinators,
        &mut used.table_functions,
    ] {
        list.sort();
        list.dedup();
    }
    used
}

impl Used {
    fn call(&mut self, name: &str) {
        if let Some(def) = registry::find_scalar(name) {
            self.functions.push(def.name.to_string());
        } else if let Some(def) = registry::base_aggregate(name) {
            self.aggregates.push(def.name.to_string());
            if registry::find_aggregate(name).is_none() {
                let suffixes = name.get(def.name.len()..).unwrap_or_default();
                self.combinators.push(suffixes.to_string());
            }
        } else if let Some(def) = TABLE_FUNCTIONS.iter().find(|def| def.name == name) {
            self.table_functions.push(def.name.to_string());
        }
    }
}

/// FNV-1a over the tokens; every literal, and every list of literals, counts as the same token.
fn hash(text: &str, tokens: &[Token]) -> u64 {
    const LITERAL: &[u8] = b"?";
    let mut parts: Vec<&[u8]> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let is_literal = matches!(
            token.kind,
            TokenKind::Number | TokenKind::String | TokenKind::HexString | TokenKind::BinString
        );
        parts.push(if is_literal { LITERAL } else { text[token.range()].as_bytes() });
        if parts.ends_with(&[LITERAL, b",", LITERAL]) {
            parts.truncate(parts.len() - 2);
        }
    }
    let bytes = parts.iter().flat_map(|part| part.iter().chain(b" "));
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_literals_do_not_matter() {
        entasis_functions::register();
        let a = of("SELECT sumIf(a, b), upper('x') FROM numbers(10) WHERE a IN (1, 2, 3)");
        assert_eq!(a.functions, ["upper"]);
        assert_eq!(
            (a.aggregates.as_slice(), a.combinators.as_slice()),
            (&["sum".to_string()][..], &["If".to_string()][..],)
        );
        assert_eq!(a.table_functions, ["numbers"]);
        let b = of("SELECT sumIf(a, b),upper('yy') /* x */ FROM numbers(7) WHERE a IN (5)");
        assert_eq!(a.hash, b.hash);
        assert_ne!(a.hash, of("SELECT 1").hash);
        assert_eq!(of("'"), Used { hash: of("'").hash, ..Used::default() });
    }
}
