use std::sync::{Arc, OnceLock};

use super::*;
use crate::testing::{call, column, int, logic};
use crate::{Lambda, Predicate, RowSet};
use entasis_base::clock::Rng;
use entasis_column::{Bitmap, Dictionary};
use entasis_function::Arg;

/// Row-by-row meaning, lazily: what programs must agree with.
fn naive(expr: &Expr, row: &[Option<i64>]) -> Result<Option<i64>, ()> {
    let arg = |args: &[Expr], i: usize| naive(&args[i], row);
    Ok(match expr {
        Expr::Column { id, .. } => row[id.0 as usize],
        Expr::Literal { value, .. } => value.as_i64(),
        Expr::And(args, _) | Expr::Or(args, _) => {
            let is_and = matches!(expr, Expr::And(..));
            let mut null = false;
            for a in args.iter() {
                match naive(a, row)? {
                    Some(v) if (v != 0) != is_and => return Ok(Some(i64::from(!is_and))),
                    Some(_) => {}
                    None => null = true,
                }
            }
            if null { None } else { Some(i64::from(is_and)) }
        }
        Expr::InSet { args, negated, .. } => {
            naive(&args[0], row)?.map(|v| i64::from((v % 3 == 0) != *negated))
        }
        Expr::Call { function, args, .. } => match function.name {
            "if" => match arg(args, 0)? {
                Some(v) if v != 0 => arg(args, 1)?,
                _ => arg(args, 2)?,
            },
            "nullable" => arg(args, 0)?,
            "isNull" => Some(i64::from(arg(args, 0)?.is_none())),
            "not" => arg(args, 0)?.map(|v| i64::from(v == 0)),
            name => match (arg(args, 0)?, arg(args, 1)?) {
                (Some(x), Some(y)) => Some(match name {
                    "plus" => x.wrapping_add(y),
                    "less" => i64::from(x < y),
                    "equals" => i64::from(x == y),
                    "intDiv" => x.checked_div(y).ok_or(())?,
                    other => panic!("{other}"),
                }),
                _ => None,
            },
        },
        Expr::Scalar(_) | Expr::Correlated { .. } => unreachable!(),
    })
}

#[derive(Debug)]
struct Threes;

impl RowSet for Threes {
    fn contains(&self, columns: &[Column], rows: usize) -> Result<Mask> {
        let full = columns[0].full();
        let (_, values) = full.split_nullable();
        let values = values.native::<i64>().unwrap();
        Ok(Mask::from_fn(rows, |i| !full.is_null(i) && values[i] % 3 == 0))
    }
    fn len(&self) -> usize {
        3
    }
    fn members(&self) -> Option<Vec<Column>> {
        None
    }
}

/// A random number expression; `Nullable(Int64)` where a nullable column is below.
fn number(rng: &mut Rng, depth: u32) -> Expr {
    let kind = if depth == 0 { rng.below(3) } else { rng.below(7) };
    match kind {
        0 => column(0, DataType::Int64),
        1 => column(1, DataType::nullable(DataType::Int64)),
        2 => int(rng.below(4) as i64),
        3 | 4 => call("plus", vec![number(rng, depth - 1), number(rng, depth - 1)]),
        5 => call("intDiv", vec![number(rng, depth - 1), number(rng, depth - 1)]),
        _ => {
            let arms = [number(rng, depth - 1), number(rng, depth - 1)];
            let [a, b] = arms.map(|a| call("nullable", vec![a]));
            call("if", vec![boolean(rng, depth - 1), a, b])
        }
    }
}

