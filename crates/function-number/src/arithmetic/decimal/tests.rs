//! Decimals in 64 bits against the same in 128 bits.

use entasis_base::clock::Rng;
use entasis_column::{Column, Native as _};
use entasis_types::{DataType, Physical};

use entasis_function_kernel::kernel::Number as _;

use super::{Op, Small, Wide};

/// Numbers of all magnitudes, and those at the edges.
fn sample(rng: &mut Rng, narrow: bool) -> i64 {
    let (least, most) =
        if narrow { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (i64::MIN, i64::MAX) };
    match rng.next_u64() % 8 {
        0 => [0, 1, -1][(rng.next_u64() % 3) as usize],
        1 => least,
        2 => most,
        _ => ((rng.next_u64() as i64) >> (rng.next_u64() % 63)).clamp(least, most),
    }
}

fn column(values: &[i64], narrow: bool) -> Column {
    if narrow {
        return i32::column(values.iter().map(|&v| v as i32).collect());
    }
    i64::column(values.to_vec().into())
}

fn number(column: &Column, row: usize) -> i128 {
    i128::read(&column.full()).unwrap()[row]
}

#[test]
fn in_64_bits_as_in_128_bits() {
    let mut rng = Rng::new(5);
    let (mut known, mut refused) = (0, 0);
    for round in 0..20_000 {
        let op = [Op::Plus, Op::Minus, Op::Multiply, Op::Divide][round % 4];
        let narrow = [rng.next_u64().is_multiple_of(2), rng.next_u64().is_multiple_of(2)];
        let types = narrow.map(|narrow| DataType::Decimal(if narrow { 9 } else { 18 }, 2));
        let scale = |rng: &mut Rng| [1, 1, 100, 1_000_000][(rng.next_u64() % 4) as usize];
        let scales = (scale(&mut rng), if op == Op::Divide { 1 } else { scale(&mut rng) });
        let scales = if op == Op::Multiply { (1, 1) } else { scales };
        let physical = if narrow == [true; 2] { Physical::Int32 } else { Physical::Int64 };
        let small = Small::new(op, (&types[0], &types[1]), scales, physical).unwrap();
        let wide = Wide { op, scales, physical, checks: true };
        let args = narrow.map(|narrow| column(&[sample(&mut rng, narrow)], narrow));
        let Some(answer) = small.run(&args).unwrap() else {
            refused += 1;
            continue;
        };
        known += 1;
        let expected = wide.run(&args, 1).unwrap()[0];
        assert_eq!(number(&answer, 0), expected, "{op:?} of {args:?} by {scales:?}");
        // Constants on either side, and more rows, change nothing.
        let many = args.each_ref().map(|a| Column::concat(&[a, a, a]));
        let one = args.each_ref().map(|a| Column::constant(a.clone(), 3));
        for both in [[&many[0], &many[1]], [&one[0], &many[1]], [&many[0], &one[1]]] {
            let answer = small.run(&both.map(Column::clone)).unwrap().unwrap();
            assert_eq!(number(&answer, 2), expected, "{op:?} of {args:?} by {scales:?}");
            assert_eq!(answer.len(), 3);
        }
    }
    assert!(known > 5_000 && refused > 500, "{known} known, {refused} refused");
}

#[test]
fn one_row_that_does_not_fit_is_enough() {
    let ty = DataType::Decimal(18, 2);
    let small = Small::new(Op::Plus, (&ty, &ty), (1, 1), Physical::Int64).unwrap();
    let fine = column(&[1, 2, 3], false);
    let args = [fine.clone(), column(&[5, i64::MAX, 5], false)];
    assert!(small.run(&args).unwrap().is_none());
    assert!(small.run(&[fine.clone(), fine]).unwrap().is_some());
    // In 128 bits as well.
    let wide = DataType::Decimal(38, 2);
    let small = Small::new(Op::Plus, (&ty, &wide), (1, 1), Physical::Int128).unwrap();
    let fine = column(&[1, 2, 3], false);
    let large = Column::from(vec![5, i128::MAX, 5]);
    assert!(small.run(&[fine.clone(), large.clone()]).unwrap().is_none());
    let sums = small.run(&[fine, large.slice(2, 1).replicate(&[0, 3])]).unwrap().unwrap();
    assert_eq!((0..3).map(|row| number(&sums, row)).collect::<Vec<_>>(), [6, 7, 8]);
    // Numbers wider than the result and other operators are not covered.
    assert!(Small::new(Op::Plus, (&ty, &wide), (1, 1), Physical::Int64).is_none());
    assert!(Small::new(Op::Plus, (&ty, &DataType::UInt64), (1, 1), Physical::Int64).is_none());
    assert!(Small::new(Op::Modulo, (&ty, &ty), (1, 1), Physical::Int64).is_none());
}
