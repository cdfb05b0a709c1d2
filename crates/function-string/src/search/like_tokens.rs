//! The tokens that every text has to contain that matches a LIKE pattern.

use entasis_base::Result;

use super::ascii_cjk;
use super::sparse::Hull;
use super::tokenizer::{Tokenizer, bad, in_word, ngrams};

/// A pattern's text without escapes, and which of its bytes are wildcards.
struct Pattern {
    text: Vec<u8>,
    wild: Vec<bool>,
}

impl Pattern {
    fn read(pattern: &[u8]) -> Self {
        let mut out = Self { text: Vec::new(), wild: Vec::new() };
        let mut bytes = pattern.iter();
        while let Some(&byte) = bytes.next() {
            let (byte, wild) = match byte {
                b'\\' => match bytes.next() {
                    Some(&escaped) => (escaped, false),
                    None => break,
                },
                b'%' | b'_' => (byte, true),
                _ => (byte, false),
            };
            out.text.push(byte);
            out.wild.push(wild);
        }
        out
    }

    /// The pieces between wildcards; each with whether a wildcard is before and after it.
    fn pieces(&self) -> impl Iterator<Item = (&[u8], bool, bool)> {
        let mut from = 0;
        let pieces = self.wild.split(|&wild| wild).map(move |piece| {
            let range = from..from + piece.len();
            from = range.end + 1;
            range
        });
        pieces.map(|r| (&self.text[r.clone()], r.start > 0, r.end < self.text.len()))
    }
}

/// Calls `f` for the tokens of a LIKE pattern.
pub fn each(tokenizer: &Tokenizer, pattern: &[u8], mut f: impl FnMut(&[u8])) -> Result<()> {
    let whole = |piece: &[u8], token: &[u8], before: bool, after: bool| {
        let start = token.as_ptr() as usize - piece.as_ptr() as usize;
        (!before || start > 0) && (!after || start + token.len() < piece.len())
    };
    match tokenizer {
        Tokenizer::NonAlpha => {
            for (piece, before, after) in Pattern::read(pattern).pieces() {
                for token in piece.split(|&b| !in_word(b)).filter(|t| !t.is_empty()) {
                    if whole(piece, token, before, after) {
                        f(token);
                    }
                }
            }
        }
        Tokenizer::AsciiCjk => {
            for (piece, before, after) in Pattern::read(pattern).pieces() {
                ascii_cjk::each(piece, |token| {
                    if token[0] >= 0x80 || whole(piece, token, before, after) {
                        f(token);
                    }
                    true
                });
            }
        }
        Tokenizer::Ngrams(n) => {
            for (piece, ..) in Pattern::read(pattern).pieces() {
                ngrams(piece, *n, |token| {
                    f(token);
                    true
                });
            }
        }
        Tokenizer::Sparse(grams) => {
            let mut hull = Hull::default();
            for piece in pattern.split(|b| b"%_\\".contains(b)) {
                grams.each(piece, &mut hull, |token| {
                    f(token);
                    true
                });
            }
        }
        other => {
            let name = other.name();
            let message = format!("Tokenizer '{name}' does not support LIKE pattern tokenization");
            return Err(bad(message));
        }
    }
    Ok(())
}
