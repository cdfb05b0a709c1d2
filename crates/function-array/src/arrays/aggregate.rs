//! Sums and the like over the elements of each array: arraySum, Avg, Min, Max, Product, CumSum,
//! Difference, DotProduct.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Buffer, Column, Native, match_native};
use entasis_simd::sum::sum as simd_sum;
use entasis_types::{DataType, common_type_of_two, i256, u256};

use super::lambda::{self, Elements, subject};
use super::lists::{Flat, element_type, take_or_default};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::aggregates::sums::SumOf;
use entasis_function_kernel::kernel::Number;

/// The type that sums of a number type have.
fn sum_type(function: &str, ty: &DataType) -> Result<DataType> {
    match ty {
        ty if ty.is_wide_integer() => Ok(ty.clone()),
        ty if ty.is_unsigned() || *ty == DataType::Bool => Ok(DataType::UInt64),
        ty if ty.is_signed() => Ok(DataType::Int64),
        ty if ty.is_float() => Ok(DataType::Float64),
        other => {
            let _ = function;
            let message = format!("array aggregation function cannot be performed on type {other}");
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn values<T: Number>(elements: &Elements) -> Result<Buffer<T>> {
    T::read(&elements.result.full()).ok_or_else(|| Error::logical("not a numeric column"))
}

fn each<T: Number, R: Native>(elements: &Elements, f: impl Fn(&[T]) -> R) -> Result<Column> {
    let values = values::<T>(elements)?;
    Ok(R::column(elements.flat.ranges().map(|r| f(&values[r])).collect()))
}

/// Runs `$body` with `$T` for an integer type of 128 or 256 bits; the arms behind for others.
macro_rules! match_wide {
    ($ty:expr, $T:ident => $body:expr, $($rest:tt)*) => {
        match $ty {
            DataType::UInt128 => {
                type $T = u128;
                $body
            }
            DataType::UInt256 => {
                type $T = u256;
                $body
            }
            DataType::Int128 => {
                type $T = i128;
                $body
            }
            DataType::Int256 => {
                type $T = i256;
                $body
            }
            $($rest)*
        }
    };
}

fn sum(args: &[Arg]) -> Result<BoundKernel> {
    let ty = sum_type("arraySum", subject("arraySum", args)?)?;
    let result = ty.clone();
    lambda::bind("arraySum", args, ty, move |e| {
        match_wide!(result,
            T => each(&e, |v: &[T]| simd_sum(v)),
            DataType::UInt64 => each(&e, |v: &[u64]| v.iter().copied().fold(0, u64::wrapping_add)),
            DataType::Int64 => each(&e, |v: &[i64]| v.iter().copied().fold(0, i64::wrapping_add)),
            _ => each(&e, |v: &[f64]| v.iter().sum::<f64>()),
        )
    })
}

/// Of an empty list 0.
fn average(args: &[Arg]) -> Result<BoundKernel> {
    let ty = sum_type("arrayAvg", subject("arrayAvg", args)?)?;
    lambda::bind("arrayAvg", args, DataType::Float64, move |e| {
        match_wide!(ty,
            T => each(&e, |v: &[T]| simd_sum(v).float() / v.len().max(1) as f64),
            DataType::UInt64 => each(&e, |v: &[u64]| {
                v.iter().fold(0u64, |a, &b| a.wrapping_add(b)) as f64 / v.len().max(1) as f64
            }),
            DataType::Int64 => each(&e, |v: &[i64]| {
                v.iter().fold(0i64, |a, &b| a.wrapping_add(b)) as f64 / v.len().max(1) as f64
            }),
            _ => each(&e, |v: &[f64]| v.iter().sum::<f64>() / v.len().max(1) as f64),
        )
    })
}

fn product(args: &[Arg]) -> Result<BoundKernel> {
    sum_type("arrayProduct", subject("arrayProduct", args)?)?;
    lambda::bind("arrayProduct", args, DataType::Float64, |e| {
        each(&e, |v: &[f64]| if v.is_empty() { 0.0 } else { v.iter().product::<f64>() })
    })
}

/// The least or greatest element; NULLs are passed over, an empty list gives the default value.
fn extreme(function: &'static str, max: bool, args: &[Arg]) -> Result<BoundKernel> {
    let ty = subject(function, args)?.clone();
    if ty == DataType::Nothing {
        let message = "Invalid projection column with type Nothing.";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let element = ty.clone();
    lambda::bind(function, args, ty, move |e| {
        let column = e.result.full();
        let (validity, plain) = column.split_nullable();
        if let (None, Some(found)) = (validity, extremes(&e.flat, plain, max)) {
            return Ok(found);
        }
        let at = match plain {
            Column::String(s) if max => best(&e.flat, validity, |a, b| s.get(a) > s.get(b)),
            Column::String(s) => best(&e.flat, validity, |a, b| s.get(a) < s.get(b)),
            _ => best(&e.flat, validity, |a, b| {
                let order = entasis_column::compare::compare_nested(plain, a, plain, b, max);
                if max { order.is_gt() } else { order.is_lt() }
            }),
        };
        Ok(take_or_default(&column, &at, &element))
    })
}

/// The position of the best valid element of each list, of none the number of all elements.
fn best(flat: &Flat, validity: Option<&Bitmap>, better: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let pick = |range: std::ops::Range<usize>| {
        let mut best: Option<usize> = None;
        for k in range {
            let valid = validity.is_none_or(|v| v.get(k));
            if valid && best.is_none_or(|b| better(k, b)) {
                best = Some(k);
            }
        }
        best.map_or(flat.count() as u32, |b| b as u32)
    };
    flat.ranges().map(pick).collect()
}

/// The least or greatest number of each list, if the elements are numbers.
fn extremes(flat: &Flat, values: &Column, max: bool) -> Option<Column> {
    Some(match_native!(values, v => match max {
        true => Column::from(extremes_of(flat, v, |a, b| a > b)),
        false => Column::from(extremes_of(flat, v, |a, b| a < b)),
    }, _ => return None))
}

/// Lanes that are compared side by side in long lists.
const LANES: usize = 8;

fn extremes_of<T: Native>(flat: &Flat, values: &[T], better: impl Fn(T, T) -> bool) -> Vec<T> {
    // A comparison with NaN is false, so NaN is replaced where it came first.
    #[allow(clippy::eq_op)]
    let pick = |best: T, x: T| if better(x, best) | (best != best) { x } else { best };
    let of = |range: std::ops::Range<usize>| {
        let list = &values[range];
        let (lanes, rest) = list.as_chunks::<LANES>();
        let Some((first, lanes)) = lanes.split_first() else {
            return list.iter().copied().reduce(pick).unwrap_or_default();
        };
        let lanes =
            lanes.iter().fold(*first, |best, lane| std::array::from_fn(|k| pick(best[k], lane[k])));
        let best = lanes.into_iter().chain(rest.iter().copied()).reduce(pick).unwrap_or_default();
        // Of zeros of both signs the first one is the answer.
        let zero = if best.is_zero() { list.iter().find(|x| x.is_zero()) } else { None };
        zero.copied().unwrap_or(best)
    };
    flat.ranges().map(of).collect()
}

fn running<T: Number>(e: &Elements, next: impl Fn(T, T) -> T) -> Result<Column> {
    let values = values::<T>(e)?;
    let mut out = Vec::with_capacity(values.len());
    for range in e.flat.ranges() {
        let mut sum = T::default();
        out.extend(values[range].iter().map(|&v| {
            sum = next(sum, v);
            sum
        }));
    }
    Ok(e.flat.with(T::column(out.into())))
}

fn cumulative(function: &'static str, from_zero: bool, args: &[Arg]) -> Result<BoundKernel> {
    let ty = sum_type(function, subject(function, args)?)?;
    let result = ty.clone();
    lambda::bind(function, args, DataType::array(ty), move |e| {
        match_wide!(result,
            T => running(&e, |a: T, b: T| {
                let sum = a.wrapping_add(b);
                if from_zero { sum.max(T::default()) } else { sum }
            }),
            DataType::UInt64 => running(&e, |a: u64, b: u64| a.wrapping_add(b)),
            DataType::Int64 => running(&e, |a: i64, b: i64| {
                let sum = a.wrapping_add(b);
                if from_zero { sum.max(0) } else { sum }
            }),
            _ => running(&e, |a: f64, b: f64| {
                let sum = a + b;
                if from_zero && sum < 0.0 { 0.0 } else { sum }
            }),
        )
    })
}

fn difference_type(ty: &DataType) -> Result<DataType> {
    Ok(match ty {
        DataType::UInt8 | DataType::Int8 | DataType::Bool => DataType::Int16,
        DataType::UInt16 | DataType::Int16 | DataType::Date => DataType::Int32,
        DataType::UInt32 | DataType::Int32 | DataType::UInt64 | DataType::Int64 => DataType::Int64,
        DataType::DateTime(_) => DataType::Int64,
        DataType::UInt128 | DataType::Int128 => DataType::Int128,
        DataType::UInt256 | DataType::Int256 => DataType::Int256,
        ty if ty.is_float() => DataType::Float64,
        other => {
            let message = format!("arrayDifference cannot process values of type {other}");
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
    })
}

fn differences<T: Number>(e: &Elements, minus: impl Fn(T, T) -> T) -> Result<Column> {
    let values = values::<T>(e)?;
    let mut out = Vec::with_capacity(values.len());
    for range in e.flat.ranges() {
        let list = &values[range];
        out.extend(list.first().map(|_| T::default()));
        out.extend(list.windows(2).map(|w| minus(w[1], w[0])));
    }
    Ok(e.flat.with(T::column(out.into())))
}

fn difference(args: &[Arg]) -> Result<BoundKernel> {
    let ty = difference_type(subject("arrayDifference", args)?)?;
    let result = ty.clone();
    lambda::bind("arrayDifference", args, DataType::array(ty), move |e| {
        match_wide!(result,
            T => differences(&e, T::wrapping_sub),
            DataType::Int16 => differences(&e, i16::wrapping_sub),
            DataType::Int32 => differences(&e, i32::wrapping_sub),
            DataType::Int64 => differences(&e, i64::wrapping_sub),
            _ => differences(&e, |a: f64, b: f64| a - b),
        )
    })
}

/// Type of `a * b + ...`: the product's, as `multiply` has it.
fn dot_type(a: &DataType, b: &DataType) -> Result<DataType> {
    use DataType::*;
    let common = common_type_of_two(a, b).or_else(|e| {
        if a.is_native_number() && b.is_native_number() { Ok(Float64) } else { Err(e) }
    })?;
    Ok(match common {
        UInt8 => UInt16,
        UInt16 => UInt32,
        UInt32 | UInt64 => UInt64,
        Int8 => Int16,
        Int16 => Int32,
        Int32 | Int64 => Int64,
        Float32 => Float32,
        _ => Float64,
    })
}

fn dot_product(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "arrayDotProduct";
    let (a, b) = (element_type(name, &args[0])?, element_type(name, &args[1])?);
    for ty in [a, b] {
        if !ty.is_native_number() {
            return Err(entasis_function_kernel::kernel::illegal_type(name, ty));
        }
    }
    let ty = dot_type(a, b)?;
    let result = Column::default_of(&ty, 0);
    Ok(BoundKernel::new(ty, move |args, _| {
        let flat = Flat::of(name, args)?;
        match_native!(&result, sample => dot(&flat, sample), _ => Err(Error::logical("number")))
    }))
}

fn dot<T: Dot>(flat: &Flat, _: &[T]) -> Result<Column> {
    let read = |c: &Column| T::read(&c.full()).ok_or_else(|| Error::logical("not numeric"));
    let (a, b) = (read(&flat.values[0])?, read(&flat.values[1])?);
    let of = |r: std::ops::Range<usize>| {
        a[r.clone()].iter().zip(&b[r]).fold(T::default(), |sum, (&x, &y)| sum.add_product(x, y))
    };
    Ok(T::column(flat.ranges().map(of).collect()))
}

/// Numbers that multiply and add, wrapping.
trait Dot: Number {
    fn add_product(self, x: Self, y: Self) -> Self;
}

macro_rules! dot {
    ($($int:ty),*; $($float:ty),*) => {
        $(impl Dot for $int {
            fn add_product(self, x: Self, y: Self) -> Self {
                self.wrapping_add(x.wrapping_mul(y))
            }
        })*
        $(impl Dot for $float {
            fn add_product(self, x: Self, y: Self) -> Self {
                self + x * y
            }
        })*
    };
}

dot!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256; f32, f64);

macro_rules! definition {
    ($name:literal, $bind:expr, $description:literal, $example:literal, $result:literal) => {
        FunctionDef {
            name: $name,
            description: $description,
            examples: &[($example, $result)],
            nulls: Nulls::Custom,
            arity: (1, usize::MAX),
            lambda: Some(lambda::parameters),
            bind: |args, _| $bind(args),
            ..FunctionDef::DEFAULT
        }
    };
}

/// The table of this family.
#[rustfmt::skip]
pub const FUNCTIONS: &[FunctionDef] = &[
    definition!("arraySum", sum, "Sum of the elements, or of the lambda's results.",
        "arraySum([1, 2, 4])", "7"),
    definition!("arrayAvg", average, "Mean of the elements, or of the lambda's results.",
        "arrayAvg([1, 2])", "1.5"),
    definition!("arrayProduct", product, "Product of the elements, or of the lambda's results.",
        "arrayProduct([2, 3])", "6"),
    definition!("arrayMin", |args| extreme("arrayMin", false, args),
        "The least element, or result of the lambda.", "arrayMin([3, 1, 2])", "1"),
    definition!("arrayMax", |args| extreme("arrayMax", true, args),
        "The greatest element, or result of the lambda.", "arrayMax([3, 1, 2])", "3"),
    definition!("arrayCumSum", |args| cumulative("arrayCumSum", false, args),
        "Running sums of the elements.", "arrayCumSum([1, 2, 3])", "[1,3,6]"),
    definition!("arrayCumSumNonNegative", |args| cumulative("arrayCumSumNonNegative", true, args),
        "Running sums of the elements; a negative sum is replaced by 0.",
        "arrayCumSumNonNegative([1, -3, 2])", "[1,0,2]"),
    definition!("arrayDifference", difference,
        "Differences between each element and the one before it; the first difference is 0.",
        "arrayDifference([1, 2, 4])", "[0,1,2]"),
    FunctionDef {
        name: "arrayDotProduct",
        description: "Sum of the products of elements at the same position.",
        examples: &[("arrayDotProduct([1, 2], [3, 4])", "11")],
        arity: (2, 2),
        bind: dot_product,
        ..FunctionDef::DEFAULT
    },
];
