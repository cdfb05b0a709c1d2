//! Time zones and dates, with tables that are computed in advance, so that a kernel needs one table
//! look-up per value.
//!
//! Zones come from the tz database in the crate jiff and are interned: a [`TimeZone`] is a pointer,
//! and pointers are equal if zones are. The tables of days cover 1970 to 2106, the range of
//! DateTime. Spans of constant offset begin in 1900, for 64-bit times.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};

const DAY: i64 = 86_400;
/// 1900-01-01. The offsets of 64-bit times are known from here on.
const FIRST_SECOND: i64 = -2_208_988_800;
/// Last second that a DateTime can hold.
const MAX_SECOND: i64 = u32::MAX as i64;

/// An interned time zone.
#[derive(Clone, Copy)]
pub struct TimeZone(&'static Zone);

struct Zone {
    name: String,
    /// First UTC second of each span of constant offset; the first entry is i64::MIN.
    starts: Vec<i64>,
    /// Seconds east of UTC, one per span.
    offsets: Vec<i32>,
    /// Index of the span that holds the first second of each UTC day since 1970.
    span_of_day: Vec<u16>,
    /// The offset, if there is only one since 1970.
    fixed: Option<i32>,
}

static ZONES: LazyLock<Mutex<HashMap<String, TimeZone>>> = LazyLock::new(Mutex::default);

impl TimeZone {
    /// Looks a zone up by its IANA name. The first look-up builds its tables (about 200 KB).
    pub fn get(name: &str) -> Result<Self> {
        if name == "UTC" {
            return Ok(Self::utc());
        }
        let mut zones = lock(&ZONES);
        if let Some(zone) = zones.get(name) {
            return Ok(*zone);
        }
        let zone = Self(Box::leak(Box::new(Zone::build(name)?)));
        zones.insert(name.to_string(), zone);
        Ok(zone)
    }

    /// The IANA names of all zones, sorted.
    pub fn names() -> Vec<String> {
        let mut names: Vec<String> = jiff::tz::db().available().map(|n| n.to_string()).collect();
        names.sort_unstable();
        names
    }

    /// Coordinated universal time.
    pub fn utc() -> Self {
        static UTC: LazyLock<TimeZone> = LazyLock::new(|| {
            TimeZone(Box::leak(Box::new(Zone {
                name: "UTC".into(),
                starts: vec![i64::MIN],
                offsets: vec![0],
                span_of_day: vec![0; (MAX_SECOND / DAY + 2) as usize],
                fixed: Some(0),
            })))
        });
        *UTC
    }

    /// The IANA name.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// Seconds east of UTC, if they never change (UTC, and zones without transitions since 1970).
    pub fn fixed_offset(self) -> Option<i32> {
        self.0.fixed
    }

    /// Whether all offsets since 1970 are multiples of `unit` seconds.
    pub fn has_whole_offsets(self, unit: i32) -> bool {
        let last_before = self.0.starts.partition_point(|&s| s <= 0) - 1;
        self.0.offsets[last_before..].iter().all(|offset| offset % unit == 0)
    }

    /// Seconds east of UTC at a UTC second. Before 1900 and after 2106 it is the nearest known
    /// offset.
    #[inline]
    pub fn offset_at(self, second: i64) -> i32 {
        let zone = self.0;
        if second < 0 {
            return zone.offsets[zone.starts.partition_point(|&s| s <= second) - 1];
        }
        let day = second.min(MAX_SECOND) / DAY;
        let mut span = zone.span_of_day[day as usize] as usize;
        while span + 1 < zone.starts.len() && second >= zone.starts[span + 1] {
            span += 1;
        }
        zone.offsets[span]
    }

    /// Seconds east of UTC, if they are the same for all UTC seconds in a range. With it, a loop
    /// over a chunk of times needs no look-up per row.
    pub fn offset_between(self, first: i64, last: i64) -> Option<i32> {
        let zone = self.0;
        let span = |second: i64| zone.starts.partition_point(|&s| s <= second) - 1;
        let (a, b) = (span(first), span(last));
        (a == b).then(|| zone.offsets[a])
    }

    /// A UTC second as local seconds since local 1970-01-01 00:00:00.
    #[inline]
    pub fn to_local(self, second: i64) -> i64 {
        second + i64::from(self.offset_at(second))
    }

    /// Converts local seconds to a UTC second. In a gap (clocks are put forward) the later offset
    /// applies, as in the reference. Of two possible times (clocks are put back) it is the earlier
    /// one.
    #[inline]
    pub fn from_local(self, local: i64) -> i64 {
        let before = i64::from(self.offset_at(local - DAY));
        let candidate = local - before;
        if i64::from(self.offset_at(candidate)) == before {
            return candidate;
        }
        local - i64::from(self.offset_at(local + DAY))
    }
}

impl Zone {
    fn build(name: &str) -> Result<Self> {
        let zone = jiff::tz::TimeZone::get(name).map_err(|e| {
            Error::new(
                codes::BAD_ARGUMENTS,
                format!("Cannot load time zone {name}: use an IANA name such as Europe/Berlin"),
            )
            .with_cause(e)
        })?;
        let first = jiff::Timestamp::from_second(FIRST_SECOND).unwrap_or_default();
        let (mut starts, mut offsets) = (vec![i64::MIN], vec![zone.to_offset(first).seconds()]);
        for transition in zone.following(first) {
            let second = transition.timestamp().as_second();
            if second > MAX_SECOND {
                break;
            }
            if transition.offset().seconds() != offsets[offsets.len() - 1] {
                starts.push(second);
                offsets.push(transition.offset().seconds());
            }
        }
        let span_of_day = (0..=MAX_SECOND / DAY + 1)
            .map(|day| (starts.partition_point(|&s| s <= day * DAY) - 1) as u16)
            .collect();
        let last_before = starts.partition_point(|&s| s <= 0) - 1;
        let fixed = (last_before + 1 == starts.len()).then(|| offsets[last_before]);
        Ok(Self { name: name.to_string(), starts, offsets, span_of_day, fixed })
    }
}

impl PartialEq for TimeZone {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for TimeZone {}

impl Hash for TimeZone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimeZone({})", self.name())
    }
}

