//! Functions that make strings longer: `repeat`, `space`, padding to a length, a last character.
//! Also conversion between characters and their codes.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, StringsBuilder, match_number};
use entasis_simd::copy::append;
use entasis_types::DataType;

use super::position::skip_chars;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Properties};
use entasis_function_kernel::kernel::{Side, illegal_type};
use entasis_function_kernel::text::{
    Text, constant_string, expect_any_integer, expect_integer, expect_string, finish, map_number,
    map_text,
};

/// Most repetitions and greatest length of padding, as in the reference.
const MOST: i64 = 1_000_000;
/// Most bytes of one repeated string.
const MOST_BYTES: i64 = 1 << 30;

#[cold]
fn too_large(message: String) -> Error {
    Error::new(codes::TOO_LARGE_STRING_SIZE, message)
}

/// Whether `times` repetitions of `len` bytes are few enough.
fn check_repeat(name: &str, len: usize, times: i64) -> Result<()> {
    let size = times.saturating_mul(len as i64);
    if size > MOST_BYTES {
        let message =
            format!("Too large string size ({size}) in function {name}, maximum is: {MOST_BYTES}");
        return Err(too_large(message));
    }
    if times > MOST {
        let message = format!("Too many times to repeat ({times}), maximum is: {MOST}");
        return Err(too_large(message));
    }
    Ok(())
}

/// Rows of `text` repeated; `times` is how often.
fn repeated(name: &str, text: Text<'_>, times: &Side<i64>, rows: usize) -> Result<Column> {
    let room = if let Side::One(n) = times { (*n).clamp(0, 64) as usize } else { 1 };
    let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows).saturating_mul(room));
    for i in 0..rows {
        let (s, times) = (text.get(i), times.get(i).max(0));
        check_repeat(name, s.len(), times)?;
        out.check_room(s.len() * times as usize)?;
        if let [byte] = s {
            out.data.resize(out.data.len() + times as usize, *byte);
        } else {
            (0..times).for_each(|_| out.data.extend_from_slice(s));
        }
        out.close();
    }
    finish(out)
}

/// Counts as signed numbers; those beyond are the greatest.
fn counts(column: &Column) -> Result<Side<i64>> {
    Ok(match Side::<u64>::read(column)? {
        _ if !matches!(column.full(), Column::UInt64(_)) => Side::read(column)?,
        Side::One(n) => Side::One(i64::try_from(n).unwrap_or(i64::MAX)),
        Side::Many(n) => {
            Side::Many(n.iter().map(|&n| i64::try_from(n).unwrap_or(i64::MAX)).collect())
        }
    })
}

fn repeat(args: &[Arg]) -> Result<BoundKernel> {
    if args[0].ty != DataType::String {
        return Err(illegal_type("repeat", &args[0].ty));
    }
    expect_any_integer("repeat", &args[1])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        repeated("repeat", Text::of(&args[0])?, &counts(&args[1])?, rows)
    }))
}

fn space(args: &[Arg]) -> Result<BoundKernel> {
    expect_integer("space", &args[0])?;
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        repeated("space", Text::One(b" "), &counts(&args[0])?, rows)
    }))
}

/// Which side is padded, and whether lengths count characters.
#[derive(Clone, Copy)]
struct Padding {
    name: &'static str,
    left: bool,
    utf8: bool,
}

impl Padding {
    fn length(self, s: &[u8]) -> usize {
        if self.utf8 { entasis_simd::search::count_chars(s) } else { s.len() }
    }

    /// Bytes of the first `count` units.
    fn front(self, s: &[u8], count: usize) -> usize {
        if self.utf8 { skip_chars(s, count) } else { count.min(s.len()) }
    }

    fn write(self, s: &[u8], target: usize, filler: &Filler, out: &mut Vec<u8>) {
        let length = self.length(s);
        if length >= target {
            return out.extend_from_slice(&s[..self.front(s, target)]);
        }
        if !self.left {
            out.extend_from_slice(s);
        }
        filler.append(target - length, out);
        if self.left {
            out.extend_from_slice(s);
        }
    }
}

