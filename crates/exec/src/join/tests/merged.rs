//! Merge joins of sides that come in the order of the keys give the rows of nested loops.

use std::cmp::Ordering;

use entasis_column::compare::{SortOrder, compare_values};
use entasis_plan::{KeyRange, Merging, physical};
use entasis_table_api::ScanColumn;

use super::*;
use crate::sort;

use Strictness::{Any, Semi};

/// Marks the rows of each range of a sorted side in a column of its own, and returns a condition
/// for each range.
fn conditions(plan: &mut Plan, chunk: &Chunk, cuts: &Chunk, first_id: u32) -> Vec<Vec<Expr>> {
    let Plan::Scan(physical::Scan { table, types, spec, .. }) = plan else { unreachable!() };
    let key = chunk.columns[0].full();
    let range_of = |row: usize| {
        let is_before =
            |cut: &usize| compare_values(&cuts.columns[0], *cut, &key, row) != Ordering::Greater;
        (0..cuts.rows).filter(is_before).count()
    };
    let (mut marked, mut out) = (chunk.clone(), Vec::new());
    for range in 0..=cuts.rows {
        let id = ColumnId(first_id + range as u32);
        let marks = (0..chunk.rows).map(|row| u8::from(range_of(row) == range));
        spec.columns.push(ScanColumn::whole(id, marked.columns.len()));
        marked.columns.push(Column::from(marks.collect::<Vec<_>>()));
        types.push((id, DataType::UInt8));
        out.push(vec![Expr::column(id, DataType::UInt8)]);
    }
    *table = std::sync::Arc::new(crate::testing::Fixed { chunk: marked });
    out
}

#[test]
fn sides_in_order_need_no_sort() {
    let mut rng = Rng::new(36);
    let key_kinds: [&[u64]; 7] = [&[0], &[1], &[3], &[4], &[5], &[0, 3], &[4, 4]];
    for round in 0..480 {
        let kinds = key_kinds[rng.below(7) as usize];
        let (kind, strictness) = RULES[round % RULES.len()];
        let spread = 1 + rng.below(90);
        let (n, m) = (rng.below(90) as usize, rng.below(120) as usize);
        let (residual, use_nulls) = (rng.below(2) == 0 && round % 8 == 0, rng.below(2) == 0);
        let (left, right) = (side(&mut rng, kinds, spread, n), side(&mut rng, kinds, spread, m));
        let mut case =
            Case { left, right, keys: kinds.len(), kind, strictness, residual, use_nulls };
        let of_keys: Vec<_> = (0..kinds.len()).map(|at| (at, SortOrder::ASCENDING)).collect();
        let (left_in_order, right_in_order) =
            [(true, true), (true, false), (false, true)][rng.below(3) as usize];
        if left_in_order {
            case.left = sort::sorted(case.left, &of_keys);
        }
        if right_in_order {
            case.right = sort::sorted(case.right, &of_keys);
        }
        let mut join = plan(&case);
        let want = naive(&case, &join);
        let mut merging = Merging { left_in_order, right_in_order, ranges: Vec::new() };
        if left_in_order && right_in_order && n > 0 {
            let mut at: Vec<u32> = (0..rng.below(5)).map(|_| rng.below(n as u64) as u32).collect();
            at.sort_unstable();
            let cuts = Chunk::new(vec![case.left.columns[0].full().take(&at)], at.len());
            let left = conditions(&mut join.left, &case.left, &cuts, 50);
            let right = conditions(&mut join.right, &case.right, &cuts, 150);
            let ranges = left.into_iter().zip(right);
            merging.ranges = ranges.map(|(left, right)| KeyRange { left, right }).collect();
        }
        let about = format!("{kind:?} {strictness:?} {kinds:?} {merging:?}");
        join.algorithm = JoinAlgorithm::Merge(merging);
        let threads = if matches!(strictness, Any | Semi) { 1 } else { [1, 2, 4][round % 3] };
        let context = context(threads, [1, 7, 8192][rng.below(3) as usize]);
        let got = run(Plan::Join(Box::new(join)), &context);
        assert_eq!(sorted_rows(&got), want, "{about}");
        assert_eq!(context.memory.used(), 0);
    }
}
