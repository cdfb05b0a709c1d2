//! Path patterns, as the reference's file() understands them (checked against 26.9):
//!
//! - `*` any run within a component, `?` one character; both also match a leading dot;
//! - `**` as a whole component: any number of directories, also none; as the last one: every file
//!   below; beside other text it is `*`;
//! - `{a,b}` one of several texts, which may hold `/`; `{x}` is `x`; with an empty text first or
//!   last, or with a `*` inside, the braces are ordinary characters;
//! - `{1..9}` a number in a range, in either order; if the smaller bound begins with a zero
//!   (`{01..10}`), numbers are padded to the longer bound's width;
//! - `[`, `]`, `\` and an unclosed brace are ordinary characters; a brace in a brace is an error.
//!
//! Matching costs (pieces x length) at worst, whatever the pattern.

use entasis_base::{Error, Result, codes};

/// Patterns that one pattern with slashes in its braces may stand for.
const MAX_ALTERNATIVES: usize = 1000;

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// Whether the pattern began with `/`.
    pub(crate) absolute: bool,
    /// The component lists it stands for: several if braces hold slashes.
    pub(crate) alternatives: Vec<Vec<Component>>,
    /// Whether there is nothing special in it.
    pub(crate) plain: bool,
}

/// What stands between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    /// Exactly this name.
    Name(String),
    /// Any number of directories.
    Deep,
    /// A name of this shape.
    Pattern(Vec<Piece>),
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    AnyChar,
    /// So many stars in a row.
    Stars(usize),
    OneOf(Vec<String>),
    Number {
        low: u64,
        high: u64,
        width: usize,
    },
}

impl Glob {
    /// Compiles `pattern`; `BAD_ARGUMENTS` for nested braces or too many alternatives.
    pub fn new(pattern: &str) -> Result<Self> {
        let pieces = parse(pattern)?;
        let plain = pieces.iter().all(|p| matches!(p, Piece::Text(_)));
        let alternatives = expand_slashes(pieces, pattern)?.into_iter().map(components).collect();
        Ok(Self { absolute: pattern.starts_with('/'), alternatives, plain })
    }

    /// Whether the pattern has nothing special in it, and names one path.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether `path` matches (for listings that do not come from a file system).
    pub fn matches(&self, path: &str) -> bool {
        if path.starts_with('/') != self.absolute {
            return false;
        }
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        self.alternatives.iter().any(|components| path_matches(components, &names))
    }
}

fn path_matches(components: &[Component], names: &[&str]) -> bool {
    let Some((first, rest)) = components.split_first() else { return names.is_empty() };
    if *first == Component::Deep {
        // Two in a row say no more than one, so depth stays small.
        return (0..=names.len()).any(|skip| path_matches(rest, &names[skip..]));
    }
    let Some((name, below)) = names.split_first() else { return false };
    first.matches(name) && path_matches(rest, below)
}

impl Component {
    /// Whether `name` fits; `Deep` fits every directory.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Name(wanted) => wanted == name,
            Self::Deep => true,
            Self::Pattern(pieces) => pieces_match(pieces, name),
        }
    }
}

/// Follows all ways through the pattern at once: `at[i]` is whether the pieces so far can end at
/// byte `i` of `name`.
fn pieces_match(pieces: &[Piece], name: &str) -> bool {
    let mut at = vec![false; name.len() + 1];
    at[0] = true;
    for piece in pieces {
        let mut next = vec![false; name.len() + 1];
        for start in (0..=name.len()).filter(|&i| at[i]) {
            let rest = &name[start..];
            match piece {
                Piece::Text(text) => mark(&mut next, start, rest, text),
                Piece::OneOf(texts) => {
                    for text in texts {
                        mark(&mut next, start, rest, text);
                    }
                }
                Piece::AnyChar => {
                    if let Some(c) = rest.chars().next() {
                        next[start + c.len_utf8()] = true;
                    }
                }
                Piece::Stars(_) => {
                    for (i, _) in rest.char_indices() {
                        next[start + i] = true;
                    }
                    next[name.len()] = true;
                    break; // later starts add nothing
                }
                Piece::Number { low, high, width } => {
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    for len in 1..=digits.min(20) {
                        if number_fits(&rest[..len], *low, *high, *width) {
                            next[start + len] = true;
                        }
                    }
                }
            }
        }
        at = next;
    }
    at[name.len()]
}

fn mark(next: &mut [bool], start: usize, rest: &str, text: &str) {
    if rest.starts_with(text) {
        next[start + text.len()] = true;
    }
}

fn number_fits(digits: &str, low: u64, high: u64, width: usize) -> bool {
    let natural = digits.len() == 1 || !digits.starts_with('0');
    let shape = digits.len() == width || (digits.len() > width && natural);
    shape && digits.parse().is_ok_and(|n: u64| (low..=high).contains(&n))
}

