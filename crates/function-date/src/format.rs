//! formatDateTime with MySQL's placeholders; dateName and monthName.
//!
//! A format is compiled to parts once. Dates often repeat from row to row, so the text of the row
//! before is copied if the value is the same.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::DataType;
use entasis_types::text::{write_i64, write_two_digits, write_u64};

use super::calendar::{DAY, Day, Moment, day_of};
use super::format_fixed::Template;
use super::starts::unit_argument;
use super::weeks::year_week;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::{constant_string, finish};

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A local moment taken apart.
pub(super) struct Clock {
    pub day: Day,
    pub number: i64,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    /// Seconds east of UTC.
    pub offset: i32,
    /// Millionths of a second.
    pub micros: u32,
    /// Ticks of the argument behind the second.
    pub ticks: i64,
}

impl Clock {
    pub fn new(local: i64, offset: i32) -> Self {
        let (number, time) = (local.div_euclid(DAY), local.rem_euclid(DAY) as u32);
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        Self { day: day_of(number), number, hour, minute, second, offset, micros: 0, ticks: 0 }
    }

    pub fn hour12(&self) -> u32 {
        match self.hour % 12 {
            0 => 12,
            hour => hour,
        }
    }

    fn iso(&self) -> (i64, i64) {
        year_week(self.number, 3)
    }
}

#[derive(Clone, Debug)]
enum Part {
    Literal(Vec<u8>),
    /// A placeholder's letter.
    Field(u8),
    /// The same without a zero in front.
    Unpadded(u8),
    /// So many digits of the fraction of a second; a zero for none.
    Fraction(u8),
}

/// What settings say of placeholders.
struct Habits {
    month_names: bool,
    unpadded: bool,
    single_zero: bool,
    digits_of_scale: bool,
    /// Digits of the argument's fractions.
    scale: u8,
}

impl Habits {
    fn of(context: &dyn FunctionContext, ty: &DataType) -> Self {
        let flag = |name: &str| context.setting(name).and_then(|v| v.as_u64()) == Some(1);
        let is_off = |name: &str| context.setting(name).and_then(|v| v.as_u64()) == Some(0);
        Self {
            month_names: !is_off("formatdatetime_parsedatetime_m_is_month_name"),
            unpadded: flag("formatdatetime_format_without_leading_zeros"),
            single_zero: flag("formatdatetime_f_prints_single_zero"),
            digits_of_scale: flag("formatdatetime_f_prints_scale_number_of_digits"),
            scale: match ty {
                DataType::DateTime64(scale, _) => *scale,
                _ => 0,
            },
        }
    }

    /// What a letter means.
    fn part(&self, letter: u8) -> Part {
        match letter {
            b'M' if !self.month_names => Part::Field(b'i'),
            b'c' | b'l' | b'k' if self.unpadded => Part::Unpadded(letter),
            b'f' if self.single_zero || self.digits_of_scale && self.scale > 0 => {
                Part::Fraction(self.scale)
            }
            letter => Part::Field(letter),
        }
    }
}

