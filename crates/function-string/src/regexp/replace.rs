//! Replacement: `replaceRegexpOne`, `replaceRegexpAll`, with `\0` to `\9` in the replacement.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};

use super::{Matcher, Pattern};
use entasis_function_kernel::text::{LongString, Text, finish};

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(Vec<u8>),
    Group(usize),
}

/// A replacement with its references to groups.
#[derive(Debug)]
pub struct Replacement(Vec<Part>);

impl Replacement {
    /// Reads `\0` to `\9`; any other escaped byte stands for itself.
    pub fn parse(text: &[u8], groups: usize) -> Result<Self> {
        let mut parts: Vec<Part> = Vec::new();
        let mut bytes = text.iter().copied();
        while let Some(byte) = bytes.next() {
            let literal = match (byte, bytes.as_slice_first()) {
                (b'\\', Some(digit @ b'0'..=b'9')) => {
                    bytes.next();
                    let group = usize::from(digit - b'0');
                    if group > groups {
                        return Err(too_many(group, groups));
                    }
                    parts.push(Part::Group(group));
                    continue;
                }
                (b'\\', Some(other)) => {
                    bytes.next();
                    other
                }
                (byte, _) => byte,
            };
            match parts.last_mut() {
                Some(Part::Literal(bytes)) => bytes.push(literal),
                _ => parts.push(Part::Literal(vec![literal])),
            }
        }
        Ok(Self(parts))
    }

    fn write(&self, s: &[u8], matcher: &Matcher<'_>, out: &mut Vec<u8>) {
        for part in &self.0 {
            match part {
                Part::Literal(bytes) => out.extend_from_slice(bytes),
                Part::Group(group) => {
                    if let Some((start, end)) = matcher.group(*group) {
                        out.extend_from_slice(&s[start..end]);
                    }
                }
            }
        }
    }
}

trait First {
    fn as_slice_first(&self) -> Option<u8>;
}

impl<I: Iterator<Item = u8> + Clone> First for I {
    fn as_slice_first(&self) -> Option<u8> {
        self.clone().next()
    }
}

#[cold]
fn too_many(group: usize, groups: usize) -> Error {
    Error::new(
        codes::BAD_ARGUMENTS,
        format!(
            "Substitution '\\{group}' in replacement argument is invalid, regexp has only \
             {groups} capturing groups"
        ),
    )
}

/// What a search counts for, as bytes of a result.
const SEARCH: usize = 64;

/// Appends `s` with its first match, or every match, replaced.
pub fn replace_in(
    s: &[u8],
    matcher: &mut Matcher<'_>,
    replacement: &Replacement,
    all: bool,
    out: &mut Vec<u8>,
) {
    let (mut copied, mut from) = (0, 0);
    let mut long = LongString::default();
    while from <= s.len() {
        let Some((start, end)) = matcher.captures(s, from) else { break };
        let before = out.len();
        out.extend_from_slice(&s[copied..start]);
        replacement.write(s, matcher, out);
        long.grew(out, (out.len() - before).max(SEARCH));
        copied = end;
        if !all {
            break;
        }
        from = end;
        if start == end {
            // An empty match: the character behind it stays, and the search goes on after it.
            let Some(&first) = s.get(end) else { break };
            let next = (end + entasis_function_kernel::text::char_len(first)).min(s.len());
            out.extend_from_slice(&s[end..next]);
            (copied, from) = (next, next);
            if next == s.len() && !all {
                break;
            }
        }
    }
    out.extend_from_slice(&s[copied..]);
}

/// [`replace_in`] for a column and one pattern.
pub fn replace_column(
    text: Text<'_>,
    rows: usize,
    pattern: &Pattern,
    replacement: &Replacement,
    all: bool,
) -> Result<Column> {
    let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
    let mut matcher = pattern.matcher();
    for i in 0..rows {
        replace_in(text.get(i), &mut matcher, replacement, all, &mut out.data);
        out.close();
    }
    finish(out)
}
