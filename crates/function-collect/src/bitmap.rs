//! `groupBitmap`: the distinct integers of a group as a bitmap; `groupBitmapAnd`, `-Or` and `-Xor`
//! combine bitmaps.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, match_native, match_physical};
use entasis_types::{CastTo, DataType};

use entasis_function::aggregate::args::{expect_plain, illegal_type, mismatch};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};
use entasis_function_kernel::bitmap::{Bitmap, Combine, width_of};

/// Collects the integers of a type.
#[derive(Clone, Debug)]
struct Collect {
    ty: DataType,
    width: usize,
}

/// The number of values of each set, as a number of the type.
fn counts(ty: &DataType, counts: impl Iterator<Item = u64>) -> Result<Column> {
    let counts: Vec<u64> = counts.collect();
    match_physical!(ty.physical(),
        T => {
            let counts: Vec<T> = counts.iter().map(|n| n.cast_to()).collect();
            Ok(counts.into())
        }, _ => Err(mismatch()))
}

/// Calls `add` with the bits of each value and its group.
fn each(
    column: &Column,
    width: usize,
    groups: &[u32],
    mut add: impl FnMut(usize, u64),
) -> Result<()> {
    let mask = if width == 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
    match_native!(column, values => for (&value, &group) in values.iter().zip(groups) {
        let bits: u64 = value.cast_to();
        add(group as usize, bits & mask);
    }, _ => return Err(mismatch()));
    Ok(())
}

impl Fold for Collect {
    type State = Bitmap;

    fn init(&self) -> Bitmap {
        Bitmap::default()
    }

    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn update(&self, states: &mut [Bitmap], args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        each(&column, self.width, groups, |group, bits| states[group].insert(bits))
    }

    fn merge(&self, into: &mut Bitmap, from: &mut Bitmap) -> Result<()> {
        *into = into.combined(Combine::Or, from);
        Ok(())
    }

    fn write(&self, state: &Bitmap, out: &mut Vec<u8>) {
        state.write(self.width, out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<Bitmap> {
        Bitmap::read(self.width, input)
    }

    fn finish(&self, states: &mut [Bitmap]) -> Result<Column> {
        counts(&self.ty, states.iter().map(Bitmap::len))
    }

    fn heap(&self, state: &Bitmap) -> usize {
        state.heap()
    }
}

/// Combines bitmaps of integers of a type.
#[derive(Clone, Debug)]
struct Joined {
    how: Combine,
    ty: DataType,
    width: usize,
}

impl Fold for Joined {
    /// `None` before the first bitmap.
    type State = Option<Bitmap>;

    fn init(&self) -> Option<Bitmap> {
        None
    }

    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn update(&self, states: &mut [Option<Bitmap>], args: &[Column], groups: &[u32]) -> Result<()> {
        let column = args.first().ok_or_else(mismatch)?.full();
        let serialized = column.strings().ok_or_else(mismatch)?;
        for (mut bytes, &group) in serialized.iter().zip(groups) {
            let mut bitmap = Some(Bitmap::read(self.width, &mut bytes)?);
            self.merge(&mut states[group as usize], &mut bitmap)?;
        }
        Ok(())
    }

    fn merge(&self, into: &mut Option<Bitmap>, from: &mut Option<Bitmap>) -> Result<()> {
        match (into, from.take()) {
            (_, None) => {}
            (Some(known), Some(new)) => *known = known.combined(self.how, &new),
            (into, new) => *into = new,
        }
        Ok(())
    }

    fn write(&self, state: &Option<Bitmap>, out: &mut Vec<u8>) {
        match state {
            Some(bitmap) => bitmap.write(self.width, out),
            None => Bitmap::default().write(self.width, out),
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Option<Bitmap>> {
        Bitmap::read(self.width, input).map(Some)
    }

    fn finish(&self, states: &mut [Option<Bitmap>]) -> Result<Column> {
        counts(&self.ty, states.iter().map(|state| state.as_ref().map_or(0, Bitmap::len)))
    }

    fn heap(&self, state: &Option<Bitmap>) -> usize {
        state.as_ref().map_or(0, Bitmap::heap)
    }
}

fn collect(args: AggregateArgs<'_>, _: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    expect_plain("groupBitmap", args, 1)?;
    let ty = args.types[0].clone();
    let width = width_of(&ty).ok_or_else(|| {
        let message = format!(
            "The type {ty} of argument for aggregate function groupBitmap is illegal, because it \
             cannot be used in Bitmap operations"
        );
        Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
    })?;
    FoldAggregate::boxed(Collect { ty, width })
}

fn join(name: &str, how: Combine, args: AggregateArgs<'_>) -> Result<Box<dyn Aggregate>> {
    expect_plain(name, args, 1)?;
    let of = match &args.types[0] {
        DataType::AggregateFunction(of) if of.name.starts_with("groupBitmap") => of.args.first(),
        _ => None,
    };
    // The state of a function that combines bitmaps has the type of a state for its argument.
    let of = match of {
        Some(DataType::AggregateFunction(inner)) => inner.args.first(),
        other => other,
    };
    match of.and_then(|ty| Some((ty.clone(), width_of(ty)?))) {
        Some((ty, width)) => FoldAggregate::boxed(Joined { how, ty, width }),
        None => Err(illegal_type(name, &args.types[0])),
    }
}

const JOIN: AggregateDef = AggregateDef { plain_over_nulls: true, ..AggregateDef::DEFAULT };

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "groupBitmap",
        description: "The number of distinct integers; its states are bitmaps, which the functions \
                      bitmapAnd and so on take.",
        examples: &[("SELECT groupBitmap(number % 3) FROM numbers(9)", "3")],
        bind: collect,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "groupBitmapAnd",
        description: "The number of integers that are in all bitmaps.",
        examples: &[("SELECT groupBitmapAnd(bitmapBuild([number, 5])) FROM numbers(9)", "1")],
        bind: |args, _| join("groupBitmapAnd", Combine::And, args),
        ..JOIN
    },
    AggregateDef {
        name: "groupBitmapOr",
        description: "The number of integers that are in one of the bitmaps.",
        examples: &[("SELECT groupBitmapOr(bitmapBuild([number, 5])) FROM numbers(9)", "9")],
        bind: |args, _| join("groupBitmapOr", Combine::Or, args),
        ..JOIN
    },
    AggregateDef {
        name: "groupBitmapXor",
        description: "The number of integers that are in an odd number of bitmaps.",
        examples: &[("SELECT groupBitmapXor(bitmapBuild([number, 9])) FROM numbers(2)", "2")],
        bind: |args, _| join("groupBitmapXor", Combine::Xor, args),
        ..JOIN
    },
];
