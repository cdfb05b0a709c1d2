//! Parses points in time in all usual forms: ISO 8601, RFC 2822, `15/02/2020`, `Dec 15, 2021`, Unix
//! times, compact digits.
//!
//! The text is a sequence of runs of digits, words and separators. The number of digits in a run
//! determines its meaning. The common form `YYYY-MM-DD hh:mm:ss` is parsed directly.

use entasis_base::{Error, Result, codes};
use entasis_types::TimeZone;
use entasis_types::time_zone::{civil_from_days, days_from_civil};

use super::Session;
use super::parse::trailing_datetime;

/// Which of `01/02/2020` is the day, where both could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Day before month.
    DayFirst,
    /// Month before day, as in the United States.
    MonthFirst,
}

const MONTHS: [&[u8; 3]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];
const WEEKDAYS: [&[u8; 3]; 7] = [b"mon", b"tue", b"wed", b"thu", b"fri", b"sat", b"sun"];

#[cold]
fn fail(why: &str) -> Error {
    Error::new(codes::CANNOT_PARSE_DATETIME, format!("Cannot read DateTime: {why}"))
}

/// What was found so far; 0 stands for "not yet" among year, month and day.
#[derive(Default)]
struct Found<'a> {
    fraction: &'a [u8],
    year: u32,
    month: u32,
    day: u32,
    seconds: i64,
    has_time: bool,
    offset: Option<i64>,
    afternoon: Option<bool>,
    unix: Option<i64>,
}

/// Reads the whole of `text`; a time without an offset is one of `zone`. UTC seconds, not clamped.
pub fn read(text: &[u8], zone: TimeZone, session: Session, order: Order) -> Result<i64> {
    read_parts(text, zone, session, order).map(|(second, _)| second)
}

/// A time in any usual form as seconds since 1970 and nanoseconds, for
/// `entasis_function::cast::read_time`.
pub fn read_time(text: &[u8], session: Session, month_first: bool) -> Option<(i64, u32)> {
    let order = if month_first { Order::MonthFirst } else { Order::DayFirst };
    let (second, fraction) = read_parts(text, session.zone, session, order).ok()?;
    let digits = fraction.iter().chain(std::iter::repeat(&b'0')).take(9);
    let nanosecond = digits.fold(0u32, |n, digit| n * 10 + u32::from(digit.wrapping_sub(b'0')));
    Some((second, nanosecond))
}

/// [`read`], and the digits of the fraction of a second.
pub fn read_parts(
    text: &[u8],
    zone: TimeZone,
    session: Session,
    order: Order,
) -> Result<(i64, &[u8])> {
    if let Some(second) = plain(text, zone) {
        return Ok((second, &[]));
    }
    let mut found = Found::default();
    let mut rest = text;
    while let Some(&first) = rest.first() {
        if first.is_ascii_digit() {
            let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (digits, after) = rest.split_at(count);
            rest = found.digits(digits, after, order)?;
        } else if first.is_ascii_alphabetic() {
            rest = found.word(rest)?;
        } else if matches!(first, b' ' | b',') {
            rest = &rest[1..];
        } else if matches!(first, b'+' | b'-') && found.has_time {
            rest = found.offset(rest)?;
        } else if found.day != 0 && found.year != 0 && !found.has_time && joins_time(rest) {
            rest = &rest[1..];
        } else {
            break;
        }
    }
    if !rest.is_empty() && (found.unix.is_some() || found.year != 0 || found.has_time) {
        return Err(trailing_datetime(text, rest));
    }
    let fraction = found.fraction;
    found.finish(zone, session).map(|second| (second, fraction))
}

/// `YYYY-MM-DD hh:mm:ss` (or with `T`) exactly.
#[inline]
fn plain(text: &[u8], zone: TimeZone) -> Option<i64> {
    let text: &[u8; 19] = text.try_into().ok()?;
    let separators = text[4] == b'-'
        && text[7] == b'-'
        && (text[10] == b' ' || text[10] == b'T')
        && text[13] == b':'
        && text[16] == b':';
    let mut bad = !separators;
    let mut two = |at: usize| {
        let (a, b) = (text[at].wrapping_sub(b'0'), text[at + 1].wrapping_sub(b'0'));
        bad |= a > 9 || b > 9;
        u32::from(a) * 10 + u32::from(b)
    };
    let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8));
    let (hour, minute, second) = (two(11), two(14), two(17));
    if bad || year < 1900 || !(1..=12).contains(&month) || !(1..=28).contains(&day) {
        return None; // the careful path knows the length of months
    }
    let days = i64::from(days_from_civil(year as i32, month, day));
    Some(zone.from_local(days * 86_400 + i64::from(hour * 3600 + minute * 60 + second)))
}

