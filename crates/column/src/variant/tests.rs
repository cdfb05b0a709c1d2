//! Every operation against a plain list of values.

use entasis_base::clock::Rng;

use super::*;
use crate::Chunk;
use crate::compare::{SortOrder, compare_rows};
use crate::wire;

fn types() -> Vec<DataType> {
    ["Array(UInt8)", "String", "UInt64"].map(|t| DataType::parse(t).unwrap()).to_vec()
}

fn variant_type() -> DataType {
    DataType::variant(types()).unwrap()
}

fn random_value(rng: &mut Rng) -> Value {
    match rng.below(4) {
        0 => Value::Null,
        1 => {
            let items: Vec<Value> = (0..rng.below(3)).map(Value::UInt).collect();
            Value::Variant(0, Arc::new(Value::Array(items.into())))
        }
        2 => Value::Variant(1, Arc::new(Value::string(&b"abcdef"[..rng.below(7) as usize]))),
        _ => Value::Variant(2, Arc::new(Value::UInt(rng.below(50)))),
    }
}

fn column_of(values: &[Value]) -> Column {
    let ty = variant_type();
    let mut builder = ColumnBuilder::new(&ty, values.len());
    values.iter().for_each(|v| builder.push_value(&ty, v));
    builder.finish()
}

fn values_of(column: &Column) -> Vec<Value> {
    if let Column::Variant(variant) = column {
        assert!(variant.is_valid());
    }
    (0..column.len()).map(|i| column.value(i)).collect()
}

#[test]
fn operations_are_those_of_a_list_of_values() {
    let mut rng = Rng::new(11);
    let mut list: Vec<Value> = (0..40).map(|_| random_value(&mut rng)).collect();
    let mut column = column_of(&list);
    for step in 0..3000 {
        let len = list.len() as u64;
        match rng.below(7) {
            0 => {
                let keep: Vec<bool> = (0..len).map(|_| rng.below(3) > 0).collect();
                column = column.filter(&Bitmap::from_fn(list.len(), |i| keep[i]));
                let mut next = keep.iter();
                list.retain(|_| *next.next().unwrap());
            }
            1 if len > 0 => {
                let indices: Vec<u32> = (0..rng.below(60)).map(|_| rng.below(len) as u32).collect();
                column = column.take(&indices);
                list = indices.iter().map(|&i| list[i as usize].clone()).collect();
            }
            2 => {
                let start = rng.below(len + 1) as usize;
                let count = rng.below(len - start as u64 + 1) as usize;
                column = column.slice(start, count);
                list = list[start..start + count].to_vec();
            }
            3 => {
                let more: Vec<Value> = (0..rng.below(30)).map(|_| random_value(&mut rng)).collect();
                column = Column::concat(&[&column, &column_of(&more), &column]);
                list = [list.clone(), more, list].concat();
            }
            4 => {
                let bits: Vec<bool> = (0..len).map(|_| rng.below(4) > 0).collect();
                column = column.or_default(&Bitmap::from_fn(list.len(), |i| bits[i]));
                list.iter_mut().zip(bits).filter(|(_, b)| !b).for_each(|(v, _)| *v = Value::Null);
            }
            5 => {
                let chunk = Chunk::new(vec![column.clone()], list.len());
                let mut bytes = Vec::new();
                wire::write_chunk(&chunk, &mut bytes);
                column = wire::read_chunk(&bytes).unwrap().columns.remove(0);
            }
            _ => {
                let mut builder = ColumnBuilder::new(&variant_type(), 0);
                builder.append(&column);
                builder.append(&column);
                builder.truncate(list.len());
                column = builder.finish();
            }
        }
        assert_eq!(values_of(&column), list, "step {step}");
        if list.len() < 20 || list.len() > 400 {
            list = (0..40).map(|_| random_value(&mut rng)).collect();
            column = column_of(&list);
        }
    }
}

#[test]
fn an_element_is_the_value_or_a_default() {
    let mut rng = Rng::new(5);
    let list: Vec<Value> = (0..100).map(|_| random_value(&mut rng)).collect();
    let Column::Variant(variant) = column_of(&list).take(&[7, 3, 3, 99, 0, 1, 2]) else {
        panic!("not a Variant")
    };
    for d in 0..3 {
        let (values, holds) = variant.element(d);
        let dense = variant.values_of(d);
        assert_eq!(dense.len(), holds.count_ones());
        let mut next = 0;
        for i in 0..variant.len() {
            let value = variant.value(i);
            let expected = match &value {
                Value::Variant(own, value) if *own == d => {
                    assert_eq!(dense.value(next), **value);
                    next += 1;
                    Some(value.as_ref().clone())
                }
                _ => None,
            };
            assert_eq!(holds.get(i), expected.is_some());
            assert_eq!(
                values.value(i),
                expected.unwrap_or(types()[usize::from(d)].default_value())
            );
        }
    }
}

#[test]
fn order_is_by_alternative_and_then_by_value() {
    let variant = |d: u8, v: Value| Value::Variant(d, Arc::new(v));
    let sorted = [
        variant(0, Value::Array([].into())),
        variant(0, Value::Array([Value::UInt(1)].into())),
        variant(1, Value::from("a")),
        variant(1, Value::from("b")),
        variant(2, Value::UInt(3)),
        Value::Null,
    ];
    let column = column_of(&sorted);
    for i in 0..sorted.len() {
        for j in 0..sorted.len() {
            assert_eq!(compare_rows(&column, i, &column, j, SortOrder::ASCENDING), i.cmp(&j));
            let last = sorted.len() - 1;
            let expected = if i == last || j == last { i.cmp(&j) } else { j.cmp(&i) };
            assert_eq!(compare_rows(&column, i, &column, j, SortOrder::DESCENDING), expected);
        }
    }
}

#[test]
fn a_filter_that_keeps_few_rows_keeps_few_values() {
    let list: Vec<Value> = (0..1000).map(|i| Value::Variant(2, Arc::new(Value::UInt(i)))).collect();
    let Column::Variant(kept) = column_of(&list).filter(&Bitmap::from_fn(1000, |i| i % 100 == 0))
    else {
        panic!("not a Variant")
    };
    assert_eq!(kept.variants[2].len(), 10);
    let Column::Variant(shared) = column_of(&list).slice(10, 5) else { panic!("not a Variant") };
    assert_eq!(shared.variants[2].len(), 1000);
    assert!(shared.byte_size() < 100);
}

#[test]
fn a_constant_repeats_its_value() {
    let value = Value::Variant(1, Arc::new(Value::from("abc")));
    let column = Column::from_value(&variant_type(), &value, 5);
    assert!(column.is_const());
    assert_eq!(values_of(&column.full()), vec![value; 5]);
    let null = Column::from_value(&variant_type(), &Value::Null, 2).full();
    assert!(null.is_null(0) && null.is_null(1));
    assert!(Column::default_of(&variant_type(), 3).is_null(2));
}
