//! Geohashes: cells of the earth as text, five bits per character, longitude first.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::{DataType, TupleType};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;
use entasis_function_kernel::text::{Text, expect_string, finish};

const DIGITS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
/// Most characters.
const LONGEST: u32 = 12;
/// Most cells of one box.
const MOST_CELLS: u64 = 10_000_000;

/// Bits of longitude and latitude in so many characters.
fn bits(precision: u32) -> (u32, u32) {
    ((5 * precision).div_ceil(2), 5 * precision / 2)
}

/// The number of a coordinate's cell: `range` is divided in `2^bits` cells.
fn cell(value: f64, range: f64, bits: u32) -> u64 {
    let scaled = (value + range / 2.0) / range;
    let cells = (1u64 << bits) as f64;
    // NaN is in the cell in the middle, as in the reference.
    (if scaled.is_nan() { 0.0 } else { scaled * cells }).floor().clamp(0.0, cells - 1.0) as u64
}

/// Appends the text of a cell.
fn write(out: &mut Vec<u8>, mut east: u64, mut north: u64, precision: u32) {
    let (x_bits, y_bits) = bits(precision);
    (east, north) = (east << (64 - x_bits), if y_bits == 0 { 0 } else { north << (64 - y_bits) });
    let mut takes_east = true;
    for _ in 0..precision {
        let mut digit = 0;
        for _ in 0..5 {
            let from = if takes_east { &mut east } else { &mut north };
            digit = digit << 1 | (*from >> 63) as usize;
            *from <<= 1;
            takes_east = !takes_east;
        }
        out.push(DIGITS[digit]);
    }
}

/// The precision for an argument: 12 if it is 0 or too large.
fn precision_of(value: u64) -> u32 {
    if value == 0 || value > u64::from(LONGEST) { LONGEST } else { value as u32 }
}

fn expect_float(function: &str, what: &str, arg: &Arg) -> Result<()> {
    if arg.ty.is_float() {
        return Ok(());
    }
    let message = format!(
        "A value of illegal type was provided as argument '{what}' to function '{function}'. \
         Expected: Float*, got: {}",
        arg.ty
    );
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

fn expect_precision(function: &str, arg: Option<&Arg>) -> Result<()> {
    match arg.filter(|arg| !arg.ty.is_native_integer()) {
        None => Ok(()),
        Some(arg) => {
            let message = format!(
                "A value of illegal type was provided as 3rd argument 'precision' to function \
                 '{function}'. Expected: (U)Int*, got: {}",
                arg.ty
            );
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
    }
}

fn encode(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_float("geohashEncode", "longitude", &args[0])?;
    expect_float("geohashEncode", "latitude", &args[1])?;
    expect_precision("geohashEncode", args.get(2))?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let (x, y) = (Side::<f64>::read(&args[0])?, Side::<f64>::read(&args[1])?);
        let precision = match args.get(2) {
            Some(column) => Side::<u64>::read(column)?,
            None => Side::One(LONGEST.into()),
        };
        let mut out = StringsBuilder::with_capacity(rows, rows * LONGEST as usize);
        for i in 0..rows {
            let precision = precision_of(precision.get(i));
            let (x_bits, y_bits) = bits(precision);
            let (east, north) = (cell(x.get(i), 360.0, x_bits), cell(y.get(i), 180.0, y_bits));
            write(&mut out.data, east, north, precision);
            out.close();
        }
        finish(out)
    }))
}

/// The middle of a cell. Bytes that are no digits count as the last one.
fn middle(text: &[u8]) -> (f64, f64) {
    let text = &text[..text.len().min(LONGEST as usize)];
    if text.is_empty() {
        return (0.0, 0.0);
    }
    let (mut east, mut north, mut takes_east) = (0u64, 0u64, true);
    for byte in text {
        let digit = DIGITS.iter().position(|d| d == byte).unwrap_or(31) as u64;
        for k in (0..5).rev() {
            let to = if takes_east { &mut east } else { &mut north };
            *to = *to << 1 | (digit >> k & 1);
            takes_east = !takes_east;
        }
    }
    let (x_bits, y_bits) = bits(text.len() as u32);
    let of = |cell: u64, range: f64, bits: u32| {
        let width = range / (1u64 << bits) as f64;
        cell as f64 * width - range / 2.0 + width / 2.0
    };
    (of(east, 360.0, x_bits), of(north, 180.0, y_bits))
}

