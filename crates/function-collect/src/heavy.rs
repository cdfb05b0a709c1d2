//! `anyHeavy`: the value that more than half of a group's rows have, by the algorithm of Boyer and
//! Moore; any value if there is none.

use std::any::Any;
use std::ops::Range;

use entasis_base::Result;
use entasis_column::compare::compare_values;
use entasis_column::{Column, ColumnBuilder, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::{Bytes, expect_plain, mismatch};
use entasis_function::aggregate::binary::{read_single, write_single};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::store::{Store, store_for};

#[derive(Clone, Debug)]
struct Heavy(DataType);

impl Aggregate for Heavy {
    fn return_type(&self) -> DataType {
        self.0.clone()
    }

    fn states(&self) -> Box<dyn States> {
        let ty = self.0.clone();
        Box::new(HeavyStates { values: store_for(&ty), ty, votes: Vec::new() })
    }
}

struct HeavyStates {
    ty: DataType,
    values: Box<dyn Store>,
    /// How much more often the value was seen than other values since it was chosen.
    votes: Vec<u64>,
}

impl HeavyStates {
    /// Counts `votes` for the value in row `i`.
    fn vote(&mut self, column: &Column, i: usize, group: u32, votes: u64) -> Result<()> {
        let at = group as usize;
        let known = self.values.column(&mut std::iter::once(at));
        if self.votes[at] > 0 && compare_values(&known, 0, column, i).is_eq() {
            self.votes[at] += votes;
        } else if self.votes[at] < votes || !self.values.has(at) {
            self.values.set(column, &[(group, i as u32)])?;
            self.votes[at] = votes;
        } else {
            self.votes[at] -= votes;
        }
        Ok(())
    }
}

impl States for HeavyStates {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        if groups > self.votes.len() {
            self.votes.resize(groups, 0);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        groups.iter().enumerate().try_for_each(|(i, group)| self.vote(&column, i, *group, 1))
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        for (&from, &group) in from.iter().zip(groups) {
            if other.values.has(from as usize) {
                let value = other.values.column(&mut std::iter::once(from as usize));
                self.vote(&value, 0, group, other.votes[from as usize])?;
            }
        }
        Ok(())
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        for group in groups {
            let value = self.values.column(&mut std::iter::once(group));
            write_single(&value, 0, self.values.has(group), &mut out.data);
            self.votes[group].put(&mut out.data);
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut value = ColumnBuilder::new(&self.ty, 1);
        let has = read_single(&self.ty, input, &mut value)?;
        let votes = u64::get(input)?;
        if has { self.vote(&value.finish(), 0, group, votes) } else { Ok(()) }
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        Ok(self.values.column(&mut groups.into_iter()))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size() + self.votes.len() * 8
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("anyHeavy", args, 1)?;
    Ok(Box::new(Heavy(args.types[0].clone())))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "anyHeavy",
    description: "The value that more than half of the rows have; any value if there is none.",
    examples: &[("SELECT anyHeavy(intDiv(number, 4)) FROM numbers(6)", "0")],
    bind,
    ..AggregateDef::DEFAULT
}];
