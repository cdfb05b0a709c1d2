//! A JSON document as a tree, and as text. Reading is strict: text that is not JSON has no value.

use entasis_types::text::{write_f64, write_i64, write_u64};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    /// Beyond what `Int` holds.
    UInt(u64),
    Float(f64),
    String(Vec<u8>),
    Array(Vec<Json>),
    Object(Vec<(Vec<u8>, Json)>),
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    Name(&'a [u8]),
    /// Counted from 1, or from the end by -1; a member of an object as well.
    Index(i64),
}

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 1000;

/// The document, if the whole text is one.
pub fn parse(text: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(text).ok()?.as_bytes();
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.text[self.at..].starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.space();
        match self.peek()? {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'"' => self.string().map(Json::String),
            b'[' => self.array(depth),
            b'{' => self.object(depth),
            _ => self.number(),
        }
    }

    fn array(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take(b']').is_some() {
            return Some(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']').is_some() {
                return Some(Json::Array(items));
            }
            self.take(b',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut members = Vec::new();
        self.space();
        if self.take(b'}').is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.take(b':')?;
            members.push((name, self.value(depth + 1)?));
            self.space();
            if self.take(b'}').is_some() {
                return Some(Json::Object(members));
            }
            self.take(b',')?;
        }
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
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
        let text = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        if whole {
            let signed = text.parse().map(Json::Int).ok();
            let number = signed.or_else(|| text.parse().map(Json::UInt).ok());
            // As the reference: a whole number that fits no type is its text.
            return number.or_else(|| Some(Json::String(text.as_bytes().to_vec())));
        }
        text.parse().map(Json::Float).ok()
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        self.take(b'"')?;
        let mut out = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let end = memchr::memchr2(b'"', b'\\', rest)?;
            if rest[..end].iter().any(|b| *b < 0x20) {
                return None;
            }
            out.extend_from_slice(&rest[..end]);
            self.at += end + 1;
            if rest[end] == b'"' {
                return Some(out);
            }
            self.escape(&mut out)?;
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let byte = self.peek()?;
        self.at += 1;
        out.push(match byte {
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
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
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

impl Json {
    /// The value at the end of a path.
    pub fn at<'j>(&'j self, path: impl Iterator<Item = Step<'j>>) -> Option<&'j Self> {
        let mut value = self;
        for step in path {
            value = match (value, step) {
                (Self::Object(members), Step::Name(name)) => {
                    &members.iter().find(|(known, _)| known == name)?.1
                }
                (Self::Object(members), Step::Index(i)) => {
                    &members.get(place(i, members.len())?)?.1
                }
                (Self::Array(items), Step::Index(i)) => items.get(place(i, items.len())?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Appends the value's text, without spaces.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Self::Int(value) => write_i64(out, *value),
            Self::UInt(value) => write_u64(out, *value),
            Self::Float(value) => write_f64(out, *value),
            Self::String(text) => write_string(text, out),
            Self::Array(items) => {
                out.push(b'[');
                for (i, item) in items.iter().enumerate() {
                    out.extend_from_slice(if i > 0 { b"," } else { b"" });
                    item.write(out);
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (i, (name, value)) in members.iter().enumerate() {
                    out.extend_from_slice(if i > 0 { b"," } else { b"" });
                    write_string(name, out);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

/// Where an index points in a list of `len`.
pub fn place(index: i64, len: usize) -> Option<usize> {
    match index {
        1.. => usize::try_from(index - 1).ok(),
        0 => None,
        _ => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn write_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> Option<String> {
        let mut out = Vec::new();
        parse(text.as_bytes())?.write(&mut out);
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
        assert!(parse("[".repeat(5000).as_bytes()).is_none());
    }

    #[test]
    fn paths_count_from_both_ends() {
        let json = parse(br#"{"a":[1,2,3],"b":4}"#).unwrap();
        let at = |path: &[Step<'static>]| json.at(path.iter().copied()).cloned();
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(-1)]), Some(Json::Int(3)));
        assert_eq!(at(&[Step::Index(2)]), Some(Json::Int(4)));
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(0)]), None);
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(i64::MIN)]), None);
    }
}
