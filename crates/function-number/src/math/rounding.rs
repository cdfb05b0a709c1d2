//! `round`, `roundBankers`, `floor`, `ceil`, `trunc` to decimal places.
//!
//! Integers round with the integer arithmetic of the reference, including wrap-around. Floats are
//! scaled, rounded (halves to even) and scaled back.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, match_native};
use entasis_types::{CastTo, DataType, i256, u256};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::{Number, Side};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Round,
    Bankers,
    Floor,
    Ceil,
    Trunc,
}

/// Numbers that round to decimal places.
trait Round: Native {
    /// What is computed once for all values: the power of ten.
    type Scale: Copy;
    /// Of so many places; `None` if nothing but zero is left.
    fn scale(places: i64) -> Option<Self::Scale>;
    /// To that many places.
    fn round(self, mode: Mode, scale: Self::Scale) -> Self;
}

macro_rules! round_integers {
    ($($ty:ty, $wide:ty, $bankers:ty);*) => {$(
        impl Round for $ty {
            type Scale = $ty;

            fn scale(places: i64) -> Option<$ty> {
                let ten: $ty = 10u8.cast_to();
                if places >= 0 {
                    return Some(ten / ten);
                }
                ten.checked_pow(u32::try_from(places.unsigned_abs()).ok()?)
            }

            #[inline(always)]
            fn round(self, mode: Mode, scale: $ty) -> Self {
                let one: $ty = 1u8.cast_to();
                if scale == one {
                    return self;
                }
                let negative = self < <$ty>::default();
                let down = |x: $ty| (x / scale).wrapping_mul(scale);
                match mode {
                    Mode::Trunc => down(self),
                    Mode::Floor if negative => down(self.wrapping_sub(scale - one)),
                    Mode::Floor => down(self),
                    Mode::Ceil if negative => down(self),
                    Mode::Ceil => down(self.wrapping_add(scale - one)),
                    Mode::Round => {
                        let x = if negative { self.wrapping_sub(scale) } else { self };
                        let (x, scale): ($wide, $wide) = (x.cast_to(), scale.cast_to());
                        let half = scale / CastTo::<$wide>::cast_to(2u8);
                        (x.wrapping_add(half) / scale).wrapping_mul(scale).cast_to()
                    }
                    Mode::Bankers => {
                        let (x, scale): ($bankers, $bankers) = (self.cast_to(), scale.cast_to());
                        let one: $bankers = 1u8.cast_to();
                        let (quotient, rest) = (x.div_euclid(scale), x.rem_euclid(scale));
                        let is_odd = quotient & one == one;
                        let up = rest > scale - rest || (rest == scale - rest && is_odd);
                        let rounded = if up { quotient + one } else { quotient };
                        rounded.wrapping_mul(scale).cast_to()
                    }
                }
            }
        }
    )*};
}

round_integers!(u8, i32, i128; u16, i32, i128; u32, u32, i128; u64, u64, i128; i8, i32, i128;
    i16, i32, i128; i32, i32, i128; i64, i64, i128; i128, i128, i128; u128, u128, u128;
    i256, i256, i256; u256, u256, u256);

/// A power of ten, to multiply by (more places) or to divide by (fewer than none).
#[derive(Clone, Copy)]
struct Power<T> {
    power: T,
    divides: bool,
}

macro_rules! round_floats {
    ($($ty:ty),*) => {$(
        impl Round for $ty {
            type Scale = Power<$ty>;

            fn scale(places: i64) -> Option<Power<$ty>> {
                let power = (10.0 as $ty).powi(places.unsigned_abs().min(400) as i32);
                let divides = places < 0;
                (power.is_finite() || !divides).then_some(Power { power, divides })
            }

            #[inline(always)]
            fn round(self, mode: Mode, scale: Power<$ty>) -> Self {
                let whole = |x: $ty| match mode {
                    Mode::Round | Mode::Bankers => x.round_ties_even(),
                    Mode::Floor => x.floor(),
                    Mode::Ceil => x.ceil(),
                    Mode::Trunc => x.trunc(),
                };
                if scale.divides {
                    return whole(self / scale.power) * scale.power;
                }
                let scaled = self * scale.power;
                if scaled.is_finite() { whole(scaled) / scale.power } else { self }
            }
        }
    )*};
}

round_floats!(f32, f64);

