//! All pairs of integer types of which one is wide, against numbers of any size.

use entasis_base::clock::Rng;
use entasis_column::Column;
use entasis_function::{BoundKernel, Run};
use entasis_types::{DataType, Value, u256};
use num_bigint::{BigInt, Sign};

use super::super::{Op, numbers};

const TYPES: [DataType; 12] = [
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::UInt128,
    DataType::UInt256,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Int128,
    DataType::Int256,
];

/// Numbers of all magnitudes, and those at the edges.
fn sample(rng: &mut Rng, ty: &DataType, rows: usize) -> Column {
    let mut next = || u256::from_words(next_128(rng), next_128(rng));
    let number = |i: usize, random: u256| match i % 8 {
        0 => u256::ZERO,
        1 => u256::ONE,
        2 => u256::MAX,
        3 => u256::ONE << (ty.fixed_width().unwrap() as u32 * 8 - 1),
        4 => (u256::ONE << (ty.fixed_width().unwrap() as u32 * 8 - 1)) - u256::ONE,
        _ => random >> (random.as_u32() % 256),
    };
    let one = |i: usize| {
        let value = Value::unsigned(number(i, next()));
        Column::from_value(ty, &value, 1).full()
    };
    let parts: Vec<Column> = (0..rows).map(one).collect();
    Column::concat(&parts.iter().collect::<Vec<_>>())
}

fn next_128(rng: &mut Rng) -> u128 {
    u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
}

fn big(value: &Value) -> BigInt {
    let mut text = Vec::new();
    entasis_types::text::write_value(
        &mut text,
        &DataType::Int256,
        value,
        entasis_types::TimeZone::utc(),
    );
    String::from_utf8(text).unwrap().parse().unwrap()
}

/// The number as a type of so many bits and signedness has it.
fn wrapped(value: &BigInt, bits: u32, signed: bool) -> BigInt {
    let modulus = BigInt::from(1) << bits;
    let mut rest = ((value % &modulus) + &modulus) % &modulus;
    if signed && rest >= BigInt::from(1) << (bits - 1) {
        rest -= modulus;
    }
    rest
}

fn bits(ty: &DataType) -> u32 {
    ty.fixed_width().unwrap() as u32 * 8
}

fn run(bound: &BoundKernel, a: &Column, b: &Column, rows: usize) -> Column {
    let Run::Columns(run) = &bound.run else { panic!("no function of columns") };
    run(&[a.clone(), b.clone()], rows).unwrap().full()
}

/// What the operator answers; `None` where it fails or answers zero instead of failing.
fn expected(op: Op, x: &BigInt, y: &BigInt, a: &DataType, b: &DataType) -> Option<BigInt> {
    let zero = BigInt::from(0);
    Some(match op {
        Op::Plus => x + y,
        Op::Minus => x - y,
        Op::Multiply => x * y,
        _ if *y == zero => return None,
        Op::IntDivOrZero if a.is_signed() || b.is_signed() => {
            let x = wrapped(x, bits(a), true);
            let y = wrapped(y, bits(a).max(bits(b)), true);
            if y == BigInt::from(-1) && x == -(BigInt::from(1) << (bits(a) - 1)) {
                return None;
            }
            x / y
        }
        Op::IntDivOrZero => x / y,
        _ => {
            if *y == BigInt::from(-1) {
                return None;
            }
            x % BigInt::from_biguint(Sign::Plus, y.magnitude().clone())
        }
    })
}

#[test]
fn as_numbers_of_any_size() {
    const ROWS: usize = 64;
    let mut rng = Rng::new(11);
    let pairs = TYPES.iter().flat_map(|a| TYPES.iter().map(move |b| (a, b)));
    for (a, b) in pairs.filter(|(a, b)| a.is_wide_integer() || b.is_wide_integer()) {
        let (x, y) = (sample(&mut rng, a, ROWS), sample(&mut rng, b, ROWS + 3).slice(3, ROWS));
        for op in [Op::Plus, Op::Minus, Op::Multiply, Op::IntDivOrZero, Op::ModuloOrZero] {
            let bound = numbers::bind(op, a, b).unwrap();
            let (width, signed) = (bits(&bound.return_type), bound.return_type.is_signed());
            let results = run(&bound, &x, &y, ROWS);
            for i in 0..ROWS {
                let (p, q) = (big(&x.value(i)), big(&y.value(i)));
                let Some(want) = expected(op, &p, &q, a, b) else { continue };
                let got = big(&results.value(i));
                let what = format!("{p} {op:?} {q} of {a} and {b}");
                assert_eq!(got, wrapped(&want, width, signed), "{what}");
            }
            // A constant on either side changes nothing.
            let constant = Column::constant(y.slice(9, 1).full(), ROWS);
            let full = constant.full();
            let (one, other) = (run(&bound, &x, &constant, ROWS), run(&bound, &x, &full, ROWS));
            assert!((0..ROWS).all(|i| one.value(i) == other.value(i)), "{op:?} of {a} and {b}");
        }
    }
}
