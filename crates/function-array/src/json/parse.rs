//! Reads a JSON document into a tape. Reading is strict: text that is not JSON has no value.

use super::value::Json;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 1000;

/// A value of a tape. The values inside of a list or an object follow it, each name before its
/// value.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    /// null.
    Null,
    /// true or false.
    Bool(bool),
    /// Where the number is in the text, and whether it has neither point nor exponent.
    Number {
        /// Its first byte.
        start: u32,
        /// The byte behind it.
        end: u32,
        /// Whether it is written as a whole number.
        whole: bool,
    },
    /// A string without escapes: where it is in the text.
    Plain(u32, u32),
    /// A string with escapes: where it is among the strings whose escapes were replaced.
    Escaped(u32, u32),
    /// Number of elements, and the place behind the last one.
    Array(u32, u32),
    /// Number of members, and the place behind the last one.
    Object(u32, u32),
}

/// The values of one document in the order in which they begin. A tape is used for many documents,
/// one after the other, so that reading allocates no memory.
#[derive(Debug, Default)]
pub struct Tape {
    /// The values.
    pub nodes: Vec<Node>,
    /// Strings whose escapes were replaced.
    pub unescaped: Vec<u8>,
}

impl Tape {
    /// The document, if the whole text is one.
    pub fn read<'d>(&'d mut self, text: &'d [u8]) -> Option<Json<'d>> {
        entasis_simd::utf8::is_valid(text).then(|| self.read_valid(text)).flatten()
    }

    /// The document, if the whole text is one. The text is known to be UTF-8.
    pub fn read_valid<'d>(&'d mut self, text: &'d [u8]) -> Option<Json<'d>> {
        u32::try_from(text.len()).ok()?;
        self.nodes.clear();
        self.unescaped.clear();
        let mut reader = Reader { text, at: 0, tape: self };
        reader.value(0)?;
        reader.space();
        let is_all = reader.at == text.len();
        is_all.then_some(Json { tape: self, text, at: 0 })
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    tape: &'a mut Tape,
}

/// A bit (the highest of its byte) for the bytes that end a plain piece of a string: quotes,
/// backslashes, control characters. Bits behind the lowest one may be wrong.
fn stops(block: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let is_byte = |byte: u8| {
        let zero = block ^ (ONES * u64::from(byte));
        zero.wrapping_sub(ONES) & !zero
    };
    let is_control = block.wrapping_sub(ONES * 0x20) & !block;
    (is_byte(b'"') | is_byte(b'\\') | is_control) & (ONES << 7)
}

/// Length of the front of a text that has no quotes, backslashes and control characters.
pub fn plain_len(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk() {
        let stops = stops(u64::from_le_bytes(*block));
        if stops != 0 {
            return at + (stops.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = &text[at..];
    at + rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}

impl Reader<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Node) -> Option<()> {
        self.text[self.at..].starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            self.tape.nodes.push(value);
        })
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.space();
        match self.peek()? {
            b'"' => self.string(),
            b'[' => self.array(depth),
            b'{' => self.object(depth),
            b'n' => self.word("null", Node::Null),
            b't' => self.word("true", Node::Bool(true)),
            b'f' => self.word("false", Node::Bool(false)),
            _ => self.number(),
        }
    }