/// A time of two, four or six digits that a sign joins to its date, as in `20240131-235959`.
fn joins_time(rest: &[u8]) -> bool {
    let [b'+' | b'-', rest @ ..] = rest else { return false };
    let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    matches!(count, 2 | 4 | 6) && rest.get(count) != Some(&b':')
}

fn number(digits: &[u8]) -> i64 {
    digits.iter().fold(0, |v, d| v * 10 + i64::from(d - b'0'))
}

/// Splits one or two digits off the front.
fn short_number(rest: &[u8]) -> Option<(u32, &[u8])> {
    let count = rest.iter().take(2).take_while(|b| b.is_ascii_digit()).count();
    (count > 0).then(|| (number(&rest[..count]) as u32, &rest[count..]))
}

fn month_name(rest: &[u8]) -> Option<u32> {
    let word = rest.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|m| m[..] == word[..]).map(|i| i as u32 + 1)
}

fn after_word(rest: &[u8]) -> &[u8] {
    &rest[rest.iter().take_while(|b| b.is_ascii_alphabetic()).count()..]
}

/// Takes `.` and digits off the front: the digits, and the rest.
fn split_fraction(rest: &[u8]) -> (&[u8], &[u8]) {
    let [b'.' | b',', tail @ ..] = rest else { return (&[], rest) };
    let count = tail.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 { (&[], rest) } else { tail.split_at(count) }
}

