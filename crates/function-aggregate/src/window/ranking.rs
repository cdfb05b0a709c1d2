//! Functions of the position of a row in its partition: `row_number`, `rank`, `denseRank`,
//! `percentRank`, `cume_dist`, `ntile`.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use entasis_function::window::{FrameUnit, Needs, Rows, WindowArgs, WindowDef, WindowFunction};

/// The error for a frame that the function does not support.
#[cold]
fn unsupported_frame(name: &str) -> Error {
    let message = format!("Unsupported window frame type for function '{name}'");
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// What is computed for a row.
#[derive(Clone, Copy, Debug)]
enum Place {
    Number,
    Rank,
    DenseRank,
    PercentRank,
    CumulativeDistribution,
    /// The number of the bucket, if the partition is divided into this many buckets of almost equal
    /// size, the larger ones first.
    Part(u64),
}

impl WindowFunction for Place {
    fn return_type(&self) -> DataType {
        match self {
            Self::PercentRank | Self::CumulativeDistribution => DataType::Float64,
            _ => DataType::UInt64,
        }
    }

    fn needs(&self) -> Needs {
        match self {
            Self::Number => Needs::RowsBefore { ranked: false },
            Self::Rank => Needs::RowsBefore { ranked: true },
            Self::DenseRank => Needs::RunsBefore,
            Self::PercentRank | Self::CumulativeDistribution | Self::Part(_) => Needs::Partition,
        }
    }

    fn run(&self, _: &[Column], rows: Rows<'_>) -> Result<Column> {
        Ok(match *self {
            Self::Number => by_row(rows, |row, partition| u64::from(row - partition.0) + 1).into(),
            Self::Part(parts) => {
                by_row(rows, |row, (start, end)| part(row - start, end - start, parts)).into()
            }
            Self::Rank => by_peers(rows, |run| u64::from(run.rank)).into(),
            Self::DenseRank => by_peers(rows, |run| u64::from(run.number)).into(),
            Self::PercentRank => by_peers(rows, |run| match run.rows {
                1 => 0.0,
                rows => f64::from(run.rank - 1) / f64::from(rows - 1),
            })
            .into(),
            Self::CumulativeDistribution => {
                by_peers(rows, |run| f64::from(run.rank - 1 + run.len) / f64::from(run.rows)).into()
            }
        })
    }
}

/// The bucket of row `at` of `rows` rows: the first `rows % parts` buckets have one row more.
fn part(at: u32, rows: u32, parts: u64) -> u64 {
    let (at, rows) = (u64::from(at), u64::from(rows));
    let (small, larger) = (rows / parts, rows % parts);
    let in_larger = larger * (small + 1);
    if at < in_larger { at / (small + 1) + 1 } else { larger + (at - in_larger) / small + 1 }
}

/// A value for each row, given its partition's bounds.
fn by_row<T>(rows: Rows<'_>, value: impl Fn(u32, (u32, u32)) -> T) -> Vec<T> {
    let mut out = Vec::with_capacity(rows.len());
    for partition in rows.partitions.windows(2) {
        let bounds = (partition[0], partition[1]);
        out.extend((bounds.0..bounds.1).map(|row| value(row, bounds)));
    }
    out
}

/// A run of rows that are equal in ORDER BY.
struct Run {
    /// The number of its first row in the partition, counted from 1.
    rank: u32,
    /// The number of the run in the partition, counted from 1.
    number: u32,
    /// Its rows.
    len: u32,
    /// Rows of the partition.
    rows: u32,
}

/// A value for each run, repeated for its rows.
fn by_peers<T: Clone>(rows: Rows<'_>, value: impl Fn(Run) -> T) -> Vec<T> {
    let mut out = Vec::with_capacity(rows.len());
    let mut partition = 0;
    let mut number = 0;
    for run in rows.peers.windows(2) {
        if run[0] == rows.partitions[partition + 1] {
            (partition, number) = (partition + 1, 0);
        }
        number += 1;
        let (start, end) = (rows.partitions[partition], rows.partitions[partition + 1]);
        let (rank, len) = (run[0] - start + 1, run[1] - run[0]);
        let value = value(Run { rank, number, len, rows: end - start });
        out.resize(out.len() + len as usize, value);
    }
    out
}

/// These take arguments and ignore them, as the reference's do.
fn number(_: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    Ok(Box::new(Place::Number))
}

fn no_arguments(call: WindowArgs<'_>) -> Result<()> {
    if call.args.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Number of arguments for window function {} doesn't match: passed {}, should be 0",
        call.name,
        call.args.len()
    );
    Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message))
}