fn boolean(rng: &mut Rng, depth: u32) -> Expr {
    match if depth == 0 { rng.below(3) } else { rng.below(7) } {
        0 => call("less", vec![number(rng, 0), number(rng, depth.saturating_sub(1))]),
        1 => call("equals", vec![number(rng, 0), number(rng, depth.saturating_sub(1))]),
        2 => call("isNull", vec![number(rng, depth.saturating_sub(1))]),
        3 => call("not", vec![boolean(rng, depth - 1)]),
        4 => {
            let set: Arc<dyn RowSet> = Arc::new(Threes);
            let slot = SetSlot { types: vec![DataType::Int64], set: OnceLock::from(set) };
            let arg = number(rng, depth - 1);
            let ty = if arg.ty().is_nullable() {
                DataType::nullable(DataType::UInt8)
            } else {
                DataType::UInt8
            };
            let negated = rng.below(2) == 0;
            Expr::InSet { args: [arg].into(), set: Arc::new(slot), negated, ty }
        }
        kind => {
            let count = 2 + rng.below(2);
            let args = (0..count).map(|_| boolean(rng, depth - 1)).collect();
            logic(kind == 5, args)
        }
    }
}

fn rows_of(rng: &mut Rng, count: usize) -> Vec<[Option<i64>; 2]> {
    let spread = 1 + rng.below(20);
    (0..count)
        .map(|_| {
            let a = rng.below(spread) as i64 - 2;
            let b = (rng.below(4) != 0).then(|| rng.below(spread) as i64 - 1);
            [Some(a), b]
        })
        .collect()
}

fn chunk_of(rng: &mut Rng, rows: &[[Option<i64>; 2]]) -> Chunk {
    let a: Vec<i64> = rows.iter().map(|r| r[0].unwrap()).collect();
    let b: Vec<i64> = rows.iter().map(|r| r[1].unwrap_or(0)).collect();
    let validity = Bitmap::from_fn(rows.len(), |i| rows[i][1].is_some());
    let mut columns = vec![Column::from(a.clone()), Column::nullable(Column::from(b), validity)];
    if rng.below(2) == 0 {
        let mut values = a.clone();
        values.sort_unstable();
        values.dedup();
        let codes = a.iter().map(|v| values.binary_search(v).unwrap() as u32).collect();
        columns[0] = Column::dict(codes, Dictionary::new(Column::from(values)));
    }
    Chunk::new(columns, rows.len())
}

#[test]
fn programs_agree_with_rows() {
    let mut rng = Rng::new(7);
    let ids = [ColumnId(0), ColumnId(1)];
    let (mut failed, mut passed) = (0, 0);
    for round in 0..3000 {
        let depth = 1 + round % 4;
        let exprs = [number(&mut rng, depth), boolean(&mut rng, depth), number(&mut rng, 2)];
        let count = 1 + rng.below(130) as usize;
        let rows = rows_of(&mut rng, count);
        let chunk = chunk_of(&mut rng, &rows);
        let want: Vec<Result<Vec<_>, ()>> =
            exprs.iter().map(|e| rows.iter().map(|r| naive(e, r)).collect()).collect();
        let got = Program::new(&exprs, &ids).unwrap().run(&chunk);
        if want.iter().any(Result::is_err) {
            assert!(got.is_err(), "{exprs:?}");
            failed += 1;
        } else {
            let got = got.unwrap_or_else(|e| panic!("{e} {exprs:?}"));
            for ((column, want), expr) in got.iter().zip(&want).zip(&exprs) {
                assert_eq!(column.len(), rows.len());
                assert_eq!(column.physical(), expr.ty().physical(), "{expr:?}");
                for (i, want) in want.as_ref().unwrap().iter().enumerate() {
                    assert_eq!(column.value(i).as_i64(), *want, "{i} {expr:?} {:?}", rows[i]);
                }
            }
            passed += 1;
        }
        if let Ok(want) = &want[1] {
            let mask = Program::new(&exprs[1..2], &ids).unwrap();
            let mask = mask.mask(&chunk.columns, chunk.rows).unwrap();
            let want = Bitmap::from_fn(count, |i| want[i].is_some_and(|v| v != 0));
            assert_eq!(mask, want, "{:?}", exprs[1]);
        }
    }
    assert!(failed > 100 && passed > 1000, "{failed} {passed}");
}

