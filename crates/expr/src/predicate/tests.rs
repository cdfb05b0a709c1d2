use super::*;
use crate::testing::{call, column, int};
use entasis_column::Dictionary;
use entasis_types::DataType;

#[test]
fn later_columns_are_fetched_only_if_rows_are_left() {
    let conjuncts = [
        call("less", vec![column(0, DataType::Int64), int(5)]),
        call("less", vec![column(1, DataType::Int64), int(5)]),
    ];
    let mut predicate = Predicate::new(&conjuncts, &[ColumnId(0), ColumnId(1)]).unwrap();
    assert_eq!(predicate.inputs(), [0, 1]);
    let mut asked = Vec::new();
    let mask = predicate.mask_with(2, &mut |p| {
        asked.push(p);
        Ok(Column::from(vec![7i64, 8]))
    });
    assert!(mask.unwrap().none());
    assert_eq!(asked, [0]);
}

#[test]
fn what_can_fail_runs_last_and_only_where_asked() {
    let (a, b) = (column(0, DataType::Int64), column(1, DataType::Int64));
    let conjuncts = [
        call("equals", vec![call("intDiv", vec![a.clone(), b.clone()]), int(2)]),
        call("notEquals", vec![b, int(0)]),
    ];
    let mut predicate = Predicate::new(&conjuncts, &[ColumnId(0), ColumnId(1)]).unwrap();
    let chunk = Chunk::new(vec![Column::from(vec![4i64, 5, 6]), Column::from(vec![2i64, 0, 4])], 3);
    for _ in 0..50 {
        assert_eq!(predicate.mask(&chunk).unwrap().indices(), [0]);
    }
}

#[test]
fn dictionaries_are_evaluated_once_and_looked_up() {
    let values: Vec<i64> = (0..100).collect();
    let dictionary = Dictionary::new(Column::from(values));
    let conjuncts = [call("less", vec![column(0, DataType::Int64), int(50)])];
    let mut predicate = Predicate::new(&conjuncts, &[ColumnId(0)]).unwrap();
    for round in 0..10u32 {
        let codes: Vec<u32> = (0..20).map(|i| (i * 13 + round) % 100).collect();
        let want: Vec<bool> = codes.iter().map(|c| *c < 50).collect();
        let chunk = Chunk::new(vec![Column::dict(codes.into(), Arc::clone(&dictionary))], 20);
        assert_eq!(predicate.mask(&chunk).unwrap(), Mask::from_fn(20, |i| want[i]));
    }
    assert!(predicate.conjuncts[0].memo.as_ref().is_some_and(|m| m.2.is_some()));
}
