//! Sums and means of decimals, kept in 128 bits.

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::Column;
use entasis_types::DataType;
use entasis_types::text_type::power_of_ten;

use entasis_function::Aggregate;
use entasis_function::aggregate::args::{Bytes, mismatch};
use entasis_function::window::Frames;
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::kernel::Number;

/// What is computed from the sum and the number of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Sum,
    Mean,
    Both,
}

/// Sum and number of values.
#[derive(Clone, Debug)]
struct Total {
    scale: u8,
    answer: Answer,
}

/// `sum` of a Decimal of that scale.
pub fn sum(scale: u8) -> Box<dyn Aggregate> {
    Box::new(FoldAggregate(Total { scale, answer: Answer::Sum }))
}

/// `avg` of a Decimal of that scale.
pub fn avg(scale: u8) -> Box<dyn Aggregate> {
    Box::new(FoldAggregate(Total { scale, answer: Answer::Mean }))
}

/// `sumCount` of a Decimal of that scale.
pub fn sum_count(scale: u8) -> Box<dyn Aggregate> {
    Box::new(FoldAggregate(Total { scale, answer: Answer::Both }))
}

fn wide(value: impl Into<i128>) -> i128 {
    value.into()
}

/// Runs a loop over the values of a column in their own width.
macro_rules! in_own_width {
    ($column:expr, $values:ident => $loop:expr) => {
        match $column {
            Column::Int32($values) => $loop,
            Column::Int64($values) => $loop,
            other => {
                let values = i128::read(other).ok_or_else(mismatch)?;
                let $values = &values;
                $loop
            }
        }
    };
}

impl Fold for Total {
    type State = (i128, u64);

    fn init(&self) -> (i128, u64) {
        (0, 0)
    }

    fn return_type(&self) -> DataType {
        let sum = DataType::Decimal(38, self.scale);
        match self.answer {
            Answer::Sum => sum,
            Answer::Mean => DataType::Float64,
            Answer::Both => DataType::tuple(vec![sum, DataType::UInt64]),
        }
    }

    fn update(&self, states: &mut [(i128, u64)], args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        in_own_width!(&column, values => for (&v, &g) in values.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = (state.0.wrapping_add(wide(v)), state.1 + 1);
        });
        Ok(())
    }

    fn update_one(&self, state: &mut (i128, u64), args: &[Column], rows: usize) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        let sum = in_own_width!(&column, values => {
            values.iter().fold(state.0, |sum, &v| sum.wrapping_add(wide(v)))
        });
        *state = (sum, state.1 + rows as u64);
        Ok(())
    }

    fn merge(&self, into: &mut (i128, u64), from: &mut (i128, u64)) -> Result<()> {
        *into = (into.0.wrapping_add(from.0), into.1.wrapping_add(from.1));
        Ok(())
    }

    fn write(&self, state: &(i128, u64), out: &mut Vec<u8>) {
        state.0.put(out);
        if self.answer != Answer::Sum {
            write_varint(out, state.1);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<(i128, u64)> {
        let sum = i128::get(input)?;
        Ok((sum, if self.answer == Answer::Sum { 0 } else { read_varint(input)? }))
    }

    fn finish(&self, states: &mut [(i128, u64)]) -> Result<Column> {
        let sums = || Column::from(states.iter().map(|s| s.0).collect::<Vec<i128>>());
        match self.answer {
            Answer::Sum => return Ok(sums()),
            Answer::Both => {
                let counts = states.iter().map(|s| s.1).collect::<Vec<u64>>().into();
                return Ok(Column::tuple(vec![sums(), counts], states.len()));
            }
            Answer::Mean => {}
        }
        let unit = power_of_ten(self.scale) as f64;
        let mean = |s: &(i128, u64)| s.0 as f64 / unit / s.1 as f64;
        Ok(states.iter().map(mean).collect::<Vec<f64>>().into())
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let column = args.first().ok_or_else(mismatch)?.full();
        let values = i128::read(&column).ok_or_else(mismatch)?;
        let mut sum = 0i128;
        let running = values.iter().map(|v| {
            sum = sum.wrapping_add(*v);
            sum
        });
        let running: Vec<i128> = std::iter::once(0).chain(running).collect();
        let total = |(start, end): (usize, usize)| {
            (running[end].wrapping_sub(running[start]), (end - start) as u64)
        };
        self.finish(&mut frames.iter().map(total).collect::<Vec<_>>()).map(Some)
    }
}