#[test]
fn predicates_agree_with_rows_in_any_order() {
    let mut rng = Rng::new(8);
    let ids = [ColumnId(0), ColumnId(1)];
    for _ in 0..300 {
        let conjuncts: Vec<Expr> = (0..=rng.below(4)).map(|_| boolean(&mut rng, 2)).collect();
        let conjuncts: Vec<Expr> = conjuncts.into_iter().filter(|c| !can_fail(c)).collect();
        let mut predicate = Predicate::new(&conjuncts, &ids).unwrap();
        for _ in 0..40 {
            let count = 1 + rng.below(70) as usize;
            let rows = rows_of(&mut rng, count);
            let chunk = chunk_of(&mut rng, &rows);
            let pass = |r: &[Option<i64>]| {
                conjuncts.iter().all(|c| naive(c, r).unwrap().is_some_and(|v| v != 0))
            };
            let want = Bitmap::from_fn(count, |i| pass(&rows[i]));
            assert_eq!(predicate.mask(&chunk).unwrap(), want, "{conjuncts:?}");
        }
    }
}

#[test]
fn equal_calls_are_one_and_constants_fold() {
    let a = column(0, DataType::Int64);
    let sum = call("plus", vec![a.clone(), call("plus", vec![int(1), int(2)])]);
    let rand = call("rand", vec![]);
    let exprs = [sum.clone(), call("plus", vec![sum.clone(), sum]), rand.clone(), rand];
    let program = Program::new(&exprs, &[ColumnId(0)]).unwrap();
    let calls =
        program.steps.iter().filter(|(s, _)| matches!(program.nodes[*s], Node::Call { .. }));
    assert_eq!(calls.count(), 3);
    let chunk = Chunk::new(vec![Column::from(vec![10i64, 20])], 2);
    let out = program.run(&chunk).unwrap();
    assert_eq!(out[1].native::<i64>().unwrap()[..], [26, 46]);
    assert_eq!(out[2].native::<i64>().unwrap()[..], out[3].native::<i64>().unwrap()[..]);
    assert!(constant_value(&call("rand", vec![])).is_none());
    assert!(constant_value(&call("intDiv", vec![int(1), int(0)])).is_none());
    let folded = Program::new(&[call("plus", vec![int(1), int(2)])], &[]).unwrap();
    assert!(folded.run(&Chunk::new(vec![], 5)).unwrap()[0].is_const());
}

#[test]
fn lambdas_capture_columns_of_both_levels() {
    let (list, x, y) = (column(1, DataType::array(DataType::Int64)), ColumnId(10), ColumnId(11));
    let a = column(0, DataType::Int64);
    let higher = |param: ColumnId, body: Expr, over: Expr| {
        let args = [
            Arg { ty: body.ty().clone(), constant: None, is_lambda: true },
            Arg::column(over.ty().clone()),
        ];
        let function = crate::testing::bind("arrayMap", &args);
        let lambda = Lambda { params: vec![(param, DataType::Int64)], body };
        Expr::Call { function, args: [over].into(), lambda: Some(Arc::new(lambda)) }
    };
    // [[x + y + (a + 1) for y in list] for x in list]
    let next = call("plus", vec![a.clone(), int(1)]);
    let body = |p: ColumnId| Expr::column(p, DataType::Int64);
    let inner = call("plus", vec![call("plus", vec![body(x), body(y)]), next.clone()]);
    let expr = higher(x, higher(y, inner, list.clone()), list);
    let lists = Column::array(vec![0, 2, 2, 3].into(), Column::from(vec![1i64, 2, 3]));
    let chunk = Chunk::new(vec![Column::from(vec![100i64, 200, 300]), lists], 3);
    let program = Program::new(&[next, expr], &[ColumnId(0), ColumnId(1)]).unwrap();
    let out = program.run(&chunk).unwrap().swap_remove(1);
    let ints = |v: &[i64]| Value::Array(v.iter().map(|i| Value::Int(*i)).collect());
    assert_eq!(out.value(0), Value::Array([ints(&[103, 104]), ints(&[104, 105])].into()));
    assert_eq!(out.value(1), Value::Array([].into()));
    assert_eq!(out.value(2), Value::Array([ints(&[307])].into()));
}
