//! Distances between vectors, and their lengths: of arrays here, of tuples in [`super::norms`].

use entasis_base::{Error, Result, codes};
use entasis_column::Buffer;
use entasis_types::{DataType, common_type_of_two};

use super::lists::{Lists, element_type};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::Number;

use super::norms;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    L1,
    L2,
    L2Squared,
    Linf,
    Lp,
    Cosine,
}

/// Differences are added in so many sums side by side, as in the reference, whose results depend on
/// it in their last digits.
const LANES: usize = 16;

/// Floats in which vectors are measured.
trait Float: Number {
    /// The distance of two vectors of one length.
    fn measure(metric: Metric, power: f64, x: &[Self], y: &[Self]) -> Self;
}

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Float for $ty {
            #[inline(always)]
            fn measure(metric: Metric, power: f64, x: &[Self], y: &[Self]) -> Self {
                // Cosine needs three sums, the others one.
                let mut all = [0 as $ty; 3];
                let power = power as $ty;
                let add = |[a, b, c]: [&mut $ty; 3], x: $ty, y: $ty| match metric {
                    Metric::L1 => *a += (x - y).abs(),
                    Metric::L2 | Metric::L2Squared => *a += (x - y) * (x - y),
                    Metric::Linf => *a = a.max((x - y).abs()),
                    Metric::Lp => *a += (x - y).abs().powf(power),
                    Metric::Cosine => {
                        *a += x * y;
                        *b += x * x;
                        *c += y * y;
                    }
                };
                // The last pairs are added one by one, and there is always one of them.
                let whole = x.len().saturating_sub(1) / LANES * LANES;
                if whole > 0 {
                    let mut sums = [[0 as $ty; LANES]; 3];
                    let chunks = x[..whole].as_chunks::<LANES>().0;
                    for (x, y) in chunks.iter().zip(y[..whole].as_chunks::<LANES>().0) {
                        let [a, b, c] = &mut sums;
                        for lane in 0..LANES {
                            add([&mut a[lane], &mut b[lane], &mut c[lane]], x[lane], y[lane]);
                        }
                    }
                    for (all, lanes) in all.iter_mut().zip(sums) {
                        for lane in lanes {
                            match metric {
                                Metric::Linf => *all = all.max(lane),
                                _ => *all += lane,
                            }
                        }
                    }
                }
                for (&x, &y) in x[whole..].iter().zip(&y[whole..]) {
                    let [a, b, c] = &mut all;
                    add([a, b, c], x, y);
                }
                match metric {
                    Metric::L1 | Metric::L2Squared | Metric::Linf => all[0],
                    Metric::L2 => all[0].sqrt(),
                    Metric::Lp => all[0].powf(1.0 / power),
                    Metric::Cosine => 1.0 - all[0] / (all[1] * all[2]).sqrt(),
                }
            }
        }
    )*};
}

floats!(f32, f64);

/// [`Float::measure`], compiled for each metric on its own.
#[inline]
fn measure<T: Float>(metric: Metric, power: f64, x: &[T], y: &[T]) -> T {
    match metric {
        Metric::L1 => T::measure(Metric::L1, power, x, y),
        Metric::L2 => T::measure(Metric::L2, power, x, y),
        Metric::L2Squared => T::measure(Metric::L2Squared, power, x, y),
        Metric::Linf => T::measure(Metric::Linf, power, x, y),
        Metric::Lp => T::measure(Metric::Lp, power, x, y),
        Metric::Cosine => T::measure(Metric::Cosine, power, x, y),
    }
}

/// The elements of all lists, each of which there is.
fn elements<T: Float>(lists: &Lists) -> Result<Buffer<T>> {
    T::read(&lists.values().full()).ok_or_else(|| Error::logical("a vector is not of numbers"))
}

