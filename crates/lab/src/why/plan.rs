//! Two EXPLAIN texts compared: without what varies from run to run, line by line.

use std::fmt::Write;

use super::hash;

/// Lines of both texts, multiplied, up to which the shortest difference is looked for.
const MOST_CELLS: usize = 4_000_000;

/// What of a plan is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Estimated and counted rows and bytes are part of the plan; without it they become `#`.
    pub estimates: bool,
}

/// A line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Both have it.
    Same(&'a str),
    /// Only the old one.
    Removed(&'a str),
    /// Only the new one.
    Added(&'a str),
}

/// A plan without addresses, times, identifiers, and without numbers of rows and bytes unless
/// `options` keeps them; white space at ends of lines and empty lines are gone. What replaces them
/// is `#`. O(length).
pub fn normalise(text: &str, options: Options) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        normalise_line(line, options, &mut out);
        out.push('\n');
    }
    out
}

/// The hash of a normalised plan: the same for the same plan on every machine.
pub fn plan_hash(text: &str, options: Options) -> u64 {
    hash(normalise(text, options).lines())
}

/// Words behind a number that make it a time.
const TIMES: [&str; 12] =
    ["ns", "us", "µs", "ms", "s", "sec", "secs", "second", "seconds", "msec", "usec", "nsec"];
/// Words before or behind a number that make it an amount of data.
const AMOUNTS: [&str; 11] =
    ["row", "rows", "byte", "bytes", "B", "KB", "MB", "GB", "KiB", "MiB", "GiB"];

fn normalise_line(line: &str, options: Options, out: &mut String) {
    let mut rest = line;
    // The last word before the number, for `rows: 12` and `rows=12`.
    let mut before = String::new();
    while let Some(c) = rest.chars().next() {
        let taken = token(rest);
        let (piece, after) = rest.split_at(taken);
        rest = after;
        if is_uuid(piece) || is_address(piece) {
            out.push('#');
            continue;
        }
        if !c.is_ascii_digit() {
            out.push_str(piece);
            if c.is_alphabetic() || c == '_' {
                before.clear();
                before.push_str(piece.rsplit('_').next().unwrap_or(piece));
            } else if !c.is_whitespace() && !matches!(c, ':' | '=' | '~' | '-') {
                before.clear();
            }
            continue;
        }
        let (number, glued) = split_number(piece);
        let unit = if glued.is_empty() { word(rest.trim_start_matches(' ')) } else { glued };
        let time = TIMES.contains(&unit) || before == "time";
        let amount = AMOUNTS.contains(&unit) || AMOUNTS.contains(&before.as_str());
        if time || (amount && !options.estimates) {
            out.push('#');
            out.push_str(glued);
        } else {
            out.push_str(number);
            out.push_str(glued);
        }
        before.clear();
    }
}

/// Length of the piece that a text begins with: letters, digits and what joins them, or one other
/// character. A text with a dash or a point in it is one piece only as a number or a UUID.
fn token(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let bytes = text.as_bytes();
    if is_uuid(text.get(..36).unwrap_or("")) {
        return 36;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let digit = bytes.first().is_some_and(u8::is_ascii_digit);
    let hex = text.starts_with("0x");
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next_digit = || bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let inside = is_word(c) || (digit && !hex && matches!(c, '.' | ',') && next_digit());
        if !inside {
            break;
        }
        end = at + c.len_utf8();
    }
    end.max(first)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    &text[..end]
}

fn split_number(piece: &str) -> (&str, &str) {
    let end = piece.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    piece.split_at(end.unwrap_or(piece.len()))
}

fn is_address(piece: &str) -> bool {
    let digits = piece.strip_prefix("0x").unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// The difference of two texts, line by line: the longest common subsequence of what lies between
/// a common beginning and a common end. O(lines of one times lines of the other) time and memory,
/// up to 4 million; beyond, everything between is removed and added.
pub fn difference<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let old_middle = &old_rest[..old_rest.len() - tail];
    let new_middle = &new_rest[..new_rest.len() - tail];
    let mut lines: Vec<Line> = old[..head].iter().map(|line| Line::Same(line)).collect();
    middle(old_middle, new_middle, &mut lines);
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

fn middle<'a>(old: &[&'a str], new: &[&'a str], lines: &mut Vec<Line<'a>>) {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > MOST_CELLS {
        lines.extend(old.iter().map(|line| Line::Removed(line)));
        lines.extend(new.iter().map(|line| Line::Added(line)));
        return;
    }
    // Length of the longest common subsequence of what begins at each pair of lines.
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(Line::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            lines.push(Line::Removed(old[i]));
            i += 1;
        } else {
            lines.push(Line::Added(new[j]));
            j += 1;
        }
    }
}

