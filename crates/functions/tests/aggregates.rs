//! Results against the reference's, through binding by name: values from `chdb` 26.9.
#![allow(clippy::unwrap_used, clippy::panic)]

use entasis_column::{Column, Strings, StringsBuilder};
use entasis_types::{DataType, Value};

use entasis_function::Aggregate;

mod common;

use common::{NoContext, bind_aggregate};

fn numbers(n: u64) -> Column {
    Column::from((0..n).collect::<Vec<_>>())
}

fn strings(s: &[&str]) -> Column {
    s.iter().collect::<Strings>().into()
}

/// The result over all rows: at once, and again with the rows dealt to two states that are merged,
/// and again through serialised states. All three must agree.
fn result(name: &str, params: &[f64], types: &[&str], args: &[Column]) -> Value {
    let params: Vec<Value> = params.iter().map(|&p| Value::Float(p)).collect();
    let types: Vec<DataType> = types.iter().map(|t| DataType::parse(t).unwrap()).collect();
    let aggregate = bind_aggregate(name, &params, &types, &NoContext).unwrap();
    let rows = args.first().map_or(0, Column::len);
    let mut whole = aggregate.states();
    whole.resize(2);
    whole.update_one(args, rows, 1).unwrap();
    let value = whole.finish(1..2).unwrap().value(0);
    let half = rows / 2;
    let part = |start: usize, len: usize| -> Vec<Column> {
        args.iter().map(|a| a.slice(start, len)).collect()
    };
    let (mut first, mut second) = (aggregate.states(), aggregate.states());
    first.resize(1);
    second.resize(3);
    first.update(&part(0, half), &vec![0; half]).unwrap();
    second.update(&part(half, rows - half), &vec![2; rows - half]).unwrap();
    first.merge(&mut *second, &[2], &[0]).unwrap();
    assert_eq!(first.finish(0..1).unwrap().value(0), value, "{name} merged");
    let (mut first, mut second) = (aggregate.portable_states(), aggregate.portable_states());
    first.resize(1);
    second.resize(2);
    first.update(&part(0, half), &vec![0; half]).unwrap();
    second.update(&part(half, rows - half), &vec![1; rows - half]).unwrap();
    let mut bytes = StringsBuilder::default();
    first.serialize(0..1, &mut bytes).unwrap();
    second.serialize(1..2, &mut bytes).unwrap();
    let bytes = bytes.finish();
    let mut merged = aggregate.portable_states();
    merged.resize(1);
    merged.merge_serialized(&bytes, &[0, 0]).unwrap();
    assert_eq!(merged.finish(0..1).unwrap().value(0), value, "{name} through bytes");
    for cut in 0..bytes.get(1).len() {
        let mut fresh = aggregate.portable_states();
        fresh.resize(1);
        let _ = fresh.merge_one(&mut &bytes.get(1)[..cut], 0);
    }
    value
}

fn float(name: &str, params: &[f64], args: &[Column]) -> f64 {
    let types = vec!["UInt64"; args.len()];
    result(name, params, &types, args).as_f64().unwrap()
}

#[test]
fn quantiles() {
    assert_eq!(float("quantile", &[], &[numbers(101)]), 50.0);
    assert_eq!(float("median", &[0.9], &[numbers(101)]), 90.0);
    for (name, level, wanted) in [
        ("quantileExact", 0.5, 3.0),
        ("quantileExactLow", 0.5, 2.0),
        ("quantileExactHigh", 0.5, 3.0),
        ("quantileExact", 0.9, 5.0),
        ("quantileExactLow", 0.9, 5.0),
        ("quantileExact", 1.0, 5.0),
        ("quantileExactExclusive", 0.3, 1.5),
        ("quantileExactInclusive", 0.3, 1.9),
    ] {
        let values = Column::from(vec![5u64, 1, 3, 2]);
        let got = float(name, &[level], &[values]);
        assert!((got - wanted).abs() < 1e-9, "{name} {got}");
    }
    assert!(float("quantile", &[], &[numbers(0)]).is_nan());
    assert_eq!(float("quantileExact", &[], &[numbers(0)]), 0.0);
    let weighted = [Column::from(vec![1u64, 2, 3, 3]), Column::from(vec![1u64, 2, 3, 3])];
    assert_eq!(float("quantileExactWeighted", &[], &weighted), 3.0);
    let several = result("quantiles", &[0.0, 1.0], &["UInt64"], &[numbers(11)]);
    assert_eq!(several, Value::Array([Value::Float(0.0), Value::Float(10.0)].into()));
}

