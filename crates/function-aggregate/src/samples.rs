//! Tests of two samples by ranks: `mannWhitneyUTest`; and `rankCorr`.

use std::sync::Arc;

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_stats::distribution::normal_tail;
use entasis_types::{DataType, TupleType, Value};

use entasis_function::aggregate::args::{Bytes, expect_count, expect_no_params, mismatch};
use entasis_function::aggregate::binary::read_len;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// Which values count as evidence against the assumption that both samples are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alternative {
    TwoSided,
    Less,
    Greater,
}

#[derive(Clone, Copy, Debug)]
enum Test {
    Ranks {
        alternative: Alternative,
        correction: bool,
    },
    /// The correlation of ranks.
    Correlation,
}

#[derive(Clone, Debug)]
struct Samples(Test);

/// Pairs of arguments: a value, and the number of its sample or another value.
type Pairs = Vec<(f64, f64)>;

impl Fold for Samples {
    type State = Pairs;

    fn init(&self) -> Pairs {
        Pairs::new()
    }

    fn return_type(&self) -> DataType {
        match self.0 {
            Test::Correlation => DataType::Float64,
            Test::Ranks { .. } => named_floats(&["u_statistic", "p_value"]),
        }
    }

    fn update(&self, states: &mut [Pairs], args: &[Column], groups: &[u32]) -> Result<()> {
        let of = |i: usize| args.get(i).and_then(|a| a.full().to_f64()).ok_or_else(mismatch);
        let (values, others) = (of(0)?, of(1)?);
        for ((value, other), &group) in values.into_iter().zip(others).zip(groups) {
            states[group as usize].push((value, other));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Pairs, from: &mut Pairs) -> Result<()> {
        into.append(from);
        Ok(())
    }

    fn write(&self, state: &Pairs, out: &mut Vec<u8>) {
        write_varint(out, state.len() as u64);
        for (value, other) in state {
            value.put(out);
            other.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Pairs> {
        (0..read_len(input)?).map(|_| Ok((f64::get(input)?, f64::get(input)?))).collect()
    }

    fn finish(&self, states: &mut [Pairs]) -> Result<Column> {
        let Test::Ranks { alternative, correction } = self.0 else {
            let all: Vec<f64> = states.iter().map(|pairs| correlation(pairs)).collect();
            return Ok(all.into());
        };
        let (mut statistics, mut chances) = (Vec::new(), Vec::new());
        for state in states.iter() {
            let side = |second: bool| {
                state.iter().filter(move |p| (p.1 != 0.0) == second).map(|p| p.0).collect()
            };
            let (first, second): (Vec<f64>, Vec<f64>) = (side(false), side(true));
            let [u, p] = ranks_test(&first, &second, alternative, correction)?;
            statistics.push(u);
            chances.push(p);
        }
        Ok(Column::tuple(vec![statistics.into(), chances.into()], states.len()))
    }

    fn heap(&self, state: &Pairs) -> usize {
        state.capacity() * 16
    }
}

/// Ranks of values, equal ones sharing the mean of theirs; and the correction for equal values.
fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let (mut ties, mut start) = (0.0, 0);
    while start < order.len() {
        let same = order[start..].iter().take_while(|&&i| values[i] == values[order[start]]);
        let count = same.count().max(1);
        let rank = (2 * start + count + 1) as f64 / 2.0;
        order[start..start + count].iter().for_each(|&i| ranks[i] = rank);
        let count_f = count as f64;
        ties += count_f * count_f * count_f - count_f;
        start += count;
    }
    let n = values.len() as f64;
    (ranks, 1.0 - ties / (n * n * n - n))
}

/// Spearman's correlation, by the differences of ranks.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let ((x, _), (y, _)) = (ranks(&x), ranks(&y));
    let squares: f64 = x.iter().zip(&y).map(|(x, y)| (x - y) * (x - y)).sum();
    let n = pairs.len() as f64;
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

fn ranks_test(
    first: &[f64],
    second: &[f64],
    alternative: Alternative,
    correction: bool,
) -> Result<[f64; 2]> {
    if first.is_empty() || second.is_empty() {
        let message = "Aggregate function mannWhitneyUTest require both samples to be non empty";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let (ranks, tie_correction) = ranks(&[first, second].concat());
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    let sum: f64 = ranks[..first.len()].iter().sum();
    let u1 = n1 * n2 + n1 * (n1 + 1.0) / 2.0 - sum;
    let u2 = n1 * n2 - u1;
    let mean = n1 * n2 / 2.0 + if correction { 0.5 } else { 0.0 };
    let deviation = (tie_correction * n1 * n2 * (n1 + n2 + 1.0) / 12.0).sqrt();
    let u = match alternative {
        Alternative::Greater => u2,
        Alternative::Less => u1,
        Alternative::TwoSided => u1.max(u2),
    };
    let z = (u - mean) / deviation;
    let tail = normal_tail(z);
    let p = if alternative == Alternative::TwoSided { (2.0 * tail).min(1.0) } else { tail };
    Ok([u2, p])
}

/// The type of a tuple of floats with these names.
pub fn named_floats(names: &[&str]) -> DataType {
    let types = vec![DataType::Float64; names.len()];
    let names = Some(names.iter().map(|name| (*name).into()).collect());
    DataType::Tuple(Arc::new(TupleType { types, names }))
}

/// Checks that there are two numbers.
pub fn expect_numbers(name: &str, args: AggregateArgs<'_>) -> Result<()> {
    expect_count(name, args, 2)?;
    if args.types.iter().all(DataType::is_any_number) {
        return Ok(());
    }
    let message = format!("Aggregate function {name} only supports numerical types");
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

fn mann_whitney(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_numbers("mannWhitneyUTest", args)?;
    let bad = |message: &str| Error::new(codes::BAD_ARGUMENTS, message);
    let alternative = match args.params.first().map(Value::as_bytes) {
        None | Some(Some(b"two-sided")) => Alternative::TwoSided,
        Some(Some(b"less")) => Alternative::Less,
        Some(Some(b"greater")) => Alternative::Greater,
        Some(_) => {
            let message = "Unknown alternative in aggregate function mannWhitneyUTest. It must be \
                           one of: 'two-sided', 'less', 'greater'";
            return Err(bad(message));
        }
    };
    let correction =
        match args.params.get(1) {
            None => true,
            Some(value) => value.as_u64().ok_or_else(|| {
                bad("Aggregate function mannWhitneyUTest requires a number as its second parameter")
            })? != 0,
        };
    FoldAggregate::boxed(Samples(Test::Ranks { alternative, correction }))
}

fn rank_correlation(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    expect_no_params("rankCorr", args)?;
    expect_numbers("rankCorr", args)?;
    FoldAggregate::boxed(Samples(Test::Correlation))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "mannWhitneyUTest",
        description: "The Mann-Whitney rank test of (value, sample 0 or 1): U and the probability \
                      of a value as extreme, if both samples are alike.",
        examples: &[("SELECT mannWhitneyUTest(number % 3, number % 2) FROM numbers(6)", "(4.5,1)")],
        bind: mann_whitney,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "rankCorr",
        description: "Spearman's correlation of the ranks of two columns.",
        examples: &[("SELECT rankCorr(number, number * number) FROM numbers(5)", "1")],
        bind: rank_correlation,
        ..AggregateDef::DEFAULT
    },
];