/// The difference as text: `-` before removed lines, `+` before added ones, two spaces before those
/// that are in both, of which `context` are shown around each change. Empty if nothing differs.
pub fn unified(lines: &[Line], context: usize) -> String {
    let changed = |line: &Line| !matches!(line, Line::Same(_));
    let shown = |at: usize| {
        let from = at.saturating_sub(context);
        lines[from..(at + context + 1).min(lines.len())].iter().any(changed)
    };
    let mut out = String::new();
    let mut hidden = false;
    for (at, line) in lines.iter().enumerate() {
        if !shown(at) {
            hidden = true;
            continue;
        }
        if hidden && !out.is_empty() {
            out.push_str("  ...\n");
        }
        hidden = false;
        let (mark, text) = match line {
            Line::Same(text) => (' ', text),
            Line::Removed(text) => ('-', text),
            Line::Added(text) => ('+', text),
        };
        let _ = writeln!(out, "{mark} {text}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_gone() {
        let plain = Options::default();
        for (text, expected) in [
            ("Scan t (rows: 1,200,000)  ", "Scan t (rows: #)"),
            ("Limit 10", "Limit 10"),
            ("  Filter: x > 5 and y = 7.5", "  Filter: x > 5 and y = 7.5"),
            ("Aggregate 12.5ms, 3 ms, time: 0.5", "Aggregate #ms, # ms, time: #"),
            ("Read 300 rows, 4.2 MiB", "Read # rows, # MiB"),
            ("estimated_rows=17", "estimated_rows=#"),
            ("at 0x7f3a00 in 0x", "at # in 0x"),
            ("Set 6ba7b810-9dad-11d1-80b4-00c04fd430c8", "Set #"),
            ("Granules: 3/10", "Granules: 3/10"),
            ("column s = 3 x", "column s = 3 x"),
            ("toDate('2020-01-02')", "toDate('2020-01-02')"),
            ("[µé] 5µs", "[µé] #µs"),
        ] {
            assert_eq!(normalise(text, plain).trim_end(), expected.trim_end(), "{text}");
        }
        let kept = Options { estimates: true };
        assert_eq!(normalise("Scan (rows: 12) 3 ms\n\n", kept), "Scan (rows: 12) # ms\n");
        let one = plan_hash("Scan (rows: 12)\n\n", plain);
        assert_eq!(one, plan_hash("Scan (rows: 13) ", plain));
        assert_ne!(one, plan_hash("Scan (rows: 13)", kept));
        assert_ne!(one, plan_hash("Sort", plain));
    }

    #[test]
    fn a_difference_by_hand() {
        let old = "Sort\n  Filter\n    Scan t\n    Scan u\n";
        let new = "Sort\n  Join\n    Scan t\n";
        let lines = difference(old, new);
        let expected = [
            Line::Same("Sort"),
            Line::Removed("  Filter"),
            Line::Added("  Join"),
            Line::Same("    Scan t"),
            Line::Removed("    Scan u"),
        ];
        assert_eq!(lines, expected);
        assert_eq!(unified(&lines, 0), "-   Filter\n+   Join\n  ...\n-     Scan u\n");
        assert_eq!(unified(&difference(old, old), 3), "");
    }

    #[test]
    fn differences_rebuild_both_texts_and_are_shortest() {
        let mut rng = entasis_stats::rng::stream(6, &[]);
        for _ in 0..2000 {
            let mut text = || -> String {
                (0..rng.below(9)).map(|_| ["a\n", "b\n", "c\n"][rng.below(3) as usize]).collect()
            };
            let (old, new) = (text(), text());
            let lines = difference(&old, &new);
            let side = |keep: fn(&Line) -> bool| -> String {
                let kept = lines.iter().filter(|line| keep(line));
                kept.map(|(Line::Same(t) | Line::Removed(t) | Line::Added(t))| format!("{t}\n"))
                    .collect()
            };
            assert_eq!(side(|line| !matches!(line, Line::Added(_))), old);
            assert_eq!(side(|line| !matches!(line, Line::Removed(_))), new);
            let same = lines.iter().filter(|line| matches!(line, Line::Same(_))).count();
            let (a, b): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
            assert_eq!(same, naive(&a, &b), "{old:?} {new:?}");
        }
    }

    fn naive(a: &[&str], b: &[&str]) -> usize {
        match (a.split_first(), b.split_first()) {
            (Some((x, rest_a)), Some((y, rest_b))) if x == y => 1 + naive(rest_a, rest_b),
            (Some((_, rest_a)), Some((_, rest_b))) => naive(rest_a, b).max(naive(a, rest_b)),
            _ => 0,
        }
    }

    #[test]
    fn huge_plans_take_bounded_memory() {
        let text = |word: &str| -> String { (0..5000).map(|i| format!("{word}{i}\n")).collect() };
        let (old, new) = (text("a"), text("b"));
        let lines = difference(&old, &new);
        assert_eq!(lines.len(), 10_000);
        assert_eq!(lines[0], Line::Removed("a0"));
    }
}
