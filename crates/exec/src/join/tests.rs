use entasis_base::clock::Rng;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_plan::{Join, JoinAlgorithm, JoinKind, Plan, Strictness, physical};
use entasis_types::{DataType, Value};

use crate::Runtime;
use crate::testing::{column, context, rows, run, run_with, runtime, scan, sorted_rows};

mod algorithms;
mod merged;

/// Kinds of joins for which only one answer is right, or any first match.
const RULES: [(JoinKind, Strictness); 8] = [
    (JoinKind::Inner, Strictness::All),
    (JoinKind::Left, Strictness::All),
    (JoinKind::Right, Strictness::All),
    (JoinKind::Full, Strictness::All),
    (JoinKind::Left, Strictness::Any),
    (JoinKind::Left, Strictness::Semi),
    (JoinKind::Left, Strictness::Anti),
    (JoinKind::Right, Strictness::Anti),
];

struct Case {
    left: Chunk,
    right: Chunk,
    keys: usize,
    kind: JoinKind,
    strictness: Strictness,
    residual: bool,
    use_nulls: bool,
}

/// One side's rows. The columns are: keys, row number, flag.
fn side(rng: &mut Rng, kinds: &[u64], spread: u64, count: usize) -> Chunk {
    let mut columns: Vec<Column> =
        kinds.iter().map(|kind| column(rng, *kind, count, spread)).collect();
    columns.push(Column::from((0..count as u32).collect::<Vec<_>>()));
    columns.push(Column::from((0..count).map(|_| rng.below(2) as u8).collect::<Vec<_>>()));
    Chunk::new(columns, count)
}

/// Moves the integers of a column far apart from each other, so that they are no array indices.
fn far_apart(column: &Column) -> Column {
    match column {
        Column::Int64(values) => Column::from(values.iter().map(|v| v << 40).collect::<Vec<_>>()),
        Column::Nullable(n) => Column::nullable(far_apart(&n.values), n.validity.clone()),
        other => other.clone(),
    }
}

fn plan(case: &Case) -> Join {
    let width = case.left.columns.len() as u32;
    let (l, r): (Vec<u32>, Vec<u32>) = ((0..width).collect(), (100..100 + width).collect());
    let ids = |list: &[u32]| list.iter().map(|i| ColumnId(*i)).collect::<Vec<_>>();
    let keys = (0..case.keys).map(|k| (ColumnId(l[k]), ColumnId(r[k]))).collect();
    // left flag OR right flag
    let flag = |id: u32| Expr::column(ColumnId(id), DataType::UInt8);
    let flags = [flag(l[case.keys + 1]), flag(r[case.keys + 1])];
    Join {
        left: scan(&case.left, &l),
        right: scan(&case.right, &r),
        kind: case.kind,
        strictness: case.strictness,
        algorithm: JoinAlgorithm::Hash,
        filters_left: true,
        left_first: None,
        keys,
        closest: None,
        residual: case.residual.then(|| Expr::Or(flags.into(), DataType::UInt8)),
        left_outputs: ids(&l),
        right_outputs: ids(&r),
        takes_last: false,
        use_nulls: case.use_nulls,
    }
}

fn text(left: Option<(&Chunk, usize)>, right: Option<(&Chunk, usize)>, join: &Join) -> String {
    let side = |row: Option<(&Chunk, usize)>, outputs: &[(ColumnId, DataType)]| -> Vec<Value> {
        match row {
            Some((chunk, i)) => chunk.columns.iter().map(|c| c.value(i)).collect(),
            None => outputs.iter().map(|(_, ty)| Column::default_of(ty, 1).value(0)).collect(),
        }
    };
    let (left_header, right_header) = join.headers().unwrap();
    let mut all = side(left, &left_header);
    all.extend(side(right, &right_header));
    format!("{all:?}")
}

fn matching(case: &Case, i: usize, j: usize) -> bool {
    let keys = (0..case.keys).all(|k| {
        let (a, b) = (case.left.columns[k].value(i), case.right.columns[k].value(j));
        !a.is_null() && a == b
    });
    let flag = |c: &Chunk, row: usize| c.columns[case.keys + 1].value(row).as_u64() == Some(1);
    keys && (!case.residual || flag(&case.left, i) || flag(&case.right, j))
}

/// Nested loops over all pairs. ALL, SEMI (of the own side) and ANTI have only one correct answer.
fn naive(case: &Case, join: &Join) -> Vec<String> {
    naive_by(case, join, &|i, j| matching(case, i, j))
}

