//! Units of intervals.

/// The unit of an [`crate::DataType::Interval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntervalKind {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl IntervalKind {
    /// Every unit.
    pub const ALL: [Self; 11] = [
        Self::Nanosecond,
        Self::Microsecond,
        Self::Millisecond,
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Quarter,
        Self::Year,
    ];

    /// `Second`, `Minute`, ...
    pub fn name(self) -> &'static str {
        match self {
            Self::Nanosecond => "Nanosecond",
            Self::Microsecond => "Microsecond",
            Self::Millisecond => "Millisecond",
            Self::Second => "Second",
            Self::Minute => "Minute",
            Self::Hour => "Hour",
            Self::Day => "Day",
            Self::Week => "Week",
            Self::Month => "Month",
            Self::Quarter => "Quarter",
            Self::Year => "Year",
        }
    }

    /// Number of decimals of a second that the unit needs; 0 for seconds and longer units.
    pub fn scale(self) -> u8 {
        match self {
            Self::Nanosecond => 9,
            Self::Microsecond => 6,
            Self::Millisecond => 3,
            _ => 0,
        }
    }
}
