//! Dates and times: `2020-01-02`, `2020-01-02 03:04:05`.

use std::sync::LazyLock;

use super::number::PAIRS;
use super::read_u64;
use crate::TimeZone;
use crate::time_zone::{civil_from_days, days_from_civil};

/// Appends two digits; `value` is taken modulo 100.
#[inline]
pub fn write_two_digits(out: &mut Vec<u8>, value: u32) {
    let pair = (value % 100) as usize * 2;
    out.extend_from_slice(&PAIRS[pair..pair + 2]);
}

/// The text of every day that a Date can hold, because dates repeat and calendar arithmetic is
/// slow.
static DAYS: LazyLock<Vec<[u8; 10]>> = LazyLock::new(|| {
    (0..=i32::from(u16::MAX))
        .map(|days| {
            let (year, month, day) = civil_from_days(days);
            let mut text = Vec::with_capacity(10);
            write_two_digits(&mut text, year as u32 / 100);
            write_two_digits(&mut text, year as u32);
            text.push(b'-');
            write_two_digits(&mut text, month);
            text.push(b'-');
            write_two_digits(&mut text, day);
            <[u8; 10]>::try_from(text).unwrap_or_default()
        })
        .collect()
});

/// Appends `YYYY-MM-DD` for a number of days since 1970-01-01, limited to the range of a Date.
#[inline]
pub fn write_date(out: &mut Vec<u8>, days: i32) {
    out.extend_from_slice(&DAYS[days.clamp(0, i32::from(u16::MAX)) as usize]);
}

/// Appends `YYYY-MM-DD hh:mm:ss` for a UTC second in the time zone.
#[inline]
pub fn write_datetime(out: &mut Vec<u8>, second: i64, zone: TimeZone) {
    let local = zone.to_local(second);
    write_civil(out, local.div_euclid(86_400) as i32);
    let mut text = *b" hh:mm:ss";
    text[1..].copy_from_slice(&time_of_day(local.rem_euclid(86_400) as u32));
    out.extend_from_slice(&text);
}

/// Appends `YYYY-MM-DD` of any day number, before 1970 too.
pub fn write_civil(out: &mut Vec<u8>, days: i32) {
    if (0..=i32::from(u16::MAX)).contains(&days) {
        return write_date(out, days);
    }
    let (year, month, day) = civil_from_days(days);
    let year = year.clamp(0, 9999) as u32;
    write_two_digits(out, year / 100);
    write_two_digits(out, year);
    out.push(b'-');
    write_two_digits(out, month);
    out.push(b'-');
    write_two_digits(out, day);
}

/// Appends `hh:mm:ss` of a second of the day.
#[inline]
pub fn write_time_of_day(out: &mut Vec<u8>, time: u32) {
    out.extend_from_slice(&time_of_day(time));
}

