//! What is run when, from a seed: pairs of both sides in random blocks, queries in random order.
//!
//! Order is part of the treatment: whatever drifts (frequency, page cache, the allocator) is the
//! same for both sides of a block to the first order if they run as ABBA or BAAB, and coins decide
//! which, so that what follows a period of its own does not fall on one side (Box, Hunter and
//! Hunter 1978, ch. 4; Abedi and Brecht 2017 for randomised interleaving of trials).
//! Everything is a function of the seed and of names in numbers: leaving a query or a process out
//! changes nothing for the others, so that a run can be resumed or cut short.

use crate::rng::{shuffle, stream};

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The reference, A.
    Old,
    /// What is compared with it, B.
    New,
}

impl Side {
    /// The side across.
    pub fn other(self) -> Self {
        if self == Self::Old { Self::New } else { Self::Old }
    }
}

/// One query of one test, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueryIndex {
    /// Which test.
    pub test: usize,
    /// Which query of the test.
    pub query: usize,
}

/// Streams of the schedule, apart from those that tests of the same seed draw.
const PAIRS: u64 = 1;
const ORDER: u64 = 2;

/// The order of both sides in `count` pairs of a query's runs in a pair of processes: blocks of two
/// pairs, ABBA or BAAB with equal probability; a last single pair is AB or BA. `query` is any
/// number that stays with the query, such as a hash of its text. O(count).
pub fn pairs(seed: u64, process: u64, query: u64, count: usize) -> Vec<[Side; 2]> {
    let mut rng = stream(seed, &[PAIRS, process, query]);
    let mut first = Side::Old;
    (0..count)
        .map(|at| {
            // A coin decides every second pair; the one after mirrors it.
            first = if at % 2 == 0 && rng.below(2) == 0 {
                Side::Old
            } else if at % 2 == 0 {
                Side::New
            } else {
                first.other()
            };
            [first, first.other()]
        })
        .collect()
}

/// The order of all queries in a pair of processes, shuffled across tests; `queries` has the number
/// of queries of each test. O(queries).
pub fn order(seed: u64, process: u64, queries: &[usize]) -> Vec<QueryIndex> {
    let of_test =
        |(test, &count): (usize, &usize)| (0..count).map(move |query| QueryIndex { test, query });
    let mut all: Vec<QueryIndex> = queries.iter().enumerate().flat_map(of_test).collect();
    shuffle(&mut stream(seed, &[ORDER, process]), &mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_balanced_and_random() {
        let mut first_old = 0;
        for query in 0..2000 {
            let all = pairs(1, 0, query, 6);
            for block in all.chunks(2) {
                assert_eq!(block[0], [block[1][1], block[1][0]]);
                assert_ne!(block[0][0], block[0][1]);
                first_old += usize::from(block[0][0] == Side::Old);
            }
        }
        assert!(first_old.abs_diff(3000) < 200, "{first_old}");
        assert_eq!(pairs(1, 0, 0, 5).len(), 5);
        assert!(pairs(1, 0, 0, 0).is_empty());
    }

    #[test]
    fn schedules_are_functions_of_their_seed() {
        assert_eq!(pairs(1, 2, 3, 40), pairs(1, 2, 3, 40));
        // More pairs go on where fewer ended.
        assert_eq!(pairs(1, 2, 3, 40)[..10], pairs(1, 2, 3, 10));
        let others = [pairs(2, 2, 3, 40), pairs(1, 3, 3, 40), pairs(1, 2, 4, 40)];
        assert!(others.iter().all(|o| *o != pairs(1, 2, 3, 40)));
        assert_eq!(order(1, 2, &[3, 4]), order(1, 2, &[3, 4]));
        assert_ne!(order(1, 2, &[30, 40]), order(1, 3, &[30, 40]));
    }

    #[test]
    fn every_query_comes_once_among_other_tests() {
        let all = order(5, 0, &[100, 0, 100]);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 200);
        let changes = all.windows(2).filter(|w| w[0].test != w[1].test).count();
        assert!((70..130).contains(&changes), "{changes}");
        assert!(order(5, 0, &[]).is_empty());
    }
}