impl<'a> Found<'a> {
    fn digits(&mut self, digits: &'a [u8], after: &'a [u8], order: Order) -> Result<&'a [u8]> {
        let at = |range: std::ops::Range<usize>| number(&digits[range]) as u32;
        match digits.len() {
            14 | 12 if self.year == 0 => {
                (self.year, self.month, self.day) = (at(0..4), at(4..6), at(6..8));
                let second = if digits.len() == 14 { at(12..14) } else { 0 };
                self.time(at(8..10), at(10..12), second);
            }
            13 | 16 if self.year == 0 => {
                self.unix = Some(number(&digits[..10]));
                self.fraction = &digits[10..];
            }
            9 | 10 if self.year == 0 && !self.has_time => {
                self.unix = Some(number(digits));
                let (fraction, rest) = split_fraction(after);
                self.fraction = fraction;
                return Ok(rest);
            }
            8 if self.year == 0 => {
                (self.year, self.month, self.day) = (at(0..4), at(4..6), at(6..8));
            }
            6 if self.year == 0 => (self.year, self.month) = (at(0..4), at(4..6)),
            6 if !self.has_time => {
                self.time(at(0..2), at(2..4), at(4..6));
                let (fraction, rest) = split_fraction(after);
                self.fraction = fraction;
                return Ok(rest);
            }
            4 if self.year == 0 => return self.year_first(at(0..4), after),
            4 if !self.has_time => self.time(at(0..2), at(2..4), 0),
            1 | 2 => return self.short(number(digits) as u32, after, order),
            count => return Err(fail(&format!("unexpected number of decimal digits: {count}"))),
        }
        Ok(after)
    }

    /// `YYYY`, and `-MM-DD` or `-Mon-DD` where it follows.
    fn year_first(&mut self, year: u32, after: &'a [u8]) -> Result<&'a [u8]> {
        self.year = year;
        let [separator @ (b'-' | b'/' | b'.' | b':'), rest @ ..] = after else { return Ok(after) };
        let rest = match month_name(rest) {
            Some(month) => {
                self.month = month;
                after_word(rest)
            }
            None => match short_number(rest) {
                Some((month, rest)) => {
                    self.month = month;
                    rest
                }
                None => return Ok(after),
            },
        };
        match rest {
            [s, tail @ ..] if s == separator => match short_number(tail) {
                Some((day, tail)) => {
                    self.day = day;
                    Ok(tail)
                }
                None => Err(fail("unexpected word")),
            },
            _ => Ok(rest),
        }
    }

    /// One or two digits: an hour before `:`, part of a date before another separator, else a day.
    fn short(&mut self, first: u32, after: &'a [u8], order: Order) -> Result<&'a [u8]> {
        match after {
            [b':', rest @ ..] if !self.has_time => Ok(self.clock(first, rest)),
            [s @ (b'/' | b'-' | b'.'), rest @ ..] if self.day == 0 && self.year == 0 => {
                self.day = first;
                let rest = if let Some(month) = month_name(rest) {
                    self.month = month;
                    after_word(rest)
                } else {
                    let Some((second, rest)) = short_number(rest) else {
                        return Err(fail("unexpected word"));
                    };
                    let swap = match order {
                        Order::DayFirst => second > 12,
                        Order::MonthFirst => first <= 12,
                    };
                    (self.day, self.month) = if swap { (second, first) } else { (first, second) };
                    rest
                };
                let [separator, tail @ ..] = rest else { return Ok(rest) };
                let count = tail.iter().take_while(|b| b.is_ascii_digit()).count();
                if separator != s || !matches!(count, 2 | 4) {
                    return Ok(rest);
                }
                let year = number(&tail[..count]) as u32;
                self.year = match count {
                    4 => year,
                    _ if year < 70 => year + 2000,
                    _ => year + 1900,
                };
                Ok(&tail[count..])
            }
            _ if self.day == 0 => {
                self.day = first;
                Ok(after)
            }
            _ if !self.has_time => {
                self.time(first, 0, 0);
                Ok(after)
            }
            _ => Err(fail("unexpected number of decimal digits: 2")),
        }
    }

    fn time(&mut self, hour: u32, minute: u32, second: u32) {
        self.has_time = true;
        self.seconds = i64::from(hour * 3600 + minute * 60 + second);
    }

    /// What follows `hh:`.
    fn clock(&mut self, hour: u32, rest: &'a [u8]) -> &'a [u8] {
        let Some((minute, mut rest)) = short_number(rest) else {
            self.time(hour, 0, 0);
            return rest;
        };
        let mut second = 0;
        if let [b':', tail @ ..] = rest {
            if let Some((value, tail)) = short_number(tail) {
                (second, rest) = (value, tail);
                (self.fraction, rest) = split_fraction(rest);
            }
        }
        self.time(hour, minute, second);
        rest
    }

    fn word(&mut self, rest: &'a [u8]) -> Result<&'a [u8]> {
        let after = after_word(rest);
        let word = rest[..rest.len() - after.len()].to_ascii_lowercase();
        match word.as_slice() {
            b"t" if self.year != 0 => {}
            b"z" | b"utc" | b"gmt" => self.offset = Some(0),
            b"msk" => self.offset = Some(3 * 3600),
            b"msd" => self.offset = Some(4 * 3600),
            b"am" if self.has_time => self.afternoon = Some(false),
            b"pm" if self.has_time => self.afternoon = Some(true),
            [_] => return Err(fail("unexpected alphabetical character")),
            word => {
                if let Some(month) = month_name(word) {
                    self.month = month;
                } else if !word.get(..3).is_some_and(|w| WEEKDAYS.iter().any(|d| d[..] == *w)) {
                    return Err(fail("unexpected word"));
                }
            }
        }
        Ok(after)
    }

    /// `+hh`, `-hhmm`, `+hh:mm`.
    fn offset(&mut self, rest: &'a [u8]) -> Result<&'a [u8]> {
        let sign = if rest[0] == b'-' { -1 } else { 1 };
        let rest = &rest[1..];
        let Some((hours, mut rest)) = short_number(rest) else {
            return Err(fail("unexpected time zone offset"));
        };
        let tail = rest.strip_prefix(b":").unwrap_or(rest);
        let mut minutes = 0;
        if let Some((value, tail)) = short_number(tail) {
            (minutes, rest) = (value, tail);
        }
        self.offset = Some(sign * i64::from(hours * 3600 + minutes * 60));
        Ok(rest)
    }

    fn finish(mut self, zone: TimeZone, session: Session) -> Result<i64> {
        if let Some(second) = self.unix {
            return Ok(second);
        }
        if self.year == 0 && self.month == 0 && self.day == 0 && !self.has_time {
            return Err(fail("neither Date nor Time was parsed successfully"));
        }
        if self.year == 0 {
            self.year = civil_from_days((session.now.as_secs() / 86_400) as i32).0 as u32;
        }
        let (month, day) = (self.month.max(1), self.day.max(1));
        let days = days_from_civil(self.year as i32, month.min(12), day);
        if month > 12 || civil_from_days(days).2 != day {
            return Err(fail(&format!("unexpected date: {}-{month}-{day}", self.year)));
        }
        let mut seconds = self.seconds;
        match self.afternoon {
            Some(true) if seconds < 12 * 3600 => seconds += 12 * 3600,
            Some(false) if (12 * 3600..13 * 3600).contains(&seconds) => seconds -= 12 * 3600,
            _ => {}
        }
        let local = i64::from(days) * 86_400 + seconds;
        Ok(match self.offset {
            Some(offset) => local - offset,
            None => zone.from_local(local),
        })
    }
}