fn all<T: Round>(values: &[T], mode: Mode, places: &Side<i64>) -> Column {
    let places = match places {
        Side::One(places) => *places,
        Side::Many(places) => {
            let one = |(v, p): (&T, &i64)| T::scale(*p).map_or(T::default(), |s| v.round(mode, s));
            return T::column(values.iter().zip(places.iter()).map(one).collect());
        }
    };
    let Some(scale) = T::scale(places) else {
        return T::column(vec![T::default(); values.len()].into());
    };
    // One loop per mode, so that each becomes a few instructions per vector.
    match mode {
        Mode::Round => each(values, |v| v.round(Mode::Round, scale)),
        Mode::Bankers => each(values, |v| v.round(Mode::Bankers, scale)),
        Mode::Floor => each(values, |v| v.round(Mode::Floor, scale)),
        Mode::Ceil => each(values, |v| v.round(Mode::Ceil, scale)),
        Mode::Trunc => each(values, |v| v.round(Mode::Trunc, scale)),
    }
}

fn each<T: Round>(values: &[T], f: impl Fn(T) -> T) -> Column {
    T::column(values.iter().map(|&v| f(v)).collect())
}

fn illegal(name: &str, at: &str, expected: &str, ty: &DataType) -> Error {
    let message = format!(
        "A value of illegal type was provided as {at} argument to function '{name}'. \
         Expected: {expected}, got: {ty}"
    );
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

fn bind(name: &str, mode: Mode, args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let ty = &args[0].ty;
    if let DataType::Decimal(_, scale) = ty {
        return decimal(mode, ty, *scale, args);
    }
    if !ty.is_any_number() {
        return Err(illegal(name, "1st", "A number to round", ty));
    }
    if let Some(places) = args.get(1).filter(|p| !p.ty.is_native_integer()) {
        return Err(illegal(name, "2nd", "The number of decimal places", &places.ty));
    }
    if *ty == DataType::Bool || (ty.is_any_integer() && args.len() == 1) {
        return Ok(BoundKernel::new(ty.clone(), |args, _| Ok(args[0].clone())));
    }
    Ok(BoundKernel::new(ty.clone(), move |args, rows| {
        let places = match args.get(1) {
            Some(places) => Side::<i64>::read(places)?,
            None => Side::One(0),
        };
        let (column, constant) = match (args[0].as_const(), &places) {
            (Some(value), Side::One(_)) => (value.clone(), true),
            _ => (args[0].full(), false),
        };
        let rounded = match_native!(&column, values => all(values, mode, &places),
            _ => return Err(Error::logical("rounding of what is no number")));
        Ok(if constant { Column::constant(rounded, rows) } else { rounded })
    }))
}

/// Rounds a Decimal, which keeps its type; halves go away from zero.
fn decimal(mode: Mode, ty: &DataType, scale: u8, args: &[Arg]) -> Result<BoundKernel> {
    let constant = match args.get(1) {
        None => Some(0),
        Some(places) => places.constant.as_ref().and_then(entasis_types::Value::as_i64),
    };
    let Some(places) = constant else {
        return Err(Error::not_implemented("Rounding a Decimal to places that vary"));
    };
    let cut = u8::try_from(i64::from(scale) - places).unwrap_or(if places > 0 { 0 } else { 38 });
    let unit = entasis_types::text_type::power_of_ten(cut);
    let physical = ty.physical();
    Ok(BoundKernel::new(ty.clone(), move |args, _| {
        let column = args[0].full();
        let no_number = || Error::logical("rounding of what is no number");
        let rounded: Column = match (i64::try_from(unit), &column) {
            _ if cut == 0 => return Ok(column),
            (Ok(unit), Column::Int32(_) | Column::Int64(_)) => {
                let values = i64::read(&column).ok_or_else(no_number)?;
                decimals_by_mode(&values, mode, unit).into()
            }
            _ => {
                let values = i128::read(&column).ok_or_else(no_number)?;
                decimals_by_mode(&values, mode, unit).into()
            }
        };
        entasis_function::cast::convert(&rounded, physical, true)
    }))
}

/// Whole numbers that are rounded to multiples of a unit of at most half their range.
trait Multiples: Native {
    /// The multiple below, and what is left.
    fn parts(self, unit: Self) -> (Self, Self);
    /// The multiple, or the next one.
    fn multiple(self, up: bool, unit: Self) -> Self;
    /// Whether the number is odd.
    fn is_odd(self) -> bool;
}

macro_rules! multiples {
    ($($ty:ty),*) => {$(
        impl Multiples for $ty {
            #[inline(always)]
            fn parts(self, unit: Self) -> (Self, Self) {
                let (quotient, rest) = (self / unit, self % unit);
                // Both come from one division.
                let below = <$ty>::from(rest < 0);
                (quotient - below, rest + below * unit)
            }

            #[inline(always)]
            fn multiple(self, up: bool, unit: Self) -> Self {
                (self + <$ty>::from(up)).wrapping_mul(unit)
            }

            #[inline(always)]
            fn is_odd(self) -> bool {
                self & 1 == 1
            }
        }
    )*};
}

multiples!(i64, i128);

/// All values to multiples of the unit: one loop per mode.
fn decimals_by_mode<T: Multiples + std::ops::Sub<Output = T>>(
    values: &[T],
    mode: Mode,
    unit: T,
) -> Vec<T> {
    let zero = T::default();
    macro_rules! each {
        ($up:expr) => {{
            let up = $up;
            let round = move |&v: &T| {
                let (down, rest) = v.parts(unit);
                down.multiple(up(v, down, rest), unit)
            };
            values.iter().map(round).collect()
        }};
    }
    match mode {
        Mode::Floor => each!(|_, _, _| false),
        Mode::Ceil => each!(move |_, _, rest| rest > zero),
        Mode::Trunc => each!(move |v, _, rest| v < zero && rest > zero),
        Mode::Round => each!(move |v, _, rest| {
            let other: T = unit - rest;
            rest > other || (rest == other && v >= zero)
        }),
        Mode::Bankers => each!(move |_, down: T, rest| {
            let other: T = unit - rest;
            rest > other || (rest == other && down.is_odd())
        }),
    }
}

/// The greatest of the array's elements that is not greater, or the least element.
fn round_down(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    use entasis_function::cast::{self, Session};
    use entasis_types::{Value, common_type_of_two};
    let x = &args[0].ty;
    if !x.is_native_number() {
        let message = format!(
            "Unsupported type {x} of first argument of function roundDown, must be numeric type"
        );
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let (DataType::Array(element), Some(constant @ Value::Array(items))) =
        (&args[1].ty, &args[1].constant)
    else {
        let message = "Second argument of function roundDown must be a constant array";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    if !element.is_native_number() || items.is_empty() {
        let message = "Elements of array of second argument of function roundDown must be numeric";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let ty = common_type_of_two(x, element)?;
    let session = Session::of(context);
    let array = Column::from_value(&args[1].ty, constant, 1).full();
    let Column::Array(array) = array else { return Err(Error::logical("no array")) };
    let bounds = cast::bind(element, &ty, session)?(&array.flat().1)?.full();
    let cast = cast::bind(x, &ty, session)?;
    let mut keys = f64::read(&bounds).unwrap_or_default().to_vec();
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by(|&a, &b| keys[a as usize].total_cmp(&keys[b as usize]));
    keys.sort_by(f64::total_cmp);
    let bounds = bounds.take(&order);
    Ok(BoundKernel::new(ty, move |args, rows| {
        let x = Side::<f64>::read(&cast(&args[0])?)?;
        let place = |i: usize| {
            let x = x.get(i);
            // Counting has no branches, which is faster while the keys are few.
            let count = match keys.len() {
                ..=32 => keys.iter().map(|k| u32::from(*k <= x)).sum(),
                _ => keys.partition_point(|k| *k <= x) as u32,
            };
            count.max(1) - 1
        };
        Ok(bounds.take(&(0..rows).map(place).collect::<Vec<u32>>()))
    }))
}

const ROUND: FunctionDef =
    FunctionDef { case_insensitive: true, arity: (1, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "round",
        description: "Rounds to the given number of decimal places (0); halves of floats go to the \
                      even neighbour, halves of integers away from zero.",
        examples: &[("round(2.345, 2)", "2.35"), ("round(2.5)", "2"), ("round(25, -1)", "30")],
        bind: |args, context| bind("round", Mode::Round, args, context),
        ..ROUND
    },
    FunctionDef {
        name: "roundBankers",
        description: "Rounds to the given number of decimal places (0); halves go to the even \
                      neighbour.",
        examples: &[("roundBankers(25, -1)", "20")],
        bind: |args, context| bind("roundBankers", Mode::Bankers, args, context),
        ..ROUND
    },
    FunctionDef {
        name: "floor",
        description: "Rounds down to the given number of decimal places (0).",
        examples: &[("floor(-2.7)", "-3"), ("floor(17, -1)", "10")],
        bind: |args, context| bind("floor", Mode::Floor, args, context),
        ..ROUND
    },
    FunctionDef {
        name: "ceil",
        aliases: &["ceiling"],
        description: "Rounds up to the given number of decimal places (0).",
        examples: &[("ceil(2.1)", "3")],
        bind: |args, context| bind("ceil", Mode::Ceil, args, context),
        ..ROUND
    },
    FunctionDef {
        name: "trunc",
        aliases: &["truncate"],
        description: "Rounds towards zero to the given number of decimal places (0).",
        examples: &[("trunc(-2.7)", "-2")],
        bind: |args, context| bind("trunc", Mode::Trunc, args, context),
        ..ROUND
    },
    FunctionDef {
        name: "roundDown",
        description: "Rounds down to an element of a constant array.",
        examples: &[("roundDown(5, [1, 3, 7])", "3")],
        arity: (2, 2),
        bind: round_down,
        ..FunctionDef::DEFAULT
    },
];
