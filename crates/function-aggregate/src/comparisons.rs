//! The laboratory's statistics as aggregate functions: `permutationTest`, `hodgesLehmann`,
//! `medianRatioCI`, `eDivisive`. The crate `stats` has the methods and names their sources.
//!
//! A state holds all values, and they are sorted when the result is computed. Therefore no result
//! depends on the order in which threads process rows, and all random choices come from a seed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_stats::change::{Confirm, Rules, changes};
use entasis_stats::location::hodges_lehmann;
use entasis_stats::permutation::difference_of_means;
use entasis_stats::rng::{Resampling, shuffle, stream};
use entasis_stats::sample::logs;
use entasis_stats::shift::{shift, shift_interval};
use entasis_types::{DataType, TupleType};

use entasis_function::aggregate::args::{Bytes, illegal_type, mismatch, wrong_count};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// Values, each with the bits of its side (0 or 1), or with its place in a series (see [`places`]).
type Values = Vec<(f64, u64)>;

/// The sign bit of a 64-bit number.
const SIGN: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
enum Test {
    Permutation {
        seed: u64,
        draws: u32,
    },
    /// The centre of one sample, or the shift between two.
    HodgesLehmann {
        two: bool,
    },
    MedianRatio {
        confidence: f64,
    },
    /// The seed determines the order of values with the same place.
    EDivisive {
        rules: Rules,
        seed: u64,
    },
}

#[derive(Clone, Copy, Debug)]
struct Comparison(Test);

/// Numbers that have names.
fn named(names: &[&str], first: DataType) -> DataType {
    let mut types = vec![DataType::Float64; names.len()];
    types[0] = first;
    let names = Some(names.iter().map(|name| (*name).into()).collect());
    DataType::Tuple(Arc::new(TupleType { types, names }))
}

impl Fold for Comparison {
    type State = Values;

    fn init(&self) -> Values {
        Values::new()
    }

    fn return_type(&self) -> DataType {
        match self.0 {
            Test::Permutation { .. } => named(&["difference", "p_value"], DataType::Float64),
            Test::HodgesLehmann { .. } => DataType::Float64,
            Test::MedianRatio { .. } => named(&["ratio", "low", "high"], DataType::Float64),
            Test::EDivisive { .. } => {
                let names = ["at", "before", "after", "p_value"];
                DataType::array(named(&names, DataType::UInt64))
            }
        }
    }

    fn update(&self, states: &mut [Values], args: &[Column], groups: &[u32]) -> Result<()> {
        let values = floats(args, 0)?;
        let keys = match self.0 {
            _ if args.len() < 2 => vec![0; values.len()],
            Test::EDivisive { .. } => places(args)?,
            _ => floats(args, 1)?.into_iter().map(f64::to_bits).collect(),
        };
        for ((value, key), &group) in values.into_iter().zip(keys).zip(groups) {
            states[group as usize].push((value, key));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Values, from: &mut Values) -> Result<()> {
        into.append(from);
        Ok(())
    }

    fn write(&self, state: &Values, out: &mut Vec<u8>) {
        write_varint(out, state.len() as u64);
        for (value, key) in state {
            value.put(out);
            key.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Values> {
        let count = read_varint(input)?;
        (0..count).map(|_| Ok((f64::get(input)?, u64::get(input)?))).collect()
    }

    fn finish(&self, states: &mut [Values]) -> Result<Column> {
        for state in states.iter_mut() {
            state.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0)));
        }
        match self.0 {
            Test::Permutation { seed, draws } => {
                let one = |(old, new): (Vec<f64>, Vec<f64>)| {
                    let found = difference_of_means(&old, &new, Resampling { seed, draws })?;
                    Ok([mean(&new) - mean(&old), found.p])
                };
                tuples(states, one)
            }
            Test::HodgesLehmann { two } => {
                let one = |state: &Values| if two { shift_of(state) } else { centre(state) };
                let results: Result<Vec<f64>> = states.iter().map(one).collect();
                Ok(results?.into())
            }
            Test::MedianRatio { confidence } => {
                let one = |(old, new): (Vec<f64>, Vec<f64>)| {
                    let (old, new) = (logs("sample 0", &old)?, logs("sample 1", &new)?);
                    let within = shift_interval(&old, &new, confidence)?;
                    Ok([shift(&old, &new)?, within.low, within.high].map(f64::exp))
                };
                tuples(states, one)
            }
            Test::EDivisive { rules, seed } => divisions(states, &rules, seed),
        }
    }

    fn heap(&self, state: &Values) -> usize {
        state.capacity() * 16
    }
}

fn floats(args: &[Column], i: usize) -> Result<Vec<f64>> {
    args.get(i).and_then(|a| a.full().to_f64()).ok_or_else(mismatch)
}

/// The places in a series as numbers with the same order. All digits of 64-bit integers count,
/// because neighbours beyond 2^53 would be the same float.
fn places(args: &[Column]) -> Result<Vec<u64>> {
    let column = args.get(1).ok_or_else(mismatch)?.full();
    match column.split_nullable().1 {
        Column::UInt64(values) => Ok(values.to_vec()),
        Column::Int64(values) => Ok(values.iter().map(|&v| v as u64 ^ SIGN).collect()),
        _ => Ok(floats(args, 1)?.into_iter().map(ascending).collect()),
    }
}