fn parse(format: &[u8], habits: &Habits) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut bytes = format.iter().copied();
    while let Some(byte) = bytes.next() {
        let literal = if byte == b'%' {
            match bytes.next() {
                Some(b'%') => b'%',
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(letter) if b"abcCdDeFfgGhHiIjklmMpQrRsSTuVwWyYz".contains(&letter) => {
                    parts.push(habits.part(letter));
                    continue;
                }
                Some(letter @ (b'U' | b'v' | b'x' | b'X')) => {
                    let message = format!("Placeholder %{} of formatDateTime", letter as char);
                    return Err(Error::not_implemented(message));
                }
                Some(letter) => {
                    let message = format!(
                        "Incorrect syntax '{}', symbol is not supported '{}' for function \
                         formatDateTime",
                        String::from_utf8_lossy(format),
                        letter as char
                    );
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                None => {
                    let message =
                        "'%' must not be the last character in the format string, use '%%' instead";
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
            }
        } else {
            byte
        };
        match parts.last_mut() {
            Some(Part::Literal(bytes)) => bytes.push(literal),
            _ => parts.push(Part::Literal(vec![literal])),
        }
    }
    Ok(joined(parts))
}

/// Puts the placeholders of dates and of times of day that others are the parts of in their place,
/// because one is written faster than many.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let is_run = |parts: &[Part], letters: [&[u8]; 3], separator: u8| {
        let field = |at: usize, of: &[u8]| matches!(parts[at], Part::Field(l) if of.contains(&l));
        let between = |at: usize| matches!(&parts[at], Part::Literal(b) if b[..] == [separator]);
        let [first, second, third] = letters;
        parts.len() >= 5
            && (field(0, first) && between(1))
            && (field(2, second) && between(3) && field(4, third))
    };
    let (mut out, mut at) = (Vec::with_capacity(parts.len()), 0);
    while at < parts.len() {
        let rest = &parts[at..];
        let whole = if is_run(rest, [b"Y", b"mc", b"d"], b'-') {
            Some(b'F')
        } else if is_run(rest, [b"Hk", b"i", b"sS"], b':') {
            Some(b'T')
        } else {
            None
        };
        out.push(whole.map_or_else(|| rest[0].clone(), Part::Field));
        at += if whole.is_some() { 5 } else { 1 };
    }
    out
}

/// The parts as one template, if their texts always have the same length.
fn template(parts: &[Part]) -> Option<Template> {
    let mut template = Template::default();
    for part in parts {
        match part {
            Part::Literal(bytes) => template.push_literal(bytes),
            Part::Field(letter) if template.push_field(*letter) => {}
            _ => return None,
        }
    }
    template.is_short().then_some(template)
}

fn colons(out: &mut Vec<u8>, parts: &[u32]) {
    for (i, &part) in parts.iter().enumerate() {
        if i > 0 {
            out.push(b':');
        }
        write_two_digits(out, part);
    }
}

/// Two digits, as a part of a text of constant length.
fn two(value: u32) -> [u8; 2] {
    [b'0' + (value / 10 % 10) as u8, b'0' + (value % 10) as u8]
}

fn year4(out: &mut Vec<u8>, year: u16) {
    let ([a, b], [c, d]) = (two(u32::from(year) / 100), two(u32::from(year) % 100));
    out.extend_from_slice(&[a, b, c, d]);
}

fn half(clock: &Clock) -> &'static [u8] {
    if clock.hour < 12 { b"AM" } else { b"PM" }
}

