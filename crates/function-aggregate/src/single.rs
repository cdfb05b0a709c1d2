//! `singleValueOrNull`: the value of a group if all its rows have the same one, otherwise NULL.

use std::any::Any;
use std::ops::Range;

use entasis_base::{Error, Result, codes};
use entasis_column::compare::compare_values;
use entasis_column::{Bitmap, Column, ColumnBuilder, StringsBuilder};
use entasis_types::DataType;

use entasis_function::aggregate::args::{expect_plain, mismatch};
use entasis_function::aggregate::binary::{read_single, write_single};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::store::{Store, ValueChoice, Win, store_for};

/// Bound to the type of its argument.
#[derive(Clone, Debug)]
struct Single {
    ty: DataType,
}

impl Aggregate for Single {
    fn return_type(&self) -> DataType {
        DataType::nullable(self.ty.clone())
    }

    fn states(&self) -> Box<dyn States> {
        Box::new(SingleStates {
            ty: self.ty.clone(),
            values: store_for(&self.ty),
            several: Vec::new(),
            wins: Vec::new(),
        })
    }
}

struct SingleStates {
    ty: DataType,
    /// The first value of each group.
    values: Box<dyn Store>,
    /// Whether a group has seen another value than its first.
    several: Vec<bool>,
    wins: Vec<Win>,
}

impl SingleStates {
    /// Adds row `i` to group `groups[i]`.
    fn add(&mut self, values: &Column, groups: &[u32]) -> Result<()> {
        self.wins.clear();
        self.values.pick(values, groups, ValueChoice::First, &mut self.wins)?;
        let mut first = self.wins.iter().map(|win| win.1 as usize).peekable();
        let stored = self.values.column(&mut groups.iter().map(|&group| group as usize));
        for (i, &group) in groups.iter().enumerate() {
            let is_first = first.next_if_eq(&i).is_some();
            if !is_first && !self.several[group as usize] {
                self.several[group as usize] = !equal(values, &stored, i);
            }
        }
        Ok(())
    }
}

/// Whether row `i` of both columns has the same value; NaN does not equal itself.
fn equal(a: &Column, b: &Column, i: usize) -> bool {
    match (a, b) {
        (Column::Float32(x), Column::Float32(y)) => x[i] == y[i],
        (Column::Float64(x), Column::Float64(y)) => x[i] == y[i],
        _ => compare_values(a, i, b, i).is_eq(),
    }
}

impl States for SingleStates {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        if groups > self.several.len() {
            self.several.resize(groups, false);
        }
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        self.add(&args.first().ok_or_else(mismatch)?.full(), groups)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let pairs = from.iter().zip(groups).filter(|(from, _)| other.values.has(**from as usize));
        let (from, groups): (Vec<u32>, Vec<u32>) = pairs.unzip();
        let values = other.values.column(&mut from.iter().map(|&group| group as usize));
        self.add(&values, &groups)?;
        for (from, group) in from.into_iter().zip(groups) {
            self.several[group as usize] |= other.several[from as usize];
        }
        Ok(())
    }

    /// The states of the reference contain the first value, but not whether there were others. An
    /// additional byte at the end stores this, so that merging states gives the same result as a
    /// single pass.
    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let values = self.values.column(&mut groups.clone());
        for (i, group) in groups.enumerate() {
            let has = self.values.has(group);
            write_single(&values, i, has, &mut out.data);
            if has {
                out.data.push(u8::from(self.several[group]));
            }
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut value = ColumnBuilder::new(&self.ty, 1);
        if !read_single(&self.ty, input, &mut value)? {
            return Ok(());
        }
        let Some((several, rest)) = input.split_first() else {
            let message = "Aggregate state of singleValueOrNull is cut off";
            return Err(Error::new(codes::INCORRECT_DATA, message));
        };
        let several = *several != 0;
        *input = rest;
        self.add(&value.finish(), &[group])?;
        self.several[group as usize] |= several;
        Ok(())
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let first = groups.start;
        let single = Bitmap::from_fn(groups.len(), |i| {
            self.values.has(first + i) && !self.several[first + i]
        });
        Ok(Column::nullable(self.values.column(&mut groups.into_iter()), single))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size() + self.several.capacity()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn single_value(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("singleValueOrNull", args, 1)?;
    let ty = args.types[0].clone();
    if !ty.can_be_nullable() {
        let message = format!("Nested type {ty} cannot be inside Nullable type");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    Ok(Box::new(Single { ty }))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "singleValueOrNull",
    description: "The value that all rows have, or NULL if they have several or there are none. \
                  Rows with NULL do not count.",
    examples: &[("SELECT singleValueOrNull(number) FROM numbers(2)", "\\N")],
    bind: single_value,
    ..AggregateDef::DEFAULT
}];