    /// Puts the list or object that began at a place of the tape there, now that its end is known.
    fn close(&mut self, place: usize, count: u32, of: fn(u32, u32) -> Node) -> Option<()> {
        self.tape.nodes[place] = of(count, self.tape.nodes.len() as u32);
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        let (place, mut count) = (self.tape.nodes.len(), 0);
        self.tape.nodes.push(Node::Null);
        self.space();
        if self.take(b']').is_some() {
            return self.close(place, count, Node::Array);
        }
        loop {
            self.value(depth + 1)?;
            count += 1;
            self.space();
            if self.take(b',').is_none() {
                self.take(b']')?;
                return self.close(place, count, Node::Array);
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        let (place, mut count) = (self.tape.nodes.len(), 0);
        self.tape.nodes.push(Node::Null);
        self.space();
        if self.take(b'}').is_some() {
            return self.close(place, count, Node::Object);
        }
        loop {
            self.space();
            self.string()?;
            self.space();
            self.take(b':')?;
            self.value(depth + 1)?;
            count += 1;
            self.space();
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return self.close(place, count, Node::Object);
            }
        }
    }

    #[inline]
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at as u32;
        let _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        let mut whole = true;
        if self.take(b'.').is_some() {
            whole = false;
            self.digits()?;
        }
        if self.take(b'e').or_else(|| self.take(b'E')).is_some() {
            whole = false;
            let _ = self.take(b'-').or_else(|| self.take(b'+'));
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return None;
        }
        self.tape.nodes.push(Node::Number { start, end: self.at as u32, whole });
        Some(())
    }

    #[inline]
    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        let start = self.at;
        self.at += plain_len(&self.text[start..]);
        if self.take(b'"').is_none() {
            return self.escaped(start);
        }
        self.tape.nodes.push(Node::Plain(start as u32, self.at as u32 - 1));
        Some(())
    }

    /// The rest of a string that began at `start` and is plain up to here.
    #[cold]
    fn escaped(&mut self, mut start: usize) -> Option<()> {
        let begin = self.tape.unescaped.len() as u32;
        loop {
            self.tape.unescaped.extend_from_slice(&self.text[start..self.at]);
            if self.take(b'"').is_some() {
                break;
            }
            self.take(b'\\')?;
            self.escape()?;
            start = self.at;
            self.at += plain_len(&self.text[start..]);
        }
        self.tape.nodes.push(Node::Escaped(begin, self.tape.unescaped.len() as u32));
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let byte = self.peek()?;
        self.at += 1;
        self.tape.unescaped.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut code = self.hex()?;
                if (0xD800..0xDC00).contains(&code) && self.text[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let low = self.hex()?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                    code = 0x10000 + ((code - 0xD800) << 10 | low);
                }
                let c = char::from_u32(code)?;
                self.tape.unescaped.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Some(());
            }
            _ => return None,
        });
        Some(())
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = std::str::from_utf8(self.text.get(self.at..self.at + 4)?).ok()?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> Option<String> {
        let (mut tape, mut out) = (Tape::default(), Vec::new());
        tape.read(text.as_bytes())?.write(&mut out);
        String::from_utf8(out).ok()
    }

    #[test]
    fn texts_are_read_strictly_and_written_tightly() {
        let text = r#" {"a" : [1, 2.50, "x\u0041\n\ud83d\ude00", null, true], "b": {"c": 1e3}} "#;
        let want = "{\"a\":[1,2.5,\"xA\\n\u{1F600}\",null,true],\"b\":{\"c\":1000}}";
        assert_eq!(round(text).as_deref(), Some(want));
        for bad in
            ["", "x", "[1,]", "[1", "{\"a\":1,}", "{a:1}", "01", "1 2", "\"\u{1}\"", "-", "1."]
        {
            assert_eq!(round(bad), None, "{bad}");
        }
        assert!(Tape::default().read("[".repeat(5000).as_bytes()).is_none());
        assert!(Tape::default().read(b"\"\xff\"").is_none());
    }

    #[test]
    fn plain_pieces_end_at_the_first_special_byte() {
        for special in [b'"', b'\\', 0, 10, 0x1F] {
            for at in 0..40 {
                let mut text = vec![b'!'; 40];
                text[at] = special;
                text[39] = b'"';
                assert_eq!(plain_len(&text), at);
            }
        }
        let others: Vec<u8> = (0x20..=0xFF).filter(|b| !matches!(b, b'"' | b'\\')).collect();
        assert_eq!(plain_len(&others), others.len());
        assert_eq!(plain_len(b"abc"), 3);
    }
}
