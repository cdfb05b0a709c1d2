//! The values of a JSON document that was read into a tape, and their text.

use entasis_types::text::{write_f64, write_i64, write_u64};

use super::parse::{Node, Tape, plain_len};

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub struct Json<'d> {
    pub(super) tape: &'d Tape,
    pub(super) text: &'d [u8],
    pub(super) at: usize,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Value<'d> {
    /// null.
    Null,
    /// true or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond what `Int` holds.
    UInt(u64),
    /// A number with a point or an exponent.
    Float(f64),
    /// The text of a string, without its escapes.
    String(&'d [u8]),
    /// The elements.
    Array(Items<'d>),
    /// Names and values.
    Object(Members<'d>),
}

/// Values that stand one behind the other.
#[derive(Clone, Debug)]
pub struct Items<'d> {
    next: Json<'d>,
    left: usize,
}

impl<'d> Iterator for Items<'d> {
    type Item = Json<'d>;

    #[inline]
    fn next(&mut self) -> Option<Json<'d>> {
        self.left = self.left.checked_sub(1)?;
        let item = self.next;
        self.next.at = item.end();
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// Members of an object: the name, which is a string, and the value.
#[derive(Clone, Debug)]
pub struct Members<'d>(Items<'d>);

impl<'d> Iterator for Members<'d> {
    type Item = (Json<'d>, Json<'d>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left / 2, Some(self.0.left / 2))
    }
}

impl ExactSizeIterator for Members<'_> {}

impl<'d> Members<'d> {
    /// The value of the first member of this name.
    #[inline]
    pub fn named(mut self, name: &[u8]) -> Option<Json<'d>> {
        self.find(|(known, _)| known.string() == name).map(|(_, value)| value)
    }
}

/// One step of a path.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A member of an object.
    Name(&'a [u8]),
    /// Counted from 1, or from the end by -1; a member of an object as well.
    Index(i64),
}

/// Where an index points in a list of `len`.
pub fn place(index: i64, len: usize) -> Option<usize> {
    match index {
        1.. => usize::try_from(index - 1).ok(),
        0 => None,
        _ => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

impl<'d> Json<'d> {
    /// The place of the tape behind the value.
    #[inline]
    fn end(self) -> usize {
        match self.tape.nodes[self.at] {
            Node::Array(_, end) | Node::Object(_, end) => end as usize,
            _ => self.at + 1,
        }
    }

    /// The text of a string; of other values nothing.
    #[inline]
    pub fn string(self) -> &'d [u8] {
        match self.tape.nodes[self.at] {
            Node::Plain(start, end) => &self.text[start as usize..end as usize],
            Node::Escaped(start, end) => &self.tape.unescaped[start as usize..end as usize],
            _ => b"",
        }
    }

    /// Whether the value is null.
    pub fn is_null(self) -> bool {
        matches!(self.tape.nodes[self.at], Node::Null)
    }

    /// What the value is.
    #[inline]
    pub fn value(self) -> Value<'d> {
        let items = |left: u32| {
            let next = Self { at: self.at + 1, ..self };
            Items { next, left: left as usize }
        };
        match self.tape.nodes[self.at] {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(value),
            Node::Plain(..) | Node::Escaped(..) => Value::String(self.string()),
            Node::Array(count, _) => Value::Array(items(count)),
            Node::Object(count, _) => Value::Object(Members(items(2 * count))),
            Node::Number { start, end, whole } => {
                number(&self.text[start as usize..end as usize], whole)
            }
        }
    }

    /// The value at the end of a path.
    pub fn at<'s>(self, path: impl Iterator<Item = Step<'s>>) -> Option<Self> {
        let mut value = self;
        for step in path {
            value = match (value.value(), step) {
                (Value::Object(members), Step::Name(name)) => members.named(name)?,
                (Value::Object(mut members), Step::Index(i)) => {
                    members.nth(place(i, members.len())?)?.1
                }
                (Value::Array(mut items), Step::Index(i)) => items.nth(place(i, items.len())?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Appends the value's text, without spaces.
    pub fn write(self, out: &mut Vec<u8>) {
        match self.value() {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Value::Int(value) => write_i64(out, value),
            Value::UInt(value) => write_u64(out, value),
            Value::Float(value) => write_f64(out, value),
            Value::String(text) => write_string(text, out),
            Value::Array(items) => {
                out.push(b'[');
                for (i, item) in items.enumerate() {
                    out.extend_from_slice(if i > 0 { b"," } else { b"" });
                    item.write(out);
                }
                out.push(b']');
            }
            Value::Object(members) => {
                out.push(b'{');
                for (i, (name, value)) in members.enumerate() {
                    out.extend_from_slice(if i > 0 { b"," } else { b"" });
                    write_string(name.string(), out);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

/// A number's value. As the reference: a whole number that fits no type is its text.
fn number(text: &[u8], whole: bool) -> Value<'_> {
    let digits = std::str::from_utf8(text).unwrap_or_default();
    if !whole {
        return digits.parse().map_or(Value::Null, Value::Float);
    }
    let signed = digits.parse().map(Value::Int);
    signed.or_else(|_| digits.parse().map(Value::UInt)).unwrap_or(Value::String(text))
}

fn write_string(mut text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    loop {
        let (plain, rest) = text.split_at(plain_len(text));
        out.extend_from_slice(plain);
        let Some((&byte, rest)) = rest.split_first() else { break };
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        text = rest;
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_count_from_both_ends() {
        let mut tape = Tape::default();
        let json = tape.read(br#"{"a":[1,[2,5],3],"b":4}"#).unwrap();
        let at = |path: &[Step<'static>]| {
            let found = json.at(path.iter().copied())?;
            let mut out = Vec::new();
            found.write(&mut out);
            String::from_utf8(out).ok()
        };
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(-1)]).as_deref(), Some("3"));
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(2)]).as_deref(), Some("[2,5]"));
        assert_eq!(at(&[Step::Index(2)]).as_deref(), Some("4"));
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(0)]), None);
        assert_eq!(at(&[Step::Name(b"a"), Step::Index(i64::MIN)]), None);
    }
}
