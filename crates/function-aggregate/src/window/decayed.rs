//! `exponentialTimeDecayedSum` and the like: aggregates of a frame in which a row counts the less,
//! the longer before the current row it was.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::DataType;

use entasis_function::aggregate::args::{mismatch, wrong_count};
use entasis_function::window::{Rows, WindowArgs, WindowDef, WindowFunction};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sum,
    Max,
    Count,
    Avg,
}

/// Bound to the time in which a row's weight falls to 1/e.
#[derive(Debug)]
struct Decayed {
    kind: Kind,
    decay: f64,
}

impl Decayed {
    /// The sum or the greatest of `value(k)`, weighted, over the rows of a frame.
    fn over(
        &self,
        times: &[f64],
        now: f64,
        frame: std::ops::Range<usize>,
        value: impl Fn(usize) -> f64,
    ) -> f64 {
        let weighted = frame.map(|k| value(k) * ((times[k] - now) / self.decay).exp());
        match self.kind {
            Kind::Max => weighted.fold(f64::MIN, f64::max),
            _ => weighted.sum(),
        }
    }
}

impl WindowFunction for Decayed {
    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn run(&self, args: &[Column], rows: Rows<'_>) -> Result<Column> {
        let of = |i: usize| args.get(i).and_then(|a| a.full().to_f64()).ok_or_else(mismatch);
        let times = of(args.len() - 1)?;
        let values = if self.kind == Kind::Count { Vec::new() } else { of(0)? };
        let one = |(i, (start, end)): (usize, (usize, usize))| {
            let count = || self.over(&times, times[i], start..end, |_| 1.0);
            let sum = || self.over(&times, times[i], start..end, |k| values[k]);
            match self.kind {
                Kind::Count => count(),
                Kind::Avg => sum() / count(),
                Kind::Sum | Kind::Max => sum(),
            }
        };
        Ok(rows.frames.iter().enumerate().map(one).collect::<Vec<f64>>().into())
    }
}

fn bind(kind: Kind, call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    let name = call.name;
    let bad = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
    let decay = match call.params {
        [decay] => decay.as_f64(),
        _ => return bad(format!("Function {name} takes exactly one parameter")),
    };
    let Some(decay) = decay.filter(|decay| *decay != 0.0) else {
        return bad(format!("Parameter of function {name} must be a number that is not zero"));
    };
    let expected = if kind == Kind::Count { 1 } else { 2 };
    if call.args.len() != expected {
        return Err(wrong_count(format!("Function {name} takes exactly {expected} arguments")));
    }
    let (values, time) = call.args.split_at(expected - 1);
    if let Some(arg) = values.iter().find(|arg| !arg.ty.is_any_number()) {
        return bad(format!("Argument 0 must be a number, '{}' given", arg.ty));
    }
    if !time[0].ty.is_any_number() && !matches!(time[0].ty, DataType::DateTime(_)) {
        return bad(format!(
            "The last argument must be DateTime or a number, '{}' given",
            time[0].ty
        ));
    }
    Ok(Box::new(Decayed { kind, decay }))
}

/// The definitions of the functions in this file.
pub const FUNCTIONS: &[WindowDef] = &[
    WindowDef {
        name: "exponentialTimeDecayedSum",
        description: "The sum over the frame, in which a value that is x units of time older than \
                      the current row counts exp(-x / parameter) times.",
        examples: &[(
            "SELECT round(exponentialTimeDecayedSum(10)(number, number) OVER (ORDER BY number), 3) \
             AS x FROM numbers(3) ORDER BY x",
            "0\n1\n2.905",
        )],
        bind: |call| bind(Kind::Sum, call),
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "exponentialTimeDecayedMax",
        description: "The greatest value of the frame, weighted as in exponentialTimeDecayedSum.",
        examples: &[(
            "SELECT round(exponentialTimeDecayedMax(10)(number, number) OVER (ORDER BY number), 3) \
             AS x FROM numbers(3) ORDER BY x",
            "0\n1\n2",
        )],
        bind: |call| bind(Kind::Max, call),
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "exponentialTimeDecayedCount",
        description: "The number of rows of the frame, weighted as in exponentialTimeDecayedSum.",
        examples: &[(
            "SELECT round(exponentialTimeDecayedCount(10)(number) OVER (ORDER BY number), 3) AS x \
             FROM numbers(3) ORDER BY x",
            "1\n1.905\n2.724",
        )],
        bind: |call| bind(Kind::Count, call),
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "exponentialTimeDecayedAvg",
        description: "The mean of the frame, weighted as in exponentialTimeDecayedSum.",
        examples: &[(
            "SELECT round(exponentialTimeDecayedAvg(10)(number, number) OVER (ORDER BY number), 3) \
             AS x FROM numbers(3) ORDER BY x",
            "0\n0.525\n1.067",
        )],
        bind: |call| bind(Kind::Avg, call),
        ..WindowDef::DEFAULT
    },
];
