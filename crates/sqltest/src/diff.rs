//! A readable difference of two outputs: line by line, with some context, and of limited length.

use std::fmt::Write as _;

/// Lines of context around a difference.
const CONTEXT: usize = 2;
/// Lines of a report.
const BUDGET: usize = 40;
/// Longest line printed.
const WIDTH: usize = 240;
/// If both outputs have more lines than this, they are not aligned.
const ALIGNED: usize = 3000;

/// The difference, with `-` for expected and `+` for actual lines; empty if there is none.
pub fn lines(expected: &[u8], found: &[u8]) -> String {
    let (a, b) = (split(expected), split(found));
    let script = script(&a, &b);
    let mut out = String::new();
    let mut printed = 0;
    let mut skipped = false;
    for (at, &(mark, line)) in script.iter().enumerate() {
        let from = at.saturating_sub(CONTEXT);
        let near = &script[from..(at + CONTEXT + 1).min(script.len())];
        if near.iter().all(|&(m, _)| m == ' ') {
            skipped = true;
            continue;
        }
        if printed == BUDGET {
            out += "  ... and more\n";
            break;
        }
        if skipped {
            out += "  ...\n";
            skipped = false;
        }
        let text = String::from_utf8_lossy(line);
        let short: String = text.chars().take(WIDTH).collect();
        let _ = writeln!(out, "{mark}{short}");
        printed += 1;
    }
    out
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&c| c == b'\n').collect()
}

/// Lines of both sides in order: kept (` `), only expected (`-`), only found (`+`).
fn script<'a>(a: &[&'a [u8]], b: &[&'a [u8]]) -> Vec<(char, &'a [u8])> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a_mid, b_mid) = (&a[head..], &b[head..]);
    let tail = a_mid.iter().rev().zip(b_mid.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a_mid, b_mid) = (&a_mid[..a_mid.len() - tail], &b_mid[..b_mid.len() - tail]);
    let mut script: Vec<(char, &[u8])> = a[..head].iter().map(|&l| (' ', l)).collect();
    if a_mid.len().max(b_mid.len()) > ALIGNED {
        script.extend(a_mid.iter().map(|&l| ('-', l)));
        script.extend(b_mid.iter().map(|&l| ('+', l)));
    } else {
        align(a_mid, b_mid, &mut script);
    }
    script.extend(a[a.len() - tail..].iter().map(|&l| (' ', l)));
    script
}

/// The longest common subsequence, computed with the usual table.
fn align<'a>(a: &[&'a [u8]], b: &[&'a [u8]], script: &mut Vec<(char, &'a [u8])>) {
    let width = b.len() + 1;
    let mut longest = vec![0u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            script.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len()
            || i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]
        {
            script.push(('-', a[i]));
            i += 1;
        } else {
            script.push(('+', b[j]));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_context_and_a_bound() {
        assert_eq!(lines(b"a\nb\n", b"a\nb\n"), "");
        assert_eq!(lines(b"a\nb\nc\n", b"a\nX\nc\n"), " a\n-b\n+X\n c\n");
        assert_eq!(lines(b"1\n2\n3\n4\n5\n", b"1\n2\n3\n4\n"), "  ...\n 3\n 4\n-5\n");
        assert_eq!(lines(b"1\n", b"1\n2\n"), " 1\n+2\n");
        let many: Vec<u8> = (0..100).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        let text = lines(&many, b"x\n");
        assert!(text.ends_with("and more\n") && text.lines().count() == BUDGET + 1);
    }

    #[test]
    fn bytes_that_are_not_text_are_shown() {
        assert!(lines(b"\xff\n", b"a\n").starts_with('-'));
    }
}
