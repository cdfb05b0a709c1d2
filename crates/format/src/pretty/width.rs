//! The width of a text in terminal cells, and where to cut it.
//!
//! Widths are those of the reference: East Asian wide characters take two cells, combining and
//! control characters none, and emoji one. A tab reaches to the next multiple of 8. ANSI escape
//! sequences and bytes that are not UTF-8 take nothing.

use crate::options::PrettyOptions;
use unicode_width::UnicodeWidthChar;

fn char_width(c: char) -> usize {
    let code = c as u32;
    match code {
        0x20..=0x7E => 1,
        0..=0x1F | 0x7F..=0x9F => 0,
        0x1100..=0x115F
        | 0x2329
        | 0x232A
        | 0x2E80..=0x303E
        | 0x3040..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE10..=0xFE19
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x20000..=0x2FFFD
        | 0x30000..=0x3FFFD => 2,
        _ => c.width().unwrap_or(0).min(1),
    }
}

/// Walks over `text` and answers its width and the number of bytes that fit `limit` cells.
/// `prefix` is the column of the screen where the text begins.
fn measure(text: &[u8], prefix: usize, limit: usize) -> (usize, usize) {
    let (mut width, mut at, mut in_escape) = (0, 0, false);
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let next = match c {
                '\x1b' => {
                    in_escape = true;
                    width
                }
                '\t' => width + 8 - (prefix + width) % 8,
                '[' | ' '..='?' if in_escape => width,
                '@'..='~' if in_escape => {
                    in_escape = false;
                    width
                }
                c => width + char_width(c),
            };
            if next > limit {
                return (width, at);
            }
            width = next;
            at += c.len_utf8();
        }
        at += chunk.invalid().len();
    }
    (width, text.len())
}

/// Cells that `text` takes when it begins at column `prefix`.
pub(crate) fn width(text: &[u8], prefix: usize) -> usize {
    if text.iter().all(|b| (0x20..0x7F).contains(b)) {
        return text.len();
    }
    measure(text, prefix, usize::MAX).0
}

/// The longest front of `text` that fits `limit` cells, in bytes.
pub(crate) fn bytes_within(text: &[u8], prefix: usize, limit: usize) -> usize {
    measure(text, prefix, limit).1
}

/// A column's name, its middle left out where it is too wide. Plain identifiers are never cut, so
/// that they can be copied.
pub(crate) fn cut_name(name: &str, widest: usize, pretty: &PrettyOptions) -> String {
    let limit = pretty.name_width.max(widest);
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let whole = width(name.as_bytes(), 0);
    if plain || pretty.name_width == 0 || whole <= limit + pretty.name_slack {
        return name.to_owned();
    }
    let front = bytes_within(name.as_bytes(), 0, limit / 2);
    let back = bytes_within(name.as_bytes(), 0, whole - (limit - 1) / 2);
    let gap = if pretty.ascii { "~" } else { "⋯" };
    format!("{}{gap}{}", &name[..front], &name[back..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_as_the_oracle_counts() {
        for (text, want) in [
            ("abc", 3),
            ("жж", 2),
            ("中文", 4),
            ("☃🎉", 2),
            ("e\u{301}", 1),
            ("\x1b[31mred", 3),
            ("\0\r\x08", 0),
            ("한", 2),
        ] {
            assert_eq!(width(text.as_bytes(), 5), want, "{text}");
        }
        assert_eq!(width(b"a\tb", 5), 4);
        assert_eq!(width(b"a\xff\xfeb", 0), 2);
        assert_eq!(bytes_within("жabcdef".as_bytes(), 0, 3), 4);
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        let long = "a1234567890123456789(0123456789012345678";
        let pretty = PrettyOptions::default();
        assert_eq!(cut_name(long, 0, &pretty), "a12345678901⋯89012345678");
        assert_eq!(cut_name(&long.replace('(', "_"), 0, &pretty), long.replace('(', "_"));
        assert_eq!(cut_name(&"中".repeat(20), 0, &pretty), format!("{0}⋯{0}", "中".repeat(6)));
        assert_eq!(cut_name(&long[..28], 0, &pretty), long[..28]);
    }
}