fn write_field(out: &mut Vec<u8>, letter: u8, c: &Clock) {
    let d = c.day;
    let (month, day) = (u32::from(d.month), u32::from(d.day));
    match letter {
        b'a' => out.extend_from_slice(&WEEKDAYS[d.weekday as usize - 1].as_bytes()[..3]),
        b'b' => out.extend_from_slice(&MONTHS[d.month as usize - 1].as_bytes()[..3]),
        b'c' | b'm' => write_two_digits(out, month),
        b'C' => write_two_digits(out, u32::from(d.year) / 100),
        b'd' => write_two_digits(out, day),
        b'D' => {
            write_two_digits(out, month);
            out.push(b'/');
            write_two_digits(out, day);
            out.push(b'/');
            write_two_digits(out, u32::from(d.year) % 100);
        }
        b'e' => write_u64(out, day.into()),
        b'F' => {
            let (century, year) = (two(u32::from(d.year) / 100), two(u32::from(d.year) % 100));
            let (month, day) = (two(month), two(day));
            out.extend_from_slice(&[
                century[0], century[1], year[0], year[1], b'-', month[0], month[1], b'-', day[0],
                day[1],
            ]);
        }
        b'f' => {
            for pair in [c.micros / 10_000, c.micros / 100, c.micros] {
                write_two_digits(out, pair);
            }
        }
        b'g' => write_two_digits(out, (c.iso().0 % 100) as u32),
        b'G' => year4(out, c.iso().0 as u16),
        b'h' | b'I' | b'l' => write_two_digits(out, c.hour12()),
        b'H' | b'k' => write_two_digits(out, c.hour),
        b'i' => write_two_digits(out, c.minute),
        b'j' => {
            out.push(b'0' + (d.of_year / 100) as u8);
            write_two_digits(out, u32::from(d.of_year) % 100);
        }
        b'M' => out.extend_from_slice(MONTHS[d.month as usize - 1].as_bytes()),
        b'p' => out.extend_from_slice(half(c)),
        b'Q' => out.push(b'0' + d.quarter()),
        b'r' => {
            colons(out, &[c.hour12(), c.minute]);
            out.push(b' ');
            out.extend_from_slice(half(c));
        }
        b'R' => colons(out, &[c.hour, c.minute]),
        b's' | b'S' => write_two_digits(out, c.second),
        b'T' => {
            let (hour, minute, second) = (two(c.hour), two(c.minute), two(c.second));
            out.extend_from_slice(&[
                hour[0], hour[1], b':', minute[0], minute[1], b':', second[0], second[1],
            ]);
        }
        b'u' => out.push(b'0' + d.weekday),
        b'V' => write_two_digits(out, c.iso().1 as u32),
        b'w' => out.push(b'0' + d.weekday % 7),
        b'W' => out.extend_from_slice(WEEKDAYS[d.weekday as usize - 1].as_bytes()),
        b'y' => write_two_digits(out, u32::from(d.year) % 100),
        b'Y' => year4(out, d.year),
        b'z' => {
            out.push(if c.offset < 0 { b'-' } else { b'+' });
            let minutes = c.offset.unsigned_abs() / 60;
            write_two_digits(out, minutes / 60);
            write_two_digits(out, minutes % 60);
        }
        _ => {}
    }
}

/// Month or hour without a zero in front.
fn write_unpadded(out: &mut Vec<u8>, letter: u8, c: &Clock) {
    let value = match letter {
        b'c' => u32::from(c.day.month),
        b'l' => c.hour12(),
        _ => c.hour,
    };
    write_u64(out, value.into());
}

/// The fraction of a second, of as many digits as the argument has.
fn write_fraction(out: &mut Vec<u8>, digits: u8, c: &Clock) {
    let text = format!("{:0width$}", c.ticks, width = usize::from(digits.max(1)));
    out.extend_from_slice(text.as_bytes());
}

/// Text of every row; equal neighbours are copied.
pub(super) fn write_rows(
    moment: Moment,
    column: &Column,
    rows: usize,
    write: impl Fn(&Clock, &mut Vec<u8>),
) -> Result<Column> {
    let mut out = StringsBuilder::with_capacity(rows, rows * 12);
    let mut last: Option<(i64, std::ops::Range<usize>)> = None;
    let unit = moment.unit;
    let mut put = |value: i64, local: i64, offset: i32| {
        if let Some((_, range)) = last.as_ref().filter(|(v, _)| *v == value) {
            out.data.extend_from_within(range.clone());
        } else {
            let start = out.data.len();
            let mut clock = Clock::new(local, offset);
            if unit > 1 {
                // Ticks are at most nanoseconds, so that the product fits.
                clock.ticks = value.rem_euclid(unit);
                clock.micros = (clock.ticks * 1_000_000 / unit) as u32;
            }
            write(&clock, &mut out.data);
            last = Some((value, start..out.data.len()));
        }
        out.close();
    };
    match &column.full() {
        Column::UInt16(days) => days.iter().for_each(|&d| put(d.into(), i64::from(d) * DAY, 0)),
        Column::UInt32(seconds) => seconds.iter().for_each(|&s| {
            let offset = moment.zone.offset_at(s.into());
            put(s.into(), i64::from(s) + i64::from(offset), offset);
        }),
        Column::Int32(days) => days.iter().for_each(|&d| put(d.into(), i64::from(d) * DAY, 0)),
        Column::Int64(ticks) => ticks.iter().for_each(|&t| {
            let second = t.div_euclid(unit);
            let offset = moment.zone.offset_at(second);
            put(t, second + i64::from(offset), offset);
        }),
        _ => return Err(Error::logical("not a date column")),
    }
    finish(out)
}

