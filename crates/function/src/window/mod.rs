//! Window functions: the definition of a frame, the functions that exist only over windows, and
//! aggregates over frames.
//!
//! A batch consists of the sorted rows of whole partitions, one after the other. [`Rows`] describes
//! it: where partitions end, where rows equal in ORDER BY end, and a frame for each row. The bounds
//! of frames never decrease from row to row, even across partitions, so kernels can walk over a
//! batch once without looking at partitions.
//!
//! Absent on purpose: sorting, and how frames are found (`exec::window`).

use std::fmt::{self, Debug};

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use crate::Arg;

mod aggregate;
mod frames;

pub use aggregate::{over_frames, running};
pub use frames::Frames;

/// The units in which frames are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnit {
    /// Rows.
    Rows,
    /// Values of the one ORDER BY column; without an offset, rows equal in ORDER BY.
    Range,
    /// Groups of rows equal in ORDER BY.
    Groups,
}

/// A bound of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameBound {
    /// The first row of the partition as a start, the last one as an end.
    Unbounded,
    /// This many units before the current row.
    Preceding(u32),
    /// The current row. With RANGE and GROUPS, all rows equal to it in ORDER BY belong to it.
    CurrentRow,
    /// This many units after the current row.
    Following(u32),
}

impl FrameBound {
    /// Whether the bound has an offset.
    pub fn has_offset(self) -> bool {
        matches!(self, Self::Preceding(_) | Self::Following(_))
    }
}

/// `ROWS BETWEEN start AND end` and the like; both bounds belong to the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The unit of the offsets.
    pub unit: FrameUnit,
    /// The first row of the frame.
    pub start: FrameBound,
    /// The last row of the frame.
    pub end: FrameBound,
    /// Whether the query writes no frame.
    pub is_default: bool,
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            FrameUnit::Rows => "ROWS",
            FrameUnit::Range => "RANGE",
            FrameUnit::Groups => "GROUPS",
        };
        let bound = |bound: FrameBound, side: &str| match bound {
            FrameBound::Unbounded => format!("UNBOUNDED {side}"),
            FrameBound::Preceding(n) => format!("{n} PRECEDING"),
            FrameBound::CurrentRow => "CURRENT ROW".to_string(),
            FrameBound::Following(n) => format!("{n} FOLLOWING"),
        };
        let (start, end) = (bound(self.start, "PRECEDING"), bound(self.end, "FOLLOWING"));
        write!(f, "{unit} BETWEEN {start} AND {end}")
    }
}

impl Frame {
    /// The frame of a window that does not write one.
    pub const DEFAULT: Self = Self {
        unit: FrameUnit::Range,
        start: FrameBound::Unbounded,
        end: FrameBound::CurrentRow,
        is_default: true,
    };

    /// Whether it always is the whole partition.
    pub fn is_partition(&self) -> bool {
        self.start == FrameBound::Unbounded && self.end == FrameBound::Unbounded
    }
}

/// The description of a batch for kernels. Lists of bounds start with 0 and end with the number of
/// rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The first row of each partition.
    pub partitions: &'a [u32],
    /// The first row of each run of rows that are equal in ORDER BY within a partition.
    pub peers: &'a [u32],
    /// The frame of each row.
    pub frames: &'a Frames,
}

impl Rows<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.frames.len()
    }
}

/// A call of a window function, as its binder sees it.
#[derive(Clone, Copy, Debug)]
pub struct WindowArgs<'a> {
    /// The function's own name.
    pub name: &'static str,
    /// Constants in the first pair of parentheses.
    pub params: &'a [Value],
    /// The arguments, without LowCardinality.
    pub args: &'a [Arg],
    /// The window's frame.
    pub frame: &'a Frame,
    /// Whether the window has ORDER BY.
    pub is_ordered: bool,
}

/// What a function needs to be computed for a part of a partition's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// All rows of the partition.
    Partition,
    /// So many rows before and after each row.
    Around {
        /// Rows before it.
        before: u32,
        /// Rows after it.
        after: u32,
        /// Whether it looks at frames. The part then begins and ends where those do.
        framed: bool,
    },
    /// The number of the partition's rows before the part, which is added to the results.
    RowsBefore {
        /// Whether the part must begin with a run of rows that are equal in ORDER BY.
        ranked: bool,
    },
    /// The number of such runs before the part, which begins with one. It is added to the results.
    RunsBefore,
}

/// A window function bound to types: immutable, shared by all workers.
pub trait WindowFunction: Send + Sync + Debug {
    /// Type of the result.
    fn return_type(&self) -> DataType;

    /// The type to which argument `i` must be converted before [`Self::run`]; `None` if it stays as
    /// it is.
    fn argument_type(&self, _i: usize) -> Option<DataType> {
        None
    }

    /// What is needed if a batch is a part of a partition.
    fn needs(&self) -> Needs {
        Needs::Partition
    }

    /// Results for all rows of a batch. Arguments may be of any representation.
    fn run(&self, args: &[Column], rows: Rows<'_>) -> Result<Column>;
}

/// A window function. Written as `WindowDef { name: ..., ..WindowDef::DEFAULT }`.
pub struct WindowDef {
    /// Name as the reference spells it.
    pub name: &'static str,
    /// Further names of the function.
    pub aliases: &'static [&'static str],
    /// Those names that match in upper and lower case.
    pub any_case: &'static [&'static str],
    /// One or two sentences for the manual.
    pub description: &'static str,
    /// Complete queries and their results as TSV. Tests run them, and `system.functions` shows
    /// them.
    pub examples: &'static [(&'static str, &'static str)],
    /// Checks the arguments and prepares the function.
    pub bind: fn(WindowArgs<'_>) -> Result<Box<dyn WindowFunction>>,
}

impl WindowDef {
    /// The usual values of all fields except name and bind.
    pub const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        any_case: &[],
        description: "",
        examples: &[],
        bind: |_| Err(Error::logical("window function without bind")),
    };
}

/// The error for a window function without OVER.
#[cold]
pub fn only_over(name: &str) -> Error {
    let message = format!(
        "The function '{name}' can only be used as a window function, not as an aggregate \
         function: write {name}(...) OVER (...)"
    );
    Error::new(codes::BAD_ARGUMENTS, message)
}
