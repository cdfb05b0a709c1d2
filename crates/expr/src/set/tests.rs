use std::collections::HashSet;

use entasis_base::clock::Rng;
use entasis_column::{ColumnBuilder, Dictionary};
use entasis_types::Value;

use super::*;

fn build(types: &[&str], rows: &[Vec<Value>]) -> (Vec<DataType>, Vec<Column>) {
    let types: Vec<DataType> = types.iter().map(|t| DataType::parse(t).unwrap()).collect();
    let columns = types
        .iter()
        .enumerate()
        .map(|(c, ty)| {
            let mut builder = ColumnBuilder::new(ty, rows.len());
            rows.iter().for_each(|row| builder.push_value(ty, &row[c]));
            builder.finish()
        })
        .collect();
    (types, columns)
}

/// Members and probes from a naive set of printed rows.
fn check(types: &[&str], mut make: impl FnMut(&mut Rng) -> Vec<Value>) {
    for (seed, size) in [(1, 0), (2, 1), (3, 5), (4, 100), (5, 3000)] {
        let mut rng = Rng::new(seed);
        let members: Vec<Vec<Value>> = (0..size).map(|_| make(&mut rng)).collect();
        let probes: Vec<Vec<Value>> = (0..500).map(|_| make(&mut rng)).collect();
        let key = |row: &Vec<Value>| format!("{row:?}");
        let has_null = |row: &[Value]| row.iter().any(Value::is_null);
        let naive: HashSet<String> = members.iter().filter(|r| !has_null(r)).map(&key).collect();
        let (types, columns) = build(types, &members);
        let mut builder = SetBuilder::new(&types);
        let half = size / 2;
        let part = |from: usize, len: usize| -> Vec<Column> {
            columns.iter().map(|c| c.slice(from, len)).collect()
        };
        builder.push(&part(0, half), half).unwrap();
        let mut second = SetBuilder::new(&types);
        second.push(&part(half, size - half), size - half).unwrap();
        builder.merge(second).unwrap();
        assert_eq!(builder.len(), naive.len());
        let set = builder.finish();
        let names: Vec<String> = types.iter().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (_, columns) = build(&names, &probes);
        let found = set.contains(&columns, probes.len()).unwrap();
        for (i, probe) in probes.iter().enumerate() {
            let expected = !has_null(probe) && naive.contains(&key(probe));
            assert_eq!(found.get(i), expected, "{types:?} {size} {probe:?}");
        }
        if let Some(listed) = set.members() {
            assert_eq!(listed[0].len(), naive.len());
        }
    }
}

#[test]
fn numbers_as_the_naive_set() {
    check(&["UInt8"], |r| vec![Value::UInt(r.below(200))]);
    check(&["Int16"], |r| vec![Value::Int(r.below(4000) as i64 - 2000)]);
    check(&["Int64"], |r| vec![Value::Int((r.below(5000) as i64 - 2500) * 1_000_000_007)]);
    check(&["UInt64"], |r| vec![Value::UInt(r.below(3000))]);
    check(&["Float64"], |r| vec![Value::Float(r.below(3000) as f64 * 0.37)]);
    check(&["Nullable(UInt32)"], |r| match r.below(5) {
        0 => vec![Value::Null],
        _ => vec![Value::UInt(r.below(1000) * 1_000_003)],
    });
}

#[test]
fn strings_as_the_naive_set() {
    let text = |r: &mut Rng| Value::from("abcdefgh".repeat(12)[..r.below(90) as usize].as_ref());
    check(&["String"], |r| vec![text(r)]);
    check(&["String"], |r| vec![Value::from(format!("key {}", r.below(3000)).as_str())]);
    check(&["FixedString(2)"], |r| vec![Value::string(&[b'a' + r.below(20) as u8, b'x'])]);
}

#[test]
fn rows_as_the_naive_set() {
    check(&["UInt16", "Int32"], |r| {
        vec![Value::UInt(r.below(30)), Value::Int(r.below(40) as i64 - 20)]
    });
    check(&["UInt64", "String"], |r| {
        vec![Value::UInt(r.below(30)), Value::from(format!("{}", r.below(50)).as_str())]
    });
    check(&["Nullable(Int64)", "Int64"], |r| {
        let first = if r.below(4) == 0 { Value::Null } else { Value::Int(r.below(30) as i64) };
        vec![first, Value::Int(r.below(30) as i64)]
    });
    check(&["Array(UInt8)", "UInt8"], |r| {
        let items = (0..r.below(3)).map(|_| Value::UInt(r.below(4))).collect();
        vec![Value::Array(items), Value::UInt(r.below(3))]
    });
}

#[test]
fn nan_is_no_member_and_zeros_are_one() {
    let mut builder = SetBuilder::new(&[DataType::Float64]);
    builder.push(&[Column::from(vec![f64::NAN, -0.0])], 2).unwrap();
    let set = builder.finish();
    let found = set.contains(&[Column::from(vec![f64::NAN, 0.0, -0.0, 1.0])], 4).unwrap();
    assert_eq!((0..4).map(|i| found.get(i)).collect::<Vec<_>>(), [false, true, true, false]);
}

#[test]
fn representations_are_probed() {
    let mut builder = SetBuilder::new(&[DataType::UInt8]);
    builder.push(&[Column::from(vec![3u8, 7])], 2).unwrap();
    let set = builder.finish();
    let constant = Column::constant(Column::from(vec![7u8]), 3);
    assert!(set.contains(&[constant], 3).unwrap().all());
    let dictionary = Dictionary::new(Column::from(vec![1u8, 3]));
    let dict = Column::dict(vec![0, 1, 1].into(), dictionary);
    assert_eq!(set.contains(&[dict], 3).unwrap().indices(), [1, 2]);
}