#[inline]
fn time_of_day(time: u32) -> [u8; 8] {
    let mut text = *b"hh:mm:ss";
    for (at, value) in [(0, time / 3600), (3, time / 60 % 60), (6, time % 60)] {
        let pair = (value % 100) as usize * 2;
        text[at..at + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    text
}

/// The day number of a date, by the rules by which the reference reads text: a month or day out of
/// range gives 0 (1970-01-01), and years outside of 1970 to 2149 are limited to this range. A day
/// beyond the end of its month counts into the next one.
pub fn date_from_parts(year: u32, month: u32, day: u32) -> i32 {
    checked_date(year, month, day).unwrap_or(0)
}

fn checked_date(year: u32, month: u32, day: u32) -> Option<i32> {
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| days_from_civil(year as i32, month, day))
}

/// Reads `YYYY-MM-DD` or `YYYYMMDD`. The separator may be any byte that is not a digit, and month
/// and day may have one digit. The day number is not limited. `None` if there is no such date.
pub fn read_date(input: &mut &[u8]) -> Option<i32> {
    read_date_or(input, 0)
}

/// [`read_date`], where a month or day out of range gives `otherwise`, because the least value of
/// Date32 and DateTime64 differs from that of Date.
pub fn read_date_or(input: &mut &[u8], otherwise: i32) -> Option<i32> {
    let date = |year, month, day| checked_date(year, month, day).unwrap_or(otherwise);
    let text = *input;
    let year = digits(text.get(..4)?)?;
    if text.get(4)?.is_ascii_digit() {
        let (month, day) = (digits(text.get(4..6)?)?, digits(text.get(6..8)?)?);
        *input = &text[8..];
        return Some(date(year, month, day));
    }
    let mut rest = &text[5..];
    let month = one_or_two(&mut rest)?;
    if rest.first()?.is_ascii_digit() {
        return None;
    }
    rest = &rest[1..];
    let day = one_or_two(&mut rest)?;
    *input = rest;
    Some(date(year, month, day))
}

/// Reads a text that is `YYYY-MM-DD hh:mm:ss` or `YYYY-MM-DD` with all digits, or a Unix time of 5
/// or more digits. Functions that end in `-OrNull` and `-OrZero` accept these forms. Returns the
/// second and, if there is a point, the digits of the fraction; `None` for any other text.
pub fn read_strict_time(
    text: &[u8],
    zone: TimeZone,
    otherwise: i32,
) -> Option<(i64, Option<&[u8]>)> {
    let number = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if number != 4 {
        let mut rest = text;
        let second = read_u64(&mut rest)?;
        let fraction = behind_point(rest)?;
        let second = i64::try_from(second).unwrap_or(i64::MAX);
        return (number > 4).then_some((second, fraction));
    }
    let (date, time) = text.split_at_checked(10)?;
    let mut rest = date;
    let days = i64::from(read_date_or(&mut rest, otherwise)?);
    if !rest.is_empty() {
        return None;
    }
    let [b' ' | b'T', time @ ..] = time else {
        return time.is_empty().then(|| (zone.from_local(days * 86_400), None));
    };
    let (clock, rest) = time.split_at_checked(8)?;
    let (hour, minute, second) =
        (digits(&clock[..2])?, digits(&clock[3..5])?, digits(&clock[6..8])?);
    let of_day = i64::from(hour * 3600 + minute * 60 + second);
    Some((zone.from_local(days * 86_400 + of_day), behind_point(rest)?))
}

/// The digits of a fraction of a second; `None` without a point.
type Fraction<'a> = Option<&'a [u8]>;

/// The digits after a point; `None` if another text follows.
fn behind_point(rest: &[u8]) -> Option<Fraction<'_>> {
    match rest {
        [] => Some(None),
        [b'.', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => Some(Some(digits)),
        _ => None,
    }
}

/// Reads `YYYY-MM-DD hh:mm:ss` in the time zone (also with `T`, without seconds, or the date only),
/// or a Unix time of 5 or more digits. A fraction of a second is read and dropped. Returns UTC
/// seconds, which are not limited, or `None` if there is no such time.
pub fn read_datetime(input: &mut &[u8], zone: TimeZone) -> Option<i64> {
    read_datetime_parts(input, zone).map(|(second, _)| second)
}

/// [`read_datetime`], and the digits of the fraction of a second.
pub fn read_datetime_parts<'a>(input: &mut &'a [u8], zone: TimeZone) -> Option<(i64, &'a [u8])> {
    let text = *input;
    let number = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if number != 4 {
        let second = read_u64(input)? as i64;
        if number == 8 || number < 5 {
            *input = text;
            let days = if number == 8 { read_date(input)? } else { return None };
            return Some((zone.from_local(i64::from(days) * 86_400), &[]));
        }
        return Some((second, take_fraction(input)));
    }
    let mut rest = text;
    let days = read_date(&mut rest)?;
    let (mut time, mut fraction) = (0, &[][..]);
    if let [b' ' | b'T', hour, ..] = rest
        && hour.is_ascii_digit()
    {
        rest = &rest[1..];
        time = i64::from(one_or_two(&mut rest)?) * 3600;
        for unit in [60, 1] {
            if let [b':', digit, ..] = rest
                && digit.is_ascii_digit()
            {
                rest = &rest[1..];
                time += i64::from(one_or_two(&mut rest)?) * unit;
            }
        }
        fraction = take_fraction(&mut rest);
        if let [b'Z', ..] = rest {
            *input = &rest[1..];
            return Some((i64::from(days) * 86_400 + time, fraction));
        }
    }
    *input = rest;
    Some((zone.from_local(i64::from(days) * 86_400 + time), fraction))
}

/// Takes a point and digits from the front; returns the digits.
fn take_fraction<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let text = *rest;
    let [b'.', digits @ ..] = text else { return &[] };
    let taken = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if taken > 0 {
        *rest = &digits[taken..];
    }
    &digits[..taken]
}

#[inline]
fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |value, byte| {
        let digit = u32::from(byte.wrapping_sub(b'0'));
        (digit < 10).then_some(value * 10 + digit)
    })
}

#[inline]
fn one_or_two(rest: &mut &[u8]) -> Option<u32> {
    let first = u32::from(rest.first()?.wrapping_sub(b'0'));
    if first > 9 {
        return None;
    }
    match rest.get(1).map(|b| u32::from(b.wrapping_sub(b'0'))) {
        Some(second) if second < 10 => {
            *rest = &rest[2..];
            Some(first * 10 + second)
        }
        _ => {
            *rest = &rest[1..];
            Some(first)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datetime(text: &str) -> Option<(i64, usize)> {
        let mut rest = text.as_bytes();
        read_datetime(&mut rest, TimeZone::utc()).map(|v| (v, rest.len()))
    }

    #[test]
    fn dates_in_every_accepted_form() {
        for text in ["2020-01-02", "2020-1-2", "20200102", "2020/01/02"] {
            assert_eq!(read_date(&mut text.as_bytes()), Some(18_263), "{text}");
        }
        assert_eq!(read_date(&mut &b"2020-13-01"[..]), Some(0));
        assert_eq!(read_date(&mut &b"2020-02-31"[..]), Some(18_323));
        assert_eq!(read_date(&mut &b"abc"[..]), None);
    }

    #[test]
    fn times_in_every_accepted_form() {
        for text in
            ["2020-01-02 03:04:05", "2020-01-02T03:04:05", "1577934245", "2020-01-02 03:04:05.678"]
        {
            assert_eq!(datetime(text), Some((1_577_934_245, 0)), "{text}");
        }
        assert_eq!(datetime("2020-01-02"), Some((1_577_923_200, 0)));
        assert_eq!(datetime("2020-01-02 03:04"), Some((1_577_934_240, 0)));
        assert_eq!(datetime("abc"), None);
        let mut out = Vec::new();
        write_datetime(&mut out, 1_577_934_245, TimeZone::get("Asia/Tokyo").unwrap());
        assert_eq!(out, b"2020-01-02 12:04:05");
    }
}
