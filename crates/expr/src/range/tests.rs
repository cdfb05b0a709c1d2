use std::sync::{Arc, OnceLock};

use super::*;
use crate::testing::{call, column, int, logic};
use crate::{Program, RowSet, SetSlot};
use entasis_base::Result;
use entasis_base::clock::Rng;
use entasis_column::compare::{SortOrder, compare_rows};
use entasis_column::{Bitmap, Chunk, Column, Mask};
use entasis_types::DataType;

#[derive(Debug)]
struct Few(Vec<i64>);

impl RowSet for Few {
    fn contains(&self, columns: &[Column], rows: usize) -> Result<Mask> {
        let inside = |i| columns[0].value(i).as_i64().is_some_and(|v| self.0.contains(&v));
        Ok(Mask::from_fn(rows, inside))
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn members(&self) -> Option<Vec<Column>> {
        Some(vec![Column::from(self.0.clone())])
    }
}

const SPAN: u64 = 8;

fn nullable() -> DataType {
    DataType::nullable(DataType::Int64)
}

fn value(rng: &mut Rng) -> Expr {
    let c = match rng.below(3) {
        0 => column(1, nullable()),
        1 => column(2, DataType::Int64),
        _ => column(0, DataType::Int64),
    };
    match rng.below(5) {
        0 => call("halve", vec![c]),
        1 => call("negate", vec![c]),
        2 => call("negate", vec![call("halve", vec![c])]),
        _ => c,
    }
}

fn predicate(rng: &mut Rng, depth: u32) -> Expr {
    const OPS: [&str; 6] =
        ["less", "lessOrEquals", "greater", "greaterOrEquals", "equals", "notEquals"];
    match if depth == 0 { rng.below(6) } else { rng.below(9) } {
        0..=3 => {
            let op = OPS[rng.below(6) as usize];
            let args = [value(rng), int(rng.below(SPAN) as i64 - 1)];
            let [a, b] = args;
            call(op, if rng.below(3) == 0 { vec![b, a] } else { vec![a, b] })
        }
        4 => {
            let members = (0..rng.below(4)).map(|_| rng.below(SPAN) as i64).collect();
            let set: Arc<dyn RowSet> = Arc::new(Few(members));
            let slot = SetSlot { types: vec![DataType::Int64], set: OnceLock::from(set) };
            let arg = value(rng);
            let ty = if arg.ty().is_nullable() {
                DataType::nullable(DataType::UInt8)
            } else {
                DataType::UInt8
            };
            let negated = rng.below(2) == 0;
            Expr::InSet { args: [arg].into(), set: Arc::new(slot), negated, ty }
        }
        5 if rng.below(3) == 0 => Expr::literal(Value::Null, DataType::nullable(DataType::UInt8)),
        5 => call("isNull", vec![column(1, nullable())]),
        6 => call("not", vec![predicate(rng, depth - 1)]),
        kind => logic(kind == 7, (0..2).map(|_| predicate(rng, depth - 1)).collect()),
    }
}

fn random_rows(rng: &mut Rng, count: usize) -> Chunk {
    let ints = |rng: &mut Rng| {
        let (low, span) = (rng.below(SPAN) as i64, 1 + rng.below(SPAN));
        Column::from((0..count).map(|_| low + rng.below(span) as i64).collect::<Vec<_>>())
    };
    let (a, b, c) = (ints(rng), ints(rng), ints(rng));
    let valid = Bitmap::from_fn(count, |_| rng.below(4) != 0);
    Chunk::new(vec![a, Column::nullable(b, valid), c], count)
}

fn bounds_of(column: &Column) -> Bounds {
    let values: Vec<i64> = (0..column.len()).filter_map(|i| column.value(i).as_i64()).collect();
    let end = |v: Option<&i64>| v.map_or(Value::Null, |v| Value::Int(*v));
    let has_null = values.len() < column.len();
    (end(values.iter().min()), end(values.iter().max()), has_null)
}

const IDS: [ColumnId; 3] = [ColumnId(0), ColumnId(1), ColumnId(2)];

#[test]
fn bounds_never_rule_out_a_match() {
    let mut rng = Rng::new(3);
    let (mut pruned, mut sure) = (0, 0);
    for _ in 0..5000 {
        let count = 1 + rng.below(5) as usize;
        let chunk = random_rows(&mut rng, count);
        let conjuncts: Vec<Expr> = (0..=rng.below(2)).map(|_| predicate(&mut rng, 2)).collect();
        let all = logic(true, conjuncts.clone());
        let mask = Program::new(&[all], &IDS).unwrap().mask(&chunk.columns, count).unwrap();
        let analysis = RangeAnalysis::new(&conjuncts, &[]);
        let known = rng.below(4) as u32;
        let bounds =
            |id: ColumnId| (id.0 != known).then(|| bounds_of(&chunk.columns[id.0 as usize]));
        if !analysis.may_match(&bounds) {
            assert!(mask.none(), "{conjuncts:?}");
            pruned += 1;
        }
        if analysis.must_match(&bounds) {
            assert!(mask.all(), "{conjuncts:?}");
            sure += 1;
        }
    }
    assert!(pruned > 500 && sure > 100, "{pruned} {sure}");
}

#[test]
fn keys_never_rule_out_a_match() {
    let mut rng = Rng::new(4);
    let (mut pruned, mut empty) = (0, 0);
    for _ in 0..3000 {
        let count = 2 + rng.below(40) as usize;
        let chunk = random_rows(&mut rng, count);
        let key: Vec<ColumnId> = IDS[..=(rng.below(3) as usize)].to_vec();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|x, y| {
            let each = key.iter().map(|k| {
                let c = &chunk.columns[k.0 as usize];
                compare_rows(c, *x as usize, c, *y as usize, SortOrder::ASCENDING)
            });
            each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let sorted = chunk.take(&order);
        let conjuncts: Vec<Expr> = (0..=rng.below(2)).map(|_| predicate(&mut rng, 1)).collect();
        let all = logic(true, conjuncts.clone());
        let mask = Program::new(&[all], &IDS).unwrap().mask(&sorted.columns, count).unwrap();
        let analysis = RangeAnalysis::new(&conjuncts, &key);
        let step = 1 + rng.below(5) as usize;
        let key_at = |row: usize| -> Vec<Value> {
            key.iter().map(|k| sorted.columns[k.0 as usize].value(row)).collect()
        };
        for start in (0..count).step_by(step) {
            let end = (start + step).min(count);
            let right = if end == count { Vec::new() } else { key_at(end) };
            let any = (start..end).any(|i| mask.get(i));
            empty += usize::from(!any);
            if !analysis.may_match_key(&key_at(start), &right) {
                assert!(!any, "{conjuncts:?} {:?} {right:?}", key_at(start));
                pruned += 1;
            }
        }
    }
    assert!(pruned * 4 > empty, "{pruned} of {empty}");
}

#[test]
fn prefixes_of_strings() {
    let s = column(0, DataType::String);
    let text = |t: &str| Expr::literal(Value::from(t), DataType::String);
    let analysis = RangeAnalysis::new(&[call("less", vec![text("b"), s])], &[]);
    let bounds = |min: &str, max: &str| {
        let both = (Value::from(min), Value::from(max), false);
        analysis.may_match(&move |_| Some(both.clone()))
    };
    assert!(!bounds("a", "b"));
    assert!(bounds("a", "ba"));
}