/// The padding, repeated so often that most rows take a part of it with one copy.
struct Filler {
    /// Repetitions of the padding, and room behind them, which makes short copies fast.
    data: Vec<u8>,
    /// Where each unit ends in the data; the first one is 0.
    ends: Vec<usize>,
}

impl Filler {
    fn new(padding: Padding, pad: &[u8]) -> Self {
        let units = padding.length(pad).max(1);
        let copies = 64usize.div_ceil(units);
        let mut data = pad.repeat(copies);
        let mut ends: Vec<usize> = (0..copies)
            .flat_map(|k| (0..units).map(move |unit| (k, unit)))
            .map(|(k, unit)| k * pad.len() + padding.front(pad, unit))
            .collect();
        ends.push(data.len());
        data.resize(data.len() + 32, 0);
        Self { data, ends }
    }

    fn append(&self, mut units: usize, out: &mut Vec<u8>) {
        let all = self.ends.len() - 1;
        while units > all {
            out.extend_from_slice(&self.data[..self.ends[all]]);
            units -= all;
        }
        append(&self.data, 0..self.ends[units], out);
    }
}

fn target_length(length: i64) -> Result<usize> {
    if length > MOST {
        let message = format!("New padded length ({length}) is too big, maximum is: {MOST}");
        return Err(too_large(message));
    }
    usize::try_from(length).map_err(|_| {
        let message = format!("New padded length ({length}) is negative");
        Error::new(codes::INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE, message)
    })
}

fn bind_pad(padding: Padding, args: &[Arg]) -> Result<BoundKernel> {
    let name = padding.name;
    expect_string(name, &args[0])?;
    expect_any_integer(name, &args[1])?;
    let pad = args.get(2).map(|a| constant_string(name, a, "Third argument")).transpose()?;
    let pad = pad.filter(|p| !p.is_empty()).unwrap_or(b" ");
    let filler = Filler::new(padding, pad);
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let (text, lengths) = (Text::of(&args[0])?, counts(&args[1])?);
        if let (&Side::One(length), 1..) = (&lengths, rows) {
            let target = target_length(length)?;
            return map_text(&args[0], rows, |s, out| padding.write(s, target, &filler, out));
        }
        let mut out = StringsBuilder::with_capacity(rows, text.bytes(rows));
        for i in 0..rows {
            padding.write(text.get(i), target_length(lengths.get(i))?, &filler, &mut out.data);
            out.close();
        }
        finish(out)
    }))
}

fn append_trailing(args: &[Arg]) -> Result<BoundKernel> {
    let name = "appendTrailingCharIfAbsent";
    expect_string(name, &args[0])?;
    let &[last] = constant_string(name, &args[1], "Second argument")? else {
        let message = format!("Second argument of function {name} must be a one-character string");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        map_text(&args[0], rows, |s, out| {
            out.extend_from_slice(s);
            if s.last().is_some_and(|&b| b != last) {
                out.push(last);
            }
        })
    }))
}

fn ascii(args: &[Arg]) -> Result<BoundKernel> {
    expect_string("ascii", &args[0])?;
    Ok(BoundKernel::new(DataType::Int32, |args, rows| {
        map_number(&args[0], rows, |s| i32::from(s.first().copied().unwrap_or(0)))
    }))
}

/// A number as the byte it is written to.
trait LowByte: Native {
    fn low_byte(self) -> u8;
}

macro_rules! low_byte {
    ($($ty:ty => $through:ty),*) => {$(
        impl LowByte for $ty {
            fn low_byte(self) -> u8 {
                self as $through as u8
            }
        }
    )*};
}

low_byte!(u8 => u8, u16 => u16, u32 => u32, u64 => u64, i8 => i8, i16 => i16, i32 => i32,
    i64 => i64, f32 => i64, f64 => i64);

fn low_bytes<T: LowByte>(values: &[T], out: &mut [u8], step: usize) {
    for (place, value) in out.iter_mut().step_by(step).zip(values) {
        *place = value.low_byte();
    }
}

