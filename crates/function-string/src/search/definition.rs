//! Tokenizers as text: `ngrams(3)`, `splitByString([', ', ';'])`. The text index and the functions
//! with an argument `tokenizer` use this form.

use entasis_base::Result;
use entasis_types::Value;

use super::tokenizer::{Tokenizer, bad};

/// The tokenizer that a text describes.
pub fn parse(text: &[u8]) -> Result<Tokenizer> {
    let wrong = || {
        let text = String::from_utf8_lossy(text);
        bad(format!("Invalid tokenizer definition: '{text}'"))
    };
    let mut input = Input(text);
    let name = input.word().ok_or_else(wrong)?;
    let mut params = Vec::new();
    if input.eat(b'(') {
        params = input.list(b')').ok_or_else(wrong)?;
    }
    input.space();
    if !input.0.is_empty() {
        return Err(wrong());
    }
    Tokenizer::new(&name, &params)
}

/// How deep lists of values may be nested.
const DEPTH: usize = 3;

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn space(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.0.first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn run(&mut self, inside: impl Fn(u8) -> bool) -> Option<String> {
        self.space();
        let len = self.0.iter().position(|&b| !inside(b)).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(len);
        self.0 = rest;
        (len > 0).then(|| String::from_utf8_lossy(word).into_owned())
    }

    fn word(&mut self) -> Option<String> {
        self.run(|b| b.is_ascii_alphanumeric() || b == b'_')
    }

    /// The values up to a closing bracket.
    fn list(&mut self, close: u8) -> Option<Vec<Value>> {
        self.nested_list(close, DEPTH)
    }

    fn nested_list(&mut self, close: u8, depth: usize) -> Option<Vec<Value>> {
        let mut out = Vec::new();
        if self.eat(close) {
            return Some(out);
        }
        loop {
            out.push(self.value(depth.checked_sub(1)?)?);
            if self.eat(close) {
                return Some(out);
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if self.eat(b'[') {
            return Some(Value::Array(self.nested_list(b']', depth)?.into()));
        }
        if self.eat(b'\'') {
            return self.string();
        }
        let word = self.run(|b| b.is_ascii_alphanumeric() || b"+-._".contains(&b))?;
        match word.as_str() {
            "true" => return Some(Value::UInt(1)),
            "false" => return Some(Value::UInt(0)),
            _ => {}
        }
        let unsigned = word.parse().ok().map(Value::UInt);
        let signed = || word.parse().ok().map(Value::Int);
        unsigned.or_else(signed).or_else(|| word.parse().ok().map(Value::Float))
    }

    /// A string after its first quote.
    fn string(&mut self) -> Option<Value> {
        let mut out = Vec::new();
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            match byte {
                b'\'' if self.0.first() == Some(&b'\'') => {
                    self.0 = &self.0[1..];
                    out.push(b'\'');
                }
                b'\'' => return Some(Value::string(&out)),
                b'\\' => {
                    let (&escaped, rest) = self.0.split_first()?;
                    self.0 = rest;
                    match escaped {
                        b'n' => out.push(b'\n'),
                        b't' => out.push(b'\t'),
                        b'r' => out.push(b'\r'),
                        b'0' => out.push(0),
                        b'\\' | b'\'' => out.push(escaped),
                        // As in strings of SQL, the backslash stays before other characters.
                        other => out.extend([b'\\', other]),
                    }
                }
                other => out.push(other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(definition: &str, text: &str) -> Vec<String> {
        let tokenizer = parse(definition.as_bytes()).unwrap();
        let mut out = Vec::new();
        tokenizer.tokens().each(text.as_bytes(), |token| {
            out.push(String::from_utf8_lossy(token).into_owned());
            true
        });
        out
    }

    #[test]
    fn definitions_are_read() {
        assert_eq!(tokens("ngrams(2)", "abc"), ["ab", "bc"]);
        assert_eq!(tokens(" ngrams ( 2 ) ", "abc"), ["ab", "bc"]);
        assert_eq!(tokens("splitByString([', ', '\\n', ''''])", "a, b\nc'd"), ["a", "b", "c", "d"]);
        assert_eq!(tokens("splitByRegexp('(\\\\d)x', true)", "1x22x"), ["1", "2"]);
        assert_eq!(tokens("splitByRegexp('\\d')", "a1b"), ["a", "b"]);
        assert_eq!(tokens("array()", "a b"), ["a b"]);
        for wrong in ["", "ngrams(", "ngrams(3", "ngrams(3)x", "(3)", "splitByString([[[[1]]]])"] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