/// Periods of 400 years that are added, so that every day number becomes positive.
const PERIODS: i64 = 14_704;
/// Days from a 1 March of the shifted years to 1970-01-01.
const SHIFT: i64 = 719_468 + 146_097 * PERIODS;

/// Year, month (1-12) and day (1-31) of a day number since 1970-01-01.
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (civil_from_days).
#[inline]
pub fn civil_from_days(days: i32) -> (i32, u32, u32) {
    // Neri and Schneider, "Euclidean affine functions and their application to calendar
    // algorithms" (2022): years begin in March, and divisions are multiplications.
    let quarter_days = (i64::from(days) + SHIFT) as u64 * 4 + 3;
    let (century, of_century) = (quarter_days / 146_097, (quarter_days % 146_097) as u32 / 4);
    let product = 2_939_745 * u64::from(4 * of_century + 3);
    let (year, of_year) = ((product >> 32) as i64, product as u32 / 2_939_745 / 4);
    let month_and_day = 2_141 * of_year + 197_913;
    let (month, day) = (month_and_day >> 16, (month_and_day & 0xffff) / 2_141 + 1);
    let next_year = of_year >= 306;
    let year = 100 * century as i64 + year - 400 * PERIODS + i64::from(next_year);
    (year as i32, if next_year { month - 12 } else { month }, day)
}

/// The inverse of [`civil_from_days`]; the day may exceed the month's length and counts on.
#[inline]
pub fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let last_year = month <= 2;
    let year = (i64::from(year) + 400 * PERIODS - i64::from(last_year)) as u64;
    let month = if last_year { month + 12 } else { month };
    let century = year / 100;
    let days = 1_461 * year / 4 - century + century / 4;
    let days = days + u64::from((979 * month - 2_919) / 32) + u64::from(day);
    (days as i64 - 1 - SHIFT) as i32
}

/// Number of days of a month, 1 to 12.
#[inline]
pub fn days_of_month(year: i32, month: u32) -> u32 {
    if month == 2 {
        // Multiples of 25 and of 16 are those of 400.
        let is_leap = if year % 25 == 0 { year % 16 == 0 } else { year % 4 == 0 };
        return 28 + u32::from(is_leap);
    }
    30 + ((month ^ (month >> 3)) & 1)
}

/// Day of the week, 1 = Monday to 7 = Sunday.
#[inline]
pub fn weekday(days: i32) -> u32 {
    (days + 3).rem_euclid(7) as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_round_trip() {
        for days in -1000..60_000 {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), days);
        }
        for days in (i32::MIN..=i32::MAX).step_by(9_999_991) {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), days);
            let next = if m == 12 { (y + 1, 1) } else { (y, m + 1) };
            let length = days_from_civil(next.0, next.1, 1) - days_from_civil(y, m, 1);
            assert_eq!(days_of_month(y, m), length as u32);
            assert!((1..=days_of_month(y, m)).contains(&d));
        }
        assert_eq!(civil_from_days(0), (1970, 1, 1));
        assert_eq!(weekday(0), 4);
    }

    #[test]
    fn moscow_changed_its_offset_in_2011() {
        let zone = TimeZone::get("Europe/Moscow").unwrap();
        assert_eq!(zone.offset_at(1_293_840_000), 3 * 3600); // 2011-01-01
        assert_eq!(zone.offset_at(1_325_376_000), 4 * 3600); // 2012-01-01
        for second in (1_200_000_000..1_500_000_000).step_by(7 * 3600) {
            let local = zone.to_local(second);
            assert_eq!(zone.to_local(zone.from_local(local)), local);
        }
    }

    #[test]
    fn zones_are_interned() {
        assert_eq!(TimeZone::get("UTC").unwrap(), TimeZone::utc());
        assert_eq!(TimeZone::get("Asia/Tokyo").unwrap().fixed_offset(), Some(9 * 3600));
        assert!(TimeZone::get("Mars/Olympus").is_err());
    }
}