#[test]
fn long_samples_are_the_references() {
    let aggregate = bind_aggregate("quantile", &[], &[DataType::UInt64], &NoContext).unwrap();
    let digest = bind_aggregate("quantileTDigest", &[], &[DataType::UInt64], &NoContext).unwrap();
    let of = |aggregate: &dyn Aggregate, n: u64| {
        let mut states = aggregate.states();
        states.resize(1);
        states.update_one(&[numbers(n)], n as usize, 0).unwrap();
        states.finish(0..1).unwrap().value(0).as_f64().unwrap()
    };
    assert_eq!(of(&*aggregate, 20_000), 10_053.5);
    assert_eq!(of(&*aggregate, 100_000), 50_501.5);
    assert_eq!(of(&*digest, 20_000), 9999.5);
}

#[test]
fn a_shift_wants_both_sides() {
    let values = Column::from(vec![100u64, 110]);
    assert_eq!(float("hodgesLehmann", &[], std::slice::from_ref(&values)), 105.0);
    let shift = |sides: [u64; 2]| {
        float("hodgesLehmann", &[], &[values.clone(), Column::from(sides.to_vec())])
    };
    // The states that are merged have a side each.
    assert_eq!(shift([0, 1]), 10.0);
    assert!(shift([0, 0]).is_nan() && shift([1, 1]).is_nan());
    assert!(float("hodgesLehmann", &[], &[numbers(0), numbers(0)]).is_nan());
}

#[test]
fn moments() {
    let x = Column::from(vec![2u64, 4, 4, 4, 5, 5, 7, 9]);
    assert_eq!(float("varPop", &[], std::slice::from_ref(&x)), 4.0);
    assert_eq!(float("stddevPopStable", &[], std::slice::from_ref(&x)), 2.0);
    let close = |name: &str, args: &[Column], wanted: f64| {
        let got = float(name, &[], args);
        assert!((got - wanted).abs() < 1e-9, "{name}: {got}");
    };
    let y = Column::from(vec![1u64, 2, 3, 9]);
    close("covarSamp", &[numbers(4), y.clone()], 25.0 / 6.0);
    close("corr", &[numbers(10), numbers(10)], 1.0);
    close("skewPop", std::slice::from_ref(&y), 0.9794093752424018);
    assert!(float("varSamp", &[], &[numbers(1)]).is_nan());
}

#[test]
fn sets_and_lists() {
    let words = strings(&["a", "", "b", "a"]);
    for name in ["uniq", "uniqExact"] {
        let word = std::slice::from_ref(&words);
        assert_eq!(result(name, &[], &["String"], word), Value::UInt(3), "{name}");
        assert_eq!(float(name, &[], &[numbers(3000)]), 3000.0);
        let pairs = [numbers(4), words.clone()];
        assert_eq!(result(name, &[], &["UInt64", "String"], &pairs), Value::UInt(4));
    }
    let list = |v: &[u64]| Value::Array(v.iter().map(|&x| Value::UInt(x)).collect());
    let x = Column::from(vec![3u64, 1, 3, 2]);
    let x = std::slice::from_ref(&x);
    assert_eq!(result("groupArray", &[], &["UInt64"], x), list(&[3, 1, 3, 2]));
    assert_eq!(result("groupArray", &[3.0], &["UInt64"], x), list(&[3, 1, 3]));
    assert_eq!(result("groupArrayLast", &[2.0], &["UInt64"], x), list(&[3, 2]));
    assert_eq!(result("groupUniqArray", &[], &["UInt64"], x), list(&[3, 1, 2]));
    let text = |v: &[&str]| Value::Array(v.iter().map(|&s| Value::from(s)).collect());
    let words = std::slice::from_ref(&words);
    assert_eq!(result("groupUniqArray", &[], &["String"], words), text(&["a", "", "b"]));
}

