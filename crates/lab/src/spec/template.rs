//! Texts with `{name}` in them, after the rules of Python's `str.format` ("Format String Syntax" in
//! the Python Library Reference), since those are the rules of the reference's runner.
//!
//! `{name}` stands for a value, `{{` and `}}` for literal braces, in every template, also in one
//! without names. A lone brace is an error, as in Python. `{name!s}` and a format specification for
//! texts (`{name:>8}`: fill, alignment, width, precision) are understood, with names nested in the
//! specification. Positional fields (`{}`, `{0}`), attributes and items (`{a.b}`, `{a[0]}`) can
//! only fail in a test, and are errors here; so are `!r` and `!a`, which Python accepts.

use std::collections::BTreeSet;

/// Characters of a padded value. Python has no limit; a test needs none above this.
const MAX_WIDTH: usize = 1_000_000;
/// Bytes of a text.
const MAX_TEXT: usize = 64 << 20;
/// Fields within specifications within fields: Python's limit.
const MAX_NESTING: usize = 2;

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Field { name: String, spec: Template },
}

impl Template {
    /// Parses a text; the message of an error says what is wrong near which characters.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        Self::nested(text, MAX_NESTING)
    }

    fn nested(text: &str, levels: usize) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let brace = &rest[at..=at];
            literal.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if after.starts_with(brace) {
                literal.push_str(brace);
                rest = &after[1..];
            } else if brace == "}" || after.is_empty() {
                let near = near(text, text.len() - rest.len() + at);
                return Err(format!(
                    "a single `{brace}` in `{near}`: literal braces are doubled, `{brace}{brace}`"
                ));
            } else {
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                let context = |message: String| {
                    format!("{message}, in `{}`", near(text, text.len() - rest.len() + at))
                };
                let (piece, after) = field(after, levels).map_err(context)?;
                pieces.push(piece);
                rest = after;
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self { pieces })
    }

    /// The names that are substituted, in alphabetical order. Names that occur in specifications
    /// only do not count, in Python neither.
    pub(super) fn names(&self) -> Vec<&str> {
        let names = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field { name, .. } => Some(name.as_str()),
            Piece::Literal(_) => None,
        });
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The text with `values` (names and their values) in place.
    pub(super) fn fill(&self, values: &[(&str, &str)]) -> Result<String, String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Field { name, spec } => {
                    let (_, value) =
                        values.iter().find(|(known, _)| known == name).ok_or_else(|| {
                            format!(
                                "`{{{name}}}` has no value here: a name within a specification or an \
                                 attribute must also occur in the text itself"
                            )
                        })?;
                    pad(value, &spec.fill(values)?, &mut text)?;
                }
            }
            if text.len() > MAX_TEXT {
                return Err(format!("the text grows to more than {MAX_TEXT} bytes"));
            }
        }
        Ok(text)
    }
}

/// The field that `text` begins with, after its brace, and what follows it.
fn field(text: &str, levels: usize) -> Result<(Piece, &str), String> {
    if levels == 0 {
        return Err("specifications within specifications: two levels are the limit".into());
    }
    let unclosed = || "a `{` is not closed: literal braces are doubled, `{{`".to_owned();
    let end = text.find(['{', '}', ':', '!', '[']).ok_or_else(unclosed)?;
    let (name, mut rest) = text.split_at(end);
    if rest.starts_with(['{', '[']) {
        return Err(format!("`{}` within a name: expected a plain name", &rest[..1]));
    }
    plain(name)?;
    if let Some(after) = rest.strip_prefix('!') {
        let conversion = after.chars().next().ok_or_else(unclosed)?;
        if conversion != 's' {
            return Err(format!("conversion `!{conversion}`: only `!s` is understood"));
        }
        rest = &after[1..];
    }
    if let Some(after) = rest.strip_prefix('}') {
        return Ok((field_piece(name, Template { pieces: Vec::new() }), after));
    }
    let spec = rest.strip_prefix(':').ok_or("expected `:` or `}` after a conversion")?;
    let mut open = 1;
    for (at, c) in spec.char_indices() {
        open = match c {
            '{' => open + 1,
            '}' => open - 1,
            _ => open,
        };
        if open == 0 {
            let inner = match spec[..at].contains('{') {
                true => Template::nested(&spec[..at], levels - 1)?,
                false => Template { pieces: vec![Piece::Literal(spec[..at].to_owned())] },
            };
            return Ok((field_piece(name, inner), &spec[at + 1..]));
        }
    }
    Err(unclosed())
}

fn field_piece(name: &str, spec: Template) -> Piece {
    Piece::Field { name: name.to_owned(), spec }
}

fn plain(name: &str) -> Result<(), String> {
    if name.is_empty() {
        Err("a field without a name: write `{name}`, or `{{}}` for two braces".into())
    } else if name.contains('.') || name.bytes().all(|b| b.is_ascii_digit()) {
        Err(format!("`{{{name}}}`: expected the plain name of a substitution"))
    } else {
        Ok(())
    }
}

