//! The distance between two words: for hints about misspelt names, which the parser, the analyser
//! and the formats all give.

/// Number of single-character edits between two words; a swap of two neighbours counts as one.
///
/// This is the optimal string alignment distance: no part of a word is edited twice.
pub fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_deletions_changes_and_swaps_count_one() {
        for (a, b, count) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "", 3),
            ("SELCT", "SELECT", 1),
            ("FORM", "FROM", 1),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
            ("naïve", "naive", 1),
        ] {
            assert_eq!(edits(a, b), count, "{a} {b}");
            assert_eq!(edits(b, a), count, "{b} {a}");
        }
    }
}