#[test]
fn values_kept() {
    let pairs = [strings(&["a", "b", "c"]), Column::from(vec![2u64, 3, 1])];
    assert_eq!(result("argMax", &[], &["String", "UInt64"], &pairs), Value::from("b"));
    assert_eq!(result("argMin", &[], &["String", "UInt64"], &pairs), Value::from("c"));
    let words = strings(&["bbbbbbbbbbbbb", "bbbbbbbbbbbba", "c"]);
    let words = std::slice::from_ref(&words);
    assert_eq!(result("min", &[], &["String"], words), Value::from("bbbbbbbbbbbba"));
    assert_eq!(result("max", &[], &["String"], words), Value::from("c"));
    assert_eq!(result("any", &[], &["String"], words), Value::from("bbbbbbbbbbbbb"));
    assert_eq!(result("anyLast", &[], &["String"], words), Value::from("c"));
    let floats = Column::from(vec![1.0, f64::NAN, 2.0]);
    let floats = std::slice::from_ref(&floats);
    assert_eq!(result("max", &[], &["Float64"], floats), Value::Float(2.0));
    assert_eq!(result("min", &[], &["Float64"], floats), Value::Float(1.0));
    let nothing = strings(&[]);
    assert_eq!(result("min", &[], &["String"], &[nothing]), Value::from(""));
}

#[test]
fn combinators() {
    let half = Column::from(vec![0u8, 1, 0, 1, 0, 1]);
    let six = numbers(6);
    let both = [six.clone(), half.clone()];
    assert_eq!(result("sumIf", &[], &["UInt64", "UInt8"], &both), Value::UInt(9));
    assert_eq!(result("countIf", &[], &["UInt8"], &[half]), Value::UInt(3));
    assert_eq!(result("sumOrNull", &[], &["UInt64"], &[numbers(0)]), Value::Null);
    assert_eq!(result("avgOrDefault", &[], &["UInt64"], &[numbers(0)]), Value::Float(0.0));
    let lists = Column::array(vec![0u32, 2, 5, 5].into(), vec![1u8, 2, 10, 20, 30].into());
    let list = |v: &[u64]| Value::Array(v.iter().map(|&x| Value::UInt(x)).collect());
    let lists = std::slice::from_ref(&lists);
    assert_eq!(result("sumArray", &[], &["Array(UInt8)"], lists), Value::UInt(63));
    assert_eq!(result("sumForEach", &[], &["Array(UInt8)"], lists), list(&[11, 22, 30]));
    assert_eq!(result("countForEach", &[], &["Array(UInt8)"], lists), list(&[2, 2, 1]));
    let thirds = Column::from(vec![0u64, 1, 2, 0, 1, 2]);
    let third = std::slice::from_ref(&thirds);
    assert_eq!(result("sumDistinct", &[], &["UInt64"], third), Value::UInt(3));
    let keyed = [numbers(12), numbers(12)];
    let resampled = result("sumResample", &[0.0, 10.0, 5.0], &["UInt64", "UInt64"], &keyed);
    assert_eq!(resampled, list(&[10, 35]));
    let keys = [six, Column::from(vec![0u64, 1, 2, 0, 1, 3])];
    assert_eq!(result("sumArgMax", &[], &["UInt64", "UInt64"], &keys), Value::UInt(5));
}