/// Some characters on both sides of a place, for messages.
fn near(text: &str, at: usize) -> &str {
    let start = text[..at].char_indices().rev().take(12).last().map_or(at, |(start, _)| start);
    let end = text[at..].char_indices().nth(24).map_or(text.len(), |(end, _)| at + end);
    &text[start..end]
}

/// Appends a text formatted by a specification: `[[fill]align][0][width][.precision][s]`.
fn pad(value: &str, spec: &str, out: &mut String) -> Result<(), String> {
    if spec.is_empty() {
        out.push_str(value);
        return Ok(());
    }
    let wrong = || {
        format!(
            "`{spec}` is not a format specification of a text, such as `>8` or `.3` (at most {MAX_WIDTH})"
        )
    };
    let mut fill = ' ';
    let mut align = '<';
    let mut rest = spec.chars();
    let is_align = |c: Option<char>| c.is_some_and(|c| "<>^".contains(c));
    if is_align(spec.chars().nth(1)) {
        fill = rest.next().unwrap_or(' ');
        align = rest.next().unwrap_or('<');
    } else if is_align(spec.chars().next()) {
        align = rest.next().unwrap_or('<');
    }
    let mut rest = rest.as_str();
    if let Some(after) = rest.strip_prefix('0') {
        // Python's zero fills on the right of a text, unless there is a fill of its own.
        fill = if is_align(spec.chars().nth(1)) { fill } else { '0' };
        rest = after;
    }
    let width = match digits(&mut rest) {
        "" => 0,
        width => bounded(width).ok_or_else(wrong)?,
    };
    let precision = match rest.strip_prefix('.') {
        None => None,
        Some(after) => {
            rest = after;
            Some(bounded(digits(&mut rest)).ok_or_else(wrong)?)
        }
    };
    if !["", "s"].contains(&rest) {
        return Err(wrong());
    }
    let kept: String = value.chars().take(precision.unwrap_or(usize::MAX)).collect();
    let missing = width.saturating_sub(kept.chars().count());
    let left = match align {
        '<' => 0,
        '>' => missing,
        _ => missing / 2,
    };
    out.extend(std::iter::repeat_n(fill, left));
    out.push_str(&kept);
    out.extend(std::iter::repeat_n(fill, missing - left));
    Ok(())
}

/// Takes the digits that `text` begins with.
fn digits<'a>(text: &mut &'a str) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    digits
}

fn bounded(digits: &str) -> Option<usize> {
    digits.parse().ok().filter(|&number| number <= MAX_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> Result<String, String> {
        Template::parse(text)?.fill(&[("a", "xyz"), ("w", "5"), ("b c", "é")])
    }

    /// Each pair was checked against Python's `str.format`.
    #[test]
    fn as_python() {
        for (template, expected) in [
            ("", ""),
            ("no names", "no names"),
            ("{a}{a}", "xyzxyz"),
            ("{{{a}}}", "{xyz}"),
            ("{{a}}", "{a}"),
            ("{b c}", "é"),
            ("{a!s}", "xyz"),
            ("{a!s:>5}", "  xyz"),
            ("{a:5}|", "xyz  |"),
            ("{a:^6}|", " xyz  |"),
            ("{a:*>5}", "**xyz"),
            ("{a:05}", "xyz00"),
            ("{a:*<05}", "xyz**"),
            ("{a:>05}", "00xyz"),
            ("{a:.2}", "xy"),
            ("{a:4.2s}|", "xy  |"),
            ("{a:>{w}}", "  xyz"),
            ("{a:>{w:1}}", "  xyz"),
            ("{a:}", "xyz"),
            ("{a:é^5}", "éxyzé"),
        ] {
            assert_eq!(fill(template).as_deref(), Ok(expected), "{template}");
        }
    }

    #[test]
    fn what_python_rejects() {
        for template in [
            "{",
            "}",
            "a } b",
            "{a",
            "{a}}",
            "{a!",
            "{a!s",
            "{a!sx}",
            "{a:",
            "{a:{w}",
            "{}",
            "{0}",
            "{a.b}",
            "{a[0]}",
            "{a{w}}",
            "{a:>{w:{w:1}}}",
            "{a:d}",
            "{a:=5}",
            "{a:+5}",
            "{a:#5}",
            "{a:,}",
            "{a:.}",
            "{nobody}",
            "{a:{nobody}}",
            "{a:99999999999999999999}",
        ] {
            assert!(fill(template).is_err(), "{template}");
        }
    }

    #[test]
    fn names_are_sorted_and_of_the_first_level() {
        let template = Template::parse("{b} {a:{w}} {b:>3} {{c}}").unwrap();
        assert_eq!(template.names(), ["a", "b"]);
    }
}
