//! Every algorithm gives the rows of nested loops.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use entasis_base::Result;
use entasis_pipeline::{QueryContext, Source};
use entasis_plan::{AsofKey, Band, BandEnd, Inequality, Merging};
use entasis_table_api::{Kept, ScanSpec, Snapshot};

use super::*;
use crate::testing::Fixed;

use JoinKind::{Full, Inner, Left, Right};
use Strictness::{All, Anti, Any, Semi};

/// A case with `keys` columns that may be keys.
fn random(rng: &mut Rng, kinds: &[u64], (kind, strictness): (JoinKind, Strictness)) -> Case {
    let most = [70, 70, 400][rng.below(3) as usize];
    let (spread, n, m) = (1 + rng.below(most), rng.below(90), rng.below(most));
    let left = side(rng, kinds, spread, n as usize);
    let right = side(rng, kinds, spread, m as usize);
    let (residual, use_nulls) = (rng.below(2) == 0, rng.below(2) == 0);
    Case { left, right, keys: kinds.len(), kind, strictness, residual, use_nulls }
}

/// Of several matches, one worker takes the first.
fn threads(case: &Case, round: usize) -> usize {
    if matches!(case.strictness, Any | Semi) { 1 } else { [1, 2, 4][round % 3] }
}

#[test]
fn merge_joins_agree_with_nested_loops() {
    let mut rng = Rng::new(31);
    let key_kinds: [&[u64]; 9] = [&[0], &[1], &[2], &[3], &[4], &[5], &[0, 3], &[4, 4], &[8]];
    for round in 0..320 {
        let kinds = key_kinds[rng.below(9) as usize];
        let mut case = random(&mut rng, kinds, RULES[round % RULES.len()]);
        case.residual &= (case.kind, case.strictness) == (Inner, All);
        let mut join = plan(&case);
        let want = naive(&case, &join);
        join.algorithm = JoinAlgorithm::Merge(Merging::default());
        let block = [1, 7, 8192][rng.below(3) as usize];
        let context = context(threads(&case, round), block);
        let got = run(Plan::Join(Box::new(join)), &context);
        let about = (case.kind, case.strictness, case.residual, case.use_nulls, kinds, block);
        assert_eq!(sorted_rows(&got), want, "{about:?}");
        assert_eq!(context.memory.used(), 0);
    }
}

#[test]
fn merge_joins_with_the_closest_row_agree_with_hash_joins() {
    let mut rng = Rng::new(32);
    let inequalities = [
        Inequality::Less,
        Inequality::LessOrEquals,
        Inequality::Greater,
        Inequality::GreaterOrEquals,
    ];
    for round in 0..80 {
        // Equal rows are equally close: only their keys are returned.
        let kinds: &[u64] = [&[0, 4], &[4, 0], &[3, 1]][round % 3];
        let kind = [Inner, Left][round % 2];
        let mut case = random(&mut rng, kinds, (kind, Strictness::Asof));
        (case.residual, case.keys) = (false, 1);
        let mut join = plan(&case);
        let inequality = inequalities[round / 2 % 4];
        join.closest = Some(AsofKey { left: ColumnId(1), right: ColumnId(101), inequality });
        join.right_outputs.truncate(2);
        let context = context([1, 3][round % 2], [1, 7, 8192][rng.below(3) as usize]);
        let want = run(Plan::Join(Box::new(join.clone())), &context);
        join.algorithm = JoinAlgorithm::Merge(Merging::default());
        let got = run(Plan::Join(Box::new(join)), &context);
        assert_eq!(sorted_rows(&got), sorted_rows(&want), "{kind:?} {inequality:?} {kinds:?}");
    }
}

#[test]
fn alternatives_agree_with_nested_loops() {
    let mut rng = Rng::new(33);
    let key_kinds: [&[u64]; 4] = [&[0, 3], &[4, 4], &[5, 8, 1], &[0, 4, 3]];
    for round in 0..240 {
        let kinds = key_kinds[rng.below(4) as usize];
        let case = random(&mut rng, kinds, RULES[round % RULES.len()]);
        let mut join = plan(&case);
        let keys = std::mem::take(&mut join.keys);
        // The last two keys belong together.
        let lists: Vec<Vec<usize>> = match kinds.len() {
            2 => vec![vec![0], vec![1]],
            _ => vec![vec![0], vec![1, 2]],
        };
        let equal = |i: usize, j: usize, key: usize| {
            let (a, b) = (case.left.columns[key].value(i), case.right.columns[key].value(j));
            !a.is_null() && a == b
        };
        let flag = |c: &Chunk, row: usize| c.columns[case.keys + 1].value(row).as_u64() == Some(1);
        let want = naive_by(&case, &join, &|i, j| {
            lists.iter().any(|list| list.iter().all(|key| equal(i, j, *key)))
                && (!case.residual || flag(&case.left, i) || flag(&case.right, j))
        });
        let lists = lists.iter().map(|list| list.iter().map(|key| keys[*key]).collect());
        join.algorithm = JoinAlgorithm::Alternatives(lists.collect());
        let context = context([1, 2, 4][round % 3], [1, 7, 8192][rng.below(3) as usize]);
        let got = run(Plan::Join(Box::new(join)), &context);
        let about = (case.kind, case.strictness, case.residual, case.use_nulls, kinds);
        assert_eq!(sorted_rows(&got), want, "{about:?}");
    }
}