/// The type in which vectors of these elements are measured.
fn measured_in(name: &str, element: &DataType) -> Result<DataType> {
    match element {
        DataType::Float32 => Ok(DataType::Float32),
        ty if ty.is_native_integer() || *ty == DataType::Float64 => Ok(DataType::Float64),
        ty => {
            let message = format!("Arguments of function {name} has nested type {ty}");
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

/// The power of Lp, a constant of at least 1.
pub(super) fn power_of(name: &str, arg: Option<&Arg>) -> Result<f64> {
    let Some(arg) = arg else { return Ok(1.0) };
    let power = arg.constant.as_ref().and_then(|value| value.as_f64());
    match power.filter(|_| arg.ty.is_native_number()) {
        Some(power) if power >= 1.0 && power.is_finite() => Ok(power),
        Some(_) => {
            let message = format!(
                "Second argument for function {name} must be a finite number not less than one"
            );
            Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message))
        }
        None => {
            let message = format!("Second argument for function {name} must be constant number");
            Err(Error::new(codes::ILLEGAL_COLUMN, message))
        }
    }
}

fn expect_arrays(name: &str, args: &[Arg]) -> Result<()> {
    match args.iter().position(|arg| !matches!(arg.ty, DataType::Array(_))) {
        None => Ok(()),
        Some(at) => {
            let message = format!("Argument {at} of function array{name} must be array");
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn measure_pairs<T: Float>(ty: DataType, metric: Metric, power: f64) -> BoundKernel {
    BoundKernel::new(ty, move |args, rows| {
        let (a, b) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
        let (x, y) = (elements::<T>(&a)?, elements::<T>(&b)?);
        let mut out = Vec::with_capacity(rows);
        for i in 0..rows {
            let (p, q) = (a.range(i), b.range(i));
            if p.len() != q.len() {
                let message = "Array arguments of a distance must have equal sizes";
                return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
            }
            out.push(measure(metric, power, &x[p], &y[q]));
        }
        Ok(T::column(out.into()))
    })
}

fn measure_one<T: Float>(ty: DataType, metric: Metric, power: f64) -> BoundKernel {
    BoundKernel::new(ty, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let x = elements::<T>(&lists)?;
        let longest = (0..rows).map(|i| lists.range(i).len()).max().unwrap_or(0);
        let origin = vec![T::default(); longest];
        let length = |i: usize| {
            let x = &x[lists.range(i)];
            measure(metric, power, x, &origin[..x.len()])
        };
        Ok(T::column((0..rows).map(length).collect()))
    })
}

fn distance(
    name: &str,
    metric: Metric,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let (vectors, power) = args.split_at(2);
    if !vectors.iter().any(|arg| matches!(arg.ty, DataType::Array(_))) {
        return norms::distance(name, metric, args, context);
    }
    expect_arrays(name, vectors)?;
    let (a, b) = (element_type(name, &args[0])?, element_type(name, &args[1])?);
    let power = power_of(name, power.first())?;
    match measured_in(name, &common_type_of_two(a, b)?)? {
        DataType::Float32 => Ok(measure_pairs::<f32>(DataType::Float32, metric, power)),
        ty => Ok(measure_pairs::<f64>(ty, metric, power)),
    }
}

fn norm(
    name: &str,
    metric: Metric,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if !matches!(args[0].ty, DataType::Array(_)) {
        return norms::norm(name, metric, args, context);
    }
    let power = power_of(name, args.get(1))?;
    match measured_in(name, element_type(name, &args[0])?)? {
        DataType::Float32 => Ok(measure_one::<f32>(DataType::Float32, metric, power)),
        ty => Ok(measure_one::<f64>(ty, metric, power)),
    }
}

const DISTANCE: FunctionDef = FunctionDef {
    nulls: Nulls::Custom,
    arity: (2, 2),
    description: "The distance between two vectors, which are arrays or tuples of numbers.",
    ..FunctionDef::DEFAULT
};
const NORM: FunctionDef = FunctionDef {
    arity: (1, 1),
    description: "The length of a vector, which is an array or a tuple of numbers.",
    ..DISTANCE
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "L1Distance",
        aliases: &["distanceL1"],
        examples: &[("L1Distance([1, 2], [3, 5])", "5"), ("L1Distance((1, 2), (3, 5))", "5")],
        bind: |args, context| distance("L1Distance", Metric::L1, args, context),
        ..DISTANCE
    },
    FunctionDef {
        name: "L2Distance",
        aliases: &["distanceL2"],
        examples: &[("L2Distance([0, 0], [3, 4])", "5"), ("L2Distance((0, 0), (3, 4))", "5")],
        bind: |args, context| distance("L2Distance", Metric::L2, args, context),
        ..DISTANCE
    },
    FunctionDef {
        name: "L2SquaredDistance",
        aliases: &["distanceL2Squared"],
        examples: &[("L2SquaredDistance([0, 0], [3, 4])", "25")],
        bind: |args, context| distance("L2SquaredDistance", Metric::L2Squared, args, context),
        ..DISTANCE
    },
    FunctionDef {
        name: "LinfDistance",
        aliases: &["distanceLinf"],
        examples: &[("LinfDistance([0, 0], [3, 4])", "4")],
        bind: |args, context| distance("LinfDistance", Metric::Linf, args, context),
        ..DISTANCE
    },
    FunctionDef {
        name: "LpDistance",
        aliases: &["distanceLp"],
        arity: (3, 3),
        examples: &[("LpDistance([0, 0], [3, 4], 2)", "5")],
        bind: |args, context| distance("LpDistance", Metric::Lp, args, context),
        ..DISTANCE
    },
    FunctionDef {
        name: "cosineDistance",
        aliases: &["distanceCosine"],
        examples: &[("cosineDistance([1, 0], [0, 1])", "1")],
        bind: |args, context| distance("cosineDistance", Metric::Cosine, args, context),
        ..DISTANCE
    },
    FunctionDef {
        name: "tupleHammingDistance",
        description: "In how many elements two tuples differ.",
        examples: &[("tupleHammingDistance((1, 2, 3), (3, 2, 1))", "2")],
        bind: norms::hamming,
        ..DISTANCE
    },
    FunctionDef {
        name: "L1Norm",
        aliases: &["normL1"],
        examples: &[("L1Norm([3, -4])", "7"), ("L1Norm((3, -4))", "7")],
        bind: |args, context| norm("L1Norm", Metric::L1, args, context),
        ..NORM
    },
    FunctionDef {
        name: "L2Norm",
        aliases: &["normL2"],
        examples: &[("L2Norm([3, 4])", "5"), ("L2Norm((3, 4))", "5")],
        bind: |args, context| norm("L2Norm", Metric::L2, args, context),
        ..NORM
    },
    FunctionDef {
        name: "L2SquaredNorm",
        aliases: &["normL2Squared"],
        examples: &[("L2SquaredNorm([3, 4])", "25")],
        bind: |args, context| norm("L2SquaredNorm", Metric::L2Squared, args, context),
        ..NORM
    },
    FunctionDef {
        name: "LinfNorm",
        aliases: &["normLinf"],
        examples: &[("LinfNorm([3, -4])", "4")],
        bind: |args, context| norm("LinfNorm", Metric::Linf, args, context),
        ..NORM
    },
    FunctionDef {
        name: "LpNorm",
        aliases: &["normLp"],
        arity: (2, 2),
        examples: &[("LpNorm([3, 4], 2)", "5")],
        bind: |args, context| norm("LpNorm", Metric::Lp, args, context),
        ..NORM
    },
];
