//! Mathematics on Float64.

use entasis_base::Result;
use entasis_column::Column;
use entasis_types::DataType;
use entasis_types::text_type::power_of_ten;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::kernel::{constant, illegal_type, map, zip};

// Generic over the function, so that each gets a loop it is compiled into.
fn unary(
    name: &str,
    args: &[Arg],
    f: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let wide = args[0].ty.is_wide_integer();
    let unit = if wide { 1.0 } else { unit_of(name, &args[0])? };
    if unit != 1.0 {
        let f = move |x: f64| f(x / unit);
        return Ok(BoundKernel::new(DataType::Float64, move |args, rows| map(&args[0], rows, f)));
    }
    Ok(BoundKernel::new(DataType::Float64, move |args, rows| map(&args[0], rows, f)))
}

fn binary(
    name: &str,
    args: &[Arg],
    f: impl Fn(f64, f64) -> f64 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let units = (unit_of(name, &args[0])?, unit_of(name, &args[1])?);
    if units != (1.0, 1.0) {
        let f = move |x: f64, y: f64| f(x / units.0, y / units.1);
        let run = move |args: &[Column], rows: usize| zip(&args[0], &args[1], rows, f);
        return Ok(BoundKernel::new(DataType::Float64, run));
    }
    Ok(BoundKernel::new(DataType::Float64, move |args, rows| zip(&args[0], &args[1], rows, f)))
}

/// What the stored numbers of an argument are to be divided by: 1 but for decimals.
fn unit_of(name: &str, arg: &Arg) -> Result<f64> {
    match &arg.ty {
        DataType::Decimal(_, scale) => Ok(power_of_ten(*scale) as f64),
        ty if ty.is_native_number() => Ok(1.0),
        ty => Err(illegal_type(name, ty)),
    }
}

fn number(value: f64) -> Result<BoundKernel> {
    Ok(BoundKernel::new(DataType::Float64, move |_, rows| Ok(constant(value, rows))))
}

/// Ten to the power: exact for small whole exponents.
fn exp10(x: f64) -> f64 {
    let whole = x.trunc();
    if whole.abs() < 16.0 {
        let power = 10f64.powi(whole.abs() as i32);
        let power = if whole < 0.0 { 1.0 / power } else { power };
        let rest = x - whole;
        return match rest {
            0.0 => power,
            rest => (std::f64::consts::LOG2_10 * rest).exp2() * power,
        };
    }
    10f64.powf(x)
}