/// [`naive`], where a function says which rows match.
fn naive_by(case: &Case, join: &Join, matching: &dyn Fn(usize, usize) -> bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut right_used = vec![false; case.right.rows];
    let pair = |i, j| text(Some((&case.left, i)), Some((&case.right, j)), join);
    for i in 0..case.left.rows {
        let matches: Vec<usize> = (0..case.right.rows).filter(|j| matching(i, *j)).collect();
        for j in &matches {
            right_used[*j] = true;
        }
        match (case.strictness, case.kind) {
            (Strictness::All, _) => out.extend(matches.iter().map(|j| pair(i, *j))),
            (Strictness::Any | Strictness::Semi, JoinKind::Left) => {
                out.extend(matches.first().map(|j| pair(i, *j)));
            }
            _ => {}
        }
        let keeps = match case.strictness {
            Strictness::Semi => false,
            _ => matches!(case.kind, JoinKind::Left | JoinKind::Full),
        };
        if keeps && matches.is_empty() {
            out.push(text(Some((&case.left, i)), None, join));
        }
    }
    let keeps = case.strictness != Strictness::Semi
        && matches!(case.kind, JoinKind::Right | JoinKind::Full);
    for j in (0..case.right.rows).filter(|j| keeps && !right_used[*j]) {
        out.push(text(None, Some((&case.right, j)), join));
    }
    out.sort();
    out
}

fn check(case: &Case, threads: usize, block: usize) {
    check_with(case, threads, block, &runtime(3));
}

fn check_with(case: &Case, threads: usize, block: usize, runtime: &Runtime) {
    let mut join = plan(case);
    let want = naive(case, &join);
    let about = (case.kind, case.strictness, case.residual, case.use_nulls, threads, block);
    let got = run_with(Plan::Join(Box::new(join.clone())), &context(threads, block), runtime);
    assert_eq!(sorted_rows(&got), want, "{about:?}");
    // Only a plan that does not ask for source order reads the left side first.
    let most_rows = [0, 30, 1000][case.left.rows % 3];
    join.left_first = Some(most_rows);
    let input = Box::new(Plan::Join(Box::new(join)));
    let plan = Plan::Sort(physical::Sort { input, keys: vec![], limit: None, threshold: None });
    let got = run_with(plan, &context(threads, block), runtime);
    assert_eq!(sorted_rows(&got), want, "{about:?}, left side first up to {most_rows} rows");
}

#[test]
fn joins_agree_with_nested_loops() {
    use JoinKind::{Cross, Full, Inner, Left, Right};
    use Strictness::{All, Anti, Any, Semi};
    let mut rng = Rng::new(21);
    let rules = [
        (Inner, All),
        (Left, All),
        (Right, All),
        (Full, All),
        (Cross, All),
        (Left, Any),
        (Left, Semi),
        (Left, Anti),
        (Right, Anti),
    ];
    let key_kinds: [&[u64]; 8] = [&[0], &[1], &[3], &[4], &[5], &[0, 3], &[4, 4], &[8]];
    for round in 0..360 {
        let (kind, strictness) = rules[round % rules.len()];
        let kinds = key_kinds[rng.below(8) as usize];
        let most = if round % 12 < 2 { 400 } else { 70 };
        let (spread, n, m) = (1 + rng.below(most), rng.below(90), rng.below(most));
        let mut left = side(&mut rng, kinds, spread, n as usize);
        let mut right = side(&mut rng, kinds, spread, m as usize);
        if rng.below(2) == 0 {
            for column in left.columns.iter_mut().chain(&mut right.columns) {
                *column = far_apart(column);
            }
        }
        let keys = if kind == Cross { 0 } else { kinds.len() };
        let (residual, use_nulls) = (rng.below(2) == 0, rng.below(2) == 0);
        let mut case = Case { left, right, keys, kind, strictness, residual, use_nulls };
        if kind == Cross {
            // The keys are removed, so the flag still comes after the number.
            for chunk in [&mut case.left, &mut case.right] {
                chunk.columns.drain(..kinds.len());
            }
        }
        check(&case, [1, 2, 4][round % 3], [1, 7, 8192][rng.below(3) as usize]);
    }
}

