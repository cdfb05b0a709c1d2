//! Numbers in readable form: `bar`, `formatReadableSize`, `formatReadableTimeDelta`.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;
use entasis_types::text::write_u64;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::arguments::constant_string;
use entasis_function_kernel::kernel::{Side, illegal_type};

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

fn bar(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().find(|a| !a.ty.is_any_number()) {
        return Err(illegal_type("bar", &arg.ty));
    }
    let width = match args.get(3) {
        Some(arg) => arg.constant.as_ref().and_then(|v| v.as_f64()).ok_or_else(|| {
            Error::new(codes::ILLEGAL_COLUMN, "Fourth argument of function bar must be constant")
        })?,
        None => 80.0,
    };
    if !(1.0..=1000.0).contains(&width) {
        let message = "Argument max_width of function bar must be between 1 and 1000";
        return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
    }
    let full = "█".repeat(width as usize + 1);
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let (x, low, high) = (
            Side::<f64>::read(&args[0])?,
            Side::<f64>::read(&args[1])?,
            Side::<f64>::read(&args[2])?,
        );
        let mut out = StringsBuilder::with_capacity(rows, rows * 32);
        for i in 0..rows {
            write_bar(&mut out.data, x.get(i), low.get(i), high.get(i), (width, &full));
            out.close();
        }
        Ok(out.finish().into())
    }))
}

/// Appends a bar, which is a part of a full one.
fn write_bar(out: &mut Vec<u8>, x: f64, low: f64, high: f64, (width, full): (f64, &str)) {
    if x.is_nan() || low.is_nan() || high.is_nan() || x <= low {
        return;
    }
    let length = if x >= high { width } else { (x - low) / (high - low) * width };
    // Rounding must not lose an eighth that is there but for the last bit.
    let eighths = (length * 8.0 + 1e-9) as usize;
    out.extend_from_slice(&full.as_bytes()[..eighths / 8 * "█".len()]);
    out.extend_from_slice(EIGHTHS[eighths % 8].as_bytes());
}

/// A scale of units, each `step` times the one before.
struct Scale {
    step: f64,
    units: &'static [&'static str],
}

const BINARY: Scale = Scale {
    step: 1024.0,
    units: &[" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", " ZiB", " YiB"],
};
const DECIMAL: Scale =
    Scale { step: 1000.0, units: &[" B", " KB", " MB", " GB", " TB", " PB", " EB", " ZB", " YB"] };
const QUANTITY: Scale = Scale {
    step: 1000.0,
    units: &[
        "",
        " thousand",
        " million",
        " billion",
        " trillion",
        " quadrillion",
        " quintillion",
        " sextillion",
        " septillion",
    ],
};

fn scaled(name: &str, scale: &'static Scale, args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_any_number() {
        return Err(illegal_type(name, &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        each(&args[0], rows, |out, mut value| {
            let mut unit = 0;
            while value.abs() >= scale.step && unit + 1 < scale.units.len() {
                value /= scale.step;
                unit += 1;
            }
            match value.is_finite() {
                true => write_hundredths(out, value),
                false => entasis_types::text::write_f64(out, value),
            }
            out.extend_from_slice(scale.units[unit].as_bytes());
        })
    }))
}

