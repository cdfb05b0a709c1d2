//! Distances between two places on the earth: `greatCircleDistance`, `greatCircleAngle`,
//! `geoDistance`.
//!
//! As in the reference, the sine, the cosine and the scale of a degree come from tables between
//! whose entries is interpolated. Places whose longitudes differ by less than 13 degrees are
//! compared on a plane, others with the haversine formula.

use std::f64::consts::PI;
use std::sync::LazyLock;

use entasis_base::Result;
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::{Number, Side, illegal_type};

const COSINES: usize = 1024;
const ARCS: usize = 512;
const LATITUDES: usize = 1024;
/// Diameter of a sphere with the surface of the earth, in metres.
const DIAMETER: f64 = 2.0 * 6_371_007.180_918_474;

/// What a distance is measured in.
#[derive(Clone, Copy)]
enum Measure {
    /// Degrees on a sphere.
    Degrees,
    /// Metres on a sphere.
    Sphere,
    /// Metres on the ellipsoid WGS 84.
    Ellipsoid,
}

/// Floats in which distances are computed.
trait Float: Number {
    fn of(value: f64) -> Self;
    fn tables() -> &'static Tables<Self>;
}

/// Values at equal steps.
struct Tables<T> {
    cosine: Vec<T>,
    /// asin(sqrt(x)) for x from 0 to 1.
    arc: Vec<T>,
    /// Squares of the length of a degree of latitude and of longitude, from pole to pole.
    degrees: Vec<[T; 2]>,
    sphere: Vec<[T; 2]>,
    ellipsoid: Vec<[T; 2]>,
}

fn build<T: Float>() -> Tables<T> {
    let metre = DIAMETER * PI / 360.0;
    let latitude = |i: usize| i as f64 * (PI / LATITUDES as f64) - PI * 0.5;
    let lengths = |of: &dyn Fn(f64) -> [f64; 2]| {
        (0..=LATITUDES).map(|i| of(latitude(i)).map(|length| T::of(length * length))).collect()
    };
    Tables {
        cosine: (0..=COSINES)
            .map(|i| T::of((i as f64 * 2.0 * PI / COSINES as f64).cos()))
            .collect(),
        arc: (0..=ARCS).map(|i| T::of((i as f64 / ARCS as f64).sqrt().asin())).collect(),
        degrees: lengths(&|angle| [1.0, angle.cos()]),
        sphere: lengths(&|angle| [metre, metre * angle.cos()]),
        ellipsoid: lengths(&|angle| {
            let cos = |times: f64| (times * angle).cos();
            let north = 111_132.09 - 566.05 * cos(2.0) + 1.20 * cos(4.0);
            let east = 111_415.13 * cos(1.0) - 94.55 * cos(3.0) + 0.12 * cos(5.0);
            [north, east]
        }),
    }
}

