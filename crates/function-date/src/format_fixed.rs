//! Texts of dates that all have one length, such as `2021-02-03 04:05:06`: a template with the
//! literal bytes is copied for all rows of a block, and then one placeholder after the other is
//! written in a loop over the rows.

use entasis_base::scope;
use entasis_column::{Column, Strings};

use super::calendar::{self, DAY, Moment, day_of};

/// What two digits are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Century,
    YearOfCentury,
    Month,
    Day,
    /// The hundreds of the day of the year.
    Hundreds,
    /// The day of the year without its hundreds.
    DayOfHundred,
    Hour,
    Hour12,
    Minute,
    Second,
    /// 1 for Monday to 7 for Sunday.
    Weekday,
    /// 0 for Sunday to 6 for Saturday.
    WeekdayFromSunday,
    Quarter,
}

use Number::*;

/// One number of the text, of one or two digits.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: usize,
    number: Number,
    digits: usize,
}

/// A text of a fixed length. Where the numbers go, the template has zeros.
#[derive(Debug, Default)]
pub(super) struct Template {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Texts of more bytes are written row by row.
const LONGEST: usize = 256;

/// Rows of a block: their numbers stay in the first-level cache.
const BLOCK: usize = 256;

/// `00` to `99`.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

/// What a placeholder's text consists of: numbers of one or two digits and the bytes between them.
fn pieces(letter: u8) -> Option<&'static [(Number, usize, &'static [u8])]> {
    Some(match letter {
        b'c' | b'm' => &[(Month, 2, b"")],
        b'C' => &[(Century, 2, b"")],
        b'd' => &[(Day, 2, b"")],
        b'D' => &[(Month, 2, b"/"), (Day, 2, b"/"), (YearOfCentury, 2, b"")],
        b'F' => &[(Century, 2, b""), (YearOfCentury, 2, b"-"), (Month, 2, b"-"), (Day, 2, b"")],
        b'h' | b'I' | b'l' => &[(Hour12, 2, b"")],
        b'H' | b'k' => &[(Hour, 2, b"")],
        b'i' => &[(Minute, 2, b"")],
        b'j' => &[(Hundreds, 1, b""), (DayOfHundred, 2, b"")],
        b'Q' => &[(Quarter, 1, b"")],
        b'R' => &[(Hour, 2, b":"), (Minute, 2, b"")],
        b's' | b'S' => &[(Second, 2, b"")],
        b'T' => &[(Hour, 2, b":"), (Minute, 2, b":"), (Second, 2, b"")],
        b'u' => &[(Weekday, 1, b"")],
        b'w' => &[(WeekdayFromSunday, 1, b"")],
        b'y' => &[(YearOfCentury, 2, b"")],
        b'Y' => &[(Century, 2, b""), (YearOfCentury, 2, b"")],
        _ => return None,
    })
}

/// Days and seconds of the day of the rows of a block.
struct Clocks {
    days: [calendar::Day; BLOCK],
    times: [u32; BLOCK],
}

impl Clocks {
    /// Of local seconds.
    #[inline(always)]
    fn read(&mut self, locals: impl Iterator<Item = i64>) {
        for ((day, time), local) in self.days.iter_mut().zip(&mut self.times).zip(locals) {
            *day = day_of(local.div_euclid(DAY));
            *time = local.rem_euclid(DAY) as u32;
        }
    }
}

