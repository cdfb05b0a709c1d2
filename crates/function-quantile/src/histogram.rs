//! `histogram`: bins that adapt to the values (Ben-Haim, Tom-Tov 2010). If there are too many
//! points, the nearest two become one point between them.

use std::sync::Arc;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, TupleType};

use entasis_function::aggregate::args::{
    Bytes, cut_off, expect_count, illegal_type, mismatch, wrong_count,
};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

const MOST_BINS: u64 = 250;
/// Points are kept until they are so many times the bins.
const SLACK: usize = 10;

#[derive(Clone, Debug)]
struct Histogram {
    bins: usize,
}

#[derive(Clone, Debug)]
struct Points {
    least: f64,
    greatest: f64,
    /// Mean and weight.
    list: Vec<(f64, f64)>,
}

impl Points {
    fn new() -> Self {
        Self { least: f64::INFINITY, greatest: f64::NEG_INFINITY, list: Vec::new() }
    }

    fn add(&mut self, mean: f64, weight: f64, bins: usize) {
        self.list.push((mean, weight));
        if self.list.len() >= bins * SLACK {
            self.compress(bins);
        }
    }

    /// Sorted, and at most `bins`.
    fn compress(&mut self, bins: usize) {
        let list = &mut self.list;
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        let mut gaps: Vec<f64> = list.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        while list.len() > bins {
            let Some(at) = first_least(&gaps) else { return };
            let (next, weight) = list.remove(at + 1);
            gaps.remove(at);
            let kept = &mut list[at];
            let both = kept.1 + weight;
            *kept = ((kept.0 * kept.1 + next * weight) / both, both);
            if let Some(after) = list.get(at + 1) {
                gaps[at] = after.0 - list[at].0;
            }
            if at > 0 {
                gaps[at - 1] = list[at].0 - list[at - 1].0;
            }
        }
    }

    /// Lower and upper ends and weights of the bins around the points. Weights are spread evenly
    /// between neighbours, so that a bin has parts of its neighbours' as well.
    fn bins(&self) -> Vec<(f64, f64, f64)> {
        let side = |own: f64, neighbour: Option<&(f64, f64)>| match neighbour {
            Some((_, other)) => (3.0 * own + other) / 8.0,
            None => own / 2.0,
        };
        let middle = f64::midpoint;
        let bin = |i: usize| {
            let (mean, weight) = self.list[i];
            let before = i.checked_sub(1).and_then(|k| self.list.get(k));
            let after = self.list.get(i + 1);
            let lower = before.map_or(self.least, |b| middle(b.0, mean));
            let upper = after.map_or(self.greatest, |a| middle(mean, a.0));
            (lower, upper, side(weight, before) + side(weight, after))
        };
        (0..self.list.len()).map(bin).collect()
    }
}

/// Where the first of the least gaps is.
fn first_least(gaps: &[f64]) -> Option<usize> {
    const LANES: usize = 8;
    let mut lanes = [f64::INFINITY; LANES];
    let (blocks, last) = gaps.as_chunks::<LANES>();
    for block in blocks {
        for (lane, gap) in lanes.iter_mut().zip(block) {
            *lane = if gap < lane { *gap } else { *lane };
        }
    }
    let least = lanes.iter().chain(last).fold(f64::INFINITY, |a, b| if *b < a { *b } else { a });
    gaps.iter().position(|gap| *gap == least)
}

impl Fold for Histogram {
    type State = Points;

    fn init(&self) -> Points {
        Points::new()
    }

    fn return_type(&self) -> DataType {
        let types = vec![DataType::Float64; 3];
        DataType::array(DataType::Tuple(Arc::new(TupleType { types, names: None })))
    }

    fn update(&self, states: &mut [Points], args: &[Column], groups: &[u32]) -> Result<()> {
        let values = args.first().and_then(|a| a.full().to_f64()).ok_or_else(mismatch)?;
        for (&value, &group) in values.iter().zip(groups) {
            if !value.is_finite() {
                let message = "Invalid value (inf or nan) for aggregation. Only finite values are \
                               allowed";
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            let points = &mut states[group as usize];
            points.least = points.least.min(value);
            points.greatest = points.greatest.max(value);
            points.add(value, 1.0, self.bins);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Points, from: &mut Points) -> Result<()> {
        into.least = into.least.min(from.least);
        into.greatest = into.greatest.max(from.greatest);
        for (mean, weight) in std::mem::take(&mut from.list) {
            into.add(mean, weight, self.bins);
        }
        Ok(())
    }

    fn write(&self, state: &Points, out: &mut Vec<u8>) {
        state.least.put(out);
        state.greatest.put(out);
        write_varint(out, state.list.len() as u64);
        for (mean, weight) in &state.list {
            mean.put(out);
            weight.put(out);
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Points> {
        let (least, greatest) = (f64::get(input)?, f64::get(input)?);
        let count = read_varint(input)? as usize;
        if count > input.len() / 16 {
            return Err(cut_off());
        }
        let list =
            (0..count).map(|_| Ok((f64::get(input)?, f64::get(input)?))).collect::<Result<_>>()?;
        Ok(Points { least, greatest, list })
    }

    fn finish(&self, states: &mut [Points]) -> Result<Column> {
        let mut columns = [Vec::new(), Vec::new(), Vec::new()];
        let mut offsets = vec![0u32];
        for points in states {
            points.compress(self.bins);
            for (lower, upper, weight) in points.bins() {
                columns[0].push(lower);
                columns[1].push(upper);
                columns[2].push(weight);
            }
            offsets.push(columns[0].len() as u32);
        }
        let rows = columns[0].len();
        let bins = Column::tuple(columns.into_iter().map(Column::from).collect(), rows);
        Ok(Column::array(offsets.into(), bins))
    }

    fn heap(&self, state: &Points) -> usize {
        state.list.capacity() * 16
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let [bins] = args.params else {
        return Err(wrong_count("Function histogram requires single parameter: bins count"));
    };
    expect_count("histogram", args, 1)?;
    let bins = bins
        .as_u64()
        .filter(|&b| b > 0)
        .ok_or_else(|| Error::new(codes::BAD_ARGUMENTS, "Bin count should be positive"))?;
    if bins > MOST_BINS {
        let message = "Unsupported bins count. Should not be greater than 250";
        return Err(Error::new(codes::PARAMETER_OUT_OF_BOUND, message));
    }
    if !args.types[0].is_any_number() {
        return Err(illegal_type("histogram", &args.types[0]));
    }
    FoldAggregate::boxed(Histogram { bins: bins as usize })
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "histogram",
    description: "An adaptive histogram: bins (lower end, upper end, number of values), at most n \
                  of them, where n is the parameter.",
    examples: &[("SELECT histogram(2)(number) FROM numbers(4)", "[(0,1.5,2),(1.5,3,2)]")],
    bind,
    ..AggregateDef::DEFAULT
}];