fn tgamma(x: f64) -> f64 {
    if x < 0.0 && x == x.floor() { f64::NAN } else { libm::tgamma(x) }
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };
const ANY_CASE: FunctionDef = FunctionDef { case_insensitive: true, ..ONE };
const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..ANY_CASE };
const NONE: FunctionDef = FunctionDef { arity: (0, 0), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "exp",
        description: "e to the power of x.",
        examples: &[("exp(0)", "1")],
        bind: |a, _| unary("exp", a, f64::exp),
        ..ANY_CASE
    },
    FunctionDef {
        name: "log",
        aliases: &["ln"],
        description: "Natural logarithm.",
        examples: &[("log(1)", "0"), ("ln(0)", "-inf")],
        bind: |a, _| unary("log", a, f64::ln),
        ..ANY_CASE
    },
    FunctionDef {
        name: "log2",
        description: "Logarithm to base 2.",
        examples: &[("log2(8)", "3")],
        bind: |a, _| unary("log2", a, f64::log2),
        ..ANY_CASE
    },
    FunctionDef {
        name: "log10",
        description: "Logarithm to base 10.",
        examples: &[("log10(1000)", "3")],
        bind: |a, _| unary("log10", a, f64::log10),
        ..ANY_CASE
    },
    FunctionDef {
        name: "log1p",
        description: "Natural logarithm of 1 + x, precise for small x.",
        examples: &[("log1p(0)", "0")],
        bind: |a, _| unary("log1p", a, f64::ln_1p),
        ..ONE
    },
    FunctionDef {
        name: "exp2",
        description: "2 to the power of x.",
        examples: &[("exp2(10)", "1024")],
        bind: |a, _| unary("exp2", a, f64::exp2),
        ..ANY_CASE
    },
    FunctionDef {
        name: "exp10",
        description: "10 to the power of x.",
        examples: &[("exp10(3)", "1000")],
        bind: |a, _| unary("exp10", a, exp10),
        ..ANY_CASE
    },
    FunctionDef {
        name: "sqrt",
        description: "Square root.",
        examples: &[("sqrt(9)", "3")],
        bind: |a, _| unary("sqrt", a, f64::sqrt),
        ..ANY_CASE
    },
    FunctionDef {
        name: "cbrt",
        description: "Cubic root.",
        examples: &[("cbrt(27)", "3")],
        bind: |a, _| unary("cbrt", a, f64::cbrt),
        ..ONE
    },
    FunctionDef {
        name: "pow",
        aliases: &["power"],
        description: "x to the power of y.",
        examples: &[("pow(2, 10)", "1024")],
        bind: |a, _| binary("pow", a, f64::powf),
        ..TWO
    },
    FunctionDef {
        name: "hypot",
        description: "Length of the hypotenuse over x and y.",
        examples: &[("hypot(3, 4)", "5")],
        bind: |a, _| binary("hypot", a, f64::hypot),
        ..TWO
    },
    FunctionDef {
        name: "sin",
        description: "Sine.",
        examples: &[("sin(0)", "0")],
        bind: |a, _| unary("sin", a, f64::sin),
        ..ANY_CASE
    },
    FunctionDef {
        name: "cos",
        description: "Cosine.",
        examples: &[("cos(0)", "1")],
        bind: |a, _| unary("cos", a, f64::cos),
        ..ANY_CASE
    },
    FunctionDef {
        name: "tan",
        description: "Tangent.",
        examples: &[("tan(0)", "0")],
        bind: |a, _| unary("tan", a, f64::tan),
        ..ANY_CASE
    },
    FunctionDef {
        name: "asin",
        description: "Arc sine.",
        examples: &[("asin(0)", "0")],
        bind: |a, _| unary("asin", a, f64::asin),
        ..ANY_CASE
    },
    FunctionDef {
        name: "acos",
        description: "Arc cosine.",
        examples: &[("acos(1)", "0")],
        bind: |a, _| unary("acos", a, libm::acos),
        ..ANY_CASE
    },
    FunctionDef {
        name: "atan",
        description: "Arc tangent.",
        examples: &[("atan(0)", "0")],
        bind: |a, _| unary("atan", a, f64::atan),
        ..ANY_CASE
    },
    FunctionDef {
        name: "atan2",
        description: "The angle of the point (x, y), given y and x.",
        examples: &[("atan2(0, 1)", "0")],
        bind: |a, _| binary("atan2", a, f64::atan2),
        ..TWO
    },
    FunctionDef {
        name: "sinh",
        description: "Hyperbolic sine.",
        examples: &[("sinh(0)", "0")],
        bind: |a, _| unary("sinh", a, f64::sinh),
        ..ONE
    },
    FunctionDef {
        name: "cosh",
        description: "Hyperbolic cosine.",
        examples: &[("cosh(0)", "1")],
        bind: |a, _| unary("cosh", a, f64::cosh),
        ..ONE
    },
    FunctionDef {
        name: "tanh",
        description: "Hyperbolic tangent.",
        examples: &[("tanh(0)", "0")],
        bind: |a, _| unary("tanh", a, libm::tanh),
        ..ONE
    },
    FunctionDef {
        name: "asinh",
        description: "Inverse hyperbolic sine.",
        examples: &[("asinh(0)", "0")],
        bind: |a, _| unary("asinh", a, libm::asinh),
        ..ONE
    },
    FunctionDef {
        name: "acosh",
        description: "Inverse hyperbolic cosine.",
        examples: &[("acosh(1)", "0")],
        bind: |a, _| unary("acosh", a, libm::acosh),
        ..ONE
    },
    FunctionDef {
        name: "atanh",
        description: "Inverse hyperbolic tangent.",
        examples: &[("atanh(0)", "0")],
        bind: |a, _| unary("atanh", a, libm::atanh),
        ..ONE
    },
    FunctionDef {
        name: "erf",
        description: "Error function.",
        examples: &[("erf(0)", "0")],
        bind: |a, _| unary("erf", a, libm::erf),
        ..ONE
    },
    FunctionDef {
        name: "erfc",
        description: "Complementary error function.",
        examples: &[("erfc(0)", "1")],
        bind: |a, _| unary("erfc", a, libm::erfc),
        ..ONE
    },
    FunctionDef {
        name: "lgamma",
        description: "Logarithm of the gamma function.",
        examples: &[("lgamma(1)", "0")],
        bind: |a, _| unary("lgamma", a, libm::lgamma),
        ..ONE
    },
    FunctionDef {
        name: "tgamma",
        description: "Gamma function.",
        examples: &[("tgamma(5)", "24")],
        bind: |a, _| unary("tgamma", a, tgamma),
        ..ONE
    },
    FunctionDef {
        name: "degrees",
        description: "Converts an angle from radians to degrees.",
        examples: &[("degrees(pi())", "180")],
        bind: |a, _| unary("degrees", a, |x| x * (180.0 / std::f64::consts::PI)),
        ..ANY_CASE
    },
    FunctionDef {
        name: "radians",
        description: "Converts an angle from degrees to radians.",
        examples: &[("radians(0)", "0")],
        bind: |a, _| unary("radians", a, |x| x * (std::f64::consts::PI / 180.0)),
        ..ANY_CASE
    },
    FunctionDef {
        name: "sigmoid",
        description: "1 / (1 + exp(-x)).",
        examples: &[("sigmoid(0)", "0.5")],
        bind: |a, _| unary("sigmoid", a, |x| 1.0 / (1.0 + (-x).exp())),
        ..ONE
    },
    FunctionDef {
        name: "pi",
        case_insensitive: true,
        description: "The number pi.",
        examples: &[("pi()", "3.141592653589793")],
        bind: |_, _| number(std::f64::consts::PI),
        ..NONE
    },
    FunctionDef {
        name: "e",
        description: "Euler's number.",
        examples: &[("e()", "2.718281828459045")],
        bind: |_, _| number(std::f64::consts::E),
        ..NONE
    },
];
