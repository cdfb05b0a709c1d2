//! Translates RE2's syntax to that of `regex-syntax`, where the two write things differently or the
//! same text has another meaning (Perl classes are ASCII in RE2).

/// The pattern in the other syntax; the reason if it is none.
pub fn to_rust(pattern: &[u8]) -> Result<String, &'static str> {
    let text = std::str::from_utf8(pattern).map_err(|_| "invalid UTF-8")?;
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => escape(after, &mut out, false)?,
            '[' => class(after, &mut out)?,
            '{' if !is_repetition(after) => {
                out.push_str("\\{");
                after
            }
            other => {
                out.push(other);
                after
            }
        };
    }
    Ok(out)
}

/// Whether `{` is followed by `n}`, `n,}` or `n,m}`.
fn is_repetition(after: &str) -> bool {
    let Some(end) = after.find('}') else { return false };
    let (low, high) = after[..end].split_once(',').unwrap_or((&after[..end], ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

const WORD: &str = "0-9A-Za-z_";
const SPACE: &str = "\\t\\n\\x0C\\r ";

/// What follows a backslash; answers the rest.
fn escape<'a>(after: &'a str, out: &mut String, in_class: bool) -> Result<&'a str, &'static str> {
    let Some(c) = after.chars().next() else { return Err("trailing \\") };
    let rest = &after[c.len_utf8()..];
    let mut perl = |set: &str, negated: bool| {
        if in_class && !negated {
            out.push_str(set);
        } else {
            out.push_str(if negated { "[^" } else { "[" });
            out.push_str(set);
            out.push(']');
        }
    };
    match c {
        'd' => perl("0-9", false),
        'D' => perl("0-9", true),
        'w' => perl(WORD, false),
        'W' => perl(WORD, true),
        's' => perl(SPACE, false),
        'S' => perl(SPACE, true),
        'b' if !in_class => out.push_str("(?-u:\\b)"),
        'B' if !in_class => out.push_str("(?-u:\\B)"),
        'C' => out.push_str("(?s-u:.)"),
        'Q' => {
            let (literal, rest) = rest.split_once("\\E").unwrap_or((rest, ""));
            for c in literal.chars() {
                if c.is_ascii_punctuation() {
                    out.push('\\');
                }
                out.push(c);
            }
            return Ok(rest);
        }
        'E' => {}
        'Z' | 'G' | 'X' | 'R' | 'K' => return Err("invalid escape sequence"),
        c if c.is_ascii_punctuation() && !matches!(c, '<' | '>') => {
            out.push('\\');
            out.push(c);
        }
        '<' | '>' => out.push(c),
        c if !c.is_ascii() => return Err("invalid escape sequence"),
        c => {
            out.push('\\');
            out.push(c);
        }
    }
    Ok(rest)
}

/// What follows `[`; answers the rest after `]`.
fn class<'a>(after: &'a str, out: &mut String) -> Result<&'a str, &'static str> {
    out.push('[');
    let mut rest = after;
    if let Some(r) = rest.strip_prefix('^') {
        out.push('^');
        rest = r;
    }
    let mut first = true;
    loop {
        let Some(c) = rest.chars().next() else { return Err("missing ]") };
        let after = &rest[c.len_utf8()..];
        rest = match c {
            ']' if !first => {
                out.push(']');
                return Ok(after);
            }
            '[' if after.starts_with(':') && after.contains(":]") => {
                let end = after.find(":]").unwrap_or(0) + 2;
                out.push('[');
                out.push_str(&after[..end]);
                &after[end..]
            }
            '\\' => escape(after, out, true)?,
            // A range's hyphen stands; all other signs are escaped, since doubled ones and
            // brackets are operators in the other syntax.
            '-' if !first && !after.starts_with(']') => {
                out.push('-');
                after
            }
            c if c.is_ascii_punctuation() => {
                out.push('\\');
                out.push(c);
                after
            }
            c => {
                out.push(c);
                after
            }
        };
        first = false;
    }
}