#[test]
fn nulls() {
    let valid = entasis_column::Bitmap::from_fn(4, |i| i % 2 == 1);
    let some = Column::nullable(numbers(4), valid);
    let none = Column::nullable(numbers(2), entasis_column::Bitmap::constant(false, 2));
    let ty = &["Nullable(UInt64)"];
    let some = std::slice::from_ref(&some);
    let none = std::slice::from_ref(&none);
    assert_eq!(result("sum", &[], ty, some), Value::UInt(4));
    assert_eq!(result("sum", &[], ty, none), Value::Null);
    assert_eq!(result("count", &[], ty, some), Value::UInt(2));
    assert_eq!(result("uniq", &[], ty, none), Value::UInt(0));
    assert_eq!(result("groupArray", &[], ty, none), Value::Array([].into()));
    assert_eq!(result("any_respect_nulls", &[], ty, some), Value::Null);
    assert_eq!(result("anyLast_respect_nulls", &[], ty, some), Value::UInt(3));
    let null = bind_aggregate("sum", &[], &[DataType::null()], &NoContext).unwrap();
    assert!(null.return_type().is_null_literal());
}

#[test]
fn states_are_the_references_bytes() {
    let hex = |name: &str, types: &[&str], args: &[Column]| -> String {
        let types: Vec<DataType> = types.iter().map(|t| DataType::parse(t).unwrap()).collect();
        let aggregate = bind_aggregate(&format!("{name}State"), &[], &types, &NoContext).unwrap();
        let mut states = aggregate.states();
        states.resize(1);
        states.update_one(args, args[0].len(), 0).unwrap();
        let state = states.finish(0..1).unwrap().value(0);
        state.as_bytes().unwrap().iter().map(|b| format!("{b:02X}")).collect()
    };
    let x = Column::from(vec![1u8, 2, 3, 3]);
    let pairs = [x.clone(), x.clone()];
    let x = std::slice::from_ref(&x);
    for (name, wanted) in [
        ("sum", "0900000000000000"),
        ("count", "04"),
        ("avg", "090000000000000004"),
        ("min", "0101"),
        ("uniqExact", "03010203"),
        ("groupArray", "0401020303"),
        ("quantileExact", "0401020303"),
        ("quantileTiming", "0104000100020003000300"),
        ("quantileTDigest", "040000803F0000803F000000400000803F000040400000803F000040400000803F"),
        (
            "quantile",
            "002000000000000004000000000000001C36333634313336323233383436373933303035203020313233\
             34353901020303",
        ),
        ("varPop", "000000000000104000000000000022400000000000003740"),
        ("varPopStable", "0400000000000002400000000000000640"),
        ("uniq", "0003CED8F8092CCBC234E7830665"),
        ("sumOrNull", "090000000000000001"),
        ("sumDistinct", "03010203"),
        ("groupBitAnd", "00"),
        ("sumWithOverflow", "09"),
        ("anyLast", "0103"),
        ("any_respect_nulls", "0301"),
    ] {
        assert_eq!(hex(name, &["UInt8"], x), wanted, "{name}");
    }
    for (name, wanted) in [
        ("argMax", "01030103"),
        ("quantileExactWeighted", "03010100000000000000020200000000000000030600000000000000"),
        ("avgWeighted", "170000000000000009"),
        ("sumArgMax", "06000000000000000103"),
        (
            "corr",
            "000000000000104000000000000022400000000000002240000000000000374000000000000037400000000000003740",
        ),
    ] {
        assert_eq!(hex(name, &["UInt8", "UInt8"], &pairs), wanted, "{name}");
    }
    let abc = strings(&["abc"]);
    assert_eq!(hex("max", &["String"], &[abc]), "0400000061626300");
    let one = Column::nullable(Column::from(vec![1u8]), entasis_column::Bitmap::constant(true, 1));
    let one = std::slice::from_ref(&one);
    assert_eq!(hex("sum", &["Nullable(UInt8)"], one), "010100000000000000");
    assert_eq!(hex("uniqExact", &["Nullable(UInt8)"], one), "010101");
    assert_eq!(hex("groupUniqArray", &["Nullable(UInt8)"], one), "0101");
}
