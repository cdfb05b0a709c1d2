//! `REFRESH ...` of a materialised view: when its query runs again.

use super::{SettingChange, TableName};

/// `REFRESH EVERY 1 DAY OFFSET 2 HOUR RANDOMIZE FOR 1 MINUTE DEPENDS ON a, b SETTINGS ... APPEND`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refresh {
    /// `EVERY` (at fixed points in time) instead of `AFTER` (so long after the last refresh).
    pub every: bool,
    /// The time between two refreshes.
    pub period: Interval,
    /// `OFFSET`: how long after the begin of a period the refresh starts.
    pub offset: Interval,
    /// `RANDOMIZE FOR`: a random time of at most this length is added or subtracted.
    pub spread: Interval,
    /// `DEPENDS ON`: views that have to be refreshed first.
    pub depends_on: Vec<TableName>,
    /// `SETTINGS`.
    pub settings: Vec<SettingChange>,
    /// `APPEND`: rows are added, and the old ones stay.
    pub append: bool,
}

/// A length of time: months have no fixed length, everything else is counted in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Calendar months; a year has twelve.
    pub months: u64,
    /// Seconds.
    pub seconds: u64,
}

/// The units of an interval, the longest first, each with its months and seconds.
const UNITS: [(&str, u64, u64); 8] = [
    ("YEAR", 12, 0),
    ("QUARTER", 3, 0),
    ("MONTH", 1, 0),
    ("WEEK", 0, 604_800),
    ("DAY", 0, 86_400),
    ("HOUR", 0, 3600),
    ("MINUTE", 0, 60),
    ("SECOND", 0, 1),
];

impl Interval {
    /// The interval of one unit, whose name is written in upper case with or without a final S.
    pub fn of_unit(name: &str) -> Option<Self> {
        let singular = name.strip_suffix('S').unwrap_or(name);
        let found = UNITS.iter().find(|(unit, _, _)| *unit == singular)?;
        Some(Self { months: found.1, seconds: found.2 })
    }

    /// The sum of this interval and `count` times another one; `None` if it is too long.
    pub fn plus(self, count: u64, unit: Self) -> Option<Self> {
        Some(Self {
            months: self.months.checked_add(unit.months.checked_mul(count)?)?,
            seconds: self.seconds.checked_add(unit.seconds.checked_mul(count)?)?,
        })
    }

    /// Whether nothing was written.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }

    /// The text, with the longest units first: `1 DAY 2 HOUR`.
    pub fn text(self) -> String {
        let (mut months, mut seconds) = (self.months, self.seconds);
        let mut parts = Vec::new();
        // Quarters are written as months.
        for (name, of_months, of_seconds) in UNITS.iter().filter(|(name, _, _)| *name != "QUARTER")
        {
            let (rest, unit) = match of_months {
                0 => (&mut seconds, of_seconds),
                _ => (&mut months, of_months),
            };
            if *rest >= *unit {
                parts.push(format!("{} {name}", *rest / unit));
                *rest %= unit;
            }
        }
        if parts.is_empty() {
            parts.push("0 SECOND".to_string());
        }
        parts.join(" ")
    }
}