fn parse(pattern: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let (piece, len) = match c {
            '?' => (Some(Piece::AnyChar), 1),
            '*' => {
                let stars = rest.bytes().take_while(|&b| b == b'*').count();
                (Some(Piece::Stars(stars)), stars)
            }
            '{' => brace(pattern, rest)?,
            _ => (None, c.len_utf8()),
        };
        match piece {
            Some(piece) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
            }
            None => text.push_str(&rest[..len]),
        }
        rest = &rest[len..];
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// The piece that starts at the `{` at the head of `rest`, and its length; no piece if these
/// characters stand for themselves.
fn brace(pattern: &str, rest: &str) -> Result<(Option<Piece>, usize)> {
    let Some(stop) = rest[1..].find(['{', '}']).map(|i| i + 1) else { return Ok((None, 1)) };
    if rest.as_bytes()[stop] == b'{' {
        let position = pattern.len() - rest.len() + stop;
        return Err(Error::new(
            codes::BAD_ARGUMENTS,
            format!("Unexpected '{{' found in path '{pattern}' at position {position}"),
        ));
    }
    let inside = &rest[1..stop];
    if let Some(number) = number_range(inside) {
        return Ok((Some(number), stop + 1));
    }
    let empty_end = inside.is_empty() || inside.starts_with(',') || inside.ends_with(',');
    if empty_end || inside.contains('*') {
        // With a star inside, only the brace itself is ordinary.
        return Ok((None, if inside.contains('*') { 1 } else { stop + 1 }));
    }
    Ok((Some(Piece::OneOf(inside.split(',').map(str::to_owned).collect())), stop + 1))
}

fn number_range(inside: &str) -> Option<Piece> {
    let (a, b) = inside.split_once("..")?;
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|c| c.is_ascii_digit());
    if !is_number(a) || !is_number(b) {
        return None;
    }
    let (x, y): (u64, u64) = (a.parse().ok()?, b.parse().ok()?);
    let (low, high, first) = if x <= y { (x, y, a) } else { (y, x, b) };
    let padded = first.len() > 1 && first.starts_with('0');
    // Without padding a number has its natural width, of at least one digit.
    let width = if padded { a.len().max(b.len()) } else { 0 };
    Some(Piece::Number { low, high, width })
}

/// Whether a text in braces is more than a part of a name.
fn is_path(text: &str) -> bool {
    text.contains('/') || matches!(text, "." | "..")
}

/// Replaces each brace that holds a path by its alternatives.
fn expand_slashes(pieces: Vec<Piece>, pattern: &str) -> Result<Vec<Vec<Piece>>> {
    let mut all: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in pieces {
        match piece {
            Piece::OneOf(texts) if texts.iter().any(|text| is_path(text)) => {
                if all.len().saturating_mul(texts.len()) > MAX_ALTERNATIVES {
                    return Err(Error::new(
                        codes::BAD_ARGUMENTS,
                        format!(
                            "Path '{pattern}' stands for more than {MAX_ALTERNATIVES} patterns"
                        ),
                    ));
                }
                let with = |base: &Vec<Piece>, text: &String| {
                    let mut longer = base.clone();
                    longer.push(Piece::Text(text.clone()));
                    longer
                };
                all = all.iter().flat_map(|base| texts.iter().map(|t| with(base, t))).collect();
            }
            piece => all.iter_mut().for_each(|pieces| pieces.push(piece.clone())),
        }
    }
    Ok(all)
}

/// Cuts pieces at slashes. Empty components and `.` are left out.
fn components(pieces: Vec<Piece>) -> Vec<Component> {
    let mut all = Vec::new();
    let mut current = Vec::new();
    for piece in pieces {
        let Piece::Text(text) = piece else {
            current.push(piece);
            continue;
        };
        let mut parts = text.split('/');
        let head = parts.next().unwrap_or("");
        push_text(&mut current, head);
        for part in parts {
            finish(&mut all, std::mem::take(&mut current));
            push_text(&mut current, part);
        }
    }
    finish(&mut all, current);
    if all.last() == Some(&Component::Deep) {
        all.push(Component::Pattern(vec![Piece::Stars(1)]));
    }
    all
}

fn push_text(current: &mut Vec<Piece>, text: &str) {
    match current.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        _ => current.push(Piece::Text(text.to_owned())),
    }
}

