//! A Rust source, reduced without a parser to what the rules need: text in which comments and
//! literals are blank, which lines are test code, and where functions begin and end.
//!
//! Deviation from the grammar of Rust, on purpose: the bodies of macros count as code. rustfmt
//! formats the sources, so braces balance and an item starts on a line of its own.

use std::ops::Range;

/// One source file.
pub struct Source {
    /// The lines as they were read.
    pub lines: Vec<String>,
    /// The same lines with comments and the insides of string and character literals blanked.
    pub code: Vec<String>,
    /// For each line, whether it is inside a `#[cfg(test)]` item.
    pub test: Vec<bool>,
}

/// A function outside test code.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace.
    pub length: usize,
}

impl Source {
    /// Reads a source text.
    pub fn new(text: &str) -> Self {
        let code: Vec<String> = blank(text).lines().map(str::to_owned).collect();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let test = test_lines(&code);
        Self { lines, code, test }
    }

    /// Number of lines outside `#[cfg(test)]` items.
    pub fn length(&self) -> usize {
        self.test.iter().filter(|&&t| !t).count()
    }

    /// The functions outside test code that have a body.
    pub fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        for (at, line) in self.code.iter().enumerate().filter(|&(at, _)| !self.test[at]) {
            let Some(column) = word(line, "fn") else { continue };
            let name: String =
                line[column + 2..].trim_start().chars().take_while(|&c| ident(c)).collect();
            if name.is_empty() {
                continue; // a function pointer's type
            }
            if let Some(body) = item(&self.code, at, column) {
                functions.push(Function { name, line: at + 1, length: body.len() });
            }
        }
        functions
    }
}

/// Whether `c` may be part of a name.
pub fn ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The column of `name` as a whole word.
pub fn word(line: &str, name: &str) -> Option<usize> {
    line.match_indices(name).map(|(at, _)| at).find(|&at| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(ident) && !after.is_some_and(ident)
    })
}

/// The lines of the item that starts at a position, up to its closing brace; `None` if a `;` ends
/// it first.
fn item(code: &[String], line: usize, column: usize) -> Option<Range<usize>> {
    let (mut round, mut curly) = (0i32, 0i32);
    for (at, text) in code.iter().enumerate().skip(line) {
        let from = if at == line { column } else { 0 };
        for c in text[from..].chars() {
            match c {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                '{' => curly += 1,
                '}' => {
                    curly -= 1;
                    if curly == 0 {
                        return Some(line..at + 1);
                    }
                }
                ';' if round == 0 && curly == 0 => return None,
                _ => {}
            }
        }
    }
    None
}

fn test_lines(code: &[String]) -> Vec<bool> {
    let mut test = vec![false; code.len()];
    for at in 0..code.len() {
        let Some(column) = code[at].find("#[cfg(test)]") else { continue };
        let end = item(code, at, column + "#[cfg(test)]".len()).map_or(at + 2, |r| r.end);
        let end = end.min(code.len());
        test[at..end].fill(true);
    }
    test
}

/// Replaces comments and the insides of literals by spaces; line feeds stay.
fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_or_comment(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// The end of the comment or literal that starts at `at`, or `at` if none does.
fn literal_or_comment(chars: &[char], at: usize) -> usize {
    let next = chars.get(at + 1).copied();
    let before = at.checked_sub(1).map(|b| chars[b]);
    match chars[at] {
        '/' if next == Some('/') => until(chars, at, '\n'),
        '/' if next == Some('*') => block_comment(chars, at),
        '"' => quoted(chars, at + 1),
        'r' | 'b' if !before.is_some_and(ident) => raw_string(chars, at).unwrap_or(at),
        '\'' => character(chars, at),
        _ => at,
    }
}

fn until(chars: &[char], from: usize, stop: char) -> usize {
    (from..chars.len()).find(|&i| chars[i] == stop).unwrap_or(chars.len())
}

fn block_comment(chars: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0, at);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

/// The position behind the closing quote of a string whose inside starts at `i`.
fn quoted(chars: &[char], mut i: usize) -> usize {
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

/// `r"..."`, `r#"..."#`, `br"..."`, `b"..."`: the end, or `None` if it is a name.
fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let mut i = at + usize::from(chars[at] == 'b');
    let raw = chars.get(i) == Some(&'r');
    i += usize::from(raw);
    let hashes = chars[i..].iter().take_while(|&&c| c == '#').count();
    i += hashes;
    if chars.get(i) != Some(&'"') || (hashes > 0 && !raw) {
        return None;
    }
    if !raw {
        return Some(quoted(chars, i + 1));
    }
    let closes =
        |&q: &usize| chars[q] == '"' && chars[q + 1..].iter().take(hashes).all(|&c| c == '#');
    let end = (i + 1..chars.len()).find(closes)?;
    Some((end + 1 + hashes).min(chars.len()))
}

/// A character literal's end; a lifetime is left alone.
fn character(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => (until(chars, at + 3, '\'') + 1).min(chars.len()),
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_blanked() {
        let text = "let a = \"x.unwrap()\"; // .unwrap()\n\
                    let b = r#\"un\"safe\"#; /* a /* b */ */ c\n\
                    let d = '\"'; let e = b\"un\\\"safe\"; fn f<'a>(x: &'a u8) {}\n";
        let source = Source::new(text);
        assert!(!source.code[0].contains("unwrap") && source.code[0].starts_with("let a = "));
        assert!(!source.code[1].contains("safe") && source.code[1].trim_end().ends_with('c'));
        assert!(!source.code[2].contains("safe") && source.code[2].contains("fn f<'a>(x: &'a u8)"));
        assert_eq!(source.code.len(), source.lines.len());
    }

    #[test]
    fn functions_and_test_lines_are_measured() {
        let text = "//! Doc.\nfn a() {\n    b();\n}\ntype F = fn(u8) -> u8;\ntrait T {\n\
                    fn c();\n}\n#[cfg(test)]\nmod tests {\n    fn d() {\n    }\n}\n";
        let source = Source::new(text);
        let functions = source.functions();
        assert_eq!(functions, [Function { name: "a".into(), line: 2, length: 3 }]);
        assert_eq!(source.length(), 8);
    }

    #[test]
    fn a_test_module_in_its_own_file_counts_two_lines() {
        let source = Source::new("fn a() {}\n#[cfg(test)]\nmod tests;\nfn b() {}\n");
        assert_eq!(source.test, [false, true, true, false]);
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(word("unsafe_op", "unsafe"), None);
        assert_eq!(word("x unsafe {", "unsafe"), Some(2));
    }
}