/// Bits with the same order as the floats; both zeros are equal.
fn ascending(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Both samples of a state.
fn samples(state: &Values) -> Result<(Vec<f64>, Vec<f64>)> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for &(value, side) in state {
        match f64::from_bits(side) {
            0.0 => old.push(value),
            1.0 => new.push(value),
            other => {
                let message = format!("index of a sample is {other}: expected 0 or 1");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        }
    }
    Ok((old, new))
}

/// A tuple of numbers for each state; NaN if a sample is empty.
fn tuples<const N: usize>(
    states: &[Values],
    one: impl Fn((Vec<f64>, Vec<f64>)) -> Result<[f64; N]>,
) -> Result<Column> {
    let mut columns = vec![Vec::with_capacity(states.len()); N];
    for state in states {
        let (old, new) = samples(state)?;
        let empty = old.is_empty() || new.is_empty();
        let result = if empty { [f64::NAN; N] } else { one((old, new))? };
        columns.iter_mut().zip(result).for_each(|(column, value)| column.push(value));
    }
    let columns: Vec<Column> = columns.into_iter().map(Column::from).collect();
    Ok(Column::tuple(columns, states.len()))
}

/// The centre of the only sample; NaN if it is empty.
fn centre(state: &Values) -> Result<f64> {
    let values: Vec<f64> = state.iter().map(|(value, _)| *value).collect();
    if values.is_empty() { Ok(f64::NAN) } else { hodges_lehmann(&values) }
}

/// The shift between both samples; NaN if one of them is empty.
fn shift_of(state: &Values) -> Result<f64> {
    let (old, new) = samples(state)?;
    if old.is_empty() || new.is_empty() { Ok(f64::NAN) } else { shift(&old, &new) }
}

/// The values in the order of their places. Values with the same place get a random order, which is
/// the same each time. Sorted by size, they would rise and every new place would begin with a fall.
fn series(state: &Values, seed: u64) -> Vec<f64> {
    let mut series = Vec::with_capacity(state.len());
    for same in state.chunk_by(|a, b| a.1 == b.1) {
        let from = series.len();
        series.extend(same.iter().map(|(value, _)| *value));
        shuffle(&mut stream(seed, &[from as u64]), &mut series[from..]);
    }
    series
}

/// Changes of each state's series.
fn divisions(states: &[Values], rules: &Rules, seed: u64) -> Result<Column> {
    let (mut at, mut numbers) = (Vec::<u64>::new(), [const { Vec::<f64>::new() }; 3]);
    let mut offsets = vec![0u32];
    for state in states {
        for change in changes(&series(state, seed), rules)? {
            // Positions are counted from 1, as in arrays.
            at.push(change.at as u64 + 1);
            let values = [change.before, change.after, change.p];
            numbers.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        offsets.push(at.len() as u32);
    }
    let count = at.len();
    let mut columns: Vec<Column> = vec![at.into()];
    columns.extend(numbers.map(Column::from));
    Ok(Column::array(offsets.into(), Column::tuple(columns, count)))
}

/// Fails unless all arguments are numbers (dates are allowed as places of a series) and their
/// number is correct.
fn check(name: &str, args: AggregateArgs<'_>, counts: &[usize]) -> Result<()> {
    if !counts.contains(&args.types.len()) {
        let message = format!("Aggregate function {name} takes {counts:?} arguments");
        return Err(wrong_count(message));
    }
    let number = |ty: &&DataType| ty.is_native_number() || ty.is_date_or_time();
    match args.types.iter().find(|ty| !number(ty)) {
        Some(ty) => Err(illegal_type(name, ty)),
        None => Ok(()),
    }
}

/// A parameter, or its default value.
fn param(name: &str, args: AggregateArgs<'_>, at: usize, usual: f64) -> Result<f64> {
    let Some(value) = args.params.get(at) else { return Ok(usual) };
    value.as_f64().filter(|v| v.is_finite() && *v >= 0.0).ok_or_else(|| {
        let message = format!("Parameter {} of {name} is no number from 0 on", at + 1);
        Error::new(codes::BAD_ARGUMENTS, message)
    })
}

/// A parameter between 0 and 1.
fn share(name: &str, args: AggregateArgs<'_>, at: usize, usual: f64) -> Result<f64> {
    let value = param(name, args, at, usual)?;
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    let message = format!("Parameter {} of {name} is {value}: expected 0 < p < 1", at + 1);
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

fn most_params(name: &str, args: AggregateArgs<'_>, most: usize) -> Result<()> {
    if args.params.len() <= most {
        return Ok(());
    }
    let message = format!("Aggregate function {name} takes {most} parameters at most");
    Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message))
}

/// A parameter that is a whole number, or its default value.
fn whole(
    name: &str,
    args: AggregateArgs<'_>,
    (at, what): (usize, &str),
    range: RangeInclusive<u64>,
    usual: u64,
) -> Result<u64> {
    let Some(value) = args.params.get(at) else { return Ok(usual) };
    value.as_u64().filter(|v| range.contains(v)).ok_or_else(|| {
        let (low, high) = range.into_inner();
        let message = format!(
            "Parameter {} of {name}, {what}, must be a whole number from {low} to {high}: leave it \
             out for {usual}",
            at + 1
        );
        Error::new(codes::BAD_ARGUMENTS, message)
    })
}

const MOST_DRAWS: u64 = 1_000_000;
const LONGEST_SEGMENT: u64 = 1_000_000;

fn permutation_test(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    let name = "permutationTest";
    check(name, args, &[2])?;
    most_params(name, args, 2)?;
    let draws = whole(name, args, (0, "draws"), 1..=MOST_DRAWS, 10_000)? as u32;
    let seed = whole(name, args, (1, "seed"), 0..=u64::MAX, 0)?;
    FoldAggregate::boxed(Comparison(Test::Permutation { seed, draws }))
}

fn bind_hodges_lehmann(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    check("hodgesLehmann", args, &[1, 2])?;
    most_params("hodgesLehmann", args, 0)?;
    FoldAggregate::boxed(Comparison(Test::HodgesLehmann { two: args.types.len() == 2 }))
}

fn median_ratio(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "medianRatioCI";
    check(name, args, &[2])?;
    most_params(name, args, 1)?;
    let confidence = share(name, args, 0, 0.95)?;
    FoldAggregate::boxed(Comparison(Test::MedianRatio { confidence }))
}

fn e_divisive(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "eDivisive";
    check(name, args, &[2])?;
    most_params(name, args, 5)?;
    let usual = Rules::default();
    let shortest = (1, "min_segment");
    let least_segment =
        whole(name, args, shortest, 2..=LONGEST_SEGMENT, usual.least_segment as u64)? as usize;
    let draws = whole(name, args, (3, "draws"), 0..=MOST_DRAWS, 0)? as u32;
    let seed = whole(name, args, (4, "seed"), 0..=u64::MAX, 0)?;
    let rules = Rules {
        p: share(name, args, 0, usual.p)?,
        least_segment,
        least_step: param(name, args, 2, usual.least_step)?,
        // A window contains two segments. No parameter sets it.
        window: usual.window.map(|window| window.max(2 * least_segment)),
        confirm: match draws {
            0 => Confirm::Student,
            _ => Confirm::Permutation(Resampling { seed, draws }),
        },
    };
    // Rules that contradict each other are reported before rows are read.
    changes(&[], &rules)?;
    FoldAggregate::boxed(Comparison(Test::EDivisive { rules, seed }))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "permutationTest",
        description: "permutationTest([draws[, seed]])(value, side): difference of the means of \
                      side 1 and side 0, and the two-sided p of a randomisation test: exact for \
                      few values, by seeded relabelings (10,000) for more (Good 2005; Phipson \
                      and Smyth 2010). Both are NaN where sums overflow.",
        examples: &[(
            "SELECT permutationTest(number, number > 3) FROM numbers(8)",
            "(4,0.02857142857142857)",
        )],
        bind: permutation_test,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "hodgesLehmann",
        description: "hodgesLehmann(value): median of the averages of all pairs of values; \
                      hodgesLehmann(value, side): median of the differences between side 1 and \
                      side 0, NaN without one of them (Hodges and Lehmann 1963). Bears 29 % of \
                      wild values.",
        examples: &[
            ("SELECT hodgesLehmann(arrayJoin([1, 2, 3, 100]))", "2.5"),
            ("SELECT hodgesLehmann(number * 10, number % 2) FROM numbers(10)", "10"),
        ],
        bind: bind_hodges_lehmann,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "medianRatioCI",
        description: "medianRatioCI([confidence])(value, side): median of all ratios of a value \
                      of side 1 to one of side 0 (the geometric mean of the middle two of an even \
                      number, so that the ratio the other way round is its inverse), and its \
                      interval (0.95) by the rank-sum test on logarithms (Hollander and Wolfe \
                      1999, 4.3). Values must be above 0.",
        examples: &[(
            "SELECT medianRatioCI(0.9)(if(number < 5, 10 + number, 20 + 2 * number), number >= 5) \
             FROM numbers(10)",
            "(2.8333333333333335,2.4615384615384617,3.272727272727273)",
        )],
        bind: median_ratio,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "eDivisive",
        description: "eDivisive([p[, min_segment[, min_step[, draws[, seed]]]]])(value, order): the \
                      changes of a series: position (from 1) of the first value after each, the \
                      means before and after, and p (Matteson and James 2014; Fleming and \
                      Kolaczkowski 2023). p is Student's, which asks for noise that is nearly \
                      normal; with draws above 0 it is that of so many permutations, of any noise. \
                      Values of equal order stand in one that is drawn, the same each time.",
        examples: &[(
            "SELECT arrayMap(c -> (c.1, c.2, c.3), \
                    eDivisive(if(number < 30, 1, 2) + number % 3 / 100, number)) FROM numbers(60)",
            "[(31,1.01,2.01)]",
        )],
        bind: e_divisive,
        ..AggregateDef::DEFAULT
    },
];
