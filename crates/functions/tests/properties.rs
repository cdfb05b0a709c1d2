//! What definitions say of themselves agrees with what the functions do.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod common;

use std::sync::Arc;

use common::NoContext;
use entasis_column::Column;
use entasis_function::{Arg, BoundFunction, Fails, FunctionDef, Operation, registry};
use entasis_types::{DataType, Value};

fn bind(def: &'static FunctionDef, types: &[DataType]) -> Option<Arc<BoundFunction>> {
    let args: Vec<Arg> = types.iter().cloned().map(Arg::column).collect();
    BoundFunction::bind(def, &args, &NoContext).ok()
}

/// Pairs of columns that every operation is tried on, of numbers, text and NULL.
fn samples() -> Vec<Vec<(DataType, Vec<Value>)>> {
    let numbers = (DataType::Int64, vec![Value::Int(-1), Value::Int(0), Value::Int(7)]);
    let others = (DataType::Int64, vec![Value::Int(7), Value::Int(0), Value::Int(-1)]);
    let texts = ["", "a", "ab"].map(Value::from).to_vec();
    let more = ["", "%b", "a"].map(Value::from).to_vec();
    let nullable = DataType::nullable(DataType::Int64);
    let nulls = (nullable, vec![Value::Null, Value::Int(0), Value::Null]);
    let text = |values: Vec<Value>| (DataType::String, values);
    vec![
        vec![numbers.clone(), others.clone()],
        vec![nulls.clone(), others],
        vec![text(texts.clone()), text(more)],
        vec![text(texts)],
        vec![nulls],
        vec![numbers],
    ]
}

fn column(ty: &DataType, values: &[Value]) -> Column {
    let mut builder = entasis_column::ColumnBuilder::new(ty, values.len());
    values.iter().for_each(|value| builder.push_value(ty, value));
    builder.finish()
}

/// Results of a function for a sample, if it takes such arguments.
fn results(name: &str, sample: &[(DataType, Vec<Value>)]) -> Option<Vec<Value>> {
    let types: Vec<DataType> = sample.iter().map(|(ty, _)| ty.clone()).collect();
    let function = bind(registry::scalar(name).unwrap(), &types)?;
    let columns: Vec<Column> = sample.iter().map(|(ty, values)| column(ty, values)).collect();
    let result = function.call(&columns, 3).ok()?;
    Some((0..3).map(|row| result.value(row)).collect())
}

fn opposite(value: &Value) -> Option<bool> {
    value.as_u64().map(|v| v == 0)
}

#[test]
fn negations_answer_the_opposite_and_swapped_comparisons_the_same() {
    entasis_functions::register();
    let mut compared = 0;
    for def in registry::scalar_functions() {
        let operation = def.properties.operation;
        for sample in samples() {
            if let Some(negation) = operation.negation(true)
                && let Some(these) = results(def.name, &sample)
            {
                let those = results(negation, &sample).unwrap();
                let negated: Vec<_> = these.iter().map(opposite).collect();
                let plain: Vec<_> = those.iter().map(|v| opposite(v).map(|v| !v)).collect();
                assert_eq!(negated, plain, "{} and {negation}", def.name);
                compared += 1;
            }
            if let Operation::Compare(comparison) = operation {
                assert_eq!(comparison.function_name(), def.name);
                let mut turned = sample.clone();
                turned.reverse();
                let (a, b) = (
                    results(def.name, &sample),
                    results(comparison.swapped().function_name(), &turned),
                );
                assert_eq!(format!("{a:?}"), format!("{b:?}"), "{}", def.name);
            }
        }
    }
    assert!(compared >= 20, "only {compared} pairs were compared");
}

#[test]
fn injective_functions_keep_values_apart() {
    entasis_functions::register();
    let texts: Vec<Value> = ["", "a", "b"].map(Value::from).to_vec();
    let text = (DataType::String, texts);
    let numbers = (DataType::Int64, vec![Value::Int(-1), Value::Int(0), Value::Int(1)]);
    let mut seen = 0;
    for def in registry::scalar_functions().filter(|def| def.properties.injective) {
        for sample in [text.clone(), numbers.clone()] {
            let Some(values) = results(def.name, &[sample]) else { continue };
            let mut printed: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
            printed.sort();
            printed.dedup();
            assert_eq!(printed.len(), 3, "{}", def.name);
            seen += 1;
        }
    }
    assert!(seen >= 3);
}

#[test]
fn conversions_fail_on_text_and_not_on_numbers() {
    let fails = Fails::AsConversion;
    let nullable = DataType::nullable(DataType::UInt8);
    let dictionary = DataType::parse("LowCardinality(String)").unwrap();
    assert!(fails.on(Some(&DataType::String), &DataType::UInt8));
    assert!(fails.on(Some(&dictionary), &DataType::UInt8));
    assert!(fails.on(Some(&nullable), &DataType::UInt8));
    assert!(!fails.on(Some(&DataType::UInt8), &nullable));
    assert!(!fails.on(Some(&DataType::UInt64), &DataType::UInt8));
    assert!(!fails.on(Some(&DataType::String), &DataType::String));
    assert!(!Fails::Never.on(Some(&DataType::String), &DataType::UInt8));
}