#[test]
fn any_and_semi_of_the_right_give_each_row_once() {
    let mut rng = Rng::new(22);
    for round in 0..60 {
        let left = side(&mut rng, &[0], 20, 80);
        let right = side(&mut rng, &[0], 20, 60);
        let rules = [
            (JoinKind::Right, Strictness::Semi),
            (JoinKind::Right, Strictness::Any),
            (JoinKind::Inner, Strictness::Any),
        ];
        let (kind, strictness) = rules[round % 3];
        let residual = rng.below(2) == 0;
        let case = Case { left, right, keys: 1, kind, strictness, residual, use_nulls: true };
        let join = plan(&case);
        let got = run(Plan::Join(Box::new(join)), &context([1, 3][round % 2], 7));
        let (mut left_rows, mut right_rows) = (Vec::new(), Vec::new());
        for i in 0..got.rows {
            let right = got.columns[4].value(i).as_u64().unwrap() as usize;
            right_rows.push(right);
            match got.columns[1].value(i).as_u64() {
                Some(left) => {
                    assert!(matching(&case, left as usize, right));
                    left_rows.push(left as usize);
                }
                None => {
                    assert_eq!(strictness, Strictness::Any);
                    assert!((0..case.left.rows).all(|l| !matching(&case, l, right)));
                }
            }
        }
        right_rows.sort_unstable();
        let before = right_rows.len();
        right_rows.dedup();
        let any_match = |j: usize| (0..case.left.rows).any(|i| matching(&case, i, j));
        if kind == JoinKind::Right {
            assert_eq!(right_rows.len(), before);
            let all = strictness == Strictness::Any;
            let want: Vec<usize> = (0..case.right.rows).filter(|j| all || any_match(*j)).collect();
            assert_eq!(right_rows, want);
        } else {
            let key = |i: &usize| case.left.columns[0].value(*i).as_i64().unwrap();
            let mut keys: Vec<i64> = left_rows.iter().map(key).collect();
            keys.sort_unstable();
            let before = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), before);
        }
    }
}

/// Inner and left joins on top of each other: filters by keys reach the scan below both.
#[test]
fn filters_by_keys_reach_scans_below_other_joins() {
    let mut rng = Rng::new(23);
    for round in 0..40 {
        let sides: Vec<Chunk> = (0..3).map(|_| side(&mut rng, &[0], 30, 60)).collect();
        let keys = |chunk: &Chunk| -> Vec<i64> {
            (0..chunk.rows).map(|i| chunk.columns[0].value(i).as_i64().unwrap()).collect()
        };
        let [a, b, c] = [keys(&sides[0]), keys(&sides[1]), keys(&sides[2])];
        let join = |left: Plan, right: Plan, kind, outputs: &[u32]| {
            let own = right.outputs()[0];
            Plan::Join(Box::new(Join {
                left,
                right,
                kind,
                strictness: Strictness::All,
                algorithm: JoinAlgorithm::Hash,
                filters_left: true,
                left_first: None,
                keys: vec![(ColumnId(0), own)],
                closest: None,
                residual: None,
                left_outputs: outputs.iter().map(|id| ColumnId(*id)).collect(),
                right_outputs: vec![own],
                takes_last: false,
                use_nulls: true,
            }))
        };
        let kind = [JoinKind::Inner, JoinKind::Left, JoinKind::Right, JoinKind::Full][round % 4];
        let lower = join(scan(&sides[0], &[0, 1, 2]), scan(&sides[1], &[10, 11, 12]), kind, &[0]);
        let upper = join(lower, scan(&sides[2], &[20, 21, 22]), JoinKind::Inner, &[0, 10]);
        let got = run(upper, &context([1, 3][round % 2], 7));
        let mut want = Vec::new();
        for key in &c {
            let count = |keys: &[i64]| keys.iter().filter(|k| *k == key).count();
            // Rows of `b` without a match have no value of `a`, so they do not match `c` either.
            let matches = match (count(&b), kind) {
                (0, JoinKind::Left | JoinKind::Full) => 1,
                (count, _) => count,
            };
            want.extend((0..count(&a) * matches).map(|_| *key));
        }
        let mut keys: Vec<i64> =
            (0..got.rows).map(|i| got.columns[2].value(i).as_i64().unwrap()).collect();
        want.sort_unstable();
        keys.sort_unstable();
        assert_eq!(keys, want, "{kind:?}");
    }
}

#[test]
fn an_ordered_probe_keeps_source_order_and_large_sides_work() {
    let count = 50_000;
    let left = Chunk::new(vec![Column::from((0..count as i64).collect::<Vec<_>>())], count);
    let keys: Vec<i64> = (0..count as i64).filter(|i| i % 10 == 3).collect();
    let right = Chunk::new(vec![Column::from(keys.clone())], keys.len());
    let join = Join {
        left: scan(&left, &[0]),
        right: scan(&right, &[1]),
        kind: JoinKind::Inner,
        strictness: Strictness::All,
        algorithm: JoinAlgorithm::Hash,
        filters_left: true,
        left_first: None,
        keys: vec![(ColumnId(0), ColumnId(1))],
        closest: None,
        residual: None,
        left_outputs: vec![ColumnId(0)],
        right_outputs: vec![ColumnId(1)],
        takes_last: false,
        use_nulls: false,
    };
    for threads in [1, 3] {
        let context = context(threads, 1000);
        let got = run(Plan::Join(Box::new(join.clone())), &context);
        let want = Column::from(keys.clone());
        assert_eq!(rows(&got), rows(&Chunk::new(vec![want.clone(), want], keys.len())));
        assert_eq!(context.memory.used(), 0);
    }
}

mod spilled;
