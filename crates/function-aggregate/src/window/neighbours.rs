//! Values of other rows: `lag`, `lead`, `lagInFrame`, `leadInFrame`, `nth_value`.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value, common_type};

use entasis_function::aggregate::args::{mismatch, native};
use entasis_function::window::{Needs, Rows, WindowArgs, WindowDef, WindowFunction};

/// The row whose value is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// This many rows before the current one.
    Before,
    /// This many rows after the current one.
    After,
    /// The n-th row of the frame.
    FrameStart,
}

#[derive(Debug)]
struct Neighbour {
    name: &'static str,
    from: From,
    /// Whether rows outside the frame are ignored, and not only those outside the partition.
    in_frame: bool,
    /// The offset, if it is the same for all rows.
    offset: Option<u32>,
    ty: DataType,
}

impl WindowFunction for Neighbour {
    fn return_type(&self) -> DataType {
        self.ty.clone()
    }

    fn argument_type(&self, i: usize) -> Option<DataType> {
        match i {
            1 => Some(DataType::Int64),
            2 => Some(self.ty.clone()),
            _ => None,
        }
    }

    fn needs(&self) -> Needs {
        let around = |before, after| Needs::Around { before, after, framed: self.in_frame };
        match (self.from, self.offset) {
            (From::Before, Some(offset)) => around(offset, 0),
            (From::After, Some(offset)) => around(0, offset),
            _ => Needs::Partition,
        }
    }

    fn run(&self, args: &[Column], rows: Rows<'_>) -> Result<Column> {
        let count = rows.len();
        let values = args.first().ok_or_else(mismatch)?.full();
        let offsets = match args.get(1) {
            Some(_) => Some(native::<i64>(args, 1)?),
            None => None,
        };
        if let Some(offsets) = &offsets {
            self.check(offsets)?;
        }
        let others = match args.get(2) {
            Some(column) => column.full(),
            None => Column::default_of(&self.ty, 1),
        };
        let several = args.len() > 2;
        let mut indices = Vec::with_capacity(count);
        for partition in rows.partitions.windows(2) {
            for row in partition[0]..partition[1] {
                let i = row as usize;
                let frame = (rows.frames.starts[i], rows.frames.ends[i]);
                let (first, end) = if self.in_frame { frame } else { (partition[0], partition[1]) };
                let offset = offsets.as_ref().map_or(1, |o| o[i]);
                let place = match self.from {
                    From::Before => i64::from(row).checked_sub(offset),
                    From::After => i64::from(row).checked_add(offset),
                    From::FrameStart => i64::from(first).checked_add(offset - 1),
                };
                let inside = (i64::from(first)..i64::from(end)).contains(&place.unwrap_or(-1));
                let other = count as u32 + if several { row } else { 0 };
                indices.push(if inside { place.unwrap_or(0) as u32 } else { other });
            }
        }
        Ok(Column::concat(&[&values, &others]).take(&indices))
    }
}

impl Neighbour {
    fn check(&self, offsets: &[i64]) -> Result<()> {
        let least = i64::from(self.from == From::FrameStart);
        let Some(wrong) = offsets.iter().find(|o| **o < least) else { return Ok(()) };
        Err(Error::new(
            codes::BAD_ARGUMENTS,
            format!(
                "The offset for function {} must be in ({least}, {}], {wrong} given",
                self.name,
                i64::MAX
            ),
        ))
    }
}

fn bad<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

fn expect_offset(call: WindowArgs<'_>) -> Result<()> {
    match call.args.get(1) {
        Some(arg) if !arg.ty.is_native_integer() => {
            bad(format!("Offset must be an integer, '{}' given", arg.ty))
        }
        _ => Ok(()),
    }
}

