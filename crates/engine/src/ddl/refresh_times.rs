//! When a refreshable view is due. Days and months are those of UTC.

use std::time::Duration;

use entasis_sql::ast::{Interval, Refresh};

use crate::process::random;

const DAY: u64 = 86_400;

/// The first time after `now` at which a view is due.
pub(super) fn next_time(refresh: &Refresh, now: Duration) -> Duration {
    let seconds = if refresh.every {
        next_slot(refresh, now.as_secs())
    } else {
        after(now.as_secs(), refresh.period)
    };
    Duration::from_secs(seconds)
}

/// A random length of time from nothing to what RANDOMIZE FOR says.
pub(super) fn spread(refresh: &Refresh) -> Duration {
    let most = refresh.spread.months * 30 * DAY + refresh.spread.seconds;
    Duration::from_secs(if most == 0 { 0 } else { random() % most })
}

/// EVERY: the first multiple of the period, plus the offset, that lies after `now`.
fn next_slot(refresh: &Refresh, now: u64) -> u64 {
    let (period, offset) = (refresh.period, refresh.offset);
    if let Some(periods) = months_since_1970(now).checked_div(period.months) {
        let months = periods * period.months;
        let slots = [months.saturating_sub(period.months), months, months + period.months];
        let times = slots.map(|months| after(start_of_month(months), offset));
        return times.into_iter().find(|time| *time > now).unwrap_or(now + 28 * DAY);
    }
    // 1970-01-01 was a Thursday, and weeks begin on Mondays.
    let shift = if period.seconds.is_multiple_of(7 * DAY) { 4 * DAY } else { 0 };
    let period = period.seconds.max(1);
    let start = shift + offset.seconds;
    match now.checked_sub(start) {
        Some(since) => start + (since / period + 1) * period,
        None => start,
    }
}

/// The time so long after another one.
fn after(time: u64, interval: Interval) -> u64 {
    let time = match interval.months {
        0 => time,
        months => {
            let at = months_since_1970(time);
            let within = time - start_of_month(at);
            start_of_month(at + months) + within
        }
    };
    time + interval.seconds
}

/// Months from 1970-01 to the month of a time.
fn months_since_1970(time: u64) -> u64 {
    let days = time / DAY;
    let mut months = days / 31;
    while start_of_month(months + 1) <= days * DAY {
        months += 1;
    }
    months
}

/// The first second of a month, counted from 1970-01.
fn start_of_month(months: u64) -> u64 {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let (years, month) = (months / 12, (months % 12) as usize);
    let year = 1970 + years;
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leap_day = u64::from(is_leap && month > 1);
    (years * 365 + leaps(year - 1) - leaps(1969) + BEFORE[month] + leap_day) * DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(months: u64, seconds: u64) -> Interval {
        Interval { months, seconds }
    }

    fn every(period: Interval, offset: Interval) -> Refresh {
        Refresh {
            every: true,
            period,
            offset,
            spread: Interval::default(),
            depends_on: Vec::new(),
            settings: Vec::new(),
            append: false,
        }
    }

    #[test]
    fn months_begin_where_the_calendar_says() {
        for (months, days) in [(0, 0), (1, 31), (2, 59), (12, 365), (26, 790), (27, 821)] {
            assert_eq!(start_of_month(months), days * DAY, "{months}");
        }
        // 2024-02-29 12:00:00
        let time = 1_709_208_000;
        assert_eq!(months_since_1970(time), 54 * 12 + 1);
        assert_eq!(start_of_month(54 * 12 + 2), 1_709_251_200);
        for months in 0..3000 {
            assert_eq!(months_since_1970(start_of_month(months)), months);
            assert_eq!(months_since_1970(start_of_month(months + 1) - 1), months);
        }
    }

    #[test]
    fn slots_lie_after_now() {
        // 2024-02-29 12:00:00, a Thursday.
        let now = Duration::new(1_709_208_000, 0);
        for (period, offset, next) in [
            (interval(0, 60), interval(0, 0), 1_709_208_060),
            (interval(0, 3600), interval(0, 1800), 1_709_209_800),
            (interval(0, DAY), interval(0, 0), 1_709_251_200),
            (interval(0, DAY), interval(0, 13 * 3600), 1_709_211_600),
            (interval(0, 7 * DAY), interval(0, 0), 1_709_510_400),
            (interval(1, 0), interval(0, 0), 1_709_251_200),
            (interval(1, 0), interval(0, 5 * DAY), 1_709_683_200),
            (interval(12, 0), interval(0, 0), 1_735_689_600),
        ] {
            let refresh = every(period, offset);
            assert_eq!(next_time(&refresh, now).as_secs(), next, "{period:?} {offset:?}");
        }
        let once = Refresh { every: false, ..every(interval(0, 90), interval(0, 0)) };
        assert_eq!(next_time(&once, now).as_secs(), 1_709_208_090);
    }
}
