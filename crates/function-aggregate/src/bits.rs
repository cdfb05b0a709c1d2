//! `groupBitAnd`, `groupBitOr`, `groupBitXor`.

use std::marker::PhantomData;

use entasis_base::Result;
use entasis_column::{Column, Native};
use entasis_types::{DataType, Physical, i256, u256};

use entasis_function::aggregate::args::{Bytes, expect_plain, illegal_type, native};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// Integers with bit operations.
trait Bits: Native + Bytes {
    fn ones() -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! bits {
    ($($t:ty),*) => {$(impl Bits for $t {
        fn ones() -> Self { !Self::default() }
        fn and(self, other: Self) -> Self { self & other }
        fn or(self, other: Self) -> Self { self | other }
        fn xor(self, other: Self) -> Self { self ^ other }
    })*};
}

bits!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256);

const AND: u8 = 0;
const OR: u8 = 1;
const XOR: u8 = 2;

#[derive(Clone, Debug)]
struct GroupBit<T, const OP: u8> {
    result: DataType,
    of: PhantomData<T>,
}

#[inline(always)]
fn apply<T: Bits, const OP: u8>(a: T, b: T) -> T {
    match OP {
        AND => a.and(b),
        OR => a.or(b),
        _ => a.xor(b),
    }
}

impl<T: Bits, const OP: u8> Fold for GroupBit<T, OP> {
    type State = T;

    fn init(&self) -> T {
        if OP == AND { T::ones() } else { T::default() }
    }

    fn return_type(&self) -> DataType {
        self.result.clone()
    }

    fn update(&self, states: &mut [T], args: &[Column], groups: &[u32]) -> Result<()> {
        for (&v, &g) in native::<T>(args, 0)?.iter().zip(groups) {
            let state = &mut states[g as usize];
            *state = apply::<T, OP>(*state, v);
        }
        Ok(())
    }

    fn update_one(&self, state: &mut T, args: &[Column], _: usize) -> Result<()> {
        *state = native::<T>(args, 0)?.iter().fold(*state, |s, &v| apply::<T, OP>(s, v));
        Ok(())
    }

    fn merge(&self, into: &mut T, from: &mut T) -> Result<()> {
        *into = apply::<T, OP>(*into, *from);
        Ok(())
    }

    fn write(&self, state: &T, out: &mut Vec<u8>) {
        state.put(out);
    }

    fn read(&self, input: &mut &[u8]) -> Result<T> {
        T::get(input)
    }

    fn finish(&self, states: &mut [T]) -> Result<Column> {
        Ok(T::column(states.to_vec().into()))
    }
}

fn bind<const OP: u8>(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    let name = ["groupBitAnd", "groupBitOr", "groupBitXor"][OP as usize];
    expect_plain(name, args, 1)?;
    let ty = &args.types[0];
    if !ty.is_any_integer() && *ty != DataType::Bool {
        return Err(illegal_type(name, ty));
    }
    let result = if *ty == DataType::Bool { DataType::UInt8 } else { ty.clone() };
    macro_rules! of {
        ($t:ty) => {
            FoldAggregate::boxed(GroupBit::<$t, OP> { result, of: PhantomData })
        };
    }
    match ty.physical() {
        Physical::UInt8 => of!(u8),
        Physical::UInt16 => of!(u16),
        Physical::UInt32 => of!(u32),
        Physical::UInt64 => of!(u64),
        Physical::Int8 => of!(i8),
        Physical::Int16 => of!(i16),
        Physical::Int32 => of!(i32),
        Physical::UInt128 => of!(u128),
        Physical::UInt256 => of!(u256),
        Physical::Int128 => of!(i128),
        Physical::Int256 => of!(i256),
        _ => of!(i64),
    }
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    AggregateDef {
        name: "groupBitAnd",
        description: "Bitwise AND of integers.",
        examples: &[("SELECT groupBitAnd(number + 4) FROM numbers(3)", "4")],
        bind: bind::<AND>,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "groupBitOr",
        description: "Bitwise OR of integers.",
        examples: &[("SELECT groupBitOr(number) FROM numbers(3)", "3")],
        bind: bind::<OR>,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
    AggregateDef {
        name: "groupBitXor",
        description: "Bitwise XOR of integers.",
        examples: &[("SELECT groupBitXor(number) FROM numbers(4)", "0")],
        bind: bind::<XOR>,
        unordered: true,
        ..AggregateDef::DEFAULT
    },
];