fn neighbour(call: WindowArgs<'_>, from: From, in_frame: bool) -> Result<Box<dyn WindowFunction>> {
    let name = call.name;
    if !call.params.is_empty() {
        return bad(format!("Function {name} cannot be parameterized"));
    }
    let Some(value) = call.args.first() else {
        let message = format!("Function {name} takes at least one argument");
        return Err(Error::new(codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION, message));
    };
    expect_offset(call)?;
    if let Some(default) = call.args.get(2) {
        let (ty, other) = (&value.ty, &default.ty);
        let Ok(common) = common_type(&[ty.clone(), other.clone()]) else {
            return bad(format!(
                "There is no supertype for the argument type '{ty}' and the default value type \
                 '{other}'"
            ));
        };
        if common != *ty {
            return bad(format!(
                "The supertype '{common}' for the argument type '{ty}' and the default value type \
                 '{other}' is not the same as the argument type"
            ));
        }
    }
    if call.args.len() > 3 {
        let message =
            format!("Function '{name}' accepts at most 3 arguments, {} given", call.args.len());
        return Err(Error::new(codes::TOO_MANY_ARGUMENTS_FOR_FUNCTION, message));
    }
    if !in_frame && !call.frame.is_default {
        return bad(format!(
            "Window function '{name}' does not expect window frame to be explicitly specified"
        ));
    }
    let offset = match call.args.get(1) {
        Some(offset) => offset.constant.as_ref().and_then(Value::as_u64),
        None => Some(1),
    };
    let offset = offset.and_then(|offset| u32::try_from(offset).ok());
    Ok(Box::new(Neighbour { name, from, in_frame, offset, ty: value.ty.clone() }))
}

fn lag(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    neighbour(call, From::Before, false)
}

fn lead(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    neighbour(call, From::After, false)
}

fn lag_in_frame(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    neighbour(call, From::Before, true)
}

fn lead_in_frame(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    neighbour(call, From::After, true)
}

fn nth_value(call: WindowArgs<'_>) -> Result<Box<dyn WindowFunction>> {
    if !call.params.is_empty() {
        return bad("Function nth_value cannot be parameterized");
    }
    let [value, _] = call.args else {
        let message = "Function nth_value takes exactly two arguments";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    };
    expect_offset(call)?;
    let (name, ty) = (call.name, value.ty.clone());
    Ok(Box::new(Neighbour { name, from: From::FrameStart, in_frame: true, offset: None, ty }))
}

/// The definitions of the functions in this file.
pub const FUNCTIONS: &[WindowDef] = &[
    WindowDef {
        name: "lag",
        any_case: &["lag"],
        description: "Value of the row so many rows before in the partition (1 if no offset is \
                      given); the third argument, or the type's default, where there is none.",
        examples: &[(
            "SELECT lag(number) OVER (ORDER BY number) AS x FROM numbers(3) ORDER BY x",
            "0\n0\n1",
        )],
        bind: lag,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "lead",
        any_case: &["lead"],
        description: "Like lag, but for a row after this one.",
        examples: &[(
            "SELECT lead(number, 1, 9) OVER (ORDER BY number) AS x FROM numbers(3) ORDER BY x",
            "1\n2\n9",
        )],
        bind: lead,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "lagInFrame",
        description: "Like lag, but rows outside the frame do not count.",
        examples: &[(
            "SELECT lagInFrame(number) OVER (ORDER BY number) AS x FROM numbers(3) ORDER BY x",
            "0\n0\n1",
        )],
        bind: lag_in_frame,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "leadInFrame",
        description: "Like lead, but rows outside the frame do not count.",
        examples: &[(
            "SELECT leadInFrame(number) OVER (ORDER BY number \
             ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS x FROM numbers(3) ORDER BY x",
            "0\n1\n2",
        )],
        bind: lead_in_frame,
        ..WindowDef::DEFAULT
    },
    WindowDef {
        name: "nth_value",
        any_case: &["nth_value"],
        description: "Value of the n-th row of the frame, counted from 1.",
        examples: &[(
            "SELECT nth_value(number, 2) OVER (ORDER BY number) AS x FROM numbers(3) ORDER BY x",
            "0\n1\n1",
        )],
        bind: nth_value,
        ..WindowDef::DEFAULT
    },
];