fn char_of(args: &[Arg]) -> Result<BoundKernel> {
    if args.is_empty() {
        let message = "Number of arguments for function char can't be 0, should be at least 1";
        return Err(Error::new(codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION, message));
    }
    if let Some(arg) = args.iter().find(|a| !a.ty.is_native_number()) {
        return Err(illegal_type("char", &arg.ty));
    }
    Ok(BoundKernel::new(DataType::String, |args, rows| {
        let width = args.len();
        let mut data = vec![0; rows * width];
        for (k, arg) in args.iter().enumerate() {
            if let Some(out) = data.get_mut(k..) {
                match_number!(&arg.full(), values => low_bytes(values, out, width), _ => {});
            }
        }
        let offsets = (0..=rows).map(|i| (i * width) as u32).collect();
        finish(StringsBuilder::from_parts(offsets, data))
    }))
}

const PAD: FunctionDef = FunctionDef {
    properties: Properties::NEVER_FOLDED,
    case_insensitive: true,
    arity: (2, 3),
    nulls: Nulls::PropagateStrict,
    ..FunctionDef::DEFAULT
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "repeat",
        case_insensitive: true,
        description: "The string repeated n times.",
        examples: &[("repeat('ab', 3)", "ababab"), ("repeat('ab', -1)", "")],
        nulls: Nulls::PropagateStrict,
        arity: (2, 2),
        bind: |args, _: &dyn FunctionContext| repeat(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "space",
        properties: Properties::NEVER_FOLDED,
        case_insensitive: true,
        description: "A string of n spaces.",
        examples: &[("concat(space(2), 'a')", "  a")],
        nulls: Nulls::PropagateStrict,
        arity: (1, 1),
        bind: |args, _| space(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "leftPad",
        aliases: &["lpad"],
        description: "The string, cut to a length in bytes or filled up to it on the left.",
        examples: &[("leftPad('7', 3, '0')", "007"), ("lpad('abc', 2)", "ab")],
        bind: |args, _| bind_pad(Padding { name: "leftPad", left: true, utf8: false }, args),
        ..PAD
    },
    FunctionDef {
        name: "rightPad",
        aliases: &["rpad"],
        description: "The string, cut to a length in bytes or filled up to it on the right.",
        examples: &[("rightPad('ab', 5, 'xy')", "abxyx")],
        bind: |args, _| bind_pad(Padding { name: "rightPad", left: false, utf8: false }, args),
        ..PAD
    },
    FunctionDef {
        name: "leftPadUTF8",
        description: "Like `leftPad`, in characters of a UTF-8 string.",
        examples: &[("leftPadUTF8('ж', 3, '→')", "→→ж")],
        case_insensitive: false,
        bind: |args, _| bind_pad(Padding { name: "leftPadUTF8", left: true, utf8: true }, args),
        ..PAD
    },
    FunctionDef {
        name: "rightPadUTF8",
        description: "Like `rightPad`, in characters of a UTF-8 string.",
        examples: &[("rightPadUTF8('ж', 3, '→')", "ж→→")],
        case_insensitive: false,
        bind: |args, _| bind_pad(Padding { name: "rightPadUTF8", left: false, utf8: true }, args),
        ..PAD
    },
    FunctionDef {
        name: "appendTrailingCharIfAbsent",
        description: "The string with the given character at its end, which is added if it is \
                      missing; an empty string stays empty.",
        examples: &[("appendTrailingCharIfAbsent('path', '/')", "path/")],
        arity: (2, 2),
        bind: |args, _| append_trailing(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "char",
        case_insensitive: true,
        description: "A string of the bytes whose codes are given.",
        examples: &[("char(104, 101.9, 321)", "heA")],
        bind: |args, _| char_of(args),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "ascii",
        case_insensitive: true,
        description: "The code of the first byte; 0 for an empty string.",
        examples: &[("ascii('A')", "65"), ("ascii('')", "0")],
        arity: (1, 1),
        bind: |args, _| ascii(args),
        ..FunctionDef::DEFAULT
    },
];
