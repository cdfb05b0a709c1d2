//! Distances between vectors, and their lengths: of arrays here, of tuples in [`super::norms`].

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, common_type_of_two};

use super::lists::{Lists, element_type};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::{Number, Side};

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
    fn measure(
        metric: Metric,
        power: f64,
        pairs: impl ExactSizeIterator<Item = (Self, Self)>,
    ) -> Self;
}

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Float for $ty {
            fn measure(
                metric: Metric,
                power: f64,
                pairs: impl ExactSizeIterator<Item = (Self, Self)>,
            ) -> Self {
                // Cosine needs three sums, the others one.
                let mut sums = [[0 as $ty; 3]; LANES];
                let power = power as $ty;
                let whole = pairs.len().saturating_sub(1) / LANES * LANES;
                let mut all = [0 as $ty; 3];
                let add = |sums: &mut [$ty; 3], x: $ty, y: $ty| match metric {
                    Metric::L1 => sums[0] += (x - y).abs(),
                    Metric::L2 | Metric::L2Squared => sums[0] += (x - y) * (x - y),
                    Metric::Linf => sums[0] = sums[0].max((x - y).abs()),
                    Metric::Lp => sums[0] += (x - y).abs().powf(power),
                    Metric::Cosine => {
                        sums[0] += x * y;
                        sums[1] += x * x;
                        sums[2] += y * y;
                    }
                };
                for (i, (x, y)) in pairs.enumerate() {
                    if i == whole {
                        for lane in &sums {
                            for (all, lane) in all.iter_mut().zip(lane) {
                                match metric {
                                    Metric::Linf => *all = all.max(*lane),
                                    _ => *all += lane,
                                }
                            }
                        }
                    }
                    add(if i < whole { &mut sums[i % LANES] } else { &mut all }, x, y);
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
        let (x, y) = (Side::<T>::read(a.values())?, Side::<T>::read(b.values())?);
        let mut out = Vec::with_capacity(rows);
        for i in 0..rows {
            let (p, q) = (a.range(i), b.range(i));
            if p.len() != q.len() {
                let message = "Array arguments of a distance must have equal sizes";
                return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
            }
            out.push(T::measure(metric, power, p.zip(q).map(|(p, q)| (x.get(p), y.get(q)))));
        }
        Ok(T::column(out.into()))
    })
}

fn measure_one<T: Float>(ty: DataType, metric: Metric, power: f64) -> BoundKernel {
    BoundKernel::new(ty, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let x = Side::<T>::read(lists.values())?;
        let length =
            |i: usize| T::measure(metric, power, lists.range(i).map(|k| (x.get(k), T::default())));
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