/// Appends a finite number with two decimal places.
fn write_hundredths(out: &mut Vec<u8>, value: f64) {
    let magnitude = value.abs();
    let whole = magnitude.trunc();
    // The fraction is exact, its product almost: only what is close to a half is rounded exactly.
    let fraction = magnitude - whole;
    let hundredths = fraction * 100.0;
    let is_near_half = (hundredths.fract() - 0.5).abs() < 1e-9;
    // Eighths are the only numbers that lie exactly between two hundredths; they are rounded up.
    let is_half = (fraction * 8.0).fract() == 0.0;
    if magnitude > 1e15 || is_near_half && !is_half {
        return out.extend_from_slice(format!("{value:.2}").as_bytes());
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let all = whole as u64 * 100 + hundredths.round() as u64;
    write_u64(out, all / 100);
    let rest = (all % 100) as u8;
    out.extend_from_slice(&[b'.', b'0' + rest / 10, b'0' + rest % 10]);
}

fn each(column: &Column, rows: usize, write: impl Fn(&mut Vec<u8>, f64)) -> Result<Column> {
    let side = Side::<f64>::read(column)?;
    let mut out = StringsBuilder::with_capacity(rows, rows * 16);
    for i in 0..rows {
        write(&mut out.data, side.get(i));
        out.close();
    }
    Ok(out.finish().into())
}

/// Units of time by length in seconds, longest first.
const UNITS: [(&str, u64); 6] = [
    ("year", 31_536_000),
    ("month", 2_635_200),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
    ("second", 1),
];

fn unit_argument(arg: Option<&Arg>) -> Result<Option<usize>> {
    let Some(arg) = arg else { return Ok(None) };
    let name = constant_string("formatReadableTimeDelta", arg, "unit")?;
    let singular = name.strip_suffix('s').unwrap_or(&name);
    match UNITS.iter().position(|(unit, _)| *unit == singular) {
        Some(at) => Ok(Some(at)),
        None if matches!(singular, "millisecond" | "microsecond" | "nanosecond") => {
            Err(Error::not_implemented(format!("formatReadableTimeDelta with unit {name}")))
        }
        None => {
            let message = format!("Unexpected value of unit argument ({name})");
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
    }
}

fn time_delta(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args[0].ty.is_any_number() {
        return Err(illegal_type("formatReadableTimeDelta", &args[0].ty));
    }
    let first = unit_argument(args.get(1))?.unwrap_or(0);
    let last = unit_argument(args.get(2))?.unwrap_or(UNITS.len() - 1);
    if first > last {
        let message = "Explicit minimum unit value must be lower than the maximum unit";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        each(&args[0], rows, |out, value| write_delta(out, value, &UNITS[first..=last]))
    }))
}

fn write_delta(out: &mut Vec<u8>, value: f64, units: &[(&str, u64)]) {
    if !value.is_finite() {
        return entasis_types::text::write_f64(out, value);
    }
    if value < 0.0 {
        out.push(b'-');
    }
    let mut rest = value.abs() as u64;
    let mut parts = Vec::new();
    for (name, length) in units {
        let count = rest / length;
        rest %= length;
        if count > 0 {
            parts.push((count, *name));
        }
    }
    if parts.is_empty() {
        parts.push((0, units[units.len() - 1].0));
    }
    for (i, (count, name)) in parts.iter().enumerate() {
        if i > 0 {
            let last = i + 1 == parts.len();
            out.extend_from_slice(if last { b" and " } else { b", " });
        }
        write_u64(out, *count);
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
        if *count != 1 {
            out.push(b's');
        }
    }
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "bar",
        description: "A bar of block characters whose length shows where x is between min and max; \
                      it has `width` characters (80) at max.",
        examples: &[("bar(5, 0, 10, 4)", "██"), ("bar(7, 0, 10, 8)", "█████▌")],
        arity: (3, 4),
        bind: bar,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "formatReadableSize",
        aliases: &["FORMAT_BYTES"],
        case_insensitive: true,
        description: "A number of bytes in KiB, MiB and so on.",
        examples: &[("formatReadableSize(1536)", "1.50 KiB")],
        bind: |args, _| scaled("formatReadableSize", &BINARY, args),
        ..ONE
    },
    FunctionDef {
        name: "formatReadableDecimalSize",
        description: "A number of bytes in KB, MB and so on.",
        examples: &[("formatReadableDecimalSize(1536)", "1.54 KB")],
        bind: |args, _| scaled("formatReadableDecimalSize", &DECIMAL, args),
        ..ONE
    },
    FunctionDef {
        name: "formatReadableQuantity",
        description: "A number in thousands, millions and so on.",
        examples: &[("formatReadableQuantity(1234000)", "1.23 million")],
        bind: |args, _| scaled("formatReadableQuantity", &QUANTITY, args),
        ..ONE
    },
    FunctionDef {
        name: "formatReadableTimeDelta",
        description: "A number of seconds in years, months, days, hours, minutes and seconds, \
                      between the largest and the smallest unit given.",
        examples: &[("formatReadableTimeDelta(3661)", "1 hour, 1 minute and 1 second")],
        arity: (1, 3),
        bind: time_delta,
        ..FunctionDef::DEFAULT
    },
];