macro_rules! floats {
    ($($ty:ty, $distance:ident);*) => {$(
        impl Float for $ty {
            fn of(value: f64) -> Self {
                value as $ty
            }
            fn tables() -> &'static Tables<Self> {
                static TABLES: LazyLock<Tables<$ty>> = LazyLock::new(build);
                &TABLES
            }
        }

        fn $distance(measure: Measure, from: ($ty, $ty), to: ($ty, $ty)) -> $ty {
            let tables = <$ty>::tables();
            let difference = |a: $ty, b: $ty| {
                let difference = (a - b).abs();
                if difference > 180.0 { 360.0 - difference } else { difference }
            };
            let (east, north) = (difference(from.0, to.0), difference(from.1, to.1));
            if east < 13.0 {
                let middle = (from.1 + to.1 + 180.0) * LATITUDES as $ty / 360.0;
                let i = middle as usize & (LATITUDES - 1);
                let lengths = match measure {
                    Measure::Degrees => &tables.degrees,
                    Measure::Sphere => &tables.sphere,
                    Measure::Ellipsoid => &tables.ellipsoid,
                };
                let rest = middle - i as $ty;
                let length = |k: usize| {
                    let (low, high) = (lengths[i][k], lengths[i + 1][k]);
                    low + (high - low) * rest
                };
                return (length(0) * north * north + length(1) * east * east).sqrt();
            }
            // The cosine of an angle in radians, after a turn back by so many steps.
            let cosine = |angle: $ty, back: usize| {
                let at = angle.abs() * <$ty>::of(COSINES as f64 / PI / 2.0);
                let rest = at - (at as usize) as $ty;
                let i = (at as usize).wrapping_sub(back) & (COSINES - 1);
                tables.cosine[i] + (tables.cosine[i + 1] - tables.cosine[i]) * rest
            };
            let radians = <$ty>::of(PI / 180.0);
            let half_sine = |angle: $ty| cosine(angle * <$ty>::of(PI / 360.0), COSINES / 4);
            let (a, b) = (half_sine(north), half_sine(east));
            let both = cosine(from.1 * radians, 0) * cosine(to.1 * radians, 0);
            let x = a * a + both * (b * b);
            let arc = if x < 0.122 {
                let y = x.sqrt();
                y + x * y * <$ty>::of(0.166666666666666)
                    + x * x * y * 0.075
                    + x * x * x * y * <$ty>::of(0.044642857142857)
            } else if x < 0.948 {
                let at = x * ARCS as $ty;
                let i = at as usize;
                tables.arc[i] + (tables.arc[i + 1] - tables.arc[i]) * (at - i as $ty)
            } else {
                x.sqrt().asin()
            };
            arc * match measure {
                Measure::Degrees => <$ty>::of(360.0 / PI),
                _ => <$ty>::of(DIAMETER),
            }
        }
    )*};
}

floats!(f32, distance32; f64, distance64);

fn run<T: Float>(
    ty: DataType,
    measure: Measure,
    distance: fn(Measure, (T, T), (T, T)) -> T,
) -> BoundKernel {
    BoundKernel::new(ty, move |args, rows| {
        let side = |i: usize| Side::<T>::read(&args[i]);
        let (from, to) = ((side(0)?, side(1)?), (side(2)?, side(3)?));
        let distance = |i: usize| {
            let (from, to) = ((from.0.get(i), from.1.get(i)), (to.0.get(i), to.1.get(i)));
            distance(measure, from, to)
        };
        Ok(T::column((0..rows).map(distance).collect()))
    })
}

fn bind(name: &str, measure: Measure, args: &[Arg]) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().find(|a| !a.ty.is_native_number()) {
        return Err(illegal_type(name, &arg.ty));
    }
    Ok(match args.iter().any(|a| a.ty == DataType::Float64) {
        true => run(DataType::Float64, measure, distance64),
        false => run(DataType::Float32, measure, distance32),
    })
}

fn angle(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    bind("greatCircleAngle", Measure::Degrees, args)
}

fn sphere(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    bind("greatCircleDistance", Measure::Sphere, args)
}

fn ellipsoid(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    bind("geoDistance", Measure::Ellipsoid, args)
}

const FOUR: FunctionDef = FunctionDef { arity: (4, 4), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "greatCircleDistance",
        description: "Metres between two places (longitude, latitude, longitude, latitude) on a \
                      sphere of the earth's size.",
        examples: &[("round(greatCircleDistance(37.6, 55.8, 30.3, 59.9))", "628032")],
        bind: sphere,
        ..FOUR
    },
    FunctionDef {
        name: "greatCircleAngle",
        description: "Degrees between two places (longitude, latitude, longitude, latitude) as seen \
                      from the centre of the earth.",
        examples: &[("round(greatCircleAngle(0., 0., 45., 0.), 3)", "45")],
        bind: angle,
        ..FOUR
    },
    FunctionDef {
        name: "geoDistance",
        description: "Metres between two places (longitude, latitude, longitude, latitude) on the \
                      ellipsoid WGS 84, where their longitudes are close.",
        examples: &[("round(geoDistance(37.6, 55.8, 30.3, 59.9))", "629633")],
        bind: ellipsoid,
        ..FOUR
    },
];
