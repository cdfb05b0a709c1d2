//! `count`: rows, or rows whose argument is not NULL.

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::{Bitmap, Column};
use entasis_types::DataType;

use entasis_function::aggregate::args::{expect_no_params, wrong_count};
use entasis_function::window::Frames;
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

#[derive(Clone, Debug)]
struct Count;

/// The rows that are not NULL in any argument; `None` means all rows.
fn valid_rows(args: &[Column], rows: usize) -> Option<Bitmap> {
    let mut all: Option<Bitmap> = None;
    for arg in args {
        let bits = match arg {
            Column::Const(c) if c.value.is_null(0) => Bitmap::constant(false, rows),
            Column::Nullable(n) => n.validity.clone(),
            Column::Dict(d) if d.dictionary.values.split_nullable().0.is_some() => {
                Bitmap::from_fn(rows, |i| !arg.is_null(i))
            }
            _ => continue,
        };
        all = Some(all.map_or(bits.clone(), |a| a.and(&bits)));
    }
    all.filter(|bits| !bits.all())
}

impl Fold for Count {
    type State = u64;

    fn init(&self) -> u64 {
        0
    }

    fn return_type(&self) -> DataType {
        DataType::UInt64
    }

    fn update(&self, states: &mut [u64], args: &[Column], groups: &[u32]) -> Result<()> {
        match valid_rows(args, groups.len()) {
            None => groups.iter().for_each(|&g| states[g as usize] += 1),
            Some(bits) => bits.ones().for_each(|i| states[groups[i] as usize] += 1),
        }
        Ok(())
    }

    fn update_one(&self, state: &mut u64, args: &[Column], rows: usize) -> Result<()> {
        *state += valid_rows(args, rows).map_or(rows, |bits| bits.count_ones()) as u64;
        Ok(())
    }

    fn update_one_where(&self, state: &mut u64, args: &[Column], kept: &Bitmap) -> Result<()> {
        let valid = valid_rows(args, kept.len());
        *state += valid.map_or(kept.count_ones(), |bits| bits.and(kept).count_ones()) as u64;
        Ok(())
    }

    fn merge(&self, into: &mut u64, from: &mut u64) -> Result<()> {
        *into = into.wrapping_add(*from);
        Ok(())
    }

    fn write(&self, state: &u64, out: &mut Vec<u8>) {
        write_varint(out, *state);
    }

    fn read(&self, input: &mut &[u8]) -> Result<u64> {
        read_varint(input)
    }

    fn finish(&self, states: &mut [u64]) -> Result<Column> {
        Ok(states.to_vec().into())
    }

    fn frames(&self, args: &[Column], frames: &Frames) -> Result<Option<Column>> {
        let rows = args.first().map_or(0, Column::len);
        let counted = valid_rows(args, rows).map(|bits| frames.among(&bits));
        let sizes = counted.as_ref().unwrap_or(frames).iter().map(|(start, end)| end - start);
        Ok(Some(sizes.map(|size| size as u64).collect::<Vec<_>>().into()))
    }
}

fn bind(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_no_params("count", args)?;
    if args.types.len() > 1 {
        return Err(wrong_count("Aggregate function count requires zero or one argument"));
    }
    FoldAggregate::boxed(Count)
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "count",
    case_insensitive: true,
    description: "Number of rows, or of rows where the argument is not NULL.",
    examples: &[("SELECT count() FROM numbers(10)", "10")],
    sees_nulls: true,
    plain_over_nulls: true,
    bind,
    small_state: true,
    unordered: true,
    ..AggregateDef::DEFAULT
}];