impl Template {
    /// Appends bytes that all rows share.
    pub fn push_literal(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a placeholder; answers whether its text has a fixed length.
    pub fn push_field(&mut self, letter: u8) -> bool {
        let Some(pieces) = pieces(letter) else { return false };
        for &(number, digits, behind) in pieces {
            self.places.push(Place { at: self.bytes.len(), number, digits });
            self.bytes.resize(self.bytes.len() + digits, b'0');
            self.bytes.extend_from_slice(behind);
        }
        true
    }

    /// Whether the texts are short enough.
    pub fn is_short(&self) -> bool {
        !self.places.is_empty() && self.bytes.len() <= LONGEST
    }

    /// The texts of all rows; `None` if they are written row by row, for the column's layout or
    /// for their length.
    pub fn write(&self, moment: Moment, column: &Column) -> Option<Column> {
        let (width, rows) = (self.bytes.len(), column.len());
        if rows * width > u32::MAX as usize {
            return None;
        }
        let mut data = scope::zeroed(rows * width);
        let mut clocks = Clocks { days: [calendar::Day::default(); BLOCK], times: [0; BLOCK] };
        let (column, zone) = (column.full(), moment.zone);
        for start in (0..rows).step_by(BLOCK) {
            let part = start..rows.min(start + BLOCK);
            match &column {
                Column::UInt16(days) => {
                    clocks.read(days[part.clone()].iter().map(|&d| i64::from(d) * DAY));
                }
                Column::Int32(days) => {
                    clocks.read(days[part.clone()].iter().map(|&d| i64::from(d) * DAY));
                }
                Column::UInt32(seconds) => {
                    let seconds = &seconds[part.clone()];
                    match moment.one_offset(seconds) {
                        Some(offset) => {
                            clocks.read(seconds.iter().map(|&s| i64::from(s) + offset));
                        }
                        None => clocks.read(seconds.iter().map(|&s| zone.to_local(s.into()))),
                    }
                }
                Column::Int64(ticks) => {
                    let local = |&tick: &i64| zone.to_local(tick.div_euclid(moment.unit));
                    clocks.read(ticks[part.clone()].iter().map(local));
                }
                _ => return None,
            }
            let data = &mut data[part.start * width..part.end * width];
            data.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(&self.bytes));
            self.places.iter().for_each(|place| place.write(&clocks, data, width));
        }
        let offsets = (0..=rows).map(|i| (i * width) as u32).collect();
        Some(Column::String(Strings::new(offsets, data.into())))
    }
}

impl Place {
    /// Writes the number of each row of `width` bytes.
    fn write(&self, clocks: &Clocks, data: &mut [u8], width: usize) {
        match self.number {
            Century => self.put(&clocks.days, data, width, |d| u32::from(d.year) / 100),
            YearOfCentury => self.put(&clocks.days, data, width, |d| u32::from(d.year) % 100),
            Month => self.put(&clocks.days, data, width, |d| d.month.into()),
            Day => self.put(&clocks.days, data, width, |d| d.day.into()),
            Hundreds => self.put(&clocks.days, data, width, |d| u32::from(d.of_year) / 100),
            DayOfHundred => self.put(&clocks.days, data, width, |d| u32::from(d.of_year) % 100),
            Weekday => self.put(&clocks.days, data, width, |d| d.weekday.into()),
            WeekdayFromSunday => self.put(&clocks.days, data, width, |d| (d.weekday % 7).into()),
            Quarter => self.put(&clocks.days, data, width, |d| d.quarter().into()),
            Hour => self.put(&clocks.times, data, width, |t| t / 3600),
            Hour12 => self.put(&clocks.times, data, width, |t| (t / 3600 + 11) % 12 + 1),
            Minute => self.put(&clocks.times, data, width, |t| t / 60 % 60),
            Second => self.put(&clocks.times, data, width, |t| t % 60),
        }
    }

    #[inline(always)]
    fn put<T: Copy>(&self, values: &[T], data: &mut [u8], width: usize, number: impl Fn(T) -> u32) {
        let (at, rows) = (self.at, data.chunks_exact_mut(width).zip(values));
        if self.digits == 1 {
            rows.for_each(|(row, &value)| row[at] = b'0' + number(value) as u8);
        } else {
            rows.for_each(|(row, &value)| {
                row[at..at + 2].copy_from_slice(&PAIRS[number(value) as usize % 100]);
            });
        }
    }
}