fn format_date_time(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "formatDateTime";
    let moment = Moment::of(name, args, 2, context)?;
    let Some(format) = args.get(1) else {
        return Err(Error::not_implemented("formatDateTime without a format"));
    };
    let habits = Habits::of(context, args[0].ty.without_nullable());
    let parts = parse(constant_string(name, format, "Format")?, &habits)?;
    if moment.is_date && parts.iter().any(|p| matches!(p, Part::Field(b'z'))) {
        let message = "Illegal argument of type Date for function timezoneOffset";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let template = template(&parts);
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        if let Some(texts) = template.as_ref().and_then(|t| t.write(moment, &args[0])) {
            return Ok(texts);
        }
        write_rows(moment, &args[0], rows, |clock, out| {
            for part in &parts {
                match part {
                    Part::Literal(bytes) => match bytes[..] {
                        [byte] => out.push(byte),
                        _ => out.extend_from_slice(bytes),
                    },
                    Part::Field(letter) => write_field(out, *letter, clock),
                    Part::Unpadded(letter) => write_unpadded(out, *letter, clock),
                    Part::Fraction(digits) => write_fraction(out, *digits, clock),
                }
            }
        })
    }))
}

fn date_name(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let unit = unit_argument("dateName", &args[0])?;
    let args = &args[1..];
    let moment = Moment::of("dateName", args, 1, context)?;
    if moment.is_date && matches!(unit.as_str(), "hour" | "minute" | "second") {
        let message = format!("Illegal argument of type Date for function dateName of {unit}");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let write: fn(&Clock, &mut Vec<u8>) = match unit.as_str() {
        "year" => |c, out| write_i64(out, c.day.year.into()),
        "quarter" => |c, out| write_i64(out, c.day.quarter().into()),
        "month" => |c, out| out.extend_from_slice(MONTHS[c.day.month as usize - 1].as_bytes()),
        "dayofyear" => |c, out| write_i64(out, c.day.of_year.into()),
        "day" => |c, out| write_i64(out, c.day.day.into()),
        "week" => |c, out| write_i64(out, c.iso().1),
        "weekday" => {
            |c, out| out.extend_from_slice(WEEKDAYS[c.day.weekday as usize - 1].as_bytes())
        }
        "hour" => |c, out| write_i64(out, c.hour.into()),
        "minute" => |c, out| write_i64(out, c.minute.into()),
        "second" => |c, out| write_i64(out, c.second.into()),
        other => {
            let message = format!("Invalid date part value: {other}");
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        write_rows(moment, &args[1], rows, write)
    }))
}

fn month_name(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let moment = Moment::of("monthName", args, 1, context)?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        write_rows(moment, &args[0], rows, |c, out| {
            out.extend_from_slice(MONTHS[c.day.month as usize - 1].as_bytes());
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "formatDateTime",
        aliases: &["DATE_FORMAT"],
        case_insensitive: true,
        description: "A date or time as text by MySQL's placeholders: `%Y-%m-%d %H:%i:%S`.",
        examples: &[
            ("formatDateTime(toDate('2020-01-02'), '%d.%m.%Y')", "02.01.2020"),
            (
                "formatDateTime(toDateTime('2020-01-02 15:04:05'), '%r %M %j')",
                "03:04 PM January 002",
            ),
        ],
        arity: (1, 3),
        bind: format_date_time,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "dateName",
        case_insensitive: true,
        description: "The part of a date or time that a string names, as text: dateName('month', \
                      d) is January.",
        examples: &[("dateName('weekday', toDate('2021-02-01'))", "Monday")],
        arity: (2, 3),
        bind: date_name,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "monthName",
        case_insensitive: true,
        description: "The English name of the month.",
        examples: &[("monthName(toDate('2021-02-01'))", "February")],
        arity: (1, 1),
        bind: month_name,
        ..FunctionDef::DEFAULT
    },
];
