//! formatDateTimeInJodaSyntax: letters are repeated as often as the field is wide.

use entasis_base::{Error, Result};
use entasis_types::DataType;
use entasis_types::text::write_u64;

use super::calendar::Moment;
use super::format::{Clock, MONTHS, WEEKDAYS, write_rows};
use super::weeks::year_week;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::constant_string;

enum Part {
    Literal(Vec<u8>),
    /// Letter and how often.
    Field(u8, usize),
}

fn parse(format: &[u8]) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let byte = format[at];
        if byte == b'\'' {
            if format.get(at + 1) == Some(&b'\'') {
                parts.push(Part::Literal(b"'".to_vec()));
                at += 2;
                continue;
            }
            let mut text = Vec::new();
            at += 1;
            while at < format.len() {
                if format[at] == b'\'' {
                    if format.get(at + 1) != Some(&b'\'') {
                        break;
                    }
                    at += 1;
                }
                text.push(format[at]);
                at += 1;
            }
            at += 1;
            parts.push(Part::Literal(text));
        } else if byte.is_ascii_alphabetic() {
            let count = format[at..].iter().take_while(|&&b| b == byte).count();
            if !b"GCYxywMedEDaKhHkmsSzZ".contains(&byte) {
                let message = format!("format is not supported for {}", byte as char);
                return Err(Error::not_implemented(message));
            }
            parts.push(Part::Field(byte, count));
            at += count;
        } else {
            parts.push(Part::Literal(vec![byte]));
            at += 1;
        }
    }
    Ok(parts)
}

fn number(out: &mut Vec<u8>, value: u64, width: usize) {
    let digits = value.checked_ilog10().unwrap_or(0) as usize + 1;
    out.extend(std::iter::repeat_n(b'0', width.saturating_sub(digits)));
    write_u64(out, value);
}

fn name(out: &mut Vec<u8>, name: &str, width: usize) {
    let text = name.as_bytes();
    out.extend_from_slice(if width >= 4 { text } else { &text[..3] });
}

fn write(out: &mut Vec<u8>, letter: u8, width: usize, c: &Clock, zone: Moment) {
    let d = c.day;
    let year = |out: &mut Vec<u8>, year: u64| {
        if width == 2 { number(out, year % 100, 2) } else { number(out, year, width) }
    };
    match letter {
        b'G' => out.extend_from_slice(b"AD"),
        b'C' => number(out, u64::from(d.year) / 100, width),
        b'y' | b'Y' => year(out, d.year.into()),
        b'x' => year(out, year_week(c.number, 3).0 as u64),
        b'w' => number(out, year_week(c.number, 3).1 as u64, width),
        b'M' if width >= 3 => name(out, MONTHS[d.month as usize - 1], width),
        b'M' => number(out, d.month.into(), width),
        b'E' => name(out, WEEKDAYS[d.weekday as usize - 1], width),
        b'e' => number(out, d.weekday.into(), width),
        b'd' => number(out, d.day.into(), width),
        b'D' => number(out, d.of_year.into(), width),
        b'a' => out.extend_from_slice(if c.hour < 12 { b"AM" } else { b"PM" }),
        b'K' => number(out, u64::from(c.hour % 12), width),
        b'h' => number(out, c.hour12().into(), width),
        b'H' => number(out, c.hour.into(), width),
        b'k' => number(out, if c.hour == 0 { 24 } else { c.hour.into() }, width),
        b'm' => number(out, c.minute.into(), width),
        b's' => number(out, c.second.into(), width),
        b'S' => out.extend(std::iter::repeat_n(b'0', width)),
        b'z' => out.extend_from_slice(zone.zone.name().as_bytes()),
        _ => {
            out.push(if c.offset < 0 { b'-' } else { b'+' });
            number(out, u64::from(c.offset.unsigned_abs() / 3600), 2);
            number(out, u64::from(c.offset.unsigned_abs() / 60 % 60), 2);
        }
    }
}

fn bind(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let function = "formatDateTimeInJodaSyntax";
    let moment = Moment::of(function, args, 2, context)?;
    let parts = parse(constant_string(function, &args[1], "Format")?)?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        write_rows(moment, &args[0], rows, |clock, out| {
            for part in &parts {
                match part {
                    Part::Literal(bytes) => out.extend_from_slice(bytes),
                    Part::Field(letter, width) => write(out, *letter, *width, clock, moment),
                }
            }
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "formatDateTimeInJodaSyntax",
    description: "A date or time as text by Joda's letters: `yyyy-MM-dd HH:mm:ss`.",
    examples: &[(
        "formatDateTimeInJodaSyntax(toDateTime('2020-01-02 15:04:05'), 'yyyy-MM-dd HH:mm')",
        "2020-01-02 15:04",
    )],
    arity: (2, 3),
    bind,
    ..FunctionDef::DEFAULT
}];