fn rank(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    no_arguments(call)?;
    Ok(Box::new(Place::Rank))
}

fn dense_rank(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    no_arguments(call)?;
    Ok(Box::new(Place::DenseRank))
}

/// The frame must be the default, or all rows of the partition in the unit RANGE.
fn expect_range(call: WindowArgs<'_>) -> Result<()> {
    let whole = call.frame.is_partition() && call.frame.unit == FrameUnit::Range;
    if call.frame.is_default || whole { Ok(()) } else { Err(unsupported_frame(call.name)) }
}

fn percent_rank(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    expect_range(call)?;
    Ok(Box::new(Place::PercentRank))
}

fn cumulative_distribution(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    expect_range(call)?;
    Ok(Box::new(Place::CumulativeDistribution))
}

fn ntile(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    let fail = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
    let [arg] = call.args else {
        let message = "Function ntile takes exactly one argument";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    };
    if !(call.is_ordered && (call.frame.is_default || call.frame.is_partition())) {
        return Err(unsupported_frame(call.name));
    }
    let words = [DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64];
    if !words.contains(&arg.ty) {
        return fail(format!(
            "'ntile' argument type must be an unsigned integer (not larger than 64-bit), got {}",
            arg.ty
        ));
    }
    match arg.constant.as_ref().map(Value::as_u64) {
        Some(Some(0)) => fail("Argument of 'ntile' function must be greater than zero".into()),
        Some(Some(parts)) => Ok(Box::new(Place::Part(parts))),
        _ => fail("Argument of 'ntile' function must be a constant".into()),
    }
}

/// The definitions of the functions in this file.
pub const FUNCTIONS: &[WindowDef] = &[
    WindowDef {
        name: "row_number",
        any_case: &["row_number"],
        description: "Number of the row in its partition, from 1.",
        examples: &[(
            "SELECT row_number() OVER (ORDER BY number DESC) AS n FROM numbers(3) ORDER BY n",
            "1\n2\n3",
        )],
        bind: number,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "rank",
        any_case: &["rank"],
        description: "Rank of the row in its partition by ORDER BY, from 1; equal rows share a \
                      rank and leave gaps after it.",
        examples: &[(
            "SELECT rank() OVER (ORDER BY intDiv(number, 2)) AS r FROM numbers(3) ORDER BY r",
            "1\n1\n3",
        )],
        bind: rank,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "denseRank",
        aliases: &["dense_rank"],
        any_case: &["dense_rank"],
        description: "Rank of the row in its partition by ORDER BY; ranks after equal rows leave \
                      no gaps.",
        examples: &[(
            "SELECT dense_rank() OVER (ORDER BY intDiv(number, 2)) AS r FROM numbers(3) ORDER BY r",
            "1\n1\n2",
        )],
        bind: dense_rank,
    },
    WindowDef {
        name: "percentRank",
        aliases: &["percent_rank"],
        any_case: &["percent_rank"],
        description: "Relative rank of the row, 0 to 1: the share of the partition's other rows \
                      that come before it.",
        examples: &[(
            "SELECT percent_rank() OVER (ORDER BY number) AS r FROM numbers(3) ORDER BY r",
            "0\n0.5\n1",
        )],
        bind: percent_rank,
    },
    WindowDef {
        name: "cume_dist",
        description: "Share of the partition's rows that come before the row or are equal to it in \
                      ORDER BY.",
        examples: &[(
            "SELECT cume_dist() OVER (ORDER BY number) AS r FROM numbers(2) ORDER BY r",
            "0.5\n1",
        )],
        bind: cumulative_distribution,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "ntile",
        any_case: &["ntile"],
        description: "Number of the bucket of the row, from 1, if the partition is divided into so \
                      many equal buckets.",
        examples: &[(
            "SELECT ntile(2) OVER (ORDER BY number) AS n FROM numbers(3) ORDER BY n",
            "1\n1\n2",
        )],
        bind: ntile,
        ..WindowDef::DEFAULT
    },
];