/// The columns of both sides are: three values, row number, flag.
#[test]
fn bands_agree_with_nested_loops() {
    let mut rng = Rng::new(34);
    let kinds: [&[u64]; 5] = [&[0, 0, 0], &[4, 4, 4], &[3, 3, 3], &[5, 5, 5], &[8, 8, 8]];
    let rules = [(Inner, All), (Left, All), (Right, All), (Full, All), (Left, Semi), (Left, Anti)];
    for round in 0..240 {
        let kinds = kinds[rng.below(5) as usize];
        let mut case = random(&mut rng, kinds, rules[round % 6]);
        // With the third column as a key, the other two are no keys.
        let has_key = rng.below(2) == 0;
        let shape = rng.below(5);
        let mut end =
            |column: u32| BandEnd { column: ColumnId(column), inclusive: rng.below(2) == 0 };
        let mut band = Band { by: ColumnId(100), below: None, above: None, reach: None };
        match shape {
            0 => band.below = Some(end(0)),
            1 => band.above = Some(end(0)),
            2 => (band.below, band.above) = (Some(end(0)), Some(end(1))),
            _ => {
                band.below = Some(end(0));
                band.reach = Some((ColumnId(101), end(0)));
                // What a real plan tests again is left out here, so the rest is compared below.
                case.residual = false;
            }
        }
        let mut join = plan(&case);
        let keys = std::mem::take(&mut join.keys);
        if has_key {
            join.keys.push(keys[2]);
        }
        let holds = |(right, i): (usize, usize), end: &BandEnd, j: usize, order: Ordering| {
            let left = case.left.columns[end.column.0 as usize].full();
            let right = case.right.columns[right].full();
            let found = entasis_column::compare::compare_values(&right, j, &left, i);
            let is_null = left.is_null(i) || right.is_null(j);
            !is_null && (found == order || end.inclusive && found == Ordering::Equal)
        };
        let flag = |c: &Chunk, row: usize| c.columns[4].value(row).as_u64() == Some(1);
        let want = naive_by(&case, &join, &|i, j| {
            let same = BandEnd { column: ColumnId(2), inclusive: true };
            (!has_key || holds((2, i), &same, j, Ordering::Equal))
                && band.below.iter().all(|end| holds((0, i), end, j, Ordering::Less))
                && band.above.iter().all(|end| holds((0, i), end, j, Ordering::Greater))
                && band.reach.iter().all(|(_, end)| holds((1, i), end, j, Ordering::Greater))
                && (!case.residual || flag(&case.left, i) || flag(&case.right, j))
        });
        // With keys, or with a second column, more rows are found, which a real plan tests again.
        let has_more = band.reach.is_some() || has_key;
        join.algorithm = JoinAlgorithm::Band(band);
        let context = context([1, 2, 4][round % 3], [1, 7, 8192][rng.below(3) as usize]);
        let got = sorted_rows(&run(Plan::Join(Box::new(join)), &context));
        if has_more {
            let only_pairs = (case.kind, case.strictness) == (Inner, All);
            assert!(!only_pairs || want.iter().all(|row| got.contains(row)));
            continue;
        }
        let about = (case.kind, case.strictness, case.residual, case.use_nulls, shape);
        if case.strictness == Semi {
            // Any of the matches may be the first.
            assert_eq!(got.len(), want.len(), "{about:?}");
            continue;
        }
        assert_eq!(got, want, "{about:?}");
    }
}

/// A table that keeps hash tables, and counts how often it is read.
struct Keeping {
    chunk: Chunk,
    kept: Kept,
    scans: AtomicUsize,
}

impl Snapshot for Keeping {
    fn row_count(&self) -> Option<u64> {
        Some(self.chunk.rows as u64)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        self.scans.fetch_add(1, Relaxed);
        Fixed { chunk: self.chunk.clone() }.scan(spec, context)
    }

    fn kept(&self) -> Option<&Kept> {
        Some(&self.kept)
    }
}

#[test]
fn direct_joins_build_a_hash_table_only_once() {
    let mut rng = Rng::new(35);
    let rules = [(Inner, All), (Left, All), (Left, Any), (Left, Semi), (Left, Anti)];
    for (kind, strictness) in rules {
        let mut case = random(&mut rng, &[4, 3], (kind, strictness));
        case.residual = false;
        let (scans, kept) = Default::default();
        let table = Arc::new(Keeping { chunk: case.right.clone(), kept, scans });
        let mut join = plan(&case);
        let want = naive(&case, &join);
        if let Plan::Scan(scan) = &mut join.right {
            scan.table = Arc::clone(&table) as Arc<dyn Snapshot>;
        }
        join.algorithm = JoinAlgorithm::Direct;
        let pair = [&join, &join];
        for join in pair {
            let got = run(Plan::Join(Box::new(join.clone())), &context(3, 7));
            assert_eq!(sorted_rows(&got), want, "{kind:?} {strictness:?}");
        }
        assert_eq!(table.scans.load(Relaxed), 1);
        // Another column, another hash table.
        join.right_outputs.truncate(1);
        run(Plan::Join(Box::new(join)), &context(3, 7));
        assert_eq!(table.scans.load(Relaxed), 2);
    }
}
