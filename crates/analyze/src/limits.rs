//! What settings allow the steps of a SELECT to hold. A SELECT inside a query may bring its own.

/// The most rows and bytes that a setting allows; 0 means no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Rows.
    pub rows: u64,
    /// Bytes.
    pub bytes: u64,
    /// What happens beyond them.
    pub overflow: Overflow,
}

/// What happens to rows beyond a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// They are an error.
    #[default]
    Throw,
    /// They are left out: the chunk that exceeds the bound is the last one.
    Break,
    /// Those of groups that were not known before are left out.
    Any,
}

impl Most {
    /// Whether there is no bound.
    pub fn is_none(self) -> bool {
        self.rows == 0 && self.bytes == 0
    }
}

impl std::fmt::Display for Most {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = [("rows", self.rows), ("bytes", self.bytes)];
        let mut shown = shown.into_iter().filter(|(_, most)| *most > 0);
        if let Some((unit, most)) = shown.next() {
            write!(f, "{unit}: {most}")?;
        }
        shown.try_for_each(|(unit, most)| write!(f, " {unit}: {most}"))
    }
}

/// The bounds of a SELECT's steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most groups of an aggregation.
    pub groups: Most,
    /// Totals leave out the rows of groups beyond that bound (`after_having_exclusive`).
    pub totals_exclude_overflow: bool,
    /// The most that a DISTINCT may keep.
    pub distinct: Most,
    /// The most that may be sorted.
    pub sort: Most,
    /// The most of the side of a join that is kept.
    pub join: Most,
}