fn decode(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_string("geohashDecode", &args[0])?;
    let ty = DataType::Tuple(std::sync::Arc::new(TupleType {
        types: vec![DataType::Float64, DataType::Float64],
        names: Some(vec!["longitude".into(), "latitude".into()]),
    }));
    Ok(BoundKernel::new(ty, |args, rows| {
        let text = Text::of(&args[0])?;
        let (x, y): (Vec<f64>, Vec<f64>) = (0..rows).map(|i| middle(text.get(i))).unzip();
        Ok(Column::tuple(vec![x.into(), y.into()], rows))
    }))
}

/// The cells that a box touches, from the south-west, column by column.
fn in_box(
    (west, south): (f64, f64),
    (east, north): (f64, f64),
    precision: u32,
    out: &mut StringsBuilder,
) -> Result<()> {
    let (x_bits, y_bits) = bits(precision);
    let known = ![west, south, east, north].iter().any(|v| v.is_nan());
    if !known || west > east || south > north {
        return Ok(());
    }
    let ends = |low: f64, high: f64, range: f64, bits: u32| {
        let half = range / 2.0;
        let clamp = |value: f64| cell(value.clamp(-half, half), range, bits);
        clamp(low)..=clamp(high)
    };
    let (columns, lines) = (ends(west, east, 360.0, x_bits), ends(south, north, 180.0, y_bits));
    let count = |range: &std::ops::RangeInclusive<u64>| range.end() - range.start() + 1;
    let cells = count(&columns).saturating_mul(count(&lines));
    if cells > MOST_CELLS {
        let message = format!(
            "geohashesInBox would produce {cells} array elements, which is bigger than the allowed \
             maximum of {MOST_CELLS}"
        );
        return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
    }
    for x in columns {
        for y in lines.clone() {
            write(&mut out.data, x, y, precision);
            out.close();
        }
    }
    Ok(())
}

fn boxes(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    for (arg, what) in
        args.iter().zip(["longitute_min", "latitude_min", "longitude_max", "latitude_max"])
    {
        expect_float("geohashesInBox", what, arg)?;
    }
    expect_precision("geohashesInBox", args.get(4))?;
    Ok(BoundKernel::new(DataType::array(DataType::String), |args, rows| {
        let side = |i: usize| Side::<f64>::read(&args[i]);
        let (west, south, east, north) = (side(0)?, side(1)?, side(2)?, side(3)?);
        let precision = match args.get(4) {
            Some(column) => Side::<u64>::read(column)?,
            None => Side::One(LONGEST.into()),
        };
        let (mut out, mut ends) = (StringsBuilder::default(), vec![0u32]);
        for i in 0..rows {
            let (from, to) = ((west.get(i), south.get(i)), (east.get(i), north.get(i)));
            in_box(from, to, precision_of(precision.get(i)), &mut out)?;
            out.check_room(0)?;
            ends.push(out.len() as u32);
        }
        Ok(Column::array(ends.into(), finish(out)?))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "geohashEncode",
        description: "The geohash of a place (longitude, latitude), with so many characters (12).",
        examples: &[("geohashEncode(-5.603, 42.594, 5)", "ezs42")],
        arity: (2, 3),
        bind: encode,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "geohashDecode",
        description: "Longitude and latitude of the middle of a geohash's cell.",
        examples: &[("geohashDecode('ezs42')", "(-5.60302734375,42.60498046875)")],
        arity: (1, 1),
        bind: decode,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "geohashesInBox",
        description: "The geohashes of all cells that a box (least longitude and latitude, greatest \
                      longitude and latitude) touches.",
        examples: &[("geohashesInBox(0., 0., 0., 0., 2)", "['s0']")],
        arity: (4, 5),
        bind: boxes,
        ..FunctionDef::DEFAULT
    },
];
