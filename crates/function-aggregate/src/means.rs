//! Tests of the means of two samples: `studentTTest` and `welchTTest`. A state has the sums of the
//! values and of their squares, as in the reference.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_stats::distribution::{t_quantile, t_two_sided};
use entasis_types::DataType;

use super::samples::{expect_numbers, named_floats};
use entasis_function::aggregate::args::{Bytes, mismatch};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

#[derive(Clone, Debug)]
struct Means {
    equal_variances: bool,
    /// The level of confidence for an interval.
    confidence: Option<f64>,
}

/// The number of values, their sum and the sum of their squares.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

/// The sums of both samples.
type Both = [Sums; 2];

impl Sums {
    #[inline(always)]
    fn add(&mut self, count: f64, value: f64) {
        self.count += count;
        self.sum += value;
        self.squares += value * value;
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean and the sum of squares of the distances from it.
    fn moments(&self) -> (f64, f64) {
        let mean = self.sum / self.count;
        (mean, self.squares + self.count * mean * mean - 2.0 * mean * self.sum)
    }
}

/// Sums that are kept side by side, so that additions need not wait for each other.
const LANES: usize = 4;

impl Fold for Means {
    type State = Both;

    fn init(&self) -> Both {
        Both::default()
    }

    fn return_type(&self) -> DataType {
        let names =
            ["t_statistic", "p_value", "confidence_interval_low", "confidence_interval_high"];
        named_floats(if self.confidence.is_some() { &names } else { &names[..2] })
    }

    fn update(&self, states: &mut [Both], args: &[Column], groups: &[u32]) -> Result<()> {
        let (values, samples) = values_and_samples(args)?;
        for ((value, sample), &group) in values.into_iter().zip(samples).zip(groups) {
            states[group as usize][usize::from(sample != 0.0)].add(1.0, value);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut Both, args: &[Column], _: usize) -> Result<()> {
        let (values, samples) = values_and_samples(args)?;
        let mut lanes = [Both::default(); LANES];
        let add = |lane: &mut Both, value: f64, sample: f64| {
            // Adding nothing to the other sample is cheaper than a branch.
            let second = sample != 0.0;
            lane[0].add(if second { 0.0 } else { 1.0 }, if second { 0.0 } else { value });
            lane[1].add(if second { 1.0 } else { 0.0 }, if second { value } else { 0.0 });
        };
        let (values, last) = values.as_chunks::<LANES>();
        let (samples, of_last) = samples.as_chunks::<LANES>();
        for (values, samples) in values.iter().zip(samples) {
            for i in 0..LANES {
                add(&mut lanes[i], values[i], samples[i]);
            }
        }
        last.iter().zip(of_last).for_each(|(value, sample)| add(state, *value, *sample));
        for lane in lanes {
            state[0].merge(lane[0]);
            state[1].merge(lane[1]);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Both, from: &mut Both) -> Result<()> {
        into[0].merge(from[0]);
        into[1].merge(from[1]);
        Ok(())
    }

    fn write(&self, state: &Both, out: &mut Vec<u8>) {
        let [x, y] = state;
        let numbers = [x.count, y.count, x.sum, y.sum, x.squares, y.squares];
        numbers.into_iter().for_each(|number| number.put(out));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Both> {
        let mut numbers = [0.0; 6];
        for number in &mut numbers {
            *number = f64::get(input)?;
        }
        let of =
            |i: usize| Sums { count: numbers[i], sum: numbers[i + 2], squares: numbers[i + 4] };
        Ok([of(0), of(1)])
    }

    fn finish(&self, states: &mut [Both]) -> Result<Column> {
        let width = if self.confidence.is_some() { 4 } else { 2 };
        let mut columns = vec![Vec::with_capacity(states.len()); width];
        for state in states.iter() {
            let results = self.test(state);
            columns.iter_mut().zip(results).for_each(|(column, value)| column.push(value));
        }
        let columns: Vec<Column> = columns.into_iter().map(Column::from).collect();
        Ok(Column::tuple(columns, states.len()))
    }
}

fn values_and_samples(args: &[Column]) -> Result<(Vec<f64>, Vec<f64>)> {
    let of = |i: usize| args.get(i).and_then(|a| a.full().to_f64()).ok_or_else(mismatch);
    Ok((of(0)?, of(1)?))
}

impl Means {
    fn test(&self, [first, second]: &Both) -> Vec<f64> {
        let unknown = vec![f64::NAN; if self.confidence.is_some() { 4 } else { 2 }];
        let (n1, n2) = (first.count, second.count);
        let few = if self.equal_variances {
            n1 < 1.0 || n2 < 1.0 || n1 + n2 < 3.0
        } else {
            n1 < 2.0 || n2 < 2.0
        };
        if few {
            return unknown;
        }
        let ((mean1, squares1), (mean2, squares2)) = (first.moments(), second.moments());
        let (variance, degrees) = if self.equal_variances {
            let pooled = (squares1 + squares2) / (n1 + n2 - 2.0);
            (pooled / n1 + pooled / n2, n1 + n2 - 2.0)
        } else {
            let (a, b) = (squares1 / (n1 - 1.0) / n1, squares2 / (n2 - 1.0) / n2);
            (a + b, (a + b) * (a + b) / (a * a / (n1 - 1.0) + b * b / (n2 - 1.0)))
        };
        let error = variance.sqrt();
        let t = (mean1 - mean2) / error;
        if !t.is_finite() {
            return unknown;
        }
        let mut results = vec![t, t_two_sided(t, degrees)];
        if let Some(level) = self.confidence {
            let width = t_quantile(0.5 + level / 2.0, degrees) * error;
            results.extend([mean1 - mean2 - width, mean1 - mean2 + width]);
        }
        results
    }
}

fn bind_means(
    name: &str,
    equal_variances: bool,
    args: AggregateArgs<'_>,
) -> Result<Box<dyn Aggregate>> {
    expect_numbers(name, args)?;
    let confidence = match args.params {
        [] => None,
        [level] => match level.as_f64().filter(|level| *level > 0.0 && *level < 1.0) {
            Some(level) => Some(level),
            None => {
                let message = format!(
                    "Confidence level parameter must be between 0 and 1 in aggregate function \
                     {name}"
                );
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        },
        _ => {
            let message = format!("Aggregate function {name} requires zero or one parameter");
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        }
    };
    FoldAggregate::boxed(Means { equal_variances, confidence })
}

fn student(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_means("studentTTest", true, args)
}

fn welch(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    bind_means("welchTTest", false, args)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "studentTTest",
        description: "Student's t-test of (value, sample 0 or 1): t and the probability of a value \
                      as far from 0, if both means are the same. With a level of confidence also \
                      an interval of the means' difference.",
        examples: &[("SELECT studentTTest(number % 3, number % 2) FROM numbers(6)", "(0,1)")],
        bind: student,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "welchTTest",
        description: "Like studentTTest, for samples whose variances may differ.",
        examples: &[("SELECT welchTTest(number % 3, number % 2) FROM numbers(6)", "(0,1)")],
        bind: welch,
        ..AggregateDef::DEFAULT
    },
];