fn finish(all: &mut Vec<Component>, mut pieces: Vec<Piece>) {
    for piece in &mut pieces {
        if let Piece::OneOf(texts) = piece
            && let [only] = &texts[..]
        {
            *piece = Piece::Text(only.clone());
        }
    }
    let is_text = |p: &Piece| matches!(p, Piece::Text(_));
    if pieces.iter().all(is_text) {
        let text = |p: &Piece| if let Piece::Text(t) = p { t.clone() } else { String::new() };
        let name: String = pieces.iter().map(text).collect();
        if !name.is_empty() && name != "." {
            all.push(Component::Name(name));
        }
    } else if pieces == [Piece::Stars(2)] {
        if all.last() != Some(&Component::Deep) {
            all.push(Component::Deep);
        }
    } else {
        all.push(Component::Pattern(pieces));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching<'a>(pattern: &str, names: &[&'a str]) -> Vec<&'a str> {
        let glob = Glob::new(pattern).unwrap();
        names.iter().copied().filter(|name| glob.matches(name)).collect()
    }

    #[test]
    fn numbers_as_the_reference() {
        let names = ["f0", "f1", "f00", "f01", "f10", "f000", "f001", "f010", "f100", "f5", "f005"];
        for (pattern, wanted) in [
            ("f{0..10}", "f0 f1 f10 f5"),
            ("f{00..10}", "f00 f01 f10"),
            ("f{0..100}", "f0 f1 f10 f100 f5"),
            ("f{00..100}", "f000 f001 f010 f100 f005"),
            ("f{05..100}", "f010 f100 f005"),
            ("f{005..10}", "f010 f005"),
            ("f{5..010}", "f10 f5"),
            ("f{10..000}", "f000 f001 f010 f005"),
            ("f{10..00}", "f00 f01 f10"),
            ("f{10..0}", "f0 f1 f10 f5"),
            ("f{0..1}{0..9}", "f00 f01 f10"),
            ("f{1..99999999999999999999}", ""),
            ("f{-1..9}", ""),
        ] {
            assert_eq!(matching(pattern, &names).join(" "), wanted, "{pattern}");
        }
    }

    #[test]
    fn texts_as_the_reference() {
        let names = [
            "f.csv",
            "f1.csv",
            "f{1,}.csv",
            "fa..b.csv",
            "{}.csv",
            "{1..2.csv",
            "é.csv",
            ".csv",
            "[1].csv",
            "a\\b.csv",
            "x1,2.csv",
        ];
        for (pattern, wanted) in [
            ("?.csv", "f.csv é.csv"),
            ("[*.csv", "[1].csv"),
            ("{}.csv", "{}.csv"),
            ("{}*", "{}.csv"),
            ("{1..2.*", "{1..2.csv"),
            ("f{1,}.csv", "f{1,}.csv"),
            ("f{1,}*", "f{1,}.csv"),
            ("f{,1}*", ""),
            ("f{a..b}*", "fa..b.csv"),
            ("a\\*.csv", "a\\b.csv"),
            ("f*{1..2}.csv", "f1.csv"),
            ("x{1,2}*.csv", "x1,2.csv"),
            ("{f1,x}.{csv,tsv}", "f1.csv"),
            ("f{1}.csv", "f1.csv"),
        ] {
            assert_eq!(matching(pattern, &names).join(" "), wanted, "{pattern}");
        }
    }

    #[test]
    fn directories_as_the_reference() {
        let names = ["g", "a/g", "a/b/g", "a/c/d/g", "a/c/d/h"];
        for (pattern, wanted) in [
            ("**", "g a/g a/b/g a/c/d/g a/c/d/h"),
            ("**/g", "g a/g a/b/g a/c/d/g"),
            ("a/**/g", "a/g a/b/g a/c/d/g"),
            ("**/**/d/*", "a/c/d/g a/c/d/h"),
            ("a/***/h", ""),
            ("a/**b/g", "a/b/g"),
            ("*/*", "a/g"),
            ("{g,a/g}", "g a/g"),
            ("{a,.}/g", "g a/g"),
            ("a/{b/g,c/d/h}", "a/b/g a/c/d/h"),
            ("./a//g", "a/g"),
            ("/a/g", ""),
        ] {
            assert_eq!(matching(pattern, &names).join(" "), wanted, "{pattern}");
        }
    }

    #[test]
    fn bad_and_costly_patterns() {
        for pattern in ["{a,{b,c}}", "f{{1,2},10}", "{{}9}", "{a{"] {
            assert_eq!(Glob::new(pattern).unwrap_err().code(), codes::BAD_ARGUMENTS, "{pattern}");
        }
        assert!(Glob::new(&"{a/b,c/d}".repeat(12)).is_err());
        let slow = "*a".repeat(100) + "b";
        assert!(!Glob::new(&slow).unwrap().matches(&"a".repeat(250)));
        assert!(Glob::new("a/b").unwrap().is_plain());
        assert!(!Glob::new("a/{b}").unwrap().is_plain());
    }
}
