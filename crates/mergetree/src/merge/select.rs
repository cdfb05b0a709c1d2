//! Selects the parts to merge next.

use std::ops::Range;
use std::sync::Arc;

use crate::part::Part;

/// Fewest parts of a background merge.
const FEWEST: usize = 3;
/// Most parts of one merge.
const MOST: usize = 32;
/// A merge must be at least this many times as large as its largest part, so that parts of similar
/// size are merged.
const RATIO: f64 = 2.5;
/// In a partition with this many parts, every merge is welcome, because it reduces the number.
const CROWDED: usize = 40;

/// Chooses a range of neighbouring parts (in the version's order) of one partition; `None` if no
/// merge is worthwhile. With `eager`, which OPTIMIZE sets, any two neighbours are enough.
pub(crate) fn choose(
    parts: &[Arc<Part>],
    max_bytes: u64,
    max_rows: u64,
    eager: bool,
) -> Option<Range<usize>> {
    let sizes: Vec<(u64, u64)> = parts.iter().map(|p| (p.summary.bytes, p.summary.rows)).collect();
    let mut best: Option<(f64, Range<usize>)> = None;
    let mut start = 0;
    // A damaged part is not merged, and parts on its two sides are not merged around it.
    let together = |a: &Arc<Part>, b: &Arc<Part>| {
        let alike = a.summary.partition == b.summary.partition;
        // Parts in memory are merged with each other only ([`crate::in_memory`]), unless a
        // statement asks for the merge.
        let in_files = eager || !a.summary.is_in_memory() && !b.summary.is_in_memory();
        alike && in_files && !a.is_damaged() && !b.is_damaged()
    };
    for group in parts.chunk_by(together) {
        let range = start..start + group.len();
        start = range.end;
        let found = best_of_partition(&sizes[range.clone()], max_bytes, max_rows, eager);
        if let Some((score, found)) = found
            && best.as_ref().is_none_or(|(s, _)| score < *s)
        {
            best = Some((score, range.start + found.start..range.start + found.end));
        }
    }
    best.map(|(_, range)| range)
}

/// The best range and its score: the number of bytes rewritten per part that disappears.
fn best_of_partition(
    sizes: &[(u64, u64)],
    max_bytes: u64,
    max_rows: u64,
    eager: bool,
) -> Option<(f64, Range<usize>)> {
    let (fewest, ratio) = match eager {
        true => (2, 1.0),
        false if sizes.len() >= CROWDED => (FEWEST, 1.3),
        false => (FEWEST, RATIO),
    };
    let mut best: Option<(f64, Range<usize>)> = None;
    for from in 0..sizes.len() {
        let (mut bytes, mut rows, mut largest) = (0u64, 0u64, 0u64);
        for to in from..sizes.len().min(from + MOST) {
            let (size, count) = sizes[to];
            // Every part has a minimum cost, however small it is.
            let size = size.max(4096);
            bytes += size;
            rows += count;
            largest = largest.max(size);
            if bytes > max_bytes || rows > max_rows {
                break;
            }
            let len = to + 1 - from;
            if len < fewest || (bytes as f64) < ratio * largest as f64 {
                continue;
            }
            let score = bytes as f64 / (len as f64 - 1.9);
            if best.as_ref().is_none_or(|(s, _)| score < *s) {
                best = Some((score, from..to + 1));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(sizes: &[u64]) -> Option<Range<usize>> {
        let sizes: Vec<_> = sizes.iter().map(|&s| (s << 20, 1)).collect();
        best_of_partition(&sizes, 1 << 50, 1 << 40, false).map(|(_, range)| range)
    }

    #[test]
    fn like_sizes_are_merged_and_a_large_part_is_left_alone() {
        assert_eq!(choose(&[10, 10]), None);
        assert_eq!(choose(&[1000, 10, 10, 10]), Some(1..4));
        assert_eq!(choose(&[1000, 100, 10, 1]), None);
        assert_eq!(choose(&[5, 5, 5, 5, 5]), Some(0..5));
    }
}
